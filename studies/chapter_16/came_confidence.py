"""CAME with its confidence corrected for the start: everything else as in the study three-models, beside which it is.

The instability of Luo et al. 2023 is an average that begins at zero with beta3 = 0.9999 and is not corrected, so that
the first steps are about a hundred times too long for the rate. Here it is divided by 1 - beta3^t. The same models,
batches, rules of tuning and seeds; 15 minutes on one core. At size "gpu" as there: some 35 runs, 10 minutes at a tenth
of the rate of an H200: estimated, not run.
"""

from minilib.experiments.study import Study
from studies.protocols import (
    GPU_THREE_MODELS,
    THREE_MODELS,
    TOY_THREE_MODELS,
    compare_models,
    start,
)

SIZES = {
    "laptop": THREE_MODELS | {"rates": {"came-corrected": [1e-3, 2e-3, 4e-3]}},
    "toy": TOY_THREE_MODELS | {"rates": {"came-corrected": [1e-3]}, "seeds": (0, 1)},
    "gpu": GPU_THREE_MODELS,
}


def main(asked):
    compare_models(Study("came-confidence", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
