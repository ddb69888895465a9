"""A training that shall be compiled, on a machine on which nothing can be."""

import pytest

from minilib.training import trainer
from minilib.training.config import Config


def test_compile_is_refused_before_there_is_work(monkeypatch, tmp_path):
    monkeypatch.setattr(trainer, "cannot_compile", lambda device: f"no compiler for {device}")
    config = Config(compile=True, device="cpu", out=str(tmp_path / "run"))
    with pytest.raises(ValueError, match="compile = True: no compiler for cpu"):
        trainer.train(config, quiet=True)
    assert not (tmp_path / "run").exists()
