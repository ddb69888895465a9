"""Seven schedules on digits, with SGD and AdamW: `studies/designs.md`, "Schedules and averages".

Digits go by in batches of 8, 1,000 of them, so that the noise has a say. Some ten minutes of one core. Larger: steps,
seeds.
"""

from studies.command import NUMPY, start
from studies.falling import ARMS, compare_schedules
from studies.study import Study

# the middle of the first three rates: for constant and its kin, and for schedules that fall over the whole run
SGD = dict.fromkeys(ARMS, 0.025) | dict.fromkeys(("inverse", "cosine", "linear"), 0.05)
ADAMW = dict.fromkeys(ARMS, 0.004) | dict.fromkeys(("inverse", "cosine", "linear"), 0.008)
SIZES = {
    "laptop": {
        "task": "digits",
        "batch": 8,
        "steps": 1000,
        "rates": {"SGD": SGD, "AdamW": ADAMW},
        "lengths": {"AdamW": ("cosine", "linear", "wsd")},
        "tuning_seeds": (500, 501, 502),
        "seeds": tuple(range(510, 530)),
    },
    "toy": {
        "steps": 20,
        "rates": {"AdamW": dict.fromkeys(("constant", "average", "cosine", "wsd"), 0.004)},
        "lengths": {"AdamW": ("cosine", "wsd")},
        "tuning_seeds": (500,),
        "seeds": (510,),
    },
}


def main(asked):
    compare_schedules(Study("schedule-digits", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
