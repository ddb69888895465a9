"""A gradient that is not finite: the step does not happen, and nothing shows that it was tried."""

import math
import re

import pytest
import torch
from torch import nn

from minilib.torch_optim import LAMB, LARS
from tests.torch_optim.shared import (
    WAYS,
    all_methods,
    assert_same,
    bits,
    every_method,
    midway,
    parameters,
    run_steps,
    set_gradients,
    snapshot,
    state_of,
    without_waiting,
)

VALUES = {str(value): value for value in (math.nan, math.inf, -math.inf)}
CLIPS = {f"clip {clip}": clip for clip in (None, 1.0, math.inf)}  # the norm that clipping takes finds the bad ones too
NAMES = {name: name for name in ("matrix (group 0)", "scalar (group 1)", "kernel (group 1)", "zeros (group 1)")}


def with_gradient(*values, dtype=torch.float32):
    """A parameter of ones with this gradient."""
    p = nn.Parameter(torch.ones(len(values), dtype=dtype))
    p.grad = torch.tensor(values, dtype=dtype)
    return p


def everything(opt, params) -> dict:
    return {name: (bits(p), state_of(opt, p)) for name, p in params.items()}


@all_methods(clip=CLIPS, name=NAMES, value=VALUES)
def test_it_is_refused_by_name_and_nothing_has_changed(cls, options, clip, name, value):
    params, opt = midway(cls, max_grad_norm=clip, **options)
    params[name.split()[0]].grad.view(-1)[-1] = value
    before = snapshot(opt)
    message = f"the gradient of {name} is nan, infinite, or too large to be squared"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        opt.step()
    assert snapshot(opt) == before


def test_a_parameter_without_a_name_is_called_by_its_number():
    opt = LAMB([{"params": [with_gradient(1.0)]}, {"params": [torch.ones(2), with_gradient(1.0, math.nan)]}])
    with pytest.raises(ValueError, match="the gradient of parameter 1 of group 1 is nan, infinite"):
        opt.step()


@all_methods(way=WAYS, clip=CLIPS, value=VALUES)
def test_a_run_that_skips_it_goes_on_as_if_it_had_not_been(cls, options, way, clip, value):
    ends = []
    for bad in ((), (3, 5)):
        params = parameters()
        opt = way(cls)(params.values(), **(options | {"on_nonfinite": "skip", "max_grad_norm": clip}))

        def before(t, params=params, opt=opt, bad=bad):
            if t < 3:
                params["zeros"].grad = None  # the bad one is then its first
            if t in bad:
                params["vector"].grad[2] = value
                kept = {name: bits(p) for name, p in params.items()}
                opt.step()
                assert {name: bits(p) for name, p in params.items()} == kept
                set_gradients(params, t)

        run_steps(opt, params, 1, 6, before)
        assert int(opt.skipped) == len(bad)
        ends.append(everything(opt, params))
    assert ends[0] == ends[1]


@every_method
def test_skipping_the_first_gradient_leaves_no_state_behind(cls, options):
    params = parameters()
    opt = cls(params.values(), on_nonfinite="skip", **options)
    set_gradients(params, 1)
    params["scalar"].grad.fill_(math.nan)
    opt.step()
    assert opt.skipped == 1
    assert not any(opt.state[p] for p in params.values())
    assert_same(params, parameters())


@pytest.mark.parametrize("on_nonfinite", ["skip", "raise"])
@all_methods(clip=CLIPS)
def test_where_the_host_does_not_wait_nothing_changes_either_and_the_next_step_raises(cls, options, clip, on_nonfinite):
    params, opt = midway(without_waiting(cls), on_nonfinite=on_nonfinite, max_grad_norm=clip, **options)
    params["vector"].grad[0] = math.inf
    before = everything(opt, params)
    opt.step()
    after = everything(opt, params)
    (data, fresh), (start, _) = after.pop("kernel"), before.pop("kernel")
    assert data == start
    assert not any(byte for _, numbers in fresh.values() for byte in numbers), "its state must be that of a start"
    assert after == before
    if on_nonfinite == "skip":
        assert isinstance(opt.skipped, torch.Tensor)
        assert int(opt.skipped) == 1
    else:
        params["vector"].grad[0] = 0.0
        kept = snapshot(opt)
        with pytest.raises(ValueError, match=r"the gradient of vector \(group 0\) is nan, infinite, or too large"):
            opt.step()
        assert snapshot(opt) == kept
    opt.step()  # it was said once, and this gradient is good
    assert (bits(params["vector"]) != before["vector"][0]) == (on_nonfinite == "raise")


def test_the_count_that_was_read_does_not_change_with_later_steps():
    p = nn.Parameter(torch.ones(2))
    opt = without_waiting(LAMB)([p], on_nonfinite="skip")
    counts = []
    for value in (1.0, math.nan, 1.0, math.inf):
        p.grad = torch.tensor([1.0, value])
        opt.step()
        counts.append(opt.skipped)
    assert [int(count) for count in counts] == [0, 1, 1, 2]


# Too large


@all_methods(clip=CLIPS, dtype={str(dtype): dtype for dtype in (torch.float32, torch.bfloat16)})
def test_a_finite_gradient_whose_square_is_infinite_is_refused(cls, options, clip, dtype):
    p = with_gradient(1e30, 1e30, dtype=dtype)  # the square is not a float32
    with pytest.raises(ValueError, match="parameter 0 of group 0 is nan, infinite, or too large to be squared"):
        cls([p], max_grad_norm=clip, **options).step()
    assert bits(p) == bits(torch.ones(2, dtype=dtype))


def test_gradients_of_two_data_types_are_looked_at_together():
    a, b = with_gradient(1.0, 1.0), with_gradient(math.inf, math.inf, dtype=torch.float64)
    opt = without_waiting(LAMB)([a, b], on_nonfinite="skip", max_grad_norm=1.0)
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
    set_gradients(params, 3)
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


# Clipping by the joint norm


@pytest.mark.parametrize(
    ("gradients", "ends"),
    [
        (([3.0], [4.0]), ([-0.6], [-0.8])),  # of all groups together
        (([3.0], None), ([-1.0], [0.0])),  # a parameter without a gradient does not count
        # The squares are finite but not their sum: 2.25e38 each; the largest float32 is 3.4e38.
        (([1.5e19], [1.5e19]), ([-(0.5**0.5)], [-(0.5**0.5)])),
    ],
)
def test_the_norm_is_that_of_all_gradients_together(gradients, ends):
    params = [nn.Parameter(torch.zeros(1)) for _ in gradients]
    for p, g in zip(params, gradients, strict=True):
        p.grad = None if g is None else torch.tensor(g)
    options = {"lr": 1.0, "momentum": 0.0, "layer_adaptation": False, "max_grad_norm": 1.0}
    LARS([{"params": [p]} for p in params], **options).step()
    assert [p.tolist() for p in params] == [pytest.approx(end, rel=1e-6) for end in ends]
