"""Four million tokens in batches of 16 to 1,024 rows: AdamW and LAMB on a small GPT-2 that leaves the plateau at once.

What is to be decided, and why with this model, stands in `studies/designs.md`, which was written before the runs. Both
methods get three learning rates at every batch, centred on their own rate times the root of the batch, and more where
the best is at an edge (`best_rate`), with the first seed; the best is run with the others, which have chosen nothing.
These also run at the rates that the rule of the root carries from the smallest batch to the larger ones. A loss of 99
is a run that diverged. Three hours on one core. Larger: tokens, seeds, batches. At size "gpu" a GPT-2 of 4 layers and
width 256 on 50 million tokens, batches of 64 to 4,096 rows of 128: 2e15 operations in each of some 80 runs, an hour and
a quarter at a tenth of the rate of an H200: estimated, not run.
"""

from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2, compare_models
from studies.study import Study

RATES = {"adamw": [2e-3, 4e-3, 8e-3], "lamb": [1e-2, 2e-2, 4e-2]}
SIZES = {
    "laptop": GPT2 | {"batches": (16, 64, 256, 1024), "rule_from": 16, "rates": RATES},
    "toy": TOY_GPT2 | {"rule_from": 2, "rates": {name: rates[:1] for name, rates in RATES.items()}},
    "gpu": GPU_GPT2 | {"batches": (64, 256, 1024, 4096), "rule_from": 64},
}


def main(asked):
    compare_models(Study("gpt2-batches", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
