"""Recorded runs: a study does each job once, goes on where it stopped, and writes a record that can be read."""

import json

import pytest

from minilib.experiments import records
from minilib.experiments.records import Project, load
from studies import study
from studies.study import Study, StudyArgs, settings


def home(folder):
    return Project(folder, folder / "book" / "runs")


def jobs(log, count=3):
    def job(k):
        log.append(k)
        return k**2

    return [(str(k), lambda k=k: job(k)) for k in range(count)]


def test_a_study_that_was_interrupted_goes_on_where_it_stopped(tmp_path):
    log = []

    def power_cut():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Study("small", {"a": 1}, home(tmp_path)).run([*jobs(log, 2), ("2", power_cut)])
    again = Study("small", {"a": 1}, home(tmp_path))
    assert again.partial == home(tmp_path).records / "unfinished" / "small.json"
    assert again.saved["jobs"].keys() == {"0", "1"}
    with pytest.raises(ValueError, match="Make it"):  # what is unfinished is no record
        load("small", home(tmp_path))
    assert again.run(jobs(log)) == {"0": 0, "1": 1, "2": 4}
    assert log == [0, 1, 2]
    Study("small", {"a": 2}, home(tmp_path)).run(jobs(log, 1))  # another config starts anew
    assert log == [0, 1, 2, 0]


def test_a_config_survives_its_way_through_a_file(tmp_path):
    log = []
    for _ in range(2):
        Study("small", {"batches": (1, 2), "best": {1: "a"}}, home(tmp_path)).run(jobs(log, 1))
    assert log == [0]  # a tuple becomes a list and an integer key a string, before they are compared


def recorded(tmp_path):
    made = Study("small-study", {"seeds": [0, 1]}, home(tmp_path))
    made.run(jobs([]))
    made.record([{"optimizer": "CAME, corrected", "step": 1, "loss": 2.5}], {"best": 0.5})
    return made


def test_a_record_reads_back_what_was_written_and_has_no_path_of_the_machine(tmp_path):
    assert not recorded(tmp_path).partial.exists()
    run, curve = load("small-study", home(tmp_path))
    assert curve == [{"optimizer": "CAME, corrected", "step": 1.0, "loss": 2.5}]
    assert run["results"] == {"best": 0.5}
    assert run["config"] == {"seeds": [0, 1]}
    assert run["command"] == "make study NAME=small-study"
    assert set(run) == set(records.FIELDS)
    assert "cores" in run["device"]
    assert {"python", "numpy"} <= set(run["versions"])
    assert run["start"] <= run["end"]
    assert run["seconds"] >= 0
    assert str(tmp_path) not in json.dumps(run)


@pytest.mark.parametrize(
    ("size", "device", "suffix"),
    [("laptop", "cpu", ""), ("laptop", "cuda:1", "-cuda"), ("gpu", "cuda", "-gpu"), ("gpu", "mps", "-gpu-mps")],
)
def test_a_size_and_a_device_have_a_record_of_their_own_that_says_how_it_was_made(tmp_path, size, device, suffix):
    plan = settings({"laptop": {"steps": 2, "seeds": (0,)}, "gpu": {"steps": 9}}, size)
    asked = StudyArgs(size, device, plan, "bf16", "a card", "python -m studies.loss_and_gradient.small --size gpu")
    Study("small", {"steps": plan.steps}, home(tmp_path), asked).record([{"step": 1}], {"best": 1})
    run = load(f"small{suffix}", home(tmp_path)).run
    assert run["device"] == "a card"
    assert run["command"] == (asked.command if suffix else "make study NAME=small")
    more = {"precision": "bf16", "size": {"steps": plan.steps, "seeds": [0]}} if suffix else {}
    assert run["config"] == {"steps": plan.steps} | more


def test_a_record_of_toy_size_is_not_among_those_that_chapters_read(tmp_path):
    Study("small", {}, home(tmp_path), StudyArgs("toy")).record([{"step": 1}], {"best": 1})
    assert [path.name for path in (tmp_path / "_build/runs").iterdir()] == ["small-toy"]
    assert not (tmp_path / "book").exists()


def test_outside_git_the_commit_is_unknown_and_inside_it_is_twelve_digits(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "PACKAGE", tmp_path)
    assert records.commit() == "unknown"
    monkeypatch.undo()
    assert records.commit() == "unknown" or len(records.commit().rstrip("+")) == 12


def test_a_job_remembers_the_commit_at_which_it_was_run_and_the_record_has_them_all(tmp_path, monkeypatch):
    for commit, count in (("a" * 12, 2), ("b" * 12, 3), ("c" * 12, 3)):  # the last has nothing left to do
        monkeypatch.setattr(study, "commit", lambda commit=commit: commit)
        again = Study("small", {"a": 1}, home(tmp_path))
        again.run(jobs([], count))
    assert again.saved["commits"] == {"0": "a" * 12, "1": "a" * 12, "2": "b" * 12}
    again.record([{"step": 1}], {"best": 1})
    assert load("small", home(tmp_path)).run["commits"] == ["a" * 12, "b" * 12]


@pytest.mark.parametrize("curve", [[], [{"a": 1}, {"b": 2}]])
def test_a_curve_without_rows_or_with_uneven_rows_is_refused_and_nothing_is_written(tmp_path, curve):
    with pytest.raises(ValueError, match="all with the same keys"):
        Study("small", {}, home(tmp_path)).record(curve, {})
    assert not (tmp_path / "book").exists()


@pytest.mark.parametrize("name", ["", "a b", "../a", "a_b"])
def test_a_name_that_is_no_folder_name_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="letters, digits and hyphens"):
        Study(name, {}, home(tmp_path))


@pytest.mark.parametrize(("name", "made"), [("other", "other"), ("other-gpu", "other SIZE=gpu")])
def test_a_run_that_does_not_exist_is_refused_with_how_to_make_it_and_the_list_of_those_that_do(tmp_path, name, made):
    recorded(tmp_path)
    said = rf"no recorded run '{name}'; there are \['small-study'\].* Make it: make study NAME={made}$"
    with pytest.raises(ValueError, match=said):
        load(name, home(tmp_path))


@pytest.mark.parametrize("field", records.FIELDS)
def test_a_record_that_lacks_a_field_is_refused(tmp_path, field):
    recorded(tmp_path)
    path = tmp_path / "book" / "runs" / "small-study" / "run.json"
    run = json.loads(path.read_text())
    del run[field]
    path.write_text(json.dumps(run))
    with pytest.raises(ValueError, match=f"lacks \\['{field}'\\]"):
        load("small-study", home(tmp_path))


def test_the_records_of_a_project_lie_where_the_nearest_pyproject_says(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.minilib]\nrecords = "kept"\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "other"\n')
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert records.project() == Project(tmp_path.resolve(), tmp_path.resolve() / "kept")
    Study("small", {}).record([{"step": 1}], {"best": 1})
    assert load("small").run["results"] == {"best": 1}
    assert records.folder("small") == tmp_path.resolve() / "kept" / "small"


def test_without_such_a_project_one_sentence_says_what_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"no pyproject.toml in .* above it says .*: write \[tool.minilib\]"):
        Study("small", {})
