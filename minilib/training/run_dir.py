"""The folder of a run: what it was (`run-config.json`, `tokenizer.json`, `run.json`), and how it went (`curve.csv`,
TensorBoard, a picture).

`run.json` has the fields of a recorded run (`experiments.records`), so that a chapter can read it. Only rank 0 writes.
"""

import contextlib
import dataclasses
import json
import math
import os
import platform
import shlex
import socket
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock, Timeout

from minilib.data.tokenizer import Tokenizer
from minilib.experiments import records
from minilib.training import export, model_folder
from minilib.training.config import Config, read_json

LIBRARIES = ("torch", "numpy", "tokenizers", "safetensors")
LOCK, HOLDER = ".lock", ".lock-holder"  # Windows lets nobody read a file that is locked: who it is stands in another
# What may be another when a run goes on: where, how it is shared out, what is kept of it, and how long it is.
FREE = {"out", "device", "parallel", "micro_batch", "log_every", "evaluate_every", "save_every", "keep"}
FREE |= {"steps", "tokens", "patience"}


class MetricsLogger:
    """Rows of numbers, kept in `curve.csv` as they come; on resuming, rows after `step` are cut off."""

    def __init__(self, folder: Path, config: Config, tokenizer: Tokenizer, step: int):
        from torch.utils.tensorboard import SummaryWriter

        self.folder, self.config, self.start = folder, config, records.now()
        self.rows = [row for row in read_curve(folder) if row["step"] <= step]
        records.write(folder / export.TOKENIZER, tokenizer.content + "\n")
        records.write(folder / export.CONFIG, json.dumps(dataclasses.asdict(config), indent=1) + "\n")
        if self.rows:
            write_curve(folder, self.rows)
        self.board = SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)

    def add(self, row: dict) -> None:
        """A row, with the same keys each time; NaN where nothing was measured."""
        self.rows.append(row)
        if len(self.rows) > 1:
            path = self.folder / "curve.csv"
            try:
                with open(path, "a", encoding="utf-8", newline="\n") as file:
                    file.write(",".join(map(str, row.values())) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path)) from None
        else:
            write_curve(self.folder, self.rows)
        for name, value in row.items():
            if name != "step" and not math.isnan(value):
                self.board.add_scalar(name, value, row["step"])

    def finish(self, device: str, seconds: float, results: dict) -> None:
        """Write `run.json` and the picture of the curve: the run is complete."""
        self.board.close()
        draw_curve(self.rows, results, self.folder / "curve.png")
        write_run(self.folder, "minilib.training", self.config, device, self.start, seconds, results)


def write_curve(folder: Path, rows: list[dict]) -> None:
    lines = [rows[0], *(row.values() for row in rows)]
    records.write(folder / "curve.csv", "".join(",".join(map(str, line)) + "\n" for line in lines))


def write_run(folder: Path, program: str, config, device: str, start: str, seconds: float, results: dict) -> None:
    """Write `run.json`: the fields of a recorded run (`records.FIELDS`), of a run of `python -m program`."""
    run = {
        "name": folder.name,
        "command": shlex.join(["python", "-m", program, *sys.argv[1:]]),
        "config": dataclasses.asdict(config),
        "commits": [records.commit()],
        "device": device,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "start": start,
        "end": records.now(),
        "seconds": round(seconds, 1),
        "results": results,
    }
    records.write(folder / "run.json", json.dumps(run, indent=1) + "\n")


@contextlib.contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """The folder is this process's as long as the context lasts, or as it lives. ValueError says who else holds it."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    lock, holder = FileLock(folder / LOCK), folder / HOLDER
    try:
        lock.acquire(blocking=False)
    except Timeout:
        who = holder.read_text(encoding="utf-8").strip() if holder.exists() else "another process"
        raise ValueError(
            f"{folder} has a run that is under way ({who}): wait for it, stop it, or give another --out"
        ) from None
    try:
        records.write(holder, f"process {os.getpid()} on {socket.gethostname()}, since {records.now()}\n")
        yield
    finally:
        holder.unlink(missing_ok=True)
        with contextlib.suppress(PermissionError):  # Windows removes no file that is open
            (folder / LOCK).unlink(missing_ok=True)
        lock.release()
        if is_new:
            with contextlib.suppress(OSError):  # a run that came to nothing leaves nothing
                folder.rmdir()


def read_results(folder: Path) -> dict:
    """What `run.json` of a complete run says. ValueError: it cannot be read."""
    path = folder / "run.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))["results"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} cannot be read ({error!r}): remove it, and the run ends anew") from None


def check_folder(config: Config) -> Config | None:
    """The configuration of the run that is there, if one is. ValueError: it is another run, or a model."""
    path = config.folder / export.CONFIG
    if model_folder.is_one(config.folder):
        raise ValueError(f"{config.folder} has a model, and no run: give another --out")
    if not path.exists():
        return None
    there = read_json(path)
    for name, ours in dataclasses.asdict(config).items():
        if name not in FREE and ours != (theirs := dataclasses.asdict(there)[name]):
            raise ValueError(
                f"{config.folder} has a run with {name} = {theirs!r}, now it is {ours!r}: give another --out, or remove"
                " the folder"
            )
    return there


def check_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    if (folder / export.TOKENIZER).exists() and export.read_tokenizer(folder).content != tokenizer.content:
        raise ValueError(
            f"{folder} has a run with another tokenizer: the corpus, or the library that made it, is another than when"
            " the run began; give another --out, or remove the folder"
        )


def read_curve(folder: Path) -> list[dict]:
    """The rows of a run's `curve.csv`, numbers as they were written; none when there is no such file.

    A last row without its line end was being written when the run died: it is left out.
    ValueError: another row cannot be read; the message names the file and the line.
    """
    path = folder / "curve.csv"
    if not path.exists():
        return []
    head, *lines = path.read_bytes().split(b"\n")[:-1] or [b""]
    names, rows = head.decode(errors="replace").split(","), []
    for number, line in enumerate(lines, 2):
        try:
            values = [int(v) if v.isdecimal() else float(v) for v in line.decode().split(",")]
            rows.append(dict(zip(names, values, strict=True)))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}, cannot be read: {error}") from None
    return rows


def draw_curve(rows, results, path):
    from matplotlib.figure import Figure

    from minilib import plots

    ax = (figure := Figure(figsize=(6.4, 3.6), layout="constrained")).subplots()
    ax.plot([r["tokens"] for r in rows], [r["loss"] for r in rows], color=plots.SKY, lw=1, label="training")
    seen = [r for r in rows if not math.isnan(r["validation_loss"])]
    tokens, losses = [r["tokens"] for r in seen], [r["validation_loss"] for r in seen]
    ax.plot(tokens, losses, "o-", color=plots.BLUE, label="validation")
    ax.axhline(results["unigram_entropy"], color=plots.BLACK, ls=":", label="unigram entropy")
    ax.set(xlabel="tokens", ylabel="loss in nats a token")
    ax.legend()
    figure.savefig(path, dpi=120)
