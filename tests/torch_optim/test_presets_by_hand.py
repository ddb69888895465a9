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


@pytest.mark.parametrize(
    ("name", "length"), [("paper", 0.5), ("nvlamb", 0.5), ("apex", 0.1 * 2**0.5), ("timm", 0.02**0.5)]
)
def test_without_decay_apex_and_timm_take_adams_step(name, length):
    # Adam's first step is lr (1, 1), LAMB's has the length lr ‖x‖
    step = one_step(LAMB, name, [3, 4], [[0.6, 0.8]], weight_decay=0.0, eps=1e-12) - [3, 4]
    np.testing.assert_allclose(np.linalg.norm(step), length, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "last"), [("paper", 1.0), ("optax", 1.0), ("mlperf", 1.0), ("timm", 0.1), ("pytorch_optimizer", 0.1)]
)
def test_only_a_scaled_buffer_keeps_the_old_learning_rate(name, last):
    # momentum 1/2; w = 2, g = 1, coefficient 1/2: ratio 1, so 2 - 1 = 1. The second gradient is zero: half of the
    # first step again, at its own learning rate 1 or at the present one 0.1.
    options = {"momentum": 0.5, "trust_coefficient": 0.5, "adapt_without_decay": True}
    x = one_step(LARS, name, [2.0], [[1.0], [0.0]], lr=[1.0, 0.1], **options)
    np.testing.assert_allclose(x, [1.0 - last / 2], rtol=1e-6)


def test_optax_divides_by_the_norm_of_the_gradient_with_decay():
    # w = (3, 4), g = (-4, 3), β = 1: ‖g‖ + β‖w‖ = 10, ‖g + βw‖ = 5√2; coefficient 0.1
    options = {"weight_decay": 1.0, "trust_coefficient": 0.1, "lr": 1.0}
    w, step = np.array([3.0, 4.0]), np.array([-1.0, 7.0])
    np.testing.assert_allclose(one_step(LARS, "paper", w, [[-4, 3]], **options), w - 0.05 * step, rtol=1e-12)
    np.testing.assert_allclose(one_step(LARS, "optax", w, [[-4, 3]], **options), w - 0.1 / 2**0.5 * step, rtol=1e-12)


@pytest.mark.parametrize(("name", "eps"), [("paper", 0.0), ("optax", 0.0), ("timm", 1e-8), ("mlperf", 1e-7)])
def test_timm_and_mlperf_have_an_epsilon_that_matters_for_tiny_gradients(name, eps):
    # ‖w‖ = 1, ‖g‖ = 1e-7: the step is 0.1 · 1e-7 / (1e-7 + ε)
    options = {"trust_coefficient": 0.1, "lr": 1.0, "adapt_without_decay": True}
    x = one_step(LARS, name, [1.0], [[1e-7]], **options)
    np.testing.assert_allclose(1 - x, [0.1 * 1e-7 / (1e-7 + eps)], rtol=1e-7)


def test_without_decay_timms_lars_is_momentum_sgd():
    np.testing.assert_allclose(one_step(LARS, "timm", [3.0], [[2.0], [2.0]], lr=0.1, momentum=0.5), [2.5], rtol=1e-12)
    assert one_step(LARS, "paper", [3.0], [[2.0], [2.0]], lr=0.1, momentum=0.5) > 2.99


# With a zero gradient only the decay is left. lr is 0.1, λ is 0.5 and x has the size 2, so α = 0.2 where it scales.
@pytest.mark.parametrize(
    ("name", "shrink"),
    [("paper", 0.05), ("transformers", 0.1), ("pytorch_optimizer", 0.1), ("timm", 0.1), ("optax", 0.5)],
)
def test_what_multiplies_adafactors_decay(name, shrink):
    x = one_step(Adafactor, name, [2.0, -2.0], [[0.0, 0.0]], lr=0.1, weight_decay=0.5)
    np.testing.assert_allclose(x, [2 - 2 * shrink, -2 + 2 * shrink], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "relative", "fixed"),
    [
        ("paper", 0.2, 0.1),
        ("transformers", 0.2, 0.2),
        ("pytorch_optimizer", 0.2, 0.2),
        ("timm", 0.2, 0.1),
        ("optax", 0.2, 0.2),
    ],
)
def test_where_adafactors_step_is_relative_to_the_size_of_the_parameter(name, relative, fixed):
    # lr is 0.1, the size 2; U = (1, -1)
    for flag, length in ((None, relative), (False, fixed)):
        options = {} if flag is None else {"relative_step": flag}
        x = one_step(Adafactor, name, [2.0, -2.0], [[3.0, -3.0]], lr=0.1, **options)
        np.testing.assert_allclose(x, [2 - length, -2 + length], rtol=1e-12)


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
