"""Checkpoints of sharded trainings: saved by four processes, loaded by two or by one, with nothing lost."""

import pytest
import torch
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_optimizer_state_dict,
    set_optimizer_state_dict,
)

from minilib import torch_optim
from tests.torch_optim.sharded_cases import METHODS
from tests.torch_optim.sharded_training import RATES, Network, load, train


@pytest.mark.parametrize("method", RATES)
def test_two_processes_go_on_where_four_have_stopped(method, two):
    for row in two[f"load: {method}"]:
        assert row["difference"] <= 1e-12


@pytest.mark.parametrize("method", RATES)
@pytest.mark.filterwarnings("ignore:torch.distributed is disabled:UserWarning")
def test_a_single_process_without_sharding_goes_on_too(method, folder, four):
    assert load(method, None, folder)["difference"] <= 1e-12


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
