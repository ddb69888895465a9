"""The figures that move on the reality check's page: their numbers beside the records, and the book's rule for ties."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from minilib.experiments import records
from minilib.experiments.verdicts import compare

METHODS = ["Nesterov", "AdamW", "LARS", "LAMB"]
SAID = {"confirmed": 1, "contradicted": -1, "not resolved": 0}


def short(value):
    return float(f"{value:.4g}")


def test_the_winners_are_those_of_the_record(numbers):
    js, curve = numbers("pick-your-winner"), records.load("winners").curve
    shown = js("record")
    for protocol in shown["protocols"]:
        medians = {}
        for method in METHODS:
            rows = [r for r in curve if (r["protocol"], r["optimizer"]) == (protocol, method)]
            by_judges = [[r["loss"] for r in rows if r["judges"] == n] for n in shown["judges"]]
            assert [list(values) for values in shown["losses"][protocol][method]] == by_judges
            medians[method] = [np.median(values) for values in by_judges]
            assert js("median", by_judges[2]) == medians[method][2]
        for who in range(3):
            assert js("winner", protocol, who) == min(METHODS, key=lambda m: medians[m][who])


def test_the_best_of_k_trials_is_the_mean_over_all_subsets(numbers):
    js, curve = numbers("best-of-k"), records.load("reality-check").curve
    shown = js("record")["trials"]
    for case, by_method in shown.items():
        for method in METHODS:
            rows = [r for r in curve if (r["cell"], r["optimizer"]) == (case.replace(",", ""), method)]
            assert list(by_method[method]) == sorted(short(r["validation"]) for r in rows)
    x, y = ([float(v) for v in shown["digits, big"][m][:7]] for m in ("LAMB", "AdamW"))
    for k in (1, 3, 7):
        subsets = [[min(K) for K in combinations(scores, k)] for scores in (x, y)]
        assert js("bestOf", x, k) == pytest.approx(np.mean(subsets[0]), rel=1e-12)
        below = np.mean([[a < b for b in subsets[1]] for a in subsets[0]])
        assert js("chance", x, y, k) == pytest.approx(below, abs=1e-12)
    expected = [comb(32 - i, 15) / comb(32, 16) for i in range(1, 33)]
    assert js("weights", 32, 16) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_the_repeated_studies_are_those_of_the_record_and_judged_by_the_books_rule(numbers):
    js, curve = numbers("many-studies"), records.load("digit-searches").curve
    for case, by_knobs in js("record")["losses"].items():
        for knobs, by_method in by_knobs.items():
            for method in METHODS:
                where = (case.replace(",", ""), knobs, method)
                rows = [r for r in curve if (r["case"], r["knobs"], r["optimizer"]) == where]
                found = [[short(r["test"]) for r in rows if r["search"] == k] for k in range(len(by_method[method]))]
                assert [list(row) for row in by_method[method]] == found
            for a, b in combinations(METHODS, 2):
                said = []
                for ours, theirs in zip(by_method[a], by_method[b], strict=True):
                    c = compare(*(dict(enumerate(np.log(losses))) for losses in (ours, theirs)))
                    said.append(SAID[c.verdict])
                assert list(js("tally", case, knobs, a, b, len(said))) == [said.count(v) for v in (1, 0, -1)]
    ours, theirs = ([float(v) for v in by_method[m][0]] for m in ("LAMB", "AdamW"))
    c, interval = compare(*(dict(enumerate(np.log(x))) for x in (ours, theirs))), js("paired", ours, theirs)
    assert [interval["mean"], interval["low"], interval["high"]] == pytest.approx(
        [c.difference, c.low, c.high], rel=1e-12
    )
    assert js("says", ours, theirs) == SAID[c.verdict]
