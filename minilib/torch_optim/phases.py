"""How a method runs: one phase after the other over all parameters, and between two of them the sums are completed.

A method is a tuple of *phases*, plain functions of tensors. `phase(x, g, s, sums, n)` goes over a whole parameter,
reads and writes tensors entry by entry, and returns the sums that it took, as `sum_of_squares` and `dim_sum` make them.
The next phase gets these complete: added up over all chunks, and over all processes that hold a part of the parameter.
A phase marked `on_sums` is `phase(s, sums, n)`: it works on small tensors alone, and may hand on what needs no
completion. The last phase returns what is subtracted from x, a tensor or `times`.

    x: parameters of one shape, `(k, *shape)`; k is 1 for a large one. g: their gradients.
    s: their state, name -> tensor. n: the numbers of the step, see `Optimizer.numbers`.

`execute` runs them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

ALL, ROWS, COLUMNS = None, -1, -2  # what is summed over: all entries of a parameter, those of each row, of each column
BLOCK = 32  # rows


@dataclass(frozen=True)
class Sizes:
    """In entries: how a device is kept busy without large temporaries."""

    small: int = 2**14  # parameters with fewer are put into a stack with others of their shape
    stack: int = 2**18  # what a stack may have
    chunk: int = 2**19  # what an eager phase takes at once
    call: int = 2**15  # what has fewer is not compiled: a call costs more than the work
    stacks: bool = False  # are stacks compiled? On a CPU that gains nothing, and it doubles what there is to compile
    compile: int = 2**22  # from so many in all on, `compile=None` compiles


CPU = Sizes()
# A kernel of a GPU is started in microseconds, whatever its size: larger stacks, so that there are fewer.
GPU = Sizes(small=2**20, stack=2**21, chunk=2**24, call=0, stacks=True, compile=0)


@dataclass
class Bucket:
    """Parameters of one shape that step together."""

    phases: tuple  # of their method
    x: torch.Tensor  # this and the next two as above; of a sharded parameter, the part that this process holds
    g: torch.Tensor
    s: dict
    n: dict  # the numbers of the step; where the bucket is compiled those that are the same in all steps
    packed: tuple | None  # where it is compiled, all others: their names, and tensors that have them
    calls: dict  # what was compiled for buckets like this one
    shards: tuple  # see `sharding.shards`, in dimensions of `x`
    chunk: int  # what an eager phase takes at once
    back: list  # functions that write what is stacked, or wider than it is kept, back to where it belongs
    sums: tuple = ()  # what the last phase returned, complete


def statistics_dtype(dtype: torch.dtype) -> torch.dtype:
    """The data type of the statistics of a parameter, and of the arithmetic."""
    return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype


# What phases are made of


class Times(NamedTuple):
    """t · factor, of which the product need not be stored."""

    t: torch.Tensor
    factor: float


def times(t, factor):
    """t · factor, as the last phase returns it."""
    return t * factor if isinstance(factor, torch.Tensor) else Times(t, factor)


def compiling(t) -> bool:
    """Is this phase being compiled?"""
    return torch.compiler.is_compiling() or isinstance(t, FakeTensor)


def keep(s, u) -> None:
    """Hand the direction to the next phase, which can make it anew, where it is there at once and in the cache."""
    if not compiling(u):
        s["u"] = u


def ema_(average, value, weight):
    """A moving average, in place: average ← (1 − weight) average + weight value."""
    if compiling(average):  # the compiler makes two branches of `lerp_`
        average.add_((value - average) * weight)
    else:
        average.lerp_(value, weight)


def plus(t, x, factor):
    """t + factor x, in one sweep where `factor` is a number, in none where it is 0."""
    if isinstance(factor, torch.Tensor):
        return t + x * factor
    return torch.add(t, x, alpha=factor) if factor else t


def add_scaled(t, x, factor):
    """The same, written into t."""
    if isinstance(factor, torch.Tensor):
        return t.add_(x * factor)
    return t.add_(x, alpha=factor) if factor else t


def sum_of_squares(t):
    """‖t‖² of each parameter, a sum over all its entries."""
    # Row by row: torch's norm of 67 million equal float32 numbers is wrong by 3 %. Compiled code does not store t².
    squares = (t * t).sum(-1, keepdim=True) if compiling(t) else torch.linalg.vector_norm(t, dim=-1, keepdim=True) ** 2
    return squares.sum(tuple(range(1, t.ndim)), keepdim=True), ALL


def dim_sum(t, dim):
    """The sums of rows (dim -1) or of columns (-2). Compiled code gets columns in blocks that stay in the cache."""
    whole = t.shape[-2] // BLOCK
    if dim == COLUMNS and compiling(t) and t.device.type == "cpu" and whole:
        blocks = t[..., : whole * BLOCK, :].unflatten(-2, (whole, BLOCK))
        rest = t[..., whole * BLOCK :, :].sum(-2, keepdim=True)
        return blocks.sum(-2).sum(-2, keepdim=True) + rest, dim
    return t.sum(dim, keepdim=True), dim


def on_sums(phase):
    """Marks a phase that works on sums alone."""
    phase.on_sums = True
    return phase


def round_stochastically(value: torch.Tensor, seed) -> torch.Tensor:
    """float32 cut to the 16 bits of bfloat16, up or down with the probability that keeps its mean; still float32."""
    return ((value.view(torch.int32) + random_bits(value, seed)) & -65536).view(torch.float32)


def random_bits(value: torch.Tensor, seed) -> torch.Tensor:
    """16 bits for each float32: a hash of its own bits and of `seed`, which broadcasts; the same on every replica."""
    seed = seed.to(torch.int64) if isinstance(seed, torch.Tensor) else int(seed)
    start = signed((seed + 1) * 0x9E3779B1)
    h = value.view(torch.int32) + (start.to(torch.int32) if isinstance(start, torch.Tensor) else start)
    # In 32 bits, which wrap around: a processor takes several times as long for products of 64.
    for factor, shift in ((0x7FEB352D, 15), (0x846CA68B, 13)):
        h = (h ^ shifted(h, shift)) * signed(factor)
    return shifted(h, 16)


def signed(number):
    """The 32-bit integer with sign that has the last 32 bits of `number`."""
    return (number + 2**31) % 2**32 - 2**31


def shifted(h, count):
    """h >> count, of 32 bits without a sign."""
    return (h >> count) & (2 ** (32 - count) - 1)
