"""What a record says of rates that were tried and chosen."""

import pytest

from minilib.experiments.records import Record
from minilib.experiments.tuning import tuned


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
