"""Tokens a second of a BERT training step, ours and Hugging Face's: `make bench-pretrain` as a recorded run.

For a quiet machine with 2 cores. See benchmarks/pretrain.py for what is timed and what utilisation means. In float32,
and in bfloat16 too where the processor is faster with it. Some ten minutes.
"""

import runpy
from pathlib import Path

import torch
import transformers

from minilib.experiments.study import Study
from minilib.training import device

ROUNDS, THREADS, RATE = 9, 2, 0.15
CPU = torch.device("cpu")


def main():
    torch.set_num_threads(THREADS)
    bench = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "pretrain.py"))
    precisions = sorted({"fp32", device.precision(CPU)}, reverse=True)
    cases = {f"{case}, {precision}": (case, precision) for case in bench["CPU_CASES"] for precision in precisions}
    versions = {"torch": torch.__version__, "transformers": transformers.__version__}
    study = Study("pretrain-speed", {"rounds": ROUNDS, "threads": THREADS, "mask_rate": RATE, **versions})

    def job(case, precision):
        return lambda: bench["measure"](case, precision, RATE, ROUNDS, CPU)

    done = study.run([(label, job(*what)) for label, what in cases.items()])
    rows, products = [], {}
    for label, (case, precision) in cases.items():
        products.setdefault(precision, []).append(done[label]["rate"])
        for name, numbers in bench["summary"](case, done[label]["seconds"], done[label]["floor"]).items():
            row = {**case._asdict(), "precision": precision, "row": name.replace(",", "")}
            rows.append(row | {key: float(f"{value:.4g}") for key, value in numbers.items()})
    study.record(rows, {"product_gflops": {p: [round(r / 1e9, 1) for r in all] for p, all in products.items()}})


if __name__ == "__main__":
    main()
