"""How long does a whole training step take, with one row and with many? Three models, four optimizers, one thread.

Forward, backward and optimizer of models with four layers of width 256 and a vocabulary of 2,048, rows of 32 random
tokens; the median, the least and the most of some steps after the first two. Two minutes; on a machine where nothing
else runs. At size "gpu" 12 layers of width 768, a vocabulary of 30,522, up to 256 rows of 128: 3e13 operations in the
largest step, a minute for all at a tenth of the rate of an H200: estimated, not run. Needs a card with 80 GB.
"""

import statistics
from time import perf_counter

import torch

from minilib.models import registry
from minilib.training.device import pick, wait
from minilib.training.optimizers import optimizer
from studies.command import start
from studies.pretraining import autocast
from studies.study import Study

MODELS, OPTIMIZERS = ("bert-tiny", "gpt2", "t5-small"), ("adamw", "lamb", "adafactor", "came")
SIZES = {
    "laptop": {
        "shape": {"layers": 4, "width": 256, "heads": 4, "vocabulary": 2048},
        "rows": (1, 32),
        "length": 32,
        "guessed": 5,
        "repeat": 9,
    },
    "toy": {
        "shape": {"layers": 1, "width": 16, "heads": 2, "vocabulary": 64},
        "rows": (1,),
        "length": 8,
        "guessed": 2,
        "repeat": 1,
    },
    "gpu": {
        "shape": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 30_522},
        "rows": (1, 32, 256),
        "length": 128,
        "guessed": 19,
        "repeat": 27,
        "precision": "fastest",
    },
}


def batch_for(plan, name: str, rows: int) -> dict[str, torch.Tensor]:
    """Random tokens as the model of this name wants them."""
    make = torch.Generator().manual_seed(0)

    def tokens(length):
        return torch.randint(5, plan.shape["vocabulary"], (rows, length), generator=make)

    if name.startswith("gpt2"):
        return {"tokens": tokens(plan.length + 1)}
    batch = {"tokens": tokens(plan.length), "targets": tokens(plan.guessed)}
    return batch | ({"positions": torch.arange(plan.guessed).repeat(rows, 1)} if name.startswith("bert") else {})


def measure(asked, name: str, rows: int, method: str) -> list[float]:
    """Milliseconds of each step."""
    torch.manual_seed(0)
    plan, device, taken = asked.plan, pick(asked.device), []
    model = registry.model(name, **plan.shape).to(device)
    opt = optimizer(method, model, 1e-3, 0.01, device)
    batch = {key: t.to(device) for key, t in batch_for(plan, name, rows).items()}
    for _ in range(plan.repeat + 2):
        wait(device)
        began = perf_counter()
        with autocast(asked):
            loss = model(batch).loss
        loss.backward()
        opt.step()
        opt.zero_grad()
        wait(device)
        taken.append(1e3 * (perf_counter() - began))
    return [round(t, 2) for t in taken[2:]]


def main(asked):
    torch.set_num_threads(1)
    plan = asked.plan
    config = {name: getattr(plan, name) for name in ("shape", "length", "guessed", "repeat")}
    study = Study("whole-step", config, asked=asked)
    cases = {f"{m} {rows} {o}": (m, rows, o) for m in MODELS for rows in plan.rows for o in OPTIMIZERS}
    done = study.run([(key, lambda case=case: measure(asked, *case)) for key, case in cases.items()])
    curve = []
    for key, (model, rows, method) in cases.items():
        ms = done[key]
        numbers = {"ms": statistics.median(ms), "least": min(ms), "most": max(ms)}
        curve.append({"model": model, "rows": rows, "optimizer": method} | numbers)
    base = {(r["model"], r["rows"]): r["ms"] for r in curve if r["optimizer"] == "adamw"}
    ratios = {key: round(statistics.median(ms) / base[cases[key][:2]], 2) for key, ms in done.items()}
    study.record(curve, {"of AdamW's median": ratios})


if __name__ == "__main__":
    start(main, SIZES)
