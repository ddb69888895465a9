"""Every path of every torch optimizer takes the steps of the NumPy optimizer of the same name."""

import math

import pytest
import torch

from minilib import optim, torch_optim
from tests.torch_optim.cases import METHODS
from tests.torch_optim.helpers import PATHS, Parameter, assert_follows_numpy, gradients, make, set_gradients, start

# With their default Adafactor and CAME factor the two largest dimensions, NumPy the last two. These are the axes of
# the kernels (3 x 2 x 3 x 2, and 4 x 3 x 2 x 2) in the order in which the two do the same.
AXES = {"kernel": (1, 3, 0, 2), "channels last": (2, 3, 0, 1)}

# Together they use every option that NumPy's methods have too, with two values at least.
CASES = [
    ("LARS", {"lr": 1.0, "weight_decay": 0.01, "trust_coefficient": 0.01}),
    ("LARS", {"lr": 1.0, "momentum": 0.0, "trust_coefficient": 0.05}),
    ("LARS", {"lr": 0.1, "weight_decay": 0.1, "layer_adaptation": False}),
    ("LARS2020", {}),
    ("LARS2020", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1, "phi": (0.5, 2.0)}),
    ("LARS2020", {"lr": 0.1, "weight_decay": 0.1, "layer_adaptation": False}),
    ("LAMB", {"lr": 0.02}),
    ("LAMB", {"lr": 0.05, "betas": (0.7, 0.95), "eps": 0.1, "weight_decay": 0.0, "phi": (0.5, 2.0)}),
    ("LAMB", {"lr": 0.02, "weight_decay": 0.5, "bias_correction": False}),
    ("LAMB", {"lr": 0.02, "betas": (0.0, 0.0), "phi": (0.0, math.inf), "layer_adaptation": False}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.5, "beta2_decay": -0.5, "eps": (1e-12, 0.5), "weight_decay": 0.1}),
    ("Adafactor", {"lr": 0.05, "beta2_decay": -1.0, "d": 0.5, "weight_decay": 0.1, "relative_step": False}),
    ("CAME", {"lr": 0.01}),
    ("CAME", {"lr": 0.02, "betas": (0.8, 0.95, 0.99), "eps": (1e-12, 1e-6), "d": 0.5, "weight_decay": 0.1}),
    ("CAME", {"lr": 0.02, "betas": (0.0, 0.0, 0.0), "eps": (1e-12, 1e-2)}),
]
OTHERS = [name for name in METHODS if name not in dict(CASES)]  # methods that these two are enough for
CASES += [(name, options) for name in OTHERS for options in ({}, METHODS[name])]
FULL = [(name, METHODS[name]) for name in OTHERS]
FULL += [CASES[i] for i in (0, 4, 7, 11, 14)]  # of each method the one in which most terms matter


def runs():
    """Every case on the plain path and on the one that differs most from it; the full ones on all."""
    for case in CASES:
        for path in PATHS:
            if case in FULL or path in ("default", "no waiting, chunks"):
                yield pytest.param(*case, path, id=f"{case[0]} {case[1]}, {path}")


@pytest.mark.parametrize("cls", METHODS)
def test_the_cases_use_every_shared_option_in_two_ways(cls):
    for name, default in getattr(optim, cls)([Parameter(1.0)]).defaults.items():
        values = {repr(options.get(name, default)) for other, options in CASES if other == cls}
        assert len(values) > 1, f"{name} of {cls} always has one value"


@pytest.mark.parametrize(("cls", "options", "path"), list(runs()))
def test_the_trajectory_is_that_of_numpy(cls, options, path):
    assert_follows_numpy(cls, options, axes=AXES if cls in ("Adafactor", "CAME") else None, path=path)


@pytest.mark.parametrize("path", ["rows", "default"])  # sums of pieces are joined, or taken at once
@pytest.mark.parametrize(("factor", "axes"), [("first", (2, 3, 0, 1)), ("last", (0, 1, 2, 3))])
@pytest.mark.parametrize("cls", ["Adafactor", "CAME"])
def test_other_factored_dimensions_are_numpys_with_the_axes_in_another_order(cls, factor, axes, path):
    kernels = {"kernel": axes, "channels last": axes}
    assert_follows_numpy(cls, {"lr": 0.01}, axes=kernels, path=path, factor=factor)


@pytest.mark.parametrize(("cls", "path"), [*(("LAMB", path) for path in PATHS), *((cls, "default") for cls in METHODS)])
def test_clipping_leaves_the_gradients_as_they_are(cls, path):
    params, values = start(layouts=True), gradients(layouts=True)[0]
    opt = make(getattr(torch_optim, cls), params.values(), path, lr=0.1, max_grad_norm=0.01)
    set_gradients(params, values)
    opt.step()
    for name, p in params.items():
        assert torch.equal(p.grad, torch.tensor(values[name]))


# The compiler takes seconds for every call and every kind of shape: one case a method, and where a matrix is
# factored two of the further layouts, with sides of 1 and 2: every new kind of shape is compiled anew.
@pytest.mark.parametrize(("cls", "options"), FULL, ids=METHODS)
def test_the_trajectory_of_compiled_phases_is_that_of_numpy(cls, options, compiling):
    axes = AXES if cls in ("Adafactor", "CAME") else None
    assert_follows_numpy(cls, options, compiling, layouts=("one column", "two by two") if axes else False, axes=axes)
    assert len(compiling.calls) >= 50, "the compiled phases did not run"


def test_compiled_phases_serve_a_parameter_and_a_gradient_in_two_memory_orders(compiling):
    """Code that read both orders at once wrote beyond the tensors: the gradient is laid out first."""
    ends = []
    for build in (compiling, make):
        torch.manual_seed(0)
        p = torch.nn.Parameter(torch.randn(4, 3, 2, 2).contiguous(memory_format=torch.channels_last))
        opt = build(torch_optim.LAMB, [p], lr=0.01)
        for _ in range(3):
            p.grad = torch.randn(4, 3, 2, 2)
            opt.step()
        assert p.is_contiguous(memory_format=torch.channels_last)
        ends.append(p.detach())
    torch.testing.assert_close(*ends)
