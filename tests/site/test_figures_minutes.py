"""The figures that move on the page of the 76 minutes: their numbers beside the record's, torch's and the chapter's."""

import numpy as np
import pytest
import torch

from minilib.analysis.jobs import NAMED
from minilib.experiments import records
from minilib.experiments.tuning import tuned
from tests.proofs.page_sides import Page

LABELS = {"AdamW": "adamw", "LAMB": "lamb"}
ROWS = (16, 64, 256, 1024)


@pytest.fixture(scope="module")
def record():
    return records.load("gpt2-batches")


def on_half_octaves(record, name: str, rows: int) -> list[float]:
    """The losses of the seeds that judge, at the best rate of the two records together."""
    finer, octave = records.load("gpt2-half-octaves"), tuned(record)["gpt2", rows, name]
    best = finer.run["results"]["chosen"][f"{rows} {name}"]
    case = {"optimizer": name, "batch": rows, "rate": best}
    more = {r["seed"]: r["loss"] for r in finer.curve if {k: r[k] for k in case} == case}
    return [octave.last[s] if best == octave.rate else more[s] for s in octave.last]


@pytest.mark.parametrize("method", LABELS)
@pytest.mark.parametrize("rate", ["tuned", "rule"])
def test_what_a_batch_costs_is_the_records(numbers, record, method, rate):
    js, name = numbers("free-batch"), LABELS[method]
    small = np.mean(on_half_octaves(record, name, 16))
    for b in ROWS:
        by_rule = [*tuned(record, "ruled")["gpt2", b, name].last.values()]
        ends = on_half_octaves(record, name, b) if rate == "tuned" else by_rule
        assert js("losses", method, rate, b).tolist() == ends
        s = js("summary", method, rate, b)
        told = [s["mean"], s["low"], s["high"], s["above"]]
        assert told == pytest.approx([np.mean(ends), min(ends), max(ends), np.mean(ends) - small], abs=1e-12)
        assert s["steps"] == round(record.run["config"]["tokens"] / record.run["config"]["bench"]["length"] / b)
    counted = record.run["results"]["counting"]
    assert js("tables") == {name: counted[name] for name in ("pairs", "triples")}


@pytest.mark.parametrize("method", LABELS)
def test_what_a_rate_costs_is_what_tuning_saw(numbers, record, method):
    js, ruled = numbers("wrong-rate"), tuned(record, "ruled")
    for b in ROWS:
        runs = tuned(record)["gpt2", b, LABELS[method]]
        tried = {float(lr): loss for lr, loss in js("tried")[method][str(b)].items()}
        assert tried == runs.tried
        assert js("rule", method, b) == pytest.approx(ruled["gpt2", b, LABELS[method]].rate, rel=1e-12)
        for k in range(-5, 3):
            lr = js("rule", method, b) * 2.0**k
            loss = next((loss for rate, loss in tried.items() if abs(rate / lr - 1) < 1e-9), None)
            cost = js("cost", method, b, k)
            assert (cost is None) == (loss is None)
            assert loss is None or cost == pytest.approx(loss - min(tried.values()), abs=1e-12)
        assert 2.0 ** js("bestOctave", method, b) == pytest.approx(runs.rate / js("rule", method, b), rel=1e-12)


def test_the_minutes_are_the_chapters_and_its_operations_the_planners(numbers):
    js, page = numbers("where-minutes-go"), Page("bert_in_76_minutes")
    for length, guessed in ((128, 20), (512, 80)):
        assert js("operations", length) == NAMED["bert-large"].operations(length, guessed)
    assert js("prices") == pytest.approx([float(page["per_operation"]), float(page["a_step"])], rel=1e-12)
    short, long = 7037 * 65_536, 1562 * 32_768
    both = short + long
    for run in ((short, 65_536, long), (short, 8192, long), (0, 65_536, both), (both, 131_072, 0)):
        assert np.sum(js("minutes", *run)) == pytest.approx(float(page["run_minutes"](*run)), rel=1e-12)
    assert np.sum(js("minutes", short, 65_536, long)) == pytest.approx(76.19, rel=1e-12)


@pytest.mark.parametrize("size", [1, 3, 5, 11, 12])
@pytest.mark.parametrize("kind", ["equal", "unequal"])
def test_the_weight_of_a_token_is_what_autograd_gives_it(numbers, kind, size):
    js = numbers("cut-a-batch")
    tokens = [int(n) for n in js("kinds")[kind]]
    losses = [torch.zeros(n, dtype=torch.float64, requires_grad=True) for n in tokens]
    cut = [losses[i : i + size] for i in range(0, len(losses), size)]
    for how in ("part", "batch"):
        for part in cut:
            of_part = torch.cat(part)
            divided = of_part.sum() / sum(tokens) if how == "batch" else of_part.mean() / len(cut)
            divided.backward()
        weights = [float(loss.grad[0]) * sum(tokens) for loss in losses]
        assert js("weights", tokens, size, how) == pytest.approx(weights, rel=1e-12)
        for loss in losses:
            loss.grad = None
