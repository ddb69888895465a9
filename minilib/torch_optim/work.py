"""One parameter at work in a step, and the three ways in which a kernel runs over it.

A kernel is a plain function of tensors: elementwise arithmetic, in place where it says so, and the sums that it
returns. The *loop* calls it on pieces of at most `PIECE` entries, so that temporaries are small and stay in the cache.
*Foreach* calls it once, on `Many` tensors. *Fused* calls it compiled, so that a sweep reads and writes memory once.
"""

import functools
import math
import types
from collections.abc import Callable
from dataclasses import dataclass

import torch

from minilib.torch_optim.kernels import finite
from minilib.torch_optim.many import Many

PIECE = 2**17  # entries
ALL = None  # a sum over all dimensions


@dataclass(eq=False)
class Work:
    """What `update` gets. Tensors are local: of a sharded parameter, the part that this process holds.

    Attributes:
        x, g: the parameter and its gradient, a tensor or (foreach) a `Many`; a scalar is a vector of one entry.
        s: the state, name -> tensor or `Many`.
        group: the options of the parameter's group.
        dims: the two dimensions that are factored, or None.
        sizes: the shape of the whole parameter, of a `Many` a list of shapes.
        t: number of this step, from 1; a 0-dim tensor when the host does not know it.
        ok: None, or (without a synchronisation) a 0-dim tensor: 0 where this step must change nothing, else 1.
        scale: None, or what the gradient is multiplied by (clipping, `maximize`).
        dtype: in which the kernels compute.
        unchecked: may the gradient be non-finite? Then the last of the first sums that `update` yields, which must be
            over all dimensions so that all processes see the same number, will tell. Until then nothing may change.
        seed: None, or the number from which stochastic rounding starts.
        cuts: see `sharding.cuts`.
        params: the parameters themselves.
        ratios: where `report` puts their trust ratios.
        run: `loop`, `whole` or `fused`.
    """

    x: torch.Tensor | Many
    g: torch.Tensor | Many
    s: dict
    group: dict
    dims: tuple | None
    sizes: tuple | list
    t: float | torch.Tensor | Many
    ok: torch.Tensor | None
    scale: float | torch.Tensor | None
    dtype: torch.dtype
    unchecked: bool
    seed: float | torch.Tensor | Many | None
    cuts: tuple
    params: list
    ratios: dict
    run: Callable

    def sweep(self, kernel, over, *args, **fixed):
        """`kernel(*args, **fixed)` over the whole parameter: the pairs (sum, dimension summed over) for `yield`."""
        return list(zip(self.run(kernel, over, args, fixed, self.dtype), over, strict=True))

    def size(self, dim=ALL):
        """Entries along a dimension of the whole parameter, or of all of it; a list for `Many`."""
        if isinstance(self.x, Many):
            return [float(_size(shape, dim)) for shape in self.sizes]
        return _size(self.sizes, dim)

    def checked(self):
        """A first round for methods whose own first sweep changes something: its sum is finite only if g is."""
        if self.unchecked:
            yield [(finite(self.g, self.dtype), ALL)]

    def telling(self, partial):
        """First sums over single dimensions, and where the check needs it their sum, over all dimensions."""
        return [*partial, (partial[0][0].sum(), ALL)] if self.unchecked else partial

    def sharded(self, dim):
        """Do several processes hold parts of this dimension?"""
        return any(cut == dim for _, cut in self.cuts)

    def over_processes(self, partial):
        """Those of the pairs (sum, dimension) that are partial, as (tensor, process groups)."""
        for value, dim in partial:
            groups = [group for group, cut in self.cuts if dim is ALL or cut == dim]
            for t in value.list if isinstance(value, Many) else [value]:
                if groups:
                    yield t, groups

    def report(self, ratio):
        """Remember the trust ratio, for `Optimizer.trust_ratios`."""
        ratios = ratio.list if isinstance(ratio, Many) else [ratio] * len(self.params)
        self.ratios.update(zip(self.params, ratios, strict=True))

    @property
    def lr(self):
        return self._unless_skipped(self.group["lr"])

    def weight(self, beta):
        """1 - beta, the weight of what is new in a moving average; beta a number or a 0-dim tensor."""
        return self._unless_skipped(1 - beta)

    def correction(self, beta: float):
        """1 - beta^t: what a moving average that started at zero is divided by."""
        if isinstance(self.t, float):
            return 1 - beta**self.t
        # A skipped first step has t = 0, and nothing may be divided by zero even then.
        return 1 - (self.t.clamp(1) * math.log(max(beta, 1e-300))).exp()

    def power(self, exponent: float):
        """t^exponent."""
        if isinstance(self.t, float):
            return self.t**exponent
        return (self.t.clamp(1).log() * exponent).exp()

    def kept(self, factor, *added):
        """A factor that is 1, and numbers that are 0, where the step is skipped."""
        if self.ok is None:
            return factor, *added
        return 1 - (1 - factor) * self.ok, *(number * self.ok for number in added)

    def _unless_skipped(self, number):
        return number if self.ok is None else self.ok * number


def _size(shape, dim):
    return math.prod(shape) if dim is ALL else shape[dim]


def loop(kernel, over, args, fixed, dtype):
    """Piece by piece along the first dimension: sums are added, or joined where that dimension was not summed."""
    x = args[0]
    if x.numel() <= PIECE:
        return _tuple(kernel(*args, **fixed))
    count = max(1, PIECE * x.shape[0] // x.numel())
    sums = []
    for start in range(0, x.shape[0], count):
        part = _tuple(kernel(*(_rows(a, x, start, count) for a in args), **fixed))
        sums.append(part)
    joined = zip(over, zip(*sums, strict=True), strict=True)
    return [sum(parts) if dim in (ALL, 0) else torch.cat(parts) for dim, parts in joined]


def _rows(a, x, start, count):
    """These rows of `a`, or all of it where it has no rows of its own (numbers, sums over rows)."""
    own = isinstance(a, torch.Tensor) and a.ndim == x.ndim and a.shape[0] == x.shape[0]
    return a[start : start + count] if own else a


def whole(kernel, over, args, fixed, dtype):
    """In one call: on `Many`, or where the whole step is being compiled."""
    return _tuple(kernel(*args, **fixed))


def fused(kernel, over, args, fixed, dtype):
    """Compiled, for a few parameters of one shape at a time: one call costs as much as a small one's work.

    Where all tensors have one shape they are seen as matrices, or `flat`: fewer kernels to compile.
    """
    shape = args[0].list[0].shape
    if 0 in shape:  # as where a process holds nothing of a parameter: no kernel is worth compiling
        return whole(kernel, over, args, fixed, dtype)
    args = [_number(a, dtype, k) if isinstance(a, float) else a for k, a in enumerate(args)]
    tensors = [t for a in args if isinstance(a, Many) for t in a.list if t.ndim]
    if (
        len(shape) > 1
        and all(dim is ALL for dim in over)
        and all(t.shape == shape and t.is_contiguous() for t in tensors)
    ):
        shape = (-1,) if getattr(kernel, "flat", False) else (-1, shape[-1])
        args = [Many(t.view(shape) if t.ndim else t for t in a.list) if isinstance(a, Many) else a for a in args]
    args = [tuple(a.list) if isinstance(a, Many) else a for a in args]
    return [Many(sums) for sums in zip(*compiled(kernel)(*args, **fixed), strict=True)]


def hints(flat, **options):
    """Marks a kernel. `flat`: it works entry by entry, and may get vectors. `options` are for the compiler."""

    def mark(kernel):
        kernel.flat, kernel.options = flat, options
        return kernel

    return mark


@functools.lru_cache(maxsize=256)
def _number(value, dtype, place):
    """A number as a tensor, so that another value does not compile the kernel again; two places never share one."""
    return torch.tensor(value, dtype=dtype)


@functools.cache
def compiled(kernel):
    """`kernel` over tuples of tensors, compiled: a list with what it returns for each."""

    def unrolled(*args, **fixed):
        count = len(args[0])
        each = [[a[k] if isinstance(a, tuple) else a for a in args] for k in range(count)]
        return [_tuple(kernel(*one, **fixed)) for one in each]

    # The compiler keeps what it made by code object: every kernel gets one of its own.
    code = unrolled.__code__.replace(co_name=kernel.__name__)
    own = types.FunctionType(code, globals(), kernel.__name__, None, unrolled.__closure__)
    return torch.compile(own, fullgraph=True, dynamic=True, options=getattr(kernel, "options", None) or None)


def _tuple(out):
    return out if isinstance(out, tuple) else () if out is None else (out,)
