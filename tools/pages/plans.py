"""The plans of the course by hours: what each week reads, does in the lab and hands in, for the pages of lecturers.

    python tools/pages/plans.py        the weeks in plain text, and what contradicts the book

`syllabus.py` says which lectures a week has. What a week reads follows from them: the core path of the chapter of each
lecture, and the appendices that it shows. The hours are those of the preface (`book_map.py`), counted anew at every
build; none is typed. All courses are made of these weeks: `COURSES` says which, and where a week is free of lectures.
`substitutions` gives what book/teaching.md, book/lectures.md and book/goals.md insert.
Deliberately absent: dates, rooms, and who reads what is handed in.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT
from tools.chapter import chapters, notebooks, reading
from tools.pages import book_map, syllabus
from tools.pages.book_map import hours

LABS = Path("course") / "labs"
MOST = 240  # minutes of required reading in a week
LECTURE = 75  # minutes
SET = (180, 300)  # minutes for a problem set, as its first lines say
# Where the second lecture of a chapter begins that has one in the week before.
BEGINS = {"sgd-2": "Prove: what SGD promises without convexity", "came-2": "A signal-to-noise ratio without a ceiling"}
# The lab of each week: course/labs/NAME.md.
SHEETS = (
    *("gradients", "noise_and_floors", "adam", "big_batches", "layers", "signs"),
    *("fair_fights", "rank_one", "axes", "bytes_and_clocks", "pieces_and_schedules", "bits_and_rings"),
)
# Chapters of `syllabus.BESIDE`: the week that offers them, to be read or taught. Their labs have their names.
AFTER = {"schedules": 3}
# The week at whose end a problem set is handed in; it is given out a week before.
HANDED_IN = {
    "gradients_and_sgd": 2,
    "momentum": 3,
    "adam": 4,
    "big_batches": 5,
    "lars": 6,
    "lamb": 7,
    "memory_and_adafactor": 9,
    "came": 10,
}
# The courses: a number is a week of the twelve, a word a week without a lecture.
COURSES = {
    "fourteen": (*range(1, 8), "project", *range(8, 13), "revision"),
    "twelve": tuple(range(1, 13)),
    "six": tuple(range(1, 7)),
    "four": tuple(range(1, 5)),
}
FREE = {"project": 0, "revision": 2 * LECTURE}  # minutes in the hall: a paper of two hours, and its answers
PROJECT_BEGINS = 7  # week of the twelve, unless a week is free for it
PROJECT_DATES = {1: "one page: the question", 3: "the smallest version", 6: "notebook and talk"}  # weeks of a project
PROJECT_WEEK = SET  # minutes of each member in a week of it: as many as for a problem set
CREDIT = (25, 30)  # hours of work that one ECTS credit stands for, by the ECTS Users' Guide
ALSO = {"toolbox": 2, "optimizers_at_a_glance": 12}  # appendices that no lecture needs, and the week that offers them
WORKSHOPS = {  # the chapters whose core paths a participant can read afterwards
    "inside": ("loss_and_gradient", "sgd", "momentum", "adam"),
    "engineers": (
        *("big_batches", "carrying_a_rate", "lamb", "reality_check"),
        *("memory", "adafactor", "came", "landscape"),
    ),
}


@dataclass(frozen=True)
class Part:
    """A part of a chapter or appendix that a week reads: how a page names it, and its minutes."""

    named: str
    minutes: int


@dataclass(frozen=True)
class Week:
    """What a week has: its decks, what it reads and may read besides, its lab, the sets given out and handed in."""

    number: int
    decks: tuple[str, ...]
    required: tuple[Part, ...]
    more: tuple[Part, ...]
    lab: str
    given: tuple[str, ...]
    due: tuple[str, ...]

    @property
    def minutes(self) -> int:
        """Of required reading."""
        return sum(part.minutes for part in self.required)


def reference(root: Path, name: str) -> str:
    """A link to a chapter by its number, to an appendix by its letter."""
    md = notebooks.find(name, root)
    label, _ = chapters.labelled(md.read_text(encoding="utf-8"))
    return f"{{numref}}`%s <{label}>`" if md.stem[0].isdigit() else f"{{ref}}`{md.stem[0]} <{label}>`"


def core_minutes(sections: list[reading.Section]) -> int:
    return reading.minutes(*reading.core(sections))


def read_for(root: Path, name: str, decks: list[str], every: tuple[str, ...]) -> Part:
    """What is read of a chapter for these of all its decks: the core path, or the sections between two lectures."""
    sections = reading.sections(notebooks.source(notebooks.find(name, root)))
    titles = [section.titles[-1] if section.titles else "" for section in sections]
    named, first, last = reference(root, name), 0, len(sections)
    begins = BEGINS.get(decks[0])
    if begins:
        named, first = f"{named} (second part)", titles.index(begins)
    later = next((BEGINS[deck] for deck in every if deck in BEGINS and deck not in decks), None)
    if later and not begins:
        named, last = f"{named} (first part)", titles.index(later)
    return Part(named, core_minutes(sections[first:last]))


def weeks(root: Path = ROOT) -> list[Week]:
    """All weeks of the course, in order."""
    every, clock = [], book_map.times(root)
    for number, decks in enumerate(syllabus.weeks(), 1):
        required, more = [], []
        for name, taught in syllabus.CHAPTERS.items():
            if here := [deck for deck in taught.decks if deck in decks]:
                required.append(read_for(root, name, here, taught.decks))
                if here[-1] == taught.decks[-1]:
                    more.append(Part(f"★ {reference(root, name)}", clock[name].whole - clock[name].core))
        for name, taught in syllabus.APPENDICES.items():
            if taught.decks[-1] in decks:
                sections = reading.sections(notebooks.source(notebooks.find(name, root)))
                required.append(Part(reference(root, name), core_minutes(sections)))
        for name in (also for also, week in (ALSO | AFTER).items() if week == number):
            sections = reading.sections(notebooks.source(notebooks.find(name, root)))
            more.append(Part(reference(root, name), reading.minutes(*reading.whole(sections))))
        given, due = (tuple(s for s, w in HANDED_IN.items() if w == number + later) for later in (1, 0))
        every.append(Week(number, decks, tuple(required), tuple(more), SHEETS[number - 1], given, due))
    return every


def lab_link(root: Path, name: str) -> str:
    """A link to a sheet, with its title."""
    title = syllabus.title(name, root / LABS)
    return f"{{ref}}`{title} <lab-{name.replace('_', '-')}>`"


def lab_minutes(root: Path, name: str) -> int:
    """The minutes of a sheet: those of its parts, `## Predict (20 minutes)`, added up."""
    text = (root / LABS / f"{name}.md").read_text(encoding="utf-8")
    return sum(map(int, re.findall(r"^## .+ \((\d+) minutes\)$", text, re.MULTILINE)))


def with_it(root: Path, name: str, every: list[Week]) -> int:
    """The minutes of required reading of a week that reads, besides, the core path of a chapter of `AFTER`."""
    return every[AFTER[name] - 1].minutes + book_map.times(root)[name].core


def violations(root: Path = ROOT) -> list[str]:
    """Where the plans and the book disagree, as sentences."""
    every, wrong = weeks(root), []
    if len(SHEETS) != len(every):
        wrong.append(f"{len(every)} weeks and {len(SHEETS)} labs")
    for week in every:
        if week.minutes > MOST:
            wrong.append(f"week {week.number} asks for {hours(week.minutes)} of reading, and not {hours(MOST)} at most")
        for lab in (week.lab, *(name for name, after in AFTER.items() if after == week.number)):
            if not (root / LABS / f"{lab}.md").exists():
                wrong.append(f"there is no {LABS}/{lab}.md")
        for name in (name for name, after in AFTER.items() if after == week.number):
            if with_it(root, name, every) > MOST:
                wrong.append(f"week {week.number} has no time to read {name} as well")
        if len(week.due) > 1:
            wrong.append(f"week {week.number} has {len(week.due)} sets to hand in")
        wrong += [f"no deck {deck} in course/slides" for deck in week.decks if deck not in syllabus.decks()]
    week_of = {deck: week.number for week in every for deck in week.decks}
    last = {taught.problem_set: week_of[taught.decks[-1]] for taught in syllabus.CHAPTERS.values()}  # the latest stays
    last.pop("", None)
    if set(last) != set(HANDED_IN):
        wrong.append(f"sets with a week: {sorted(HANDED_IN)}; sets of a chapter: {sorted(last)}")
    for name in set(last) & set(HANDED_IN):
        if HANDED_IN[name] < last[name]:
            wrong.append(f"{name} is handed in in week {HANDED_IN[name]}, before its lectures end in week {last[name]}")
    return wrong


# ---- what the pages insert -------------------------------------------------------------------------------------------


def unbroken(time: str) -> str:
    return time.replace(" ", "\N{NO-BREAK SPACE}")


def listed(parts: tuple[Part, ...]) -> str:
    """`1, 2 up to *Prove*: 2 h 05`."""
    return f"{', '.join(part.named for part in parts)}: **{unbroken(hours(sum(part.minutes for part in parts)))}**"


def sets(root: Path, week: Week) -> str:
    """The problem sets that come in and go out, by their titles."""
    lines = []
    for kind, names in (("in", week.due), ("out", week.given)):
        for name in names:
            text = (root / "course" / "assignments" / f"{name}.md").read_text(encoding="utf-8")
            lines.append(f"{kind}: {re.search(r'^  title: (.+)$', text, re.MULTILINE)[1]}")
    return "<br>".join(lines) or "–"


def splits(root: Path) -> str:
    """Where the second part of a chapter begins that two weeks share, in words."""
    lines = []
    for deck, heading in BEGINS.items():
        name = next(name for name, taught in syllabus.CHAPTERS.items() if deck in taught.decks)
        lines.append(f"{reference(root, name)} begins at *{heading}*")
    return ", that of ".join(lines)


def week_table(root: Path, every: list[Week]) -> str:
    """The weeks of a course, a row each, and their sum."""
    lines = ["| week | lectures | required reading | more | lab | problem set |", "|--:|:--|:--|:--|:--|:--|"]
    for week in every:
        titles = "<br>".join(f"`{deck}`" for deck in week.decks)
        lines.append(
            f"| {{ref}}`{week.number} <lectures-week-{week.number}>` | {titles} | {listed(week.required)} "
            f"| {listed(week.more)} | {lab_link(root, week.lab)} | {sets(root, week)} |"
        )
    required, more = (
        unbroken(hours(sum(part.minutes for week in every for part in getattr(week, kind))))
        for kind in ("required", "more")
    )
    lines.append(f"| | **together** | **{required}** | **{more}** | | |")
    return "\n".join(lines)


def lab_table(root: Path, every: list[Week]) -> str:
    """The sheets, week by week, each a link."""
    lines = ["| week | lab | minutes |", "|--:|:--|--:|"]
    lines += [f"| {week.number} | {lab_link(root, week.lab)} | {lab_minutes(root, week.lab)} |" for week in every]
    lines += [f"| after {w} | {lab_link(root, name)} | {lab_minutes(root, name)} |" for name, w in AFTER.items()]
    return "\n".join(lines)


def workload(root: Path, every: list[Week], course: str) -> dict[str, tuple[int, int]]:
    """The minutes of a student in a course, least and most, by what they are for; those of a project come last."""
    taught = [every[week - 1] for week in COURSES[course] if week not in FREE]
    lectures = LECTURE * sum(len(week.decks) for week in taught)
    lectures += sum(FREE[week] for week in COURSES[course] if week in FREE)
    labs = sum(lab_minutes(root, week.lab) for week in taught)
    read = sum(week.minutes for week in taught)
    given = sum(len(week.given) for week in taught)
    parts = {"lectures": (lectures, lectures), "labs": (labs, labs), "reading": (read, read)}
    parts["sets"] = (given * SET[0], given * SET[1])
    weeks = max(PROJECT_DATES) if len(taught) > PROJECT_BEGINS else 0
    return parts | {"project": (weeks * PROJECT_WEEK[0], weeks * PROJECT_WEEK[1])}


def span(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """The hours of these together, least and most."""
    least, most = (round(sum(part[k] for part in parts) / 60) for k in (0, 1))
    return least, most


def credits(least: int, most: int) -> str:
    """The ECTS credits of these hours: the fewest and the most that whole credits allow."""
    low, high = round(least / CREDIT[1]), round(most / CREDIT[0])
    return str(low) if low == high else f"{low} to {high}"


def work(root: Path, every: list[Week], course: str = "twelve") -> str:
    """The hours of a student, in words."""
    parts = workload(root, every, course)
    del parts["project"]
    least, most = span(list(parts.values()))
    return (
        f"lectures {hours(parts['lectures'][0])}, labs {hours(parts['labs'][0])}, required reading "
        f"{hours(parts['reading'][0])}, and {parts['sets'][0] // SET[0]} problem sets of "
        f"{SET[0] // 60} to {SET[1] // 60} hours: {least} to {most} hours together"
    )


def glance(root: Path, every: list[Week]) -> str:
    """All courses, a row each: hours of work and credits, without a project and with one."""
    lines = ["| weeks | lectures | labs | problem sets | hours | ECTS | with a project: hours | ECTS |"]
    lines.append("|:--|--:|--:|--:|--:|--:|--:|--:|")
    for course in COURSES:
        parts = workload(root, every, course)
        taught = [every[week - 1] for week in COURSES[course] if week not in FREE]
        alone, whole = (span(list(parts.values())[:end]) for end in (-1, None))
        project = (f"{whole[0]} to {whole[1]}", credits(*whole)) if parts["project"][1] else ("–", "–")
        counts = (sum(len(week.decks) for week in taught), len(taught), parts["sets"][0] // SET[0])
        cells = (*counts, f"{alone[0]} to {alone[1]}", credits(*alone), *project)
        lines.append(f"| {{ref}}`{course} <teaching-{course}>` | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def weeks_of(root: Path, every: list[Week], course: str) -> str:
    """The weeks of a course by those of the twelve, with their sets and the dates of a project."""
    plan, lines = COURSES[course], ["| week | as week | lectures | problem set | project |", "|--:|--:|:--|:--|:--|"]
    begins = plan.index("project") if "project" in plan else plan.index(PROJECT_BEGINS)
    for number, week in enumerate(plan):
        date = PROJECT_DATES.get(number - begins + 1, "given out" if number == begins - 1 else "")
        if week in FREE:
            cells = ("", f"none: {week}", "–", date)
        else:
            of = every[week - 1]
            cells = (
                f"{{ref}}`{week} <lectures-week-{week}>`",
                ", ".join(f"`{d}`" for d in of.decks),
                sets(root, of),
                date,
            )
        lines.append(f"| {number + 1} | {' | '.join(cells)} |")
    return "\n".join(lines)


def cells(deck: str) -> list[tuple[int, str, str, str]]:
    """The slides of a deck: minute at which it begins, title, what it shows, and its question to the hall."""
    slides, minute = [], 0
    text = (syllabus.DECKS / f"{deck}.md").read_text(encoding="utf-8")
    for slide in re.split(r"^#{1,2} ", text, flags=re.MULTILINE)[1:]:
        title, body = slide.split("\n", 1)
        shown = [named(match[1], match[2]) for match in re.finditer(SHOW, body)]
        asks = re.search(r"^:::\{question\}\n(.*?)^:::$", body, re.MULTILINE | re.DOTALL)
        question = " ".join(asks[1].strip().split("\n\n")[-1].split()) if asks else ""  # its last paragraph
        slides.append((minute, title, ", ".join(dict.fromkeys(shown)), question))
        minute += int(re.search(r"^:::\{notes\} (\d+)", body, re.MULTILINE)[1])
    return slides


SHOW = re.compile(r"^:::\{show\} ([\w-]+)\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
BY_NUMBER = ("fig", "tab")
PROVED = ("thm", "prp", "lem", "cor", "asm", "alg", "def", "rem")


def named(label: str, options: str) -> str:
    """How the page of lectures speaks of what a slide shows."""
    kind = label.split("-")[0]
    if code := re.search(r"^:code: (.+)$", options, re.MULTILINE):
        return f"code `{code[1]}`"
    if ":output:" in options:
        return "an output"
    if kind in BY_NUMBER:
        return f"{{numref}}`{label}`"
    if kind == "eq":
        return f"{{eq}}`{label}`"
    step = re.search(r"^:step: (.+)$", options, re.MULTILINE)
    link = f"{{prf:ref}}`{label}`" if kind in PROVED else f"{{ref}}`{label}`"
    return f"{link}, steps ({step[1]})" if step else link


def halves(deck: str) -> str:
    """The half days of a workshop, each begun by a title of its deck: their minutes, and what participants do."""
    path = syllabus.DECKS / f"{deck}.md"
    if not path.exists():
        return ""
    lines = ["| | half day | what participants do | minutes |", "|--:|:--|:--|--:|"]
    for number, half in enumerate(re.split(r"^# ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:], 1):
        title, body = half.split("\n", 1)
        tasks = [
            slide.split("\n", 1)[0] for slide in re.split(r"^## ", body, flags=re.MULTILINE)[1:] if ":::{task}" in slide
        ]
        minutes = sum(map(int, re.findall(r"^:::\{notes\} (\d+)", body, re.MULTILINE)))
        lines.append(f"| {number} | {title} | {' · '.join(tasks)} | {minutes} |")
    return "\n".join(lines)


def lecture(deck: str) -> str:
    """A lecture at a glance, folded: a row for each slide."""
    lines = ["| minute | slide | on the slide | question to the hall |", "|--:|:--|:--|:--|"]
    lines += [" | ".join(["", *(str(cell).replace("|", "\\|") for cell in row), ""]).strip() for row in cells(deck)[1:]]
    title = syllabus.title(deck)
    return "\n".join([f":::{{admonition}} `{deck}` · {title}", ":class: dropdown", "", *lines, ":::"])


GOALS = re.compile(r"^## What you will be able to do\n+((?:[*] .*\n|  .*\n)+)", re.MULTILINE)


def goals(root: Path) -> str:
    """What chapters promise that their readers will be able to do, chapter by chapter."""
    lines = []
    for name, chapter in book_map.chapters(root).items():
        if match := GOALS.search(chapter.text):
            lines += [f"**{reference(root, name)}. {{ref}}`{chapter.title} <{chapter.label}>`**", "", match[1]]
    return "\n".join(lines)


def substitutions(root: Path = ROOT) -> dict[str, str]:
    """What the pages insert; nothing for a book of other chapters."""
    if not {*syllabus.CHAPTERS} <= {*book_map.chapters(root)}:
        return {}
    every, clock = weeks(root), book_map.times(root)
    told = {
        "plan_weeks": week_table(root, every),
        "plan_work": work(root, every),
        "plan_work_six": work(root, every, "six"),
        "plan_work_four": work(root, every, "four"),
        "plan_glance": glance(root, every),
        "plan_fourteen": weeks_of(root, every, "fourteen"),
        "plan_project": "{} to {} hours".format(*span([workload(root, every, "twelve")["project"]])),
        "plan_most": hours(MOST),
        "plan_goals": goals(root),
        "plan_splits": splits(root),
        "plan_labs": lab_table(root, every),
    }
    for name, read in WORKSHOPS.items():
        told[f"plan_workshop_{name}"] = hours(sum(clock[chapter].core for chapter in read))
        told[f"plan_read_{name}"] = ", ".join(reference(root, chapter) for chapter in read)
        told[f"plan_halves_{name}"] = halves(f"workshop-{name}")
    for week in every:
        written = [lecture(deck) for deck in week.decks if (syllabus.DECKS / f"{deck}.md").exists()]
        told[f"lectures_week_{week.number}"] = "\n\n".join(written)
    told["lectures_beside"] = "\n\n".join(map(lecture, syllabus.beside()))
    for name in AFTER:
        told[f"plan_with_{name}"] = hours(with_it(root, name, every))
    return told


def main() -> int:
    for week in weeks():
        print(f"week {week.number:>2}: {' + '.join(week.decks):<30} reading {hours(week.minutes):<8} lab {week.lab}")
    wrong = violations()
    print("\n".join(wrong) or "plans and book agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
