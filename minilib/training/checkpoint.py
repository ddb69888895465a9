"""Checkpoints that survive a crash: complete or absent, checked by a checksum, two kept.

A checkpoint is a folder `step-00000250` with `model.safetensors`, `optimizer.safetensors`, `state.json` and the sha256
of each in `SHA256SUMS.json`. It is written under another name, flushed to the disk, and renamed: whoever is killed
leaves the one before. Nothing is unpickled. Tensors are whole, also those of sharded runs, so that a run may go on on
another number of processes. Absent on purpose: writing in the background.
"""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors.torch import load_file, save_file

KEPT = 2
SUMS = "SHA256SUMS.json"


class Checkpoint(NamedTuple):
    """What `load` returns; tensors by name, and what JSON can say."""

    model: dict[str, torch.Tensor]
    optimizer: dict[str, torch.Tensor]
    state: dict


def save(folder: Path, step: int, model: dict, optimizer: dict, state: dict) -> Path:
    """Write the checkpoint of a step; older ones but the last are removed once it is complete.

    Raises:
        OSError: the disk is full or cannot be written; the checkpoints that were there still are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    part, final = folder / f"step-{step:08d}.part", folder / f"step-{step:08d}"
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir()
        for name, tensors in (("model", model), ("optimizer", optimizer)):
            save_file({k: t.contiguous() for k, t in tensors.items()}, part / f"{name}.safetensors")
        (part / "state.json").write_text(json.dumps(state, indent=1), encoding="utf-8")
        sums = {path.name: _sha256(path) for path in sorted(part.iterdir())}
        (part / SUMS).write_text(json.dumps(sums, indent=1), encoding="utf-8")
        for path in [*part.iterdir(), part]:
            _flush(path)
        if final.exists():
            shutil.rmtree(final)
        os.rename(part, final)
        _flush(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    for old in complete(folder)[:-KEPT]:
        shutil.rmtree(old)
    return final


def complete(folder: Path) -> list[Path]:
    """The checkpoints in a folder that bear their final name, oldest first."""
    return sorted(path for path in folder.glob("step-*") if path.suffix != ".part")


def load(path: Path) -> Checkpoint:
    """Read a checkpoint, on the CPU.

    Raises:
        ValueError: a file is missing or does not fit its checksum; the message names it.
    """
    try:
        sums = json.loads((path / SUMS).read_text(encoding="utf-8"))
        for name, sum in sums.items():
            if _sha256(path / name) != sum:
                raise ValueError(f"{path / name} does not fit its checksum")
        tensors = [load_file(path / f"{name}.safetensors") for name in ("model", "optimizer")]
        return Checkpoint(*tensors, json.loads((path / "state.json").read_text(encoding="utf-8")))
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"the checkpoint {path} cannot be read: {error}") from None


def newest(folder: Path) -> Checkpoint | None:
    """The newest checkpoint that is whole, or None; those that are not are named on stderr and passed over."""
    for path in reversed(complete(folder)):
        try:
            return load(path)
        except ValueError as error:
            print(f"warning: {error}; the checkpoint before it is used", file=sys.stderr)
    return None


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
