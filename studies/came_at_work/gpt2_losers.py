"""Arms that must lose, in the setting of `gpt2-optimizers`: SGD with momentum, and Adafactor without momentum.

Equality within a margin is worth something only where a method can lose by more. What is claimed, with which margins,
stands in `studies/designs.md`, which was written before the runs. Both methods are tuned as the five of
`gpt2-optimizers` were, and judged by the same seeds; one of its runs of AdamW is made again. An hour of one core. At
size "gpu" the GPT-2 of `gpt2-optimizers` at that size: some 20 runs of 2e15 operations, estimated, not run.
"""

from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2, compare_models
from studies.study import Study

RATES = {"sgd": [0.25, 0.5, 1.0], "adafactor": [8e-3, 1.6e-2, 3.2e-2]}
AGAIN = (("gpt2", 128, "adamw"), 0.016, 0)  # case, rate and seed
SIZES = {
    "laptop": GPT2 | {"batches": (128,), "base": 128, "rates": RATES, "again": AGAIN},
    "toy": TOY_GPT2
    | {"rates": {name: rates[:1] for name, rates in RATES.items()}, "again": (("gpt2", 2, "adamw"), 0.016, 0)},
    "gpu": GPU_GPT2 | {"batches": (256,), "base": 256, "again": (("gpt2", 256, "adamw"), 0.016, 0)},
}


def main(asked):
    compare_models(Study("gpt2-losers", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
