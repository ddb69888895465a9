"""Half the rate or twice the batch: a falling rate, a growing batch and a fixed batch at equal examples, on digits.

Fixed before the runs, after a pilot with three seeds (1000 to 1002) at batch 8.

Every run sees the data `epochs` times, in four phases of equal numbers of examples, with a warm-up over the first
twentieth of the examples. "decay" halves the rate after each phase, at a fixed batch. "keep" leaves the rate and
doubles the batch instead (Smith et al. 2018); "root" divides the rate by the root of two and doubles the batch (for
Adam: Seesaw, 2025). With "follow" beta2 keeps its memory in examples, beta2 = 0.999^(batch/base); else it stays at
0.999. "fixed" has decay's rates and, all along, the batch that gives about as many steps as a ramp. "large" has decay's
rates and the last batch of the ramp all along: it must lose to decay. Two base batches: 2, where the root rule holds
for Adam in `batch-size`, and 16, where SGD is close to its critical batch.

The score is the loss on all training digits. Each arm has nine rates, half an octave apart; five seeds choose (lowest
median), ten others judge. (A first plan, with twice the epochs and more seeds, was cut to a quarter for its price,
before any result.)

Family 1 (10, "equal within a factor of 1.5"): at the rate that is best for decay, keep against decay for SGD at both
bases, and keep, root, keep with follow, root with follow against decay for Adam at both bases.
Family 2 (4, "lower"): keep (SGD) and root with follow (Adam) at its own best rate against fixed at its own, both bases.
Family 3 (4, "lower"): decay against large, both at their own best rates. Larger: epochs, seeds. About two
minutes on one core.
"""

from math import sqrt

import numpy as np

from minilib.experiments.sweep import Sweep
from minilib.optim import SGD, Adam
from studies.protocols import NUMPY, digits, inside, start
from studies.study import Study

CENTRES = {"SGD 2": 0.25, "SGD 16": 0.7, "Adam 2": 0.022, "Adam 16": 0.088}
SIZES = {
    "laptop": {
        "bases": (2, 16),
        "epochs": 4,
        "phases": 4,
        "factors": [2 ** (k / 2) for k in range(-4, 5)],
        "tuning_seeds": (100, 101, 102, 103, 104),
        "seeds": tuple(range(10)),
    },
    "toy": {"bases": (16,), "epochs": 1, "factors": [1.0], "tuning_seeds": (100,), "seeds": (0,)},
}


class Following(Adam):
    """Adam whose beta2 may change: v is divided by the weight it has collected, 1 - the product of all beta2."""

    def second_moment(self, g, s):
        beta2 = self.betas[1]
        s["left"] = s.get("left", 1.0) * beta2
        return super().second_moment(g, s) * (1 - beta2 ** s["step"]) / (1 - s["left"])


METHODS = {"SGD": SGD, "Adam": Following}


def arms(plan, name, base):
    """Arm -> (batch, rate's factor, follow) for each phase."""
    k, steps = range(plan.phases), sum(0.5**i for i in range(plan.phases))
    batches, halves = [base * 2**i for i in k], [0.5**i for i in k]
    found = {
        "decay": [(base, h, False) for h in halves],
        "keep": [(b, 1.0, False) for b in batches],
        "fixed": [(round(base * plan.phases / steps), h, False) for h in halves],
        "large": [(batches[-1], h, False) for h in halves],
    }
    if name == "Adam":
        found["root"] = [(b, sqrt(h), False) for b, h in zip(batches, halves, strict=True)]
        found["keep, follow"] = [(b, 1.0, True) for b in batches]
        found["root, follow"] = [(b, sqrt(h), True) for b, h in zip(batches, halves, strict=True)]
    return found


def run(plan, name, base, arm, rates):
    """Steps, and training losses (rates, tuning seeds and seeds); 99 at most."""
    task = digits()
    examples = plan.epochs * task.n
    steps = [step for step in arms(plan, name, base)[arm] for _ in range(examples // plan.phases // step[0])]
    seen, multipliers = 0, []
    for b, factor, _ in steps:
        seen += b
        multipliers.append(factor * min(1.0, seen / (0.05 * examples)))
    sweep = Sweep(task, METHODS[name], rates, plan.tuning_seeds + plan.seeds, steps[0][0], multipliers.__getitem__)
    for b, _, follow in steps:
        sweep.batch_size = b
        if follow:
            sweep.optimizer.param_groups[0]["betas"] = (0.9, 0.999 ** (b / base))
        sweep.step()
    return [len(steps), np.minimum(sweep.losses(), 99).round(5).tolist()]


def main(asked):
    plan = asked.plan
    study = Study("batch-ramps", {"centres": CENTRES, **vars(plan)}, asked=asked)
    cases = {
        f"{name}, {base}, {arm}": (name, base, arm)
        for name in METHODS
        for base in plan.bases
        for arm in arms(plan, name, base)
    }
    rates = {
        f"{name} {base}": [CENTRES[f"{name} {base}"] * f for f in plan.factors] for name, base, _ in cases.values()
    }
    done = study.run(
        (key, lambda name=name, base=base, arm=arm: run(plan, name, base, arm, rates[f"{name} {base}"]))
        for key, (name, base, arm) in cases.items()
    )
    curve, results, tuning = [], {}, len(plan.tuning_seeds)
    for key, (name, base, arm) in cases.items():
        steps, losses = done[key]
        grid = rates[f"{name} {base}"]
        best = inside(study, grid, np.median(np.array(losses)[:, :tuning], axis=1), key)
        results[key] = {"steps": steps, "lr": best}
        for lr, row in zip(grid, losses, strict=True):
            for seed, loss in zip(plan.tuning_seeds + plan.seeds, row, strict=True):
                named = {
                    "optimizer": name,
                    "base": base,
                    "arm": arm.replace(", ", " + "),
                    "lr": round(lr, 6),
                    "seed": seed,
                }
                curve.append(named | {"loss": loss})
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
