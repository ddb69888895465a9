"""The figures that move: each is opened alone, from a file, and used; and the numbers of the model figure.

What the figures of a chapter compute is compared with minilib in `test_figures_NN.py`, by the fixture `numbers`.
"""

import math
import re

import numpy as np
import pytest
import stills
from browsing import ROOT
from scipy import stats

NAMES = stills.names()
MARKED = re.compile(r"^:::+\{live\} ([\w-]+)\n", re.MULTILINE)
PAGES = [*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")]
ONE_LINE_EACH = """() => [...document.querySelectorAll('.live input, .live select, .live button')].map(input =>
    (input.labels?.[0]?.firstChild.textContent ?? input.textContent).trim())"""


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NAMES])
def opened(request, browser):
    """A figure alone in a page that was read from a file: the page, what it asked for and what it complained about."""
    page = stills.open_figure(browser, request.param)
    page.asked, page.errors = [], []
    page.on("request", lambda r: page.asked.append(r.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    page.reload()
    yield page
    page.close()


def test_a_figure_works_from_a_file_and_says_what_one_sees(opened):
    assert opened.locator(".panels > svg").count() >= 1
    assert len(opened.inner_text("[role=status]")) > 20
    assert all(url.startswith("file:") for url in opened.asked)
    assert opened.errors == []
    assert not re.search(r"NaN|undefined|null", opened.inner_html(".live"))


def test_every_control_has_a_name_and_every_panel_too(opened):
    controls = opened.evaluate(ONE_LINE_EACH)
    assert controls
    assert all(controls)
    assert len(set(controls)) == len(controls)
    titles = opened.locator(".panels > svg").evaluate_all("all => all.map(svg => svg.getAttribute('aria-label'))")
    assert all(titles)


def test_keys_move_the_sliders_and_the_sentence_changes_from_edge_to_edge(opened):
    sliders = opened.locator("input[type=range]")
    changed = sliders.count() == 0
    for k in range(sliders.count()):
        said = set()
        for key in ("Home", "End"):
            sliders.nth(k).focus()
            opened.keyboard.press(key)
            said.add(opened.inner_text("[role=status]"))
            assert not re.search(r"NaN|undefined", opened.inner_html(".live"))
        changed |= len(said) > 1
    for button in opened.locator(".live button").all():
        button.click()
    assert changed
    assert opened.errors == []


def test_the_still_is_what_the_figure_draws_today(opened, browser):
    name = opened.url.split("__")[1].removesuffix(".html")
    assert (stills.FIGURES / f"{name}.svg").read_text(encoding="utf-8") == stills.still(browser, name), (
        f"draw it again: python tools/stills.py {name}"
    )


@pytest.mark.parametrize("dark", [False, True])
def test_words_stand_out_from_their_ground(opened, dark):
    if dark:
        opened.evaluate("document.documentElement.dataset.theme = 'dark'")
    colors = opened.evaluate(
        "() => ['ink', 'soft', 'a', 'paper', 'panel'].map(name => "
        "getComputedStyle(document.querySelector('.live')).getPropertyValue('--' + name).trim())"
    )
    *words, paper, panel = (luminance(color) for color in colors)
    for word in words:
        for ground in (paper, panel):
            high, low = max(word, ground), min(word, ground)
            assert (high + 0.05) / (low + 0.05) > 4.5


def luminance(color):
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_figure_is_on_a_page_and_every_page_has_the_figures_that_it_names():
    shown = {name for page in PAGES for name in MARKED.findall(page.read_text(encoding="utf-8"))}
    assert shown == set(NAMES)


def test_nothing_is_wider_than_a_phone(opened):
    opened.set_viewport_size({"width": 390, "height": 800})
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("b", [1, 7, 32, 4096])
def test_the_cloud_draws_batch_gradients_and_knows_how_often_they_point_uphill(numbers, b):
    G, sigma = np.array([-2.4, 3.0]), np.array([9.0, 12.0])
    z = np.random.default_rng(b).normal(size=(50, 2))
    js = numbers("noise-cloud")
    drawn = js("batchGradients", G, sigma, b, z)
    assert drawn == pytest.approx(G + sigma * z / math.sqrt(b), rel=1e-12)
    assert js("noiseScale", G, sigma) == pytest.approx((sigma**2).sum() / (G**2).sum(), rel=1e-12)
    spread = math.sqrt((G**2 * sigma**2).sum() / b)
    assert js("uphill", G, sigma, b) == pytest.approx(stats.norm.sf((G**2).sum() / spread), rel=1e-12)
