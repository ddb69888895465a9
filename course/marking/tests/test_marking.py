"""The tools around the marking: what they write, what a person adds, what they refuse. Could catch: lost marks."""

import json
import os
import re

import nbformat
import numpy as np
import pytest
from classroom import TINY, source, submission, table

from course.marking import assignment as make_assignment
from course.marking import mark, minilib_copy, sheets, wall, wire
from course.marking.examiner import Pupil
from course.marking.execute import ExecuteApart, defined, without_magics
from course.marking.problem_set import Assignment


def test_what_a_person_gives_comes_into_the_marks_and_stays_when_work_is_marked_anew(tiny, tmp_path):
    right = submission(tiny, {"why": "Because it is so."}, tmp_path / "ann.ipynb")
    (row,) = tiny.mark({"ann": right})
    assert (row["points"], row["of"], row["to read"]) == (2, 5, 1)
    path = tiny.folder / "to_read.csv"
    answer = {"student": "ann", "task": "why", "points": "", "of": "3.0", "comment": "", "answer": "Because it is so."}
    assert table(path) == [answer]
    text = path.read_text()
    path.write_text(text.replace("ann,why,,3.0,,", "ann,why,2.5,3.0,nearly & well,"))
    (row,) = tiny.write_marks()
    assert (row["why"], row["points"], row["to read"]) == (2.5, 4.5, 0)
    page = (tiny.folder / "feedback" / "ann.html").read_text()
    assert "4.5 of 5 points" in page
    assert "nearly &amp; well" in page
    with pytest.raises(ValueError, match="has marks; move it away"):
        tiny.make()
    assert tiny.mark({"ann": right})[0]["points"] == 4.5
    assert table(tiny.folder / "marks.csv")[0]["points"] == "4.5"
    path.write_text(text.replace("ann,why,,", "ann,why,9,"))
    with pytest.raises(ValueError, match=r"ann, why: points '9', not 0 to 3"):
        tiny.write_marks()


def test_feedback_shows_what_was_found_and_no_hidden_check_and_asks_nobody(tiny, tmp_path):
    wrong = submission(tiny, {"sum": "def total(a, b):\n    return 2  # <b>\n"}, tmp_path / "ben.ipynb")
    assert tiny.mark({"ben": wrong})[0]["points"] == 0
    page = (tiny.folder / "feedback" / "ben.html").read_text()
    assert "AssertionError: more" in page
    assert "&lt;b&gt;" in page
    assert not [word for word in ("twice", "http", "src=") if word in page]


def code(source, **metadata):
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": metadata} if metadata else {})


def test_what_was_handed_out_is_put_back_whatever_a_submission_made_of_it_and_own_cells_run(tiny, tmp_path):
    """Deleted, changed, doubled, in another order, or made to look as if it had been handed out."""
    path = submission(
        tiny, {"sum": "def total(a, b):\n    return 3\n", "sum-check": "assert True"}, tmp_path / "a.ipynb"
    )
    nb = nbformat.read(path, as_version=4)
    named = {c.metadata.nbgrader.grade_id: c for c in nb.cells if "nbgrader" in c.metadata}
    door = f"import numpy\nopen({str(tmp_path / 'was here')!r}, 'w')\ntotal = lambda a, b: a + b\ntwice = total"
    like = {"grade": True, "locked": True, "points": 9, "schema_version": 3, "solution": False, "task": False}
    helped = nbformat.from_dict({**named["sum"], "source": "def total(a, b):\n    return helper(a, b)\n"})
    kinds = {
        "changed": nb.cells,
        "deleted": [named["sum"], named["why"]],
        "doubled": [*nb.cells, *nb.cells],
        "turned": nb.cells[::-1],
        "impostor": [nb.cells[0], code(door, grade_id="mine", **like), *nb.cells[1:]],
        "namesake": [nb.cells[0], code(door, grade_id="sum", **like), *nb.cells[1:]],
        "own": [code("def helper(a, b):\n    return a + b"), helped],
    }
    for kind, cells in kinds.items():
        nbformat.write(
            nbformat.v4.new_notebook(cells=[nbformat.from_dict(dict(c)) for c in cells]), tmp_path / f"{kind}.ipynb"
        )
    rows = tiny.mark({kind: tmp_path / f"{kind}.ipynb" for kind in kinds})
    assert {row["student"]: row["sum-check"] for row in rows} == dict.fromkeys(sorted(kinds), 0) | {"own": 2}
    assert {row["of"] for row in rows} == {5}
    assert not (tmp_path / "was here").exists()


def test_what_cannot_be_marked_is_a_row_that_says_why_and_a_cell_is_known_by_what_it_defines(
    tiny, folder, monkeypatch, capsys
):
    """The class goes on, and a spreadsheet runs nothing of what a student wrote."""
    nb = nbformat.read(submission(tiny, {"why": "=1+1"}, folder / "=HYPERLINK(1).ipynb"), as_version=4)
    (place,) = (k for k, c in enumerate(nb.cells) if c.metadata.get("nbgrader", {}).get("grade_id") == "sum")
    loud = nbformat.v4.new_output("stream", name="stdout", text="x" * 50 * 2**20)
    kinds = {
        "renamed": (lambda own: own.cells[place].metadata.nbgrader.update(grade_id="mine"), 2, "1 cells found by"),
        "lost": (lambda own: [c.metadata.clear() for c in own.cells], 2, "1 .* not found: why; 1 .* define: sum"),
        "without": (lambda own: own.cells.pop(place), 0, "1 cells not found: sum"),
        "other": (lambda own: own.update(cells=[code("1 + 1")]), None, "none of the cells that"),
        "loud": (lambda own: own.cells[place].update(outputs=[loud]), 2, ""),
        "failing": (lambda own: own.cells[place].update(source="# no disk"), None, "nbgrader failed on tiny: .*"),
        "broken": (None, None, "broken.ipynb is no notebook"),
        "linked": (None, None, "linked.ipynb is a link, or no file"),
        "pipe": (None, None, "pipe.ipynb is a link, or no file"),
    }
    (folder / "linked.ipynb").symlink_to(tiny.lecturer / "source" / "tiny" / "tiny.ipynb")
    os.mkfifo(folder / "pipe.ipynb")
    for student, (change, *_) in kinds.items():
        if change:
            change(own := nbformat.from_dict(json.loads(nbformat.writes(nb))))
            nbformat.write(own, folder / f"{student}.ipynb")
    (folder / "broken.ipynb").write_text('{"cells": [')
    for student, count in (("none", 0), ("two", 2)):
        (folder / student).mkdir()
        for k in range(count):
            (folder / student / f"{k}.ipynb").write_text("")
        kinds[student] = None, None, f"the folder has {count} notebooks"
    real = ExecuteApart.preprocess

    def preprocess(self, nb, resources):
        return 1 / 0 if any(cell.source == "# no disk" for cell in nb.cells) else real(self, nb, resources)

    monkeypatch.setattr(ExecuteApart, "preprocess", preprocess)
    assert mark.main(["tiny", str(folder), "--group", "a-class"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == wall.says()
    rows = {row["student"]: row for row in table(tiny.folder / "marks.csv")}
    assert rows.keys() == {*kinds, "'=HYPERLINK(1)"}
    assert rows["'=HYPERLINK(1)"]["sum-check"] == "2.0"
    for student, (_, points, note) in kinds.items():
        assert rows[student]["sum-check"] == ("" if points is None else f"{points:.1f}"), student
        assert re.search(note or "^$", rows[student]["note"]), (student, rows[student]["note"])
    assert {row["answer"] for row in table(tiny.folder / "to_read.csv")} >= {"'=1+1"}
    assert [row["note"] for row in tiny.write_marks() if row["student"] == "two"] == [rows["two"]["note"]]


def test_a_notebook_that_takes_too_long_as_a_whole_keeps_what_it_had(tiny):
    nb = source(tiny)
    nb.cells = [c for c in nb.cells if c.cell_type == "code"]
    nb.cells.insert(1, code("import time\ntime.sleep(5)"))
    done, _ = ExecuteApart(minilib=str(tiny.lecturer), seconds=20, notebook_seconds=4).preprocess(nb, {})
    errors = [bool(c.outputs) and "the notebook took more than 4 seconds" in c.outputs[-1].evalue for c in done.cells]
    assert errors[:2] == [False, False]
    assert all(errors[2:])


def test_a_private_course_is_copied_made_and_marked_by_the_commands(folder, tmp_path, monkeypatch, capsys):
    private = tmp_path / "private"
    (make_assignment.course() / "marking").mkdir()
    assert make_assignment.main(["--private", str(private)]) == 0
    assert not (private / "marking").exists()
    assert "COURSE=" in capsys.readouterr().out
    assert {path.stem for path in (private / "assignments").glob("*.md")} == {"tiny"}
    assert make_assignment.main(["--private", str(private)]) == 2
    assert "is there already" in capsys.readouterr().err
    monkeypatch.setenv("COURSE", str(private))
    assert make_assignment.main(["--group", "a-class"]) == 0
    own = tmp_path / "out" / "a-class" / "tiny"
    assert "out/a-class/tiny/tiny.ipynb" in capsys.readouterr().out
    assert "a-class" not in (own / "tiny.ipynb").read_text()
    (folder / "eve").mkdir()
    submission(Assignment("tiny", "a-class", private, tmp_path / "out"), {}, folder / "eve" / "my homework.ipynb")
    assert mark.main(["tiny", str(folder), "--group", "a-class"]) == 0
    assert "eve" in capsys.readouterr().out
    assert [row["sum-check"] for row in table(own / "marks.csv")] == ["2.0"]


def test_what_the_commands_refuse_is_one_line_that_names_it(course, tmp_path, monkeypatch, capsys):
    (tmp_path / "in").mkdir()
    for arguments, refusal in (
        (["lambs"], "there is no problem set 'lambs'"),
        (["lars", "--group", "a class"], "CLASS must be letters, digits, hyphens, got 'a class'"),
    ):
        assert make_assignment.main(arguments) == 2
        assert refusal in capsys.readouterr().err
    assert mark.main(["lars", str(tmp_path / "in")]) == 2
    assert "has no notebooks" in capsys.readouterr().err
    (tmp_path / "in" / "fay").mkdir()
    monkeypatch.setattr(mark, "INTO", tmp_path / "nowhere")
    assert mark.main(["lars", str(tmp_path / "in")]) == 2
    assert "make assignment NAME=lars" in capsys.readouterr().err
    monkeypatch.setenv("COURSE", str(tmp_path / "nothing"))
    assert make_assignment.main([]) == 2
    assert "has no folder 'assignments'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        (":points: 2\n", "", "a check with points"),
        (":answer: sum\n", ":answer: sum-check\n", "was given to a cell before"),
        ("{{ more }}", "{{ less }}", "none of the class's values, which are more"),
        ("more = draw.randrange(10**6)", "more = {1, 2}", "must be numbers and texts"),
    ],
)
def test_a_source_that_cannot_be_says_why(course, old, new, refusal):
    path = course / "assignments" / "tiny.md"
    path.write_text(TINY.replace(old, new))
    with pytest.raises(ValueError, match=refusal):
        sheets.lecturers(sheets.read(course, "tiny"), "tiny", "a-class")


def test_numbers_are_drawn_from_the_names_of_the_set_and_of_the_class(course):
    one, same, other = (sheets.drawn(sheets.read(course, "tiny"), "tiny", g) for g in ("a", "a", "b"))
    assert one == same != other
    assert sheets.draw_for("lars", "a").random() != sheets.draw_for("lamb", "a").random()


def test_minilib_lacks_what_is_withheld_and_has_the_rest(tmp_path):
    minilib_copy.copy(tmp_path, ["optim.lamb.LAMB", "optim.trust.trust_ratio"])
    with Pupil(tmp_path, seconds=20) as pupil:
        pupil.run("from minilib.optim import LAMB, SGD, trust_ratio\nfrom minilib.autodiff import Tensor\nimport numpy")
        pupil.run("x = Tensor(numpy.ones(2)); x.grad = numpy.ones(2); SGD([x], lr=0.5).step(); there = x.data")
        assert np.array_equal(pupil.get("there"), [0.5, 0.5])
        for name, call in (("trust_ratio", "trust_ratio(1, 2)"), ("LAMB", "class Mine(LAMB): pass\nMine([x])")):
            with pytest.raises(NotImplementedError, match=f"minilib has no {name}"):
                pupil.run(call)
        pupil.run("import inspect\ntext = inspect.getsource(LAMB.update)")
        assert "ratio *" not in pupil.get("text")
        with pytest.raises(ValueError, match="of mine") as raised:
            pupil.run("print('before')\nraise ValueError('of mine')")
        assert raised.value.printed == "before\n"
    with pytest.raises(ValueError, match=r"no optim\.lamb\.LAMBS"):
        minilib_copy.copy(tmp_path, ["optim.lamb.LAMBS"])


def test_only_data_passes_between_the_two_and_functions_by_name():
    kept = {}

    def keep(function):
        kept[7] = function
        return 7

    def there(value, call=None):
        return wire.decode(wire.encode(value, keep), call, kept)

    values = [1, 2.5, None, True, "é", (1, [2]), {1: "a", "b": (2.0,)}, float("inf"), 2 - 1j]
    assert there(values) == values
    assert there(range(3)) == [0, 1, 2]
    array = np.arange(6.0).reshape(2, 3).T
    assert np.array_equal(there(array), array)
    assert there(np.float32(0.5)) == 0.5
    assert there(len, call=lambda key, args, kwargs: kept[key](*args))([1, 2]) == 2
    for wrong in (np.array([None]), object(), {1, 2}):
        with pytest.raises(TypeError, match="not data|not an array"):
            wire.encode(wrong, keep)


def test_the_names_of_a_cell_are_those_that_its_own_statements_bind():
    source = "import numpy as np\nfrom math import comb\na = [k for k in range(3)]\ndef f(x):\n    y = x\n"
    source += "class C:\n    z = 1\nfor i in a:\n    b, c = 1, 2\n"
    assert set(defined(source)) >= {"np", "comb", "a", "f", "C", "i", "b", "c"}
    assert not {"x", "y", "z"} & set(defined(source))
    assert defined("def (") == []
    assert defined(without_magics("%%time\n!ls\nd = (1\n  % 2)")) == ["d"]
    assert without_magics("a = (1\n% 2)") == "a = (1\n% 2)"
