"""The rule by which a learning rate is chosen."""

import math

import pytest

from minilib.experiments.records import Record
from minilib.experiments.tuning import best_rate, tuned


@pytest.mark.parametrize("rates", [[0.5, 1.0, 2.0], [1.0]])
@pytest.mark.parametrize("best", [1 / 64, 1 / 2, 1.0, 2.0, 32.0])
def test_it_goes_on_until_the_best_has_two_neighbours(best, rates):
    tried = []

    def loss(rate):
        tried.append(rate)
        return abs(math.log2(rate / best))

    assert best_rate(loss, rates) == best
    assert min(tried) < best < max(tried)
    assert len(tried) == len(set(tried))


def test_runs_that_diverged_are_the_worst_and_the_factor_may_be_another():
    assert best_rate(lambda rate: math.inf if rate > 1 else -rate, [0.5, 1.0]) == 1.0
    assert best_rate(lambda rate: (rate - 10) ** 2, [1.0], factor=10) == 10.0


def test_it_gives_up_where_there_is_no_best_or_no_rate():
    with pytest.raises(ValueError, match="the best rate is 32, at the edge of the 6 that were tried"):
        best_rate(lambda rate: -rate, [1.0], most=6)
    with pytest.raises(ValueError, match="rates must hold at least one"):
        best_rate(lambda rate: rate, [])


def a_record(*columns, chosen):
    """Of runs with two points, in which a rate of 1 ends at 3 plus a thousandth of the seed, others one nat higher."""
    curve = [
        dict(zip(columns, case.split(), strict=True)) | {"rate": rate, "seed": seed, "tokens": tokens, "loss": loss}
        for case in chosen
        for rate, seed in [(0.5, 100.0), (1.0, 100.0), (2.0, 100.0), (1.0, 0.0), (1.0, 1.0)]
        for tokens, loss in ((8.0, 5.0), (16.0, 3.0 + seed / 1000 + (rate != 1.0)))
    ]
    for row in curve:
        row |= {"batch": float(row["batch"])} if "batch" in row else {}
    return Record({"name": "a", "config": {"seeds": [100, 0, 1]}, "results": {"chosen": chosen}}, curve)


def test_the_seed_that_chose_a_rate_is_kept_apart_from_those_that_judge():
    runs = tuned(a_record("model", "batch", "optimizer", chosen={"gpt2 128 lamb": 1.0, "gpt2 128 adamw": 1.0}))
    assert list(runs) == [("gpt2", 128, "lamb"), ("gpt2", 128, "adamw")]
    lamb = runs["gpt2", 128, "lamb"]
    assert lamb.tried == {0.5: 4.1, 1.0: 3.1, 2.0: 4.1}
    assert lamb.last == {0: 3.0, 1: 3.001}
    assert lamb.curves[1] == [(8.0, 5.0), (16.0, 3.001)]


def test_a_case_of_one_column_stands_for_itself_and_one_without_a_chosen_rate_is_refused():
    record = a_record("recipe", chosen={"long": 1.0, "cold": 1.0})
    assert list(tuned(record)) == ["long", "cold"]
    del record.run["results"]["chosen"]["cold"]
    with pytest.raises(ValueError, match="no rate for .'cold',"):
        tuned(record)
    with pytest.raises(ValueError, match="no rates that were chosen"):
        tuned(record._replace(run={"name": "a", "config": {}, "results": {}}))


def test_the_runs_at_the_rates_of_a_rule_can_be_asked_for():
    record = a_record("recipe", chosen={"long": 1.0})
    record.run["results"]["ruled"] = {"long": 2.0}
    record.curve.append({"recipe": "long", "rate": 2.0, "seed": 0.0, "tokens": 16.0, "loss": 3.5})
    assert tuned(record, "ruled")["long"].last == {0: 3.5}
    assert tuned(record)["long"].last == {0: 3.0, 1: 3.001}
