"""`make test` accepts a good record and names what is wrong with a bad one."""

import json

import pytest

from minilib.experiments.records import FIELDS
from tools.check import runs_check

RUN = dict.fromkeys(FIELDS, "x") | {"name": "tiny-study", "command": "make study NAME=tiny-study"}
RUN |= {"commits": ["0123456789ab"], "seconds": 0.0}
RECORD, CURVE = "book/runs/tiny-study/run.json", "book/runs/tiny-study/curve.csv"
STUDY = "studies/loss_and_gradient/tiny_study.py"
CITES = 'Made by `make study NAME=tiny-study`.\n\n```{code-cell} ipython3\nrecords.load("tiny-study")\n```\n'


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


def without(field):
    return {key: value for key, value in RUN.items() if key != field}


def test_a_record_that_a_study_makes_and_a_chapter_reads_passes_and_another_fails(root, monkeypatch, program):
    monkeypatch.setattr(runs_check, "ROOT", root)
    assert program(runs_check) == (0, "every recorded run is in order\n", "")
    change(root, RECORD, without("device"))
    assert program(runs_check) == (1, "record 'tiny-study': lacks the field 'device'\n", "")


@pytest.mark.parametrize("name", ["tiny-study-gpu", "tiny-study-gpu-mps", "tiny-study-cuda"])
def test_a_record_of_another_size_or_device_has_its_own_command_and_needs_no_chapter(root, name):
    right, other = (f"python -m studies.loss_and_gradient.{file} --size gpu" for file in ("tiny_study", "other_study"))
    change(root, f"book/runs/{name}/curve.csv", "step\n1\n")
    for command in (right, RUN["command"], other):
        change(root, f"book/runs/{name}/run.json", RUN | {"name": name, "command": command})
        lines = runs_check.violations(root)
        assert len(lines) == (command != right)
        assert all(f"the field 'command' is {command!r}" in line for line in lines)


BAD = [
    *((RECORD, without(field), f"lacks the field '{field}'") for field in FIELDS),
    *((RECORD, RUN | {"versions": none}, "the field 'versions' is empty") for none in (None, "", [], {})),
    *(
        (RECORD, RUN | {"commits": ["0123456789ab", commit]}, f"the field 'commits' is '{commit}', it must be")
        for commit in ("unknown", "0123", "main", "0123456789ab+")
    ),
    *((RECORD, RUN | {key: "other"}, f"the field '{key}' is 'other', it must be") for key in ("name", "command")),
    (RECORD, None, "has no run.json"),
    (RECORD, "{", "run.json is not JSON"),
    (CURVE, None, "has no curve.csv"),
    (CURVE, "", "curve.csv has no rows"),
    (CURVE, "step,loss\n", "curve.csv has no rows"),
    (CURVE, "step,loss\n1\n", "curve.csv has rows of different lengths"),
    (STUDY, 'study = Study("another", {})\n', "no study makes it; studies/*/tiny_study.py"),
    (STUDY, None, "no study makes it; studies/*/tiny_study.py"),
    ("notebooks/01_a.md", "Made by `make study NAME=tiny-study`.", "no chapter reads it"),
    *(
        ("notebooks/02_b.md", cites, "02_b.md cites the run 'no-study', which is not recorded")
        for cites in ('records.load("no-study")', "records.load( 'no-study')", "`make study NAME=no-study`")
    ),
    ("notebooks/02_b.md", "records.load(name)", "02_b.md calls records.load without a quoted name"),
]


@pytest.mark.parametrize(("file", "content", "line"), BAD)
def test_one_fault_is_one_line_that_names_it(root, file, content, line):
    change(root, file, content)
    (violation,) = runs_check.violations(root)
    assert violation.removeprefix("record 'tiny-study': ").startswith(line)
