"""The presets where no run of a package is recorded that could tell them apart: a step or two by hand."""

import numpy as np
import pytest
import torch

from minilib.torch_optim import CAME, LAMB, LARS, Adafactor


def one_step(cls, name, x, gradients, lr=0.1, **options) -> np.ndarray:
    """`x` after steps with these gradients; `lr` may be a list, one a step."""
    p = torch.nn.Parameter(torch.tensor(x, dtype=torch.float64))
    opt = cls([p], **(cls.preset(name) | options))
    for t, g in enumerate(gradients):
        opt.param_groups[0]["lr"] = lr[t] if isinstance(lr, list) else lr
        p.grad = torch.tensor(g, dtype=torch.float64)
        opt.step()
    return p.detach().numpy()


@pytest.mark.parametrize("name", ["nvlamb", "apex", "timm"])
def test_nvlamb_apex_and_timm_clip_the_joint_norm_of_two_steps(name):
    # norms 10 and 0.5: the first gradient is divided by 10, the second is left alone
    options = {"weight_decay": 0.01, "betas": (0.5, 0.75)}
    clipped = one_step(LAMB, "paper", [3, 4], [[0.6, 0.8], [0.3, -0.4]], **options)
    np.testing.assert_allclose(one_step(LAMB, name, [3, 4], [[6, 8], [0.3, -0.4]], **options), clipped, rtol=1e-12)
    free = one_step(LAMB, "paper", [3, 4], [[6, 8], [0.3, -0.4]], **options)
    assert np.abs(free - clipped).max() > 0.01


# Adam's first step is lr (1, 1), LAMB's has the length lr ‖x‖.
WITHOUT_DECAY = {"paper": 0.5, "nvlamb": 0.5, "apex": 0.1 * 2**0.5, "timm": 0.02**0.5}


@pytest.mark.parametrize(("name", "length"), WITHOUT_DECAY.items())
def test_without_decay_apex_and_timm_take_adams_step(name, length):
    step = one_step(LAMB, name, [3, 4], [[0.6, 0.8]], weight_decay=0.0, eps=1e-12) - [3, 4]
    np.testing.assert_allclose(np.linalg.norm(step), length, rtol=1e-9)


OLD_RATE = {"lr": [1.0, 0.1], "momentum": 0.5, "trust_coefficient": 0.5, "adapt_without_decay": True}
DECAY = {"lr": 1.0, "weight_decay": 1.0, "trust_coefficient": 0.1}
TINY = {"lr": 1.0, "trust_coefficient": 0.1, "adapt_without_decay": True}
LARS_BY_HAND = [
    # Momentum 1/2; w = 2, g = 1, coefficient 1/2: ratio 1, so 2 - 1 = 1. The second gradient is zero: half of the first
    # step again, at its own learning rate 1 where the buffer is scaled, else at the present one 0.1.
    *((name, [2.0], [[1.0], [0.0]], OLD_RATE, [0.5], 1e-6) for name in ("paper", "optax", "mlperf")),
    *((name, [2.0], [[1.0], [0.0]], OLD_RATE, [0.95], 1e-6) for name in ("timm", "pytorch_optimizer")),
    # w = (3, 4), g = (-4, 3), β = 1: ‖g‖ + β‖w‖ = 10, optax: ‖g + βw‖ = 5√2; coefficient 0.1
    ("paper", [3.0, 4.0], [[-4, 3]], DECAY, [3 + 0.05, 4 - 0.35], 1e-12),
    ("optax", [3.0, 4.0], [[-4, 3]], DECAY, [3 + 0.1 / 2**0.5, 4 - 0.7 / 2**0.5], 1e-12),
    # ‖w‖ = 1, ‖g‖ = 1e-7: the step is 0.1 · 1e-7 / (1e-7 + ε)
    *((name, [1.0], [[1e-7]], TINY, [0.9], 1e-8) for name in ("paper", "optax")),
    ("timm", [1.0], [[1e-7]], TINY, [1 - 0.1 / 1.1], 1e-8),
    ("mlperf", [1.0], [[1e-7]], TINY, [0.95], 1e-8),
    # Without decay timm's LARS is momentum SGD.
    ("timm", [3.0], [[2.0], [2.0]], {"lr": 0.1, "momentum": 0.5}, [2.5], 1e-12),
]


@pytest.mark.parametrize(("name", "x", "gradients", "options", "end", "rtol"), LARS_BY_HAND)
def test_lars_by_hand(name, x, gradients, options, end, rtol):
    np.testing.assert_allclose(one_step(LARS, name, x, gradients, **options), end, rtol=rtol)


# lr is 0.1, λ is 0.5 and x has the size 2, so α = 0.2 where it scales. `shrink`: with a zero gradient only the decay is
# left; relative: the step is relative to the size, for U = (1, -1); fixed: the same with relative_step=False.
@pytest.mark.parametrize(
    ("name", "shrink", "relative", "fixed"),
    [
        ("paper", 0.05, 0.2, 0.1),
        ("transformers", 0.1, 0.2, 0.2),
        ("pytorch_optimizer", 0.1, 0.2, 0.2),
        ("timm", 0.1, 0.2, 0.1),
        ("optax", 0.5, 0.2, 0.2),
    ],
)
def test_what_multiplies_adafactors_decay_and_where_its_step_is_relative_to_the_size(name, shrink, relative, fixed):
    for gradient, options, moved in (
        ([0.0, 0.0], {"weight_decay": 0.5}, 2 * shrink),
        ([3.0, -3.0], {}, relative),
        ([3.0, -3.0], {"relative_step": False}, fixed),
    ):
        x = one_step(Adafactor, name, [2.0, -2.0], [gradient], **options)
        np.testing.assert_allclose(x, [2 - moved, -2 + moved], rtol=1e-12)


@pytest.mark.parametrize(
    ("cls", "name", "shape", "dims"),
    [
        (Adafactor, "paper", (2, 2), (0, 1)),
        (Adafactor, "timm", (16, 40), None),
        (Adafactor, "timm", (17, 40), (0, 1)),
        (Adafactor, "timm", (32, 24, 3, 3), (0, 1)),
        (Adafactor, "transformers", (32, 24, 3, 3), (2, 3)),
        (Adafactor, "pytorch_optimizer", (32, 24, 3, 3), (2, 3)),
        (Adafactor, "optax", (127, 500), None),
        (Adafactor, "optax", (3, 128, 3, 200), (1, 3)),
        (CAME, "came-pytorch", (32, 24, 3, 3), (2, 3)),
        (CAME, "paper", (1, 5), (0, 1)),
    ],
)
def test_which_dimensions_a_package_factors(cls, name, shape, dims):
    opt = cls([torch.ones(1)], **cls.preset(name))
    assert opt.dims(shape, opt.param_groups[0]) == dims
