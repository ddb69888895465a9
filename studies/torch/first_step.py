"""What the first compiled step of `minilib.torch_optim` costs, and from which step on it has paid.

A process of its own for each run, on one thread. LAMB and CAME step on seven million parameters of BERT-base's shapes:
not compiled; compiled, with an empty folder for what the compiler keeps; and compiled again in a new process, which
finds that folder full. Counted are seconds of the processor, those of the C++ compiler with them, and the files of C++
that were written: on a busy machine the clock on the wall tells less. Three rounds; about four minutes of one core.

It decides nothing between methods, so it has no claims: it says what a reader waits for, and how soon that is repaid.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from minilib.torch_optim import cannot_compile
from studies.command import start
from studies.study import Study

SIZES = {
    "laptop": {
        "methods": ("LAMB", "CAME"),
        "shapes": ((768, 768),) * 4 + ((3072, 768), (768, 3072)) + ((768,),) * 8,
        "steps": 12,
        "rounds": 3,
        "compiles": True,
    },
    "toy": {"methods": ("LAMB",), "shapes": ((4, 4),), "steps": 2, "rounds": 1, "compiles": False},
}
CHILD = """
import json, resource, sys
import torch
from minilib import torch_optim

method, compiles, shapes, steps = json.loads(sys.argv[1])
torch.set_num_threads(1)

def used():
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in found)

make, taken = torch.Generator().manual_seed(0), []
params = [torch.nn.Parameter(torch.randn(shape, generator=make)) for shape in shapes]
for p in params:
    p.grad = torch.randn(p.shape, generator=make)
opt = getattr(torch_optim, method)(params, compile=compiles)
for _ in range(steps):
    begun = used()
    opt.step()
    taken.append(used() - begun)
print(json.dumps(taken))
"""


def seconds(method, compiles, plan, folder) -> list[float]:
    """Of the processor, for each step of a new process that keeps compiled code in `folder`."""
    asked = json.dumps([method, compiles, plan.shapes, plan.steps])
    here = {"TORCHINDUCTOR_CACHE_DIR": folder, "PYTHONPATH": str(Path(__file__).parents[2])}
    here |= {"TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", CHILD, asked], env=os.environ | here, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def one(method, plan) -> dict:
    """way -> seconds of each step, and how many files of C++ the compiler wrote."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"not compiled": seconds(method, False, plan, folder)}
        if plan.compiles and not cannot_compile():
            found |= {way: seconds(method, True, plan, folder) for way in ("compiled", "compiled again")}
        return found | {"files": len([*Path(folder).rglob("*.main.cpp")] or [*Path(folder).rglob("*.cpp")])}


def main(asked):
    plan = asked.plan
    study = Study("first-step", vars(plan), asked=asked)
    jobs = [(f"{method} {k}", method) for k in range(plan.rounds) for method in plan.methods]
    done = study.run((key, lambda method=method: one(method, plan)) for key, method in jobs)
    curve, results = [], {}
    for method in plan.methods:
        rounds = [done[key] for key, name in jobs if name == method]
        results[method] = {"files": [found["files"] for found in rounds]}
        for way in [way for way in rounds[0] if way != "files"]:
            first, later = ([r[way][0] for r in rounds], [float(np.median(r[way][1:])) for r in rounds])
            results[method][way] = {"first": first, "later": later}
            row = {"method": method, "way": way, "first": round(float(np.median(first)), 2)}
            curve.append(row | {"later": round(float(np.median(later)), 5)})
    study.record(curve, results | {"parameters": sum(int(np.prod(shape)) for shape in plan.shapes)})


if __name__ == "__main__":
    start(main, SIZES, "what the C++ compiler costs is asked")
