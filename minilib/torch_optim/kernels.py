"""What the kernels of all methods share: reading a gradient, moving averages, writing a parameter."""

import torch

from minilib.torch_optim.many import Many, where

BLOCK = 32  # rows


def column_sums(t, dim):
    """The sum over dimension `dim`, keeping it. Compiled code gets it in blocks of rows that stay in the cache."""
    blocked = torch.compiler.is_compiling() and not isinstance(t, Many) and (t.ndim, dim) == (2, 0)
    if not blocked or t.shape[0] < BLOCK:
        return t.sum(dim, keepdim=True)
    whole = t.shape[0] // BLOCK
    blocks = t[: whole * BLOCK].view(whole, BLOCK, t.shape[1])
    return blocks.sum(1).sum(0, keepdim=True) + t[whole * BLOCK :].sum(0, keepdim=True)


def squared(x):
    """‖x‖². Row by row: one long sum in float32 would need a slower summation to be exact enough."""
    return (x * x).sum(-1).sum()


def finite(g, dtype):
    """A number that is finite only if the square of every entry of g is. Not compiled: torch's own norm is faster."""
    if isinstance(g, Many):
        return Many(finite(t, dtype) for t in g.list)
    return torch.linalg.vector_norm(g, dim=tuple(range(1, g.ndim)) or None, dtype=dtype).sum()


def read(g, dtype, scale, ok):
    """The gradient in the data type of the statistics, scaled, and zero where the step is skipped."""
    g = g.to(dtype)
    if scale is not None:
        g = g * scale
    return g if ok is None else where(_like(g, ok > 0), g, 0.0)


def divisor(v, ok):
    """A second moment to divide by: 1 where the step is skipped, since before a parameter's first step it is zero."""
    return v if ok is None else where(_like(v, ok > 0), v, 1.0)


def _like(g, flag):
    return Many([flag] * len(g)) if isinstance(g, Many) else flag


def write(x, step, seed):
    """x <- x - step. A 16-bit x is computed in float32 and rounded to nearest, or by `seed` at random."""
    if x.dtype == step.dtype:
        x.sub_(step)
    else:
        value = x.to(step.dtype) - step
        x.copy_(value if seed is None else stochastically(value, seed))


def stochastically(value, seed):
    """float32 cut to the 16 bits of bfloat16, up or down with the probability that keeps its mean.

    The random bits are a hash of the value's own bits and of the seed: no state, the same on every replica.
    """
    if isinstance(value, Many):
        seeds = seed.list if isinstance(seed, Many) else [seed] * len(value)
        return Many(stochastically(t, own) for t, own in zip(value.list, seeds, strict=True))
    seed = seed.to(torch.int64) if isinstance(seed, torch.Tensor) else int(seed)
    bits = value.view(torch.int32)
    h = (bits.to(torch.int64) + (seed + 1) * 0x9E3779B1) & 0xFFFFFFFF
    for factor, shift in ((0x7FEB352D, 15), (0x846CA68B, 13)):
        h = ((h ^ (h >> shift)) * factor) & 0xFFFFFFFF
    return ((bits + (h >> 16).to(torch.int32)) & -65536).view(torch.float32)
