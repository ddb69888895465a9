"""A study: many small jobs, each done once and saved as soon as it is done, and the record of them all.

It goes on where it stopped, perhaps with newer code: each job remembers the commit at which it was run. A study has
sizes: "laptop" is the one whose record the book reads, "toy" tries every line in seconds and proves nothing, "gpu" is
for one card. Its jobs follow one another, or are spread over machines (`spread`). Absent on purpose: jobs that depend
on each other.
"""

import csv
import io
import json
import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

from minilib import needs
from minilib.data import Docstrings
from minilib.experiments.records import Project, commit, machine, now, project, write
from studies import spread

USUAL = {"laptop": "cpu", "toy": "cpu", "gpu": "cuda"}  # size -> the device that it is for


@dataclass(frozen=True)
class StudyArgs:
    """What is asked of a study: by default its record in the book, made on the CPU.

    Attributes:
        size: one of USUAL.
        device: as torch names it, such as "cpu", "cuda:1", "mps".
        plan: the settings of that size, each an attribute.
        precision: of training in PyTorch.
        machine: the name of the device, for the record; by default the processor's.
        command: what was typed; by default what makes the book's record.
        spread: so many jobs at a time, each Slurm's or a process of its own; 0: one after the other, in this one.
    """

    size: str = "laptop"
    device: str = "cpu"
    plan: SimpleNamespace = field(default_factory=SimpleNamespace)
    precision: str = "fp32"
    machine: str | None = None
    command: str | None = None
    spread: int = 0

    @property
    def suffix(self) -> str:
        """What the names of its records end in: nothing for the book's, else the size, and a device unlike USUAL."""
        kind = self.device.split(":")[0]
        parts = [self.size] * (self.size != "laptop") + [kind] * (kind != USUAL[self.size])
        return "".join(f"-{part}" for part in parts)


def settings(sizes: dict[str, dict], size: str) -> SimpleNamespace:
    """The settings of a size: those of "laptop", with the changes that the size makes.

    Raises:
        ValueError: the study has no such size.
    """
    if size not in sizes:
        raise ValueError(f"size must be one of {', '.join(sizes)}, got {size!r}")
    return SimpleNamespace(**sizes["laptop"] | sizes[size])


class Study:
    """Does jobs once each and records the whole.

    The record is in the project's folder of records; at size "toy" in `_build/runs`, where no chapter looks.

    Args:
        name: of the run's folder; letters, digits and hyphens. Other sizes and devices add to it (`StudyArgs.suffix`).
        config: everything that decides the results, JSON-able; a study with another config starts anew. What `asked`
            says of another size is added.
        where: the project whose record it is; by default that of the current folder.
        asked: at which size, on which device.

    Raises:
        ValueError: the name has other characters, or there is no such project.
    """

    def __init__(self, name: str, config: dict, where: Project | None = None, asked: StudyArgs | None = None):
        if not name or not all(c.isalnum() or c == "-" for c in name):
            raise ValueError(f"name must be letters, digits and hyphens, got {name!r}")
        self.asked = asked or StudyArgs()
        if self.asked.suffix:  # the book's records keep the form that they have
            config = config | {"precision": self.asked.precision, "size": vars(self.asked.plan)}
        self.config, self.project = json.loads(json.dumps(config)), where or project()
        self.command = self.asked.command if self.asked.suffix else f"make study NAME={name}"
        self.name = name = name + self.asked.suffix
        self.scratch = self.project.root / "_build" / "studies" / name  # what its jobs keep on the way, as checkpoints
        kept = self.project.root / "_build" / "runs" if self.toy else self.project.records
        self.partial = kept / "unfinished" / f"{name}.json"  # beside the records, so that another machine can go on
        saved = json.loads(self.partial.read_text(encoding="utf-8")) if self.partial.exists() else {}
        fresh = saved.get("config") != self.config
        empty = {"config": self.config, "start": now(), "seconds": 0.0, "jobs": {}, "commits": {}}
        self.saved = empty if fresh else {"commits": {}} | saved
        self.commit = commit()  # of the code that this process has imported

    @property
    def toy(self) -> bool:
        """Is this the size that proves nothing? Then a rate may be the best at the edge of those that were tried."""
        return self.asked.size == "toy"

    def run(self, jobs: Iterable[tuple[str, Callable[[], object]]]) -> dict:
        """Results by key of all `(key, function)` pairs; a function runs only when its key has no result yet.

        Raises:
            RuntimeError: with `asked.spread`, a job failed; what had ended is saved.
        """
        with needs("book"):
            from tqdm import tqdm

        missing = {key: function for key, function in jobs if key not in self.saved["jobs"]}
        if self.asked.spread:
            done = spread.results(missing, self.asked.spread, self.project.root / "_build" / "spread" / self.name)
        else:
            done = ((key, *spread.timed(function)) for key, function in missing.items())
        for key, result, seconds in tqdm(done, total=len(missing), desc=self.name, disable=not missing):
            self.saved["jobs"][key] = result
            self.saved["seconds"] += seconds
            self.saved["commits"][key] = self.commit
            write(self.partial, json.dumps(self.saved))
        for key in missing:  # in the order in which they were asked for, whichever ended first
            self.saved["jobs"][key] = self.saved["jobs"].pop(key)
        return self.saved["jobs"]

    def commits(self) -> list[str]:
        """The commits at which the jobs were run, each once, in the order of the jobs."""
        return list(dict.fromkeys(self.saved["commits"].get(key, "unknown") for key in self.saved["jobs"]))

    def record(self, curve: list[dict], results: dict, corpus: Docstrings | None = None) -> Path:
        """Write the run's folder and forget the partial results; returns the folder.

        Args:
            curve: rows with the same keys, e.g. `{"optimizer": "LAMB", "step": 1, "loss": 2.3}`.
            results: the final numbers, JSON-able.
            corpus: what the run was made from, where that was `docstrings()`; its sha256 and versions are recorded.

        Raises:
            ValueError: no rows, or rows with different keys; nothing is written then.
        """
        if not curve or any(row.keys() != curve[0].keys() for row in curve):
            raise ValueError("curve must have rows, all with the same keys")
        folder = (self.project.root / "_build" / "runs" if self.toy else self.project.records) / self.name
        names = ("numpy", "scipy", "scikit-learn", *({"torch"} & sys.modules.keys()))  # torch where it ran
        libraries = {name: version(name) for name in names}
        run = {
            "name": self.name,
            "command": self.command,
            "config": self.config,
            "commits": self.commits(),
            "device": self.asked.machine or machine(),
            "versions": {"python": platform.python_version(), **libraries},
            "start": self.saved["start"],
            "end": now(),
            "seconds": round(self.saved["seconds"], 1),
            "results": results,
        }
        if corpus:
            run["corpus"] = {"sha256": corpus.sha256, "sources": corpus.sources}
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")  # quotes a name that has a comma
        rows.writerows([list(curve[0]), *([str(v) for v in row.values()] for row in curve)])
        write(folder / "curve.csv", text.getvalue())
        write(folder / "run.json", json.dumps(run, indent=1) + "\n")
        self.partial.unlink(missing_ok=True)
        print(f"recorded in {folder}", file=sys.stderr)
        return folder
