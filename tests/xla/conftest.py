"""Runs of a second on XLA's CPU device, which stands in for a TPU: `make test-xla` has what they need."""

import pytest
import torch_xla

from minilib.models import registry
from minilib.training import device, trainer
from tests.training.conftest import prose  # noqa: F401

# PyTorch counts the devices at the first backward pass of a process, and would not find this one later.
XLA = torch_xla.device()

TINY = {"layers": 1, "width": 16, "heads": 2}
FEW = {
    "vocabulary": 320,
    "length": 16,
    "batch_size": 8,
    "steps": 6,
    "precision": "fp32",
    "log_every": 2,
    "evaluate_every": 6,
    "evaluate_rows": 8,
    "save_every": 3,
}


@pytest.fixture(scope="session", autouse=True)
def tiny(tmp_path_factory):
    """All models are tiny, and no run measures how fast the device is."""
    size = registry.size
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINILIB_DATA", str(tmp_path_factory.mktemp("data")))
        patch.setattr(registry, "size", lambda name, **changes: size(name, **TINY | changes))
        patch.setattr(trainer, "matmul_rate", lambda *_: 1e9)
        yield
    device.matmul_rate.cache_clear()


@pytest.fixture(scope="session")
def few(prose, tmp_path_factory):  # noqa: F811
    """`few(**changes)` is a configuration of six steps, with a folder of its own."""

    def make(**changes):
        out = str(tmp_path_factory.mktemp("runs") / "run")
        return trainer.Config(**FEW | {"corpus": str(prose), "device": "xla", "out": out} | changes)

    return make
