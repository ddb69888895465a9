"""A small corpus and a run that takes a second."""

import numpy as np
import pytest

from minilib.training import run_dir, trainer
from minilib.training.config import Config

WHO = ["the cat", "a dog", "my friend", "the old king"]
WHERE = ["in the garden", "near the river", "at home", "on the road to the sea"]
SMALL = {
    "vocabulary": 320, "length": 16, "batch_size": 8, "steps": 8, "precision": "fp32", "log_every": 2,
    "evaluate_every": 4, "evaluate_rows": 8, "save_every": 4,
}  # fmt: skip


@pytest.fixture(scope="session")
def prose(tmp_path_factory):
    """A folder of text with some structure: who does what where."""
    draw, does = np.random.default_rng(0), ["sees", "likes", "follows", "hears"]
    folder = tmp_path_factory.mktemp("prose")
    for k in range(4):
        lines = [f"{WHO[a]} {does[b]} {WHO[c]} {WHERE[d]}." for a, b, c, d in draw.integers(0, 4, (300, 4))]
        paragraphs = [" ".join(lines[i : i + 6]) for i in range(0, 300, 6)]
        (folder / f"{k}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Where the tokenizers and rows of all these runs are kept: each is made once."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def small(prose, data, tmp_path, monkeypatch):
    """`small(**changes)` is a configuration of a few steps of bert-tiny; runs go into folders of their own.

    They neither draw their curve nor count their operations, which takes longer than the steps: `complete_run` does.
    """
    monkeypatch.setenv("MINILIB_DATA", str(data))
    monkeypatch.setattr(run_dir, "draw_curve", lambda *_: None)
    monkeypatch.setattr(trainer, "per_row", lambda *_: 1.0)
    return lambda **changes: Config(**SMALL | {"corpus": str(prose), "out": str(tmp_path / "run")} | changes)


@pytest.fixture(scope="module")
def together(prose, data, tmp_path_factory):
    """`together(name, **changes)` is such a configuration for a run that the tests of a file share."""
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINILIB_DATA", str(data))
        yield lambda name, **changes: Config(**SMALL | {"corpus": str(prose), "out": str(folder / name)} | changes)


@pytest.fixture(scope="module")
def complete_run(together):
    """The configuration of a run that is complete, with its results."""
    config = together("run")
    return config, trainer.train(config, quiet=True)
