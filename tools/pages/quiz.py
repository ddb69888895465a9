"""A Sphinx extension: the quiz of a chapter, between its summary and its exercises.

`book/quizzes/NAME.md` has the questions of the chapter NAME, each a directive:

    :::{quiz}
    The question; formulas, references and numbers of the chapter as on its page.
    - [ ] an option, on one line
      why it is wrong
    - [x] another option
      why it is right
    :::

An option is a fold with its explanation inside, so a page without scripts and a printed page have all of it; `quiz.js`
adds a sentence on each choice and opens the folds for the printer. The questions are inserted when Sphinx reads the
chapter: the notebook itself does not have them.
Deliberately absent: marks, and anything stored or sent.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tools.chapter import chapters

FOLDER = Path("book") / "quizzes"
OPTION = re.compile(r"- \[(.)\] (.*)")
BEFORE = re.compile(r"^## Exercises$", re.MULTILINE)


@dataclass(frozen=True)
class Option:
    """One option of a question: is it right, what it says, and why; each with the number of its line."""

    right: bool
    says: str
    why: list[str]
    line: int


def parse(lines: list[str]) -> tuple[list[str], list[Option]]:
    """The lines of a question and its options; raises ValueError with what is wrong."""
    starts = [i for i, line in enumerate(lines) if line.startswith("- [")]
    if not 3 <= len(starts) <= 4:
        raise ValueError(f"a question has 3 or 4 options, each on a line '- [ ] ...', not {len(starts)}")
    options = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = OPTION.fullmatch(lines[start])
        if match is None or match[1] not in " x":
            raise ValueError(f"an option begins with '- [ ] ' or '- [x] ', not {lines[start]!r}")
        why = [line.removeprefix("  ") for line in lines[start + 1 : end]]
        if not "".join(why).strip():
            raise ValueError(f"the option {match[2]!r} has no explanation")
        options.append(Option(match[1] == "x", match[2], why, start))
    if (right := sum(option.right for option in options)) != 1:
        raise ValueError(f"exactly one option is right, '- [x] ', not {right}")
    question = lines[: starts[0]]
    if not "".join(question).strip():
        raise ValueError("a quiz begins with its question")
    return question, options


def questions(text: str) -> list[list[str]]:
    """The lines of each question of a file."""
    return [found[1].splitlines() for found in re.finditer(r"^:::\{quiz\}\n(.*?)^:::$", text, re.M | re.S)]


def written(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


class QuizDirective(SphinxDirective):
    has_content = True

    def parsed(self, lines: list[str], line: int) -> list[nodes.Node]:
        body = nodes.Element()
        self.state.nested_parse(type(self.content)(lines, source="quiz"), self.content_offset + line, body)
        return body.children

    def option(self, option: Option) -> list[nodes.Node]:
        """A fold: its line is what the option says, inside it stands why."""
        word = "Right" if option.right else "Wrong"
        why = self.parsed(option.why, option.line + 1)
        why[0].insert(0, nodes.strong("", f"{word}. "))
        begin, end = written(f'<details class="quiz-{word.lower()}">\n<summary>'), written("</details>\n")
        return [begin, *self.parsed([option.says], option.line), written("</summary>\n"), *why, end]

    def run(self) -> list[nodes.Node]:
        try:
            text, options = parse(list(self.content))
        except ValueError as error:
            raise self.error(f"quiz: {error}") from None
        name = f"quiz-{self.env.new_serialno('quiz') + 1}"
        begin = written(f'<div aria-labelledby="{name}" class="quiz" role="group">\n')
        question = nodes.container("", *self.parsed(text, 0), ids=[name], classes=["quiz-question"])
        end = written('<p class="quiz-said" role="status"></p>\n</div>\n')
        return [begin, question, *(node for option in options for node in self.option(option)), end]


def insert(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a chapter's quiz before its exercises, in what Sphinx read of the notebook."""
    path = Path(app.srcdir) / FOLDER / f"{chapters.name_of(Path(docname).name)}.md"
    if not docname.startswith("notebooks/") or not path.exists():
        return
    app.env.note_dependency(str(path))
    nb = json.loads(source[0])
    for cell in nb["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and BEFORE.search(text):
            start = BEFORE.search(text).start()
            asked = f"## Quiz\n\n{path.read_text(encoding='utf-8').strip()}\n\n"
            cell["source"] = text[:start] + asked + text[start:]
            source[0] = json.dumps(nb)
            return
    raise ValueError(f"{docname} has no section Exercises, before which its quiz could stand")


def setup(app: Sphinx) -> dict:
    app.add_directive("quiz", QuizDirective)
    app.connect("source-read", insert, priority=900)  # after `insertions` has chosen what is read
    app.add_css_file("quiz.css")
    app.add_js_file("quiz.js", loading_method="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
