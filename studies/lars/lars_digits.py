"""LARS against tuned momentum on digits, batch 32 to the full 1,437: an equal number of learning rates for both.

A network with four hidden layers, once with its usual weights and once with every other layer scaled (the function is
the same, see LARS's chapter). Each method, network and batch size gets ten learning rates on two seeds; the best
(lowest median training loss) runs on five fresh seeds. Every run sees the data `epochs` times, with a warm-up of a
tenth of the steps and quadratic decay. Larger: batches, seeds, epochs. About five minutes on one core.
"""

import numpy as np

from minilib.experiments.tasks import DigitsTask, train
from minilib.optim import LARS, SGD
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.rates import inside
from studies.study import Study

SIZES = {
    "laptop": {
        "epochs": 40,
        "batches": (32, 128, 512, 1437),
        "rates": {"Momentum": [0.003125 * 2**k for k in range(10)], "LARS": [0.03125 * 2**k for k in range(10)]},
        "tuning_seeds": (100, 101),
        "seeds": (0, 1, 2, 3, 4),
    },
    "toy": {
        "epochs": 2,
        "batches": (1437,),
        "rates": {"Momentum": [0.05], "LARS": [0.5]},
        "tuning_seeds": (100,),
        "seeds": (0,),
    },
}
NETWORKS = {"plain": (1, 1, 1, 1, 1), "odd": (10, 0.1, 10, 0.1, 1)}
TRUST = 0.02


class Deep(DigitsTask):
    """Digits and a network 64-32-32-32-32-10 (relu), its weight matrices multiplied by `scales`."""

    def __init__(self, scales):
        super().__init__(depth=4)
        self.scales = scales

    def model(self, rng):
        net = super().model(rng)
        for layer, c in zip(net.layers, self.scales, strict=True):
            layer.weight.data *= c
        return net


def momentum(named, lr):
    return SGD(named, lr=lr, momentum=0.9)


def lars(named, lr):
    """LARS on the weight matrices, plain momentum on the biases, one learning rate for both."""
    weights = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
    biases = {"params": [(n, p) for n, p in named if p.data.ndim == 1], "layer_adaptation": False}
    return LARS([weights, biases], lr=lr, momentum=0.9, trust_coefficient=TRUST)


METHODS = {"Momentum": momentum, "LARS": lars}


def one(epochs, network, batch, method, lr, seed):
    """Training loss (all digits; 99 when the run diverged) and test accuracy at the end."""
    task = Deep(NETWORKS[network])
    steps = epochs * task.n // batch

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps, 2)

    run = train(task, lambda p: METHODS[method](p, lr), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 0.1]
    with np.errstate(over="ignore", invalid="ignore"):
        return [min(99.0, float(task.loss(run.model).data)), task.accuracy(run.model)]


def main(asked):
    plan = asked.plan
    study = Study("lars-digits", {"networks": NETWORKS, "trust": TRUST, **vars(plan)}, asked=asked)
    cases = [(net, b, m) for net in NETWORKS for b in plan.batches for m in METHODS]

    def jobs(case, rates, seeds):
        for lr in rates:
            for seed in seeds:
                yield f"{case} {lr} {seed}", lambda lr=lr, seed=seed: one(plan.epochs, *case, lr, seed)

    curve, results = [], {}
    for case in cases:
        net, b, m = case
        study.run(jobs(case, plan.rates[m], plan.tuning_seeds))
        done = study.saved["jobs"]
        tuned = [np.median([done[f"{case} {lr} {s}"][0] for s in plan.tuning_seeds]) for lr in plan.rates[m]]
        best = inside(study, plan.rates[m], tuned, f"{case}")
        study.run(jobs(case, [best], plan.seeds))
        fresh = [done[f"{case} {best} {s}"] for s in plan.seeds]
        results[f"{net}, {b}, {m}"] = {"lr": best, "loss": [f[0] for f in fresh], "accuracy": [f[1] for f in fresh]}
        row = {"network": net, "batch": b, "optimizer": m}
        curve += [row | {"lr": lr, "loss": round(float(v), 4)} for lr, v in zip(plan.rates[m], tuned, strict=True)]
    study.record(curve, results)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
