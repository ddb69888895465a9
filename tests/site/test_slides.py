"""The slides: every deck is opened from a file and each of its slides measured; and mistakes of a deck are found.

The decks of `_build/slides` are those that `python tools/give/slides.py` made (`make step NAME=site` calls it).
"""

import re

import pytest
from browsing import HTML

from tools.give import slides
from tools.pages import syllabus

LEAST = 20  # px, the smallest words on a slide of 1280 x 720
HERE = slides.OUT
NAMES = syllabus.decks()

# What of the slide that is shown does not fit, and what is too small to read.
MEASURE = """least => {
  const slide = Reveal.getCurrentSlide(), wrong = [];
  const name = (node) => `${node.tagName.toLowerCase()} ${(node.textContent || "").trim().slice(0, 30)}`;
  const visible = (node) => getComputedStyle(node).visibility === "visible";
  const seen = (node) => node.getClientRects().length && !node.closest("aside") && visible(node);
  for (const node of slide.querySelectorAll("*")) {
    if (!seen(node) || node.parentElement.closest("svg, mjx-container")) continue;
    const box = (node.matches("mjx-container") ? node.firstElementChild : node).getBoundingClientRect();
    const foot = node.closest("figcaption, .tag") ? 720 : 680;
    if (box.right > 1282 || box.bottom > foot || box.left < 0) {
      wrong.push(`${name(node)}: reaches ${Math.round(box.right)}, ${Math.round(box.bottom)}`);
    } else if (node.matches("pre, table, p, li") && box.left + node.scrollWidth > 1262) {
      wrong.push(`${name(node)}: is ${node.scrollWidth} wide`);
    }
  }
  for (const number of slide.querySelectorAll(".eqno")) {
    const formula = number.parentElement.querySelector("mjx-math").getBoundingClientRect();
    if (formula.right > number.getBoundingClientRect().left) wrong.push(`${name(number)}: on its formula`);
  }
  for (const label of slide.querySelectorAll(".panels > svg > text[transform*='rotate(-90)']")) {
    const at = label.getBoundingClientRect();
    for (const tick of label.parentElement.querySelectorAll(".tick[text-anchor=end]")) {
      const box = tick.getBoundingClientRect(), apart = box.top > at.bottom || box.bottom < at.top;
      if (seen(tick) && !apart && box.left < at.right - 2) wrong.push(`${name(tick)}: on the word at its axis`);
    }
  }
  const words = document.createTreeWalker(document.querySelector(".reveal"), NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const node = words.currentNode.parentElement, svg = node.closest("svg");
    if (!words.currentNode.data.trim() || !seen(node) || node.closest("mjx-container, script")) continue;
    if (!slide.contains(node) && !node.closest(".slide-number")) continue;
    const view = svg?.viewBox.baseVal;
    const drawn = svg ? Math.min(svg.clientWidth / view.width, svg.clientHeight / view.height) : 1;
    const size = parseFloat(getComputedStyle(node).fontSize) * drawn;
    if (size < least - 0.5) wrong.push(`${name(node)}: ${size.toFixed(1)} px`);
  }
  for (const svg of slide.querySelectorAll("svg.picture")) {
    const { width, height } = svg.viewBox.baseVal;
    const size = Math.min(svg.clientWidth / width, svg.clientHeight / height) * svg.dataset.least;
    if (size < least - 0.5) wrong.push(`smallest words of a drawn picture: ${size.toFixed(1)} px; show a panel of it`);
  }
  return wrong;
}"""
GO = "k => Reveal.slide(...Object.values(Reveal.getIndices(Reveal.getSlides()[k])))"
# Moves a figure: each button but "play", each slider to its end. Is there one?
MOVE = """() => {
  for (const one of document.querySelectorAll("section.present .live-controls :is(button, input)")) {
    if (one.matches("input")) one.value = one.max;
    if (one.matches("input")) one.dispatchEvent(new Event("input", { bubbles: true }));
    else if (!one.textContent.includes("play")) one.click();
  }
  return document.querySelector("section.present .live") !== null;
}"""
REST = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# A label in a page, and the number that the page gives to the thing.
NUMBER = re.compile(r'id="([\w-]+)"[^>]*>(?:(?! id=").)*?class="(?:caption-number|eqno)">([^<]+)', re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_deck_works_from_a_file_all_of_it_fits_and_is_readable_and_its_notes_are_whole(browser, name):
    deck, wrong = slides.open_deck(browser, HERE / f"{name}.html"), []
    deck.add_style_tag(content="math { font-size: 150% }")  # a machine whose font of formulas is wider
    count = deck.evaluate("Reveal.getTotalSlides()")
    for k in range(count):
        deck.evaluate(GO, k)
        deck.evaluate(REST)
        wrong += [f"slide {k + 1}: {words}" for words in deck.evaluate(MEASURE, LEAST)]
        if deck.evaluate(MOVE):
            deck.evaluate(REST)
            wrong += [f"slide {k + 1}, moved: {words}" for words in deck.evaluate(MEASURE, LEAST)]
    assert "\n".join(wrong) == ""
    assert deck.errors == []
    assert all(url.startswith(("file:", "data:")) for url in deck.requests)
    minutes = deck.evaluate("() => [...document.querySelectorAll('aside.notes')].map(n => Number(n.dataset.minutes))")
    titles = deck.evaluate("() => Reveal.getSlides().map(slide => slide.querySelector('h1') !== null)")
    starts = [max(i for i in range(k + 1) if titles[i]) for k in range(count)]  # of the lecture, or of the half day
    begins = [sum(minutes[start:k]) for k, start in enumerate(starts)]
    lines = deck.evaluate("() => [...document.querySelectorAll('aside.notes > p')].map(p => p.textContent)")
    assert lines == [f"Minutes {begin} to {begin + own}" for begin, own in zip(begins, minutes, strict=True)]
    fields = deck.evaluate("() => [...document.querySelectorAll('[data-field]')].map(f => f.dataset.field)")
    assert {*fields} - {"Behind"} == {"Say", "Board", "Move", "Ask", "Answer", "Misconception"}
    deck.close()


def numbers(page):
    """{label: number} of all that has both on a page."""
    pairs = NUMBER.findall(page.read_text(encoding="utf-8"))
    return {label: number.strip() for label, number in pairs if re.match("[a-z]+-", label)}


@pytest.mark.xdist_group("numbers")
def test_things_have_the_numbers_of_the_book():
    book = {}
    for page in (HTML / "notebooks").glob("*.html"):
        book |= numbers(page)
    for name in NAMES:
        here = {label: number for label, number in numbers(HERE / f"{name}.html").items() if label in book}
        assert len(here) >= 4
        assert here == {label: book[label] for label in here}


def test_every_deck_has_its_place_in_the_course_and_the_list_leads_to_it():
    planned = {name for decks in slides.COURSE.values() for name in decks}
    assert set(NAMES) <= planned
    listed = re.findall(r'href="([\w-]+)\.html"', (HERE / "index.html").read_text(encoding="utf-8"))
    assert listed == NAMES


# What a deck may ask a chapter to show, and what is said of it where the chapter has no such thing.
SHOWN = [
    ("fig-no-such-thing", "", "no chapter has the label 'fig-no-such-thing'"),
    ("thm-lars", ":step: 3-9", "the proof of 'thm-lars' has no steps (3) to (9)"),
    ("ch-lars", ":code: NoSuchClass", "no visible or folded cell of 'ch-lars' begins with 'NoSuchClass' or defines it"),
    ("ch-lars", ":output: no such words", "no cell of 'ch-lars' printed 'no such words'"),
    ("fig-lars-alone", ":press: c = 10", "press is for figures that move"),
    ("fig-lars-alone", ":panels: first", "'first' names no numbers"),
    ("thm-lars", ":panels: 1", "panels are for figures"),
    ("ch-lars", ":goals: 2, 9", "'ch-lars' has 5 points below 'What you will be able to do', and not 9"),
    ("ch-lars", ":code: MyLARS\n:lines: 40-50", "'ch-lars' has no lines (40, 50)"),
]
MISTAKES = r"""---
minutes: 75
---

# A deck with mistakes

:::{notes} 4
Say: {glue:text}`lars-no-such-number` of {prf:ref}`thm-no-such-theorem`, {numref}`fig-no-such-figure`, {eq}`eq-no-such`.
:::

## Names

:::{question}
What is this?
:::

SHOWN
## No notes

:::{notes} few
:::

## Odd notes

:::{notes} 3
Speak: a word that is no field.
:::
""".replace("SHOWN", "".join(f":::{{show}} {label}\n{option}\n:::\n\n" for label, option, _ in SHOWN))
WORKSHOP = """---
minutes: 60
---

# A workshop with mistakes

:::{notes} 20
Say: The first half day.
:::

## Idle hands

:::{task}
**Predict** something.
:::

:::{notes} 10
Say: Nobody is behind.
:::

# Short

:::{notes} 10
Say: The second half day.
:::

## Break

:::{notes} 10
Say: Ten minutes.
:::
"""
REFUSALS = [
    *(words for _, _, words in SHOWN),
    "no chapter glues 'lars-no-such-number'",
    "thm-no-such-theorem",
    "no chapter has the label 'fig-no-such-figure'",
    "no chapter has the label 'eq-no-such'",
    "not 'few'",
    "'Speak: a word",
    "the question 'Names' stands beside what answers it",
    "nothing is shown after the question 'Names'",
    "the notes of 'Names' have no paragraph Answer: to what is asked",
    "the first slide after the title 'Short' does not show goals of a chapter",
    "the last slide after the title 'Short' does not show a chapter's summary",
    "the slide 'No notes' has 0 notes",
    "the minutes of the notes add up to 4, and the deck has 75",
    "3 slides in 75 minutes, and not 12 to 18",
    "1 questions to the hall",
    "no notes have a paragraph Board:",
    "the notes of the task 'Idle hands' have no paragraph Behind:",
    "the part 'Short' has 20 minutes",
    "10 minutes of tasks in 50, and not half of them",
    "2 slides in 40 minutes, and not 6 to 10",
]


@pytest.mark.xdist_group("mistakes")
def test_what_no_chapter_has_and_what_breaks_the_form_is_an_error(tmp_path):
    (tmp_path / "wrong.md").write_text(MISTAKES, encoding="utf-8")
    (tmp_path / "workshop.md").write_text(WORKSHOP, encoding="utf-8")
    done = slides.build(["wrong", "workshop"], tmp_path, tmp_path / "out")
    assert done.returncode != 0
    assert [words for words in REFUSALS if words not in done.stdout] == []


@pytest.mark.xdist_group("keys")
def test_keys_in_a_figure_work_on_it_and_those_of_a_clicker_turn_the_page(browser):
    page = slides.open_deck(browser, HERE / "lars-1.html")
    page.evaluate(GO, 3)
    slider = page.locator("section.present .live input").first
    slider.press("ArrowRight")
    assert slider.input_value() == "1"
    assert page.evaluate("Reveal.getSlidePastCount()") == 3
    slider.press("PageDown")
    assert page.evaluate("Reveal.getSlidePastCount()") == 4
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("Reveal.getSlidePastCount()") == 3
    page.locator("section.present .live button").first.press(" ")
    assert page.evaluate("Reveal.getSlidePastCount()") == 3
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getSlidePastCount()") == 4
    assert page.locator("dialog").count() == 0
    page.close()


@pytest.mark.xdist_group("keys")
def test_a_figure_opens_at_the_setting_of_the_deck_and_a_setting_it_does_not_have_is_an_error(browser, tmp_path):
    right = (HERE / "lars-2.html").read_text(encoding="utf-8")
    assert right.count('data-press="convex regression"') == 1
    page = slides.open_deck(browser, HERE / "lars-2.html")
    chosen = "() => document.querySelector('[data-figure=lars-promise] select').selectedOptions[0].textContent"
    assert page.evaluate(chosen) == "convex regression"
    assert "unmoved" in page.locator("[data-figure=lars-promise]").get_attribute("class")
    assert page.locator("[data-figure=lars-promise] .verdict").text_content() == "Move the slider."
    page.close()
    for old, new, words in (
        ('data-press="convex regression"', 'data-press="concave"', "no button concave; it has convex regression"),
        ('data-panels="4 5"', 'data-panels="4 7"', "has 6 panels, and not 7"),
    ):
        broken = HERE / "broken.html"  # beside its scripts
        broken.write_text(right.replace(old, new), encoding="utf-8")
        page = slides.open_deck(browser, broken)
        page.evaluate(GO, 14)
        page.wait_for_timeout(100)
        assert any(words in error for error in page.errors), page.errors
        page.close()
        broken.unlink()


@pytest.mark.xdist_group("keys")
def test_panels_bring_the_legend_and_the_scales_of_colours_of_their_figure(browser):
    text = "(svg) => [...svg.querySelectorAll('[id^=legend_], [id^=axes_]')].filter((g) => g.getClientRects().length)"
    for name, picture, legends, panels in (("lars-1", "Six panels", 1, 1), ("came-1", "Three heat maps", 0, 4)):
        page = slides.open_deck(browser, HERE / f"{name}.html")
        number = "words => Reveal.getSlides().findIndex((s) => s.querySelector(`svg[aria-label^='${words}']`))"
        page.evaluate(GO, page.evaluate(number, picture))
        page.evaluate(REST)
        shown = page.locator("section.present svg.picture").evaluate(f"{text}.map((g) => g.id)")
        assert [sum(one.startswith(kind) for one in shown) for kind in ("legend", "axes")] == [legends, panels]
        page.close()


@pytest.mark.xdist_group("paper")
def test_a_pdf_has_a_page_for_each_slide(browser):
    path = HERE / "lars-1.html"
    slides.write_pdf(browser, path)
    pages = len(re.findall(rb"/Type /Page\b", path.with_suffix(".pdf").read_bytes()))
    assert pages == path.read_text(encoding="utf-8").count('<aside class="notes"')
