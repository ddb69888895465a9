"""The command line of a study: its size, its device, and how it is spread."""

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace

from studies.study import USUAL, StudyArgs, settings

NUMPY = "this study is written in NumPy"  # why a study runs on the CPU alone


def start(main: Callable[[StudyArgs], None], sizes: dict[str, dict], cpu_only: str | None = None) -> None:
    """Run `main` at the size and on the device that the command line names; exit 2 with one line if they cannot be had.

    Args:
        sizes: size -> settings: all of them for "laptop", for another size those that are different there.
        cpu_only: why the study runs on the CPU alone; None for a study in PyTorch that runs on any device.
    """
    module = main.__globals__["__spec__"].name
    parser = argparse.ArgumentParser(prog=f"python -m {module}", allow_abbrev=False)
    parser.add_argument("--size", default="laptop", help=f"one of {', '.join(sizes)}; laptop makes the book's record")
    usual = ", ".join(f"{USUAL[size]} for {size}" for size in sizes)
    parser.add_argument("--device", help=f"cpu, cuda, mps, tpu; by default {usual}")
    parser.add_argument("--spread", type=int, default=0, metavar="N", help="N jobs at once: Slurm's, or processes here")
    typed = parser.parse_args()
    try:
        asked = ask(sizes, typed.size, typed.device, cpu_only, shlex.join(["python", "-m", module, *sys.argv[1:]]))
        if typed.spread < 0:
            raise ValueError(f"spread must be at least 1 job at a time, or 0, got {typed.spread}")
        asked = replace(asked, spread=typed.spread)
    except ValueError as error:
        parser.exit(2, f"error: {error}\n")
    main(asked)


def ask(sizes: dict, size: str, device: str | None = None, cpu_only: str | None = None, command: str = "") -> StudyArgs:
    """What `start` hands to `main`.

    A study trains in float32, so that every machine can repeat it; where a size has the setting "precision", in that:
    "bf16", or "fastest", which is what is fastest on the device.

    Raises:
        ValueError: the study has no such size, or the device is not there or not for this study.
    """
    plan = settings(sizes, size)
    device = device or USUAL[size]
    if cpu_only and device != "cpu":
        raise ValueError(f"device must be cpu, got {device!r}: {cpu_only}")
    wanted = getattr(plan, "precision", "fp32")
    if device == "cpu" and wanted != "fastest":
        return StudyArgs(size, device, plan, wanted, command=command)
    from minilib.training.device import describe, pick, precision

    place = pick(device)
    machine = None if place.type == "cpu" else describe(place)
    return StudyArgs(size, device, plan, precision(place) if wanted == "fastest" else wanted, machine, command)
