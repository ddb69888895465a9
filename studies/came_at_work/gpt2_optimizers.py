"""Four million tokens in batches of 128 rows: five optimizers on a small GPT-2, beside the bytes of their state.

What is to be decided, and why with this model, stands in `studies/designs.md`, written before the runs: AdamW,
LAMB, Adafactor with momentum (Luo et al. 2023, Algorithm 1), CAME, and CAME whose confidence is corrected for the
start. Every method gets three learning rates and more where the best is at an edge (`best_rate`), with the first seed;
the best is run with the others, which have chosen nothing. A loss of 99 is a run that diverged. An hour and a half on
one core. Larger: tokens, seeds. At size "gpu" a GPT-2 of 4 layers and width 256 on 50 million tokens, 256 rows of 128:
2e15 operations in each of some 45 runs, 40 minutes at a tenth of the rate of an H200: estimated, not run.
"""

from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2, compare_models
from studies.study import Study

RATES = {
    "adamw": [2e-3, 4e-3, 8e-3],
    "lamb": [1e-2, 2e-2, 4e-2],
    "adafactor-momentum": [5e-4, 1e-3, 2e-3],
    "came": [5e-4, 1e-3, 2e-3],
    "came-corrected": [1e-3, 2e-3, 4e-3],
}
SIZES = {
    "laptop": GPT2 | {"batches": (128,), "base": 128, "rates": RATES},
    "toy": TOY_GPT2 | {"rates": {name: rates[:1] for name, rates in RATES.items()}},
    "gpu": GPU_GPT2 | {"batches": (256,), "base": 256},
}


def main(asked):
    compare_models(Study("gpt2-optimizers", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
