"""Time of one step of every method on ten million parameters: `make bench NAME=numpy_optim` as a recorded run.

For a quiet machine. The medians and quartiles are over so many rounds; see benchmarks/numpy_optim.py for what is
timed and what the floor of bytes means. A few minutes, most of them for the roots of Shampoo.
"""

import runpy
from pathlib import Path

import numpy as np

from studies.command import start
from studies.study import Study

# rounds; width, layers and vocabulary of the transformer
SIZES = {"laptop": {"repeats": 5, "shape": (256, 10, 8192)}, "toy": {"repeats": 1, "shape": (16, 2, 200)}}


def main(asked):
    bench = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "numpy_optim.py"))
    plan = asked.plan
    shapes = bench["transformer"](*plan.shape)
    study = Study("step-time", vars(plan), asked=asked)
    seconds, state = study.run([("all", lambda: bench["measure"](shapes, plan.repeats))])["all"]
    rows = []
    for name in bench["PASSES"]:
        low, middle, high = (round(1e3 * float(q), 3) for q in np.percentile(seconds[name], [25, 50, 75]))
        row = {"optimizer": name, "ms": middle, "low": low, "high": high}
        rows.append(row | {"state": state.get(name, 0), "floor": bench["floor"](name, shapes)})
    parameters = sum(int(np.prod(s)) for s in shapes)
    study.record(rows, {"parameters": parameters, "copy": float(np.median(seconds["copy"]))})


if __name__ == "__main__":
    start(main, SIZES, "it times the optimizers that are written in NumPy")
