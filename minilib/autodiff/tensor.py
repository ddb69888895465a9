"""Reverse-mode automatic differentiation over NumPy arrays, small enough to read in one sitting.

A `Tensor` holds an array, and remembers which tensors it was computed from and how a gradient flows back to them.
`backward` walks that graph once, from the result to the leaves. Every operation states its own derivative beside
its value; broadcasting is undone by summing. The book's first chapter builds this file in cells.

The idea of an autodiff engine this small is micrograd's, with arrays in place of numbers. Absent on purpose: second
derivatives, in-place operations, devices, views that share gradients, dtypes other than floats for data.
"""

import numpy as np


class Tensor:
    """An array that can be differentiated.

    Args:
        data: array or nested lists; floats keep their dtype, everything else becomes float64.
        parents: pairs (tensor, pull): `pull` maps the gradient of this tensor to that of the parent.
        constant: no gradient flows here (numbers and plain arrays in an expression become constants).

    Attributes: `data`; `grad`: array of the same shape, or None before `backward`; only leaves get one, as in torch.
    """

    __array_ufunc__ = None  # so that `array + tensor` asks the tensor

    def __init__(self, data, parents=(), constant=False):
        data = np.asarray(data)
        self.data = data if np.issubdtype(data.dtype, np.floating) else data.astype(np.float64)
        self.grad, self.constant = None, constant
        self.parents = [(parent, pull) for parent, pull in parents if not parent.constant]
        if parents and not self.parents:
            self.constant = True

    shape = property(lambda self: self.data.shape)
    ndim = property(lambda self: self.data.ndim)

    def __repr__(self):
        return f"Tensor({np.array2string(self.data, precision=4, threshold=20)})"

    def backward(self) -> None:
        """Add d(self)/d(leaf) to `leaf.grad` for every leaf that this scalar was computed from.

        ValueError: this tensor is not a scalar.
        """
        if self.data.size != 1:
            raise ValueError(f"backward needs a scalar, got shape {self.shape}: sum or average first")
        grads = {id(self): np.ones_like(self.data)}
        for t in self.ancestors():
            g = grads.pop(id(t))
            if not t.parents:
                t.grad = g if t.grad is None else t.grad + g
            for parent, pull in t.parents:
                grads[id(parent)] = grads.get(id(parent), 0) + _unbroadcast(pull(g), parent.shape)

    def ancestors(self) -> list["Tensor"]:
        """This tensor and all that it was computed from, each before its own parents (reverse topological order)."""
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            t, done = stack.pop()
            if done:
                order.append(t)
            elif id(t) not in seen:
                seen.add(id(t))
                stack += [(t, True)] + [(parent, False) for parent, _ in t.parents]
        return order[::-1]

    def constant_like(self, value) -> "Tensor":
        """`value` itself if it is a Tensor, else a constant; Python numbers take this tensor's dtype."""
        if isinstance(value, Tensor):
            return value
        return Tensor(np.asarray(value, self.data.dtype if isinstance(value, (int, float)) else None), constant=True)

    # Arithmetic, elementwise with broadcasting

    def __add__(self, other):
        other = self.constant_like(other)
        return Tensor(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        other = self.constant_like(other)
        a, b = self.data, other.data
        return Tensor(a * b, [(self, lambda g: g * b), (other, lambda g: g * a)])

    def __truediv__(self, other):
        return self * self.constant_like(other) ** -1

    def __pow__(self, p: float):
        a = self.data
        return Tensor(a**p, [(self, lambda g: g * p * a ** (p - 1))])

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -self.constant_like(other)

    def __rsub__(self, other):
        return -self + other

    def __rtruediv__(self, other):
        return self.constant_like(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __matmul__(self, other):
        """Matrix product over the last two dimensions, the leading ones broadcast; or matrix times vector.

        ValueError: the left side has fewer than two dimensions.
        """
        other = self.constant_like(other)
        if self.ndim < 2:
            raise ValueError(f"the left side of @ needs at least 2 dimensions, got shape {self.shape}")
        if other.ndim == 1:
            return (self @ other.reshape(-1, 1)).reshape(*self.shape[:-1])
        if other.ndim == 2 and self.ndim > 2:  # all rows in one product: the gradient of `other` is then one, too
            return (self.reshape(-1, self.shape[-1]) @ other).reshape(*self.shape[:-1], other.shape[1])
        a, b = self.data, other.data
        left, right = (lambda g: g @ b.swapaxes(-1, -2)), (lambda g: a.swapaxes(-1, -2) @ g)
        return Tensor(a @ b, [(self, left), (other, right)])

    def __rmatmul__(self, other):
        return self.constant_like(other) @ self

    # Elementwise functions

    def exp(self):
        y = np.exp(self.data)
        return Tensor(y, [(self, lambda g: g * y)])

    def log(self):
        return Tensor(np.log(self.data), [(self, lambda g: g / self.data)])

    def tanh(self):
        y = np.tanh(self.data)
        return Tensor(y, [(self, lambda g: g * (1 - y**2))])

    def relu(self):
        return Tensor(np.maximum(self.data, 0), [(self, lambda g: g * (self.data > 0))])

    def gelu(self):
        """x Phi(x) with the usual tanh approximation of the normal distribution function Phi (as in BERT's code)."""
        x, k = self.data, float(np.sqrt(2 / np.pi))
        x2 = x * x
        t = np.tanh(k * x * (1 + 0.044715 * x2))
        slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * (k * (1 + 3 * 0.044715 * x2))
        return Tensor(0.5 * x * (1 + t), [(self, lambda g: g * slope)])

    # Sums and shapes

    def sum(self, axis=None, keepdims=False):
        y = self.data.sum(axis=axis, keepdims=keepdims)

        def pull(g):
            g = g if keepdims or axis is None else np.expand_dims(g, axis)
            return np.broadcast_to(g, self.shape)

        return Tensor(y, [(self, pull)])

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.data.size / self.data.size)

    def reshape(self, *shape):
        return Tensor(self.data.reshape(*shape), [(self, lambda g: g.reshape(self.shape))])

    def transpose(self, *axes):
        """The dimensions in the order `axes` (reversed when none are given)."""
        axes = axes or tuple(range(self.ndim))[::-1]
        return Tensor(self.data.transpose(axes), [(self, lambda g: g.transpose(np.argsort(axes)))])

    def __getitem__(self, index):
        """Any NumPy index; entries picked twice collect both gradients (this is what an embedding needs)."""

        def pull(g):
            full = np.zeros_like(self.data)
            np.add.at(full, index, g)
            return full

        return Tensor(self.data[index], [(self, pull)])


def _unbroadcast(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum `g` over the dimensions along which an array of `shape` was repeated."""
    g = np.asarray(g)
    if g.shape == shape:
        return g
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    repeated = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1)
    return g.sum(axis=repeated, keepdims=True) if repeated else g


def log_softmax(z: Tensor) -> Tensor:
    """log(exp(z) / sum(exp(z))) over the last dimension, shifted by the largest entry so that nothing overflows."""
    shifted = z.data - z.data.max(axis=-1, keepdims=True)
    y = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return Tensor(y, [(z, lambda g: g - np.exp(y) * g.sum(axis=-1, keepdims=True))])


def softmax(z: Tensor) -> Tensor:
    """exp(z) / sum(exp(z)) over the last dimension."""
    return log_softmax(z).exp()


def cross_entropy(logits: Tensor, targets: np.ndarray) -> Tensor:
    """Mean of -log softmax(logits)[target]: logits (n, classes), integer targets (n,); in nats.

    ValueError: shapes do not fit, or a target is not a class.
    """
    targets = np.asarray(targets)
    n, classes = logits.shape
    if targets.shape != (n,):
        raise ValueError(f"targets must have shape ({n},) for logits of shape {logits.shape}, got {targets.shape}")
    if targets.size and not 0 <= targets.min() <= targets.max() < classes:
        raise ValueError(f"targets must be in 0 ... {classes - 1}, got {targets.min()} ... {targets.max()}")
    return -log_softmax(logits)[np.arange(n), targets].mean()
