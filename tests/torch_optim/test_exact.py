"""Every path of every torch optimizer takes the steps of the NumPy optimizer of the same name."""

import math

import numpy as np
import pytest
import torch

from minilib import optim, torch_optim
from tests.optim.helpers import Parameter
from tests.references import recipe
from tests.torch_optim.shared import GRADIENTS, METHODS, PATHS, error, make, parameters

# Layouts that the recorded inputs do not have, as (shape, how to lay it out); the gradients stay contiguous. "Zero
# columns" and "late" have gradients of zeros, in two columns or in the first five steps; the last is stacked with the
# transposed one.
LAYOUTS = {
    "row": ((1, 5), lambda t: t),
    "transposed": ((4, 3), lambda t: t.T.contiguous().T),
    "channels last": ((4, 3, 2, 2), lambda t: t.contiguous(memory_format=torch.channels_last)),
    "empty": ((0, 3), lambda t: t),
    "one column": ((4, 1), lambda t: t),
    "two by two": ((2, 2), lambda t: t),
    "one by one": ((1, 1), lambda t: t),
    "zero columns": ((3, 4), lambda t: t),
    "late": ((3, 2), lambda t: t),
    "not transposed": ((4, 3), lambda t: t),
}

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
CASES += [(name, options) for name in OTHERS for options in ({}, METHODS[name][1])]
FULL = [(name, METHODS[name][1]) for name in OTHERS]
FULL += [CASES[i] for i in (0, 4, 7, 11, 14)]  # of each method the one in which most terms matter


def gradients_of(layouts) -> list[dict[str, np.ndarray]]:
    """Of the layouts, one dictionary a step."""
    rng, steps = np.random.default_rng(2), []
    for t in range(recipe.STEPS):
        steps.append({name: rng.normal(size=LAYOUTS[name][0]) for name in layouts})
        if "late" in layouts:
            steps[t]["zero columns"][:, ::2] = 0.0
            steps[t]["late"] *= t >= 5
    return steps


def assert_follows_numpy(cls: str, options: dict, build=make, layouts=LAYOUTS, axes: dict | None = None, **more):
    """Fifty steps in float64, every parameter at every step to 1e-12; the rate is halved after half of them.

    `build(cls, params, **options, **more)` makes the torch optimizer; `axes` says in which order of
    axes NumPy's optimizer sees a tensor. Empty tensors, which it refuses, need only not disturb the others.
    """
    params, rng = parameters(), np.random.default_rng(1)
    for name in layouts:
        shape, lay_out = LAYOUTS[name]
        params[name] = torch.nn.Parameter(lay_out(torch.tensor(rng.normal(size=shape))))
    order = {name: tuple(range(p.ndim)) for name, p in params.items()} | (axes or {})
    theirs = {n: Parameter(p.detach().numpy().transpose(order[n])) for n, p in params.items() if p.numel()}
    opt = build(getattr(torch_optim, cls), params.values(), **options, **more)
    reference = getattr(optim, cls)(theirs.values(), **options)
    for t, (values, of_layouts) in enumerate(zip(GRADIENTS, gradients_of(layouts), strict=True), start=1):
        if t == recipe.STEPS // 2:
            reference.lr /= 2
            for group in opt.param_groups:
                group["lr"] /= 2
        values = values | of_layouts
        for name, p in params.items():
            p.grad = torch.tensor(values[name])
        for name, p in theirs.items():
            p.grad = values[name].transpose(order[name])
        opt.step()
        reference.step()
        for name, p in theirs.items():
            worst = error(params[name], p.data.transpose(np.argsort(order[name])))
            assert worst <= 1e-12, f"{name} at step {t}: relative error {worst:.2g}"
        for name, p in params.items():
            assert torch.equal(p.grad, torch.tensor(values[name])), f"the gradient of {name} was written at step {t}"
    assert t == recipe.STEPS


def runs():
    """Every case on the plain path and on the one that differs most from it; the full ones on all."""
    for case in CASES:
        for path in PATHS:
            if case in FULL or path in ("default", "no waiting, chunks"):
                yield pytest.param(*case, path, id=f"{case[0]} {case[1]}, {path}")


def axes_of(cls):
    return AXES if cls in ("Adafactor", "CAME") else None


@pytest.mark.parametrize(("cls", "options", "path"), list(runs()))
def test_the_trajectory_is_that_of_numpy(cls, options, path):
    assert_follows_numpy(cls, options, axes=axes_of(cls), path=path)


@pytest.mark.parametrize("path", ["rows", "default"])  # sums of pieces are joined, or taken at once
@pytest.mark.parametrize(("factor", "axes"), [("first", (2, 3, 0, 1)), ("last", (0, 1, 2, 3))])
@pytest.mark.parametrize("cls", ["Adafactor", "CAME"])
def test_other_factored_dimensions_are_numpys_with_the_axes_in_another_order(cls, factor, axes, path):
    kernels = {"kernel": axes, "channels last": axes}
    assert_follows_numpy(cls, {"lr": 0.01}, axes=kernels, path=path, factor=factor)


# The compiler takes seconds for every call and every kind of shape: one case a method, and where a matrix is
# factored two of the further layouts, with sides of 1 and 2: every new kind of shape is compiled anew.
@pytest.mark.parametrize(("cls", "options"), FULL, ids=METHODS)
def test_the_trajectory_of_compiled_phases_is_that_of_numpy(cls, options, compiling):
    axes = axes_of(cls)
    assert_follows_numpy(cls, options, compiling, layouts=("one column", "two by two") if axes else (), axes=axes)
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
