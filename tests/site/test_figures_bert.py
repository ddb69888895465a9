"""The figures that move on BERT's page: the book's records, SciPy's laws, and the library's first weights."""

import ast

import numpy as np
import pytest
import torch
from scipy import stats

from minilib.data.objectives import masked_count
from minilib.experiments import records
from minilib.models import registry
from tests.proofs.page_sides import nodes

RUNS = {"first weights as published": "as published", "wider first weights, waves": "ours"}
TABLES = ("frequencies", "the token before", "both neighbours", "and the hole")


def curve(run):
    """(tokens, validation loss) of the run that the figure calls so."""
    if run in RUNS:
        rows = [r for r in records.load("bert-laptop").curve if (r["first weights"], r["seed"]) == (RUNS[run], 0)]
    else:
        rows = records.load("bert-long").curve
    return np.array([(r["tokens"], r["validation_loss"]) for r in rows])


@pytest.mark.parametrize("run", [*RUNS, "the same, a longer run"])
def test_a_run_is_the_recorded_one_and_passes_a_table_where_it_is_first_below(numbers, run):
    js, (tokens, loss) = numbers("bert-rivals"), curve(run).T
    assert js("points", run) == pytest.approx(np.array([tokens, loss.round(3)]).T, rel=1e-12)
    for at in (*tokens[[0, 3, -1]], 1_234_567.0):
        assert js("loss", run, at) == pytest.approx(np.interp(at, tokens, loss.round(3)), rel=1e-12)
    assert js("loss", run, tokens[0] - 1) is js("loss", run, tokens[-1] + 1) is None
    for table in TABLES:
        below = tokens[loss < js("level", table)]
        assert js("passes", run, table) == (below[0] if len(below) else None)


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


def test_holes_and_guesses_are_the_recorded_ones(numbers):
    js, shown = numbers("fill-the-hole"), records.load("bert-guesses").run["results"]["shown"]
    assert js("holes") == len(shown)
    for h, hole in enumerate(shown):
        assert js("word", h) == hole["truth"]
        for rival, guess in hole["guesses"].items():
            assert [[word, float(p)] for word, p in js("top", h, rival).tolist()] == guess["top"]
            assert js("truth", h, rival) == guess["truth"]
            assert js("nats", h, rival) == pytest.approx(-np.log(guess["truth"]), rel=1e-12)
