"""Who wins on digits at batch 512? Four methods, 60 steps, six protocols, three seeds that choose, ten that judge.

Under each protocol every method has five rates, a factor of two apart. One seed or three choose the rate with the
lowest median of the final training loss, and in the table that people print the same seeds judge. Then ten fresh seeds
run the rates that three seeds chose.

* A: each method has its own rates, no warm-up. B: the same with six steps of warm-up.
* C: momentum's rates for all, no warm-up. D: AdamW's usual rates for all, with warm-up.
* E: one grid for all, momentum 0.99, no warm-up. F: as B, with a decay of 0.1 on everything, biases too.

Written before the ten seeds were run: the family are the six pairs of methods under A and under B, 12 comparisons of
log losses in ten pairs. A reader had run ten other seeds (100 to 109) before, and LAMB had won both tables there.
C to F show what unfair protocols do, and get no verdict.
"""

from functools import partial

import numpy as np

from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, SGD, AdamW, parameter_groups
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.study import Study
from studies.tasks import digits

METHODS = ("Nesterov", "AdamW", "LARS", "LAMB")
OWN = {"Nesterov": 0.1, "AdamW": 0.032, "LARS": 0.4, "LAMB": 0.016}  # the lowest of five rates
# protocol -> the lowest rate of each method, and what is unlike protocol A
PROTOCOLS = {
    "A": (OWN, {}),
    "B": (OWN, {"warm": 6}),
    "C": (dict.fromkeys(METHODS, 0.2), {}),
    "D": (dict.fromkeys(METHODS, 0.001), {"warm": 6}),
    "E": (dict.fromkeys(METHODS, 0.1), {"beta1": 0.99}),
    "F": (OWN, {"warm": 6, "decay": 0.1, "bias_decay": 0.1}),
}
SIZES = {
    "laptop": {"steps": 60, "batch": 512, "tuning_seeds": (0, 1, 2), "seeds": tuple(range(200, 210))},
    "toy": {"steps": 2, "batch": 8, "tuning_seeds": (0,), "seeds": (200,)},
}


def optimizer(method, lr, beta1=0.9, decay=0.0, bias_decay=0.0):
    """Named parameters -> optimizer; the trust ratios leave the biases alone."""

    def make(named):
        exempt = {"layer_adaptation": False} if method in ("LARS", "LAMB") else {}
        groups = parameter_groups(named, decay, **exempt)
        groups[1]["weight_decay"] = bias_decay
        if method == "Nesterov":
            return SGD(groups, lr, beta1, nesterov=True)
        if method == "AdamW":
            return AdamW(groups, lr, (beta1, 0.99))
        if method == "LARS":
            return LARS(groups, lr, beta1, trust_coefficient=0.02)
        return LAMB(groups, lr, (beta1, 0.99))

    return make


def final_loss(plan, method, lr, seed, warm=0, **options):
    """Training loss over all digits at the end; 99 for a run that diverged."""

    def schedule(t):
        return warmup(t, warm) * polynomial(t, plan.steps)

    run = train(digits(), optimizer(method, lr, **options), plan.steps, plan.batch, seed, schedule)
    if run.diverged:
        return 99.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.minimum(99.0, np.nan_to_num(digits().loss(run.model).data, nan=99.0)))


def main(asked):
    plan = asked.plan
    study = Study("winners", vars(plan) | {"protocols": PROTOCOLS}, asked=asked)
    rows, results = [], {}
    for name, (firsts, options) in PROTOCOLS.items():
        results[name] = {}
        for method in METHODS:
            rates = [firsts[method] * 2**k for k in range(5)]

            def losses(places, seeds, at=(name, method), rates=rates, options=options):
                keys = {f"{at} {k} {s}": (at[1], rates[k], s) for k in places for s in seeds}
                done = study.run((key, partial(final_loss, plan, *run, **options)) for key, run in keys.items())
                return np.array([done[key] for key in keys]).reshape(-1, len(seeds))

            tuned = losses(range(5), plan.tuning_seeds)
            best = {n: int(np.argmin(np.median(tuned[:, :n], axis=1))) for n in (1, len(plan.tuning_seeds))}
            judged = {n: dict(zip(plan.tuning_seeds[:n], tuned[k], strict=False)) for n, k in best.items()}
            place = best[len(plan.tuning_seeds)]
            judged[len(plan.seeds)] = dict(zip(plan.seeds, losses([place], plan.seeds)[0], strict=True))
            results[name][method] = {"rates": rates, "best": best}
            for n, by_seed in judged.items():
                row = {"protocol": name, "optimizer": method, "judges": n}
                rows += [row | {"seed": s, "loss": round(float(v), 5)} for s, v in by_seed.items()]
    study.record(rows, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
