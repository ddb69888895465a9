"""The plans for lecturers: hours that fit the book's own, names that exist, and tables that are made from the decks."""

import re

import pytest
from small_books import ROOT

from course.marking import assignment
from tools.chapter import chapters, notebooks, reading
from tools.pages import book_map, plans, syllabus

WEEKS = plans.weeks(ROOT)
TEACHING = (ROOT / "book" / "teaching.md").read_text(encoding="utf-8")
PAGES = {name: (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8") for name in ("teaching", "lectures", "labs")}


def test_plans_and_book_agree():
    assert plans.violations(ROOT) == []


def test_a_week_that_asks_for_too_much_or_for_what_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(plans, "MOST", 60)
    monkeypatch.setattr(plans, "SHEETS", ("nowhere", *plans.SHEETS[1:]))
    monkeypatch.setattr(plans, "HANDED_IN", plans.HANDED_IN | {"lamb": 5, "came": 9})
    said = " / ".join(plans.violations(ROOT))
    assert "week 1 asks for 2 h" in said
    assert "there is no course/labs/nowhere.md" in said
    assert "lamb is handed in in week 5, before its lectures end in week 6" in said
    assert "week 9 has 2 sets to hand in" in said


def test_the_weeks_read_every_core_path_once_and_every_appendix_that_is_taught():
    asked = " ".join(part.named for week in WEEKS for part in week.required)
    for name in syllabus.CHAPTERS:
        chapter = book_map.chapters(ROOT)[name]
        parts = 2 if any(deck in plans.BEGINS for deck in syllabus.CHAPTERS[name].decks) else 1
        assert asked.count(f"<{chapter.label}>") == parts, name
    for name in syllabus.APPENDICES:
        assert plans.reference(ROOT, name) in asked


def test_the_hours_of_two_weeks_that_share_a_chapter_are_those_of_its_core_path():
    for name in ("sgd", "came"):
        label = book_map.chapters(ROOT)[name].label
        halves = [part.minutes for week in WEEKS for part in week.required if f"<{label}>" in part.named]
        assert len(halves) == 2
        assert min(halves) > 10
        assert abs(sum(halves) - book_map.times(ROOT)[name].core) <= 5  # each is rounded to five minutes


def test_all_that_can_wait_is_offered_once():
    offered = sum(part.minutes for week in WEEKS for part in week.more)
    extra = [reading.sections(notebooks.source(notebooks.find(name))) for name in (*plans.ALSO, *plans.AFTER)]
    clock = book_map.times(ROOT)
    starred = sum(clock[name].whole - clock[name].core for name in syllabus.CHAPTERS)
    assert offered == starred + sum(reading.minutes(*reading.whole(s)) for s in extra)


def test_what_no_week_needs_is_offered_in_a_week_that_has_the_time(monkeypatch):
    assert set(plans.AFTER) == set(syllabus.BESIDE)
    for name, number in plans.AFTER.items():
        week, label = WEEKS[number - 1], book_map.chapters(ROOT)[name].label
        assert [label in part.named for part in week.more].count(True) == 1
        minutes = week.minutes + book_map.times(ROOT)[name].core
        assert plans.substitutions(ROOT)[f"plan_with_{name}"] == book_map.hours(minutes)
        monkeypatch.setattr(plans, "MOST", minutes - 1)
        assert f"week {number} has no time to read {name} as well" in plans.violations(ROOT)


SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def home(label):
    """The chapter or appendix in which a label stands, and the title of its section."""
    for md in notebooks.chapters(ROOT):
        text = md.read_text(encoding="utf-8")
        match = re.search(rf"^(?:\({label}\)=|[:\w]* *(?:label|name): *{label}|\$\$ *\({label}\))$", text, re.MULTILINE)
        if match:
            titles = SECTION.findall(text[: match.end()])
            return chapters.name_of(md.stem), titles[-1] if titles else ""
    raise LookupError(label)


@pytest.mark.parametrize("deck", plans.BEGINS)
def test_where_the_second_lecture_of_a_chapter_begins_its_reading_begins(deck):
    """No part of the chapter that a deck shows stands outside of what its week reads."""
    name = next(name for name, taught in syllabus.CHAPTERS.items() if deck in taught.decks)
    titles = SECTION.findall(notebooks.find(name).read_text(encoding="utf-8"))
    begins = titles.index(plans.BEGINS[deck])
    for one in syllabus.CHAPTERS[name].decks:
        text = (syllabus.DECKS / f"{one}.md").read_text(encoding="utf-8")
        shown = [home(label) for label in re.findall(r"^:::\{show\} (\w+-[\w-]+)$", text, re.MULTILINE)]
        places = [titles.index(title) for of, title in shown if of == name and title and "★" not in title]
        places = [place for place in places if titles[place] != "Exercises"]
        assert places
        assert all(place >= begins for place in places) if one == deck else all(place < begins for place in places)


def test_sets_are_handed_in_when_their_own_page_says_so():
    page = (ROOT / "course" / "assignments" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \|.*\| `(\w+)\.md` \|", page, re.MULTILINE)
    assert {name: int(week) for week, name in rows} == plans.HANDED_IN
    assert set(plans.HANDED_IN) == set(assignment.names(ROOT / "course"))


def test_the_hours_that_a_page_states_follow():
    assert f"at most {'{{ plan_most }}'} of required reading" in TEACHING
    lab = max(plans.lab_minutes(ROOT, name) for name in plans.SHEETS)
    assert (2 * plans.LECTURE + lab + plans.MOST + plans.SET[1]) / 60 <= 13
    assert "at most thirteen hours" in TEACHING
    told = plans.substitutions(ROOT)
    assert plans.unbroken(book_map.hours(sum(week.minutes for week in WEEKS))) in told["plan_weeks"]
    assert [week.number for week in WEEKS[10:] if week.given or week.due] == []  # "Weeks 11 and 12 have no problem set"


def test_every_course_is_made_of_the_twelve_weeks_and_the_page_has_its_place():
    every = plans.COURSES["twelve"]
    for course, weeks in plans.COURSES.items():
        assert (
            tuple(week for week in weeks if week not in plans.FREE)
            == every[: len(weeks) - sum(w in plans.FREE for w in weeks)]
        )
        assert f"(teaching-{course})=" in TEACHING
    assert [len(weeks) for weeks in plans.COURSES.values()] == [14, 12, 6, 4]
    rows = plans.weeks_of(ROOT, WEEKS, "fourteen").splitlines()[2:]
    assert [row.split(" | ")[-1].strip(" |") for row in rows if not row.endswith("|  |")] == [
        "given out", "one page: the question", "the smallest version", "notebook and talk"
    ]  # fmt: skip
    assert "the talks are in the week before" in TEACHING
    assert rows[-2].endswith("notebook and talk |")
    assert sum("in: " in row for row in rows) == len(plans.HANDED_IN)


def test_a_project_has_the_dates_of_its_page_and_its_hours_are_counted_with_the_credits():
    page = (ROOT / "course" / "projects" / "README.md").read_text(encoding="utf-8")
    assert [int(week) for week in re.findall(r"^\* \*\*End of week (\d):", page, re.MULTILINE)] == [
        *plans.PROJECT_DATES
    ]
    ends = [plans.PROJECT_BEGINS + week - 1 for week in plans.PROJECT_DATES]
    assert f"the ends of weeks {ends[0]}, {ends[1]} and {ends[2]}" in TEACHING
    parts = plans.workload(ROOT, WEEKS, "twelve")
    assert parts["project"] == (6 * 180, 6 * 300)
    assert plans.workload(ROOT, WEEKS, "six")["project"] == (0, 0)
    row = next(line for line in plans.glance(ROOT, WEEKS).splitlines() if "teaching-twelve" in line)
    least, most = plans.span(list(parts.values()))
    assert f"| {least} to {most} | {round(least / 30)} to {round(most / 25)} |" in row


def test_four_weeks_and_the_exam_that_goes_with_them():
    questions = (ROOT / "course" / "exams" / "part_2.md").read_text(encoding="utf-8")
    labels = dict(re.findall(r"^## ([\w-]+)\nchapter: ([\w-]+)", questions, re.MULTILINE))
    read = {name for week in WEEKS[:4] for part in week.required for name in re.findall(r"<([\w-]+)>", part.named)}
    assert {name for name, label in labels.items() if label in read} == {
        name for name in labels if name.startswith(("batches", "carry"))
    }


def test_pages_insert_what_there_is_and_name_what_exists():
    told = plans.substitutions(ROOT)
    inserted = set(re.findall(r"\{\{ ((?:plan|lectures)_\w+) \}\}", " ".join(PAGES.values()))) | {"plan_goals"}
    assert inserted == {*told} - {"plan_read_inside"}
    assert f"lectures_week_{len(WEEKS)}" in PAGES["lectures"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)", " ".join(PAGES.values())):
        assert re.search(rf"^(?:[a-z -]+ )?{target}(?: [a-z -]+)?:.*##", makefile, re.MULTILINE), target
    for path in re.findall(r"`(course/[\w./-]+)`", " ".join(PAGES.values())):
        assert (ROOT / path).exists(), path


def test_six_weeks_and_the_exam_that_goes_with_them():
    questions = (ROOT / "course" / "exams" / "part_2.md").read_text(encoding="utf-8")
    labels = dict(re.findall(r"^## ([\w-]+)\nchapter: ([\w-]+)", questions, re.MULTILINE))
    read = {name for week in WEEKS[:6] for part in week.required for name in re.findall(r"<([\w-]+)>", part.named)}
    assert {name for name, label in labels.items() if label not in read} == {
        name for name in labels if name.startswith("reality")
    }


@pytest.mark.parametrize("deck", [d for d in (*syllabus.lectures(), *syllabus.beside()) if d in syllabus.decks()])
def test_a_lecture_at_a_glance_has_every_slide_and_ends_with_the_hour(deck):
    text = (syllabus.DECKS / f"{deck}.md").read_text(encoding="utf-8")
    rows = plans.cells(deck)
    assert [title for _, title, *_ in rows[1:]] == re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sum(bool(asks) for *_, asks in rows) == text.count(":::{question}")
    last = re.findall(r"^:::\{notes\} (\d+)", text, re.MULTILINE)[-1]
    assert rows[-1][0] + int(last) == plans.LECTURE
    assert "glue:" not in plans.lecture(deck)  # a number of a chapter has no value on another page


def test_every_chapter_says_what_its_readers_can_do():
    said = plans.goals(ROOT)
    for chapter in book_map.chapters(ROOT).values():
        after = said.split(f"<{chapter.label}>`**")[1].split("\n**")[0]
        assert after.count("\n* ") >= 3, chapter.name
