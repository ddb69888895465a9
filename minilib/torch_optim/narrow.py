"""State in fewer bits: bfloat16, or one byte a number with a scale for each block of 256.

The step itself is taken in float32: a bucket's state is widened before its phases and written back after them (that of
sharded parameters all at once), rounded at random, for an average that changes by less than the distance of two codes
would stand still if it were rounded to nearest.

A code c, 0 ... 255 for squares, else -127 ... 127, stands for c |c|³ in units of the block's largest: equal steps of
the fourth root. Blocks, and codes dense near zero, are Dettmers et al. (2022); a root before the codes is FlashOptim
(Gonzalez Ortiz et al. 2026). With equal steps of the number a small v beside a large one is read as 0, and m / (√v + ε)
is thousands of learning rates; here 0 alone is, and rounding makes no step more than four times as long.
"""

import functools

import torch
from torch.nn.functional import pad

from minilib.torch_optim.compiler import Compiled
from minilib.torch_optim.phases import random_bits, round_stochastically
from minilib.torch_optim.sharding import local, zeros

BLOCK, LEAST = 256, 4096  # numbers with one scale; what has fewer has no codes (both as in bitsandbytes)
CHUNK = 256  # blocks that an eager CPU rounds at once: the temporaries stay in its cache


def narrow_zeros(p, name: str, shape: tuple, dtype) -> dict:
    """State in `dtype`; {} where it stays wide. ValueError: codes for a sharded parameter."""
    dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    full = shape == tuple(p.shape) and not name.startswith(("row_", "col_"))  # of a column these have its shape
    if dtype is None or not full or (dtype is torch.uint8 and p.numel() < LEAST):
        return {}
    if dtype is torch.bfloat16:
        return {name: zeros(p, shape, dtype)}
    if local(p) is not p:
        raise ValueError("state_dtype of a sharded parameter must be None or torch.bfloat16, got torch.uint8")
    codes = torch.zeros_like(p, dtype=torch.uint8 if name in ("exp_avg_sq", "variance", "res") else torch.int8)
    return {name: codes, f"{name}_scale": torch.zeros(-(-p.numel() // BLOCK), 1, device=p.device)}


def blocks(t):
    """The numbers of `t` in rows of 256, the last one filled up with zeros."""
    t, left = t.reshape(-1), -t.numel() % BLOCK
    return (pad(t, (0, left)) if left else t).view(-1, BLOCK)


def spread(c):
    """c |c|³, both as shares of the largest."""
    return c * (c * c) * c.abs()


def widened(s: dict, name: str) -> torch.Tensor:
    """State in the type of the arithmetic, which is that of the step number."""
    t = local(s[name])
    if f"{name}_scale" in s:
        numbers = spread(blocks(t).float().div_(torch.iinfo(t.dtype).max)).mul_(s[f"{name}_scale"])
        t = numbers.view(-1)[: t.numel()].view(t.shape)
    return t.to(s["step"].dtype)


def write(s: dict, name: str, value: torch.Tensor, compiles: bool) -> None:
    """Put numbers into narrow state, rounded up or down with the probability that keeps their mean."""
    t, x, step = local(s[name]), blocks(value.float()), s["step"].float()  # in float64 it would not compile
    scale = s.get(f"{name}_scale", x[:, :1])
    if t.dtype is not torch.bfloat16:
        scale.copy_(x.abs().amax(1, keepdim=True).clamp(min=torch.finfo(x.dtype).tiny))
    if compiles:
        out = [COMPILED[t.dtype].variant([x, scale, step])(x, scale, step)]
    else:
        n = CHUNK if x.device.type == "cpu" and not torch.compiler.is_compiling() else max(1, len(x))
        out = [rounded(x[k : k + n], scale[k : k + n], step, t.dtype) for k in range(0, max(1, len(x)), n)]
    t.copy_((torch.cat(out) if len(out) > 1 else out[0]).view(-1)[: t.numel()].view(t.shape))


def rounded(x, scale, seed, dtype):
    """Numbers in bfloat16, or their codes."""
    if dtype is torch.bfloat16:
        return round_stochastically(x, seed).to(dtype)
    top, u = torch.iinfo(dtype).max, x.abs() / scale
    c = u.sqrt().sqrt().mul(top).floor()
    low, high = spread(c / top), spread((c + 1) / top)
    # 14 bits: numbers that are read and written again, where a step is skipped, stay the same though the last bit errs
    c = c + (u - low > (high - low) * (((random_bits(x, seed) >> 2) + 0.5) / 2**14))
    return ((torch.maximum(c, x.sign()) if dtype is torch.uint8 else c) * x.sign()).to(dtype)


COMPILED = {
    kind: Compiled(functools.partial(rounded, dtype=kind)) for kind in (torch.bfloat16, torch.int8, torch.uint8)
}
