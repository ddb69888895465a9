"""Steps that do not wait for the device, and clipping by the joint norm, by hand and against torch."""

import math

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from minilib.torch_optim import LAMB, LARS
from tests.torch_optim.cases import (
    WAYS,
    all_methods,
    assert_same,
    bits,
    parameters,
    run,
    some_methods,
)
from tests.torch_optim.helpers import gradients, set_gradients, without_waiting


class Asynchronous(TorchDispatchMode):
    """Refuses every operation whose result the host must read: `.item()`, `bool()`, a branch on a tensor."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert func not in (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default), func
        return func(*args, **(kwargs or {}))


@all_methods(
    more={"raise": {}, "clipped": {"max_grad_norm": 1.0}, "skip": {"on_nonfinite": "skip"}},
)
def test_off_the_cpu_a_step_never_waits_for_the_device(cls, options, more):
    params = parameters()
    opt = run(without_waiting(cls), params, 1, **options, **more)
    set_gradients(params, gradients()[1])
    with Asynchronous():
        opt.step()
    assert {int(s["step"]) for s in opt.state.values()} == {2}


def test_an_ordinary_step_does_wait():
    params = parameters()
    opt = run(LAMB, params, 1)
    with pytest.raises(AssertionError, match="_local_scalar_dense"), Asynchronous():
        opt.step()


# Clipping


@some_methods(way=WAYS, max_norm={"all": 0.5, "most": 20.0, "none": 1e4})
def test_clipping_is_torchs_up_to_the_number_that_torch_adds_to_the_norm(cls, options, way, max_norm):
    params, others = parameters(), parameters()
    opt = way(cls)(params.values(), max_grad_norm=max_norm, **options)
    other = cls(others.values(), **options)
    clipped = 0
    for values in gradients()[:12]:
        set_gradients(params, values)
        set_gradients(others, values)
        before = {name: bits(p.grad) for name, p in params.items()}
        norm = torch.nn.utils.clip_grad_norm_(others.values(), max_norm)
        clipped += bool(norm > max_norm)
        opt.step()
        other.step()
        assert {name: bits(p.grad) for name, p in params.items()} == before
    assert clipped == {0.5: 12, 20.0: 10, 1e4: 0}[max_norm]
    for name, p in params.items():
        largest = float(others[name].detach().abs().max())
        torch.testing.assert_close(p, others[name], rtol=0, atol=1e-6 * largest)


def test_gradients_within_the_bound_take_the_same_steps_as_without_one():
    params, others = parameters(), parameters()
    run(LAMB, params, 5, max_grad_norm=math.inf)
    run(LAMB, others, 5)
    assert_same(params, others)


def test_the_norm_is_that_of_all_groups_together():
    a, b = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    a.grad, b.grad = torch.tensor([3.0]), torch.tensor([4.0])
    options = {"lr": 1.0, "momentum": 0.0, "layer_adaptation": False, "max_grad_norm": 1.0}
    LARS([{"params": [a]}, {"params": [b]}], **options).step()
    assert (a.item(), b.item()) == pytest.approx((-0.6, -0.8), rel=1e-6)


def test_a_parameter_without_a_gradient_does_not_count_in_the_norm():
    a, b = torch.nn.Parameter(torch.zeros(1)), torch.nn.Parameter(torch.zeros(1))
    a.grad = torch.tensor([3.0])
    LARS([a, b], lr=1.0, momentum=0.0, layer_adaptation=False, max_grad_norm=1.0).step()
    assert (a.item(), b.item()) == pytest.approx((-1.0, 0.0), rel=1e-6)
