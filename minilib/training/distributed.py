"""Several processes, one model: who they are, how a model is spread over them, and its state as if there were one.

`torchrun` starts the processes and says to each, in its environment, who it is. DDP gives each the whole model and adds
up gradients; FSDP2 (`fully_shard`) cuts parameters, gradients and optimizer state into one part a process, and HSDP
into one part a process of a machine, with the same parts on every machine. Absent on purpose: tensor and pipeline
parallelism.
"""

import datetime
import hashlib
import os
import time
import uuid
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint import state_dict as states
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

from minilib.training.device import pick

WHOLE = states.StateDictOptions(full_state_dict=True, cpu_offload=True)
PATIENCE = datetime.timedelta(days=7)  # for what one process does while the others wait, such as reading a corpus


class DistEnv(NamedTuple):
    """The processes of a run: this one is number `rank` of `world_size`."""

    rank: int
    world_size: int
    device: torch.device
    patient: dist.ProcessGroup | None = None  # all, on the CPU, for what may take long; steps have torch's own limits


def init(device: str | None = None) -> DistEnv:
    """Find the other processes, when torchrun has started some. ValueError: there is no such device here."""
    if "RANK" not in os.environ:
        return DistEnv(0, 1, pick(device))
    rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    chosen = pick(device, int(os.environ["LOCAL_RANK"]))
    card = {"device_id": chosen} if chosen.type == "cuda" else {}
    card["backend"] = {"cuda": "nccl", "tpu": "tpu_dist"}.get(chosen.type, "gloo")
    dist.init_process_group(store=rendezvous_store(rank, world_size), rank=rank, world_size=world_size, **card)
    return DistEnv(rank, world_size, chosen, dist.new_group(backend="gloo", timeout=PATIENCE))


def rendezvous_store(rank: int, world_size: int) -> dist.Store | None:
    """Where the processes find each other's addresses, if torchrun keeps one; None leaves it to torch."""
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        return None
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), world_size, is_master=False)
    # Each start gets a part of its own: after a restart gloo may try addresses of who is gone (torch 2.13).
    return dist.PrefixStore(rendezvous(store, rank, world_size), store)


def rendezvous(store: dist.Store, rank: int, world_size: int) -> str:
    """A name for this start of the run, the same in all its processes and in no other start.

    torchrun does not give one: its count of restarts differs between machines. So each process writes its token, rank 0
    reads them out until all have heard their own, and what it read is the name. To one who is gone nobody answers.
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
    """What `work()` returns, done by rank 0, then by the first process of each other machine, then by the rest.

    What it writes to the disk, those after it may read. They wait as long as it takes: a large corpus is tokenised for
    hours, while the exchanges of training give up after minutes. ValueError, in all processes, where one raises
    ValueError or OSError, so that none waits for one that is gone.
    """
    if env.world_size == 1:
        return work()
    result, troubles = None, [None] * env.world_size
    mine = 0 if env.rank == 0 else 1 if os.environ.get("LOCAL_RANK") == "0" else 2
    for turn in range(3):
        trouble = None
        if turn == mine:
            try:
                result = work()
            except (ValueError, OSError) as error:
                trouble = str(error)
        dist.all_gather_object(troubles, trouble, group=env.patient)
        for rank, message in enumerate(troubles):
            if message is not None:
                raise ValueError(f"process {rank}: {message}" if rank else message)
    return result


def agree(facts: dict, env: DistEnv) -> None:
    """All processes must have the same `facts`, name -> what can be pickled and compared.

    ValueError, in all of them: two machines that do not see one folder would train from a mixture.
    """
    theirs = [None] * env.world_size
    dist.all_gather_object(theirs, facts, group=env.patient)
    for rank, other in enumerate(theirs):
        for name, value in theirs[0].items():
            if other[name] != value:
                raise ValueError(
                    f"processes 0 and {rank} do not have the same {name} ({value} and {other[name]}): all machines must"
                    " see the same --out folder, the same corpus and the same code"
                )


def parallelize(model: nn.Module, env: DistEnv, how: str, dtype: torch.dtype = torch.float32) -> nn.Module:
    """The model over all processes: `how` is "ddp", "fsdp" or "hsdp". One process has the model as it is.

    DDP keeps gradients where it exchanges them, in one copy. FSDP gathers parameters as `dtype`, which halves what goes
    over the network for bfloat16, and adds up gradients in float32. HSDP gathers within a machine alone, from the
    processes that its torchrun has started; between machines go the summed parts of the gradient, once.
    """
    if env.world_size == 1:
        return model
    if how == "ddp":
        return DistributedDataParallel(model, gradient_as_bucket_view=True)
    sizes = {"processes": env.world_size}
    if how == "hsdp":  # the first dimension has the same parts, the second is cut
        sizes = {"machines": (machines := machines_of(env)), "processes": env.world_size // machines}
    mesh = init_device_mesh(env.device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
    options = {"mesh": mesh}
    if dtype != torch.float32:
        options["mp_policy"] = MixedPrecisionPolicy(dtype, torch.float32)
    for part in (*model.blocks, model):
        fully_shard(part, **options)
    return model


def machines_of(env: DistEnv) -> int:
    """How many machines there are, each with as many processes. ValueError: they do not have as many."""
    here = int(os.environ["LOCAL_WORLD_SIZE"])
    counts = [None] * env.world_size
    dist.all_gather_object(counts, here, group=env.patient)
    if set(counts) != {here}:
        counted = sorted(set(counts))
        raise ValueError(
            f"parallel = 'hsdp': wants as many processes on every machine, got {counted}: give fsdp or ddp"
        )
    return env.world_size // here


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
    return flag if env.world_size == 1 else bool(mean(torch.tensor(float(flag), device=env.device), env) > 0)


def state_dict(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[dict, dict]:
    """Weights, and optimizer state as "parameter/name"; of a sharded model this process's parts. All ranks must ask.

    They are the tensors themselves.
    """
    weights = states.get_model_state_dict(model)
    state = states.get_optimizer_state_dict(model, optimizer).get("state", {})
    return weights, {f"{name}/{key}": t for name, own in state.items() for key, t in own.items()}


def load_full_state_dict(model: nn.Module, optimizer: torch.optim.Optimizer, weights: dict, state: dict) -> None:
    """What `state_dict` gave, whole, put back, each process taking its part; all of them have read all of it."""
    nested = {}
    for name, t in state.items():
        parameter, key = name.split("/")
        nested.setdefault(parameter, {})[key] = t
    groups = states.get_optimizer_state_dict(model, optimizer)["param_groups"]
    states.set_optimizer_state_dict(model, optimizer, {"state": nested, "param_groups": groups}, options=WHOLE)
    # last: to begin the state, torch took a step with learning rate 0, which for a capturable AdamW is 0/0
    states.set_model_state_dict(model, weights, options=WHOLE)
