"""The marking needs Linux or macOS. What tests of several files begin with: a course of one small problem set."""

import os

import pytest

collect_ignore_glob = ["test_*.py"] if os.name == "nt" else []


@pytest.fixture
def course(tmp_path):
    """A course of one's own, with a problem set called tiny."""
    (tmp_path / "own" / "assignments").mkdir(parents=True)
    from classroom import TINY

    (tmp_path / "own" / "assignments" / "tiny.md").write_text(TINY)
    return tmp_path / "own"


@pytest.fixture
def tiny(course, tmp_path):
    from course.marking.problem_set import Assignment

    assignment = Assignment("tiny", "a-class", course, tmp_path / "out")
    assignment.make()
    return assignment


@pytest.fixture
def folder(course, tmp_path, monkeypatch):
    """A folder for submissions; the commands work in the test's own folder, on its own course."""
    from course.marking import assignment as make_assignment
    from course.marking import mark

    monkeypatch.setenv("COURSE", str(course))
    for module in (make_assignment, mark):
        monkeypatch.setattr(module, "INTO", tmp_path / "out")
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "in").mkdir()
    return tmp_path / "in"
