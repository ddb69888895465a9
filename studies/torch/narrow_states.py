"""What optimizer state in bfloat16 and in one byte costs: in loss on words, and in time a step.

`minilib.torch_optim` steps on the NumPy transformer of the words task (batch 128, 500 steps; weights and gradients stay
float32, so that the state alone is asked about). AdamW is `LAMB` without layer adaptation, with Adam's epsilon. The
rate of each method is chosen for float32 state, on two tuning seeds by the validation loss; the other types of state
take it as it is, on ten fresh seeds, and the loss on test text counts. Bytes are given to matrices from 256 numbers on,
not from 4,096 on: the model is small. Warm-up over a tenth of the steps, then linear decay, no weight decay; all else
as published. `studies/designs.md` has the claims.

Two arms are no option of the library. "to nearest" rounds bfloat16 to nearest, as a package does that keeps its
averages in bfloat16. "linear" has codes that are equal steps of the number, rounded to nearest: it must lose.

Times are seconds of the processor, on one matrix and one thread, compiled and not. About ten minutes of one core.
"""

from time import process_time
from unittest import mock

import numpy as np
import torch

from minilib import torch_optim
from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.schedules import polynomial, warmup
from minilib.torch_optim import cannot_compile, narrow
from studies.command import start
from studies.rates import inside
from studies.study import Study
from studies.tasks import scored

SIZES = {
    "laptop": {
        "batch": 128,
        "steps": 500,
        "count": 5,
        "tuning_seeds": (100, 101),
        "seeds": tuple(range(10)),
        "matrix": (1024, 2048),
        "rounds": 15,
        "compiles": True,
    },
    "toy": {
        "batch": 8,
        "steps": 2,
        "count": 1,
        "tuning_seeds": (100,),
        "seeds": (0,),
        "matrix": (64, 128),
        "rounds": 1,
        "compiles": False,
    },
}
LEAST = 256
# method -> its class, its options, the middle of its five rates
METHODS = {
    "AdamW": (torch_optim.LAMB, {"layer_adaptation": False, "weight_decay": 0.0, "eps": 1e-8}, 0.02),
    "CAME": (torch_optim.CAME, {}, 0.00125),
}
TYPES = {"float32": None, "bfloat16": torch.bfloat16, "bytes": torch.uint8}
WRONG = {"to nearest": torch.bfloat16, "linear": torch.uint8}
ARMS = [(method, kind) for method in METHODS for kind in TYPES] + [("AdamW", kind) for kind in WRONG]


def nearest(x, scale, seed, dtype):
    """In place of `narrow.rounded`: bfloat16 to nearest, codes that are equal steps of the number."""
    if dtype is torch.bfloat16:
        return x.to(dtype)
    return (x / scale * torch.iinfo(dtype).max).round().to(dtype)


class Borrowed:
    """A torch optimizer of NumPy's parameters, whose memory it shares; remembers the longest move of an entry."""

    def __init__(self, named, method, kind, lr):
        cls, options, _ = METHODS[method]
        self.arrays = [p for _, p in named]
        self.tensors = [torch.nn.Parameter(torch.from_numpy(p.data)) for p in self.arrays]
        self.opt = cls(self.tensors, lr=lr, state_dtype=(TYPES | WRONG)[kind], **options)
        self.param_groups, self.longest = self.opt.param_groups, 0.0

    def zero_grad(self):
        for p in self.arrays:
            p.grad = None

    def step(self):
        for p, t in zip(self.arrays, self.tensors, strict=True):
            t.grad = torch.from_numpy(np.ascontiguousarray(p.grad, p.data.dtype))
        before = [p.data.copy() for p in self.arrays]
        self.opt.step()
        moves = [np.abs(p.data - old).max() for p, old in zip(self.arrays, before, strict=True)]
        if lr := self.param_groups[0]["lr"]:
            self.longest = max(self.longest, float(max(moves)) / lr)


def changed(kind):
    """The library as an arm wants it."""
    parts = {"LEAST": LEAST}
    if kind in WRONG:
        parts |= {"rounded": nearest, "spread": lambda share: share}
    return mock.patch.multiple(narrow, **parts)


def one(batch, steps, method, kind, lr, seed):
    """[validation loss, test loss, longest move in learning rates, bytes of state]; 99 for a run that diverged."""
    kept, task = [], scored("words")

    def make(named):
        kept.append(Borrowed(named, method, kind, lr))
        return kept[0]

    with changed(kind):
        try:
            run = train(task, make, steps, batch, seed, lambda t: warmup(t, steps // 10) * polynomial(t, steps))
        except ValueError:  # a gradient whose square is not finite
            run = None
    held = [kept[0].longest, kept[0].opt.state_bytes()]
    if run is None or run.diverged:
        return [99.0, 99.0, *held]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [s if np.isfinite(s) else 99.0 for s in np.minimum(99.0, task.scores(run.model))]
    return [*map(float, scores), *held]


def milliseconds(shape, rounds, compiles):
    """arm -> quartiles of the processor's milliseconds in a step on one matrix; arms take turns."""
    opts = {}
    for method, kind in ARMS:
        if kind in WRONG:
            continue
        for way in [False] + [True] * (compiles and not cannot_compile()):
            p = torch.nn.Parameter(torch.randn(shape, generator=torch.Generator().manual_seed(0)))
            p.grad = torch.randn(shape, generator=torch.Generator().manual_seed(1))
            cls, options, _ = METHODS[method]
            opt = cls([p], lr=1e-3, state_dtype=TYPES[kind], compile=way, **options)
            opts[f"{method} {kind} {'compiled' if way else 'eager'}"] = opt
            for _ in range(2):
                opt.step()
    times = {name: [] for name in opts}
    for _ in range(rounds):
        for name, opt in opts.items():
            first = process_time()
            opt.step()
            times[name].append(1e3 * (process_time() - first))
    return {name: np.percentile(t, [25, 50, 75]).tolist() for name, t in times.items()}


def main(asked):
    plan = asked.plan
    torch.set_num_threads(1)
    config = {"least": LEAST, "middle": {name: m[2] for name, m in METHODS.items()}, **vars(plan)}
    study = Study("narrow-states", config, asked=asked)

    def job(method, kind, lr, seed):
        return f"{method} {kind} {lr:.8g} {seed}", lambda: one(plan.batch, plan.steps, method, kind, lr, seed)

    rates, results = {}, {"unigram": scored("words").unigram_entropy()}
    for method, (*_, middle) in METHODS.items():
        grid = [middle * 2.0 ** (j - plan.count // 2) for j in range(plan.count)]
        done = study.run(job(method, "float32", lr, seed) for lr in grid for seed in plan.tuning_seeds)
        tuned = [np.mean([done[job(method, "float32", lr, s)[0]][0] for s in plan.tuning_seeds]) for lr in grid]
        rates[method] = inside(study, grid, tuned, method)
    done = study.run(job(method, kind, rates[method], seed) for seed in plan.seeds for method, kind in ARMS)
    done |= study.run([("times", lambda: milliseconds(plan.matrix, plan.rounds, plan.compiles))])
    curve = []
    for method, kind in ARMS:
        found = [done[job(method, kind, rates[method], seed)[0]] for seed in plan.seeds]
        fields = dict(zip(("validation", "test", "longest", "bytes"), map(list, zip(*found, strict=True)), strict=True))
        results[f"{method} {kind}"] = {"lr": rates[method]} | fields
        for seed, (_, test, longest, held) in zip(plan.seeds, found, strict=True):
            row = {"method": method, "state": kind, "seed": seed, "test": round(test, 5), "bytes": held}
            curve.append(row | {"longest": float(f"{longest:.4g}")})
    study.record(curve, results | {"milliseconds": done["times"]}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, "its model is written in NumPy")
