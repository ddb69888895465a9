"""The benchmark of tokenisation: it prepares what it made, and its second process makes nothing anew."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "benchmarks" / "tokenise.py"


@pytest.fixture
def tokenise(monkeypatch):
    spec = importlib.util.spec_from_file_location("tokenise", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "source_words", lambda: [f"word{k % 37}." for k in range(999)])
    return module


def test_a_corpus_has_the_bytes_that_were_asked_for_and_the_words_that_are_said(tokenise, tmp_path):
    words = tokenise.make_corpus(tmp_path / "a.jsonl", 50_000)
    texts = [json.loads(line)["text"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert sum(len(text.split()) for text in texts) == words
    assert 50_000 <= (tmp_path / "a.jsonl").stat().st_size < 55_000
    assert len(set(texts)) == len(texts)


def test_a_report_of_a_small_corpus_adds_up_and_leaves_nothing(tokenise, tmp_path):
    said = " ".join(tokenise.report(0.0005, 300, str(tmp_path)).split("\n"))
    assert list(tmp_path.iterdir()) == []
    words = float(re.search(r"([\d.]+) million words", said)[1])
    tokens, a_word = map(float, re.search(r"tokens +([\d.]+) million, ([\d.]+) a word", said).groups())
    assert tokens - 0.05 <= a_word * (words + 0.05)  # both are printed with one digit
    assert tokens + 0.05 >= a_word * (words - 0.05)
    assert 2 <= float(re.search(r"([\d.]+) bytes a token", said)[1]) < 3
    first, second = (float(re.search(rf"{name} process +([\d.]+) s", said)[1]) for name in ("first", "second"))
    assert second <= first + 0.2
