"""How much does the search scatter? The search of `reality-check` on digits, twenty times over, with two protocols.

Written before the runs. Ten searches were made first and their results had been looked at when the other ten were run;
twenty was the plan from the start. A search is one study from beginning to end: its own scramble of the Halton points,
its own tuning seed, 32 trials of each method, the trial with the lowest validation loss, five fresh seeds of its own,
and the test loss there. "Four knobs" searches rate, momentum, warm-up and decay; "rate only" takes the 32 rates of the
same points, with the other knobs as people leave them (`FIXED`). Training, validation and test examples are three sets,
the same in all searches, so the sample of test examples is not counted.

The unit of every verdict is the search: the mean over its five seeds of the log test loss, compared in pairs. That
counts the search, which the record `reality-check` could not. A difference matters from a factor of 1.5 on (0.41 in
logarithms). Expected from six searches that a reader had made on "digits, big" (paired differences scatter by 0.4):
twenty see a factor of 1.3 in a single comparison and of 1.45 in a family of twelve.
The families:

1. four knobs: which of two methods ends lower, six pairs in two cases: 12;
2. rate only: the same 12;
3. the protocol: does the logarithm of the ratio of two methods change from "rate only" to "four knobs": 12. An order
   *turns* where 1 and 2 resolve it in opposite directions;
4. the winner's curse: is the log validation loss of the selected trial higher on the fresh seeds than on the tuning
   seed, mean over the four methods, two cases, four knobs: 2.

Beside the verdicts: the scatter of the searches (of their mean logs, less a fifth of the variance between seeds) over
that of the seeds within a search, with its exact F interval, for each method and case; that "the search scatters more
than the seeds" is claimed where the interval lies above 1, for eight ratios at 1 - 0.05/8. And how often five seeds of
one search would have decided a pair, and for whom. The arm that must lose: on "rate only" a rate may be anything in
2.5 decades, so a search of two of the 32 trials has to be worse than one of 32 (computed from the tuning scores).
"""

from studies.command import NUMPY, start
from studies.four_knobs import CASES, repeat_searches
from studies.study import Study

MOMENTUM = {"1-beta1": 0.1, "warmup": 0.1, "decay": 1e-4}
FIXED = {
    "Nesterov": MOMENTUM,
    "LARS": MOMENTUM,
    "AdamW": MOMENTUM | {"decay": 0.01},
    "LAMB": MOMENTUM | {"decay": 0.01},
}
SIZES = {
    "laptop": {
        "cases": {name: case for name, case in CASES.items() if case[0] == "digits"},
        "searches": {"digits, small": 20, "digits, big": 20},
        "knobs": ("four knobs", "rate only"),
        "fixed": FIXED,
        "trials": 32,
        "fresh": 5,
    },
    "toy": {
        "cases": {"digits, big": ("digits", 512, 4, 2)},
        "searches": {"digits, big": 2},
        "trials": 2,
        "fresh": 2,
    },
}


def main(asked):
    repeat_searches(Study("digit-searches", vars(asked.plan), asked=asked))


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
