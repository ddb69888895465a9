"""Every path of every torch optimizer takes the steps of the NumPy optimizer of the same name."""

import math

import pytest
import torch

from minilib import optim, torch_optim
from tests.torch_optim.helpers import PATHS, Parameter, assert_follows_numpy, gradients, set_gradients, start

METHODS = ("LARS", "LARS2020", "LAMB", "Adafactor", "CAME")
LAST = {"factor": "last"}  # which dimensions NumPy's optimizers factor

# Together they use every option that both rooms have, with two values at least.
CASES = [
    ("LARS", {"lr": 1.0, "weight_decay": 0.01, "trust_coefficient": 0.01}, {}),
    ("LARS", {"lr": 1.0, "momentum": 0.0, "trust_coefficient": 0.05}, {}),
    ("LARS", {"lr": 0.1, "weight_decay": 0.1, "layer_adaptation": False}, {}),
    ("LARS2020", {}, {}),
    ("LARS2020", {"lr": 0.1, "momentum": 0.5, "weight_decay": 0.1, "phi": (0.5, 2.0)}, {}),
    ("LARS2020", {"lr": 0.1, "weight_decay": 0.1, "layer_adaptation": False}, {}),
    ("LAMB", {"lr": 0.02}, {}),
    ("LAMB", {"lr": 0.05, "betas": (0.7, 0.95), "eps": 0.1, "weight_decay": 0.0, "phi": (0.5, 2.0)}, {}),
    ("LAMB", {"lr": 0.02, "weight_decay": 0.5, "bias_correction": False}, {}),
    ("LAMB", {"lr": 0.02, "betas": (0.0, 0.0), "phi": (0.0, math.inf), "layer_adaptation": False}, {}),
    ("Adafactor", {}, LAST),
    ("Adafactor", {"lr": 0.5, "beta2_decay": -0.5, "eps": (1e-12, 0.5), "weight_decay": 0.1}, LAST),
    ("Adafactor", {"lr": 0.05, "beta2_decay": -1.0, "d": 0.5, "weight_decay": 0.1, "relative_step": False}, LAST),
    ("CAME", {"lr": 0.01}, LAST),
    ("CAME", {"lr": 0.02, "betas": (0.8, 0.95, 0.99), "eps": (1e-12, 1e-6), "d": 0.5, "weight_decay": 0.1}, LAST),
    ("CAME", {"lr": 0.02, "betas": (0.0, 0.0, 0.0), "eps": (1e-12, 1e-2)}, LAST),
]
FULL = [CASES[i] for i in (0, 4, 7, 11, 14)]  # of each method the one in which most terms matter


def runs():
    """Every case on the plain path and on the one that differs most from it; the full ones on all."""
    for case in CASES:
        for path in PATHS:
            if case in FULL or path in ("loop", "capturable foreach"):
                yield pytest.param(*case, path, id=f"{case[0]} {case[1]}, {path}")


# The recorded kernel is 3 x 2 x 3 x 2; the other one has the shape 4 x 3 x 2 x 2.
FACTORS = {
    "first": {"kernel": (2, 3, 0, 1), "channels last": (2, 3, 0, 1)},
    "largest": {"kernel": (1, 3, 0, 2), "channels last": (2, 3, 0, 1)},
}


@pytest.mark.parametrize("cls", METHODS)
def test_the_cases_use_every_shared_option_in_two_ways(cls):
    for name, default in getattr(optim, cls)([Parameter(1.0)]).defaults.items():
        values = {repr(options.get(name, default)) for other, options, _ in CASES if other == cls}
        assert len(values) > 1, f"{name} of {cls} always has one value"


@pytest.mark.parametrize(("cls", "options", "torch_options", "path"), list(runs()))
def test_the_trajectory_is_that_of_numpy(cls, options, torch_options, path, path_options):
    assert_follows_numpy(cls, options, torch_options | path_options)


@pytest.mark.parametrize("path", ["rows", "foreach"])  # sums of pieces are joined, or taken at once
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("cls", ["Adafactor", "CAME"])
def test_other_factored_dimensions_are_numpys_with_the_axes_in_another_order(cls, factor, path, path_options):
    # "largest" leaves a single row alone, where NumPy factors: without the extra layouts
    layouts = factor == "first"
    assert_follows_numpy(cls, {"lr": 0.01}, {"factor": factor} | path_options, layouts, FACTORS[factor])


@pytest.mark.parametrize(
    ("cls", "path"), [*(("LAMB", path) for path in PATHS), *((cls, "foreach") for cls in METHODS if cls != "LAMB")]
)
def test_clipping_and_maximizing_leave_the_gradients_as_they_are(cls, path, path_options):
    params, values = start(layouts=True), gradients(layouts=True)[0]
    opt = getattr(torch_optim, cls)(params.values(), lr=0.1, max_grad_norm=0.01, maximize=True, **path_options)
    set_gradients(params, values)
    opt.step()
    for name, p in params.items():
        assert torch.equal(p.grad, torch.tensor(values[name]))


# The compiler takes seconds for every kernel: one case a method.
@pytest.mark.parametrize(("cls", "options", "torch_options"), FULL, ids=METHODS)
def test_the_trajectory_of_compiled_kernels_is_that_of_numpy(cls, options, torch_options, compile_all):
    assert_follows_numpy(cls, options, torch_options | {"fused": True})
    assert len(compile_all) >= 50, "the compiled kernels did not run"
