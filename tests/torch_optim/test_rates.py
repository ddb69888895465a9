"""Learning rates: torch's schedulers, and rates that are tensors."""

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, OneCycleLR

from tests.torch_optim.cases import WAYS, all_methods, assert_same, bits, parameters, some_methods
from tests.torch_optim.helpers import gradients, set_gradients

SCHEDULERS = {
    "LambdaLR": lambda opt: LambdaLR(opt, lambda t: 1 / (1 + t)),
    "CosineAnnealingLR": lambda opt: CosineAnnealingLR(opt, T_max=6),
    "OneCycleLR": lambda opt: OneCycleLR(opt, max_lr=0.3, total_steps=7, cycle_momentum=False),
}


@some_methods(scheduler=SCHEDULERS)
def test_a_torch_scheduler_sets_the_rate_of_the_next_step(cls, options, scheduler):
    params, others, constant = parameters(), parameters(), parameters()
    opt = cls(params.values(), **options)
    plan = scheduler(opt)
    by_hand = cls(others.values(), **options)
    unchanged = cls(constant.values(), **options)
    for values in gradients()[:6]:
        for each in (params, others, constant):
            set_gradients(each, values)
        by_hand.param_groups[0]["lr"] = plan.get_last_lr()[0]
        opt.step()
        by_hand.step()
        unchanged.step()
        plan.step()
    assert_same(params, others)
    assert bits(params["matrix"]) != bits(constant["matrix"])


@all_methods(way=WAYS)
def test_a_tensor_is_as_good_a_learning_rate_as_a_number(cls, options, way):
    params, others = parameters(), parameters()
    lr = torch.tensor(options["lr"], dtype=torch.float64)
    opt = way(cls)(params.values(), **(options | {"lr": lr}))
    plan = LambdaLR(opt, lambda t: 1 / (1 + t))  # writes into the tensor
    other = way(cls)(others.values(), **options)
    for t, values in enumerate(gradients()[:4]):
        set_gradients(params, values)
        set_gradients(others, values)
        other.param_groups[0]["lr"] = options["lr"] / (1 + t)
        opt.step()
        other.step()
        plan.step()
    assert isinstance(opt.param_groups[0]["lr"], torch.Tensor)
    for name, p in params.items():
        torch.testing.assert_close(p, others[name], rtol=1e-12, atol=1e-14)
