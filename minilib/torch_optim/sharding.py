"""Sharded parameters: which dimensions are cut over which processes, and sums over all of them.

A DTensor is cut into local tensors along the dimensions of a mesh of processes. The kernels work on local tensors; what
they sum over a dimension that is cut is a partial sum. `all_reduce` completes the partial sums of all parameters at
once: one call for each mesh dimension, whatever the number of parameters.
"""

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, Shard


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


def cuts(p: torch.Tensor) -> tuple:
    """((process group, dimension of the tensor that it cuts), ...), outermost first; empty when nothing is cut."""
    if not isinstance(p, DTensor):
        return ()
    for placement in p.placements:
        if not isinstance(placement, (Shard, Replicate)):
            raise ValueError(f"a parameter may be sharded or replicated, got the placement {placement}")
    return tuple(
        (p.device_mesh.get_group(k), placement.dim)
        for k, placement in enumerate(p.placements)
        if isinstance(placement, Shard)
    )


def zeros(p: torch.Tensor, shape: tuple, dtype: torch.dtype) -> torch.Tensor:
    """Zeros of a shape that agrees with `p` or has 1 in some of its dimensions, sharded like `p` where it agrees."""
    if shape == tuple(p.shape):
        return torch.zeros_like(p, dtype=dtype)
    if not isinstance(p, DTensor):
        return torch.zeros(shape, dtype=dtype, device=p.device)
    here = local(p)
    own = tuple(1 if size == 1 else length for size, length in zip(shape, here.shape, strict=True))
    own = torch.zeros(own, dtype=dtype, device=here.device)
    placements = [Replicate() if isinstance(q, Shard) and shape[q.dim] == 1 else q for q in p.placements]
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(own, p.device_mesh, placements, run_check=False, shape=torch.Size(shape), stride=stride)


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
