"""The figures that move: each is opened alone, from a file, and used.

What they compute is compared with the library in `test_figures_*.py`.
"""

import itertools
import re

import pytest
from browsing import ROOT

from minilib import plots
from tools.pages import line_styles, stills

NAMES = stills.names()
PAGES = [page.read_text(encoding="utf-8") for folder in ("notebooks", "book") for page in (ROOT / folder).glob("*.md")]


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in NAMES])
def figure(request, browser):
    """A page that shows one figure alone, read from a file, with what it asked for and what it complained about."""
    page = stills.open_figure(browser, request.param)
    page.asked, page.errors = [], []
    page.on("request", lambda r: page.asked.append(r.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    yield page
    page.close()


@pytest.fixture
def opened(figure):
    """The figure as a reader finds it, whatever another test did with it."""
    figure.asked.clear()
    figure.errors.clear()
    figure.set_viewport_size(stills.VIEW)
    figure.evaluate("history.replaceState(null, '', location.pathname)")  # without a setting
    figure.reload()
    return figure


# The names of all controls.
CONTROLS = """() => [...document.querySelectorAll('.live input, .live select, .live button')].map(input =>
    (input.labels?.[0]?.firstChild.textContent ?? input.textContent).trim())"""


def test_a_figure_works_from_a_file_its_parts_have_names(opened):
    titles = opened.locator(".panels > svg").evaluate_all("all => all.map(svg => svg.getAttribute('aria-label'))")
    controls = opened.evaluate(CONTROLS)
    assert titles
    assert controls
    assert all(titles + controls)
    assert len(set(controls)) == len(controls)
    assert opened.locator(".live .controls").count() == 0  # a class that slides of reveal.js place
    for key in ("ArrowRight", "ArrowLeft"):
        opened.locator(".live-controls input").first.press(key)
    assert len(opened.inner_text("[role=status]")) > 20
    assert all(url.startswith("file:") for url in opened.asked)
    assert opened.errors == []
    assert not re.search(r"NaN|undefined|null", opened.inner_html(".live"))


# What waits for the reader's first move and can be seen.
EARLY = """() => [...document.querySelectorAll('.live .landmark, .live-foot details')]
    .filter(e => e.checkVisibility({visibilityProperty: true}) && e.getClientRects().length).map(e => e.outerHTML)"""


def test_a_figure_opens_undecided_and_what_gives_the_answer_away_comes_with_the_first_move(opened):
    opening = opened.inner_text("[role=status]")
    assert re.fullmatch(r"(Press (play|Run)|Move (a|the) slider)(, or drag in a picture)?\.", opening)
    assert opened.evaluate(EARLY) == []
    players, landmarks = opened.locator(".live-player"), opened.locator(".live .landmark")
    if players.count():  # steps alone decide, and show no landmark
        assert opened.locator(".live-player input").input_value() == "0"
        opened.locator(".live-player button", has_text="one step").click()
        assert opened.inner_text("[role=status]") != opening
        assert landmarks.filter(visible=True).count() == 0
    for slider in opened.locator(".live-controls > label input").all():
        slider.press("ArrowRight" if slider.input_value() == "0" else "ArrowLeft")
        assert len(opened.evaluate(EARLY)) > landmarks.count() / 2  # and the table; one may lie outside its axes
    assert opened.inner_text("[role=status]") != opening


ALONE = """() => {
  const box = document.querySelector("dialog:modal > .live");
  const drawn = [...box.querySelectorAll("svg text")].map(word => {
    const { a, b } = word.getScreenCTM();
    return parseFloat(getComputedStyle(word).fontSize) * Math.hypot(a, b);
  });
  const words = [...box.querySelectorAll("label, output, button, select, summary, .verdict")];
  const places = [...box.querySelectorAll("svg, input"), ...words].map(e => e.getBoundingClientRect());
  const inside = places.every(r => r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight);
  return { px: Math.min(...drawn, ...words.map(e => parseFloat(getComputedStyle(e).fontSize))),
           fits: inside && box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth };
}"""

BACK = "() => !document.querySelector('dialog')"


def test_a_figure_alone_fills_the_window_can_be_read_from_afar_and_gives_the_focus_back(opened):
    opened.locator(".live-controls input").first.press("ArrowRight")
    first = opened.locator(".live-controls input, .live-controls select").first
    for control in opened.locator(".live-controls label input").all():
        control.press("End")  # as many words as there are
    first.focus()
    chosen = first.input_value()
    opened.keyboard.press("f")
    assert first.input_value() == chosen
    for width, height, least in ((1920, 1080, 24), (1280, 720, 16)):
        opened.set_viewport_size({"width": width, "height": height})
        seen = opened.evaluate(ALONE)
        assert seen["fits"]
        assert seen["px"] >= least
    assert first.evaluate("input => input === document.activeElement")
    opened.keyboard.press("Escape")
    opened.wait_for_function(BACK)
    assert first.evaluate("input => input === document.activeElement")
    button = opened.locator(".live-foot button")
    button.click()
    assert opened.locator("dialog:modal .live").count() == 1
    opened.keyboard.press("f")
    opened.wait_for_function(BACK)
    assert button.evaluate("button => button === document.activeElement")


def contrast(*colors):
    """The contrast of two colours #rrggbb (WCAG 2)."""
    parts = [[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in colors]
    linear = [[p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in three] for three in parts]
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in linear)
    return (light + 0.05) / (dark + 0.05)


def test_optimizers_have_the_colours_of_the_library():
    written = line_styles.STYLES.read_text(encoding="utf-8")
    assert written == line_styles.css(), "write it again: python tools/pages/line_styles.py"
    assert len(set(line_styles.DARK.values())) == len(line_styles.DARK)
    assert min(contrast(color, "#191e25") for color in line_styles.DARK.values()) > 4.5
    for name in NAMES:
        source = (stills.FIGURES / f"{name}.js").read_text(encoding="utf-8")
        used = set(re.findall(r"var\(--([A-Z]\w+)", source)) | set(re.findall(r'Live\.optimizer\("(\w+)"', source))
        assert used <= set(plots.OPTIMIZERS), name


def test_keys_move_the_sliders_and_the_sentence_changes_from_edge_to_edge(opened):
    sliders = opened.locator("input[type=range]")
    changed = sliders.count() == 0
    for k in range(sliders.count()):
        sentences = set()
        for key in ("Home", "End"):
            sliders.nth(k).focus()
            opened.keyboard.press(key)
            sentences.add(opened.inner_text("[role=status]"))
            assert not re.search(r"NaN|undefined", opened.inner_html(".live"))
        changed |= len(sentences) > 1
    for button in opened.locator(".live button:enabled").all():
        button.click()
    assert changed
    assert opened.errors == []


def test_a_still_has_the_same_words_and_looks_and_its_places_to_half_a_pixel():
    still = '<line x1="149.7686" r="2" transform="rotate(149.7 7.5)" aria-label="0.00012">149.76</line>'
    assert stills.same(still, still.replace("149.7686", "149.3"))
    for old, new in (
        ("149.7686", "149.2"),
        ("(149.7", "(150.3"),
        ('"2"', '"2.1"'),
        ("012", "013"),
        (">149.76", ">149.77"),
    ):
        assert not stills.same(still, still.replace(old, new))


def test_the_still_is_what_the_figure_draws_today(opened, browser):
    name = opened.url.split("__")[1].removesuffix(".html")
    assert stills.same((stills.FIGURES / f"{name}.svg").read_text(encoding="utf-8"), stills.still(browser, name)), (
        f"draw it again: python tools/pages/stills.py {name}"
    )


COLORS = """theme => {
  document.documentElement.dataset.theme = theme;
  const style = getComputedStyle(document.querySelector('.live'));
  return ['ink', 'soft', 'a', 'paper', 'panel'].map(name => style.getPropertyValue('--' + name).trim()); }"""


def test_words_stand_out_from_their_ground(browser):
    page = stills.open_figure(browser, NAMES[0])  # all figures have these colours
    for theme in ("light", "dark"):
        *words, paper, panel = page.evaluate(COLORS, theme)
        assert min(contrast(word, ground) for word in words for ground in (paper, panel)) > 4.5
    page.close()


def test_every_figure_is_on_a_page_its_numbers_are_compared_and_it_says_itself_what_to_move():
    """A sentence such as "Drag the batch" would be printed, too."""
    text = "\n".join(PAGES)
    assert {*re.findall(r"(?m)^:::+\{live\} ([\w-]+)\n", text)} == {*NAMES}
    assert re.findall(r"(?m)^(?:Drag|Press|Move the)\b.*", text) == []
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/site").glob("test_*.py"))
    assert [name for name in NAMES if not re.search(rf'(numbers\("{name}"\)|^    "{name}": \[$)', tests, re.M)] == [], (
        "figures whose numbers no tests/site/test_figures_*.py compares"
    )


def test_on_a_phone_panels_stand_below_each_other(opened):
    opened.set_viewport_size({"width": 390, "height": 800})
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    panels = [panel.bounding_box() for panel in opened.locator(".panels > svg").all()]
    assert all(one["y"] + one["height"] <= other["y"] for one, other in itertools.pairwise(panels))


PLAYING = [name for name in NAMES if "ui.plays()" in (stills.FIGURES / f"{name}.js").read_text(encoding="utf-8")]


# at each of their figures the text asks to guess first, and playing would tell
ASKED = {"carrying_a_rate", "landscape", "bert", "bert_in_76_minutes", "came_at_work", "train_large_compress"}
ASKED |= {"many_machines"}


def test_one_figure_of_each_chapter_plays_by_itself_but_where_it_would_answer_a_guess():
    for chapter in sorted((ROOT / "notebooks").glob("[0-9]*.md")):
        used = re.findall(r"^:{3,}\{live\} (\S+)", chapter.read_text(encoding="utf-8"), re.MULTILINE)
        plays = chapter.stem[3:] not in ASKED
        assert len({*used} & {*PLAYING}) == plays, f"{chapter.name}: {plays:d} figures are to end with ui.plays()"


@pytest.mark.parametrize("name", ["graph-walk", "layer-share"])  # with a player, and with sliders alone
def test_a_figure_that_comes_into_view_plays_once_until_somebody_touches_it(browser, name):
    page = stills.open_figure(browser, name, motion="no-preference")
    opening, first, places = page.inner_text("[role=status]"), page.locator(".live-controls input").first, set()
    for _ in range(100):
        page.wait_for_timeout(100)
        places.add(first.input_value())
        if len(places) > 4:
            break
    assert len(places) > 4
    assert page.inner_text("[role=status]") != opening
    first.focus()
    page.keyboard.press("Home")
    rest = first.input_value()
    page.wait_for_timeout(1500)
    assert first.input_value() == rest
    page.close()


def test_for_readers_who_ask_for_less_motion_nothing_plays_by_itself(browser):
    page = stills.open_figure(browser, "layer-share")
    opening = page.inner_text("[role=status]")
    page.wait_for_timeout(3000)  # it would have begun after half of that
    assert page.inner_text("[role=status]") == opening
    page.close()
