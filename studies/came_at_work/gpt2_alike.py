"""AdamW, LAMB, CAME and corrected CAME on the GPT-2 of `gpt2-optimizers`, each tuned over four knobs: `studies.alike`.

Some 130 runs of four minutes of one core. Larger: seeds. At size "gpu" the model of
`gpt2-optimizers` there: 2e15 operations in each run; not run.
"""

from studies.alike import CHANGES, tune_alike
from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2
from studies.study import Study

SIZES = {
    "laptop": GPT2
    | {"batches": (128,), "seeds": (100, *range(20, 25)), "changes": CHANGES}
    | {"middles": {"adamw": 1.6e-2, "lamb": 2e-2, "came": 2e-3, "came-corrected": 8e-3}},
    "toy": TOY_GPT2 | {"changes": (), "middles": {"adamw": 1e-2}},
    "gpu": GPU_GPT2
    | {"batches": (256,)}
    | {"middles": {"adamw": 2e-3, "lamb": 1.4e-2, "came": 5e-4, "came-corrected": 2.8e-3}},
}


def main(asked):
    tune_alike(Study("gpt2-alike", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
