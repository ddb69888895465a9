"""The tables of each method's test file: its defaults with their source (`DEFAULTS`), its steps by hand (`BY_HAND`)."""

import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from minilib import optim, torch_optim
from tests.optim.helpers import after

NAMES = [path.stem for path in sorted(Path(__file__).parent.glob("test_*.py")) if path.stem != "test_by_hand"]
MODULES = [import_module(f"tests.optim.{name}") for name in NAMES]
DEFAULTS = {name: row for module in MODULES for name, row in getattr(module, "DEFAULTS", {}).items()}
BY_HAND = [row for module in MODULES for row in getattr(module, "BY_HAND", [])]
# What only the methods in PyTorch have.
IN_TORCH = {
    "LARS": {"scaled_momentum": True, "joint_norm": False, "eps": 0.0, "adapt_without_decay": True},
    "LAMB": {"adapt_without_decay": True},
    "Adafactor": {"scale_parameter": None, "decay_by": "lr", "factor": "largest", "min_dim_size_to_factor": 0},
    "CAME": {"correct_confidence": False, "factor": "largest", "min_dim_size_to_factor": 0},
}


@pytest.mark.parametrize(("cls", "x", "gradients", "options", "expected", "rtol", "atol"), BY_HAND)
def test_a_step_is_that_by_hand(cls, x, gradients, options, expected, rtol, atol):
    np.testing.assert_allclose(after(cls, x, gradients, **options), expected, rtol=rtol, atol=atol)


def test_every_method_has_a_step_by_hand():
    assert {row.values[0].__name__ for row in BY_HAND} == set(optim.METHODS)


def defaults(cls) -> dict:
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.name != "params" and p.kind is not p.VAR_KEYWORD}


@pytest.mark.parametrize("name", optim.METHODS)
def test_every_default_is_that_of_its_source_and_the_same_in_torch(name):
    own, source = DEFAULTS[name]
    assert defaults(optim.METHODS[name]) == own
    if name in torch_optim.__all__:
        assert defaults(getattr(torch_optim, name)) == own | IN_TORCH.get(name, {})
    if inspect.isclass(source):  # torch leaves some to the dtype, or calls the usual None
        theirs = {option: value for option, value in defaults(source).items() if option in own and value is not None}
        assert theirs.items() <= own.items()
        assert len(theirs) >= 3
