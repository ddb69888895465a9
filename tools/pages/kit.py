"""All that a lecturer can take, a row each: for the page `book/what_you_can_take.md`.

Minutes, points and what a thing needs are read from the thing itself: a deck's head, a sheet's parts, a problem set's
first line and its imports, an exam's questions, a project's weeks. `substitutions` gives the tables.
Deliberately absent: how each is used, which the page and book/teaching.md say, and any measured minute.
"""

import re
from pathlib import Path

from tools import ROOT
from tools.pages import book_map, plans, quiz, syllabus

EXAMS, PROJECTS, SETS = (Path("course") / name for name in ("exams", "projects", "assignments"))
PACKAGES = {"numpy": "NumPy", "minilib": "minilib", "studies": "the book's folder", "torch": "PyTorch"}
MINUTES_A_QUESTION = 2  # of a quiz: a point, and a point of an exam has two minutes
HOURS = {"three": 3, "four": 4, "five": 5}  # as the first line of a problem set says
HEAD = re.compile(r"^## (\S+)\nchapter: (\S+) \| kind: (\S+) \| points: (\d+) \| minutes: (\d+)$", re.MULTILINE)


def read(root: Path, *path: str | Path) -> str:
    return Path(root, *path).read_text(encoding="utf-8")


def table(head: str, rows: list[tuple]) -> str:
    """A table whose columns are named by `head`; a column whose name ends in a colon holds numbers."""
    names = head.split(" | ")
    lines = [f"| {' | '.join(name.rstrip(':') for name in names)} |"]
    lines.append(f"|{'|'.join('--:' if name.endswith(':') else ':--' for name in names)}|")
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def packages(text: str) -> str:
    """What the code of a text imports, as people call it."""
    named = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    return ", ".join(words for name, words in PACKAGES.items() if name in named)


def chapters(root: Path, names: list[str]) -> str:
    return ", ".join(plans.reference(root, name) for name in names)


def problem_sets(root: Path) -> list[tuple]:
    rows = []
    for name, week in plans.HANDED_IN.items():
        text = read(root, SETS, f"{name}.md")
        points, hours = re.search(r"^\*After .* (\d+) points, about (\w+) hours\.\*$", text, re.MULTILINE).groups()
        after = [part for part, taught in syllabus.CHAPTERS.items() if taught.problem_set == name]
        after += [part for part, taught in syllabus.APPENDICES.items() if taught.problem_set == name]
        title = re.search(r"^  title: (.+)$", text, re.MULTILINE)[1]
        rows.append((title, f"`{name}`", chapters(root, after), points, HOURS[hours] * 60, packages(text), week))
    return rows


def labs(root: Path) -> list[tuple]:
    rows = []
    weeks = [*enumerate(plans.SHEETS, 1), *((f"after {week}", name) for name, week in plans.AFTER.items())]
    for week, name in weeks:
        text = read(root, plans.LABS, f"{name}.md")
        cells = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        where = "the chapter's page, or its notebook" if "on the page of" in text else "the chapter's notebook"
        chapter = re.search(r"\{numref\}`Chapter (%s <[\w-]+>)`", text)[1]
        minutes = plans.lab_minutes(root, name)
        rows.append(
            (plans.lab_link(root, name), f"{{numref}}`{chapter}`", minutes, f"{packages(cells)}; {where}", week)
        )
    return rows


def lectures(root: Path) -> list[tuple]:
    week_of = {deck: week for week, decks in enumerate(syllabus.weeks(), 1) for deck in decks}
    week_of |= {deck: f"after {plans.AFTER[name]}" for name, t in syllabus.BESIDE.items() for deck in t.decks}
    rows = []
    for deck in (*syllabus.lectures(), *syllabus.beside(), *syllabus.WORKSHOPS):
        text = (syllabus.DECKS / f"{deck}.md").read_text(encoding="utf-8")
        of = [name for name, taught in (syllabus.CHAPTERS | syllabus.BESIDE).items() if deck in taught.decks]
        minutes = re.search(r"^minutes: (\d+)$", text, re.MULTILINE)[1]
        rows.append((syllabus.title(deck), f"`{deck}`", chapters(root, of) or "–", minutes, week_of.get(deck, "–")))
    return rows


def papers(root: Path) -> list[tuple]:
    """The papers, and after them the banks of questions that they are made of."""
    known, rows, names = {}, [], {chapter.label: name for name, chapter in book_map.chapters(root).items()}
    parts = sorted((root / EXAMS).glob("part_?.md"))
    for path in parts:
        known |= {head[0]: head[1:] for head in HEAD.findall(path.read_text(encoding="utf-8"))}
    for path in [*sorted((root / EXAMS).glob("paper_?.md")), *parts]:
        text = path.read_text(encoding="utf-8")
        asked = [known[name] for name in re.findall(r"^(?:## )?([a-z][\w-]+)$", text, re.MULTILINE) if name in known]
        points, minutes = (sum(int(question[k]) for question in asked) for k in (2, 3))
        labels = dict.fromkeys(label for label, *_ in asked)
        order = sorted((names[label] for label in labels if label in names), key=list(names.values()).index)
        title = text.splitlines()[0].removeprefix("# ")
        figures = sum(kind == "figure" for _, kind, *_ in asked)
        rows.append((title, f"`{path.stem}`", chapters(root, order), len(asked), figures, points, minutes))
    return rows


def quizzes(root: Path) -> list[tuple]:
    rows = []
    for name, chapter in book_map.chapters(root).items():
        if (root / quiz.FOLDER / f"{name}.md").exists():
            asked = len(quiz.questions(read(root, quiz.FOLDER, f"{name}.md")))
            minutes = MINUTES_A_QUESTION * asked
            link = f"{{ref}}`{chapter.title} <{chapter.label}>`"
            rows.append((link, f"`{name}`", chapter.number, asked, minutes))
    return rows


def projects(root: Path) -> list[tuple]:
    rows = []
    listed = re.findall(r"^\| \[(.+)\]\((.+)\) \| (.+) \| (.+) \|$", read(root, PROJECTS, "README.md"), re.MULTILINE)
    for title, file, after, needs in listed:
        weeks = len(re.findall(r"^\| \d \|", read(root, PROJECTS, file), re.MULTILINE))
        rows.append((title, f"`course/projects/{file}`", after, weeks, needs))
    return rows


ASKED = "paper or part | name | asks about | questions: | pictures: | points: | minutes:"


def substitutions(root: Path = ROOT) -> dict[str, str]:
    """What the page inserts; nothing for a book of other chapters."""
    if not {*syllabus.CHAPTERS} <= {*book_map.chapters(root)}:
        return {}
    return {
        "take_sets": table("problem set | name | after | points: | minutes: | needs | due, week:", problem_sets(root)),
        "take_labs": table("sheet | chapter: | minutes: | needs | week:", labs(root)),
        "take_decks": table("lecture | name | shows | minutes: | week:", lectures(root)),
        "take_exams": table(
            "paper or part | name | asks about | questions: | pictures: | points: | minutes:", papers(root)
        ),
        "take_quizzes": table("quiz on | name | chapter: | questions: | minutes:", quizzes(root)),
        "take_projects": table("project | brief | after | weeks: | needs", projects(root)),
    }
