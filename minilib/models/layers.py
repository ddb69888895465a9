"""What BERT, GPT-2 and T5 share: attention, the feed-forward part, a block, the loss, and checks of what comes in.

Source: Vaswani et al. 2017. All shapes are static and nothing is read back from the device, but for `Rows`, so that the
same code runs on a CPU, a GPU and a TPU. Query, key and value are three matrices in every model: a layer-wise optimizer
sees three layers. Absent on purpose: padding in pretraining, a cache for generating text, fused kernels of our own.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint


class Loss(NamedTuple):
    """What a model returns: the mean cross-entropy in nats, 0-dim, and its logits (..., V) and targets (...)."""

    loss: Tensor
    logits: Tensor
    targets: Tensor

    @property
    def correct(self) -> Tensor:
        """The share of right guesses, 0-dim; found when asked for, since on a CPU it takes as long as the loss."""
        return (self.logits.argmax(-1) == self.targets).float().mean()


@dataclass(frozen=True)
class Size:
    """What all models need to know to be built. `dataclasses.replace` gives a neighbour.

    Args:
        layers: number of blocks (T5: in each of the two stacks).
        width: of the hidden states. `heads` must divide it; the feed-forward part is 4 times as wide.
        vocabulary: number of tokens. `length`: most tokens in a row.
        dropout: share of activations dropped in training, where the published model drops them (it used 0.1).
        checkpoint_activations: keep only the input of each block, and recompute the rest in the backward pass.

    ValueError: a value is out of range.
    """

    layers: int
    width: int
    heads: int
    vocabulary: int
    length: int
    dropout: float = 0.0
    checkpoint_activations: bool = False

    def __post_init__(self):
        for name in ("layers", "width", "heads", "vocabulary", "length"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")
        if self.width % self.heads:
            raise ValueError(f"heads must divide the width {self.width}, got {self.heads}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and less than 1, got {self.dropout!r}")


class Rows(NamedTuple):
    """Rows of different lengths, for blocks that compute no padding: they take the tokens alone, (N, width).

    Only attention pads them, since its products want rows. N depends on what the rows hold: shapes are not static.

    Args:
        seen: (B, T), False for padding. `places`: (N,), where it is True, as numbers among the B T.
    """

    seen: Tensor
    places: Tensor

    def padded(self, x: Tensor) -> Tensor:
        """(N, width) -> (B, T, width), with zeros where nothing is seen."""
        empty = x.new_zeros(self.seen.numel(), x.shape[-1])
        return empty.index_copy(0, self.places, x).unflatten(0, self.seen.shape)

    def tokens(self, x: Tensor) -> Tensor:
        """(B, T, width) -> (N, width)."""
        return x.flatten(0, 1).index_select(0, self.places)


class Attention(nn.Module):
    """softmax(scale · Q Kᵀ + mask) V in each head, then a matrix that mixes the heads; (B, T, width) to the same shape.

    Args:
        bias: do the four matrices have one?
        scale: of the scores; None is 1/√(width of a head).
        causal: each token sees itself and what is before it.
        rotary: queries and keys are turned by their positions, see `rotated`.
    """

    def __init__(self, size: Size, bias=True, scale: float | None = None, causal=False, rotary=False):
        super().__init__()
        self.heads, self.dropout, self.causal = size.heads, size.dropout, causal
        self.rotary = rotary
        self.scale = (size.width // size.heads) ** -0.5 if scale is None else scale
        self.query = nn.Linear(size.width, size.width, bias)
        self.key = nn.Linear(size.width, size.width, bias)
        self.value = nn.Linear(size.width, size.width, bias)
        self.output = nn.Linear(size.width, size.width, bias)

    def forward(self, x: Tensor, mask: Tensor | None = None, source: Tensor | None = None) -> Tensor:
        """`mask` is added to the scores, or says with True what is seen; keys and values are of `source`, if given.

        With `Rows` for a mask `x` is (N, width), and so is what comes out.
        """
        source, rows = x if source is None else source, mask if isinstance(mask, Rows) else None
        q, k, v = self.query(x), self.key(source), self.value(source)
        if rows is not None:
            q, k, v, mask = rows.padded(q), rows.padded(k), rows.padded(v), rows.seen[:, None, None]
        q, k, v = self.split(q, self.rotary), self.split(k, self.rotary), self.split(v)
        dropout = self.dropout if self.training else 0.0
        mixed = F.scaled_dot_product_attention(q, k, v, mask, dropout, self.causal, scale=self.scale)
        mixed = mixed.transpose(1, 2).flatten(2)
        return self.output(mixed if rows is None else rows.tokens(mixed))

    def split(self, x: Tensor, rotary: bool = False) -> Tensor:
        """(B, T, width) -> (B, heads, T, width / heads)."""
        x = x.unflatten(-1, (self.heads, -1))
        return (rotated(x) if rotary else x).transpose(1, 2)

    def weights(self, x: Tensor) -> Tensor:
        """The softmax, (B, heads, T, T), for pictures: `forward` never holds it. Without mask."""
        q, k = (self.split(matrix(x), self.rotary) for matrix in (self.query, self.key))
        return (self.scale * q @ k.transpose(-1, -2)).softmax(-1)


def rotated(x: Tensor) -> Tensor:
    """`x` (B, T, heads, d) with number k and k + d/2 turned by position · 160,000^(−2k/d) (RoPE, Su et al. 2021).

    The product of a query and a key then depends on how far apart they are, and not on where.
    """
    (_, t, _, d), make = x.shape, {"device": x.device, "dtype": torch.float32}
    angles = torch.arange(t, **make)[:, None, None] * 160_000.0 ** (-torch.arange(0, d, 2, **make) / d)
    (a, b), cos, sin = x.float().chunk(2, -1), angles.cos(), angles.sin()
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)


class FeedForward(nn.Module):
    """Two layers with a nonlinearity between them, the same for each token: width -> 4 width -> width.

    `gated`: what is between is multiplied by a third layer's output (Shazeer 2020), and two thirds as wide.
    """

    def __init__(self, width: int, activation: Callable, bias=True, dropout=0.0, gated=False):
        super().__init__()
        inner = 16 * round(width / 6) if gated else 4 * width
        self.up, self.down = nn.Linear(width, inner, bias), nn.Linear(inner, width, bias)
        self.gate = nn.Linear(width, inner, bias) if gated else None
        self.activation, self.dropout = activation, nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.activation(self.up(x))
        return self.down(self.dropout(inner if self.gate is None else inner * self.gate(x)))


class Block(nn.Module):
    """Attention, where it `reads` also attention to what was read, and feed-forward, each added to its input.

    Args:
        norm: width -> a norm. `pre_norm`: of what goes into each part, not of the sum that comes out (published BERT).
        inner: options of `FeedForward`; bias, and the options of `Attention`, are for all matrices and attentions.
    """

    def __init__(self, size: Size, activation: Callable, norm: Callable, pre_norm=True, reads=False, inner=None, **of):
        super().__init__()
        self.pre_norm, self.dropout, width = pre_norm, nn.Dropout(size.dropout), size.width
        self.attention, self.norm1 = Attention(size, **of), norm(width)
        if reads:
            self.reading, self.norm_reading = Attention(size, **of), norm(width)
        self.feed_forward = FeedForward(width, activation, of.get("bias", True), **inner or {})
        self.norm2 = norm(width)

    def forward(self, x: Tensor, mask: Tensor | None = None, read: Tensor | None = None) -> Tensor:
        if not self.pre_norm:
            x = self.norm1(x + self.dropout(self.attention(x, mask)))
            return self.norm2(x + self.dropout(self.feed_forward(x)))
        x = x + self.dropout(self.attention(self.norm1(x), mask))
        if read is not None:
            x = x + self.dropout(self.reading(self.norm_reading(x), source=read))
        return x + self.dropout(self.feed_forward(self.norm2(x)))


def through(blocks, size: Size, x: Tensor, *context) -> Tensor:
    """`x` after all blocks; each is also given `context`."""
    for block in blocks:
        if size.checkpoint_activations:
            x = checkpoint(block, x, *context, use_reentrant=False, preserve_rng_state=size.dropout > 0)
        else:
            x = block(x, *context)
    return x


@torch.no_grad()
def initialise(model: nn.Module, deviation: Callable[[str], float]) -> None:
    """Draw the weights: matrices and tables normal with `deviation(name)`, gains of norms 1, biases 0."""
    for name, p in model.named_parameters():
        if p.ndim > 1:
            p.normal_(std=deviation(name))
        else:
            p.fill_(1.0 if name.endswith("weight") else 0.0)


def sinusoids(length: int, width: int) -> Tensor:
    """A position table (length, width) of unit mean square: waves of `width`/2 frequencies from 1 to 1/10,000.

    Rows i and i + k differ by a rotation that depends on k alone (Vaswani et al. 2017, section 3.5).
    """
    frequencies = 10_000.0 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * frequencies
    return math.sqrt(2) * torch.cat([angles.sin(), angles.cos()], dim=1)[:, :width]


class CrossEntropy(torch.autograd.Function):
    """The mean of −log softmax(logits)[target], in float32: logits (N, V) and targets (N,) int64 to 0-dim.

    One table of N V numbers is written, the softmax p, and the backward pass makes it the gradient: p − 1 at the
    target, p elsewhere. `F.cross_entropy` writes three. Second derivatives are not to be had.
    """

    @staticmethod
    def forward(ctx, logits: Tensor, targets: Tensor) -> Tensor:
        p, targets = logits.softmax(-1, dtype=torch.float32), targets[:, None]
        ctx.save_for_backward(p, targets)
        ctx.dtype = logits.dtype
        # −log p = max − logit + log Σ exp(logits − max), and that sum is one over the largest p
        distance = logits.amax(-1, keepdim=True).float() - logits.gather(-1, targets).float()
        return (distance - p.amax(-1, keepdim=True).log()).mean()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        p, targets = ctx.saved_tensors
        p.scatter_add_(-1, targets, torch.full_like(targets, -1, dtype=p.dtype))
        return p.mul_(grad / len(p)).to(ctx.dtype), None


def score(logits: Tensor, targets: Tensor) -> Loss:
    """Mean cross-entropy of `logits` (..., V), in float32, against `targets` (...)."""
    loss = CrossEntropy.apply(logits.flatten(0, -2), targets.flatten())
    return Loss(loss, logits.detach(), targets)


def checked(
    name: str, tensor: Tensor | None, *shape: int | None, dtypes=(torch.int64,), longest: float = math.inf
) -> Tensor:
    """`tensor`, after a look at its type and shape (None: any number from 1), not at its numbers: that would wait.

    ValueError: there is none, it has another type or shape, or rows that are longer than the `longest` of the model.
    """
    if isinstance(tensor, Tensor) and tensor.dtype in dtypes and tensor.ndim == len(shape):
        if tensor.ndim > 1 and tensor.shape[1] > longest:
            most = f"at most {longest} tokens a row, the length of this model"
            raise ValueError(f"{name} must have {most}, got {tensor.shape[1]}")
        if all(n > 0 if wanted is None else n == wanted for n, wanted in zip(tensor.shape, shape, strict=True)):
            return tensor
        got = f"shape {tuple(tensor.shape)}"
    elif isinstance(tensor, Tensor):
        got = f"{tensor.dtype} of shape {tuple(tensor.shape)}"
    else:
        got = type(tensor).__name__
    wanted = ", ".join("any" if n is None else str(n) for n in shape)
    raise ValueError(f"{name} must be {' or '.join(map(str, dtypes))} of shape ({wanted}), got {got}")
