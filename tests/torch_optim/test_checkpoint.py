"""Checkpoints of sharded trainings: saved by four processes, loaded by two or by one, with nothing lost."""

import pytest

from tests.torch_optim.sharded_training import RATES, load


@pytest.mark.parametrize("method", RATES)
def test_two_processes_go_on_where_four_have_stopped(method, two):
    for row in two[f"load: {method}"]:
        assert row["difference"] <= 1e-12


@pytest.mark.parametrize("method", RATES)
@pytest.mark.filterwarnings("ignore:torch.distributed is disabled:UserWarning")
def test_a_single_process_without_sharding_goes_on_too(method, folder, four):
    assert load(method, None, folder)["difference"] <= 1e-12
