"""`schedule-digits` with LAMB, and without a change of length: `studies/designs.md`, "Schedules and averages".

Some five minutes of one core. Larger: steps, seeds.
"""

from studies.command import NUMPY, start
from studies.falling import ARMS, compare_schedules
from studies.study import Study

RATES = dict.fromkeys(ARMS, 0.01) | dict.fromkeys(("inverse", "cosine", "linear"), 0.02)
SIZES = {
    "laptop": {
        "task": "digits",
        "batch": 8,
        "steps": 1000,
        "rates": {"LAMB": RATES},
        "lengths": {},
        "tuning_seeds": (500, 501, 502),
        "seeds": tuple(range(510, 530)),
    },
    "toy": {"steps": 20, "rates": {"LAMB": {"wsd": 0.01}}, "tuning_seeds": (500,), "seeds": (510,)},
}


def main(asked):
    compare_schedules(Study("schedule-lamb", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
