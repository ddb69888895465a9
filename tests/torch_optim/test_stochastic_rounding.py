"""Stochastic rounding of bfloat16 parameters: unbiased, deterministic, the same for a tensor and for its parts."""

import pytest
import torch

from minilib.torch_optim import LARS
from minilib.torch_optim.phases import round_stochastically
from tests.torch_optim.shared import PATHS, make


def sgd(params, lr, build=make, **options):
    """The plainest method here: plain SGD."""
    return build(LARS, params, lr=lr, momentum=0.0, layer_adaptation=False, **options)


def walk(x, g, steps, lr, **options) -> torch.Tensor:
    """Bfloat16 parameters after steps with one gradient."""
    p = torch.nn.Parameter(x.clone())
    opt, p.grad = sgd([p], lr, **options), g
    for _ in range(steps):
        opt.step()
    return p.detach()


ULP = 2.0**-8  # distance of bfloat16 numbers from 1/2 to 1


def near_three_quarters(n=10_000):
    """Start values, and gradients between a half and one and a half."""
    rng = torch.Generator().manual_seed(1)
    x = 0.75 + ULP * torch.randint(-40, 41, (n,), generator=rng)
    return x.bfloat16(), (0.5 + torch.rand(n, generator=rng)).bfloat16()


@pytest.mark.parametrize(("path", "sign"), [("default", 1), ("no waiting", -1), ("stacks", 1)])
def test_a_thousand_updates_of_a_thousandth_move_the_mean_by_one(path, sign):
    x, g = near_three_quarters()
    lr = ULP / 1000
    assert torch.equal(walk(x, sign * g, 10, lr, path=path), x)
    end = walk(x, sign * g, 1000, lr, stochastic_rounding=True, path=path)
    # Every entry takes a Poisson number of jumps, g on average. Equal values jump together: the mean over about 3,000
    # different ones has the deviation 0.02.
    jumps = (x.double() - end.double()) / ULP * sign
    assert jumps.mean().item() == pytest.approx(g.double().mean().item(), abs=0.08)
    assert jumps.var().item() == pytest.approx(g.double().mean().item() + g.double().var().item(), rel=0.15)
    # and larger gradients have moved their entries further
    large = g > 1
    assert jumps[large].mean() - jumps[~large].mean() == pytest.approx(0.5, abs=0.15)


def test_compiled_phases_round_stochastically_too(compiling):
    x, g = near_three_quarters()
    assert torch.equal(walk(x, g, 5, ULP / 100, build=compiling), x)
    end = walk(x, g, 100, ULP / 100, stochastic_rounding=True, build=compiling)
    assert ((x.double() - end.double()) / ULP).mean().item() == pytest.approx(g.double().mean().item(), abs=0.08)
    assert len(compiling.calls) >= 105


@pytest.mark.parametrize("path", PATHS)
def test_halves_of_a_tensor_are_rounded_like_the_whole(path):
    x, g = near_three_quarters(100)
    whole, parts = torch.nn.Parameter(x.clone()), [torch.nn.Parameter(t.clone()) for t in x.chunk(2)]
    opts = [sgd(ps, ULP / 10, path=path, stochastic_rounding=True) for ps in ([whole], parts)]
    whole.grad = g
    for p, part in zip(parts, g.chunk(2), strict=True):
        p.grad = part
    for _ in range(20):
        for opt in opts:
            opt.step()
    assert torch.equal(torch.cat(parts), whole)
    assert not torch.equal(whole, x)


@pytest.mark.parametrize("value", [1.0, -0.75, 0.0, 3e38, 1e-38])
def test_what_bfloat16_can_hold_is_never_changed(value):
    t = torch.full((1,), value).bfloat16().float()
    assert all(torch.equal(round_stochastically(t, seed), t) for seed in range(100))


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.9])
def test_rounding_goes_to_either_neighbour_with_the_probability_that_keeps_the_mean(fraction):
    value = torch.tensor([-(0.75 + fraction * ULP)])
    found = torch.cat([round_stochastically(value, seed) for seed in range(4000)])
    assert set(found.tolist()) == {-0.75, -0.75 - ULP}
    assert ((-0.75 - found) / ULP).mean().item() == pytest.approx(fraction, abs=4 * 0.5 / 4000**0.5)
