"""Steps that do not wait for the device, clipping against torch's, and learning rates that others set."""

import pytest
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, OneCycleLR
from torch.utils._python_dispatch import TorchDispatchMode

from minilib.torch_optim import LAMB
from minilib.torch_optim.checks import TORCH_RANGES
from tests.torch_optim.shared import (
    GRADIENTS,
    WAYS,
    all_methods,
    assert_close,
    assert_same,
    bits,
    parameters,
    run,
    run_steps,
    set_gradients,
    some_methods,
    without_waiting,
)


class Asynchronous(TorchDispatchMode):
    """Refuses every operation whose result the host must read: `.item()`, `bool()`, a branch on a tensor."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert func not in (torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default), func
        return func(*args, **(kwargs or {}))


CLIPPED = {"max_grad_norm": 1.0, "lr": torch.tensor(0.1)}


@all_methods(more={"raise": {}, "clipped, tensor rate": CLIPPED, "skip": {"on_nonfinite": "skip"}})
def test_off_the_cpu_a_step_never_waits_for_the_device(cls, options, more, monkeypatch):
    params = parameters()
    opt = run(without_waiting(cls), params, 1, **(options | more))
    set_gradients(params, 2)
    monkeypatch.setattr(cls, "check", lambda *_: None)  # it reads a rate that lies on the CPU, see the next test
    with Asynchronous():
        opt.step()
    assert {int(s["step"]) for s in opt.state.values()} == {2}


def test_a_rate_is_read_on_the_cpu_and_nowhere_else():
    for value, device, ok in [(0.1, "cpu", True), (-0.1, "cpu", False), (-0.1, "meta", True)]:
        assert TORCH_RANGES["lr"][1](torch.tensor(value, device=device)) == ok


def test_an_ordinary_step_does_wait():
    opt = run(LAMB, parameters(), 1)
    with pytest.raises(AssertionError, match="_local_scalar_dense"), Asynchronous():
        opt.step()


@some_methods(way=WAYS, max_norm={"all": 0.5, "most": 20.0, "none": 1e4})
def test_clipping_is_torchs_up_to_the_number_that_torch_adds_to_the_norm(cls, options, way, max_norm):
    params, others, norms = parameters(), parameters(), []
    run(way(cls), params, 12, max_grad_norm=max_norm, **options)

    def clip(t):
        norms.append(torch.nn.utils.clip_grad_norm_(others.values(), max_norm))

    run_steps(cls(others.values(), **options), others, 1, 12, before=clip)
    assert sum(norm > max_norm for norm in norms) == {0.5: 12, 20.0: 10, 1e4: 0}[max_norm]
    assert_close(params, others, 1e-6)
    for name, p in params.items():
        assert torch.equal(p.grad, torch.tensor(GRADIENTS[11][name])), "a gradient was written"


SCHEDULERS = {
    "LambdaLR": lambda opt: LambdaLR(opt, lambda t: 1 / (1 + t)),
    "CosineAnnealingLR": lambda opt: CosineAnnealingLR(opt, T_max=6),
    "OneCycleLR": lambda opt: OneCycleLR(opt, max_lr=0.3, total_steps=7, cycle_momentum=False),
}


@some_methods(scheduler=SCHEDULERS)
def test_a_torch_scheduler_sets_the_rate_of_the_next_step(cls, options, scheduler):
    params, others, constant = parameters(), parameters(), parameters()
    opt, by_hand = cls(params.values(), **options), cls(others.values(), **options)
    plan, rates = scheduler(opt), []
    for t in range(1, 7):
        rates += plan.get_last_lr()
        run_steps(opt, params, t, t)
        plan.step()
    run_steps(by_hand, others, 1, 6, before=lambda t: by_hand.param_groups[0].update(lr=rates[t - 1]))
    assert_same(params, others)
    run(cls, constant, 6, **options)
    assert bits(params["matrix"]) != bits(constant["matrix"])


@all_methods(way=WAYS)
def test_a_tensor_is_as_good_a_learning_rate_as_a_number(cls, options, way):
    params, others = parameters(), parameters()
    lr = torch.tensor(options["lr"], dtype=torch.float64)
    opt, other = way(cls)(params.values(), **(options | {"lr": lr})), way(cls)(others.values(), **options)
    plan = LambdaLR(opt, lambda t: 1 / (1 + t))  # writes into the tensor
    for t in range(1, 5):
        run_steps(opt, params, t, t)
        plan.step()
    run_steps(other, others, 1, 4, before=lambda t: other.param_groups[0].update(lr=options["lr"] / t))
    assert isinstance(opt.param_groups[0]["lr"], torch.Tensor)
    assert_close(params, others)
