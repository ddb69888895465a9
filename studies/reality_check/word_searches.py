"""How much does the search scatter on masked words? The search of `reality-check`, five times and once more.

As `digit-searches`, with four knobs only, 24 trials and losses in nats: a run takes two seconds at the small batch and
four at the big one, so twenty searches would take three and a half hours of one core. Written before the runs (a first
plan, six and three searches, was cut before any loss was seen): the unit of a verdict is the search; the family are the
six pairs of methods at the small batch; 0.05 nats matter. Five searches see a difference of 1.7 times the scatter of
their differences in a single comparison and of 2.8 times in the family. One more search at the big batch decides
nothing, and no verdict is asked of it: it shows, beside the first one, how far apart two studies of the same question
can end.
"""

from studies.command import NUMPY, start
from studies.four_knobs import CASES, repeat_searches
from studies.study import Study

SIZES = {
    "laptop": {
        "cases": {name: case for name, case in CASES.items() if case[0] == "words"},
        "searches": {"words, small": 5, "words, big": 1},
        "knobs": ("four knobs",),
        "trials": 24,
        "fresh": 5,
    },
    "toy": {
        "cases": {"words, small": ("words", 4, 4, 2)},
        "searches": {"words, small": 1},
        "trials": 1,
        "fresh": 1,
    },
}


def main(asked):
    repeat_searches(Study("word-searches", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
