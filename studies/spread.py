"""A study's independent jobs on many machines, or on many cores of this one, by submitit.

Where there is Slurm, each job becomes one of Slurm's, with one core; elsewhere it is a process here. submitit pickles
the job's function, waits, and brings the result back; the machines share this folder. Absent on purpose: a queue of our
own, retries, and machines without Slurm.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, sleep

from minilib import needs

HOURS = 12  # that Slurm gives a job


def results(
    jobs: dict[str, Callable[[], object]], at_once: int, folder: Path, cluster: str | None = None
) -> Iterator[tuple[str, object, float]]:
    """Runs the jobs, `at_once` at a time; gives key, result and seconds of each as soon as it ends.

    Args:
        jobs: key -> a function of no arguments.
        folder: where submitit keeps what it hands over, and what the jobs print.
        cluster: "slurm" or "local"; by default Slurm where there is one.

    Raises:
        RuntimeError: a job failed; its key and its error are named. Those that ended before were given, and those that
            run are left to end, unseen.
        ValueError: fewer than one at a time.
    """
    if at_once < 1:
        raise ValueError(f"spread must be at least 1 job at a time, got {at_once}")
    with needs("cluster"):
        import submitit
    executor = submitit.AutoExecutor(folder=folder, cluster=cluster)
    executor.update_parameters(timeout_min=60 * HOURS, cpus_per_task=1)
    waiting, running = dict(jobs), {}
    while waiting or running:
        while waiting and len(running) < at_once:
            key = next(iter(waiting))
            running[key] = executor.submit(timed, waiting.pop(key))
        ended = [key for key, job in running.items() if job.done()]
        for key in ended:
            job = running.pop(key)
            if (error := job.exception()) is not None:
                raise RuntimeError(f"job {key} failed, see {job.paths.stderr}: {error}") from None
            yield key, *job.result()
        if not ended:
            sleep(0.5)


def timed(function: Callable[[], object]) -> tuple[object, float]:
    """What the function returns, and the seconds that it took, on the machine where it runs."""
    start = perf_counter()
    return function(), perf_counter() - start
