"""The race for the fewest steps: six methods, tuned as a student would in an afternoon, on digits and on words.

The rules are those of `studies.race`. Every method gets the same search with two seeds: five learning
rates, a factor of 2 apart, after a warm-up of 20 steps and then kept; more while the best is at an edge; then, at the
best rate and at twice that, a linear decay to zero that ends at 150 or 300 steps. The fewest steps, the mean over both
seeds, are chosen, and eight fresh seeds judge. Matrices get the method; under LAMB biases and gains are not adapted,
under Muon they and the tables of vectors go to AdamW. Written before the runs: the claim is that the method with the
fewest steps is below each of the others, compared as logarithms, a family of five on each task; a difference of one
twentieth matters. A quarter of an hour of one core.
"""

from functools import partial

import numpy as np

from minilib.data import docstrings
from minilib.experiments.verdicts import compare, family
from minilib.optim import CAME, LAMB, SGD, AdamW, Muon, parameter_groups, together
from minilib.schedules import warmup
from studies.command import NUMPY, start
from studies.race import RACES, steps_to
from studies.study import Study

WARMUP = 20
SIZES = {
    "laptop": {
        "races": ["digits", "words"],
        # the middle of the five
        "rates": {"SGD": 0.4, "Momentum": 0.1, "AdamW": 0.01, "LAMB": 0.02, "CAME": 0.01, "Muon": 0.04},
        "wings": 2,
        "ends": [150, 300],
        "tuning_seeds": [100, 101],
        "seeds": [0, 1, 2, 3, 4, 5, 6, 7],
        "limit": 600,
    },
    "toy": {"races": ["digits"], "wings": 0, "ends": [20], "tuning_seeds": [100], "seeds": [0], "limit": 20},
}


def muon(named, lr):
    """Muon for the matrices that are no tables of vectors, AdamW at a tenth of its rate for the rest."""
    hidden = [(n, p) for n, p in named if p.data.ndim == 2 and not n.startswith(("tokens", "positions"))]
    names = {n for n, _ in hidden}
    rest = [(n, p) for n, p in named if n not in names]
    return together(Muon(hidden, lr=lr, weight_decay=0.0), AdamW(rest, lr=lr / 10, weight_decay=0.0))


METHODS = {
    "SGD": lambda named, lr: SGD(named, lr=lr),
    "Momentum": lambda named, lr: SGD(named, lr=lr, momentum=0.9),
    "AdamW": lambda named, lr: AdamW(named, lr=lr, betas=(0.9, 0.99), weight_decay=0.0),
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.0, layer_adaptation=False), lr=lr, betas=(0.9, 0.99)),
    "CAME": lambda named, lr: CAME(named, lr=lr),
    "Muon": muon,
}


def multiplier(end, step):
    """Warm-up; then kept, or down to zero at the step `end`."""
    return warmup(step, WARMUP) * (1.0 if end is None else max(0.0, 1 - step / end))


def one(limit, race, method, lr, end, seed):
    """The steps of one run."""
    rules = RACES[race]
    short = type(rules)(rules.kind, rules.batch, rules.target, limit) if limit != rules.limit else rules
    return steps_to(short, lambda named: METHODS[method](named, lr), partial(multiplier, end), seed)


def ahead(rows, races):
    """Whether the fewest steps are fewer by a twentieth than another's: "race method" -> verdict, a family a race."""
    verdicts = {}
    for race in races:
        logs = {name: {} for name in METHODS}
        for row in rows:
            if row["race"] == race:
                logs[row["optimizer"]][row["seed"]] = float(np.log(row["steps"]))
        first = min(logs, key=lambda name: np.median([*logs[name].values()]))
        others = {name: compare(logs[first], logs[name], smallest=np.log(1.05)) for name in METHODS if name != first}
        verdicts |= {f"{race} {name}": found.verdict for name, found in family(others).items()}
    return verdicts


def main(asked):
    plan = asked.plan

    study = Study("leaderboard", {"warmup": WARMUP, **vars(plan)}, asked=asked)

    def steps(race, method, settings, seeds):
        """(lr, end) -> steps by seed, of runs that are made where they are missing."""
        runs = {(lr, end, seed): f"{race} {method} {lr:.4g} {end} {seed}" for lr, end in settings for seed in seeds}
        done = study.run((key, partial(one, plan.limit, race, method, *at)) for at, key in runs.items())
        return {(lr, end): [done[runs[lr, end, seed]] for seed in seeds] for lr, end in settings}

    def best(found):
        return min(found, key=lambda at: np.mean(found[at]))

    chosen, tried, rows = {}, {}, []
    for race in plan.races:
        for method in METHODS:
            middle, low, high, found = plan.rates[method], -plan.wings, plan.wings, {}
            while True:
                found = steps(race, method, [(middle * 2**k, None) for k in range(low, high + 1)], plan.tuning_seeds)
                rate = best(found)[0]
                if plan.wings == 0 or middle * 2**low < rate < middle * 2**high or high - low > 8:
                    break
                low, high = (low - 1, high) if rate == middle * 2**low else (low, high + 1)
            decayed = [(rate * k, end) for k in (1, 2) for end in plan.ends]
            found |= steps(race, method, decayed, plan.tuning_seeds)
            lr, end = best(found)
            chosen[f"{race} {method}"] = {"lr": lr, "end": end}
            tried[f"{race} {method}"] = len(found)
            for seed, count in zip(plan.seeds, steps(race, method, [(lr, end)], plan.seeds)[lr, end], strict=True):
                rows.append({"race": race, "optimizer": method, "seed": seed, "steps": count})
    results = {"chosen": chosen, "tried": tried, "ahead": ahead(rows, plan.races)}
    study.record(rows, results, docstrings() if "words" in plan.races else None)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
