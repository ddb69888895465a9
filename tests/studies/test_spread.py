"""Jobs spread by submitit over its local cluster: processes of this machine, as Slurm's would be on others."""

import os
import time

import pytest

from minilib.experiments.records import Project
from studies import spread
from studies.study import Study, StudyArgs


def test_jobs_run_in_other_processes_and_their_results_come_back(tmp_path):
    jobs = {str(k): lambda k=k: [k**2, os.getpid()] for k in range(3)}
    found = {key: (result, seconds) for key, result, seconds in spread.results(jobs, 2, tmp_path, "local")}
    assert {key: result[0] for key, (result, _) in found.items()} == {"0": 0, "1": 1, "2": 4}
    assert os.getpid() not in {result[1] for result, _ in found.values()}
    assert all(0 <= seconds < 60 for _, seconds in found.values())


def test_no_more_than_so_many_run_at_once(tmp_path):
    def job():
        began = time.time()
        time.sleep(0.3)
        return [began, time.time()]

    spans = [span for _, span, _ in spread.results({str(k): job for k in range(3)}, 1, tmp_path, "local")]
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))


def test_a_job_that_fails_is_named_and_what_had_ended_is_kept(tmp_path):
    def fails():
        raise ValueError("not today")

    home = Project(tmp_path, tmp_path / "book" / "runs")
    study = Study("small", {}, home, StudyArgs(spread=1))
    with pytest.raises(RuntimeError, match=r"job bad failed, see .*(?s:.*)not today"):
        study.run([("good", lambda: 7), ("bad", fails)])
    again = Study("small", {}, home)
    assert again.saved["jobs"] == {"good": 7}
    assert again.run([("good", fails), ("bad", lambda: 8)]) == {"good": 7, "bad": 8}


def test_none_at_a_time_is_refused(tmp_path):
    with pytest.raises(ValueError, match="spread must be at least 1 job at a time, got 0"):
        next(spread.results({}, 0, tmp_path))
