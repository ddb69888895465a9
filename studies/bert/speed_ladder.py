"""A ladder of speed: a BERT training step, made faster rung by rung, each with all that stands below it.

The rungs: float32 with attention written out and a loop over the parameters; TF32 products (on a card); attention in
one kernel; AdamW in one kernel; the model compiled; bfloat16 under autocast. Every round takes one step on every rung,
so a drift of the machine hits all alike. On a processor also: how fast a product of matrices in bfloat16 is, over
float32, as the processor is and with no newer instructions than AVX2, which has none for bfloat16. For a quiet machine;
one minute on two cores, several where the processor has no bfloat16. At size "gpu" BERT-base, 256 rows of 128; three
minutes, most of them to compile: estimated, not run.
"""

import contextlib
import os
import runpy
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from minilib.training import device
from studies.command import start
from studies.study import Study

RATE = 0.15
SIZES = {
    "laptop": {"case": ("bert-tiny", 4096, 64, 64), "rounds": 15, "threads": 2},
    "toy": {"case": ("bert-tiny", 400, 16, 2), "rounds": 2},
    "gpu": {"case": ("bert-base", 30_522, 128, 256), "rounds": 30},
}
# rung -> what is switched on there
RUNGS = {
    "float32": (),
    "TF32": ("tf32",),
    "one kernel for attention": ("attention",),
    "one kernel for AdamW": ("adamw",),
    "compiled": ("compiled",),
    "bfloat16": ("bf16",),
}


def stepper(bench, case, batch, place, on: set[str]):
    """A function that takes one step with these switches."""
    torch.manual_seed(0)
    model = bench["Ours"](case).to(place).train()
    if "compiled" in on:
        model.compile()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused="adamw" in on, foreach=False)

    def step():
        torch.set_float32_matmul_precision("high" if "tf32" in on else "highest")
        attention = contextlib.nullcontext() if "attention" in on else sdpa_kernel(SDPBackend.MATH)
        with attention, torch.autocast(place.type, torch.bfloat16, enabled="bf16" in on):
            loss = model(**batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        device.wait(place)

    return step


def measure(plan, place) -> dict[str, list[float]]:
    """rung -> seconds of a step, round by round."""
    bench = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "pretrain.py"))
    case, on, steps = bench["Case"](*plan.case), set(), {}
    batch = bench["draw"](case, RATE, place)
    for rung, switches in RUNGS.items():
        if rung == "TF32" and place.type != "cuda":
            continue
        on = on | set(switches)
        steps[rung] = stepper(bench, case, batch, place, on)
    for step in steps.values():  # the first steps compile and allocate
        step()
        step()
    seconds = {rung: [] for rung in steps}
    for _ in range(plan.rounds):
        for rung, step in steps.items():
            began = perf_counter()
            step()
            seconds[rung].append(perf_counter() - began)
    torch.set_float32_matmul_precision("highest")
    return seconds


GAIN = """
import sys
import torch
from minilib.training.device import matmul_rate
place = torch.device(sys.argv[1])
print(matmul_rate(place, torch.bfloat16, 512) / matmul_rate(place, torch.float32, 512))
"""


def products(place) -> dict[str, float]:
    """Instructions -> rate of a product in bfloat16 over float32: one thread, 512 rows, each in its own process."""
    rates = {}
    for name, limit in (("all", {}), ("AVX2", {"ONEDNN_MAX_CPU_ISA": "AVX2"})):
        env = os.environ | {"OMP_NUM_THREADS": "1"} | limit
        command = [sys.executable, "-c", GAIN, place.type]
        told = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
        rates[name] = float(f"{float(told):.3g}")
    return rates


def main(asked):
    plan, place = asked.plan, device.pick(asked.device)
    torch.set_num_threads(plan.threads)
    config = {"case": plan.case, "rounds": plan.rounds, "threads": plan.threads, "mask_rate": RATE}
    study = Study("speed-ladder", config, asked=asked)
    seconds = study.run([("ladder", lambda: measure(plan, place))])["ladder"]
    gains = study.run([("products", lambda: products(place))])["products"] if place.type == "cpu" else {}
    first, rows = np.array(seconds["float32"]), []
    for rung, taken in seconds.items():
        low, middle, high = np.percentile(taken, [25, 50, 75])
        gain = np.median(first / np.array(taken))
        numbers = {"ms": 1000 * middle, "low": 1000 * low, "high": 1000 * high, "times": gain}
        rows.append({"rung": rung} | {name: float(f"{value:.4g}") for name, value in numbers.items()})
    tokens = plan.case[2] * plan.case[3]
    fastest = round(tokens / min(row["ms"] for row in rows) * 1000)
    study.record(rows, {"tokens": tokens, "tokens_per_second": fastest, "bfloat16 over float32": gains})


if __name__ == "__main__":
    start(main, SIZES)
