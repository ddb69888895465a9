"""How a step runs: the phases of buckets, one after the other, and between two of them the sums are completed.

Eager, a phase runs chunk by chunk, so that its temporaries are small and stay in the cache. Compiled, it is one call.
"""

import functools
from itertools import zip_longest

import torch

from minilib.torch_optim.compiler import Compiled
from minilib.torch_optim.phases import ALL, Times, round_stochastically, statistics_dtype
from minilib.torch_optim.sharding import all_reduce


def run_together(buckets: list) -> None:
    """All phases of buckets, in step; those of one that is not sharded in as few calls as can be."""
    calls = [[(phase,) for phase in b.phases] if b.shards else calls_of(b.phases) for b in buckets]
    for together in zip_longest(*calls):
        at_work = [pair for pair in zip(buckets, together, strict=True) if pair[1]]
        for bucket, phases in at_work:
            run(bucket, phases)
        sums = [(b, *pair) for b, _ in at_work for pair in b.sums if isinstance(pair, tuple)]
        over = [[group for group, dim in b.shards if d is None or dim == d % b.x.ndim] for b, _, d in sums]
        all_reduce([(value, groups) for (_, value, _), groups in zip(sums, over, strict=True)])
    for bucket in buckets:
        for write in bucket.back:
            write()


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
