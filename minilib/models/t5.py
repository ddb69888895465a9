"""T5 (Raffel et al. 2020), version 1.0: an encoder reads text with gaps, a decoder writes what was in them.

As published: no biases, ReLU, norms without mean and shift (epsilon 1e-6) before each part of a block and after each
stack, scores that are not scaled, since the queries start small, and no positions but for a bias on the scores, learnt
in each stack for 32 ranges of distances. One token table serves both stacks and the output layer, before which hidden
states are divided by √width. The decoder starts with token 0, the padding.

On a CUDA card PyTorch's flash attention takes nothing that is added to scores, so the bias keeps T5 from it: where BERT
and GPT-2 may have flash attention, T5 has the memory-efficient kernel.
"""

from dataclasses import dataclass
from functools import partial
from math import inf

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minilib.models.layers import Block, Loss, Size, checked, initialise, score, through

RANGES = 32
FAR = 128  # all distances from here on are one range


@dataclass(frozen=True)
class T5Size(Size):
    """See `Size`; `length` is a promise, no parameter depends on it. A head has width/heads, as up to T5-large."""

    vocabulary: int = 32_128
    length: int = 512


def starts(ranges: int) -> list[int]:
    """Where ranges begin that hold several distances; those below `exact = ranges / 2` have a range each.

    The k-th begins at exact · (FAR / exact)^(k / exact), edges with integers: a rounded logarithm could fall short.
    """
    exact, edges = ranges // 2, []
    for k in range(1, exact):
        n = exact
        while n**exact < exact ** (exact - k) * FAR**k:
            n += 1
        edges.append(n)
    return edges


class PositionBias(nn.Module):
    """What is added to the scores, (1, heads, T, T), by distance: key before query, and after it if `both_ways`.

    Otherwise a key after its query gets minus infinity: the decoder may not look ahead.
    """

    def __init__(self, heads: int, both_ways: bool):
        super().__init__()
        self.both_ways, self.table = both_ways, nn.Embedding(RANGES, heads)
        self.ranges = RANGES // 2 if both_ways else RANGES
        self.starts = starts(self.ranges)

    def forward(self, length: int) -> Tensor:
        place = torch.arange(length, device=self.table.weight.device)
        back = place[:, None] - place  # from query i to key j
        distance = back.abs() if self.both_ways else back.clamp(min=0)
        index = distance.clamp(max=self.ranges // 2) + sum((distance >= n).long() for n in self.starts)
        if self.both_ways:
            index = index + self.ranges * (back < 0)
        bias = self.table(index).permute(2, 0, 1)[None].contiguous()  # CUDA's kernels of attention take no other
        return bias if self.both_ways else bias.masked_fill(back < 0, -inf)


class Stack(nn.Module):
    """Encoder or decoder: blocks that share a position bias, and a norm."""

    def __init__(self, size: T5Size, decoder: bool):
        super().__init__()
        self.size, self.bias = size, PositionBias(size.heads, both_ways=not decoder)
        norm, inner = partial(nn.RMSNorm, eps=1e-6), {"dropout": size.dropout}
        block = partial(Block, size, F.relu, norm, reads=decoder, inner=inner, bias=False, scale=1.0)
        self.blocks = nn.ModuleList(block() for _ in range(size.layers))
        self.last, self.dropout = norm(size.width), nn.Dropout(size.dropout)

    def forward(self, x: Tensor, read: Tensor | None = None) -> Tensor:
        x = through(self.blocks, self.size, self.dropout(x), self.bias(x.shape[1]), read)
        return self.dropout(self.last(x))


class T5(nn.Module):
    """Batches have `tokens` (B, S), text with gaps, and `targets` (B, R), what was in them; int64.

    Raises ValueError, in every method that takes them, for another shape, or more than `length` tokens in a row.
    """

    def __init__(self, size: T5Size):
        super().__init__()
        self.size = size
        self.tokens = nn.Embedding(size.vocabulary, size.width)
        self.encoder, self.decoder = Stack(size, decoder=False), Stack(size, decoder=True)
        self.initialise()

    @property
    def blocks(self) -> list[nn.Module]:
        """The blocks of both stacks."""
        return [*self.encoder.blocks, *self.decoder.blocks]

    def initialise(self) -> None:
        """Draw all weights anew: 1/√inputs each, queries also divided by √(width of a head), and the token table 1."""
        width, head = self.size.width, self.size.width // self.size.heads
        special = {"tokens": 1.0, "query": (width * head) ** -0.5, "down": (4 * width) ** -0.5}
        initialise(self, lambda name: special.get(name.split(".")[-2], width**-0.5))

    def forward(self, batch: dict[str, Tensor]) -> Loss:
        """The loss over all targets."""
        return score(self.logits(batch), batch["targets"])

    def logits(self, batch: dict[str, Tensor]) -> Tensor:
        """(B, R, V): what each target may be, given the text and the targets before it."""
        tokens = checked("tokens", batch.get("tokens"), None, None, longest=self.size.length)
        targets = checked("targets", batch.get("targets"), len(tokens), None, longest=self.size.length)
        read = self.encoder(self.tokens(tokens))
        inputs = torch.cat([torch.zeros_like(targets[:, :1]), targets[:, :-1]], dim=1)
        hidden = self.decoder(self.tokens(inputs), read)
        return F.linear(hidden * self.size.width**-0.5, self.tokens.weight)
