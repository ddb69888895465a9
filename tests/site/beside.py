"""Tables that put the functions of a figure that moves beside those of the library, and what checks them.

A table is {figure: [row, ...]}, and a row (function of the figure, the same in Python, arguments). For each of the
arguments, tuples, the two must give the same to 1e-12 of its size; a fourth entry of a row says otherwise, in the words
of pytest.approx.
"""

from itertools import product

import numpy as np
import pytest

from minilib.autodiff import Tensor

CLOSE = {"rel": 1e-12, "abs": 1e-15}
EXACT = {"rel": 0, "abs": 0}


def every(*values):
    """All tuples of one of the first values, one of the second, and so on."""
    return list(product(*values))


def check(js, rows):
    """`js(function, *arguments)` calls the figure."""
    for function, ours, arguments, *close in rows:
        assert arguments
        for some in arguments:
            value, expected = js(function, *some), ours(*some)
            if isinstance(expected, list | tuple):
                expected = np.array(expected)
            tolerance = close[0] if close else CLOSE
            assert np.shape(value) == np.shape(expected), f"{function}{some}"
            assert value == pytest.approx(expected, nan_ok=True, **tolerance), f"{function}{some}"


def positions(make, grad, x, steps):
    """The points of an optimizer of minilib, `make([p])`, on the gradients grad(x, t), the first included."""
    p = Tensor(np.array(x, float))
    opt, path = make([p]), [p.data.copy()]
    for t in range(steps):
        p.grad = grad(p.data, t)
        opt.step()
        path.append(p.data.copy())
    return np.array(path)
