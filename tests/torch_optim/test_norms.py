"""Trust ratios and clipping by the joint norm, by hand and against torch."""

import math

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from minilib.torch_optim import CAME, LAMB, LARS, LARS2020
from tests.torch_optim.cases import (
    WAYS,
    all_methods,
    assert_same,
    bits,
    every_way,
    parameters,
    run,
    some_methods,
)
from tests.torch_optim.helpers import gradients, set_gradients


class Asynchronous(TorchDispatchMode):
    """Refuses every operation whose result the host must read: `.item()`, `bool()`, a branch on a tensor."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert func not in (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default), func
        return func(*args, **(kwargs or {}))


def lamb(x, g):
    """The first step's ‖x‖/‖u‖ with ε = 1e-6 and λ = 0.1."""
    return x.norm() / (g / (g.abs() + 1e-6) + 0.1 * x).norm()


def lars(x, g):
    return 0.1 * x.norm() / (g.norm() + 0.1 * x.norm())


def lars2020(x, g):
    return x.norm() / (0.1 * (g + 0.1 * x)).norm()


BY_HAND = {
    "LAMB": (LAMB, {"weight_decay": 0.1}, lamb),
    "LARS": (LARS, {"weight_decay": 0.1, "trust_coefficient": 0.1}, lars),
    "LARS2020": (LARS2020, {"weight_decay": 0.1}, lars2020),
}
by_hand = pytest.mark.parametrize(("cls", "options", "formula"), BY_HAND.values(), ids=BY_HAND)


@every_way
@by_hand
def test_trust_ratios_are_those_of_the_formula_and_1_where_a_parameter_is_zero(cls, options, formula, way):
    params = parameters()
    values = gradients()[0]
    expected = {name: formula(p.detach(), torch.tensor(values[name])) for name, p in params.items()}
    expected["zeros"] = torch.tensor(1.0)
    opt = run(cls, params, 1, **options, **way)
    ratios = opt.trust_ratios()
    assert set(ratios) == set(params.values())
    for name, p in params.items():
        assert ratios[p].shape == ()
        assert float(ratios[p]) == pytest.approx(float(expected[name]), rel=1e-12), name


@by_hand
def test_trust_ratios_are_those_of_the_last_step_and_a_copy(cls, options, formula):
    params = parameters()
    opt = run(cls, params, 1, **options)
    first = {p: float(ratio) for p, ratio in opt.trust_ratios().items()}
    opt.trust_ratios().clear()
    set_gradients(params, gradients()[1])
    opt.step()
    second = {p: float(ratio) for p, ratio in opt.trust_ratios().items()}
    assert set(first) == set(second) == set(params.values())
    assert first[params["matrix"]] != second[params["matrix"]]


@by_hand
def test_a_group_without_adaptation_has_the_ratio_1(cls, options, formula):
    params = parameters()
    opt = run(cls, params, 1, **options, layer_adaptation=False)
    assert set(opt.trust_ratios().values()) == {1.0}


def test_methods_without_a_ratio_report_none():
    assert run(CAME, parameters(), 1).trust_ratios() == {}


@all_methods(
    foreach={"loop": False, "foreach": True},
    more={"raise": {}, "clipped": {"max_grad_norm": 1.0}, "skip": {"on_nonfinite": "skip"}},
)
def test_a_capturable_step_and_its_ratios_never_wait_for_the_device(cls, options, foreach, more):
    params = parameters()
    opt = run(cls, params, 1, capturable=True, foreach=foreach, **options, **more)
    set_gradients(params, gradients()[1])
    with Asynchronous():
        opt.step()
        opt.trust_ratios()
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
    opt = cls(params.values(), max_grad_norm=max_norm, **options, **way)
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
