"""A second moment kept as row and column means: which dimensions are factored, and what the kernels need.

A tensor is factored over two of its dimensions, rows a < columns b; the others make it a batch of matrices. Means keep
the dimension that they were taken over, with size 1 (the row means of n x m are n x 1), so that they broadcast, and
are sharded like the tensor.
"""

import math

LARGEST, LAST, FIRST = "largest", "last", "first"


def factored_dims(shape, which, least):
    """The dimensions (a, b) that are factored, or None.

    Args:
        shape: of the whole tensor.
        which: "largest", the two largest dimensions (of equal ones the later), unless row and column means would need
            as many numbers as the tensor has; "last", the last two whatever it costs, as in the papers; "first".
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
    rows, columns = (shape[k] for k in dims)
    saves = rows + columns < rows * columns
    return dims if min(rows, columns) >= least and (saves or which != LARGEST) else None


def mean_shapes(shape, dims):
    """Shapes of the row means and of the column means of a tensor of this shape."""
    return [tuple(1 if k == gone else size for k, size in enumerate(shape)) for gone in reversed(dims)]


def inverse_root(w, r, c):
    """A round of `update`: p and q with p q = 1/√v̂, where v̂ = r c / mean(r)."""
    mean = yield mean_of_means(w, r, c)
    return r.rsqrt() * mean.sqrt(), c.rsqrt()


def mean_of_means(w, r, c):
    """A round of `update`: the mean of all row means, for each matrix. From whichever of the two is not sharded."""
    a, b = w.dims
    means, dim = (c, b) if w.sharded(a) else (r, a)
    (total,) = yield [(means.sum(dim, keepdim=True), dim)]
    return total / w.size(dim)
