"""CAME with its confidence corrected for the start: everything else as in the study three-models, beside which it is.

The instability of Luo et al. 2023 is an average that begins at zero with beta3 = 0.9999 and is not corrected, so that
the first steps are about a hundred times too long for the rate. Here it is divided by 1 - beta3^t. The same models,
batches, rules of tuning and seeds; 15 minutes on one core.
"""

from minilib.experiments.study import Study
from studies.protocols import THREE_MODELS, compare_models

RATES = {"came-corrected": [1e-3, 2e-3, 4e-3]}


def main():
    compare_models(Study("came-confidence", THREE_MODELS | {"rates": RATES}), RATES)


if __name__ == "__main__":
    main()
