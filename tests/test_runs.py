"""Recorded runs: a study does each job once, goes on where it stopped, and writes a record that can be read."""

import json

import pytest

from minilib import runs
from minilib.runs import Study, load


def jobs(log, count=3):
    def job(k):
        log.append(k)
        return k**2

    return [(str(k), lambda k=k: job(k)) for k in range(count)]


def test_a_study_runs_every_job_and_hands_back_its_results(tmp_path):
    log = []
    assert Study("small", {}, tmp_path).run(jobs(log)) == {"0": 0, "1": 1, "2": 4}
    assert log == [0, 1, 2]


def test_a_study_that_was_interrupted_goes_on_where_it_stopped(tmp_path):
    log = []

    def power_cut():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Study("small", {"a": 1}, tmp_path).run([*jobs(log, 2), ("2", power_cut)])
    again = Study("small", {"a": 1}, tmp_path)
    assert again.run(jobs(log)) == {"0": 0, "1": 1, "2": 4}
    assert log == [0, 1, 2]


def test_a_study_with_another_config_starts_anew(tmp_path):
    log = []
    Study("small", {"steps": 1}, tmp_path).run(jobs(log, 1))
    Study("small", {"steps": 2}, tmp_path).run(jobs(log, 1))
    assert log == [0, 0]


def test_a_config_survives_its_way_through_a_file(tmp_path):
    log = []
    for _ in range(2):
        Study("small", {"batches": (1, 2), "best": {1: "a"}}, tmp_path).run(jobs(log, 1))
    assert log == [0]  # a tuple becomes a list and an integer key a string, before they are compared


def recorded(tmp_path, curve=None):
    study = Study("small-study", {"seeds": [0, 1]}, tmp_path)
    study.run(jobs([]))
    study.record(curve or [{"optimizer": "SGD", "step": 1, "loss": 2.5}], {"best": 0.5})
    return study


def test_a_record_reads_back_what_was_written(tmp_path):
    recorded(tmp_path)
    run, curve = load("small-study", tmp_path)
    assert curve == [{"optimizer": "SGD", "step": 1.0, "loss": 2.5}]
    assert run["results"] == {"best": 0.5}
    assert run["config"] == {"seeds": [0, 1]}
    assert run["command"] == "make study NAME=small-study"
    assert set(run) == set(runs.FIELDS)


def test_a_record_has_a_machine_versions_and_times_but_no_path_of_the_machine(tmp_path):
    recorded(tmp_path)
    run = load("small-study", tmp_path).run
    assert "cores" in run["device"]
    assert {"python", "numpy"} <= set(run["versions"])
    assert run["start"] <= run["end"]
    assert run["seconds"] >= 0
    assert str(tmp_path) not in json.dumps(run)


def test_outside_git_the_commit_is_unknown_and_inside_it_is_twelve_digits(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    assert runs.commit() == "unknown"
    monkeypatch.undo()
    assert runs.commit() == "unknown" or len(runs.commit().rstrip("+")) == 12


def test_the_partial_results_are_gone_once_the_record_is_written(tmp_path):
    study = recorded(tmp_path)
    assert not study.partial.exists()
    log = []
    Study("small-study", {"seeds": [0, 1]}, tmp_path).run(jobs(log))
    assert log == [0, 1, 2]


@pytest.mark.parametrize("curve", [[], [{"a": 1}, {"b": 2}]])
def test_a_curve_without_rows_or_with_uneven_rows_is_refused_and_nothing_is_written(tmp_path, curve):
    with pytest.raises(ValueError, match="all with the same keys"):
        Study("small", {}, tmp_path).record(curve, {})
    assert not (tmp_path / "book").exists()


@pytest.mark.parametrize("name", ["", "a b", "../a", "a_b"])
def test_a_name_that_is_no_folder_name_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="letters, digits and hyphens"):
        Study(name, {}, tmp_path)


def test_a_run_that_does_not_exist_is_refused_with_the_list_of_those_that_do(tmp_path):
    recorded(tmp_path)
    with pytest.raises(ValueError, match=r"no recorded run 'other'; there are \['small-study'\]"):
        load("other", tmp_path)


@pytest.mark.parametrize("field", runs.FIELDS)
def test_a_record_that_lacks_a_field_is_refused(tmp_path, field):
    recorded(tmp_path)
    path = tmp_path / "book" / "runs" / "small-study" / "run.json"
    run = json.loads(path.read_text())
    del run[field]
    path.write_text(json.dumps(run))
    with pytest.raises(ValueError, match=f"lacks \\['{field}'\\]"):
        load("small-study", tmp_path)
