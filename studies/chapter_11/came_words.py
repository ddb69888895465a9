"""CAME on a transformer, beside its own baseline, by the protocol of lars-words and comparable with its record.

The baseline is the CAME paper's "Adafactor": Algorithm 1, momentum added and a fixed learning rate. Batch sizes, steps,
schedule, number of rates and seeds are those of lars-words, whose record has AdamW and LAMB; no weight decay.
Larger: `protocols.WORDS`. About a quarter of an hour on one core.
"""

from minilib.experiments.study import Study
from minilib.optim import CAME
from studies.protocols import WORDS, WithoutConfidence, compare_on_words

FIRST = {"CAME": 0.00015625, "Adafactor": 0.00125}
RATES = {name: [first * 2**k for k in range(7)] for name, first in FIRST.items()}


METHODS = {
    "CAME": lambda named, lr: CAME(named, lr=lr),
    "Adafactor": lambda named, lr: WithoutConfidence(named, lr=lr),
}


def main():
    compare_on_words(Study("came-words", WORDS | {"rates": RATES}), METHODS, RATES)


if __name__ == "__main__":
    main()
