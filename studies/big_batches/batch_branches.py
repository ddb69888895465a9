"""The critical batch of one stretch of a run, measured by branching, against what the noise scale foretells: digits.

Two trunks: SGD on batches of 16 at its tuned rate, and full-batch descent at a quarter of its best rate. Where the
training loss first falls to 1, 1/2, 1/4, 1/8 and 1/16 the trunk's weights are kept, and from each of these five places
six runs go on, with batches from 2 to the full 1,437, until the loss has halved. Every batch gets eleven rates, a
factor of sqrt(2) apart; three trunks of their own choose among them, two orders of the data each, and ten other trunks
are reported, the median of four orders each. Beside this stands the noise scale at every step of the trunk, exactly.
What it is to decide stands in studies/designs.md. Larger: seeds, draws. About seven minutes on one core.
"""

from functools import cache, partial

import numpy as np

from minilib.experiments.sweep import Sweep, steps_to
from minilib.optim import SGD
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits

SIZES = {
    "laptop": {
        "trunks": {"batch 16": (16, 0.6), "slow": (1437, 0.25)},
        "levels": (1.0, 0.5, 0.25, 0.125, 0.0625),
        "batches": (2, 8, 32, 128, 512, 1437),
        "factors": [2 ** (k / 2) for k in range(-5, 6)],
        "limit": 20_000,
        "tuning_seeds": (100, 101, 102),
        "tuning_draws": 2,
        "seeds": tuple(range(10)),
        "draws": 4,
    },
    "toy": {
        "trunks": {"batch 16": (16, 0.6)},
        "levels": (2.2,),
        "batches": (32,),
        "factors": [1.0],
        "limit": 20,
        "tuning_seeds": (100,),
        "tuning_draws": 1,
        "seeds": (0,),
        "draws": 1,
    },
}


def rates(plan, b):
    """Around the rate that McCandlish et al. (2018) suggest, with the constants of the study of batch sizes."""
    return [round(factor / (1 + 20 / b), 6) for factor in plan.factors]


def loss_and_noise(model):
    """The training loss, and the noise scale from all sample gradients, which are outer products a d'."""
    task, (first, last) = digits(), model.layers
    h = np.maximum(task.x @ first.weight.data + first.bias.data, 0)
    z = h @ last.weight.data + last.bias.data
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.log(p[np.arange(task.n), task.y]).mean()
    p[np.arange(task.n), task.y] -= 1
    lengths, full = 0.0, 0.0
    for a, d in ((task.x, (p @ last.weight.data.T) * (h > 0)), (h, p)):
        # |a d'|² + |d|² = (|a|² + 1) |d|²: weights and bias
        lengths += (((a**2).sum(axis=1) + 1) * (d**2).sum(axis=1)).mean()
        full += ((a.T @ d / task.n) ** 2).sum() + (d.mean(axis=0) ** 2).sum()
    return loss, lengths / full - 1


@cache
def trunk(b, lr, seed, levels):
    """Rows (loss, noise scale) before every step until half of the last level, and {level: (step, weights)}."""
    task, draw = digits(), np.random.default_rng(seed)
    model, rows, kept = task.model(draw), [], {}
    opt = SGD(model.parameters(), lr=lr)
    while not rows or rows[-1][0] > levels[-1] / 2:
        rows.append(loss_and_noise(model))
        for level in levels:
            if level not in kept and rows[-1][0] <= level:
                kept[level] = len(rows) - 1, [p.data.copy() for p in model.parameters()]
        opt.zero_grad()
        task.loss(model, draw.permutation(task.n)[:b]).backward()
        opt.step()
    return np.array(rows), kept


def branch(plan, name, level, b, lrs, seeds, draws, limit=None):
    """Steps until the loss has halved: an array (rates, seeds, draws) as lists; infinite after `limit` steps."""
    trunks = [trunk(*plan.trunks[name], seed, plan.levels)[1] for seed in seeds]
    sweep = Sweep(digits(), SGD, lrs, [0] * (len(seeds) * draws), b)
    for k, p in enumerate(sweep.params):
        weights = np.stack([np.atleast_2d(kept[level][1][k]) for kept in trunks]).astype(sweep.dtype)
        p.data = np.repeat(np.repeat(weights, draws, axis=0)[None], len(lrs), axis=0)
    order = [(seed, draw, round(1e4 * level)) for seed in seeds for draw in range(draws)]
    sweep.rngs = [np.random.default_rng(entropy) for entropy in order]
    steps, _ = steps_to(sweep, [level / 2], limit or plan.limit, patience=1.5)
    return steps[0].reshape(len(lrs), len(seeds), draws).round(2).tolist()


def long_enough(plan, *case):
    """The same for one rate, only so far that what has not arrived is slower than twice the median and cut there."""
    for limit in (plan.limit // 128, plan.limit // 16, plan.limit):
        steps = branch(plan, *case, limit)
        if 2 * np.median(np.median(steps, axis=2)) < limit:
            break
    return steps


def one_valley(steps):
    """Median steps for each rate; infinite from the first rate on that fails above one that arrives."""
    median = np.median(steps.reshape(len(steps), -1), axis=1)
    failed = np.isinf(median) & (np.cumsum(np.isfinite(median)) > 0)
    return np.where(np.cumsum(failed) > 0, np.inf, median)


def of_trunk(plan, name, seed):
    """The step at which each level is reached and half of the last one, and the noise scale at every step."""
    rows, _ = trunk(*plan.trunks[name], seed, plan.levels)
    levels = [*plan.levels, plan.levels[-1] / 2]
    at = [int(np.argmax(rows[:, 0] <= level)) for level in levels]
    return {"at": at, "loss": rows[:, 0].round(4).tolist(), "noise": [float(f"{v:.4g}") for v in rows[:, 1]]}


def main(asked):
    plan = asked.plan
    study = Study("batch-branches", vars(plan), asked=asked)
    cases = [(name, level, b) for name in plan.trunks for level in plan.levels for b in plan.batches]
    key = "{}, {}, {}".format
    tuning = study.run(
        (
            "tuning " + key(*case),
            partial(branch, plan, *case, rates(plan, case[2]), plan.tuning_seeds, plan.tuning_draws),
        )
        for case in cases
    )
    chosen = {}
    for case in cases:
        steps = np.array(tuning["tuning " + key(*case)])
        chosen[key(*case)] = inside(study, rates(plan, case[2]), one_valley(steps), key(*case))
    done = study.run(
        (key(*case), partial(long_enough, plan, *case, [chosen[key(*case)]], plan.seeds, plan.draws)) for case in cases
    )
    pairs = [(name, seed) for name in plan.trunks for seed in plan.seeds]
    along = study.run((f"trunk {name}, {seed}", partial(of_trunk, plan, name, seed)) for name, seed in pairs)
    curve = [
        {"trunk": name, "level": level, "batch": b, "lr": chosen[key(name, level, b)], "seed": seed, "draw": draw}
        | {"steps": steps}
        for name, level, b in cases
        for seed, every in zip(plan.seeds, done[key(name, level, b)][0], strict=True)
        for draw, steps in enumerate(every)
    ]
    study.record(curve, {f"{name}, {seed}": along[f"trunk {name}, {seed}"] for name, seed in pairs})


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
