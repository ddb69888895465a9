"""Checkpoints that survive a crash: complete or absent, checked by a checksum, the last few and the best one kept.

A checkpoint is a folder `step-00000250` with the tensors as safetensors, `state.json`, and the sha256 of each file in
`SHA256SUMS.json`. `torch.distributed.checkpoint` copies the tensors and writes them in the background while training
goes on; of a sharded model each process writes its own part. The folder has another name until all is on the disk, and
then it is renamed: whoever is killed leaves the one before. Folders of any other name are nobody's business here.
Nothing is pickled. Reading puts the parts together, so that a run may go on on another number of processes.
"""

import contextlib
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from safetensors import SafetensorError
from torch.distributed.checkpoint import HuggingFaceStorageReader, HuggingFaceStorageWriter
from torch.distributed.checkpoint.api import CheckpointException

from minilib.data.download import sha256_of

SUMS, STATE = "SHA256SUMS.json", "state.json"
OURS = re.compile(r"step-\d{8,}")
# said when one process writes, as it shall
warnings.filterwarnings("ignore", message="torch.distributed is disabled, unavailable or uninitialized")


class Checkpoint(NamedTuple):
    """What `load` returns; tensors by name, and what JSON can say."""

    model: dict[str, torch.Tensor]
    optimizer: dict[str, torch.Tensor]
    state: dict


def begin(folder: Path, step: int, model: dict, optimizer: dict, state: dict, keep=2, spared=(), group=None) -> Future:
    """Begin to write the checkpoint of a step; the tensors may change as soon as this returns.

    Once it is complete the older ones go, but for `keep` in all and the steps `spared`. The result of what is returned
    is the checkpoint's folder: wait for it before the next one is begun.

    Args:
        model, optimizer: name -> tensor; of a sharded model each process gives its DTensors.
        group: of all processes, on the CPU, where each writes its part; None: this process writes all.

    OSError, here or as the result: the disk is full or cannot be written; the checkpoints that were there still are.
    """
    part, final = folder / f"step-{step:08d}.part", folder / f"step-{step:08d}"
    first = group is None or dist.get_rank(group) == 0
    tensors = {f"model/{name}": t for name, t in model.items()}
    tensors |= {f"optimizer/{name}": t for name, t in optimizer.items()}
    with _in_one_line(final, part, first):
        _make(part, first, group)
        files = {name: 1 if name.startswith("model/") else 2 for name in tensors}
        writer = HuggingFaceStorageWriter(str(part), files, save_distributed=group is not None)
        written = dcp.async_save(tensors, storage_writer=writer, process_group=group, no_dist=group is None)

    def finish() -> Path:
        with _in_one_line(final, part, first):
            written.result()
            if first:
                _seal(part, final, state)
                for old in complete(folder)[:-keep]:
                    if int(old.name[5:]) not in spared:
                        shutil.rmtree(old)
        return final

    background = ThreadPoolExecutor(1)  # the end of the program waits for its thread
    result = background.submit(finish)
    background.shutdown(wait=False)
    return result


@contextlib.contextmanager
def _in_one_line(final: Path, part: Path, first: bool) -> Iterator[None]:
    """What goes wrong while a checkpoint is written becomes one line, and the unfinished folder goes."""
    try:
        yield
    except (OSError, SafetensorError, CheckpointException) as error:
        if first:
            shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, CheckpointException):
            error = next(iter(error.failures.values()))[0]  # (what was raised, where) of one process
        raise OSError(f"the checkpoint {final} could not be written: {str(error).splitlines()[0]}") from None


def _make(part: Path, first: bool, group: dist.ProcessGroup | None) -> None:
    """The first process makes an empty folder, before another writes; what one who was killed left unfinished goes."""
    trouble = [None]
    if first:
        try:
            part.parent.mkdir(parents=True, exist_ok=True)
            for left in part.parent.glob("step-*.part"):
                if OURS.fullmatch(left.stem) and left.is_dir():
                    shutil.rmtree(left)
            part.mkdir()
        except OSError as error:
            trouble = [error]
    if group is not None:
        dist.broadcast_object_list(trouble, src=0, group=group)
    if trouble[0] is not None:
        raise trouble[0]


def _seal(part: Path, final: Path, state: dict) -> None:
    (part / STATE).write_text(json.dumps(state, indent=1), encoding="utf-8")
    sums = {path.name: sha256_of(path) for path in sorted(part.iterdir())}
    (part / SUMS).write_text(json.dumps(sums, indent=1), encoding="utf-8")
    for path in (part / STATE, part / SUMS, part):
        _flush(path)
    if final.exists():
        shutil.rmtree(final)
    os.rename(part, final)
    _flush(final.parent)


def complete(folder: Path) -> list[Path]:
    """The checkpoints in a folder that bear their final name, oldest first."""
    paths = (path for path in folder.glob("step-*") if OURS.fullmatch(path.name) and path.is_dir())
    return sorted(paths, key=lambda path: (len(path.name), path.name))


def set_aside(folder: Path, step: float) -> None:
    """Give the checkpoints after a step names under which no run goes on from them."""
    for path in complete(folder):
        if int(path.name[5:]) > step:
            path.rename(path.with_name(f"cooled-{path.name}"))


def load(path: Path) -> Checkpoint:
    """Read a checkpoint, on the CPU. ValueError names the file that is missing or does not fit its checksum."""
    try:
        sums = json.loads((path / SUMS).read_text(encoding="utf-8"))
        if not isinstance(sums, dict) or STATE not in sums:
            raise ValueError(f"{path / SUMS} is damaged")
        for name, sum_ in sums.items():
            if sum_ != sha256_of(path / name):
                raise ValueError(f"{path / name} does not fit its checksum in {SUMS}")
        reader = HuggingFaceStorageReader(str(path))
        about = reader.read_metadata().state_dict_metadata
        tensors = {name: torch.empty(t.size, dtype=t.properties.dtype) for name, t in about.items()}
        dcp.load(tensors, storage_reader=reader, no_dist=True)
        parts = {"model": {}, "optimizer": {}}
        for name, t in tensors.items():
            kind, own = name.split("/", 1)
            parts[kind][own] = t
        return Checkpoint(**parts, state=json.loads((path / STATE).read_text(encoding="utf-8")))
    except (OSError, SafetensorError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the checkpoint {path} cannot be read: {error}") from None


def newest(folder: Path) -> Checkpoint | None:
    """The newest that is whole; damaged ones are named on stderr. None: there is none. ValueError: none is whole."""
    troubles = []
    for path in reversed(complete(folder)):
        try:
            whole = load(path)
        except ValueError as error:
            troubles.append(str(error))
            continue
        for trouble in troubles:
            print(f"warning: {trouble}; {path.name} is used", file=sys.stderr)
        return whole
    if troubles:
        raise ValueError(f"no checkpoint in {folder} is whole: {'; '.join(troubles)}. Remove the folder to begin anew")
    return None


def _flush(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk; Windows opens no folder to wait for."""
    try:
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    except PermissionError:
        if path.is_dir():
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
