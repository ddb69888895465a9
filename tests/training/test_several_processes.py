"""The same run on 1, 2 and 4 processes (gloo): DDP, FSDP2 and HSDP, and from one of them to another."""

import datetime
import re
import shutil
import time

import pytest
import torch
from torch import nn
from torch.distributed.tensor import Replicate, Shard

from minilib.training import checkpoint, distributed
from minilib.training.run_dir import read_curve
from tests.training.runs import ended, largest_difference, main, run_alone, run_together, saved_steps, words

SETTINGS = {"optimizer": "lamb", "log_every": 1}


def check_same_curve(a, b):
    ours, theirs = ([(row["loss"], row["grad_norm"]) for row in read_curve(config.folder)] for config in (a, b))
    assert max(abs(x - y) for u, v in zip(ours, theirs, strict=True) for x, y in zip(u, v, strict=True)) < 1e-5


@pytest.fixture(scope="module")
def alone(together):
    """One process, 10 steps of LAMB."""
    config = together("alone", steps=10)
    assert run_alone(config, **SETTINGS).wait() == 0
    return config


TWO_BY_TWO = {"world_size": 4, "machines": 2, "parallel": "hsdp"}
LAYOUTS = {"world_size": 2, "parallel": "ddp"}, {"world_size": 4, "parallel": "fsdp"}, TWO_BY_TWO


@pytest.mark.parametrize("how", LAYOUTS, ids=lambda how: how["parallel"])  # two of FSDP are in the test below
def test_the_curve_does_not_depend_on_the_processes(small, alone, how):
    config = small(steps=10)
    run_together(config, **how, **SETTINGS)
    check_same_curve(config, alone)
    assert largest_difference(config, alone) < 1e-5


def test_a_run_goes_on_on_another_number_of_processes_and_in_another_layout(small, alone):
    config, often = small(steps=10), SETTINGS | {"save_every": 3, "keep": 9}
    layouts = {3: {"world_size": 2, "parallel": "fsdp"}, 6: TWO_BY_TWO, 9: {"world_size": 2, "parallel": "ddp"}}
    for step, how in layouts.items():
        run_together(config, **how, **often)
        assert saved_steps(config) == [3, 6, 9, 10]
        for folder in checkpoint.complete(config.folder / "checkpoints"):  # as if it had been killed then
            if int(folder.name[5:]) > step:
                shutil.rmtree(folder)
    assert run_alone(config, **often).wait() == 0
    check_same_curve(config, alone)


@pytest.mark.parametrize(
    "fields", [{"precision": "bf16"}, {"optimizer": "adamw", "state_dtype": "bfloat16"}, {"optimizer": "muon"}]
)
def test_fsdp_gathers_in_bfloat16_and_keeps_state_in_it_and_learns_as_ddp_does(small, tmp_path, fields):
    for how in ("ddp", "fsdp"):
        run_together(small(steps=10, out=str(tmp_path / how)), 2, **SETTINGS | {"parallel": how} | fields)
    ddp, fsdp = ([row["loss"] for row in read_curve(tmp_path / how)] for how in ("ddp", "fsdp"))
    assert fsdp == pytest.approx(ddp, rel=0.01)


def test_ddp_keeps_state_in_bytes_and_fsdp_says_that_it_does_not(small):
    bytes_ = SETTINGS | {"state_dtype": "uint8"}
    first, second = ended(small().folder.parent, 2, main, *words(small(), **bytes_, parallel="fsdp"))
    assert (first[0], second) == (2, (2, "", ""))
    assert re.fullmatch("error: --state-dtype must be bfloat16 or left out with fsdp.*\n", first[2])
    assert not small().folder.exists()
    run_together(small(), 2, **bytes_)


def parts_are_cut_within_a_machine_and_the_same_on_every_one(env):
    model = nn.Module()
    model.blocks = nn.ModuleList([nn.Linear(4, 4)])
    distributed.parallelize(model, env, "hsdp")
    weight = model.blocks[0].weight
    assert weight.placements == (Replicate(), Shard(0))
    assert weight.to_local().shape == (2, 4)
    assert [weight.device_mesh.size(k) for k in (0, 1)] == [2, 2]


def machines_with_unequal_numbers_of_processes_are_refused(env):
    with pytest.raises(ValueError, match=r"as many processes on every machine, got \[1, 2\]: give fsdp or ddp"):
        distributed.parallelize(nn.Linear(2, 2), env, "hsdp")


def parameters_travel_in_bfloat16_and_gradients_add_up_in_float32(env):
    model, seen = nn.Module(), []
    model.blocks = nn.ModuleList([nn.Linear(4, 4)])
    model.forward = lambda x: model.blocks[0](x)
    model.blocks[0].register_forward_hook(lambda block, x, y: seen.append((block.weight.dtype, y.dtype)))
    distributed.parallelize(model, env, "fsdp", torch.bfloat16)
    model(torch.ones(2, 4)).sum().backward()
    assert seen == [(torch.bfloat16, torch.bfloat16)]
    assert model.blocks[0].weight.dtype == model.blocks[0].weight.grad.dtype == torch.float32


def the_others_wait_for_the_one_that_reads_the_corpus(env):
    """What rank 0 does takes longer than any step may."""
    torch.distributed.distributed_c10d._get_default_group().set_timeout(datetime.timedelta(seconds=1))
    assert distributed.rank0_first(lambda: time.sleep(3 if env.rank == 0 else 0) or 7, env) == 7


def ddp_keeps_gradients_where_it_exchanges_them(env):
    model = distributed.parallelize(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)), env, "ddp")
    model(torch.ones(2, 4)).sum().backward()
    assert len({p.grad.untyped_storage().data_ptr() for p in model.parameters()}) == 1  # all are parts of one bucket


def where_one_cannot_none_goes_on(env):
    """Work that fails in no process, in the first, in the second, in both, and in none again."""
    did, answers = [], []

    def work(bad):
        did.append(bad)
        if env.rank in bad:
            raise (OSError if env.rank else ValueError)(f"trouble {env.rank}")
        return env.rank

    for bad in ([], [0], [1], [0, 1], []):
        try:
            answers.append(distributed.rank0_first(lambda bad=bad: work(bad), env))
        except ValueError as error:
            answers.append(str(error))
    assert answers == [env.rank, "trouble 0", "process 1: trouble 1", "trouble 0", env.rank]
    assert len(did) == (3 if env.rank else 5)  # process 1 does not begin where process 0 has failed


ON_TWO_MACHINES = {
    parts_are_cut_within_a_machine_and_the_same_on_every_one: 4,
    machines_with_unequal_numbers_of_processes_are_refused: 3,
}
TRUE = [
    *ON_TWO_MACHINES,
    parameters_travel_in_bfloat16_and_gradients_add_up_in_float32,
    the_others_wait_for_the_one_that_reads_the_corpus,
    ddp_keeps_gradients_where_it_exchanges_them,
    where_one_cannot_none_goes_on,
]


def check(number: int) -> int:
    env = distributed.init("cpu")
    TRUE[number](env)
    distributed.shutdown()
    return 0


@pytest.mark.parametrize("number", range(len(TRUE)), ids=[claim.__name__ for claim in TRUE])
def test_of_several_processes_it_is_true_that(tmp_path, number):
    several = ON_TWO_MACHINES.get(TRUE[number])
    for code, _, errors in ended(tmp_path, several or 2, check, number, machines=2 if several else 1):
        assert code == 0, errors
