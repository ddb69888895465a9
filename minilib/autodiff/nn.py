"""Layers on `minilib.autodiff.tensor`: from a linear map to a tiny transformer encoder.

A module is a plain object whose attributes are parameters (Tensors), modules, or lists of modules; calling it
computes. Weights are drawn from a generator that the caller passes. Names follow torch.nn; `Linear` keeps its
weight as (in, out), the transpose of torch's, so that the code reads `x @ weight`. Absent on purpose: dropout,
buffers, train/eval modes, padding masks (our texts are packed without padding).
"""

from collections.abc import Iterator

import numpy as np

from minilib.autodiff.tensor import Tensor, softmax


class Module:
    """Finds the parameters among its attributes, in the order in which they were set."""

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """Pairs (dotted name, parameter); an optimizer takes them and uses the names in its messages."""
        for key, value in vars(self).items():
            for i, item in enumerate(value if isinstance(value, list) else [value]):
                name = f"{key}.{i}" if isinstance(value, list) else key
                if isinstance(item, Tensor):
                    yield name, item
                elif isinstance(item, Module):
                    yield from ((f"{name}.{rest}", p) for rest, p in item.named_parameters())

    def parameters(self) -> list[Tensor]:
        return [p for _, p in self.named_parameters()]

    def num_parameters(self) -> int:
        """The number of numbers in all parameters."""
        return sum(p.data.size for p in self.parameters())


class Linear(Module):
    """x @ weight + bias: (..., n_in) -> (..., n_out). Weights N(0, scale^2), scale 1/sqrt(n_in) by default."""

    def __init__(self, n_in: int, n_out: int, rng: np.random.Generator, scale=None, dtype=np.float64):
        scale = n_in**-0.5 if scale is None else scale
        self.weight = Tensor(rng.normal(0, scale, (n_in, n_out)).astype(dtype))
        self.bias = Tensor(np.zeros(n_out, dtype))

    def __call__(self, x):
        return x @ self.weight + self.bias


class Embedding(Module):
    """Rows of a table: integer ids (...) -> (..., width). Rows N(0, scale^2)."""

    def __init__(self, count: int, width: int, rng: np.random.Generator, scale=0.02, dtype=np.float64):
        self.weight = Tensor(rng.normal(0, scale, (count, width)).astype(dtype))

    def __call__(self, ids):
        return self.weight[ids]


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimension, then a gain and a bias for every coordinate."""

    def __init__(self, width: int, eps=1e-5, dtype=np.float64):
        self.gain, self.bias, self.eps = Tensor(np.ones(width, dtype)), Tensor(np.zeros(width, dtype)), eps

    def __call__(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        return centred * (variance + self.eps) ** -0.5 * self.gain + self.bias


class MLP(Module):
    """Linear layers of the given widths with an activation between them: (..., widths[0]) -> (..., widths[-1])."""

    def __init__(self, widths: list[int], rng: np.random.Generator, activation=Tensor.relu, dtype=np.float64):
        pairs = zip(widths[:-1], widths[1:], strict=True)
        self.layers = [Linear(n_in, n_out, rng, dtype=dtype) for n_in, n_out in pairs]
        self.activation = activation

    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)


class SelfAttention(Module):
    """Every position looks at every position: (batch, length, width) -> the same shape.

    ValueError: `width` is not a multiple of `heads`.
    """

    def __init__(self, width: int, heads: int, rng: np.random.Generator, dtype=np.float64):
        if width % heads:
            raise ValueError(f"width must be a multiple of heads, got width {width} and heads {heads}")
        self.heads = heads
        self.query, self.key, self.value, self.output = (Linear(width, width, rng, dtype=dtype) for _ in range(4))

    def __call__(self, x):
        batch, length, width = x.shape
        depth = width // self.heads

        def split(z):  # (batch, length, width) -> (batch, heads, length, depth)
            return z.reshape(batch, length, self.heads, depth).transpose(0, 2, 1, 3)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        # softmax(q kᵀ / √depth) v
        weights = softmax(q @ k.transpose(0, 1, 3, 2) * depth**-0.5)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.output(mixed)


class EncoderBlock(Module):
    """Attention, then an MLP, each added to its input after a LayerNorm on the way in ("pre-norm")."""

    def __init__(self, width: int, heads: int, rng: np.random.Generator, dtype=np.float64):
        self.norm1, self.norm2 = LayerNorm(width, dtype=dtype), LayerNorm(width, dtype=dtype)
        self.attention = SelfAttention(width, heads, rng, dtype=dtype)
        self.mlp = MLP([width, 4 * width, width], rng, Tensor.gelu, dtype=dtype)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class TransformerEncoder(Module):
    """Token ids (batch, length) -> logits (batch, length, vocabulary): BERT's shape, a thousand times smaller.

    The output layer shares its matrix with the token embedding. `positions` picks the flat positions
    (indices into batch * length) whose logits are wanted, (k, vocabulary): the masked ones.

    ValueError: a text is longer than `max_length`.
    """

    def __init__(
        self,
        vocabulary: int,
        max_length: int,
        width: int,
        layers: int,
        heads: int,
        rng: np.random.Generator,
        dtype=np.float32,
    ):
        # Rows of norm about 1: with 0.02, BERT's value for wider models, a narrow one starts to learn much later.
        self.tokens = Embedding(vocabulary, width, rng, width**-0.5, dtype)
        self.positions = Embedding(max_length, width, rng, width**-0.5, dtype)
        self.blocks = [EncoderBlock(width, heads, rng, dtype) for _ in range(layers)]
        self.norm = LayerNorm(width, dtype=dtype)
        self.bias = Tensor(np.zeros(vocabulary, dtype))

    def __call__(self, ids: np.ndarray, positions=None) -> Tensor:
        batch, length = ids.shape
        if length > self.positions.weight.shape[0]:
            raise ValueError(f"text length must be at most {self.positions.weight.shape[0]}, got {length}")
        x = self.tokens(ids) + self.positions(np.arange(length))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        if positions is not None:
            x = x.reshape(batch * length, -1)[positions]
        return x @ self.tokens.weight.transpose() + self.bias
