"""Sharded parameters: which dimensions are cut over which processes, and sums over all of them.

A DTensor is cut into local tensors along the dimensions of a mesh of processes. The phases work on local tensors; what
they sum over a dimension that is cut is a partial sum. So sharded parameters step together (`execute`): a phase
over all of them, then one message for each mesh dimension that completes their sums, whatever their number. Absent on
purpose: sums over processes that hold different parameters, as the stages of a pipeline do; their joint norm is that of
each stage.
"""

import torch
import torch.distributed as dist
from torch.distributed import tensor
from torch.distributed.tensor import DTensor, Replicate


def local(t: torch.Tensor) -> torch.Tensor:
    """The part of `t` that this process holds, sharing its memory; `t` itself when it is not sharded."""
    return t.to_local() if isinstance(t, DTensor) else t


def local_gradient(p: torch.Tensor) -> torch.Tensor:
    """The gradient of `p`, laid out like `p`."""
    g = p.grad
    if isinstance(p, DTensor):
        if not isinstance(g, DTensor):
            raise ValueError("the gradient of a DTensor parameter must be a DTensor")
        if g.placements != p.placements:
            g = g.redistribute(p.device_mesh, p.placements)
    return local(g)


def shards(p: torch.Tensor) -> tuple:
    """((process group, dimension of the tensor that it cuts), ...), outermost first; empty when nothing is cut."""
    if not isinstance(p, DTensor):
        return ()
    dims = [_shard_dim(placement) for placement in p.placements]
    return tuple((p.device_mesh.get_group(k), dim) for k, dim in enumerate(dims) if dim is not None)


def _shard_dim(placement):
    """The dimension that a placement cuts, or None. Shard has one, and the strided Shard of FSDP on top of TP."""
    dim = getattr(placement, "dim", None)
    if dim is None and not placement.is_replicate():
        raise ValueError(f"a parameter may be sharded or replicated, got the placement {placement}")
    return dim


def zeros(p: torch.Tensor, shape: tuple, dtype: torch.dtype) -> torch.Tensor:
    """Zeros of a shape that agrees with `p` or has 1 in some of its dimensions, sharded like `p` where it agrees."""
    if shape == tuple(p.shape):
        return torch.zeros_like(p, dtype=dtype)
    if not isinstance(p, DTensor):
        return torch.zeros(shape, dtype=dtype, device=p.device)
    pairs = [(placement, _shard_dim(placement)) for placement in p.placements]
    placements = [q if dim is None or shape[dim] == p.shape[dim] else Replicate() for q, dim in pairs]
    return tensor.zeros(shape, dtype=dtype, device_mesh=p.device_mesh, placements=placements)


def all_reduce(partial: list) -> None:
    """Complete partial sums in place; `partial` is a list of (tensor, process groups over which it is partial)."""
    groups = list(dict.fromkeys(group for _, over in partial for group in over))
    for group in groups:
        for dtype in list(dict.fromkeys(t.dtype for t, over in partial if group in over)):
            ours = [t for t, over in partial if group in over and t.dtype == dtype]
            flat = torch.cat([t.reshape(-1) for t in ours])
            dist.all_reduce(flat, group=group)
            for t, total in zip(ours, flat.split([t.numel() for t in ours]), strict=True):
                t.copy_(total.view(t.shape))
