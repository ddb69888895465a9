"""Time of one step of the PyTorch optimizers and their public peers: `make bench NAME=torch_optim` as a recorded run.

For a quiet machine with 2 cores and the peers of benchmarks/requirements-peers.txt installed; without them their rows
are missing. The parameters are BERT-base's; a second part times LAMB at other sizes (16 GB). See
benchmarks/torch_optim.py for what is timed and what the floor means. A quarter of an hour. At size "gpu" a billion
parameters too, on a CUDA card with 80 GB; ten minutes, most of them to compile: estimated, not run.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
import torch

from studies.command import start
from studies.study import Study

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# label -> (parameters, tensors); of the first part BERT-base's, which is (None, None)
LAMB_SIZES = {
    "1 M": (1_000_000, 12),
    "10 M": (10_000_000, 12),
    "110 M": (110_000_000, 12),
    "330 M": (330_000_000, 12),
    "10 M in 1000": (10_000_000, 1000),
}
SIZES = {
    "laptop": {"rounds": 9, "threads": 2, "first": (None, None), "sizes": LAMB_SIZES, "compiles": True},
    "toy": {"rounds": 1, "threads": 1, "first": (1000, 2), "sizes": {"1 k": (1000, 4)}, "compiles": False},
    "gpu": {"rounds": 27, "sizes": LAMB_SIZES | {"1 G": (1_000_000_000, 12)}},
}


def main(asked):
    plan = asked.plan
    sys.path.insert(0, str(BENCHMARKS))
    torch.set_num_threads(plan.threads)
    bench = runpy.run_path(str(BENCHMARKS / "torch_optim.py"))
    table = bench["rows"](plan.compiles)
    lamb = {name: row for name, row in table.items() if row[0] == "LAMB" and name not in bench["PEERS"]}

    def job(rows, parameters, count):
        def run():
            shapes = bench["shapes"](parameters, count)
            seconds, facts, missing = bench["measure"](rows, shapes, plan.rounds, asked.device)
            quartiles = {name: [1e3 * q for q in np.percentile(t, [25, 50, 75])] for name, t in seconds.items()}
            numbers = sum(int(np.prod(s)) for s in shapes)
            return {"ms": quartiles, "facts": facts, "missing": missing, "n": numbers}

        return run

    config = {"rounds": plan.rounds, "threads": plan.threads, "torch": torch.__version__, "sizes": plan.sizes}
    study = Study("torch-step", config, asked=asked)
    jobs = [("BERT-base", job(table, *plan.first)), *((label, job(lamb, *size)) for label, size in plan.sizes.items())]
    done = study.run(jobs)
    rows = []
    for size, result in done.items():
        n = result["n"]
        rate = max(8 * n / result["ms"]["copy"][1], 12 * n / result["ms"]["x += a g"][1])  # bytes a millisecond
        for name, facts in result["facts"].items():
            method = table[name][0]
            low, middle, high = (round(q, 3) for q in result["ms"][name])
            row = {"size": size, "row": name.replace(",", ""), "method": method, "ms": middle, "low": low, "high": high}
            row |= {"floor": round(bench["bytes_per_parameter"](method) * n / rate, 3), "state": facts["state"]}
            rows.append(row | {"peak": facts["peak"], "first": round(facts["first"], 2)})
    rates = {size: 1e-6 * 12 * r["n"] / r["ms"]["x += a g"][1] for size, r in done.items()}
    study.record(rows, {"bandwidth": rates, "missing": done["BERT-base"]["missing"]})


if __name__ == "__main__":
    start(main, SIZES)
