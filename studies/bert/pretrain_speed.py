"""Tokens a second of a BERT training step, ours and Hugging Face's: `make bench NAME=pretrain` as a recorded run.

For a quiet machine with 2 cores. See benchmarks/pretrain.py for what is timed and what utilisation means. In float32,
and in bfloat16 too where the device is faster with it. Some ten minutes. At size "gpu" BERT-base, compiled too, on a
card with 80 GB; five minutes, most of them to compile: estimated, not run.
"""

import runpy
from pathlib import Path

import torch
import transformers

from minilib.training import device
from studies.command import start
from studies.study import Study

RATE = 0.15
SIZES = {
    "laptop": {"rounds": 9, "threads": 2, "cases": "CPU_CASES", "count": None, "compiled": False},
    "toy": {"rounds": 1, "count": 1},
    "gpu": {"rounds": 27, "cases": "GPU_CASES", "compiled": True},
}


def main(asked):
    plan, place = asked.plan, device.pick(asked.device)
    torch.set_num_threads(plan.threads)
    bench = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "pretrain.py"))
    precisions = sorted({"fp32", device.precision(place)} & bench["DTYPES"].keys(), reverse=True)
    shapes = bench[plan.cases][: plan.count]
    cases = {f"{case}, {precision}": (case, precision) for case in shapes for precision in precisions}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    config = {"rounds": plan.rounds, "threads": plan.threads, "mask_rate": RATE, **versions}
    study = Study("pretrain-speed", config, asked=asked)

    def job(case, precision):
        return lambda: bench["measure"](case, precision, RATE, plan.rounds, place, plan.compiled)

    done = study.run([(label, job(*what)) for label, what in cases.items()])
    rows, products = [], {}
    for label, (case, precision) in cases.items():
        products.setdefault(precision, []).append(done[label]["rate"])
        for name, numbers in bench["summary"](case, done[label]["seconds"], done[label]["floor"]).items():
            row = {**case._asdict(), "precision": precision, "row": name.replace(",", "")}
            rows.append(row | {key: float(f"{value:.4g}") for key, value in numbers.items()})
    study.record(rows, {"product_gflops": {p: [round(r / 1e9, 1) for r in all] for p, all in products.items()}})


if __name__ == "__main__":
    start(main, SIZES)
