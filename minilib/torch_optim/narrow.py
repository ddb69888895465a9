"""State in fewer bits: bfloat16, or one byte a number with a scale for each block of 256.

A step is still taken in float32: a bucket's state is widened before its phases and written back after them, so only the
bucket at work is wide (of sharded parameters, all). What is written back is rounded at random: an average whose change
in one step is less than the distance of two codes then moves in the mean, where rounding to nearest would hold it still.

A byte holds a code c, of squares 0 ... 255, else -127 ... 127, for the number s c |c|³ / top⁴: equal steps in the fourth
root. The scale s is the largest number of its block. Blocks and codes that are dense near zero are Dettmers et al. (2022), roots before
codes FlashOptim (Gonzalez Ortiz et al. 2026). Equal steps of the number itself would not do: beside a large v a small
one is rounded to 0, and m / (√v + ε) to thousands of learning rates. Here only 0 has the code 0 of squares, so that
rounding lengthens no step to more than four times. Absent on purpose: codes of sharded parameters, nearest rounding.
"""

import functools

import torch

from minilib.torch_optim.compiler import Compiled
from minilib.torch_optim.phases import random_bits, round_stochastically
from minilib.torch_optim.sharding import local, zeros

BLOCK, LEAST = 256, 4096  # numbers with one scale; what has fewer stays as it is (both as in bitsandbytes)
CHUNK = 256  # blocks that an eager CPU rounds at once: the temporaries stay in its cache
SQUARES = "exp_avg_sq", "variance", "res"  # never negative


def narrow_zeros(p, name: str, dtype) -> dict:
    """State of the shape of `p` that is kept in `dtype`. ValueError: bytes for a sharded parameter."""
    if dtype is torch.bfloat16:
        return {name: zeros(p, tuple(p.shape), dtype)}
    if local(p) is not p:
        raise ValueError("state_dtype of a sharded parameter must be None or torch.bfloat16, got torch.uint8")
    codes = torch.zeros_like(p, dtype=torch.uint8 if name in SQUARES else torch.int8)
    return {name: codes, f"{name}_scale": torch.zeros(-(-p.numel() // BLOCK), 1, device=p.device)}


def widened(s: dict, name: str) -> torch.Tensor:
    """The state of this name in the type of the arithmetic, which is that of the step number."""
    t = local(s[name])
    if f"{name}_scale" in s:
        shares = blocks(t).float().div_(torch.iinfo(t.dtype).max)
        t = spread(shares).mul_(s[f"{name}_scale"]).view(-1)[: t.numel()].view(t.shape)
    return t.to(s["step"].dtype)


def write(s: dict, name: str, value: torch.Tensor, compiles: bool) -> None:
    """Put numbers into narrow state, rounded up or down with the probability that keeps their mean."""
    t, x, step = local(s[name]), blocks(value.float()), s["step"]
    scale = s.get(f"{name}_scale", x[:, :1])
    if t.dtype is not torch.bfloat16:
        scale.copy_(x.abs().amax(1, keepdim=True).clamp(min=torch.finfo(x.dtype).tiny))
    if compiles:
        out = compiled(t.dtype).variant([x, scale, step])(x, scale, step)
    else:
        n = CHUNK if x.device.type == "cpu" and not torch.compiler.is_compiling() else max(1, len(x))
        out = [rounded(x[k : k + n], scale[k : k + n], step, t.dtype) for k in range(0, len(x), n)]
    t.copy_(torch.cat(list(out)).view(-1)[: t.numel()].view(t.shape))


def blocks(t):
    """The numbers of `t` in rows of 256, the last one filled up with zeros."""
    t = t.reshape(-1)
    return torch.nn.functional.pad(t, (0, -t.numel() % BLOCK)).view(-1, BLOCK)


def spread(c):
    """The number of a code, both as shares of the largest: c |c|³."""
    return c * (c * c) * c.abs()


@functools.cache
def compiled(dtype):
    """`rounded`, compiled."""
    return Compiled(lambda x, scale, seed: (rounded(x, scale, seed, dtype),))


def rounded(x, scale, seed, dtype):
    """Numbers in bfloat16, or their codes."""
    if dtype is torch.bfloat16:
        return round_stochastically(x, seed).to(dtype)
    top, u = torch.iinfo(dtype).max, x.abs() / scale
    c = u.sqrt().sqrt().mul(top).floor()
    low, high = spread(c / top), spread((c + 1) / top)
    # 14 bits: numbers that are read and written again, where a step is skipped, stay the same though the last bit errs
    c = c + (u - low > (high - low) * (((random_bits(x, seed) >> 2) + 0.5) / 2**14))
    if dtype is torch.uint8:
        c = torch.maximum(c, x.sign())
    return (c * x.sign()).to(dtype)
