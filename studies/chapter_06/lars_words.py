"""LARS on a transformer: momentum, LARS, AdamW and LAMB on masked words, an equal number of learning rates for each.

Two batch sizes. Each method gets seven learning rates, a factor 2 apart, on one seed; the best (lowest test loss) runs
on five fresh seeds. Same warm-up (a tenth of the steps) and linear decay for all; norms and biases get no trust ratio
in LARS and LAMB. Larger: `protocols.WORDS`. About a quarter of an hour on one core.
"""

from minilib.experiments.study import Study
from minilib.optim import LAMB, LARS, SGD, AdamW
from studies.protocols import WORDS, compare_on_words

FIRST = {"Momentum": 0.0125, "LARS": 0.05, "AdamW": 0.00125, "LAMB": 0.00125}
RATES = {name: [first * 2**k for k in range(7)] for name, first in FIRST.items()}
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


def main():
    study = Study("lars-words", WORDS | {"rates": RATES, "trust": TRUST})
    compare_on_words(study, METHODS, RATES)


if __name__ == "__main__":
    main()
