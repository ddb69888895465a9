"""The figures that move on the pages of language models: the records, SciPy's laws, torch, the chapters' own code."""

import ast

import numpy as np
import pytest
import torch
from scipy import stats

from minilib.analysis import flops
from minilib.analysis.jobs import NAMED
from minilib.analysis.memory import PRECISIONS, Transformer, training_bytes
from minilib.compress import quantize, sparsify
from minilib.data.objectives import masked_count
from minilib.experiments.verdicts import compare
from minilib.models import registry
from minilib.training.config import Config, Phase
from minilib.training.trainer import learning_rate
from tests.proofs.page_sides import Page, nodes
from tools.pages.figure_records import RECORDS

TABLES = ("frequencies", "the token before", "both neighbours", "and the hole")


def test_the_tables_stand_where_the_chapter_finds_them(numbers):
    js = numbers("bert-rivals")
    compared = [
        node for node, _ in nodes("bert") if isinstance(node, ast.Compare) and ast.unparse(node.left) == "found"
    ]
    assert [ast.literal_eval(node.comparators[0]) for node in compared] == [[js("level", table) for table in TABLES]]


@pytest.mark.parametrize("p", [0.05, 0.15, 0.3, 0.45])
def test_a_coin_hides_a_binomial_number_and_exactly_k_is_the_librarys(numbers, p):
    js, law = numbers("mask-row"), stats.binom(64, p)
    for k in (0, 1, 10, 33, 64):
        assert js("chance", 64, p, k) == pytest.approx(law.pmf(k), rel=1e-12)
    assert js("spread", "coin", 64, p) == pytest.approx(law.std(), rel=1e-12)
    assert (js("room", "coin", 64, p), js("spread", "exact", 64, p)) == (law.ppf(0.999), 0)
    assert js("count", 64, p) == js("room", "exact", 64, p) == masked_count(64, p)
    exact, coin = (js("hidden", kind, 400, 64, p, 1) for kind in ("exact", "coin"))
    assert set(exact.sum(1)) == {masked_count(64, p)}
    assert coin.sum(1).mean() == pytest.approx(law.mean(), abs=4 * law.std() / 20)
    assert coin.sum(1).std() == pytest.approx(law.std(), rel=0.15)


def test_what_the_answer_says_of_fifteen_per_cent(numbers):
    js = numbers("mask-row")
    assert js("spread", "coin", 64, 0.15) == pytest.approx(2.9, abs=0.05)
    assert js("room", "coin", 64, 0.15) == 19


@pytest.mark.parametrize("s", [0.003, 0.3, 13.0, 39.0])
def test_a_softmax_is_numpys(numbers, s):
    js = numbers("flat-softmax")
    for n in (64, 4096):
        z = np.random.default_rng(n).normal(size=n)
        p = np.exp(np.sqrt(s) * z)
        assert js("logSum", z, s) == pytest.approx(np.log(p.sum()), rel=1e-12)
        assert js("effective", z, s) == pytest.approx(np.exp(stats.entropy(p)), rel=1e-10)
        assert js("formula", n, s) == pytest.approx(np.log(n) + s / 2, rel=1e-12)
        assert js("end", n) == pytest.approx(2 * np.log(n), rel=1e-12)


@pytest.mark.parametrize("sigma", [0.02, 0.049])
def test_scores_of_fresh_weights_have_the_variance_and_the_loss_that_the_figure_says(numbers, sigma):
    js, w = numbers("flat-softmax"), 128
    torch.manual_seed(0)
    x, q, k = torch.randn(4000, w), sigma * torch.randn(w, w), sigma * torch.randn(w, w)
    scores = ((x @ q)[:, :64] * (x @ k)[:, :64].roll(1, 0)).sum(1) / 8
    assert float(scores.var()) == pytest.approx(js("variance", "attention", w, sigma), rel=0.15)
    model = registry.model("bert-tiny", vocabulary=4096, length=64, published_weights=sigma == 0.02)
    batch = {name: torch.randint(5, 4096, (32, n)) for name, n in (("tokens", 64), ("targets", 10))}
    batch["positions"] = torch.arange(10).repeat(32, 1)
    s = js("variance", "head", w, sigma)
    assert float(model(batch).loss.detach()) == pytest.approx(js("formula", 4096, s), abs=0.1)


def test_what_the_answer_says_of_flat_softmaxes(numbers):
    js, z = numbers("flat-softmax"), [np.random.default_rng(k).normal(size=4096) for k in range(5)]
    for sigma, among in ((0.02, 63.9), (0.049, 60.9)):
        s = js("variance", "attention", 128, sigma)
        assert np.mean([js("effective", some[:64], s) for some in z]) == pytest.approx(among, abs=0.7)
    assert js("end", 4096) == pytest.approx(16.6, abs=0.05)
    for some in z:
        assert js("logSum", some, 4) == pytest.approx(js("formula", 4096, 4), abs=0.15)
        assert js("logSum", some, 25) < js("formula", 4096, 25) - 1


def test_a_loss_between_two_points_lies_on_their_line_and_a_table_is_passed_at_the_first_point_below(numbers):
    js = numbers("bert-rivals")
    for run, points in RECORDS["bert-rivals"]().items():
        tokens, loss = np.transpose(points)
        for at in (*tokens[[0, 3, -1]], 1_234_567.0):
            assert js("loss", run, at) == pytest.approx(np.interp(at, tokens, loss), rel=1e-12)
        assert js("loss", run, tokens[0] - 1) is js("loss", run, tokens[-1] + 1) is None
        for table in TABLES:
            below = tokens[loss < js("level", table)]
            assert js("passes", run, table) == (below[0] if len(below) else None)


def test_what_stood_in_a_hole_costs_as_many_nats_as_its_guess_says(numbers):
    for h, hole in enumerate(RECORDS["fill-the-hole"]()):
        for rival, guess in hole["guesses"].items():
            assert numbers("fill-the-hole")("nats", h, rival) == pytest.approx(-np.log(guess["truth"]), rel=1e-12)


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


@pytest.mark.parametrize("method", ["AdamW", "LAMB"])
def test_what_a_batch_costs_and_what_a_rate_costs(numbers, method):
    for rate, rows in RECORDS["free-batch"]()["losses"][method].items():
        small = np.mean(RECORDS["free-batch"]()["losses"][method]["tuned"][0])
        for b, ends in zip((16, 64, 256, 1024), rows, strict=True):
            s = numbers("free-batch")("summary", method, rate, b)
            expected = [np.mean(ends), min(ends), max(ends), np.mean(ends) - small]
            assert [s["mean"], s["low"], s["high"], s["above"]] == pytest.approx(expected, abs=1e-12)
            assert s["steps"] == 4_000_000 // (32 * b)
    js, tried = numbers("wrong-rate"), RECORDS["wrong-rate"]()[method]
    start = min(tried[16], key=tried[16].get)
    for b, losses in tried.items():
        rule, best = start * np.sqrt(b / 16), min(losses, key=losses.get)
        assert js("rule", method, b) == pytest.approx(rule, rel=1e-12)
        assert 2.0 ** js("bestOctave", method, b) == pytest.approx(best / rule, rel=1e-12)
        for k in range(-5, 3):
            loss = next((loss for rate, loss in losses.items() if abs(rate / rule / 2.0**k - 1) < 1e-9), None)
            cost = loss if loss is None else pytest.approx(loss - losses[best], abs=1e-12)
            assert js("cost", method, b, k) == cost


PAGE = Page("train_large_compress")


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


def test_the_lowest_size_of_a_budget_and_what_it_buys(numbers):
    js, figure = numbers("budget-bottom"), RECORDS["budget-bottom"]()
    operations = [sum(PAGE["price"](*map(int, name.split(" × ")), 2048, 32)) for name, _ in figure["sizes"]]
    assert [of for _, of in figure["sizes"]] == operations
    for budget, losses in figure["losses"].items():
        run = [k for k, loss in enumerate(losses) if loss is not None]
        assert js("bottom", budget) == min(run, key=losses.__getitem__)
        assert js("tokens", 1e11 * budget, operations[3]) == pytest.approx(1e11 * budget / operations[3], rel=1e-12)
        three = [(operations[k], losses[k]) for k in run[:3]]
        assert js("vertex", three) == pytest.approx(PAGE["vertex_of"](*np.transpose(three)), rel=1e-9)


@pytest.mark.parametrize("limit", [12, 20, 40, 80, 120, 320, 1000, 4500])
def test_the_best_format_is_the_lowest_that_fits_on_the_half_that_chooses(numbers, limit):
    fits = {size: [(np.inf, -1)] for size in range(3)}
    for n, (size, _, _, _, stored, choosing, _) in enumerate(RECORDS["kilobytes"]()["formats"]):
        if stored <= 1e3 * limit:
            fits[size].append((choosing, n))
    best = [min(of) for of in fits.values()]
    assert numbers("kilobytes")("best", 1e3 * limit) == {"of": [n for _, n in best], "winner": min(best)[1]}


SHAPES = {"BERT-base": (768, 12, 12), "BERT-Large": (1024, 24, 16), "BERT of 4 billion": (2560, 48, 40)}

NUMBERS = {
    "float32": ("fp32", "came-pytorch 0.1.3"),
    "bfloat16, float32 master": ("bf16 + fp32 master", "came-pytorch 0.1.3"),
    "bfloat16 alone, authors' CAME": ("pure bf16", "came-pytorch 0.1.3"),
    "bfloat16 alone, CAME in bfloat16": ("pure bf16", "minilib, state_dtype bfloat16"),
}


@pytest.mark.parametrize("model", SHAPES)
def test_the_bills_are_those_of_minilib(numbers, model):
    js, (h, layers, heads) = numbers("share-saved"), SHAPES[model]
    own = Transformer(30_522, 512, h, layers, heads, segments=2, head=True)
    assert js("parameters", model) == own.parameters()
    for precision, (kind, package) in NUMBERS.items():
        for rows, again in ((1, False), (32, True)):
            live = own.activations(rows, 512, 80 * rows, PRECISIONS[kind].activations, recompute=again)
            whole = {}
            for method, of in (("AdamW", "torch 2.13.0"), ("CAME", package)):
                parts = training_bytes(own.shapes(), method, kind, package=of)
                state = parts.pop("optimizer state")
                assert js("bill", model, precision, rows, again, method) == pytest.approx(
                    [sum(parts.values()), state, live], rel=1e-12
                )
                whole[method] = sum(parts.values()) + state + live
            saved = 1 - whole["CAME"] / whole["AdamW"]
            assert js("saved", model, precision, rows, again) == pytest.approx(saved, abs=1e-12)


@pytest.mark.parametrize("beta3", [0.9, 0.999, 0.9999])
def test_the_hidden_rate_is_that_of_the_proposition(numbers, beta3):
    js, rest = numbers("hidden-rate"), 1 - beta3
    at = np.arange(1, 4001)
    exact = 1 / np.sqrt(1 - beta3**at)
    for t in (1, 40, 977, 3906):
        assert js("multiplier", rest, t) == pytest.approx(exact[t - 1], rel=1e-11)
        assert js("mean", rest, t) == pytest.approx(exact[:t].mean(), rel=1e-11)
    first = js("within", rest, 0.1)
    assert js("multiplier", rest, first) <= 1.1 < js("multiplier", rest, first - 1)


def test_pairs_are_judged_by_the_books_rule(numbers):
    js, runs = numbers("pick-a-pair"), RECORDS["pick-a-pair"]()["GPT-2"]
    for ours, theirs, margin in (("CAME", "AdamW", 0.05), ("CAME, corrected", "CAME", 0.3)):
        for seeds in (2, 3, 4, 5):
            a, b = (dict(enumerate(runs[name][:seeds])) for name in (ours, theirs))
            c, figure = compare(a, b, within=margin), js("paired", runs[ours], runs[theirs], seeds)
            expected = [c.difference, c.low, c.high]
            assert [figure["mean"], figure["low"], figure["high"]] == pytest.approx(expected, rel=1e-9)
            assert js("equal", figure, margin) == c.verdict
            assert js("lower", figure) == compare(a, b).verdict


def test_the_rates_of_a_run_are_those_of_the_trainer(numbers):
    js = numbers("match-the-rate")
    for model, figure in RECORDS["match-the-rate"]().items():
        steps = figure["steps"]
        config = Config(steps=steps, **({"warmup": 0.1, "schedule": "linear"} if model.startswith("BERT") else {}))
        phase = Phase(steps, config.length, config.batch_size, config.lr, config.warmup)
        for t in (1, 2, steps // 5, steps // 2, steps):
            plan = learning_rate(config, phase, t - 1) / config.lr
            assert js("planned", figure, t) == pytest.approx(plan, rel=1e-12)
            assert js("vector", 0.002, figure, t) == pytest.approx(0.002 * plan, rel=1e-12)
            assert js("matrix", 0.002, figure, t) == pytest.approx(0.002 * plan / np.sqrt(1 - 0.9999**t), rel=1e-11)
        ratio = 0.001 / min(figure["corrected"], key=lambda tried: tried[1])[0]
        first, last = (ratio / np.sqrt(1 - 0.9999**t) for t in (1, steps))
        expected = {"first": first, "last": last, "vectors": ratio}
        assert js("ratios", model, 0.001) == pytest.approx(expected, rel=1e-11)
