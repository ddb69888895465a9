"""The page "What you can take" has a row for each thing that there is, and its numbers are those of the things."""

import re

from small_books import ROOT

from course.marking import assignment
from tools.give import exam
from tools.pages import kit, plans, quiz, syllabus

SHEETS = (*plans.SHEETS, *plans.AFTER)
TABLES = kit.substitutions(ROOT)
PAGE = (ROOT / "book" / "what_you_can_take.md").read_text(encoding="utf-8")


def column(table, name):
    head, _, *rows = TABLES[table].splitlines()
    place = head.split("|").index(f" {name} ")
    return [row.split("|")[place].strip() for row in rows]


def test_there_is_a_row_for_each_thing_and_the_page_shows_every_table():
    assert set(re.findall(r"\{\{ (\w+) \}\}", PAGE)) == set(TABLES)
    names = {kind: [name.strip("`") for name in column(f"take_{kind}", "name")] for kind in ("sets", "decks", "exams")}
    assert set(names["sets"]) == set(assignment.names(ROOT / "course"))
    assert names["decks"] == syllabus.decks()
    assert set(names["exams"]) == {path.stem for path in exam.folder().glob("pa??*_?.md")}
    assert len(column("take_labs", "sheet")) == len(SHEETS)
    assert len(column("take_quizzes", "quiz on")) == len([*(ROOT / quiz.FOLDER).glob("*.md")])
    assert len(column("take_projects", "project")) == len([*(ROOT / "course" / "projects").glob("[a-z]*.md")])


def test_minutes_and_needs_are_those_of_the_things():
    known = exam.questions()
    for paper in ("a", "b", "c"):
        row = column("take_exams", "name").index(f"`paper_{paper}`")
        chosen = [known[name] for name in exam.order(paper)]
        for kind in ("points", "minutes"):
            assert int(column("take_exams", kind)[row]) == sum(getattr(question, kind) for question in chosen)
    assert sum(map(int, column("take_exams", "questions")[3:])) == len(known)
    assert {int(minutes) for minutes in column("take_decks", "minutes")} == {plans.LECTURE, 720}
    assert all(plans.SET[0] <= int(minutes) <= plans.SET[1] for minutes in column("take_sets", "minutes"))
    needs = dict(zip(SHEETS, column("take_labs", "needs"), strict=True))
    assert [name for name in SHEETS if "PyTorch" in needs[name]] == ["bytes_and_clocks"]
    assert {*column("take_projects", "weeks")} == {"6"}
