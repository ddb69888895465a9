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


@pytest.mark.parametrize("method", RATES)
def test_a_flat_state_dict_loses_nothing(method):
    cls, options = METHODS[method]
    flat = StateDictOptions(flatten_optimizer_state_dict=True)
    first, second = Network(), Network()
    opts = [getattr(torch_optim, cls)(model.parameters(), **options) for model in (first, second)]
    train(first, opts[0], range(3))
    second.load_state_dict(first.state_dict())
    set_optimizer_state_dict(second, opts[1], get_optimizer_state_dict(first, opts[0], options=flat), options=flat)
    train(first, opts[0], range(3, 5))
    train(second, opts[1], range(3, 5))
    for p, q in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(p, q)


@pytest.mark.parametrize("method", RATES)
def test_asking_a_fresh_optimizer_for_its_state_leaves_the_parameters_alone(method):
    """The function takes a step with learning rate 0 to begin the state."""
    model = Network()
    before = [p.detach().clone() for p in model.parameters()]
    cls, options = METHODS[method]
    get_optimizer_state_dict(model, getattr(torch_optim, cls)(model.parameters(), **options))
    for p, q in zip(model.parameters(), before, strict=True):
        assert torch.equal(p, q)
