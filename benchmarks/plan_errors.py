"""How wrong are the plans? Each recorded run that says what it was, planned again, and planned over recorded.

    python -m benchmarks.plan_errors [book/runs]

No constant is fitted to what it is judged by, but one, and that one is taken from other runs:

    products    the rate of a large product, which `pretrain-speed` measured between its steps; a core has half of it
    bandwidth   of the memory, measured by `torch-step` with a copy
    messages    bandwidth and latency of two processes, from the all-reduces of `gloo`, not from its steps
    share       of the rate that products reach: 1 for the steps of `pretrain-speed`; their median for all other steps

Records of cards (`make gpu`) are planned at the data sheet's peak, so that planned over recorded is the share that was
reached. Left out: T5, runs whose record does not say model, rows or time, and records of another machine than that of
`pretrain-speed`, whose rate nobody measured.
"""

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

from minilib.analysis.cards import Card
from minilib.analysis.jobs import NAMED, Job, Machines, Model
from minilib.analysis.planner import bytes_held, duration, gigabytes, plan, traffic
from minilib.pages import print_table

METHODS = {
    "adamw": "AdamW",
    "lamb": "LAMB",
    "lars": "LARS",
    "adafactor": "Adafactor",
    "came": "CAME",
    "sgd": "Momentum",
    "muon": "Muon",
}


class Error(NamedTuple):
    """A planned and a recorded quantity: `what` is "step" or "optimizer" (seconds), "peak" or "state" (bytes)."""

    record: str
    case: str
    what: str
    planned: float
    recorded: float

    @property
    def ratio(self) -> float:
        """Planned over recorded."""
        return self.planned / self.recorded


class Speed(NamedTuple):
    """What the records measured of their machine: see the file's docstring."""

    core: Card
    utilisation: float
    latency: float
    device: str


def _read(folder: Path, name: str) -> tuple[dict, list[dict]]:
    run = json.loads((folder / name / "run.json").read_text(encoding="utf-8"))
    with open(folder / name / "curve.csv", newline="", encoding="utf-8") as file:
        return run, list(csv.DictReader(file))


def speed(folder: Path) -> Speed:
    """The constants. ValueError where a record that has them is missing."""
    try:
        (run, steps), (other, _), (_, gloo) = (_read(folder, n) for n in ("pretrain-speed", "torch-step", "gloo"))
    except FileNotFoundError as error:
        raise ValueError(f"{folder} must have the records pretrain-speed, torch-step and gloo: {error}") from None
    rate = 1e9 * median(run["results"]["product_gflops"]["fp32"]) / run["config"]["threads"]
    ring = {float(r["size"]): float(r["median"]) for r in gloo if r["what"] == "ring" and r["processes"] == "2"}
    # two laps of half of the bytes each, in two rounds
    link, latency = max(ring) / ring[max(ring)], min(ring.values()) / 2
    core = Card("core", {"fp32": rate}, 1e9 * other["results"]["bandwidth"]["BERT-base"], link=link, together=2)
    return Speed(core, median(float(r["utilisation"]) for r in steps if r["row"] == "ours"), latency, run["device"])


def _step(speed: Speed, model: Model, rows: int, length: int, guessed=None, optimizer="AdamW", cards=1) -> float:
    """Seconds of a step in float32 on one core, or on two with a message."""
    job = Job(model, rows, length, steps=1, guessed=guessed, optimizer=optimizer, precision="fp32")
    return plan(job, Machines(speed.core, speed.utilisation, cards=cards, latency=speed.latency)).step


def _pretrain_speed(run, curve, speed):
    rates = iter(run["results"]["product_gflops"]["fp32"])
    for r in curve:
        if r["row"] != "ours":
            continue
        model = replace(NAMED[r["model"]], vocabulary=int(r["vocabulary"]), longest=int(r["length"]))
        rows, length, guessed = int(r["rows"]), int(r["length"]), round(run["config"]["mask_rate"] * int(r["length"]))
        own = speed._replace(core=replace(speed.core, products={"fp32": 1e9 * next(rates)}), utilisation=1.0)
        case = f"{r['model']} {rows} x {length}, {model.vocabulary:,} words"
        yield case, "step", _step(own, model, rows, length, guessed), float(r["ms"]) / 1e3


def _whole_step(run, curve, speed):
    shape, length = run["config"]["shape"], run["config"]["length"]
    for r in curve:
        family = {"bert-tiny": "bert", "gpt2": "gpt2"}.get(r["model"])
        if family:
            model = Model(family, shape["layers"], shape["width"], shape["vocabulary"], NAMED[r["model"]].longest)
            guessed = run["config"]["guessed"] if family == "bert" else None
            planned = _step(speed, model, int(r["rows"]), length, guessed, METHODS[r["optimizer"]])
            yield f"{family} {r['rows']} rows {METHODS[r['optimizer']]}", "step", planned, float(r["ms"]) / 1e3


def _model_size(run, curve, speed):
    bench = run["config"]["bench"]
    for name, facts in run["results"]["sizes"].items():
        layers, width, rows = map(int, name.split())
        model = Model("gpt2", layers, width, bench["vocabulary"], bench["length"])
        planned = _step(speed, model, rows, bench["length"])
        yield f"gpt2 {layers} x {width}, {rows} rows", "step", planned, facts["seconds a step"]


def _gloo(run, curve, speed):
    model = replace(NAMED["bert-tiny"], longest=run["config"]["length"])
    for r in curve:
        if r["what"] == "step":
            rows, cards = int(r["size"]), int(r["processes"])
            planned = _step(speed, model, rows, model.longest, run["config"]["guessed"], cards=cards)
            yield f"{rows} rows, {cards} process" + "es" * (cards > 1), "step", planned, float(r["median"])


def _bert(rows, length=64, masked=0.3):
    """The default run of `minilib.training`, and its results: a list of them, or lists by case."""

    def read(run, curve, speed):
        model, results = replace(NAMED["bert-tiny"], vocabulary=4096, longest=length), run["results"]
        by_case = {"": [results]} if "peak_bytes" in results else results
        for case, several in by_case.items():
            for k, result in enumerate(several):
                name = f"{case} {k}".strip() if len(several) > 1 else "run"
                taken = rows * length / result["tokens_per_second"]
                yield name, "step", _step(speed, model, rows, length, round(masked * length)), taken
                job = Job(model, rows, length, steps=1, guessed=round(masked * length), precision="fp32")
                yield name, "peak", sum(bytes_held(job, 1, rows, 1).values()), result["peak_bytes"]

    return read


def _torch_step(run, curve, speed):
    model, ours = NAMED["bert-base"], {"torch AdamW fused": "AdamW"} | {m: m for m in METHODS.values()}
    for r in curve:
        if r["size"] == "BERT-base" and r["row"] in ours:
            method, job = ours[r["row"]], Job(model, 1, 8, steps=1, optimizer=ours[r["row"]], precision="fp32")
            yield method, "optimizer", traffic(method) * model.parameters() / speed.core.bandwidth, float(r["ms"]) / 1e3
            yield method, "state", bytes_held(job, 1, 1, 1)["optimizer state"], float(r["state"])


READERS = {
    "torch-step": _torch_step,
    "pretrain-speed": _pretrain_speed,
    "whole-step": _whole_step,
    "model-size": _model_size,
    "gloo": _gloo,
    "bert-laptop": _bert(32),
    "bert-long": _bert(64),
}


def of_cards(folder: Path) -> Iterator[Error]:
    """The records of `make gpu`, a folder for each card: peak memory and state of BERT-Large."""
    for path in sorted(folder.glob("*/*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        method, results = METHODS.get(path.stem.split("-", 1)[-1]), record.get("results", {})
        if method and path.stem.startswith("memory-"):
            job = Job(NAMED["bert-large"], 64, 128, steps=1, guessed=20, optimizer=method)
            held = bytes_held(job, 1, 64, 1)
            yield Error(record["device"], f"BERT-Large {method}", "peak", sum(held.values()), results["peak_bytes"])
            yield Error(
                record["device"], f"BERT-Large {method}", "state", held["optimizer state"], results["state_bytes"]
            )


def errors(folder: str | Path) -> list[Error]:
    """Planned against recorded, of all records in `folder` that say enough, and of cards in `cards` beside it.

    Raises:
        ValueError: a record with a constant is missing.
    """
    folder = Path(folder)
    measured, found = speed(folder), []
    for name, reader in READERS.items():
        if (folder / name / "run.json").exists():
            run, curve = _read(folder, name)
            if run["device"] == measured.device:
                found += [Error(name, *case) for case in reader(run, curve, measured)]
    return found + list(of_cards(folder.parent / "cards"))


def summary(found: list[Error]) -> list[tuple[str, str, int, float, float, float]]:
    """(record, what, cases, least, median and largest planned over recorded) by record and quantity."""
    keys = list(dict.fromkeys((e.record, e.what) for e in found))
    rows = []
    for record, what in keys:
        ratios = sorted(e.ratio for e in found if (e.record, e.what) == (record, what))
        rows.append((record, what, len(ratios), ratios[0], median(ratios), ratios[-1]))
    return rows


def print_errors(found: list[Error]) -> None:
    """Prints every case, then the summary."""
    show = {"step": duration, "optimizer": duration, "peak": gigabytes, "state": gigabytes}
    rows = [
        (e.record, e.case, e.what, show[e.what](e.planned), show[e.what](e.recorded), f"{e.ratio:.2f}") for e in found
    ]
    print_table(rows, ("record", "case", "what", "planned", "recorded", "ratio"))
    print()
    print_summary(found)


def print_summary(found: list[Error]) -> None:
    """Prints, for each record and quantity, the least, median and largest planned over recorded."""
    rows = [(*row[:3], *(f"{ratio:.2f}" for ratio in row[3:])) for row in summary(found)]
    print_table(rows, ("record", "what", "cases", "least", "median", "most"))


if __name__ == "__main__":
    try:
        print_errors(errors(*sys.argv[1:2] or ["book/runs"]))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
