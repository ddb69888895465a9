"""Thirteen methods of the book on two tasks under equal tuning: the record behind "The landscape in 2026".

Digits (four hidden layers, batch 128) and masked words (batch 256, 500 steps). Every method gets five learning rates,
a factor 2 apart; a grid whose best rate is at its edge is moved by one until it is not. The rate with the lowest
validation loss on the tuning seeds is run on five fresh seeds, and the loss on test examples that tuning never saw is
what counts. Nothing else is tuned. Warm-up over a tenth of the steps, then linear decay, except for CONSTANT; no
weight decay; beta2 = 0.99 in Adam and its kin, as fits runs this short; all else as published. The record took about
twenty minutes of computing on one core, and more than an hour on a busy machine.
"""

import numpy as np

from minilib import optim
from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.study import Study
from studies.tasks import scored

SIZES = {
    "laptop": {
        # task -> (batch size, steps, batch losses in one point of the curve)
        "tasks": {"digits": (128, 300, 10), "words": (256, 500, 10)},
        "tuning_seeds": {"digits": (100, 101, 102), "words": (100,)},
        "seeds": (0, 1, 2, 3, 4),
        "count": 5,
    },
    "toy": {
        "tasks": {"digits": (32, 2, 1), "words": (8, 2, 1)},
        "tuning_seeds": {"digits": (100,), "words": (100,)},
        "seeds": (0,),
        "count": 1,
    },
}
TRUST = 0.02
BETAS = (0.9, 0.99)
SHAPES = {"digits": {"depth": 4}, "words": {}}
# method -> the learning rate in the middle of its first grid on (digits, words), from a pilot on another seed
MIDDLE = {
    "Nesterov": (0.1, 0.2),
    "AdamW": (0.04, 0.02),
    "LARS": (0.4, 0.8),
    "LAMB": (0.01, 0.02),
    "Adafactor": (0.02, 0.02),
    "CAME": (0.01, 0.005),
    "SM3": (0.2, 0.2),
    "Lion": (0.001, 0.002),
    "AdamMini": (0.02, 0.02),
    "Shampoo": (0.8, 0.4),
    "SOAP": (0.01, 0.01),
    "Muon": (0.02, 0.02),
    "ScheduleFree": (0.04, 0.04),
    "AdamW, constant": (0.005, 0.01),
}
CONSTANT = ("ScheduleFree", "AdamW, constant")  # warm-up, but no decay


def is_table(name):
    """Embeddings: one row a token or a position."""
    return name.startswith(("tokens", "positions"))


def split(named, test):
    return [(n, p) for n, p in named if test(n, p)], [(n, p) for n, p in named if not test(n, p)]


def optimizer(method, named, lr, task):
    """The method with the settings of this study, for the named parameters of one of the two networks."""
    decay = {"weight_decay": 0.0}
    if method == "Nesterov":
        return optim.SGD(named, lr, momentum=0.9, nesterov=True)
    if method in ("LARS", "LAMB"):
        groups = optim.parameter_groups(named, 0.0, layer_adaptation=False)
        if method == "LARS":
            return optim.LARS(groups, lr, trust_coefficient=TRUST)
        return optim.LAMB(groups, lr, betas=BETAS)
    if method == "Adafactor":
        return optim.Adafactor(named, lr, relative_step=False)
    if method == "CAME":
        return optim.CAME(named, lr, betas=(*BETAS, 0.999))
    if method in ("SM3", "Shampoo"):
        return getattr(optim, method)(named, lr, momentum=0.9)
    if method == "Lion":
        return optim.Lion(named, lr)
    if method == "AdamMini":
        tables, others = split(named, lambda n, p: is_table(n))
        groups = [{"params": some, "axis": axis} for some, axis in ((tables, 0), (others, -1)) if some]
        return optim.AdamMini(groups, lr, BETAS)
    if method == "SOAP":
        return optim.SOAP(named, lr, **decay)
    if method == "Muon":
        # hidden matrices; embeddings, first and last layer, biases and norms go to AdamW with the same rate
        middle = {"digits": ("layers.1", "layers.2", "layers.3"), "words": ("blocks",)}[task]
        hidden, others = split(named, lambda n, p: p.data.ndim == 2 and n.startswith(middle))
        muon = optim.Muon(hidden, lr, adjust_lr_fn="match_rms_adamw", **decay)
        return optim.together(muon, optim.AdamW(others, lr, BETAS, **decay))
    if method == "ScheduleFree":
        return optim.ScheduleFree(named, lr, BETAS)
    return optim.AdamW(named, lr, BETAS, **decay)


def one(shape, task, method, lr, seed):
    """[validation loss, test loss, means of the batch losses]; 99 for a run that diverged."""
    batch, steps, window = shape
    kept = []

    def make(named):
        kept.append(optimizer(method, named, lr, task))
        return kept[0]

    def schedule(t):
        return warmup(t, steps // 10) * (1 if method in CONSTANT else polynomial(t, steps))

    judge = scored(task, **SHAPES[task])
    run = train(judge, make, steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 99.0, [99.0] * (steps // window)]
    if method == "ScheduleFree":
        kept[0].eval()
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [s if np.isfinite(s) else 99.0 for s in np.minimum(99.0, judge.scores(run.model))]
    curve = run.losses.reshape(-1, window).mean(axis=1)
    return [*map(float, scores), np.minimum(curve, 99.0).round(4).tolist()]


def main(asked):
    plan = asked.plan
    config = {"trust": TRUST, "betas": BETAS, "middle": MIDDLE, "constant": CONSTANT, **vars(plan)}
    study = Study("landscape", config, asked=asked)

    def scores(task, method, rates, seeds):
        """What `one` returns, (rates, seeds)."""
        keys = [[f"{task} {method} {lr:.8g} {seed}" for seed in seeds] for lr in rates]
        cases = [(keys[i][j], lr, seed) for i, lr in enumerate(rates) for j, seed in enumerate(seeds)]
        done = study.run(
            (k, lambda lr=lr, seed=seed: one(plan.tasks[task], task, method, lr, seed)) for k, lr, seed in cases
        )
        return [[done[k] for k in row] for row in keys]

    curve, results = [], {"unigram": scored("words").unigram_entropy()}
    for k, task in enumerate(plan.tasks):
        results[task] = {}
        for method, middle in MIDDLE.items():
            rates, best, moves = [middle[k] * 2.0 ** (j - plan.count // 2) for j in range(plan.count)], 0, -1
            while best in (0, plan.count - 1) and (moves < 0 or not study.toy):
                if moves >= 0:  # the best rate is at the edge: move the grid by one
                    rates = [lr * (0.5 if best == 0 else 2.0) for lr in rates]
                tuned = scores(task, method, rates, plan.tuning_seeds[task])
                means = [float(np.mean([t[0] for t in row])) for row in tuned]
                best, moves = int(np.argmin(means)), moves + 1
            fresh = scores(task, method, [rates[best]], plan.seeds)[0]
            results[task][method] = {
                "lr": rates[best],
                "rates": rates,
                "tuning": means,
                "moves": moves,
                "test": [f[1] for f in fresh],
                "curves": [f[2] for f in fresh],
            }
            rows = [(rates[best], seed, f) for seed, f in zip(plan.seeds, fresh, strict=True)]
            cases = [zip(plan.tuning_seeds[task], row, strict=True) for row in tuned]
            rows = [(lr, seed, t) for lr, case in zip(rates, cases, strict=True) for seed, t in case] + rows
            curve += [
                {"task": task, "optimizer": method.replace(",", ""), "lr": lr, "seed": seed}
                | {"validation": round(t[0], 5), "test": round(t[1], 5)}
                for lr, seed, t in rows
            ]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
