"""Six schedules on masked words with AdamW: `studies/designs.md`, "Schedules and averages".

With 16 rows the model never leaves the plateau in 800 steps, and momentum leaves it late: so 32 rows, and AdamW alone.
Some 15 minutes of one core. Larger: steps, seeds.
"""

from studies.command import NUMPY, start
from studies.falling import compare_schedules
from studies.study import Study

RATES = dict.fromkeys(("constant", "average", "wsd", "rising"), 0.01) | dict.fromkeys(("cosine", "linear"), 0.02)
SIZES = {
    "laptop": {
        "task": "words",
        "batch": 32,
        "rows": 512,
        "steps": 800,
        "rates": {"AdamW": RATES},
        "lengths": {},
        "tuning_seeds": (500, 501),
        "seeds": tuple(range(510, 520)),
    },
    "toy": {
        "batch": 2,
        "rows": 2,
        "steps": 20,
        "rates": {"AdamW": dict.fromkeys(("average", "wsd"), 0.01)},
        "lengths": {"AdamW": ("wsd",)},
        "tuning_seeds": (500,),
        "seeds": (510,),
    },
}


def main(asked):
    compare_schedules(Study("schedule-words", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
