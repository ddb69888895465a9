"""LARS on a transformer: momentum, LARS, AdamW and LAMB on masked words, an equal number of learning rates for each.

Two batch sizes. Each method gets seven learning rates, a factor 2 apart, on one seed; the best (lowest test loss) runs
on five fresh seeds. Same warm-up (a tenth of the steps) and linear decay for all; norms and biases get no trust ratio
in LARS and LAMB. Larger: steps, seeds. About a quarter of an hour on one core.
"""

from minilib.optim import LAMB, LARS, SGD, AdamW
from studies.protocols import NUMPY, TOY_WORDS, WORDS, compare_on_words, start
from studies.study import Study

FIRST = {"Momentum": 0.0125, "LARS": 0.05, "AdamW": 0.00125, "LAMB": 0.00125}
SIZES = {"laptop": WORDS | {"count": 7}, "toy": TOY_WORDS}
TRUST = 0.02


def split(named):
    """Matrices in one group; norms and biases in another, without layer adaptation."""
    matrices = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
    return [matrices, {"params": [(n, p) for n, p in named if p.data.ndim == 1], "layer_adaptation": False}]


METHODS = {
    "Momentum": lambda named, lr: SGD(named, lr=lr, momentum=0.9),
    "LARS": lambda named, lr: LARS(split(named), lr=lr, momentum=0.9, trust_coefficient=TRUST),
    "AdamW": lambda named, lr: AdamW(named, lr=lr),
    "LAMB": lambda named, lr: LAMB(split(named), lr=lr),
}


def main(asked):
    plan = asked.plan
    rates = {name: [first * 2**k for k in range(plan.count)] for name, first in FIRST.items()}
    config = {"steps": plan.steps, "tuning_seed": plan.tuning_seed, "seeds": plan.seeds, "rates": rates, "trust": TRUST}
    compare_on_words(Study("lars-words", config, asked=asked), plan, METHODS, rates)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
