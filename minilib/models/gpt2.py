"""GPT-2 (Radford et al. 2019): a decoder that guesses each token from those before it.

As published: a norm before each half of a block and one at the end, GELU by its tanh formula, epsilon 1e-5, learnt
positions, the token table as output layer, without bias. Drawn normal with deviation 0.02, positions 0.01, and the two
matrices of a block that write to the residual stream divided by the root of their number, 2 a layer. The published code
has query, key and value in one matrix: the same function.
"""

import math
from dataclasses import dataclass
from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from minilib.models.layers import Block, Loss, Size, checked, initialise, score, through

EPS = 1e-5


@dataclass(frozen=True)
class Gpt2Size(Size):
    """See `Size`."""

    vocabulary: int = 50_257
    length: int = 1_024


class Gpt2(nn.Module):
    """Batches have `tokens` (B, T + 1), int64: tokens 1 to T are guessed from tokens 0 to T - 1.

    Raises ValueError, in every method that takes them, for another shape, or more than `length` tokens to guess from.
    """

    def __init__(self, size: Gpt2Size):
        super().__init__()
        self.size = size
        self.tokens = nn.Embedding(size.vocabulary, size.width)
        self.positions = nn.Embedding(size.length, size.width)
        self.dropout = nn.Dropout(size.dropout)
        gelu = partial(F.gelu, approximate="tanh")
        norm = partial(nn.LayerNorm, eps=EPS)
        self.blocks = nn.ModuleList(Block(size, gelu, norm, causal=True) for _ in range(size.layers))
        self.last = norm(size.width)
        self.initialise()

    def initialise(self) -> None:
        """Draw all weights anew."""
        residual = 0.02 / math.sqrt(2 * self.size.layers)
        special = {"positions.weight": 0.01, "output.weight": residual, "down.weight": residual}
        initialise(self, lambda name: special.get(".".join(name.split(".")[-2:]), 0.02))

    def forward(self, batch: dict[str, Tensor]) -> Loss:
        """The loss over all tokens but the first of each row."""
        return score(self.logits(batch), batch["tokens"][:, 1:])

    def logits(self, batch: dict[str, Tensor]) -> Tensor:
        """(B, T, V): what each next token may be."""
        tokens = checked("tokens", batch.get("tokens"), None, None)
        return F.linear(self.hidden(tokens[:, :-1]), self.tokens.weight)

    def hidden(self, tokens: Tensor) -> Tensor:
        """Last hidden states (B, T, width) of `tokens` (B, T)."""
        tokens = checked("tokens to guess from", tokens, None, None, longest=self.size.length)
        x = self.dropout(self.tokens(tokens) + self.positions.weight[: tokens.shape[1]])
        return self.last(through(self.blocks, self.size, x))
