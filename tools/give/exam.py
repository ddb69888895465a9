"""A written exam: the questions that a paper names, as one page that prints, and its answers as another.

    .venv/bin/python tools/give/exam.py a     writes exams/a/paper.html and exams/a/answers.html

A paper begins with a cover, for names, seats and points, and ends with the formulas of `exams/formulas.md`.

COURSE names a folder of your own in place of `course`, with questions, answers and papers in `exams/`. Deliberately
absent: a choice by chance (a paper is an order that a lecturer has thought about), and marking; a person reads.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools import ROOT

KINDS = ("proof", "computation", "figure", "bug")
MARKING = (
    "Points stand in brackets after the step that earns them. Another right way earns the same points. "
    "A mistake costs its points once: what follows rightly from a wrong number keeps its own."
)
ORPHAN = "---\norphan: true\n---\n"  # neither page leads to the other
FIGURE = re.compile(r"\{numref\}`(fig-[a-z-]+)`")
PRINT = """body { max-width: 42rem; margin: 2rem auto; font: 11pt/1.5 Georgia, serif; }
div.body { max-width: none; } section section { break-inside: avoid; }
img { width: 100%; max-height: 20rem; } .headerlink, .footer, .related, .sphinxsidebar { display: none; }
.cover { break-after: page; } .cover span { display: inline-block; width: 18rem; border-bottom: 1px solid; }
.cover p { margin: 1.6em 0; } .cover td { border: 1px solid; padding: .4em .7em; min-width: 1.4em; }
#formulas { break-before: page; }
pre { font-size: 9.5pt; border-left: 2px solid #999; padding-left: .8em; white-space: pre-wrap; }"""


# How Sphinx makes both pages.
SETTINGS = {
    "extensions": ["myst_parser", "sphinx-mathjax-offline"],
    "myst_enable_extensions": ["dollarmath"],
    "root_doc": "paper",
    "html_theme": "basic",
    "html_css_files": ["print.css"],
    "html_sidebars": {"**": []},
    "html_use_index": False,
    "html_copy_source": False,
    "html_show_sphinx": False,
    "html_show_copyright": False,
    "suppress_warnings": ["myst.header"],
}


@dataclass(frozen=True)
class Question:
    name: str
    chapter: str
    kind: str
    points: int
    minutes: int
    text: str
    answer: str


def folder() -> Path:
    """Where questions lie: in the folder COURSE, or in the book's own course."""
    return Path(os.environ.get("COURSE") or ROOT / "course") / "exams"


def sections(path: Path) -> dict[str, str]:
    """What stands under each heading of second order."""
    parts = re.split(r"^## (\S+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))


def questions(where: Path | None = None) -> dict[str, Question]:
    """All questions by name, with their answers.

    Raises:
        ValueError: a question has no answer, a head that cannot be read, or an unknown kind.
    """
    by_name = {}
    for path in sorted((where or folder()).glob("part_?.md")):
        answers = sections(path.with_name(f"{path.stem}_answers.md"))
        for name, text in sections(path).items():
            if name not in answers:
                raise ValueError(f"the question {name!r} of {path.name} has no answer in {path.stem}_answers.md")
            head, _, text = text.partition("\n")
            fields = dict(part.strip().split(": ", 1) for part in head.split("|") if ": " in part)
            if sorted(fields) != ["chapter", "kind", "minutes", "points"] or fields["kind"] not in KINDS:
                raise ValueError(
                    f"the question {name!r} begins with {head!r}, and should with "
                    f"'chapter: LABEL | kind: KIND | points: N | minutes: N', a kind being one of {', '.join(KINDS)}"
                )
            numbers = int(fields["points"]), int(fields["minutes"])
            by_name[name] = Question(name, fields["chapter"], fields["kind"], *numbers, text.strip(), answers[name])
    return by_name


def order(paper: str) -> list[str]:
    """The names of a paper's questions.

    Raises:
        ValueError: there is no such paper.
    """
    path = folder() / f"paper_{paper}.md"
    if not path.exists():
        there = ", ".join(sorted(other.stem.removeprefix("paper_") for other in folder().glob("paper_*.md")))
        raise ValueError(f"there is no paper {paper!r} in {folder()}, but {there or 'none'}")
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def pictures() -> dict[str, Path]:
    """The still picture of each live figure, by the label of the figure."""
    live = re.compile(r"^:+\{live\} (\S+)\n:name: (\S+)$", re.MULTILINE)
    text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "notebooks").glob("*.md"))
    return {label: ROOT / "book" / "figures" / f"{name}.svg" for name, label in live.findall(text)}


@cache
def sources() -> str:
    return "\n".join(md.read_text(encoding="utf-8") for md in sorted((ROOT / "notebooks").glob("*.md")))


def formula(label: str) -> str:
    """The equation of a label, in a line.

    Raises:
        ValueError: no chapter has the label.
    """
    found = re.search(rf"^\$\$\n((?:(?!\$\$).*\n)+)\$\$ \({label}\)$", sources(), re.MULTILINE)
    if not found:
        raise ValueError(f"no chapter has the label {label!r}, to which a question refers")
    return f"${' '.join(found[1].split()).rstrip(' .,;')}$"


def cover(chosen: list[Question], total: str) -> str:
    """The first page: lines to fill in, what is allowed, and a box for the points of each question."""
    lines = "".join(
        f"<p>{word} <span></span></p>\n" for word in ("Name", "Student number", "Date", "Seat", "Signature")
    )
    numbers = "".join(f"<td>{number}</td>" for number in range(1, len(chosen) + 1))
    possible = "".join(f"<td>{question.points}</td>" for question in chosen)
    rows = [f"<td>question</td>{numbers}<td>sum</td>", f"<td>of</td>{possible}<td>{sum(q.points for q in chosen)}</td>"]
    rows.append(f"<td>points</td>{'<td></td>' * (len(chosen) + 1)}")
    table = "".join(f"<tr>{row}</tr>\n" for row in rows)
    told = f"<p>{total} A pocket calculator is allowed; formulas stand on the last page.</p>\n"
    told += "<p>Begin each question on a new sheet, with your name and its number.</p>\n"
    return f'<div class="cover">\n{lines}{told}<table>\n{table}</table>\n</div>\n'


def formulas() -> str:
    """The last page: the formulas of the course, or nothing where it has none."""
    path = folder() / "formulas.md"
    if not path.exists():
        return ""
    listed = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("* ")]
    return "## Formulas\n\n" + re.sub(r"\{eq\}`([\w-]+)`", lambda match: formula(match[1]), "\n".join(listed)) + "\n"


def apart(text: str) -> str:
    """Each part of a question, (a), (b) and so on, in a paragraph of its own."""
    return re.sub(r"\n(?=\([a-e]\) )", "\n\n", text)


def write(paper: str, to: Path | None = None) -> tuple[Path, Path]:
    """Write a paper and its answers; returns where they lie.

    Raises:
        ValueError: there is no such paper, or it names a question that does not exist.
    """
    from sphinx.application import Sphinx

    known, names = questions(), order(paper)
    if missing := [name for name in names if name not in known]:
        raise ValueError(f"paper {paper!r} asks {missing[0]!r}, and no question has this name")
    chosen, stills, out = [known[name] for name in names], pictures(), to or ROOT / "exams" / paper
    total = f"{sum(q.points for q in chosen)} points, {sum(q.minutes for q in chosen)} minutes."
    tasks = [f"{ORPHAN}# Paper {paper.upper()}\n\n{cover(chosen, total)}\n"]
    answers = [f"{ORPHAN}# Paper {paper.upper()}: answers\n\n{total} {MARKING}\n"]
    with tempfile.TemporaryDirectory() as held:
        source = Path(held)
        for number, question in enumerate(chosen, 1):
            text = FIGURE.sub("the figure below", question.text)
            for label in dict.fromkeys(FIGURE.findall(question.text)):
                shutil.copy(stills[label], source / f"{label}.svg")
                text += f"\n\n![The figure of this question]({label}.svg)"
            tasks.append(f"## {number}. ({question.points} points)\n\n{apart(text)}\n")
            answer = re.sub(r"```python (fixed|check)", "```python", question.answer)
            answers.append(f"## {number}. {question.name}\n\n{apart(answer)}\n")
        for name, text in (
            ("paper.md", "\n".join([*tasks, formulas()])),
            ("answers.md", "\n".join(answers)),
            ("print.css", PRINT),
        ):
            (source / name).write_text(text, encoding="utf-8")
        settings = SETTINGS | {"html_static_path": [str(source / "print.css")]}
        Sphinx(source, None, out, source / ".doctrees", "html", settings, status=None, warningiserror=True).build()
    return out / "paper.html", out / "answers.html"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paper", nargs="?", default="", help="a paper, such as a")
    try:
        paper, answers = write(parser.parse_args(arguments).paper)
    except ValueError as error:
        print(f"No exam: {error}.")
        return 2
    print(f"Wrote {paper.relative_to(ROOT)}, and the answers beside it. Print both from a browser.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
