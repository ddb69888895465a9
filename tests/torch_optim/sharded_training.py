"""Real sharded training: `fully_shard` and tensor parallelism on a small network, checkpoints between the two."""

import torch
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tests.torch_optim.sharded_cases import error, make

F64 = torch.float64
BEFORE, AFTER = 5, 5  # steps before and after a checkpoint
# Small enough that the network does not blow up rounding errors.
RATES = {"LARS": 0.5, "LARS2020": 0.01, "LAMB": 0.01, "Adafactor": 0.01, "CAME": 0.0001}


class Block(nn.Module):
    """A norm and two layers; widths that 2 and 4 do not divide."""

    def __init__(self, width, hidden, dtype):
        super().__init__()
        self.norm = nn.LayerNorm(width, dtype=dtype)
        self.up, self.down = nn.Linear(width, hidden, dtype=dtype), nn.Linear(hidden, width, dtype=dtype)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class Network(nn.Module):
    """Words to next words. The gain has fewer entries than there are processes."""

    def __init__(self, hidden=14, dtype=F64):
        super().__init__()
        torch.manual_seed(3)
        self.words = nn.Embedding(9, 10, dtype=dtype)
        self.blocks = nn.Sequential(Block(10, hidden, dtype), Block(10, hidden, dtype))
        self.head = nn.Linear(10, 9, bias=False, dtype=dtype)
        self.gain = nn.Parameter(torch.ones(1, dtype=dtype))

    def forward(self, words):
        return self.head(self.blocks(self.words(words))) * self.gain


def train(model, opt, steps):
    """The same batch on every process."""
    for t in steps:
        torch.manual_seed(t)
        words = torch.randint(9, (4, 7))
        scores = model(words[:, :-1])
        nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten()).backward()
        opt.step()
        opt.zero_grad()


def network(method, mesh, dtype=F64, sharded=True, **options):
    """A network and its optimizer; `sharded` fully, and on a grid tensor parallel over its inner dimension as well."""
    model = Network(hidden=14 if mesh is None or mesh.ndim == 1 else 16, dtype=dtype)
    if sharded:
        outer = mesh if mesh.ndim == 1 else mesh["outer"]
        for block in model.blocks:
            if mesh.ndim == 2:
                parallelize_module(block, mesh["inner"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
            fully_shard(block, mesh=outer)
        fully_shard(model, mesh=outer)
    return model, make(method, dict(model.named_parameters()), lr=RATES[method], **options)


def fully_sharded(method, mesh, dtype=F64, **options):
    """A sharded training against the same one on a single process."""
    both = [network(method, mesh, dtype, sharded, **options) for sharded in (True, False)]
    for model, opt in both:
        train(model, opt, range(BEFORE + AFTER))
    (model, _), (whole, _) = both
    expected = dict(whole.named_parameters())
    kinds = {type(q).__name__ for p in model.parameters() for q in p.placements}
    return {"difference": max(error(p, expected[n]) for n, p in model.named_parameters()), "placements": sorted(kinds)}


def save(method, mesh, folder):
    """Train, save, and go on; what the parameters are in the end is written beside the checkpoint."""
    model, opt = network(method, mesh)
    train(model, opt, range(BEFORE))
    state = {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, opt)}
    dcp.save(state, checkpoint_id=folder / method)
    train(model, opt, range(BEFORE, BEFORE + AFTER))
    end = {n: p.full_tensor() for n, p in model.named_parameters()}
    if mesh.get_rank() == 0:
        torch.save(end, folder / f"{method}.pt")
    return {}


def load(method, mesh, folder):
    """Go on from the checkpoint, on another number of processes or (mesh None) without sharding."""
    model, opt = network(method, mesh, sharded=mesh is not None)
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()
    state = {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, opt)}
    dcp.load(state, checkpoint_id=folder / method, no_dist=mesh is None)
    set_model_state_dict(model, state["model"])
    set_optimizer_state_dict(model, opt, state["optimizer"])
    train(model, opt, range(BEFORE, BEFORE + AFTER))
    end = torch.load(folder / f"{method}.pt")
    return {"difference": max(error(p, end[n]) for n, p in model.named_parameters())}
