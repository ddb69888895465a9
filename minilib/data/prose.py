"""Which parts of a docstring are English prose: a few plain rules, each with its reason.

`paragraphs` cuts a docstring into paragraphs, `plain` takes the markup off one, `broken_rule`
names the first rule that a paragraph breaks, and `Repeats` knows what has been said before.

Deliberately absent: a parser of reStructuredText or of Google's and NumPy's docstring styles, and
any model of English.  The rules judge a paragraph by its form: a formula in plain letters may
pass, and many a good paragraph goes because of one formula in it.
"""

import hashlib
import re
from collections.abc import Iterator

# A list item, `name (type): text` or `Name: Text` of a Google docstring, or a directive: its text
# starts a paragraph, and the deeper lines below it carry on that paragraph.
ITEM = re.compile(
    r"(?:[-*+•]|\(?(?:\d{1,2}|[A-Za-z])[.)]|\*{0,2}\w+ ?\([^()]*\):|\w+:(?= +[A-Z])|\.\. [\w-]+::)"
    r"(?:\s+|$)"
)
UNDERLINE = re.compile(r"([=\-~^*#\"'`+])\1{2,}")  # of a heading: -----

# What a reader of the finished page would not see.
MARKUP = [
    (re.compile(r"(?:\.\. )?\[(\w+)\]_"), r"(\1)"),  # a footnote, [1]_, shows as (1)
    (re.compile(r"(?<=`)\\ ?(?=\w)"), ""),  # `name`\s
    (re.compile(r"(?::[\w:+-]+:)?`([^`<]+?)\s*<[^`>]+>`_{0,2}"), r"\1"),  # `text <link>`_
    (re.compile(r"(?::[\w:+-]+:)?`~(?:[\w.]*\.)?([^`]+)`"), r"\1"),  # `~a.b.name` shows as name
    (re.compile(r":[\w:+-]+:`[!.]?([^`]+)`"), r"\1"),  # :func:`name`
    (re.compile(r"``([^`]+)``"), r"\1"),  # ``code``
    (re.compile(r"`\.?([^`]+)`_{0,2}"), r"\1"),  # `name`
    (re.compile(r"\$(\w+)\$"), r"\1"),  # $n$
    (re.compile(r"(?<![\w*])(\*{1,2})(\w[^*]*)\1(?![\w*])"), r"\2"),  # *emphasis*, **strong**
    (re.compile(r"\s+([.,;:])(?=\s|$)"), r"\1"),  # a blank before a stop
    (re.compile(r"(?<=[a-z)]{2}[.!?]) [^.!?]*::?$"), ""),  # "... Text. For example:" before code
]

WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
NAME = re.compile(r"_*[A-Za-z]\w*(?:[-'’/._]\w+)*(?:\(\))?")  # a word, n_samples, np.save, main()
EDGES = ".,;:!?()\"'“”‘’"
START = re.compile(r"[\"'“‘(]?[A-Z]")
END = re.compile(r"[.!?][\"'”’)]*$")
# Doctests, TeX, sets and dictionaries, comparisons, tables, powers, format fields, addresses.
CODE = re.compile(r"[\\{}|<>^@#$~`]|%[a-z(]|::|://|==")
FUNCTION_WORDS = frozenset(
    "a an the this that these those it its which of to by on at as with from into for in and or not"
    " no be is are was were been has have can may will would should must do does if when than then"
    " so but there their they we you your all each other only any such".split()
)

MIN_WORDS = 8  # shorter ones are labels, and there is no 8-word run in them to compare
MIN_NAMES = 0.8  # share of words and names among the tokens: formulas, number tables have less
MIN_FUNCTION = 0.2  # share of function words: lists of names and references to papers have less
RUN = 8  # words
MAX_SEEN = 0.5  # share of a paragraph's runs that may have occurred before


def paragraphs(docstring: str) -> Iterator[str]:
    """The paragraphs of a docstring, each on one line, in order.

    A blank line ends a paragraph; so does a change of indentation, which parts a parameter's name
    from its description and text from code; so does the next item of a list.
    """
    lines: list[str] = []
    start = 0  # the first line's indentation
    indent: int | None = None  # the other lines'; None until a deeper line may set it
    for number, line in enumerate([*docstring.expandtabs().split("\n"), ""]):
        text = line.strip()
        here = len(line) - len(line.lstrip())
        if UNDERLINE.fullmatch(text):
            lines = []  # what stood above it was a heading
            continue
        item = ITEM.match(text)
        if lines and indent is None and text and not item and (here > start or number == 1):
            indent = here
        elif lines and (not text or item or here != (start if indent is None else indent)):
            yield " ".join(lines)
            lines = []
        if text and not lines:
            start = here
            # A docstring's first line stands at the quotes, an item's first line at its mark.
            indent = None if item or number == 0 else here
            text = text[item.end() :] if item else text
        if text:
            lines.append(text)


def plain(paragraph: str) -> str:
    """The paragraph without markup."""
    for pattern, replacement in MARKUP:
        paragraph = pattern.sub(replacement, paragraph)
    return " ".join(paragraph.split())


def broken_rule(paragraph: str) -> str | None:
    """The name of the first rule that this paragraph (without markup) breaks, or None."""
    tokens = [token.strip(EDGES) for token in paragraph.split()]
    if len(tokens) < MIN_WORDS:
        return "short"
    # Prose starts with a capital and ends with a full stop; titles, code and cut-off lines do not.
    if not START.match(paragraph) or not END.search(paragraph):
        return "fragment"
    if CODE.search(paragraph):
        return "code"
    if sum(bool(NAME.fullmatch(t)) for t in tokens) < MIN_NAMES * len(tokens):
        return "symbols"
    if sum(t.lower() in FUNCTION_WORDS for t in tokens) < MIN_FUNCTION * len(tokens):
        return "list"
    return None


class Repeats:
    """Remembers the 8-word runs of all paragraphs shown to it.

    Packages say the same thing in many places with a name changed here and there.  Left in, such
    paragraphs would stand on both sides of the split, and a model could score by heart.
    """

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.whole: set[str] = set()

    def judge(self, paragraph: str) -> str | None:
        """ "duplicate", "repeat" (most of its runs occurred before) or None; then remembers it."""
        words = bare_words(paragraph)
        text = " ".join(words)
        now = runs(words)
        share = sum(run in self.seen for run in now) / max(1, len(now))
        verdict = "duplicate" if text in self.whole else "repeat" if share > MAX_SEEN else None
        self.whole.add(text)
        self.seen.update(now)
        return verdict


def bare_words(text: str) -> list[str]:
    """The words in lower case, without punctuation and numbers: what repeats are judged by."""
    return [word.lower() for word in WORD.findall(text)]


def runs(words: list[str]) -> list[bytes]:
    """An 8-byte hash of every 8-word run: equal on all machines, and small enough to keep all."""
    all_runs = (" ".join(words[i : i + RUN]).encode() for i in range(len(words) - RUN + 1))
    return [hashlib.blake2b(run, digest_size=8).digest() for run in all_runs]
