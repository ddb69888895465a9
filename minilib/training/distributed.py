"""Several processes, one model: who they are, how a model is spread over them, and its state as if there were one.

`torchrun` starts the processes and says to each, in its environment, who it is. DDP gives each the whole model and adds
up gradients; FSDP2 (`fully_shard`) cuts parameters, gradients and optimizer state into one part a process. Absent on
purpose: tensor and pipeline parallelism.
"""

import hashlib
import os
import time
import uuid
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.parallel import DistributedDataParallel

from minilib.training.device import pick

WHOLE = StateDictOptions(full_state_dict=True, cpu_offload=True)


class DistEnv(NamedTuple):
    """The processes of a run: this one is number `rank` of `world_size`."""

    rank: int
    world_size: int
    device: torch.device


def init(device: str | None = None) -> DistEnv:
    """Find the other processes, when torchrun has started some.

    Raises:
        ValueError: there is no such device here.
    """
    if "RANK" not in os.environ:
        return DistEnv(0, 1, pick(device))
    chosen = pick(device)
    if chosen.type == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        chosen = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    backend = "nccl" if chosen.type == "cuda" else "gloo"
    dist.init_process_group(backend, store=rendezvous_store(rank, world_size), rank=rank, world_size=world_size)
    return DistEnv(dist.get_rank(), dist.get_world_size(), chosen)


def rendezvous_store(rank: int, world_size: int) -> dist.Store | None:
    """Where the processes find each other's addresses, if torchrun keeps one; None leaves it to torch.

    After a restart it still has the addresses of processes that are gone, and gloo may try those (torch 2.13). So each
    start of the run gets a part of its own.
    """
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        return None
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), world_size, is_master=False)
    return dist.PrefixStore(rendezvous(store, rank, world_size), store)


def rendezvous(store: dist.Store, rank: int, world_size: int) -> str:
    """A name for this start of the run, the same in all its processes and in no other start.

    torchrun does not give one: its count of restarts differs between machines. So each process writes its token, rank 0
    reads them out until all have heard their own, and what it read is the name. A token of a process that is gone may
    be read out too, but nobody answers to it.
    """
    token = uuid.uuid4().hex
    store.set(f"here {rank}", token)
    while True:
        if rank == 0:
            store.set("roll", " ".join(store.get(f"here {r}").decode() for r in range(world_size)))
        roll = store.get("roll").decode()
        name = hashlib.sha256(roll.encode()).hexdigest()
        if token in roll:
            store.set(f"{name} heard by {rank}", "")
            if store.check([f"{name} heard by {r}" for r in range(world_size)]):
                return name
        time.sleep(0.02)


def shutdown() -> None:
    """Leave the other processes."""
    if dist.is_initialized():
        dist.destroy_process_group()


def rank0_first(work: Callable, env: DistEnv):
    """What `work()` returns, done by rank 0 and then by the others: what it writes to the disk, they may read.

    Raises:
        ValueError: it could not be done. Where one process raises ValueError or OSError all do, so that none waits for
            one that is gone.
    """
    if env.world_size == 1:
        return work()
    result, troubles = None, [None] * env.world_size
    for mine in (env.rank == 0, env.rank > 0):
        trouble = None
        if mine:
            try:
                result = work()
            except (ValueError, OSError) as error:
                trouble = str(error)
        dist.all_gather_object(troubles, trouble)
        for rank, told in enumerate(troubles):
            if told is not None:
                raise ValueError(f"process {rank}: {told}" if rank else told)
    return result


def parallelize(model: nn.Module, env: DistEnv, how: str) -> nn.Module:
    """The model over all processes: `how` is "ddp" or "fsdp". One process has the model as it is."""
    if env.world_size == 1:
        return model
    if how == "ddp":
        return DistributedDataParallel(model)
    mesh = init_device_mesh(env.device.type, (env.world_size,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def accumulate(model: nn.Module, last: bool) -> None:
    """Before a backward pass: are gradients exchanged after it? Only after the last of a step."""
    if isinstance(model, DistributedDataParallel):
        model.require_backward_grad_sync = last
    elif isinstance(model, FSDPModule):
        model.set_requires_gradient_sync(last)


def mean(value: torch.Tensor, env: DistEnv) -> torch.Tensor:
    """The mean over all processes of a number or vector."""
    if env.world_size > 1:
        dist.all_reduce(value)
        value /= env.world_size
    return value


def any_of(flag: bool, env: DistEnv) -> bool:
    """Is the flag set on one of the processes? All of them must ask."""
    if env.world_size == 1:
        return flag
    asked = torch.tensor(float(flag), device=env.device)
    dist.all_reduce(asked, op=dist.ReduceOp.MAX)
    return bool(asked)


def full_state_dict(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[dict, dict]:
    """Weights, and optimizer state as "parameter/name", whole and on the CPU; on rank 0, and all ranks must ask."""
    weights = get_model_state_dict(model, options=WHOLE)
    state = get_optimizer_state_dict(model, optimizer, options=WHOLE).get("state", {})
    return weights, {f"{name}/{key}": t for name, own in state.items() for key, t in own.items()}


def load_full_state_dict(model: nn.Module, optimizer: torch.optim.Optimizer, weights: dict, state: dict) -> None:
    """What `full_state_dict` gave, put back, each process taking its part; all of them have read all of it."""
    nested = {}
    for name, t in state.items():
        parameter, key = name.split("/")
        nested.setdefault(parameter, {})[key] = t
    groups = get_optimizer_state_dict(model, optimizer)["param_groups"]
    set_optimizer_state_dict(model, optimizer, {"state": nested, "param_groups": groups}, options=WHOLE)
    # last: to begin the state, torch took a step with learning rate 0, which for a capturable AdamW is 0/0
    set_model_state_dict(model, weights, options=WHOLE)
