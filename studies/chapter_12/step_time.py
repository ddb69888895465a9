"""Time of one step of every method on ten million parameters: `make bench` as a recorded run.

For a quiet machine. The medians and quartiles are over REPEATS rounds; see benchmarks/numpy_optim.py for what is
timed and what the floor of bytes means. A few minutes, most of them for the roots of Shampoo.
"""

import runpy
from pathlib import Path

import numpy as np

from minilib.experiments.study import Study

REPEATS, SHAPE = 5, (256, 10, 8192)  # rounds; width, layers and vocabulary of the transformer


def main():
    bench = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "numpy_optim.py"))
    shapes = bench["transformer"](*SHAPE)
    study = Study("step-time", {"repeats": REPEATS, "shape": SHAPE})
    seconds, state = study.run([("all", lambda: bench["measure"](shapes, REPEATS))])["all"]
    rows = []
    for name in bench["PASSES"]:
        low, middle, high = (round(1e3 * float(q), 3) for q in np.percentile(seconds[name], [25, 50, 75]))
        row = {"optimizer": name, "ms": middle, "low": low, "high": high}
        rows.append(row | {"state": state.get(name, 0), "floor": bench["floor"](name, shapes)})
    parameters = sum(int(np.prod(s)) for s in shapes)
    study.record(rows, {"parameters": parameters, "copy": float(np.median(seconds["copy"]))})


if __name__ == "__main__":
    main()
