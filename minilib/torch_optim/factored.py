"""A second moment kept as row and column means: which dimensions are factored, and the root of their product.

A tensor is factored over two of its dimensions, rows a < columns b; the others make it a batch of matrices. Means keep
the dimension that they were taken over, with size 1 (the row means of n x m are n x 1), so that they broadcast, and
are sharded like the tensor. Phases see the two as their last dimensions.
"""

import math

import torch

from minilib.torch_optim.phases import COLUMNS, ROWS, follow

LARGEST, LAST, FIRST = "largest", "last", "first"


def factored_dims(shape, which, least):
    """The dimensions (a, b) that are factored, or None.

    Args:
        shape: of the whole tensor.
        which: "largest", the two largest dimensions (of equal ones the later); "last", the last two, as in the
            papers; "first".
        least: both dimensions must be at least this long.
    """
    n = len(shape)
    if n < 2 or math.prod(shape) == 0:
        return None
    if which == LAST:
        dims = (n - 2, n - 1)
    elif which == FIRST:
        dims = (0, 1)
    else:
        dims = tuple(sorted(sorted(range(n), key=lambda k: (shape[k], k))[-2:]))
    return dims if min(shape[k] for k in dims) >= least else None


def mean_shapes(shape, dims):
    """Shapes of the row means and of the column means of a tensor of this shape."""
    return [tuple(1 if k == gone else size for k, size in enumerate(shape)) for gone in reversed(dims)]


def update_means(r, c, sums, eps, weight, n):
    """r, c ← averages of the row and column means + eps; returns a sum over r, or over c where r is cut in rows."""
    rows, columns = sums
    follow(r, rows / n["columns"] + eps, weight)
    follow(c, columns / n["rows"] + eps, weight)
    return (c.sum(-1, keepdim=True), ROWS) if n["rows_cut"] else (r.sum(-2, keepdim=True), COLUMNS)


def inverse_roots(r, c, total, n):
    """p and q with p q = 1/√v̂, where v̂ = r c / mean(r)."""
    mean = total / (n["columns"] if n["rows_cut"] else n["rows"])
    return inverse_root(r) * mean.sqrt(), inverse_root(c)


def inverse_root(v):
    """1/√v. Zero, as before the first step of a parameter, counts as the least number that is not."""
    return v.clamp(min=torch.finfo(v.dtype).tiny).rsqrt_()
