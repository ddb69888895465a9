"""`make runs-check` accepts a good record and names what is wrong with a bad one."""

import json
import re

import pytest
import runs_check
from small_books import tool

from minilib.experiments.records import FIELDS

RUN = dict.fromkeys(FIELDS, "x") | {"name": "tiny-study", "command": "make study NAME=tiny-study"}
RUN |= {"commits": ["0123456789ab"], "seconds": 0.0}
CITES = 'Made by `make study NAME=tiny-study`.\n\n```{code-cell} ipython3\nrecords.load("tiny-study")\n```\n'


@pytest.fixture
def root(tmp_path):
    """A project with one study, its record, and a chapter that reads it."""
    files = {
        "studies/loss_and_gradient/tiny_study.py": 'study = Study("tiny-study", {})\n',
        "notebooks/01_a.md": CITES,
        "book/runs/tiny-study/curve.csv": "step,loss\n1,0.5\n2,0.25\n",
        "book/runs/tiny-study/run.json": json.dumps(RUN),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def write_run(root, run):
    (root / "book/runs/tiny-study/run.json").write_text(json.dumps(run))


def the_one_violation(root):
    (violation,) = runs_check.violations(root)
    return violation


def test_a_record_that_a_study_makes_and_a_chapter_reads_passes(root):
    assert runs_check.violations(root) == []
    done = tool(root, "runs_check.py")
    assert (done.returncode, done.stdout) == (0, "every recorded run is in order\n")


@pytest.mark.parametrize("name", ["tiny-study-gpu", "tiny-study-gpu-mps", "tiny-study-cuda"])
def test_a_record_of_another_size_or_device_has_its_own_command_and_needs_no_chapter(root, name):
    right = "python -m studies.loss_and_gradient.tiny_study --size gpu"
    files = {"curve.csv": "step\n1\n", "run.json": json.dumps(RUN | {"name": name, "command": right})}
    (root / "book/runs" / name).mkdir()
    for file, text in files.items():
        (root / "book/runs" / name / file).write_text(text)
    assert runs_check.violations(root) == []
    for wrong in (RUN["command"], "python -m studies.loss_and_gradient.other_study --size gpu"):
        (root / "book/runs" / name / "run.json").write_text(json.dumps(RUN | {"name": name, "command": wrong}))
        assert f"must be how it was started, is {wrong!r}" in the_one_violation(root)


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_missing_is_named_with_its_record(root, field):
    write_run(root, {key: value for key, value in RUN.items() if key != field})
    assert the_one_violation(root) == f"record 'tiny-study' lacks the field '{field}'"


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_a_field_that_is_empty_is_named_with_its_record(root, value):
    write_run(root, RUN | {"versions": value})
    assert the_one_violation(root) == "record 'tiny-study': the field 'versions' is empty"


@pytest.mark.parametrize("commit", ["0123456789ab+", "unknown", "0123", "main"])
def test_a_commit_from_which_the_record_cannot_be_made_again_is_caught(root, commit):
    write_run(root, RUN | {"commits": ["0123456789ab", commit]})
    assert the_one_violation(root).startswith(f"record 'tiny-study': the field 'commits' has '{commit}'")
    assert ("files were changed" in the_one_violation(root)) == commit.endswith("+")


@pytest.mark.parametrize("field", ["name", "command"])
def test_a_record_under_another_name_is_caught(root, field):
    write_run(root, RUN | {field: "other"})
    assert re.match(f"record 'tiny-study': the field '{field}' is 'other', it must be", the_one_violation(root))


def test_a_record_that_no_study_makes_is_caught(root):
    study = root / "studies/loss_and_gradient/tiny_study.py"
    study.write_text('study = Study("another", {})\n')
    assert "record 'tiny-study': no study makes it" in the_one_violation(root)
    study.unlink()
    assert "studies/*/tiny_study.py" in the_one_violation(root)


def test_a_record_that_no_chapter_reads_is_caught_even_when_its_study_is_named(root):
    (root / "notebooks/01_a.md").write_text("Made by `make study NAME=tiny-study`.")
    assert the_one_violation(root) == "record 'tiny-study': no chapter reads it"


@pytest.mark.parametrize(
    "cites", ['records.load("no-study")', "records.load( 'no-study')", "`make study NAME=no-study`"]
)
def test_a_chapter_that_cites_a_run_that_is_not_there_is_caught(root, cites):
    (root / "notebooks/02_b.md").write_text(cites)
    assert the_one_violation(root) == "02_b.md cites the run 'no-study', which is not recorded"


def test_a_chapter_that_hides_which_run_it_reads_is_caught(root):
    (root / "notebooks/02_b.md").write_text("records.load(name)")
    assert the_one_violation(root).startswith("02_b.md calls records.load without a quoted name")


@pytest.mark.parametrize(
    ("file", "text", "violation"),
    [
        ("run.json", None, "record 'tiny-study' has no run.json"),
        ("run.json", "{", "record 'tiny-study': run.json is not JSON"),
        ("curve.csv", None, "record 'tiny-study' has no curve.csv"),
        ("curve.csv", "", "record 'tiny-study': curve.csv has no rows"),
        ("curve.csv", "step,loss\n", "record 'tiny-study': curve.csv has no rows"),
        ("curve.csv", "step,loss\n1\n", "record 'tiny-study': curve.csv has rows of different lengths"),
    ],
)
def test_a_record_with_half_its_files_is_caught(root, file, text, violation):
    path = root / "book/runs/tiny-study" / file
    path.unlink()
    if text is not None:
        path.write_text(text)
    assert the_one_violation(root).startswith(violation)


def test_every_violation_is_printed_on_its_own_line_and_fails_the_command(root):
    write_run(root, {key: value for key, value in RUN.items() if key not in ("seconds", "device")})
    done = tool(root, "runs_check.py")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 2
