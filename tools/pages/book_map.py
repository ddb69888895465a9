"""The map of the book: which chapter needs which, how long each takes, and both as the preface shows them.

What a reader of a chapter's core path must have read right before it stands in the line "You need ..." under its title;
what those chapters need is needed too. Nothing else about this is typed by hand: numbers and parts are those of
_toc.yml; the picture, the hours and the chapters that a page also looks back at are computed when the pages are built.
The hours are the estimate of `tools/chapter/reading.py`.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from tools import ROOT
from tools.chapter import notebooks, reading
from tools.chapter.chapters import labelled, name_of

# Names on the map, where they are not the chapter's own.
SHORT = {
    "loss_and_gradient": "Gradients",
    "sgd": "SGD",
    "carrying_a_rate": "Carry rates",
    "lars": "LARS",
    "lamb": "LAMB",
    "reality_check": "Fair fights",
    "came": "CAME",
    "torch": "PyTorch",
    "bert": "BERT",
    "bert_in_76_minutes": "76 minutes",
    "came_at_work": "CAME, real",
    "train_large_compress": "Compress",
    "many_machines": "Machines",
}
COLUMN, BOX, ROW, HEIGHT, TOP, EDGE = 90, 76, 54, 32, 36, 8
LONGEST = 11  # letters of a name that fit a box; longer names are squeezed


@dataclass(frozen=True)
class Chapter:
    """A chapter as the map knows it; `file` is its name with the number, `needs` the names of those right before it."""

    number: int
    name: str
    file: str
    title: str
    label: str
    text: str
    short: str
    needs: tuple[str, ...]

    @property
    def body(self) -> str:
        """All that stands before the exercises."""
        return re.split(r"^## Exercises", self.text, maxsplit=1, flags=re.MULTILINE)[0]


def chapters(root: Path = ROOT) -> dict[str, Chapter]:
    """The numbered chapters with a label by name, from their sources."""
    texts = {md.stem: md.read_text(encoding="utf-8") for md in notebooks.chapters(root) if md.stem[0].isdigit()}
    headings = {file: heading for file, text in texts.items() if (heading := labelled(text))}
    by_label = {label: name_of(file) for file, (label, _) in headings.items()}
    by_name = {}
    for file, (label, title) in headings.items():
        name = name_of(file)
        needs = [by_label[other] for other in stated(texts[file]) or () if other in by_label]
        short = SHORT.get(name, name.replace("_", " ").capitalize())
        by_name[name] = Chapter(int(file[:2]), name, file, title, label, texts[file], short, tuple(needs))
    return {name: replace(chapter, needs=direct(chapter.needs, by_name)) for name, chapter in by_name.items()}


def parts(root: Path = ROOT) -> dict[str, tuple[str, list[str]]]:
    """The numbered parts of _toc.yml: `{"I": ("Foundations", names of its chapters)}`."""
    by_number = {}
    for part in yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))["parts"]:
        if heading := re.fullmatch(r"Part (\w+): (.+)", part["caption"]):
            by_number[heading[1]] = (heading[2], [name_of(Path(chapter["file"]).name) for chapter in part["chapters"]])
    return by_number


def closure(names, book: dict[str, Chapter]) -> set[str]:
    """These chapters and all that they need."""
    known: set[str] = set()
    todo = [*names]
    while todo:
        name = todo.pop()
        if name not in known:
            known.add(name)
            todo += book[name].needs
    return known


def direct(needs: tuple[str, ...], book: dict[str, Chapter]) -> tuple[str, ...]:
    """Those of these chapters that are not needed by way of another of them."""
    return tuple(n for n in needs if not any(n in closure([m], book) for m in needs if m != n))


LABEL = re.compile(
    r"^\(([\w-]+)\)=$|^:(?:label|name):[ \t]*([\w-]+)|^ +name: *([\w-]+)$|^\$\$[ \t]*\(([\w-]+)\)", re.MULTILINE
)
REFERENCE = re.compile(r"\{(?:numref|ref|prf:ref|eq)\}`(?:[^`<]*<)?([\w-]+)>?`")
YOU_NEED = re.compile(r"You need ([^.;]*)")


def homes(book: dict[str, Chapter]) -> dict[str, str]:
    """Label -> the name of the chapter in which it stands."""
    return {next(filter(None, m)): c.name for c in book.values() for m in LABEL.findall(c.text)}


def mentioned(book: dict[str, Chapter]) -> dict[str, set[str]]:
    """Name -> the earlier chapters to which the text before the exercises refers by a label."""
    home, place = homes(book), list(book).index
    return {
        c.name: {home[x] for x in REFERENCE.findall(c.body) if x in home and place(home[x]) < place(c.name)}
        for c in book.values()
    }


def stated(text: str) -> list[str] | None:
    """The labels of chapters in the line "You need ..." below a chapter's title; None where there is no such line."""
    top = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    match = YOU_NEED.search(top)
    return REFERENCE.findall(match[1]) if match else None


def hours(minutes: int) -> str:
    """Minutes as a person says them: `50 min`, `2 h`, `2 h 10`."""
    whole, rest = divmod(minutes, 60)
    return f"{minutes} min" if not whole else f"{whole} h {rest:02d}" if rest else f"{whole} h"


@dataclass(frozen=True)
class Time:
    """Minutes for a chapter.

    Attributes:
        core, whole: to read the core path, and all before the exercises.
        exercises: for all exercises; what each one says, else `reading.MINUTES_AN_EXERCISE`.
        starred: are there sections that can wait?
    """

    core: int
    whole: int
    exercises: int
    starred: bool


EXERCISE = re.compile(r"\{exercise(?:-start)?\}.*?(?=\{exercise|\{solution|\Z)", re.DOTALL)


def exercise_minutes(text: str) -> int:
    """What the exercises of a chapter say that they take, added up."""
    levels = [re.search(r"^\*Level: \w+\. Time: (\d+) minutes", body, re.MULTILINE) for body in EXERCISE.findall(text)]
    return sum(int(match[1]) if match else reading.MINUTES_AN_EXERCISE for match in levels)


def times(root: Path = ROOT) -> dict[str, Time]:
    """The estimate of `reading.py` for each chapter."""
    by_name = {}
    for name, chapter in chapters(root).items():
        sections = reading.sections(notebooks.source(root / "notebooks" / f"{chapter.file}.md"))
        core, whole = reading.core(sections), reading.whole(sections)
        by_name[name] = Time(
            reading.minutes(*core),
            reading.minutes(*whole),
            exercise_minutes(chapter.text),
            core != whole,
        )
    return by_name


def numbers(names, book: dict[str, Chapter]) -> str:
    return ", ".join(str(n) for n in sorted(book[name].number for name in names)) or "–"


def needs_table(root: Path = ROOT) -> str:
    """What each chapter needs, and the earlier chapters at which it also looks back, in Markdown."""
    book = chapters(root)
    back = mentioned(book)
    lines = ["| | chapter | needs | also looks back at |", "|--:|:--|:--|:--|"]
    for name, chapter in book.items():
        also = back[name] - closure(chapter.needs, book)
        needs, looks = numbers(chapter.needs, book), numbers(also, book)
        lines.append(f"| {chapter.number} | {chapter.title} | {needs} | {looks} |")
    return "\n".join(lines)


def time_cells(root: Path = ROOT) -> dict[str, str]:
    """The hours in the table of the preface: `time_lamb` and `exercises_lamb` for LAMB's chapter, and the sums."""
    clock, cells = times(root), {}
    for name, t in clock.items():
        cells[f"time_{name}"] = f"{hours(t.core)} of {hours(t.whole)}" if t.starred else hours(t.whole)
        cells[f"exercises_{name}"] = hours(t.exercises)
    core, whole, exercises = (
        round(sum(getattr(t, kind) for t in clock.values()) / 60) for kind in ("core", "whole", "exercises")
    )
    cells |= {"time_all": f"{core} h of {whole} h", "exercises_all": f"{exercises} h"}
    # A line of the table may end before "of", and nowhere else.
    return {
        name: time.replace(" ", "\N{NO-BREAK SPACE}").replace("\N{NO-BREAK SPACE}of", " of")
        for name, time in cells.items()
    }


def how() -> str:
    """How the hours are estimated, in words."""
    return (
        "The hours are estimates, not measurements of readers. "
        f"`tools/chapter/reading.py` counts words and visible lines of code when the pages are built, and reckons "
        f"with {reading.WORDS_A_MINUTE} words and {reading.LINES_A_MINUTE} lines a minute. "
        f"An exercise counts with the time that it states, or with {reading.MINUTES_AN_EXERCISE} minutes. "
        "That is slow, because formulas, cells that run and figures that move take time and are not counted."
    )


@dataclass(frozen=True)
class Layout:
    """Where the chapters stand: a column for each part, each chapter below all that it needs, as high as it can."""

    columns: dict[str, int]
    rows: dict[str, int]

    def middle(self, name: str) -> tuple[float, float]:
        """The middle of a chapter's box."""
        return COLUMN * (self.columns[name] + 0.5), TOP + ROW * self.rows[name] + HEIGHT / 2

    def corners(self, start: str, end: str) -> list[tuple[float, float]]:
        """The corners of an arrow from a chapter to one that needs it: through the gaps between rows and columns.

        Arrows from different columns keep a little apart, so that none runs on top of another.
        """
        (x0, y0), (x1, y1) = self.middle(start), self.middle(end)
        top, bottom = self.rows[start], self.rows[end]
        apart, last_column = self.columns[start] - 1.5, max(self.columns.values())
        after, before = (TOP + ROW * row - (ROW - HEIGHT) / 2 - 3 + 2.5 * apart for row in (top + 1, bottom))
        first, last = (x0, y0 + HEIGHT / 2), (x1, y1 - HEIGHT / 2)
        if bottom == top + 1:
            return [first, last] if x0 == x1 else [first, (x0, after), (x1, after), last]
        lane = COLUMN * (last_column + 1 if self.columns[start] == last_column else self.columns[end]) + 3 * apart
        return [first, (x0, after), (lane, after), (lane, before), (x1, before), last]


def layout(book: dict[str, Chapter], members: dict[str, tuple[str, list[str]]]) -> Layout:
    columns = {name: k for k, (_, names) in enumerate(members.values()) for name in names if name in book}
    rows: dict[str, int] = {}
    for name in columns:
        taken = {rows[other] for other in rows if columns[other] == columns[name]}
        row = max((rows[other] + 1 for other in book[name].needs), default=0)
        while row in taken:
            row += 1
        rows[name] = row
    return Layout(columns, rows)


def arrow(points: list[tuple[float, float]], radius: float = 4) -> str:
    """The path of an arrow with rounded corners."""
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        near = []
        for px, py in (before, after):
            length = abs(px - x) + abs(py - y)
            share = min(radius, length / 2) / length
            near.append(f"{x + (px - x) * share:g} {y + (py - y) * share:g}")
        path += f"L{near[0]}Q{x:g} {y:g} {near[1]}"
    return path + f"L{points[-1][0]:g} {points[-1][1] - 3:g}"


def svg(root: Path = ROOT) -> str:
    """The picture, each box a link; colours and letters come from the page's style sheet (`front.css`)."""
    book, members = chapters(root), parts(root)
    placed = layout(book, members)
    width, height = COLUMN * len(members) + EDGE, TOP + ROW * (max(placed.rows.values()) + 1)
    out = [
        f'<svg class="book-map" viewBox="0 0 {width} {height}" role="group" '
        'aria-label="Map of the book: an arrow leads from a chapter to each chapter that needs it">',
        '<defs><marker id="tip" viewBox="0 0 6 6" refX="4" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0L6 3L0 6z"/></marker></defs>',
    ]
    for k, (part, (name, _)) in enumerate(members.items()):
        x = COLUMN * (k + 0.5)
        out.append(f'<text class="part" x="{x:g}" y="10">Part {part}</text>')
        out.append(f'<text class="part" x="{x:g}" y="23">{name}</text>')
    number = {name: chapter.number for name, chapter in book.items()}
    for end, chapter in book.items():
        out += [
            f'<path class="needs" data-from="{number[n]}" data-to="{number[end]}" d="{arrow(placed.corners(n, end))}"/>'
            for n in chapter.needs
        ]
    for name, chapter in book.items():
        x, y = placed.middle(name)
        part, needs = [*members][placed.columns[name]], chapter.needs
        after = "needs no other"
        if needs:
            after = f"needs {'chapter' if len(needs) == 1 else 'chapters'} {numbers(needs, book)}"
        title = f"Chapter {chapter.number}: {chapter.title}; {after}"
        squeezed = f' textLength="{BOX - 8}" lengthAdjust="spacingAndGlyphs"' * (len(chapter.short) > LONGEST)
        everything = " ".join(str(n) for n in sorted(number[other] for other in closure(needs, book)))
        out.append(
            f'<a href="../notebooks/{chapter.file}.html" data-chapter="{chapter.number}" '
            f'data-all="{everything}" aria-label="{title}"><title>{title}</title>'
            f'<rect class="part-{part}" x="{x - BOX / 2:g}" y="{y - HEIGHT / 2:g}" '
            f'width="{BOX}" height="{HEIGHT}" rx="5"/>'
            f'<text class="number" x="{x:g}" y="{y - 3:g}">{chapter.number}</text>'
            f'<text x="{x:g}" y="{y + 11:g}"{squeezed}>{chapter.short}</text></a>'
        )
    return "\n".join([*out, "</svg>"])


def substitutions(root: Path = ROOT) -> dict[str, str]:
    """What the preface inserts: the picture, its table and the hours; nothing for a book of other chapters."""
    if not set(SHORT) <= set(chapters(root)):
        return {}
    picture = {"book_map": f"```{{raw}} html\n{svg(root)}\n```", "book_needs": needs_table(root)}
    return picture | time_cells(root) | {"book_hours_how": how()}
