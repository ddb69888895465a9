"""BERT, GPT-2 and T5, small, in small and large batches: AdamW, Adafactor (no momentum), CAME and LAMB, equally tuned.

Half a million tokens of the docstrings each, rows of 32; two layers of width 64 (T5: two and two), vocabulary 2,048.
Every method gets three learning rates at either batch, centred on its own rate times the root of the batch, and more
where the best is at an edge (`best_rate`), with one seed; the best runs with two more seeds. A loss of 99 is a run that
diverged. An hour on one core. Larger: tokens, batches, seeds. At size "gpu" the models have 4 layers of width 256 and
see 20 million tokens: 1e15 operations in each of some 140 runs, 45 minutes at a tenth of the rate of an H200:
estimated, not run.
"""

from studies.command import start
from studies.pretraining import GPU_THREE_MODELS, THREE_MODELS, TOY_THREE_MODELS, compare_models
from studies.study import Study

RATES = {
    "adamw": [1e-3, 2e-3, 4e-3],
    "adafactor": [1e-3, 2e-3, 4e-3],
    "came": [2.5e-4, 5e-4, 1e-3],
    "lamb": [5e-3, 1e-2, 2e-2],
}
SIZES = {
    "laptop": THREE_MODELS | {"rates": RATES},
    "toy": TOY_THREE_MODELS | {"rates": {name: rates[:1] for name, rates in RATES.items()}},
    "gpu": GPU_THREE_MODELS,
}


def main(asked):
    compare_models(Study("three-models", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
