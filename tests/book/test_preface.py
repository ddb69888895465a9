"""What the preface says: numbers that its figure computes or that a chapter has too, and claims that can be counted."""

import math
import re

import numpy as np
import pytest
from scipy import stats
from small_books import CHAPTERS, ROOT

from tools.chapter import chapters
from tools.pages import book_map, verdict_page

PAGE = (ROOT / "book" / "index.md").read_text()
CHAPTER_OF = book_map.chapters(ROOT)  # by its name
ANSWER = re.search(r"(?ms)^:::\{live\} noise-cloud\n.*?^:::$.*?^:::\{admonition\} Answer\n(.*?)^:::$", PAGE)[1]


def test_the_answer_below_the_figure_says_what_the_figure_computes():
    gradient, sigma = np.array([-2.4, 3.0]), np.array([9.0, 12.0])

    def uphill(batch):
        return stats.norm.sf(gradient @ gradient / math.sqrt((gradient**2 @ sigma**2) / batch))

    assert round(sigma @ sigma / (gradient @ gradient)) == 15
    assert "With 15 examples the noise is about as long as the gradient" in ANSWER
    assert f"{100 * uphill(1):.0f} of 100 steps point uphill" in ANSWER
    assert f"{100 * uphill(15):.0f} of 100 point uphill" in ANSWER
    h, x = np.array([1, 4]), np.array([-2.4, 0.75])
    ends = x - 0.32 * (gradient + sigma * np.random.default_rng(0).normal(size=(400_000, 2)))
    assert f"{100 * np.mean(ends**2 @ h > x**2 @ h):.0f} of 100 end higher" in ANSWER
    assert "With 64 it is fewer than 1 of 100" in ANSWER
    assert uphill(64) < 0.01 < uphill(32)
    script = (ROOT / "book" / "figures" / "noise-cloud.js").read_text()
    for line in ("h = [1, 4], x = [-2.4, 0.75], sigma = [9, 12]", "length: 220"):
        assert line in script


# What the preface says with numbers from papers, and the chapter that has these numbers with their place.
QUOTED = {
    "bert_in_76_minutes": ("81.4 hours", "8,599 steps", "1,024 chips", "76 minutes"),
    "lamb": ("90.395", "90.584"),
    "lars": ("57.6 %", "44.8 %", "58.2 %", "from 5.76 to 1,345"),
    "memory": ("16.3 GB", "30.6 GB"),
    "reality_check": ("batch 32,768",),
}
ROUNDED = {"81.4": "81"}  # as the chapter does


@pytest.mark.parametrize(("where", "words"), [(where, words) for where in QUOTED for words in QUOTED[where]])
def test_a_number_from_a_paper_is_in_a_chapter_too(where, words):
    assert words in " ".join(PAGE.split())
    text = re.sub(r"(?<=\d)[,_](?=\d{3})", "", CHAPTER_OF[where].text)
    for number in re.findall(r"[\d.]+", words.replace(",", "")):
        assert re.search(rf"(?<![\d.]){re.escape(ROUNDED.get(number, number))}(?!\d)", text), number


def test_numbers_that_follow_from_others_follow():
    assert f"{1_000_000 / 8_599:.0f} times fewer steps" in PAGE
    assert f"batch up to {65_536 // 512} times as large" in PAGE
    assert f"{1024 // 16} times as many chips" in PAGE


def test_there_is_a_proof_for_every_method_of_which_the_preface_says_so():
    assert "For SGD, momentum, Adam, LARS and LAMB you see a proof" in PAGE
    for name in ("sgd", "momentum", "adam", "lars", "lamb"):
        assert re.search(r"\{prf:theorem\}", CHAPTER_OF[name].text)
        assert re.search(r"\{prf:proof\}", CHAPTER_OF[name].text)


def test_not_resolved_is_no_exception():
    assert "*confirmed*, *contradicted* and *not resolved*.\nThe last is no exception:" in PAGE
    counts = verdict_page.substitutions({path.stem: chapters.read(path) for path in CHAPTERS})["verdict_counts"]
    confirmed, contradicted, unresolved = map(int, re.findall(r" (\d+) \w", counts))
    assert unresolved > (confirmed + contradicted) / 2 > 0


def test_what_is_said_of_the_checks_is_what_the_book_has():
    text = " ".join(PAGE.split())
    assert "Every code cell runs whenever the book is checked" in text
    ignored = sum(bool(chapters.ignored_cells(chapters.read(path))) for path in CHAPTERS)
    assert ignored > 0
    assert "prints what differs between machines, says so and is not compared" in text
    silent = [name for name, chapter in CHAPTER_OF.items() if "pitfalls" not in chapter.text.lower()]
    assert silent == [], "chapters that name no pitfalls"
