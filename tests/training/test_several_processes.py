"""The same run on 1, 2 and 4 processes (gloo): DDP and FSDP2, and from one number of processes to another."""

import datetime
import shutil
import time

import pytest
import torch
from torch import nn

from minilib.training import distributed
from minilib.training.run_dir import read_curve
from tests.forked import torchrun
from tests.training.runs import run_alone, run_together
from tests.training.test_trainer import weights

SETTINGS = {"optimizer": "lamb", "log_every": 1}


def curve(config):
    return [(row["loss"], row["grad_norm"]) for row in read_curve(config.folder)]


def close(a, b):
    return max(abs(x - y) for u, v in zip(a, b, strict=True) for x, y in zip(u, v, strict=True)) < 1e-5


@pytest.fixture(scope="module")
def alone(together):
    """One process, 10 steps of LAMB."""
    config = together("alone", steps=10)
    assert run_alone(config, **SETTINGS).wait() == 0
    return config


@pytest.mark.parametrize(("world_size", "parallel"), [(2, "ddp"), (4, "fsdp")])  # two of FSDP are in the test below
def test_the_curve_does_not_depend_on_the_processes(small, alone, world_size, parallel):
    config = small(steps=10)
    run_together(config, world_size, **SETTINGS, parallel=parallel)
    assert close(curve(config), curve(alone))
    a, b = weights(config), weights(alone)
    assert a.keys() == b.keys()
    assert max(float((a[k] - b[k]).abs().max()) for k in a) < 1e-5


def test_a_run_goes_on_on_another_number_of_processes(small, alone):
    config = small(steps=10)
    run_together(config, 2, **SETTINGS, save_every=5, parallel="fsdp")
    newest = sorted((config.folder / "checkpoints").glob("step-*"))[-1]
    shutil.rmtree(newest)  # as if it had been killed before it was written
    assert run_alone(config, **SETTINGS, save_every=5).wait() == 0
    assert close(curve(config), curve(alone))


def test_fsdp_gathers_in_bfloat16_and_learns_as_ddp_does(small, tmp_path):
    for how in ("ddp", "fsdp"):
        run_together(small(steps=10, out=str(tmp_path / how)), 2, **SETTINGS | {"parallel": how, "precision": "bf16"})
    (ddp, fsdp) = (read_curve(tmp_path / how) for how in ("ddp", "fsdp"))
    assert [row["loss"] for row in fsdp] == pytest.approx([row["loss"] for row in ddp], rel=0.01)


def what_is_gathered(_) -> int:
    """The types of parameters and of gradients, as a block of a sharded model sees them."""
    env = distributed.init("cpu")
    model = nn.Module()
    model.blocks = nn.ModuleList([nn.Linear(4, 4)])
    model.forward = lambda x: model.blocks[0](x)
    seen = []
    model.blocks[0].register_forward_hook(lambda block, x, y: seen.append((block.weight.dtype, y.dtype)))
    distributed.parallelize(model, env, "fsdp", torch.bfloat16)
    model(torch.ones(2, 4)).sum().backward()
    assert seen == [(torch.bfloat16, torch.bfloat16)]
    assert model.blocks[0].weight.dtype == model.blocks[0].weight.grad.dtype == torch.float32
    distributed.shutdown()
    return 0


def test_parameters_travel_in_bfloat16_and_gradients_add_up_in_float32(tmp_path):
    started = torchrun(tmp_path, 2, what_is_gathered, None)
    assert [process.wait() for process in started] == [0, 0], started[0].stderr.read()


def slow_first_process(_) -> int:
    """What rank 0 does takes longer than any step may."""
    env = distributed.init("cpu")
    torch.distributed.distributed_c10d._get_default_group().set_timeout(datetime.timedelta(seconds=1))
    assert distributed.rank0_first(lambda: time.sleep(3 if env.rank == 0 else 0) or 7, env) == 7
    distributed.shutdown()
    return 0


def test_processes_wait_for_the_one_that_reads_the_corpus(tmp_path):
    started = torchrun(tmp_path, 2, slow_first_process, None)
    assert [process.wait() for process in started] == [0, 0], started[1].stderr.read()


def test_ddp_keeps_gradients_where_it_exchanges_them(tmp_path):
    started = torchrun(tmp_path, 2, one_copy_of_gradients, None)
    assert [process.wait() for process in started] == [0, 0], started[0].stderr.read()


def one_copy_of_gradients(_) -> int:
    env = distributed.init("cpu")
    model = distributed.parallelize(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1)), env, "ddp")
    model(torch.ones(2, 4)).sum().backward()
    stores = {p.grad.untyped_storage().data_ptr() for p in model.parameters()}
    assert len(stores) == 1  # all are parts of one bucket
    distributed.shutdown()
    return 0
