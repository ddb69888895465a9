"""`make test` accepts a good record and names what is wrong with a bad one."""

import json

import pytest
from small_books import tool

from minilib.experiments.records import FIELDS
from tools.check import runs_check

RUN = dict.fromkeys(FIELDS, "x") | {"name": "tiny-study", "command": "make study NAME=tiny-study"}
RUN |= {"commits": ["0123456789ab"], "seconds": 0.0}
RECORD, CURVE = "book/runs/tiny-study/run.json", "book/runs/tiny-study/curve.csv"
STUDY = "studies/loss_and_gradient/tiny_study.py"
CITES = 'Made by `make study NAME=tiny-study`.\n\n```{code-cell} ipython3\nrecords.load("tiny-study")\n```\n'
NAMED = "record 'tiny-study'"


@pytest.fixture
def root(tmp_path):
    """A project with one study, its record, and a chapter that reads it."""
    change(tmp_path, STUDY, 'study = Study("tiny-study", {})\n')
    change(tmp_path, "notebooks/01_a.md", CITES)
    change(tmp_path, CURVE, "step,loss\n1,0.5\n2,0.25\n")
    change(tmp_path, RECORD, RUN)
    return tmp_path


def change(root, name, content):
    """Write a text, or an object as JSON; None removes the file."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.unlink()
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def without(*fields):
    return {key: value for key, value in RUN.items() if key not in fields}


def test_a_record_that_a_study_makes_and_a_chapter_reads_passes_and_another_fails_with_a_line_a_fault(root):
    done = tool(root, "check/runs_check.py")
    assert (done.returncode, done.stdout) == (0, "every recorded run is in order\n")
    change(root, RECORD, without("seconds", "device"))
    done = tool(root, "check/runs_check.py")
    assert (done.returncode, done.stdout.count("\n")) == (1, 2)


@pytest.mark.parametrize("name", ["tiny-study-gpu", "tiny-study-gpu-mps", "tiny-study-cuda"])
def test_a_record_of_another_size_or_device_has_its_own_command_and_needs_no_chapter(root, name):
    right, other = (f"python -m studies.loss_and_gradient.{file} --size gpu" for file in ("tiny_study", "other_study"))
    change(root, f"book/runs/{name}/curve.csv", "step\n1\n")
    for command in (right, RUN["command"], other):
        change(root, f"book/runs/{name}/run.json", RUN | {"name": name, "command": command})
        said = runs_check.violations(root)
        assert len(said) == (command != right)
        assert all(f"must be how it was started, is {command!r}" in line for line in said)


COMMITS = {commit: RUN | {"commits": ["0123456789ab", commit]} for commit in ("unknown", "0123", "main")}
CHANGED = RUN | {"commits": ["0123456789ab", "0123456789ab+"]}
BAD = [
    *((RECORD, without(field), f"{NAMED} lacks the field '{field}'") for field in FIELDS),
    *((RECORD, RUN | {"versions": none}, f"{NAMED}: the field 'versions' is empty") for none in (None, "", [], {})),
    *((RECORD, run, f"{NAMED}: the field 'commits' has '{commit}' (no commit") for commit, run in COMMITS.items()),
    (RECORD, CHANGED, f"{NAMED}: the field 'commits' has '0123456789ab+' (files were changed"),
    *((RECORD, RUN | {key: "other"}, f"{NAMED}: the field '{key}' is 'other', it must") for key in ("name", "command")),
    (RECORD, None, f"{NAMED} has no run.json"),
    (RECORD, "{", f"{NAMED}: run.json is not JSON"),
    (CURVE, None, f"{NAMED} has no curve.csv"),
    (CURVE, "", f"{NAMED}: curve.csv has no rows"),
    (CURVE, "step,loss\n", f"{NAMED}: curve.csv has no rows"),
    (CURVE, "step,loss\n1\n", f"{NAMED}: curve.csv has rows of different lengths"),
    (STUDY, 'study = Study("another", {})\n', f"{NAMED}: no study makes it"),
    (STUDY, None, f"{NAMED}: no study makes it; studies/*/tiny_study.py"),
    ("notebooks/01_a.md", "Made by `make study NAME=tiny-study`.", f"{NAMED}: no chapter reads it"),
    *(
        ("notebooks/02_b.md", cites, "02_b.md cites the run 'no-study', which is not recorded")
        for cites in ('records.load("no-study")', "records.load( 'no-study')", "`make study NAME=no-study`")
    ),
    ("notebooks/02_b.md", "records.load(name)", "02_b.md calls records.load without a quoted name"),
]


@pytest.mark.parametrize(("file", "content", "said"), BAD, ids=[said.removeprefix(NAMED) for _, _, said in BAD])
def test_one_fault_is_one_line_that_names_it(root, file, content, said):
    change(root, file, content)
    (violation,) = runs_check.violations(root)
    assert violation.startswith(said)
