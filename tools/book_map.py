"""The map of the book: which chapter needs which, how long each takes, and both as the preface shows them.

    python tools/book_map.py            the table in plain text, and what contradicts the chapters
    python tools/book_map.py --svg      the picture

`NEEDS` is the one table. It says what a reader of a chapter's core path must have read right before it; what those
chapters need is needed too. `violations` compares it with the chapters: with the line "You need ..." under a title
where there is one, and everywhere with the references in the text. Nothing else in the book is typed by hand about
this: the picture, the hours and the chapters that a page also looks back at are computed when the pages are built.
The hours are the estimate of `tools/reading.py`.
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import reading

import notebooks

ROOT = Path(__file__).resolve().parent.parent

# Number: (its name on the map, what it needs, the name by which other chapters speak of what it builds).
NEEDS: dict[int, tuple[str, tuple[int, ...], str]] = {
    1: ("Gradients", (), ""),
    2: ("SGD", (1,), "SGD"),
    3: ("Momentum", (2,), "momentum"),
    4: ("Adam", (3,), "Adam"),
    5: ("Big batches", (3,), ""),
    6: ("LARS", (5,), "LARS"),
    7: ("LAMB", (4, 6), "LAMB"),
    8: ("Fair fights", (7,), ""),
    9: ("Memory", (4,), ""),
    10: ("Adafactor", (9,), "Adafactor"),
    11: ("CAME", (10,), "CAME"),
    12: ("Landscape", (7, 10), ""),
    13: ("PyTorch", (7, 9), ""),
    14: ("BERT", (7,), ""),
    15: ("76 minutes", (14,), ""),
    16: ("CAME, real", (11, 14), ""),
    17: ("Compress", (14,), ""),
    18: ("Machines", (5, 9), ""),
}
PARTS = {"I": range(1, 5), "II": range(5, 9), "III": range(9, 13), "IV": range(13, 19)}
PART_NAMES = {"I": "Foundations", "II": "Big batches", "III": "Small memory", "IV": "At scale"}

# The row of each chapter on the map; its column is its part.
ROWS = dict(zip(range(1, 19), (0, 1, 2, 3, 3, 4, 5, 6, 4, 5, 6, 7, 6, 7, 8, 9, 10, 5), strict=True))
COLUMN, BOX, ROW, HEIGHT, TOP, EDGE = 90, 76, 54, 32, 36, 8


@dataclass(frozen=True)
class Chapter:
    """A chapter as the map knows it."""

    number: int
    name: str
    title: str
    label: str
    text: str

    @property
    def body(self) -> str:
        """All that stands before the exercises."""
        return re.split(r"^## Exercises", self.text, maxsplit=1, flags=re.MULTILINE)[0]


def chapters(root: Path = ROOT) -> dict[int, Chapter]:
    """The numbered chapters with a label, from their sources."""
    found = {}
    for md in notebooks.chapters(root):
        if not md.stem[0].isdigit():
            continue
        text = md.read_text(encoding="utf-8")
        if heading := re.search(r"^\((ch-[\w-]+)\)=\n# (.+)$", text, re.MULTILINE):
            found[int(md.stem[:2])] = Chapter(int(md.stem[:2]), md.stem, heading[2], heading[1], text)
    return found


def closure(numbers) -> set[int]:
    """These chapters and all that they need."""
    found: set[int] = set()
    todo = [*numbers]
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += NEEDS[number][1]
    return found


LABEL = re.compile(
    r"^\(([\w-]+)\)=$|^:(?:label|name):[ \t]*([\w-]+)|^ +name: *([\w-]+)$|^\$\$[ \t]*\(([\w-]+)\)", re.MULTILINE
)
REFERENCE = re.compile(r"\{(?:numref|ref|prf:ref|eq)\}`(?:[^`<]*<)?([\w-]+)>?`")
YOU_NEED = re.compile(r"You need ([^.;]*)")


def homes(found: dict[int, Chapter]) -> dict[str, int]:
    """Label -> the number of the chapter in which it stands."""
    return {next(filter(None, m)): c.number for c in found.values() for m in LABEL.findall(c.text)}


def mentioned(found: dict[int, Chapter]) -> dict[int, set[int]]:
    """Number -> the earlier chapters to which the text before the exercises refers by a label."""
    home = homes(found)
    return {
        c.number: {home[label] for label in REFERENCE.findall(c.body) if home.get(label, 99) < c.number}
        for c in found.values()
    }


def stated(chapter: Chapter) -> set[str] | None:
    """The labels of chapters in the line "You need ..." below the title; None where there is no such line."""
    top = re.split(r"^## ", chapter.text, maxsplit=1, flags=re.MULTILINE)[0]
    match = YOU_NEED.search(top)
    return set(REFERENCE.findall(match[1])) if match else None


def violations(root: Path = ROOT) -> list[str]:
    """Where table and chapters disagree, as sentences."""
    found = chapters(root)
    back, by_label = mentioned(found), {c.label: c.number for c in found.values()}
    clock = times(root)
    wrong = [f"chapter {n} is in only one of table and book" for n in sorted(set(NEEDS) ^ set(found))]
    for number, chapter in found.items():
        if number not in NEEDS:
            continue
        needs = NEEDS[number][1]
        if clock[number].work and abs(clock[number].work - clock[number].core) > 10:
            wrong.append(
                f"chapter {number} promises a core path of {clock[number].work} minutes; "
                f"by its length it takes {clock[number].core}"
            )
        wrong += [f"chapter {number} needs the later chapter {n}" for n in needs if n >= number]
        direct = [n for n in needs if any(n in closure([m]) for m in needs if m != n)]
        wrong += [f"chapter {number} needs chapter {n} by way of another; leave it out" for n in direct]
        if (labels := stated(chapter)) is not None:
            said = closure(by_label[label] for label in labels if label in by_label)
            if said != closure(needs):
                wrong.append(
                    f"chapter {number} says that it needs {sorted(said)}, with what these need; "
                    f"the table says {sorted(closure(needs))}"
                )
        for n in needs:
            word = NEEDS[n][2]
            if n not in back[number] and not (word and re.search(rf"\b{word}\b", chapter.body)):
                wrong.append(f"chapter {number} needs chapter {n} and never speaks of it")
    return wrong


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
        work: what the line under the title says of working through the core path; 0 where there is none.
    """

    core: int
    whole: int
    exercises: int
    starred: bool
    work: int


EXERCISE = re.compile(r"\{exercise(?:-start)?\}.*?(?=\{exercise|\{solution|\Z)", re.DOTALL)


def exercise_minutes(text: str) -> int:
    """What the exercises of a chapter say that they take, added up."""
    said = [re.search(r"^\*Level: \w+\. Time: (\d+) minutes", body, re.MULTILINE) for body in EXERCISE.findall(text)]
    return sum(int(match[1]) if match else reading.MINUTES_AN_EXERCISE for match in said)


def times(root: Path = ROOT) -> dict[int, Time]:
    """The estimate of `reading.py` for each chapter."""
    found = {}
    for number, chapter in chapters(root).items():
        parts = reading.sections(notebooks.source(root / "notebooks" / f"{chapter.name}.md"))
        core, whole = reading.core(parts), reading.whole(parts)
        found[number] = Time(
            reading.minutes(*core),
            reading.minutes(*whole),
            exercise_minutes(chapter.text),
            core != whole,
            int(work[1]) if (work := re.search(r"^\*Core path: (\d+) minutes", chapter.text, re.MULTILINE)) else 0,
        )
    return found


def numbers(found) -> str:
    return ", ".join(str(n) for n in sorted(found)) or "–"


def needs_table(root: Path = ROOT) -> str:
    """What each chapter needs, and the earlier chapters at which it also looks back, in Markdown."""
    found = chapters(root)
    back = mentioned(found)
    lines = ["| | chapter | needs | also looks back at |", "|--:|:--|:--|:--|"]
    for number, chapter in found.items():
        also = back[number] - closure(NEEDS[number][1])
        lines.append(f"| {number} | {chapter.title} | {numbers(NEEDS[number][1])} | {numbers(also)} |")
    return "\n".join(lines)


def time_cells(root: Path = ROOT) -> dict[str, str]:
    """The hours in the table of the preface: `time_07` and `exercises_07` for chapter 7, and the sums."""
    clock, cells = times(root), {}
    for number, t in clock.items():
        cells[f"time_{number:02d}"] = f"{hours(t.core)} of {hours(t.whole)}" if t.starred else hours(t.whole)
        cells[f"exercises_{number:02d}"] = hours(t.exercises)
    core, whole, exercises = (
        round(sum(getattr(t, kind) for t in clock.values()) / 60) for kind in ("core", "whole", "exercises")
    )
    cells |= {"time_all": f"{core} h of {whole} h", "exercises_all": f"{exercises} h"}
    # A line of the table may end before "of", and nowhere else.
    return {
        name: time.replace(" ", "\N{NO-BREAK SPACE}").replace("\N{NO-BREAK SPACE}of", " of")
        for name, time in cells.items()
    }


def how(root: Path = ROOT) -> str:
    """How the hours are estimated, in words."""
    clock = times(root)
    without = {n for n, t in clock.items() if not t.starred}
    text = (
        "The hours are estimates, not measurements of readers. "
        f"`tools/reading.py` counts words and visible lines of code when the pages are built, and reckons "
        f"with {reading.WORDS_A_MINUTE} words and {reading.LINES_A_MINUTE} lines a minute. "
        f"An exercise counts with the time that it states, or with {reading.MINUTES_AN_EXERCISE} minutes. "
        "That is slow, because formulas, cells that run and figures that move take time and are not counted."
    )
    if without:
        text += (
            f" A single time means that the chapter has no starred sections yet: "
            f"{'chapter' if len(without) == 1 else 'chapters'} {numbers(without)}."
        )
    return text


def column(number: int) -> int:
    return next(k for k, members in enumerate(PARTS.values()) if number in members)


def place(number: int) -> tuple[float, float]:
    """The middle of a chapter's box."""
    return COLUMN * (column(number) + 0.5), TOP + ROW * ROWS[number] + HEIGHT / 2


def corners(start: int, end: int) -> list[tuple[float, float]]:
    """The corners of an arrow from a chapter to one that needs it: through the gaps between rows and columns.

    Arrows from different columns keep a little apart, so that none runs on top of another.
    """
    (x0, y0), (x1, y1) = place(start), place(end)
    apart = column(start) - 1.5
    after, before = (TOP + ROW * row - (ROW - HEIGHT) / 2 - 3 + 2.5 * apart for row in (ROWS[start] + 1, ROWS[end]))
    first, last = (x0, y0 + HEIGHT / 2), (x1, y1 - HEIGHT / 2)
    if ROWS[end] == ROWS[start] + 1:
        return [first, last] if x0 == x1 else [first, (x0, after), (x1, after), last]
    lane = COLUMN * (4 if column(start) == 3 else column(end)) + 3 * apart
    return [first, (x0, after), (lane, after), (lane, before), (x1, before), last]


def arrow(start: int, end: int, radius: float = 4) -> str:
    """The path of an arrow with rounded corners."""
    points = corners(start, end)
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, (x, y), after in zip(points, points[1:], points[2:], strict=False):
        near = []
        for px, py in (before, after):
            length = abs(px - x) + abs(py - y)
            share = min(radius, length / 2) / length
            near.append(f"{x + (px - x) * share:g} {y + (py - y) * share:g}")
        path += f"L{near[0]}Q{x:g} {y:g} {near[1]}"
    return path + f"L{points[-1][0]:g} {points[-1][1] - 3:g}"


def svg(root: Path = ROOT, prefix: str = "../notebooks/") -> str:
    """The picture, each box a link; colours and letters come from the page's style sheet (`front.css`)."""
    found = chapters(root)
    width, height = COLUMN * len(PARTS) + EDGE, TOP + ROW * (max(ROWS.values()) + 1)
    out = [
        f'<svg class="book-map" viewBox="0 0 {width} {height}" role="group" '
        'aria-label="Map of the book: an arrow leads from a chapter to each chapter that needs it">',
        '<defs><marker id="tip" viewBox="0 0 6 6" refX="4" refY="3" markerWidth="6" markerHeight="6" orient="auto">'
        '<path d="M0 0L6 3L0 6z"/></marker></defs>',
    ]
    for k, part in enumerate(PARTS):
        x = COLUMN * (k + 0.5)
        out.append(f'<text class="part" x="{x:g}" y="10">Part {part}</text>')
        out.append(f'<text class="part" x="{x:g}" y="23">{PART_NAMES[part]}</text>')
    for end, (_, needs, _) in NEEDS.items():
        out += [f'<path class="needs" data-from="{n}" data-to="{end}" d="{arrow(n, end)}"/>' for n in needs]
    for number, (name, needs, _) in NEEDS.items():
        x, y = place(number)
        part = next(p for p, members in PARTS.items() if number in members)
        after = f"needs {'chapter' if len(needs) == 1 else 'chapters'} {numbers(needs)}" if needs else "needs no other"
        title = f"Chapter {number}: {found[number].title}; {after}"
        out.append(
            f'<a href="{prefix}{found[number].name}.html" data-chapter="{number}" '
            f'data-all="{" ".join(str(n) for n in sorted(closure(needs)))}" aria-label="{title}"><title>{title}</title>'
            f'<rect class="part-{part}" x="{x - BOX / 2:g}" y="{y - HEIGHT / 2:g}" '
            f'width="{BOX}" height="{HEIGHT}" rx="5"/>'
            f'<text class="number" x="{x:g}" y="{y - 3:g}">{number}</text>'
            f'<text x="{x:g}" y="{y + 11:g}">{name}</text></a>'
        )
    return "\n".join([*out, "</svg>"])


def substitutions(root: Path = ROOT) -> dict[str, str]:
    """What the preface inserts: the picture, its table and the hours; nothing for a book of other chapters."""
    if set(chapters(root)) != set(NEEDS):
        return {}
    picture = {"book_map": f"```{{raw}} html\n{svg(root)}\n```", "book_needs": needs_table(root)}
    return picture | time_cells(root) | {"book_hours_how": how(root)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--svg", action="store_true", help="print the picture")
    if parser.parse_args().svg:
        print(svg())
        return 0
    clock = times()
    for number, (name, needs, _) in NEEDS.items():
        t = clock[number]
        print(f"{number:>2} {name:<12} needs {numbers(needs):<7} core {t.core:>4} min, whole {t.whole:>4} min")
    wrong = violations()
    print("\n".join(wrong) or "table and chapters agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
