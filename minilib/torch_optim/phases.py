"""How a method runs: one phase after the other over all parameters, and between two of them the sums are completed.

A method is a tuple of *phases*, plain functions of tensors. `phase(x, g, s, sums, n)` goes over a whole parameter,
reads and writes tensors entry by entry, and returns the sums that it took, as `sum_of_squares` and `dim_sum` make them.
The next phase gets these complete: added up over all chunks, and over all processes that hold a part of the parameter.
A phase marked `on_sums` is `phase(s, sums, n)`: it works on small tensors alone, and may hand on what needs no
completion. The last phase returns what is subtracted from x, a tensor or `times`.

    x: parameters of one shape, `(k, *shape)`; k is 1 for a large one. g: their gradients.
    s: their state, name -> tensor. n: the numbers of the step, see `Optimizer.numbers`.

Eager, a phase runs chunk by chunk, so that its temporaries are small and stay in the cache. Compiled, it is one call.
"""

import functools
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch._subclasses.fake_tensor import FakeTensor

from minilib.torch_optim.compiler import Compiled

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
    h = (value.view(torch.int32).to(torch.int64) + (seed + 1) * 0x9E3779B1) & 0xFFFFFFFF
    for factor, shift in ((0x7FEB352D, 15), (0x846CA68B, 13)):
        h = ((h ^ (h >> shift)) * factor) & 0xFFFFFFFF
    return (h >> 16).to(torch.int32)


# How they run


def calls_of(phases):
    """The phases, each on sums together with the phase that follows: one compiled call."""
    calls, call = [], ()
    for phase in phases:
        call += (phase,)
        if not hasattr(phase, "on_sums"):
            calls.append(call)
            call = ()
    return calls


def run(bucket, phases):
    """Some phases of a bucket, in one compiled call or one after the other."""
    if bucket.packed:
        _call(bucket, phases)
        return
    for phase in phases:
        values = values_of(bucket.sums)
        if hasattr(phase, "on_sums"):
            out = phase(bucket.s, values, bucket.n)
            if bucket.x.shape[0] == 1 and bucket.n["step_mask"] is None:  # then it may be a number
                out = tuple(v.item() if isinstance(v, torch.Tensor) and v.numel() == 1 else v for v in out)
        else:
            out = _sweep(phase, bucket, values)
        bucket.sums = out


def values_of(sums):
    """Sums without their dimensions; what is no sum has none."""
    return tuple(value[0] if isinstance(value, tuple) else value for value in sums)


def _sweep(phase, bucket, sums):
    """Chunk by chunk along the first dimension that can be cut: sums are added up, or joined where each has its own."""
    x, n = bucket.x, bucket.n
    dim = next((d for d in range(1, x.ndim) if x.shape[d] > 1), 1)
    count = max(1, bucket.chunk * x.shape[dim] // max(1, x.numel()))
    if torch.compiler.is_compiling() or count >= x.shape[dim]:
        # Sharded parameters wait for each other between two phases: nothing is kept for all of them.
        return apply(phase, x, bucket.g, dict(bucket.s) if bucket.shards else bucket.s, sums, n)
    parts = []
    for first in range(0, x.shape[dim], count):
        cut = functools.partial(_cut, size=x.shape[dim], dim=dim, first=first, count=count)
        state = {name: cut(t) for name, t in bucket.s.items()}
        parts.append(apply(phase, cut(x), cut(bucket.g), state, tuple(map(cut, sums)), n))
    joined = []
    for of_chunks in zip(*parts, strict=True):
        values, over = [value for value, _ in of_chunks], of_chunks[0][1]
        added = over is ALL or over % x.ndim == dim
        joined.append((functools.reduce(torch.add, values) if added else torch.cat(values, dim), over))
    return tuple(joined)


def _cut(t, size, dim, first, count):
    """This chunk of `t`, or all of it where it has no entries of its own along this dimension."""
    own = isinstance(t, torch.Tensor) and t.shape[dim] == size
    return t.narrow(dim, first, min(count, size - first)) if own else t


def apply(phase, x, g, s, sums, n):
    """One call of a phase; what the last one returns is subtracted."""
    dtype = statistics_dtype(x.dtype)
    wide, g = x.to(dtype), g.to(dtype)
    if n["clip"] is not None:
        g = g * n["clip"]
    if n["step_mask"] is not None:
        g = torch.where(n["step_mask"] > 0, g, 0.0)
    out = phase(wide, g, s, sums, n)
    t, factor = out if isinstance(out, Times) else (out, 1)
    if isinstance(t, tuple):
        return t
    if x.dtype == dtype:
        x.sub_(t, alpha=factor)
    else:
        new = torch.sub(wide, t, alpha=factor)
        x.copy_(new if n["seed"] is None else round_stochastically(new, n["seed"]))
    return ()


def _call(bucket, phases):
    """Some phases of a compiled bucket."""
    names, *numbers = bucket.packed
    sums = values_of(bucket.sums)
    tensors = [bucket.x, bucket.g, *bucket.s.values(), *sums, *numbers]
    known = phases, len(bucket.s)
    if known not in bucket.calls:
        static = tuple(bucket.n.items())
        program, told = compiled(phases, tuple(bucket.s), len(sums), names, static, bucket.x.ndim == 2)
        bucket.calls[known] = program.variant(tensors), told
    call, told = bucket.calls[known]
    out = call(*tensors)
    over, new = told["over"], told["new"]
    bucket.sums = tuple((t, o[0]) if o else t for t, o in zip(out, over, strict=False))
    bucket.s |= zip(new, out[len(over) :], strict=False)


@functools.cache
def compiled(phases: tuple, state: tuple, sums: int, names: tuple, static: tuple, vectors: bool):
    """These phases as one compiled function of tensors, and what is told of its results when it is traced.

    The tensors are x, g, the state, the sums, and two with the numbers: those of the size, and (1 or k, numbers) of the
    step. It returns the new sums, what phases have added to the state, and what is only stored.
    """
    told = {}

    def call(x, g, *rest):
        s, rest = dict(zip(state, rest, strict=False)), rest[len(state) :]
        values, (of_size, of_step) = rest[:sums], rest[sums:]
        tensors = [*of_size.unbind(), *(t.view(-1, *(1,) * (x.ndim - 1)) for t in of_step.unbind(1))]
        n = dict(static) | dict(zip(names, tensors, strict=True))
        stored = []
        for phase in phases:
            small = hasattr(phase, "on_sums")
            out = phase(s, values, n) if small else apply(phase, x, g, s, values, n)
            values = values_of(out)
            # What is returned is stored. Else a processor takes the roots and quotients of `on_sums` anew for every
            # entry of x, and CAME's last phase takes about twice as long; on a GPU a store would be one more kernel.
            if small and x.device.type == "cpu":
                stored.extend(values)
        new = [name for name in s if name not in state]
        told.update(over=[value[1:] if isinstance(value, tuple) else () for value in out], new=new)
        return *values, *(s[name] for name in new), *stored

    # The name is that of the kernel; PyTorch's cache on disk does not ask for the width of the registers.
    call.__name__ = "_".join(phase.__name__ for phase in phases)
    # Of vectors, what is written is written at once, not computed again for the sums. Of matrices, whose rows and
    # columns are summed in loops of their own, nothing is stored but what the phases say.
    options = {"realize_opcount_threshold": 1 if vectors else 1000, "realize_reads_threshold": 4 if vectors else 1000}
    options["cpp.simdlen"] = {"AVX512": 512, "AVX2": 256}.get(torch.backends.cpu.get_cpu_capability())
    return Compiled(call, **options), told
