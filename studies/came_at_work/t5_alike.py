"""AdamW, LAMB, CAME and corrected CAME on the T5 of `t5-optimizers`, each tuned over four knobs: `studies.alike`.

Some 160 runs of two minutes of one core. Larger: seeds. At size "gpu" the model of
`t5-optimizers` there: 2e15 operations in each run; not run.
"""

from studies.alike import CHANGES, tune_alike
from studies.command import start
from studies.pretraining import GPT2, GPU_GPT2, TOY_GPT2
from studies.study import Study

T5 = {"models": ("t5-small",), "batches": (32,), "seeds": (100, *range(20, 30))}
SIZES = {
    "laptop": GPT2
    | T5
    | {"changes": CHANGES, "middles": {"adamw": 1.6e-2, "lamb": 2e-2, "came": 1e-3, "came-corrected": 1.6e-2}},
    "toy": TOY_GPT2 | {"models": ("t5-small",), "changes": CHANGES[:1], "middles": {"adamw": 1e-2}},
    "gpu": GPU_GPT2
    | {"batches": (64,)}
    | {"middles": {"adamw": 2e-3, "lamb": 1.4e-2, "came": 5e-4, "came-corrected": 2.8e-3}},
}


def main(asked):
    tune_alike(Study("t5-alike", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES)
