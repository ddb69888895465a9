"""Checkpoints as torch's functions for sharded trainings take them; those of several processes: test_sharded.py."""

import pytest
import torch
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)

from minilib import torch_optim
from tests.torch_optim.sharded_cases import METHODS
from tests.torch_optim.sharded_training import RATES, Network, train

OPTAX = {"lr": 0.1, "weight_decay": 0.1, **torch_optim.Adafactor.preset("optax"), "min_dim_size_to_factor": 0}
CASES = {method: METHODS[method] for method in RATES} | {"optax's decay": ("Adafactor", OPTAX)}


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize(("cls", "options"), CASES.values(), ids=CASES)
def test_state_that_is_loaded_after_the_weights_loses_nothing_and_leaves_them_as_they_were_saved(cls, options, flat):
    """torch's functions begin the state of a fresh optimizer with a step at rate 0."""
    how = StateDictOptions(flatten_optimizer_state_dict=flat)
    first, second = Network(), Network()
    opts = [getattr(torch_optim, cls)(model.parameters(), **options) for model in (first, second)]
    train(first, opts[0], range(3))
    second.load_state_dict(first.state_dict())
    set_optimizer_state_dict(second, opts[1], get_optimizer_state_dict(first, opts[0], options=how), options=how)
    for steps in (range(0), range(3, 5)):
        train(first, opts[0], steps)
        train(second, opts[1], steps)
        assert all(torch.equal(p, q) for p, q in zip(first.parameters(), second.parameters(), strict=True))


@pytest.mark.parametrize("lr", [0.0, torch.tensor(0.0)], ids=["number", "tensor"])
@pytest.mark.parametrize("waits", [True, False])
def test_where_the_rate_is_0_a_decay_that_does_not_ask_for_it_leaves_the_weights_alone(lr, waits):
    for shape in ((4, 3), (3,)):
        p = torch.nn.Parameter(torch.ones(shape))
        opt = torch_optim.Adafactor([p], **(OPTAX | {"lr": lr}))
        opt.host_waits = waits
        p.grad = torch.ones(shape)
        opt.step()
        assert torch.equal(p, torch.ones(shape))
        opt.param_groups[0].update(lr=1e-6)
        opt.step()
        torch.testing.assert_close(p.detach(), torch.full(shape, 0.9), rtol=0, atol=1e-5)
