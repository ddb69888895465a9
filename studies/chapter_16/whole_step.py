"""How long does a whole training step take, with one row and with many? Three models, four optimizers, one thread.

Forward, backward and optimizer of models with four layers of width 256 and a vocabulary of 2,048, rows of 32 random
tokens; the median, the least and the most of REPEAT steps after the first two. Two minutes; on a machine where nothing
else runs.
"""

import statistics
from time import perf_counter

import torch

from minilib.experiments.study import Study
from minilib.models import registry
from minilib.training.optimizers import optimizer

MODELS, ROWS, OPTIMIZERS = ("bert-tiny", "gpt2", "t5-small"), (1, 32), ("adamw", "lamb", "adafactor", "came")
SHAPE = {"layers": 4, "width": 256, "heads": 4, "vocabulary": 2048}
LENGTH, GUESSED, REPEAT, CPU = 32, 5, 9, torch.device("cpu")


def batch_for(name: str, rows: int) -> dict[str, torch.Tensor]:
    """Random tokens as the model of this name wants them."""
    make = torch.Generator().manual_seed(0)

    def tokens(length):
        return torch.randint(5, SHAPE["vocabulary"], (rows, length), generator=make)

    if name.startswith("gpt2"):
        return {"tokens": tokens(LENGTH + 1)}
    batch = {"tokens": tokens(LENGTH), "targets": tokens(GUESSED)}
    return batch | ({"positions": torch.arange(GUESSED).repeat(rows, 1)} if name.startswith("bert") else {})


def measure(name: str, rows: int, method: str) -> list[float]:
    """Milliseconds of each step."""
    torch.manual_seed(0)
    model = registry.model(name, **SHAPE)
    opt, batch, taken = optimizer(method, model, 1e-3, 0.01, CPU), batch_for(name, rows), []
    for _ in range(REPEAT + 2):
        start = perf_counter()
        model(batch).loss.backward()
        opt.step()
        opt.zero_grad()
        taken.append(1e3 * (perf_counter() - start))
    return [round(t, 2) for t in taken[2:]]


def main():
    torch.set_num_threads(1)
    study = Study("whole-step", {"shape": SHAPE, "length": LENGTH, "guessed": GUESSED, "repeat": REPEAT})
    cases = {f"{m} {rows} {o}": (m, rows, o) for m in MODELS for rows in ROWS for o in OPTIMIZERS}
    done = study.run([(key, lambda case=case: measure(*case)) for key, case in cases.items()])
    curve = []
    for key, (model, rows, method) in cases.items():
        ms = done[key]
        numbers = {"ms": statistics.median(ms), "least": min(ms), "most": max(ms)}
        curve.append({"model": model, "rows": rows, "optimizer": method} | numbers)
    base = {(r["model"], r["rows"]): r["ms"] for r in curve if r["optimizer"] == "adamw"}
    ratios = {key: round(statistics.median(ms) / base[cases[key][:2]], 2) for key, ms in done.items()}
    study.record(curve, {"of AdamW's median": ratios})


if __name__ == "__main__":
    main()
