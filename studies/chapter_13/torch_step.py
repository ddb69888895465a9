"""Time of one step of the PyTorch optimizers and their public peers: `make bench-torch` as a recorded run.

For a quiet machine with 2 cores and the peers of benchmarks/requirements-peers.txt installed; without them their rows
are missing. The parameters are BERT-base's; a second part times the same methods at other sizes. See
benchmarks/torch_optim.py for what is timed and what the floor means. A quarter of an hour.
"""

import runpy
import sys
from pathlib import Path

import numpy as np
import torch

from minilib.experiments.study import Study

ROUNDS, THREADS = 9, 2
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# label -> (parameters, tensors)
SIZES = {
    "1 M": (1_000_000, 12),
    "10 M": (10_000_000, 12),
    "110 M": (110_000_000, 12),
    "330 M": (330_000_000, 12),
    "10 M in 1000": (10_000_000, 1000),
}


def main():
    sys.path.insert(0, str(BENCHMARKS))
    torch.set_num_threads(THREADS)
    bench = runpy.run_path(str(BENCHMARKS / "torch_optim.py"))
    table = bench["rows"]()
    ours = {name: row for name, row in table.items() if name not in bench["PEERS"]}

    def job(rows, parameters=None, count=None):
        def run():
            shapes = bench["shapes"](parameters, count)
            seconds, facts, missing = bench["measure"](rows, shapes, ROUNDS, "cpu")
            quartiles = {name: [1e3 * q for q in np.percentile(t, [25, 50, 75])] for name, t in seconds.items()}
            numbers = sum(int(np.prod(s)) for s in shapes)
            return {"ms": quartiles, "facts": facts, "missing": missing, "n": numbers}

        return run

    study = Study("torch-step", {"rounds": ROUNDS, "threads": THREADS, "torch": torch.__version__, "sizes": SIZES})
    jobs = [("BERT-base", job(table)), *((label, job(ours, *size)) for label, size in SIZES.items())]
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
    main()
