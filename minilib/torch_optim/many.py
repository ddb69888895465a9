"""A list of tensors that is used like one tensor: `2 * Many(...)` is one foreach call for all of them.

With it an optimizer is written once. Its kernels get tensors (the loop) or `Many` (foreach), and the same lines run.
Only what the kernels of this package need is here; everything else raises AttributeError.
"""

import torch


class Many:
    """`list` holds tensors of one data type on one device, of any shapes."""

    def __init__(self, tensors):
        self.list = list(tensors)

    def __len__(self):
        return len(self.list)

    @property
    def dtype(self):
        return self.list[0].dtype

    # Arithmetic: with a number, a 0-dim tensor, or another Many of the same length.
    def __add__(self, other):
        return Many(torch._foreach_add(self.list, _term(other, self.list)))

    def __sub__(self, other):
        return Many(torch._foreach_sub(self.list, _term(other, self.list)))

    def __mul__(self, other):
        return Many(torch._foreach_mul(self.list, _operand(other)))

    def __truediv__(self, other):
        return Many(torch._foreach_div(self.list, _operand(other)))

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return self * -1.0 + other

    def __rtruediv__(self, other):
        return Many(torch._foreach_reciprocal(self.list)) * other

    def __gt__(self, other):
        return self._each(torch.gt, other)

    def __and__(self, other):
        return self._each(torch.logical_and, other)

    def __pow__(self, exponent):
        return Many(torch._foreach_pow(self.list, exponent))

    # In place.
    def add_(self, other):
        torch._foreach_add_(self.list, _term(other, self.list))
        return self

    def sub_(self, other):
        torch._foreach_sub_(self.list, _term(other, self.list))
        return self

    def mul_(self, other):
        torch._foreach_mul_(self.list, _operand(other))
        return self

    def lerp_(self, end, weight):
        if isinstance(weight, (float, int)):
            torch._foreach_lerp_(self.list, end.list, weight)
            return self
        return self.add_((end - self) * weight)

    def copy_(self, other):
        torch._foreach_copy_(self.list, other.list)
        return self

    # Elementwise.
    def sqrt(self):
        return Many(torch._foreach_sqrt(self.list))

    def exp(self):
        return Many(torch._foreach_exp(self.list))

    def log(self):
        return Many(torch._foreach_log(self.list))

    def rsqrt(self):
        return Many(torch._foreach_rsqrt(self.list))

    def clamp(self, min=None, max=None):
        out = self.list if min is None else torch._foreach_clamp_min(self.list, min)
        return Many(out if max is None else torch._foreach_clamp_max(out, max))

    # Reductions and the rest: one call a tensor.
    def sum(self, *args, **kwargs):
        return Many(t.sum(*args, **kwargs) for t in self.list)

    def minimum(self, other):
        return self._each(torch.minimum, other)

    def to(self, dtype):
        return self if dtype == self.dtype else Many(t.to(dtype) for t in self.list)

    def _each(self, function, other):
        others = other.list if isinstance(other, Many) else [other] * len(self.list)
        return Many(function(a, b) for a, b in zip(self.list, others, strict=True))


def _operand(other):
    return other.list if isinstance(other, Many) else other


def _term(other, like):
    """Sums read a lone tensor on the host, unlike products: it is repeated instead."""
    return [other] * len(like) if isinstance(other, torch.Tensor) else _operand(other)


def where(condition, a, b):
    """`torch.where` for tensors or Many; `b` may be a number."""
    if not isinstance(condition, Many):
        return torch.where(condition, a, b)
    ours = [x.list if isinstance(x, Many) else [x] * len(condition) for x in (a, b)]
    return Many(torch.where(c, x, y) for c, x, y in zip(condition.list, *ours, strict=True))


def smaller(a, b):
    """The smaller of two, each a number, a 0-dim tensor or `Many` of them."""
    if not isinstance(b, (torch.Tensor, Many)):
        a, b = b, a
    if not isinstance(b, (torch.Tensor, Many)):
        return min(a, b)
    if not isinstance(a, (torch.Tensor, Many)):
        return b.clamp(max=float(a))
    return b.minimum(a) if isinstance(b, Many) else a.minimum(b)
