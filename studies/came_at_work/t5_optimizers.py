"""Four million tokens in batches of 32 rows: four optimizers on a small T5, run until it beats a table that counts.

What is to be decided, and why at this budget, stands in `studies/designs.md`, which was written before the runs: AdamW,
Adafactor with momentum (Luo et al. 2023, Algorithm 1), CAME, and CAME whose confidence is corrected for the start. The
protocol is that of `gpt2-optimizers`; the smaller batch gives the 3,906 steps that this model needs. An hour and a half
on one core. Larger: tokens, seeds. At size "gpu" a T5 of 4 and 4 layers of width 256 on 50 million tokens, 64 rows of
128: 2e15 operations in each of some 35 runs, 40 minutes at a tenth of the rate of an H200: estimated, not run.
"""

from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2, compare_models
from studies.study import Study

RATES = {
    "adamw": [2e-3, 4e-3, 8e-3],
    "adafactor-momentum": [2e-3, 4e-3, 8e-3],
    "came": [2.5e-4, 5e-4, 1e-3],
    "came-corrected": [4e-3, 8e-3, 1.6e-2],
}
T5 = {"models": ("t5-small",)}
SIZES = {
    "laptop": GPT2 | T5 | {"batches": (32,), "base": 32, "rates": RATES},
    "toy": TOY_GPT2 | T5 | {"rates": {name: rates[:1] for name, rates in RATES.items()}},
    "gpu": GPU_GPT2 | {"batches": (64,), "base": 64},
}


def main(asked):
    compare_models(Study("t5-optimizers", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
