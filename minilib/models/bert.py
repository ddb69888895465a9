"""BERT (Devlin et al. 2019): an encoder that guesses hidden tokens, and whether two segments belong together.

As published: a norm after each half of a block, GELU by the error function, epsilon 1e-12, a head of its own before the
output layer, which is the token table, with a bias. The head sees only the tokens that are to be guessed.

The first weights are not as published. BERT's are normal with deviation 0.02 at every width, its position table too.
Here the deviation is 0.02 at the width of BERT-base and shrinks with the root of the width, as for any matrix that is
to keep the size of what it multiplies. The position table begins as the sinusoids of Vaswani et al. 2017 and learns on
from there. With both changes a small BERT left its plateau with every seed, with one once ("BERT from scratch").
`published_weights` asks for BERT's, without its cut of the tails at two deviations.

`modern` is the encoder of ModernBERT (Warner et al. 2024): rotary positions and no table of them, gated units, a norm
before each half of a block but the first and one at the end, no biases but the last, no segments. What writes to the
residual stream is drawn smaller, as in GPT-2. Absent of it: attention to 64 neighbours only in two layers of three, its
widths (here a gated part has as many weights as a plain one).
"""

import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minilib.models.layers import Block, Loss, Rows, Size, checked, initialise, score, sinusoids, through

EPS = 1e-12


@dataclass(frozen=True)
class BertSize(Size):
    """See `Size`.

    Args:
        next_sentence: have a pooler and the head that says whether the second segment follows the first. Off, so that
            every parameter has a gradient when only tokens are hidden.
        published_weights: draw all first weights with deviation 0.02.
        modern: see above; it has no segments, so no next sentence.
    """

    vocabulary: int = 30_522
    length: int = 512
    next_sentence: bool = False
    published_weights: bool = False
    modern: bool = False

    def __post_init__(self):
        super().__post_init__()
        if self.modern and self.next_sentence:
            raise ValueError("next_sentence must be False where modern is True: there are no segments")


class Bert(nn.Module):
    """Batches have `tokens` (B, T), `positions` and `targets` (B, K); also `segments` (B, T) and `next` (B,), 0 or 1.

    All are int64. Raises ValueError, in every method that takes them, for another shape, or more than `length` tokens.
    """

    def __init__(self, size: BertSize):
        super().__init__()
        self.size, width = size, size.width
        self.tokens = nn.Embedding(size.vocabulary, width)
        norm, kind = partial(nn.LayerNorm, eps=EPS), {"pre_norm": False}
        if size.modern:
            norm, kind = partial(nn.LayerNorm, eps=1e-5, bias=False), {"inner": {"gated": True}, "bias": False}
            kind["rotary"] = True
        else:
            self.positions = nn.Embedding(size.length, width)
            self.segments = nn.Embedding(2, width)
        self.norm, self.dropout = norm(width), nn.Dropout(size.dropout)
        self.blocks = nn.ModuleList(Block(size, F.gelu, norm, **kind) for _ in range(size.layers))
        if size.modern:
            self.blocks[0].norm1, self.last = nn.Identity(), norm(width)
        self.head = nn.Sequential(nn.Linear(width, width, bias=not size.modern), nn.GELU(), norm(width))
        self.bias = nn.Parameter(torch.zeros(size.vocabulary))
        if size.next_sentence:
            self.pooler = nn.Linear(width, width)
            self.next = nn.Linear(width, 2)
        self.initialise()

    def initialise(self) -> None:
        """Draw all weights anew."""
        size = self.size
        deviation = 0.02 * (1 if size.published_weights else math.sqrt(768 / size.width))
        writes = ("output.weight", "down.weight") if size.modern else ()
        initialise(self, lambda name: deviation / math.sqrt(2 * size.layers) if name.endswith(writes) else deviation)
        if not (size.published_weights or size.modern):
            with torch.no_grad():
                self.positions.weight.copy_(deviation * sinusoids(size.length, size.width))

    def forward(self, batch: dict[str, Tensor]) -> Loss:
        """The loss over the hidden tokens; that over `next` is added to it where the batch has some."""
        hidden = self.hidden(batch.get("tokens"), batch.get("segments"))
        logits = self.guesses(hidden, batch)
        out = score(logits, checked("targets", batch.get("targets"), *logits.shape[:2]))
        if "next" in batch:
            pooled = self.pooled(hidden)
            follows = score(self.next(pooled), checked("next", batch["next"], len(hidden)))
            out = out._replace(loss=out.loss + follows.loss)
        return out

    def logits(self, batch: dict[str, Tensor]) -> Tensor:
        """(B, K, V): what each hidden token may be."""
        return self.guesses(self.hidden(batch.get("tokens"), batch.get("segments")), batch)

    def hidden(self, tokens: Tensor, segments: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """Last hidden states (B, T, width), for fine-tuning.

        Args:
            tokens: (B, T).
            segments: (B, T) of 0 and 1; all 0 if not given.
            mask: (B, T), 0 or False for padding, which no token sees; each row must have something else. Padding is not
                computed either, but on a TPU, whose shapes must be static; what stands there has no meaning.
        """
        x = self.embed(tokens, segments)
        if mask is None:
            x = through(self.blocks, self.size, x)
        else:
            seen = checked("mask", mask, *tokens.shape, dtypes=(torch.int64, torch.bool)).bool()
            if x.device.type == "tpu":
                x = through(self.blocks, self.size, x, seen[:, None, None])
            else:
                rows = Rows(seen, seen.flatten().nonzero()[:, 0])
                x = rows.padded(through(self.blocks, self.size, rows.tokens(x), rows))
        return self.last(x) if self.size.modern else x

    def embed(self, tokens: Tensor, segments: Tensor | None) -> Tensor:
        """What goes into the first block."""
        tokens = checked("tokens", tokens, None, None, longest=self.size.length)
        x = self.tokens(tokens)
        if self.size.modern:
            return self.dropout(self.norm(x))
        x = x + self.positions.weight[: tokens.shape[1]]
        if segments is None:
            x = x + self.segments.weight[0]
        else:
            x = x + self.segments(checked("segments", segments, *tokens.shape))
        return self.dropout(self.norm(x))

    def guesses(self, hidden: Tensor, batch: dict[str, Tensor]) -> Tensor:
        """The head and the output layer, on the hidden states at `positions` only."""
        positions = checked("positions", batch.get("positions"), len(hidden), None)
        chosen = torch.take_along_dim(hidden, positions[:, :, None], dim=1)
        return F.linear(self.head(chosen), self.tokens.weight, self.bias)

    def pooled(self, hidden: Tensor) -> Tensor:
        """(B, width): tanh of a layer on the first token's hidden state. ValueError when the size has no pooler."""
        if not self.size.next_sentence:
            raise ValueError("this model has no pooler and no next-sentence head: build it with next_sentence=True")
        return torch.tanh(self.pooler(hidden[:, 0]))

    @torch.no_grad()
    def attention_maps(self, batch: dict[str, Tensor]) -> Tensor:
        """Attention weights (layers, B, heads, T, T) for pictures: row i says where token i looks."""
        x, maps = self.embed(batch.get("tokens"), batch.get("segments")), []
        for block in self.blocks:
            maps.append(block.attention.weights(block.norm1(x) if block.pre_norm else x))
            x = block(x)
        return torch.stack(maps)
