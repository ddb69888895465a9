"""A rate that was tuned at batch 2, carried to batches up to 64 times larger, and beyond: digits, SGD and Adam.

Fixed before the runs, after a pilot with three seeds (1000 to 1002) at batches 8, 32 and 128.

Every run sees the data `epochs` times under a cosine, with a warm-up over a fifth of the steps or without one. All
batches have the same grid of rates, half an octave apart, so that each rule lands on a rate of the grid. The score is
the loss on all training digits. Five seeds choose the rates (lowest median), twenty others judge; the held-out digits
choose nothing, their loss is recorded beside.

Family 1 (22, "equal within a factor of 1.5"): with warm-up, a rule against the rate that is tuned at the batch, for
"same", "root" and "linear" from batch 2 to 8, 32 and 128, and for "two tunings" from batches 2 and 8 to 32 and 128;
SGD and Adam. "Two tunings" solves 1/lr^p = a + c/b at batches 2 and 8, with p = 1 for SGD and 2 for Adam.
Family 2 (12, "lower"): with warm-up against without, at the linear rate of family 1 and at the rates that are tuned
with and without, at batches 8, 32 and 128; SGD and Adam. A run that diverged counts with the loss of guessing, log 10.
The arm that must lose is SGD at batch 128 with the rate of batch 2. Also recorded: "bend", which takes its B from the
critical batch of `batch-size` (24 for SGD, 84 for Adam, loss 0.2). Larger: epochs, seeds. About twelve minutes
on one core.

This is the second record. In the first, five search seeds and ten judges, Adam's root landed on the very rate that the
search chose, three times of three: a luck of those seeds (`studies/designs.md`).
"""

import numpy as np

from minilib.autodiff import log_softmax
from minilib.experiments.sweep import Sweep
from minilib.optim import SGD, Adam
from minilib.schedules import cosine, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study
from studies.tasks import digits

SIZES = {
    "laptop": {
        "batches": (2, 8, 32, 128, 512),
        "epochs": 8,
        "rates": {name: [2 ** (k / 2) for k in range(low, low + 23)] for name, low in (("SGD", -12), ("Adam", -17))},
        "tuning_seeds": (300, 301, 302, 303, 304),
        "seeds": tuple(range(310, 330)),
    },
    "toy": {
        "batches": (32, 128, 512),
        "epochs": 1,
        "rates": {"SGD": [0.5], "Adam": [0.05]},
        "tuning_seeds": (100,),
        "seeds": (0,),
    },
}
METHODS = {"SGD": SGD, "Adam": Adam}
POWER = {"SGD": 1, "Adam": 2}  # of 1/lr, which is a straight line in 1/b
CRITICAL = {"SGD": 24, "Adam": 84}  # `batch-size`, loss 0.2


def bend(B, p, before, after):
    """The factor on the rate from batch `before` to `after`: ((1 + B/before) / (1 + B/after))^(1/p)."""
    ratio = after / before if np.isinf(B) else (1 + B / before) / (1 + B / after)
    return ratio ** (1 / p)


def two_tunings(p, batches, lrs):
    """B from the best rates at two batches; infinite where they differ by the full rule, 0 where they do not grow."""
    (b, c), rise = batches, max(1.0, (lrs[1] / lrs[0]) ** p)
    return float("inf") if rise >= c / b else (rise - 1) / (1 / b - rise / c)


def final(plan, name, lrs, b, seeds, warm):
    """Training loss and loss on held-out digits, each (rates, seeds); 99 at most."""
    task = digits()
    steps = plan.epochs * task.n // b

    def schedule(t):
        return warmup(t, steps // 5 if warm else 0) * cosine(t, steps)

    sweep = Sweep(task, METHODS[name], lrs, seeds, b, schedule)
    for _ in range(steps):
        sweep.step()
    with np.errstate(over="ignore", invalid="ignore"):
        guesses = log_softmax(sweep.logits(sweep.x_test)).data
        test = -guesses[..., np.arange(len(task.y_test)), task.y_test].mean(axis=-1).astype(float)
    return [np.nan_to_num(np.minimum(x, 99), nan=99).round(5).tolist() for x in (sweep.losses(), test)]


def main(asked):
    plan = asked.plan
    config = {"power": POWER, "critical": CRITICAL, **vars(plan)}
    study, curve, results = Study("carried-rates", config, asked=asked), [], {}
    seeds, tuning = plan.tuning_seeds + plan.seeds, len(plan.tuning_seeds)
    base, second = plan.batches[:2]
    for name in METHODS:
        for warm in (False, True):
            words, best, rates = f"{name}, {'warm-up' if warm else 'none'}", {}, plan.rates[name]

            def job(key, *args, words=words, name=name, warm=warm):
                return study.run([(f"{words}, {key}", lambda: final(plan, name, *args, warm))])[f"{words}, {key}"]

            for b in plan.batches:
                both = job(f"{b}", rates, b, seeds)
                chosen = np.median(np.array(both[0])[:, :tuning], axis=1)
                best[b] = inside(study, rates, chosen, f"{words} at {b}")
                for lr, losses, tests in zip(rates, *both, strict=True):
                    for seed, loss, test in zip(seeds, losses, tests, strict=True):
                        row = {"optimizer": name, "warm": int(warm), "batch": b, "lr": round(lr, 6), "seed": seed}
                        curve.append(row | {"loss": loss, "test": test})
            B = two_tunings(POWER[name], (base, second), (best[base], best[second]))
            carried = {}
            for b in plan.batches[1:]:
                factors = {"bend": (base, bend(CRITICAL[name], POWER[name], base, b))}
                if b > second:
                    factors["two tunings"] = (second, bend(B, POWER[name], second, b))
                for rule, (origin, factor) in factors.items():
                    lr = best[origin] * factor
                    losses, tests = job(f"{b}, {rule}", [lr], b, plan.seeds)
                    carried[f"{b}, {rule}"] = {"lr": lr, "loss": losses[0], "test": tests[0]}
            results[words] = {"best": best, "B": B if np.isfinite(B) else "infinite", "carried": carried}
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
