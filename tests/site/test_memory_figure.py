"""The explorable figure of the chapter on memory: what it shows is what minilib.analysis.memory says."""

import json

import pytest
from browsing import chapter_page

from minilib.analysis.memory import PRECISIONS, STATE, Transformer, packages, training_bytes

BERT = {"vocabulary": 30522, "max_length": 512, "segments": 2, "head": True}
MODELS = {
    "BERT-base": Transformer(width=768, layers=12, heads=12, **BERT),
    "BERT-Large": Transformer(width=1024, layers=24, heads=16, **BERT),
    "BERT-4B": Transformer(width=2560, layers=48, heads=40, **BERT),
    "70B": Transformer(32000, 4096, width=8192, layers=80, heads=64, ffn=36864),
}
PAGE = chapter_page("memory")
pytestmark = pytest.mark.xdist_group("memory figure")  # which opens the page once
START = {"model": "BERT-Large", "optimizer": "LAMB", "precision": "fp32", "length": 512, "batch": 8}
START |= {"attention": "stored", "recompute": "no", "devices": 1, "stage": 0}
CHOICES = [
    {},
    {"optimizer": "Adafactor", "recompute": "yes", "batch": 64, "length": 128},
    {"model": "BERT-base", "optimizer": "SGD", "precision": "pure bf16", "length": 2048, "batch": 256},
    {"model": "BERT-4B", "optimizer": "CAME", "precision": "bf16 + 8-bit state", "devices": 8, "stage": 1},
    {"model": "70B", "optimizer": "AdamW", "precision": "bf16 + fp32 master", "devices": 64, "stage": 3, "batch": 1},
    {"model": "BERT-4B", "optimizer": "CAME, minilib, state_dtype bfloat16", "precision": "pure bf16"},
    {"model": "70B", "optimizer": "Muon", "devices": 1024, "stage": 2, "attention": "fused", "recompute": "yes"},
]


def expected(choice):
    """Bytes of the five kinds."""
    c = START | choice
    model, bert = MODELS[c["model"]], c["model"] != "70B"
    name, _, package = c["optimizer"].partition(", ")
    share = c["devices"], c["stage"], package or None
    parts = training_bytes(model.shapes(), name, c["precision"], *share)
    masked = (round(0.15 * c["length"]) if bert else c["length"]) * c["batch"]
    options = {"flash": c["attention"] == "fused", "dropout": bert, "recompute": c["recompute"] == "yes"}
    e = PRECISIONS[c["precision"]].activations
    return [*parts.values(), model.activations(c["batch"], c["length"], masked, e, **options)]


def choose(page, choice):
    for name, value in (START | choice).items():
        page.locator(f"#memory-explorer select[name={name}]").select_option(str(value))


def shown(page):
    cells = page.locator("#memory-explorer td.memory-number")
    return [float(cell.get_attribute("data-bytes")) for cell in cells.all()], cells.all_inner_texts()


@pytest.mark.parametrize("choice", CHOICES)
def test_the_figure_shows_the_bytes_of_the_library_and_on_which_cards_they_fit(visit, choice):
    page = visit(PAGE).page
    choose(page, choice)
    numbers, words = shown(page)
    parts = expected(choice)
    assert numbers == [*parts, sum(parts)]
    for word, number in zip(words, numbers, strict=True):
        assert float(word.removesuffix(" GiB").replace(",", "")) == pytest.approx(number / 2**30, abs=0.006, rel=0.001)
    fits = {card: sum(parts) <= card * 2**30 for card in (16, 24, 40, 80, 141)}
    rows = [" ".join(row.split()) for row in page.locator("#memory-explorer .memory-row").all_inner_texts()[1:]]
    assert rows == [f"{card} GiB {'fits' if fits[card] else 'does not fit'}" for card in fits]
    verdict = page.locator("#memory-explorer .memory-verdict").inner_text()
    fitting = [card for card in fits if fits[card]]
    assert verdict.endswith(f"fits on {fitting[0]} GiB." if fitting else "fits on none of these.")


def test_it_offers_every_optimizer_and_precision_of_the_library(visit):
    data = json.loads(visit(PAGE).page.locator("#memory-data").text_content())
    assert list(data["precisions"]) == list(PRECISIONS)
    kinds = [f"{name}, {one}" for name in ("AdamW", "LAMB", "Adafactor", "CAME") for one in packages(name)[1:]]
    assert all(list(model["state"]) == [*STATE, *kinds] for model in data["models"].values())
    assert list(data["models"]) == list(MODELS)


@pytest.mark.parametrize("width", [390, 1300])
def test_it_has_its_place_on_a_phone(visit, width):
    seen = visit(PAGE)
    seen.show(width=width)
    page = seen.page
    box = page.locator("#memory-explorer").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    for select in page.locator("#memory-explorer select").all():
        inner = select.bounding_box()
        assert inner["x"] + inner["width"] <= box["x"] + box["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_can_be_used_with_the_keyboard(visit):
    page = visit(PAGE).page
    choose(page, {})
    before = shown(page)[0]
    page.locator("#memory-explorer select[name=batch]").focus()
    page.keyboard.press("ArrowDown")
    after = shown(page)[0]
    assert after[:4] == before[:4]
    assert after[4] == expected({"batch": 16})[4]


def test_without_scripts_the_page_says_where_the_figure_is(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{server}/{PAGE}.html")
    assert "book's site" in page.locator("#memory-explorer").inner_text()
    context.close()
