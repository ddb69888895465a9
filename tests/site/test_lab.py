"""The laboratory: its optimizers beside minilib's, its judge beside the rule for ties, its answers by running it."""

import itertools

import numpy as np
import pytest
from beside import positions

from minilib import data, optim
from minilib.autodiff import Tensor, cross_entropy
from minilib.experiments.verdicts import compare, family
from tools.pages import stills

METHODS = {
    "SGD": lambda p, lr: optim.SGD(p, lr),
    "Momentum": lambda p, lr: optim.SGD(p, lr, momentum=0.9),
    "Nesterov": lambda p, lr: optim.SGD(p, lr, momentum=0.9, nesterov=True),
    "Adam": lambda p, lr: optim.Adam(p, lr),
    "AdamW": lambda p, lr: optim.AdamW(p, lr),
    "LARS": lambda p, lr: optim.LARS(p, lr),
    "LAMB": lambda p, lr: optim.LAMB(p, lr, weight_decay=0.0),
    "Adafactor": lambda p, lr: optim.Adafactor(p, lr, relative_step=False),
    "CAME": lambda p, lr: optim.CAME(p, lr),
    "Lion": lambda p, lr: optim.Lion(p, lr),
    "Muon": lambda p, lr: optim.Muon(p, lr, weight_decay=0.0),
}


def test_the_methods_are_those_that_are_compared(numbers):
    assert numbers("lab")("names").tolist() == list(METHODS)


STEPS = [
    (method, shape) for method in METHODS for shape in ((8, 6), (3, 5), (7,)) if method != "Muon" or len(shape) == 2
]


@pytest.mark.parametrize(("method", "shape"), STEPS)
def test_fifty_steps_are_those_of_minilib(numbers, method, shape):
    maker, falling = np.random.default_rng(len(shape)), np.logspace(0, -3, 50).reshape(50, *[1] * len(shape))
    start, gradients = maker.normal(size=shape), maker.normal(size=(50, *shape)) * falling
    gradients[7] = 0.0
    ours = numbers("lab")("path", method, list(shape), start.ravel(), gradients.reshape(50, -1), 0.05)
    theirs = positions(lambda p: METHODS[method](p, 0.05), lambda x, t: gradients[t], start, 50)[1:]
    assert ours == pytest.approx(theirs.reshape(50, -1), rel=1e-12, abs=1e-12)


def test_the_digits_are_the_books(numbers):
    parts, (x, y, x_test, y_test) = numbers("lab")("parts"), data.digits()
    tuning = np.arange(len(y)) % 4 == 3
    expected = {"train": (x[~tuning], y[~tuning]), "tune": (x[tuning], y[tuning]), "test": (x_test, y_test)}
    for part, (pixels, labels) in expected.items():
        assert np.array_equal(parts[part], np.column_stack([pixels, labels])), part


@pytest.mark.parametrize("widths", [(64, 32, 32, 10), (48, 16, 48)])
def test_the_gradients_of_the_networks_are_those_of_autodiff(numbers, widths):
    maker, n = np.random.default_rng(3), 5
    layers = [Tensor(maker.normal(size=shape) / 8) for shape in itertools.pairwise(widths)]
    out, y = Tensor(maker.normal(size=(n, widths[0]))), maker.integers(widths[-1], size=n)
    examples = [[x.tolist(), int(label)] for x, label in zip(out.data, y, strict=True)]
    for w in layers[:-1]:
        out = (out @ w).relu()
    loss = cross_entropy(out @ layers[-1], y)
    loss.backward()
    weights, shapes = [w.data.ravel().tolist() for w in layers], [list(w.shape) for w in layers]
    result = numbers("lab")("gradient", weights, shapes, examples)
    assert result["loss"] == pytest.approx(float(loss.data), rel=1e-12)
    for mine, w in zip(result["gradients"], layers, strict=True):
        assert mine == pytest.approx(w.grad.ravel(), rel=1e-12, abs=1e-14)


def test_the_words_come_as_often_as_the_page_says(numbers):
    ranks = np.arange(48)
    for name, chances in (("words", 1 / (1 + ranks)), ("even words", np.ones(48))):
        chances = chances / chances.sum()
        odds = np.outer(chances, chances) / 2
        odds[ranks, ranks ^ 1] += chances / 2
        assert numbers("lab")("odds", name) == pytest.approx(odds.ravel(), rel=1e-12)
        drawn = np.zeros((48, 48))
        np.add.at(drawn, tuple(numbers("lab")("pairs", name, 20_000, 1).astype(int).T), 1 / 20_000)
        assert np.abs(drawn - odds).max() < 0.01  # 3 standard errors of the most frequent pair, and more
        assert np.abs(drawn.sum(0) - odds.sum(0)).max() < 0.01


def turned(h):
    """The symmetric matrix with these eigenvalues whose axes are mixed by 45°, the first with the last."""
    n = len(h)
    Q = np.eye(n) * np.sqrt(0.5)
    for i in range(n // 2):
        Q[i, n - 1 - i], Q[n - 1 - i, i] = -np.sqrt(0.5), np.sqrt(0.5)
    return Q @ np.diag(h) @ Q.T


def test_the_gradients_of_the_quadratics_are_what_the_page_says(numbers):
    js, x = numbers("lab"), np.random.default_rng(4).normal(size=8)
    steep = np.logspace(2, 0, 8)
    assert js("exact", "bowl", x) == pytest.approx(steep * (x - 1), rel=1e-12)
    assert js("exact", "noisy bowl", x) == pytest.approx(steep * (x - 1), rel=1e-12)
    assert js("exact", "valley", x) == pytest.approx(turned(steep) @ (x - 1), rel=1e-12)
    X = np.random.default_rng(5).normal(size=(8, 6))
    G = turned(np.logspace(1, 0, 8)) @ (X - 1) @ turned(np.logspace(3, 0, 6))
    assert js("exact", "matrix", X.ravel()) == pytest.approx(G.ravel(), rel=1e-12)


CLAIMS = {(0.0, np.inf): {}, (0.2, np.inf): {"smallest": 0.2}, (-0.3, 0.3): {"within": 0.3}}


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("seeds", [2, 5, 20])
def test_the_judge_is_the_rule_for_ties(numbers, seeds, claim):
    maker, js = np.random.default_rng(seeds), numbers("lab")
    ours = maker.normal(size=seeds)
    others = [ours + gap + 0.3 * maker.normal(size=seeds) for gap in (-1, -0.2, 0, 0.1, 0.3, 1, 3)]
    others.append(ours.copy())  # equal to the bit
    rule = {k: compare(dict(enumerate(ours)), dict(enumerate(v)), **CLAIMS[claim]) for k, v in enumerate(others)}
    single = [js("compare", ours, other, list(claim)) for other in others]
    for judged, result in ((single, rule), (js("family", single), family(rule))):
        for mine, theirs in zip(judged, result.values(), strict=True):
            assert mine["verdict"] == theirs.verdict
            assert bool(mine["df"]) == bool(theirs.df)
            if theirs.df:
                assert (mine["low"], mine["high"]) == pytest.approx((theirs.low, theirs.high), rel=1e-10, abs=1e-12)
                assert mine["level"] == pytest.approx(theirs.level, rel=1e-12)
                assert js("seen", mine) == pytest.approx(theirs.seen, rel=1e-6)


SETTING = {"claim": [0, np.inf], "batch": 16, "steps": 100, "trials": 7, "seeds": 10}
VECTORS = {"ours": "Adafactor", "methods": ["SGD", "Nesterov", "Adam", "Adafactor"]}
ROLLS = {"ours": "Nesterov", "methods": ["SGD", "Nesterov"]}
TWO = {"problem": "digits", "ours": "SGD", "methods": ["SGD", "AdamW"]}
LAYERS = {"ours": "LARS", "methods": ["SGD", "Nesterov", "Adam", "LARS"]}
RARE = {"ours": "Adam", "methods": ["SGD", "Adam"]}
# What the answers on the page say: a setting; the verdict against each other method; bounds of the first difference.
ANSWERS = {
    "1, bowl": (VECTORS | {"problem": "bowl"}, ["confirmed"] * 3, (1, 20)),
    "1, valley": (VECTORS | {"problem": "valley"}, ["contradicted"] * 3, (-2, 0)),
    "2, batch 1": (ROLLS | {"problem": "noisy bowl", "batch": 1}, None, (-1 / 3, 1 / 3)),
    "2, batch 4096": (ROLLS | {"problem": "noisy bowl", "batch": 4096}, ["confirmed"], (0.5, 1)),
    "2, exact": (ROLLS | {"problem": "bowl"}, ["confirmed"], (2.5, 4)),
    "3, one rate": (TWO | {"trials": 1, "octaves": {"AdamW": 5}}, ["confirmed"], (0.5, 3)),
    "3, seven rates": (TWO | {"octaves": {"AdamW": 5}}, ["confirmed"], (0.5, 3)),
    "3, thirteen rates": (TWO | {"octaves": {"AdamW": 5}, "trials": 13}, ["contradicted"], (-0.5, 0)),
    "4, digits": (LAYERS | {"problem": "digits"}, ["not resolved", "contradicted", "not resolved"], (0, 0.1)),
    "4, rescaled digits": (LAYERS | {"problem": "rescaled digits"}, ["confirmed"] * 3, (0.1, 0.3)),
    "5, words": (RARE | {"problem": "words"}, ["confirmed"], (0.02, 0.05)),
    "5, even words": (RARE | {"problem": "even words"}, ["contradicted"], (-0.1, -0.05)),
    "Muon": (
        {"problem": "matrix", "ours": "Muon", "methods": [m for m in METHODS if m != "AdamW"]},
        ["confirmed"] * 9,
        (0.1, 4),
    ),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_answers_come_out(numbers, answer):
    setting, verdicts, (low, high) = ANSWERS[answer]
    done = numbers("lab")("experiment", SETTING | setting)
    result = [*done["comparisons"].values()]
    assert low < result[0]["difference"] < high
    assert verdicts is None or [c["verdict"] for c in result] == verdicts
    assert done["results"].get("AdamW", {}).get("edge", False) == (answer == "3, seven rates")


def test_lars_does_not_notice_the_scales_of_layers_and_lamb_hardly(numbers):
    setting = SETTING | {"ours": "LARS", "methods": ["LARS", "LAMB"]}
    results = [numbers("lab")("experiment", setting | {"problem": p})["results"] for p in ("digits", "rescaled digits")]
    assert results[0]["LARS"] == results[1]["LARS"]  # to the last digit
    lamb = [np.mean(r["LAMB"]["losses"]) for r in results]
    assert abs(lamb[1] - lamb[0]) < 0.05


def test_the_usual_setting_is_sound(numbers):
    setting = SETTING | {"problem": "bowl", "ours": "Adam", "methods": ["SGD", "Momentum", "Nesterov", "Adam", "LAMB"]}
    results = numbers("lab")("experiment", setting)["results"].values()
    assert not any(r["edge"] or r["failed"] for r in results)


def test_an_address_holds_the_setting_and_what_is_wrong_in_one_is_left_out(numbers):
    js, usual = numbers("lab"), numbers("lab")("read", "#lab&")
    assert js("read", "#fig-live-lab") is None
    changed = {"problem": "rescaled digits", "ours": "LARS", "kind": "equal", "margin": 0.025, "trials": 3, "seeds": 20}
    changed |= {"batch": 64, "steps": 400, "draw": 7, "of": ["LARS", "Muon"], "octaves": {"LARS": -2, "Muon": 7}}
    address = js("written", changed | {"methods": changed["of"]})
    assert address == (
        "#lab&of=LARS.Muon&problem=rescaled+digits&ours=LARS&kind=equal&margin=0.025&trials=3&seeds=20&batch=64"
        "&steps=400&draw=7&LARS=-2&Muon=7"
    )
    assert js("read", address) == changed
    assert js("written", usual | {"methods": usual["of"]}) == "#lab&of=SGD.Momentum.Nesterov.Adam.LAMB"
    hostile = "problem=__proto__&ours=<b>&kind=toString&seeds=1e9&trials=-4&steps=a&batch="
    hostile += "&margin=Infinity&Adam=99&x=1&of="
    least = {"seeds": 20, "trials": 1, "steps": 50, "batch": 1, "margin": 1, "octaves": {"Adam": 7}, "of": []}
    assert js("read", "#lab&" + hostile) == usual | least


def test_sgd_and_nesterov_end_on_the_valley_about_where_they_end_on_the_bowl(numbers):
    means = {}
    for problem in ("bowl", "valley"):
        results = numbers("lab")("experiment", SETTING | VECTORS | {"problem": problem})["results"]
        means[problem] = {name: np.mean(r["losses"]) for name, r in results.items()}
    change = {name: means["valley"][name] - means["bowl"][name] for name in means["bowl"]}
    assert max(abs(change[name]) for name in ("SGD", "Nesterov")) < 0.5 < min(change["Adam"], change["Adafactor"])


def test_seeds_that_judge_are_not_the_one_that_tuned_and_divergence_counts_as_the_start(numbers):
    js = numbers("lab")
    result = js("experiment", SETTING | ROLLS | {"problem": "bowl", "trials": 1, "seeds": 3, "octaves": {"SGD": 7}})
    assert result["results"]["SGD"]["failed"] == 3
    (start,) = {score for _, score in result["results"]["SGD"]["tried"]}
    assert start not in result["results"]["SGD"]["losses"]
    assert len(set(result["results"]["SGD"]["losses"])) == 3


@pytest.fixture
def page(browser):
    page = stills.open_figure(browser, "lab")
    yield page
    page.close()


def run(page, name="Run"):
    """Press a button and wait for the result."""
    page.get_by_role("button", name=name, exact=True).click()
    page.locator(".go", has_text="Run").wait_for()
    return page.locator(".verdict").inner_text()


def test_the_page_stays_alive_while_it_runs_and_can_be_stopped(page):
    page.get_by_role("button", name="Question 3").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Stop").wait_for()
    page.wait_for_function("document.querySelector('progress').value > 0.02")
    page.get_by_role("button", name="Stop").click()
    assert page.locator(".verdict").inner_text().startswith("Claim: SGD")
    assert page.locator("progress").is_hidden()


OUTCOME = "Adafactor ends lower than each of the others: confirmed against SGD, Nesterov and Adam."


def test_a_changed_setting_takes_the_old_verdict_away_and_run_gives_what_is_computed_at_once(page):
    page.get_by_role("button", name="Question 1").click()
    assert run(page) == OUTCOME
    assert len(page.locator(".live table tr").all()) == 5
    page.get_by_role("slider", name="fresh seeds").press("ArrowRight")
    assert page.locator(".verdict").inner_text().startswith("Claim:")
    assert page.locator(".live table tr td").count() == 0
    assert page.locator(".earlier").inner_text() == f"The last run, faint, on bowl, seeds 1 to 10: {OUTCOME}"


def test_muon_waits_for_a_matrix_and_a_run_needs_two_methods(page):
    muon, run = (page.get_by_role("button", name=name, exact=True) for name in ("Muon", "Run"))
    assert muon.is_disabled()
    page.get_by_label("problem").select_option("matrix")
    assert muon.is_enabled()
    page.get_by_role("button", name="Question 2").click()
    assert muon.is_disabled()
    page.get_by_role("button", name="SGD", exact=True).click()
    assert run.is_disabled()
    assert "Choose two methods or more" in page.locator(".verdict").inner_text()


def test_who_judges_again_by_the_same_seeds_is_warned_and_new_seeds_are_new(page):
    warning, known = "you now judge by seeds that you have tuned on", "have judged here before"
    assert warning not in run(page)
    assert warning not in run(page)  # the same setting
    first = page.locator(".live table").text_content()
    page.get_by_role("slider", name="rate of ours, middle").press("ArrowRight")
    assert f"{known}, in another setting: seeds 1 to 10." in page.locator(".verdict").inner_text()
    assert warning in run(page)
    assert warning not in run(page, "New seeds")
    assert page.locator(".live table").text_content() != first
    assert page.url.endswith("&draw=1&Adam=1")
    page.get_by_label("problem").select_option("valley")
    assert known not in page.locator(".verdict").inner_text()


def test_the_run_before_stays_in_the_pictures_and_its_link_sets_it_again(page):
    run(page)
    solid = page.locator(".panels [opacity='1']").count()
    page.get_by_role("slider", name="steps").press("ArrowRight")
    assert page.locator(".panels [opacity='0.35']").count() == solid
    run(page)
    assert page.locator(".panels [opacity='0.35']").count() == page.locator(".panels [opacity='1']").count() == solid
    page.get_by_role("link", name="The run before").click()
    assert page.get_by_role("slider", name="steps").get_attribute("aria-valuetext") == "100"


def test_controls_that_do_nothing_are_hidden_and_settings_are_folded_on_a_phone(page):
    def shown(name):
        return page.get_by_role("slider", name=name, exact=True).is_visible()

    assert (shown("batch"), shown("margin"), shown("steps")) == (False, False, True)
    page.get_by_label("problem").select_option("words")
    page.get_by_label("claim").select_option("equal")
    assert (shown("batch"), shown("margin")) == (True, True)
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    assert not shown("steps")
    places = [page.locator(part).first.bounding_box() for part in (".go", ".panels", ".panels > svg")]
    assert places[0]["y"] < 100
    assert places[1]["y"] + places[2]["height"] < 800
    page.get_by_text("Settings").click()
    assert shown("steps")
    run(page)
    assert not shown("steps")


def test_an_address_opens_its_setting_and_the_button_copies_it(page):
    page.goto(page.url + "#lab&of=SGD.LARS&problem=digits&ours=LARS&draw=3&LARS=2")
    page.reload()
    assert page.locator(".verdict").inner_text().startswith("Claim: LARS ends lower")
    page.get_by_role("button", name="Copy link").click()
    assert page.get_by_label("problem").input_value() == "digits"
    assert page.get_by_role("slider", name="rate of ours, middle").get_attribute("aria-valuetext") == "64"
    assert page.url.endswith("#lab&of=SGD.LARS&problem=digits&ours=LARS&draw=3&LARS=2")
