"""The tools around the marking: what they write, what a person adds, what they refuse. Could catch: lost marks."""

import csv

import assignment as make_assignment
import mark
import nbformat
import numpy as np
import pytest
from classroom import ROOT, made, source, submission
from marking import cells, lacking, wire
from marking.course import Assignment
from marking.examiner import Gone, Late, Pupil
from marking.execute import ExecuteApart, defined, without_magics

TINY = """\
---
kernelspec: {display_name: Python 3, language: python, name: python3}
assignment: {title: Tiny, withhold: [optim.trust.trust_ratio], seconds: 5}
---

# Tiny

Two and {{ more }}.

```{code-cell}
:tags: [class]
more = draw.randrange(10**6)
_secret = 7 + draw.randrange(10**6)
```

```{code-cell}
:answer: sum
def total(a, b):
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
```

```{code-cell}
:tags: [secret]
def twice(x):
    return 2 * x
```

```{code-cell}
:check: sum-check
:points: 2
assert total(1, 1) == 2, "one and one"
### BEGIN HIDDEN TESTS
assert total(_secret, _secret) == twice(_secret), "more"
### END HIDDEN TESTS
```

+++ {"answer": "why", "points": 3}

Why?

### BEGIN SOLUTION
Because.
### END SOLUTION
"""


@pytest.fixture
def course(tmp_path):
    """A course of one's own, with a problem set called tiny."""
    (tmp_path / "own" / "assignments").mkdir(parents=True)
    (tmp_path / "own" / "assignments" / "tiny.md").write_text(TINY)
    return tmp_path / "own"


@pytest.fixture
def tiny(course, tmp_path):
    assignment = Assignment("tiny", "a-class", course, tmp_path / "out")
    assignment.make()
    return assignment


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_what_a_person_gives_comes_into_the_marks_and_stays_when_work_is_marked_anew(tiny, tmp_path):
    right = submission(tiny, {"why": "Because it is so."}, tmp_path / "ann.ipynb")
    (row,) = tiny.mark({"ann": right})
    assert (row["points"], row["of"], row["to read"]) == (2, 5, 1)
    path = tiny.folder / "to_read.csv"
    (asked,) = table(path)
    assert (asked["student"], asked["task"], asked["of"], asked["points"]) == ("ann", "why", "3.0", "")
    assert asked["answer"] == "Because it is so."
    text = path.read_text()
    path.write_text(text.replace("ann,why,,3.0,,", "ann,why,2.5,3.0,nearly & well,"))
    (row,) = tiny.told()
    assert (row["why"], row["points"], row["to read"]) == (2.5, 4.5, 0)
    told = (tiny.folder / "feedback" / "ann.html").read_text()
    assert "4.5 of 5 points" in told
    assert "nearly &amp; well" in told
    with pytest.raises(ValueError, match="has marks; move it away"):
        tiny.make()
    (again,) = tiny.mark({"ann": right})
    assert again["points"] == 4.5
    assert table(tiny.folder / "marks.csv")[0]["points"] == "4.5"
    path.write_text(text.replace("ann,why,,", "ann,why,9,"))
    with pytest.raises(ValueError, match=r"ann, why: points '9', not 0 to 3"):
        tiny.told()


def test_feedback_shows_what_was_found_and_no_hidden_check_and_asks_nobody(tiny, tmp_path):
    wrong = submission(tiny, {"sum": "def total(a, b):\n    return 2  # <b>\n"}, tmp_path / "ben.ipynb")
    (row,) = tiny.mark({"ben": wrong})
    assert row["points"] == 0
    told = (tiny.folder / "feedback" / "ben.html").read_text()
    assert "AssertionError: more" in told
    assert "&lt;b&gt;" in told
    assert "twice" not in told
    assert "http" not in told
    assert "src=" not in told


def test_what_was_handed_out_is_put_back_whatever_a_submission_made_of_it(tiny, tmp_path):
    """Deleted, changed, doubled, in another order, or made to look as if it had been handed out."""
    wrong = "def total(a, b):\n    return 3\n"
    path = submission(tiny, {"sum": wrong, "sum-check": "assert True"}, tmp_path / "changed.ipynb")
    nb = nbformat.read(path, as_version=4)
    kinds = {"deleted": [], "doubled": [*nb.cells, *nb.cells], "turned": nb.cells[::-1]}
    kinds["deleted"] = [c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") in ("sum", "why")]
    open_door = f"import numpy\nopen({str(tmp_path / 'was here')!r}, 'w')\ntotal = lambda a, b: a + b\ntwice = total"
    for kind, grade_id in (("impostor", "mine"), ("namesake", "sum")):
        false = nbformat.v4.new_code_cell(open_door)
        false.metadata["nbgrader"] = {"grade": True, "grade_id": grade_id, "locked": True, "points": 9} | {
            "schema_version": 3,
            "solution": False,
            "task": False,
        }
        kinds[kind] = [nb.cells[0], false, *nb.cells[1:]]
    for kind, its in kinds.items():
        nb.cells = [nbformat.from_dict(dict(cell)) for cell in its]
        nbformat.write(nb, tmp_path / f"{kind}.ipynb")
    rows = tiny.mark({kind: tmp_path / f"{kind}.ipynb" for kind in ("changed", *kinds)})
    assert [row["student"] for row in rows] == sorted((*kinds, "changed"))
    assert {(row["sum-check"], row["of"]) for row in rows} == {(0, 5)}
    assert not (tmp_path / "was here").exists()


def test_a_notebook_of_something_else_is_named_before_anything_is_marked(tiny, tmp_path):
    right = submission(tiny, {}, tmp_path / "hal.ipynb")
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), tmp_path / "ida.ipynb")
    with pytest.raises(ValueError, match=r"ida\.ipynb has none of the cells of tiny"):
        tiny.mark({"hal": right, "ida": tmp_path / "ida.ipynb"})
    assert not (tiny.folder / "marks.csv").exists()


def test_a_students_own_cells_run_where_they_stand(tiny, tmp_path):
    path = submission(tiny, {"sum": "def total(a, b):\n    return helper(a, b)\n"}, tmp_path / "gil.ipynb")
    nb = nbformat.read(path, as_version=4)
    nb.cells.insert(1, nbformat.v4.new_code_cell("def helper(a, b):\n    return a + b"))
    nbformat.write(nb, path)
    (row,) = tiny.mark({"gil": path})
    assert row["sum-check"] == 2


def test_a_notebook_that_takes_too_long_as_a_whole_keeps_what_it_had(tiny):
    nb = source(tiny)
    nb.cells = [c for c in source(tiny).cells if c.cell_type == "code"]
    nb.cells.insert(1, nbformat.v4.new_code_cell("import time\ntime.sleep(5)"))
    done, _ = ExecuteApart(minilib=str(tiny.lecturer), seconds=20, notebook_seconds=4).preprocess(nb, {})
    errors = [bool(c.outputs) and "the notebook took more than 4 seconds" in c.outputs[-1].evalue for c in done.cells]
    assert errors[:2] == [False, False]
    assert all(errors[2:])


def test_a_private_course_is_made_and_marked_by_the_commands(course, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COURSE", str(course))
    for module in (make_assignment, mark):
        monkeypatch.setattr(module, "INTO", tmp_path / "made")
        monkeypatch.setattr(module, "ROOT", tmp_path)
    assert make_assignment.main(["--group", "a-class"]) == 0
    folder = tmp_path / "made" / "a-class" / "tiny"
    assert "made/a-class/tiny/tiny.ipynb" in capsys.readouterr().out
    handed_in = tmp_path / "in" / "eve"
    handed_in.mkdir(parents=True)
    submission(Assignment("tiny", "a-class", course, tmp_path / "made"), {}, handed_in / "my homework.ipynb")
    assert mark.main(["tiny", str(tmp_path / "in"), "--group", "a-class"]) == 0
    assert "eve" in capsys.readouterr().out
    assert [row["sum-check"] for row in table(folder / "marks.csv")] == ["2.0"]


def test_what_the_commands_refuse_is_one_line_that_names_it(course, tmp_path, monkeypatch, capsys):
    (tmp_path / "in").mkdir()
    for arguments, said in (
        (["lambs"], "there is no problem set 'lambs'"),
        (["lars", "--group", "a class"], "CLASS must be letters, digits, hyphens, got 'a class'"),
    ):
        assert make_assignment.main(arguments) == 2
        assert said in capsys.readouterr().err
    assert mark.main(["lars", str(tmp_path / "in")]) == 2
    assert "has no notebooks" in capsys.readouterr().err
    (tmp_path / "in" / "fay.ipynb").write_text("no notebook")
    monkeypatch.setattr(mark, "INTO", tmp_path / "nowhere")
    assert mark.main(["lars", str(tmp_path / "in")]) == 2
    assert "make assignment NAME=lars" in capsys.readouterr().err
    monkeypatch.setenv("COURSE", str(tmp_path / "nothing"))
    assert make_assignment.main([]) == 2
    assert "has no folder 'assignments'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (":points: 2\n", "", "a check with points"),
        (":answer: sum\n", ":answer: sum-check\n", "was given to a cell before"),
        ("{{ more }}", "{{ less }}", "none of the class's values, which are more"),
        ("more = draw.randrange(10**6)", "more = {1, 2}", "must be numbers and texts"),
    ],
)
def test_a_source_that_cannot_be_says_why(course, old, new, said):
    path = course / "assignments" / "tiny.md"
    path.write_text(TINY.replace(old, new))
    with pytest.raises(ValueError, match=said):
        cells.lecturers(cells.read(course, "tiny"), "tiny", "a-class")


def test_a_class_is_its_name_and_nothing_else(course):
    one, same, other = (cells.drawn(cells.read(course, "tiny"), "tiny", g) for g in ("a", "a", "b"))
    assert one == same != other


def test_minilib_lacks_what_is_withheld_and_has_the_rest(tmp_path):
    lacking.copy(tmp_path, ["optim.lamb.LAMB", "optim.trust.trust_ratio"])
    with Pupil(tmp_path, seconds=20) as pupil:
        pupil.run("from minilib.optim import LAMB, SGD, trust_ratio\nfrom minilib.autodiff import Tensor\nimport numpy")
        pupil.run("x = Tensor(numpy.ones(2)); x.grad = numpy.ones(2); SGD([x], lr=0.5).step(); there = x.data")
        assert np.array_equal(pupil.get("there"), [0.5, 0.5])
        with pytest.raises(NotImplementedError, match="minilib has no trust_ratio"):
            pupil.run("trust_ratio(1, 2)")
        with pytest.raises(NotImplementedError, match="minilib has no LAMB"):
            pupil.run("class Mine(LAMB): pass\nMine([x])")
        pupil.run("import inspect\ntext = inspect.getsource(LAMB.update)")
        assert "ratio *" not in pupil.get("text")
    with pytest.raises(ValueError, match=r"no optim\.lamb\.LAMBS"):
        lacking.copy(tmp_path, ["optim.lamb.LAMBS"])


def test_a_pupil_reads_writes_and_starts_only_what_it_may(tmp_path):
    lacking.copy(tmp_path / "lib", [])
    (tmp_path / "lib" / "solution.py").write_text("a lecturer has it beside the copy of minilib")
    (tmp_path / "marks.csv").write_text("ann,0\n")
    with Pupil(tmp_path / "lib", seconds=20) as pupil:
        pupil.run("open('own.txt', 'w').write('here'); text = open('own.txt').read(); import sqlite3, ctypes")
        assert pupil.get("text") == "here"
        for line in (
            f"open({str(tmp_path / 'marks.csv')!r}).read()",
            f"open({str(tmp_path / 'lib/solution.py')!r}).read()",
            f"open({str(tmp_path / 'marks.csv')!r}, 'w')",
            f"__import__('os').remove({str(tmp_path / 'marks.csv')!r})",
            f"__import__('os').listdir({str(ROOT / 'course')!r})",
            f"__import__('os').symlink({str(tmp_path / 'marks.csv')!r}, 'link')\nopen('link').read()",
            f"sqlite3.connect({str(tmp_path / 'gradebook.db')!r})",
            f"__import__('pathlib').Path({str(ROOT / 'tools' / 'mark.py')!r}).read_text()",
            f"open({str(tmp_path / 'lib/minilib/optim/sgd.py')!r}, 'a')",
            f"__import__('os').open({str(tmp_path / 'lib/minilib/optim/sgd.py')!r}, 2)",
            "__import__('os').open('/', 0)",
            "__import__('os').system('true')",
            "__import__('os').fork()",
            "__import__('subprocess').run(['true'])",
            "__import__('socket').create_connection(('127.0.0.1', 9))",
            "ctypes.CDLL(None)",
        ):
            with pytest.raises(PermissionError, match="not allowed|may not be"):
                pupil.run(line)
    assert (tmp_path / "marks.csv").read_text() == "ann,0\n"
    assert not (tmp_path / "gradebook.db").exists()


def test_what_does_not_end_and_what_ends_too_early_cost_one_cell(tmp_path):
    lacking.copy(tmp_path, [])
    with Pupil(tmp_path, seconds=2) as pupil:
        pupil.run("a = 1\ndef loop():\n    while True:\n        pass\n")
        with pytest.raises(Late, match="within 2 seconds"):
            pupil.get("loop")()
        with pytest.raises(Gone, match="ended before it answered"):
            pupil.run("import os\na = 2\nos._exit(0)")
        assert pupil.get("a") == 1
        with pytest.raises(ValueError, match="of mine") as raised:
            pupil.run("print('said')\nraise ValueError('of mine')")
        assert raised.value.printed == "said\n"


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


def test_the_two_problem_sets_of_one_class_do_not_share_their_draws(tmp_path):
    draws = {name: cells.draw_for(name, "a-class").random() for name in ("lars", "lamb")}
    assert draws["lars"] != draws["lamb"]
    assert made("lars", "a-class", tmp_path).notebook.exists()
