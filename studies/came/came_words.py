"""CAME on a transformer, beside its own baseline, by the protocol of lars-words and comparable with its record.

The baseline is the CAME paper's "Adafactor": Algorithm 1, momentum added and a fixed learning rate. Batch sizes, steps,
schedule, number of rates and seeds are those of lars-words, whose record has AdamW and LAMB; no weight decay.
Larger: steps, seeds. About a quarter of an hour on one core.
"""

from minilib.optim import CAME
from studies.protocols import NUMPY, TOY_WORDS, WORDS, WithoutConfidence, compare_on_words, start
from studies.study import Study

FIRST = {"CAME": 0.00015625, "Adafactor": 0.00125}
SIZES = {"laptop": WORDS | {"count": 7}, "toy": TOY_WORDS}

METHODS = {
    "CAME": lambda named, lr: CAME(named, lr=lr),
    "Adafactor": lambda named, lr: WithoutConfidence(named, lr=lr),
}


def main(asked):
    plan = asked.plan
    rates = {name: [first * 2**k for k in range(plan.count)] for name, first in FIRST.items()}
    config = {"steps": plan.steps, "tuning_seed": plan.tuning_seed, "seeds": plan.seeds, "rates": rates}
    compare_on_words(Study("came-words", config, asked=asked), plan, METHODS, rates)


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
