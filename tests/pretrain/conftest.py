"""A small corpus and a run that takes a second."""

import pytest

from minilib.pretrain.config import Config


@pytest.fixture(scope="session")
def prose(tmp_path_factory):
    """A folder of text with some structure: who does what where."""
    import numpy as np

    draw = np.random.default_rng(0)
    who, does = ["the cat", "a dog", "my friend", "the old king"], ["sees", "likes", "follows", "hears"]
    where = ["in the garden", "near the river", "at home", "on the road to the sea"]
    folder = tmp_path_factory.mktemp("prose")
    for k in range(4):
        lines = [
            f"{who[a]} {does[b]} {who[c]} {where[d]}." for a, b, c, d in draw.integers(0, 4, (300, 4))
        ]  # fmt: skip
        paragraphs = [" ".join(lines[i : i + 6]) for i in range(0, 300, 6)]
        (folder / f"{k}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return folder


@pytest.fixture
def small(prose, tmp_path, monkeypatch):
    """`small(**changes)` is a configuration of a few steps of bert-tiny; runs go into folders of their own."""
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path / "data"))

    def make(**changes):
        settings = {
            "corpus": str(prose),
            "vocabulary": 320,
            "length": 16,
            "batch_size": 8,
            "steps": 8,
            "precision": "fp32",
            "log_every": 2,
            "evaluate_every": 4,
            "evaluate_rows": 8,
            "save_every": 4,
            "out": str(tmp_path / "run"),
        }
        return Config(**settings | changes)

    return make
