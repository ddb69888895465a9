"""Which dimensions Adafactor and CAME factor, what that costs in state, and CAME's correction of its first steps."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from minilib import optim
from minilib.optim.base import ema
from minilib.torch_optim import CAME, Adafactor, WithoutConfidence
from minilib.torch_optim.adafactor import factored_dims, mean_shapes
from tests.optim.helpers import Parameter


def numbers(cls, shape, **options) -> int:
    """How many numbers of state a tensor of this shape gets."""
    opt = cls([torch.nn.Parameter(torch.ones(1))], **options)
    state = opt.state_shapes(shape, opt.dims(shape, opt.param_groups[0]))
    return sum(math.prod(s) for s in state.values())


@pytest.mark.parametrize(
    ("shape", "least", "largest", "last", "first"),
    [
        ((), 0, None, None, None),
        ((7,), 0, None, None, None),
        ((6, 4), 0, (0, 1), (0, 1), (0, 1)),
        ((64, 3, 7, 7), 0, (0, 3), (2, 3), (0, 1)),
        ((32, 16, 3, 3), 0, (0, 1), (2, 3), (0, 1)),
        ((4, 3, 5), 0, (0, 2), (1, 2), (0, 1)),
        ((3, 5, 5, 5), 0, (2, 3), (2, 3), (0, 1)),  # of equal ones the later
        ((1, 9), 0, (0, 1), (0, 1), (0, 1)),
        ((0, 3), 0, None, None, None),
        ((16, 40), 16, (0, 1), (0, 1), (0, 1)),
        ((16, 40), 17, None, None, None),
        ((40, 16), 17, None, None, None),
        ((40, 16, 17), 17, (0, 2), None, None),
    ],
)
def test_which_dimensions_are_factored(shape, least, largest, last, first):
    assert [factored_dims(shape, which, least) for which in ("largest", "last", "first")] == [largest, last, first]


@given(shape=st.lists(st.integers(0, 12), max_size=5).map(tuple))
def test_the_means_multiply_to_the_shape_and_no_two_dimensions_would_do_with_fewer_than_the_largest(shape):
    pairs = [(a, b) for b in range(len(shape)) for a in range(b)]
    for dims in pairs:
        rows, columns = (torch.ones(s) for s in mean_shapes(shape, dims))
        assert (rows * columns).shape == shape
        assert (rows.shape[dims[1]], columns.shape[dims[0]]) == (1, 1)
    if factored_dims(shape, "largest", 0):
        fewest = min(sum(map(math.prod, mean_shapes(shape, dims))) for dims in pairs)
        assert numbers(Adafactor, shape) == fewest
        assert numbers(CAME, shape) == math.prod(shape) + 2 * fewest


def first_step(shape, **options) -> float:
    """Root mean square of CAME's first step, in learning rates."""
    p = torch.nn.Parameter(torch.zeros(shape, dtype=torch.float64))
    p.grad = torch.tensor(np.random.default_rng(0).normal(size=shape))
    CAME([p], lr=0.01, **options).step()
    return p.detach().square().mean().sqrt().item() / 0.01


def test_the_correction_of_the_confidence_brings_a_matrixs_first_step_in_line_with_a_vectors():
    # û has the RMS 1, m = 0.1 û, U = 0.81 û², S = 1e-4 U: 0.1 / 0.009 = 11.1, and 0.1 / 0.9 = 0.111 with S = U
    assert first_step((500,)) == pytest.approx(0.1, rel=0.01)
    assert first_step((50, 40)) == pytest.approx(1 / 0.09, rel=0.05)
    assert first_step((50, 40), correct_confidence=True) == pytest.approx(1 / 9, rel=0.05)


def test_the_correction_of_the_confidence_does_nothing_in_the_long_run_or_to_vectors():
    assert first_step((5,), correct_confidence=True) == first_step((5,))
    gradients = torch.tensor(np.random.default_rng(0).normal(size=(400, 6, 5)))
    ends = []
    for correct in (False, True):
        p = torch.nn.Parameter(torch.zeros(6, 5, dtype=torch.float64))
        opt = CAME([p], lr=1.0, betas=(0.9, 0.9, 0.9), correct_confidence=correct)
        for g in gradients:
            before, p.grad = p.detach().clone(), g
            opt.step()
        ends.append(p.detach() - before)
    torch.testing.assert_close(*ends, rtol=1e-12, atol=0)


class Algorithm1(optim.CAME):
    """Luo et al. 2023, Algorithm 1, in NumPy."""

    def update(self, x, g, s):
        x -= self.lr * ema(s, "m", self.clipped_direction(g, s, self.betas[1]), self.betas[0])


@pytest.mark.parametrize("shape", [(4, 3), (1, 5), (2, 2), (6,)])
def test_without_its_confidence_came_is_algorithm_1_of_its_paper_and_remembers_nothing_of_the_instability(shape):
    """The confidence that is still taken, kept, or taken for single layouts only is caught here."""
    rng = np.random.default_rng(0)
    x, gradients = rng.normal(size=shape), rng.normal(size=(6, *shape))
    p, theirs = torch.nn.Parameter(torch.tensor(x)), Parameter(x)
    opt = WithoutConfidence([p], lr=0.1, betas=(0.8, 0.9, 0.5))
    reference = Algorithm1([theirs], lr=0.1, betas=(0.8, 0.9, 0.5))
    for g in gradients:
        p.grad, theirs.grad = torch.tensor(g), g
        opt.step()
        reference.step()
    np.testing.assert_allclose(p.detach().numpy(), theirs.data, rtol=1e-12)
    assert numbers(WithoutConfidence, shape) == numbers(Adafactor, shape) + math.prod(shape)
