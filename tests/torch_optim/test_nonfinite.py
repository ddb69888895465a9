"""A gradient that is not finite: the step does not happen, and nothing shows that it was tried."""

import math
import re

import pytest
import torch
from torch import nn

from minilib.torch_optim import LAMB, LARS
from tests.torch_optim.cases import (
    WAYS,
    all_methods,
    assert_same,
    bits,
    every_method,
    parameters,
    run_steps,
    snapshot,
)
from tests.torch_optim.helpers import gradients, set_gradients, without_waiting

VALUES = {str(value): value for value in (math.nan, math.inf, -math.inf)}
CLIPS = {f"clip {clip}": clip for clip in (None, 1.0, math.inf)}  # the norm that clipping takes finds the bad ones too
NAMES = {name: name for name in ("matrix (group 0)", "scalar (group 1)", "kernel (group 1)", "zeros (group 1)")}


def midway(cls, **options):
    """An optimizer of two groups after three steps, with gradients for the fourth; "kernel" never had one."""
    params = parameters()
    named = list(params.items())
    opt = cls([{"params": named[:2]}, {"params": named[2:]}], **options)
    for values in gradients()[:3]:
        set_gradients(params, values)
        params["kernel"].grad = None
        opt.step()
    set_gradients(params, gradients()[3])
    return params, opt


@all_methods(clip=CLIPS, name=NAMES, value=VALUES)
def test_it_is_refused_by_name_and_nothing_has_changed(cls, options, clip, name, value):
    params, opt = midway(cls, max_grad_norm=clip, **options)
    params[name.split()[0]].grad.view(-1)[-1] = value
    before = snapshot(opt)
    message = f"the gradient of {name} is nan, infinite, or too large to be squared"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        opt.step()
    assert snapshot(opt) == before
    assert params["kernel"] not in opt.state or not opt.state[params["kernel"]]


def test_a_parameter_without_a_name_is_called_by_its_number():
    a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    opt = LAMB([{"params": [a]}, {"params": [torch.ones(2), b]}])
    a.grad, b.grad = torch.ones(2), torch.tensor([1.0, math.nan])
    with pytest.raises(ValueError, match="the gradient of parameter 1 of group 1 is nan, infinite"):
        opt.step()


@all_methods(way=WAYS, clip=CLIPS, value=VALUES)
def test_a_run_that_skips_it_goes_on_as_if_it_had_not_been(cls, options, way, clip, value):
    # the zeros get no gradient before the bad one, which is then their first
    params, others = parameters(), parameters()
    cls, options = way(cls), options | {"on_nonfinite": "skip", "max_grad_norm": clip}
    opt, other = cls(params.values(), **options), cls(others.values(), **options)
    for t, values in enumerate(gradients()[:6], start=1):
        set_gradients(params, values)
        set_gradients(others, values)
        for each in (params, others):
            if t < 3:
                each["zeros"].grad = None
        other.step()
        if t in (3, 5):
            params["vector"].grad[2] = value
            before = {name: bits(p) for name, p in params.items()}
            opt.step()
            assert {name: bits(p) for name, p in params.items()} == before
            set_gradients(params, values)
        opt.step()
    assert int(opt.skipped) == 2
    assert int(other.skipped) == 0
    assert_same(params, others)
    for p, q in zip(params.values(), others.values(), strict=True):
        assert {k: bits(t) for k, t in opt.state[p].items()} == {k: bits(t) for k, t in other.state[q].items()}


@every_method
def test_skipping_the_first_gradient_leaves_no_state_behind(cls, options):
    params = parameters()
    opt = cls(params.values(), on_nonfinite="skip", **options)
    set_gradients(params, gradients()[0])
    params["scalar"].grad.fill_(math.nan)
    opt.step()
    assert opt.skipped == 1
    assert opt.state_bytes() == 0
    assert not any(opt.state[p] for p in params.values())
    assert_same(params, parameters())


@all_methods(clip=CLIPS)
def test_skipping_on_the_device_leaves_parameters_and_state_as_they_were(cls, options, clip):
    params, opt = midway(without_waiting(cls), on_nonfinite="skip", max_grad_norm=clip, **options)
    params["scalar"].grad.fill_(math.inf)
    before = {name: (bits(p), [bits(t) for t in opt.state[p].values()]) for name, p in params.items()}
    opt.step()
    assert isinstance(opt.skipped, torch.Tensor)
    assert int(opt.skipped) == 1
    after = {name: (bits(p), [bits(t) for t in opt.state[p].values()]) for name, p in params.items()}
    fresh_data, fresh_state = after.pop("kernel")
    assert fresh_data == before.pop("kernel")[0]
    assert not any(byte for t in fresh_state for byte in t), "its state must be that of a start"
    assert after == before


def test_the_count_that_was_read_does_not_change_with_later_steps():
    p = nn.Parameter(torch.ones(2))
    opt = without_waiting(LAMB)([p], on_nonfinite="skip")
    counts = []
    for value in (1.0, math.nan, 1.0, math.inf):
        p.grad = torch.tensor([1.0, value])
        opt.step()
        counts.append(opt.skipped)
    assert [int(count) for count in counts] == [0, 1, 1, 2]


@every_method
def test_where_the_host_does_not_wait_the_next_step_raises_by_name(cls, options):
    params, opt = midway(without_waiting(cls), **options)
    params["vector"].grad[0] = math.nan
    before = {name: (bits(p), [bits(t) for t in opt.state[p].values()]) for name, p in params.items()}
    opt.step()
    fresh_data, fresh_state = before.pop("kernel")
    assert bits(params["kernel"]) == fresh_data
    assert fresh_state == []
    assert {n: (bits(params[n]), [bits(t) for t in opt.state[params[n]].values()]) for n in before} == before
    params["vector"].grad[0] = 0.0
    kept = snapshot(opt)
    with pytest.raises(ValueError, match=r"the gradient of vector \(group 0\) is nan, infinite, or too large"):
        opt.step()
    assert snapshot(opt) == kept
    opt.step()  # it was said once, and this gradient is good
    assert bits(params["vector"]) != before["vector"][0]


# Too large

LARGE = 1e30  # its square is not a float32


@all_methods(clip=CLIPS, dtype={str(dtype): dtype for dtype in (torch.float32, torch.bfloat16)})
def test_a_finite_gradient_whose_square_is_infinite_is_refused(cls, options, clip, dtype):
    p = nn.Parameter(torch.ones(3, 2, dtype=dtype))
    opt = cls([p], max_grad_norm=clip, **options)
    p.grad = torch.full_like(p, LARGE)
    with pytest.raises(ValueError, match="parameter 0 of group 0 is nan, infinite, or too large to be squared"):
        opt.step()
    assert bits(p) == bits(torch.ones(3, 2, dtype=dtype))


def test_gradients_whose_squares_are_finite_but_not_their_sum_are_clipped():
    a, b = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    a.grad, b.grad = torch.tensor([1.5e19]), torch.tensor([1.5e19])  # 2.25e38 each; the largest float32 is 3.4e38
    LARS([a, b], lr=1.0, momentum=0.0, layer_adaptation=False, max_grad_norm=1.0).step()
    assert (a.item(), b.item()) == pytest.approx((-(0.5**0.5), -(0.5**0.5)), rel=1e-6)


def test_gradients_of_two_data_types_are_looked_at_together():
    a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2, dtype=torch.float64))
    opt = without_waiting(LAMB)([("a", a), ("b", b)], on_nonfinite="skip", max_grad_norm=1.0)
    a.grad, b.grad = torch.ones(2), torch.full((2,), math.inf, dtype=torch.float64)
    opt.step()
    assert (int(opt.skipped), bits(a), bits(b)) == (1, bits(torch.ones(2)), bits(torch.ones(2, dtype=b.dtype)))
    b.grad = torch.ones(2, dtype=torch.float64)
    opt.step()
    assert (int(opt.skipped), bits(a) == bits(torch.ones(2))) == (1, False)


# Compiled phases


@pytest.mark.parametrize("on_nonfinite", ["raise", "skip"])
def test_compiled_phases_are_never_reached_by_it(on_nonfinite, compiling):
    params, others = parameters(), parameters()
    opt = compiling(LAMB, params.values(), on_nonfinite=on_nonfinite)
    run_steps(opt, params, 1, 2)
    reached = len(compiling.calls)
    set_gradients(params, gradients()[2])
    params["kernel"].grad[0] = math.nan
    before = snapshot(opt)
    if on_nonfinite == "raise":
        with pytest.raises(ValueError, match="the gradient of parameter 3 of group 0 is nan"):
            opt.step()
    else:
        opt.step()
        assert opt.skipped == 1
    assert snapshot(opt) == before
    assert len(compiling.calls) == reached > 0, "a phase ran before the check"
    run_steps(opt, params, 3, 3)
    run_steps(compiling(LAMB, others.values()), others, 1, 3)
    assert_same(params, others)
