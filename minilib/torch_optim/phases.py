"""How a method runs: one phase after the other over all parameters, and between two of them the sums are completed.

A method is a tuple of *phases*, plain functions of tensors. `phase(x, g, s, sums, n)` goes over a whole parameter,
reads and writes tensors entry by entry, and returns the sums that it took, as `squared` and `along` make them. The next
phase gets these complete: added up over all pieces, and over all processes that hold a part of the parameter. A phase
marked `between` is `phase(s, sums, n)`: it works on small tensors alone, and may hand on what needs no completion. The
last phase returns what is subtracted from x.

    x: parameters of one shape, `(k, *shape)`; k is 1 for a large one. g: their gradients.
    s: their state, name -> tensor. n: the numbers of the step, see `Optimizer.numbers`.

Eager, a phase runs piece by piece, so that its temporaries are small and stay in the cache. Compiled, it is one call.
"""

import functools
import types
from dataclasses import dataclass

import torch

from minilib.torch_optim.rounding import round_stochastically

ALL, ROWS, COLUMNS = None, -1, -2  # what is summed over: all entries of a parameter, those of each row, of each column
BLOCK = 32  # rows


@dataclass(frozen=True)
class Sizes:
    """In entries: how a device is kept busy without large temporaries.

    Attributes:
        small: parameters with fewer are put into a stack with others of their shape.
        stack: what a stack may have.
        piece: what an eager phase takes at once.
        call: what has fewer is not compiled: a call costs more than the work.
        compile: from so many in all on, `compile=None` compiles.
    """

    small: int = 2**14
    stack: int = 2**18
    piece: int = 2**19
    call: int = 2**12
    compile: int = 2**22


CPU = Sizes()
# A kernel of a GPU is started in microseconds, whatever its size: larger stacks, so that there are fewer.
GPU = Sizes(small=2**20, stack=2**21, piece=2**24, call=0, compile=0)


@dataclass
class Bucket:
    """Parameters of one shape that step together.

    Attributes:
        phases: of their method.
        x, g, s: see above; of a sharded parameter, the part that this process holds.
        n: the numbers of the step.
        shards: see `sharding.shards`, in dimensions of `x`.
        compiled: is it? If not, piece: what a phase takes at once.
        written: pairs of (tensor, its part of a stack), which is copied back in the end.
        sums: what the last phase returned, complete.
    """

    phases: tuple
    x: torch.Tensor
    g: torch.Tensor
    s: dict
    n: dict
    shards: tuple
    compiled: bool
    piece: int
    written: list
    sums: tuple = ()

    def put_back(self) -> None:
        """Copy what was written in a stack to where it belongs."""
        if self.written:
            torch._foreach_copy_(*map(list, zip(*self.written, strict=True)))


def follow(average, value, weight):
    """A moving average, in place: average ← (1 − weight) average + weight value."""
    if torch.compiler.is_compiling():  # which makes two branches of `lerp_`
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


def squared(t):
    """‖t‖² of each parameter, a sum over all its entries."""
    # Row by row: torch's norm of 67 million equal float32 numbers is wrong by 3 %. Compiled code does not store t².
    compiled = torch.compiler.is_compiling()
    rows = (t * t).sum(-1, keepdim=True) if compiled else torch.linalg.vector_norm(t, dim=-1, keepdim=True).square()
    return rows.sum(tuple(range(1, t.ndim)), keepdim=True), ALL


def along(t, dim):
    """The sums of rows (dim -1) or of columns (-2). Compiled code gets columns in blocks that stay in the cache."""
    whole = t.shape[-2] // BLOCK
    if dim == COLUMNS and torch.compiler.is_compiling() and t.device.type == "cpu" and whole:
        blocks = t[..., : whole * BLOCK, :].unflatten(-2, (whole, BLOCK))
        rest = t[..., whole * BLOCK :, :].sum(-2, keepdim=True)
        return blocks.sum(-2).sum(-2, keepdim=True) + rest, dim
    return t.sum(dim, keepdim=True), dim


def between(phase):
    """Marks a phase that works on sums alone."""
    phase.between = True
    return phase


def run_phases(bucket: Bucket) -> None:
    """All phases of a bucket that is on this process alone."""
    for phases in calls_of(bucket.phases):
        run(bucket, phases)
    bucket.put_back()


def calls_of(phases):
    """The phases, each `between` together with the phase that follows: one compiled call."""
    calls, call = [], ()
    for phase in phases:
        call += (phase,)
        if not hasattr(phase, "between"):
            calls.append(call)
            call = ()
    return calls


def run(bucket, phases):
    """Some phases of a bucket, in one compiled call or one after the other."""
    if bucket.compiled:
        call = compiled(phases, bucket.x.ndim == 2)
        out, _ = call(bucket.x, bucket.g, bucket.s, values_of(bucket.sums), bucket.n)
    else:
        out = bucket.sums
        for phase in phases:
            values = values_of(out)
            between = hasattr(phase, "between")
            out = phase(bucket.s, values, bucket.n) if between else _sweep(phase, bucket, values)
    bucket.sums = out


def values_of(sums):
    """Sums without their dimensions; what is no sum has none."""
    return tuple(value[0] if isinstance(value, tuple) else value for value in sums)


def _sweep(phase, bucket, sums):
    """Piece by piece along the first dimension that can be cut: sums are added up, or joined where each has its own."""
    x, n = bucket.x, bucket.n
    dim = next((d for d in range(1, x.ndim) if x.shape[d] > 1), 1)
    count = max(1, bucket.piece * x.shape[dim] // max(1, x.numel()))
    if torch.compiler.is_compiling() or count >= x.shape[dim]:
        return apply(phase, x, bucket.g, bucket.s, sums, n)
    parts = []
    for first in range(0, x.shape[dim], count):
        cut = functools.partial(_cut, size=x.shape[dim], dim=dim, first=first, count=count)
        state = {name: cut(t) for name, t in bucket.s.items()}
        parts.append(apply(phase, cut(x), cut(bucket.g), state, tuple(map(cut, sums)), n))
    joined = []
    for (_, over), *_ in zip(*parts, strict=True):
        values = [part[len(joined)][0] for part in parts]
        added = over is ALL or over % x.ndim == dim
        joined.append((sum(values[1:], values[0]) if added else torch.cat(values, dim), over))
    return tuple(joined)


def _cut(t, size, dim, first, count):
    """This piece of `t`, or all of it where it has no entries of its own along this dimension."""
    return t.narrow(dim, first, min(count, size - first)) if t.shape[dim] == size else t


def apply(phase, x, g, s, sums, n):
    """One call of a phase; what the last one returns is subtracted."""
    dtype = next(iter(s.values())).dtype
    wide, g = x.to(dtype), g.to(dtype)
    if n["clip"] is not None:
        g = g * n["clip"]
    if n["step_mask"] is not None:
        g = torch.where(n["step_mask"] > 0, g, 0.0)
    out = phase(wide, g, s, sums, n)
    if isinstance(out, tuple):
        return out
    if x.dtype == dtype:
        x.sub_(out)
    else:
        x.copy_(wide - out if n["seed"] is None else round_stochastically(wide - out, n["seed"]))
    return ()


@functools.cache
def compiled(phases: tuple, vectors: bool):
    """These phases as one compiled function, `(x, g, s, sums, n) -> (sums, what is only stored)`."""

    def call(x, g, s, sums, n):
        stored = []
        for phase in phases:
            between = hasattr(phase, "between")
            out = phase(s, sums, n) if between else apply(phase, x, g, s, sums, n)
            sums = values_of(out)
            # What is returned is stored. Else a processor takes the roots and quotients of `between` anew for every
            # entry of x, and CAME's last phase takes about twice as long; on a GPU a store would be one more kernel.
            if between and x.device.type == "cpu":
                stored.append(sums)
        return out, stored

    # The compiler keeps what it made by code object: every function gets one of its own.
    name = "_".join(phase.__name__ for phase in phases)
    own = types.FunctionType(call.__code__.replace(co_name=name), globals(), name, None, call.__closure__)
    # Of vectors, what is written is written at once, not computed again for the sums. Of matrices, whose rows and
    # columns are summed in loops of their own, nothing is stored but what the phases say. And the width of the
    # registers is named: PyTorch's cache on disk does not ask for it.
    options = {"realize_opcount_threshold": 1 if vectors else 1000, "realize_reads_threshold": 4 if vectors else 1000}
    options["cpp.simdlen"] = {"AVX512": 512, "AVX2": 256}.get(torch.backends.cpu.get_cpu_capability())
    return torch.compile(own, fullgraph=True, dynamic=True, options=options)
