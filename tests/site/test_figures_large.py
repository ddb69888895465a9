"""The figures that move on the page of compression: their records, the price that torch counts, the stored bytes."""

import json

import numpy as np
import pytest
import torch

from minilib.analysis import flops
from minilib.compress import quantize, sparsify
from minilib.experiments import records
from minilib.models import registry
from tests.proofs.page_sides import Page

PAGE = Page("train_large_compress")
SIZES = [(1, 8), (1, 16), (1, 32), (2, 64), (4, 128)]


def medians():
    """{budget / 1e11: the median of the last losses of each size at its rate, None where it was not run}."""
    record, paid = records.load("model-size"), records.load("gpt2-compressed").run
    rates, last = record.run["results"]["chosen"], {}
    for r in record.curve:
        last.setdefault((r["layers"], r["width"], r["batch"], r["budget"], r["rate"]), {})[r["seed"]] = r["loss"]
    found = {}
    for b in record.run["config"]["budgets"]:
        keys = [(*size, 32, b, rates.get("{} {} 32 {:g}".format(*size, b))) for size in SIZES]
        found[round(b / 1e11)] = [float(np.median([*last[k].values()])) if k[-1] else None for k in keys]
    runs = {tuple(json.loads(key)): points[-1] for key, points in paid["results"]["pretrained"].items()}
    tuning, rates = paid["config"]["seeds"][0], paid["results"]["chosen"]
    chosen = {"{} {}".format(*size): [] for size in SIZES}
    for (*size, rate, seed), loss in runs.items():
        if seed != tuning and rate == rates[name := "{} {}".format(*size)]:
            chosen[name].append(loss)
    return found | {80: [float(np.median(losses)) if losses else None for losses in chosen.values()]}


def test_the_budgets_show_the_medians_of_the_records(numbers):
    js = numbers("budget-bottom")
    operations = [sum(PAGE["price"](*size, 2048, 32)) for size in SIZES]
    assert js("sizes").tolist() == operations
    for budget, losses in medians().items():
        run = [k for k, loss in enumerate(losses) if loss is not None]
        shown = js("losses", budget)
        assert [k for k, loss in enumerate(shown) if loss is not None and not np.isnan(loss)] == run
        assert [shown[k] for k in run] == pytest.approx([losses[k] for k in run], abs=6e-5)
        assert js("bottom", budget) == min(run, key=losses.__getitem__)
        assert js("tokens", 1e11 * budget, operations[3]) == pytest.approx(1e11 * budget / operations[3], rel=1e-12)
        three = [(operations[k], losses[k]) for k in run[:3]]
        assert js("vertex", three) == pytest.approx(PAGE["vertex_of"](*np.transpose(three)), rel=1e-9)


@pytest.mark.parametrize("shape", [(1, 8, 400, 16), (2, 64, 2048, 32), (3, 48, 1000, 64), (12, 32, 500, 8)])
def test_the_price_is_what_torch_counts_and_the_chapters(numbers, shape):
    js = numbers("token-price")
    layers, width, vocabulary, length = shape
    assert js("price", *shape).tolist() == list(PAGE["price"](*shape))
    model = registry.model("gpt2", layers=layers, width=width, heads=2, vocabulary=vocabulary, length=length)
    row = {"tokens": torch.zeros(1, length + 1, dtype=torch.int64)}
    assert js("total", *shape) == flops.per_row(model, row) / length
    weights = sum(p.numel() for name, p in model.named_parameters() if p.ndim > 1 and "positions" not in name)
    tied = model.tokens.weight.numel()
    assert js("six", *shape[:3]).tolist() == [6 * weights, 6 * (weights - tied)]


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.6, 0.62, 0.9])
@pytest.mark.parametrize("bits", [2, 3, 4, 8, 32])
def test_a_matrix_is_stored_as_the_library_stores_it(numbers, bits, share):
    js = numbers("bits-and-zeros")
    w = torch.tensor(js("matrix"), dtype=torch.float32)
    assert torch.allclose(w, torch.from_numpy(PAGE["figure_normals"](512, 3)).float(), rtol=1e-6, atol=0)
    mask = torch.ones(len(w), dtype=torch.bool)
    mask[w.abs().argsort(stable=True)[: round(share * len(w))]] = False
    w, mask = w.reshape(16, 32), mask.reshape(16, 32)
    if share:
        kept = sparsify(w * mask, mask, bits)
        read, size = kept.to_dense(), kept.nbytes
    else:
        read, size = (w, w.nbytes) if bits == 32 else ((q := quantize(w, bits)).dequantize(), q.nbytes)
    ours = js("stored", bits, share)
    assert ours["bytes"] == size
    assert ours["left"] == mask.sum()
    assert np.asarray(ours["read"]) == pytest.approx(read.flatten().numpy(), abs=0)
    moved = (read.double() - w.double()).norm() / w.double().norm()
    assert js("lost", ours["read"]) == pytest.approx(float(moved), abs=1e-12)


@pytest.mark.parametrize("limit", [12, 20, 40, 80, 120, 320, 1000, 4500])
def test_the_best_format_that_fits_is_that_of_the_record(numbers, limit):
    js, stored, sizes = numbers("kilobytes"), {}, SIZES[2:]
    for r in records.load("gpt2-compressed").curve:
        key = sizes.index((r["layers"], r["width"])), round(100 * r["sparsity"]), r["bits"], int(r["per"] == "channel")
        stored.setdefault(key, []).append((r["bytes"], r["choosing"], r["loss"]))
    means = {key: np.mean(rows, axis=0) for key, rows in stored.items()}
    formats = js("formats")
    assert [tuple(row[:4]) for row in formats] == [*means]
    for row, mean in zip(formats, means.values(), strict=True):
        assert row[4:] == pytest.approx(mean, rel=1e-9, abs=0.06)
        assert row[5:] == pytest.approx(mean[1:], abs=6e-6)
    found, fits = js("best", 1e3 * limit), {k: [] for k in range(3)}
    for n, (key, (size, choosing, _)) in enumerate(means.items()):
        if size <= 1e3 * limit:
            fits[key[0]].append((choosing, n))
    best = [min(of)[1] if of else -1 for of in fits.values()]
    assert [*found["of"]] == best
    assert found["winner"] == min(of for each in fits.values() for of in each)[1]
