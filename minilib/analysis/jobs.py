"""A training run that is only described: the model, the job and the machines that `planner` plans with.

The models are those of `minilib.models`, as descriptions: shapes, and operations of the products. Nothing is allocated.
Absent on purpose: tensor and pipeline parallelism.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, inf, prod
from typing import NamedTuple

from minilib import optim
from minilib.analysis import memory
from minilib.analysis.cards import Card

# What a step of each method reads and writes, as its class says.
PASSES = {"SGD": optim.SGD.passes, "Momentum": "x g m r, x m w"}
PASSES |= {name: optim.METHODS[name].passes for name in ("AdamW", "LARS", "LAMB", "Adafactor", "CAME", "Muon")}


class Precision(NamedTuple):
    """In what is multiplied, the bytes that are kept (see `memory.PRECISIONS`), and what autocast adds.

    `copies`: bytes a parameter of the 16-bit copies that autocast keeps during a step. `gathered`, `reduced`: bytes of
    a number when parameters are gathered and when gradients are added up.
    """

    rate: str
    kept: str
    copies: int
    gathered: int
    reduced: int


PARALLEL = ("ddp", "fsdp", "hsdp")
PRECISIONS = {
    "fp32": Precision("fp32", "fp32", 0, 4, 4),
    "tf32": Precision("tf32", "fp32", 0, 4, 4),
    "bf16": Precision("bf16", "fp32", 2, 2, 4),  # autocast, as `minilib.training` does it: weights stay float32
    "fp16": Precision("fp16", "fp32", 2, 2, 4),
    "bf16 + fp32 master": Precision("bf16", "bf16 + fp32 master", 0, 2, 2),
    "pure bf16": Precision("bf16", "pure bf16", 0, 2, 2),
}


def positive(**values) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < inf:
            raise ValueError(f"{name} must be a number > 0, got {value!r}")


def counts(**values) -> None:
    for name, value in values.items():
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")


def choice(name: str, value, known: Iterable) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")


@dataclass(frozen=True)
class Model:
    """A BERT (no next sentence; perhaps `modern`), a GPT-2 or a T5; `heads` 0: of 64 numbers each, but at least two.

    ValueError: another family, or a number that is no integer of at least 1.
    """

    family: str
    layers: int
    width: int
    vocabulary: int
    longest: int = 512
    heads: int = 0
    modern: bool = False

    def __post_init__(self):
        choice("family", self.family, ("bert", "gpt2", "t5"))
        counts(layers=self.layers, width=self.width, vocabulary=self.vocabulary, longest=self.longest)
        if self.heads:
            counts(heads=self.heads)

    def transformer(self) -> memory.Transformer:
        ends = {"segments": 2, "head": True, "modern": self.modern} if self.family == "bert" else {}
        heads = self.heads or max(2, self.width // 64)
        return memory.Transformer(self.vocabulary, self.longest, self.width, self.layers, heads, **ends)

    def shapes(self) -> dict[str, memory.Shape]:
        """Name -> shape of every parameter."""
        if self.family == "t5":
            h, n, shapes = self.width, self.layers, {"tokens.weight": (self.vocabulary, self.width)}
            for stack in (0, 1):
                shapes |= {f"positions.{stack}": (32, self.transformer().heads), f"last.{stack}": (h,)}
                for at in (f"blocks.{stack * n + i}" for i in range(n)):
                    shapes |= {f"{at}.{k}.{matrix}": (h, h) for k in range(1 + stack) for matrix in "qkvo"}
                    shapes |= {f"{at}.up": (h, 4 * h), f"{at}.down": (4 * h, h)}
                    shapes |= {f"{at}.norm{k}": (h,) for k in range(2 + stack)}
            return shapes
        shapes = self.transformer().shapes()
        if self.family == "gpt2":
            del shapes["bias"]  # its output layer has none
        return shapes

    @property
    def blocks(self) -> int:
        return self.layers * (1 + (self.family == "t5"))

    def parameters(self, blocks_only: bool = False) -> int:
        """How many numbers the parameters have, or those in blocks."""
        return sum(prod(shape) for name, shape in self.shapes().items() if not blocks_only or name.startswith("blocks"))

    def guessed(self, length: int) -> int:
        """Tokens of a row whose loss is computed: 15 in 100 for BERT, all for GPT-2, and those that T5 writes."""
        if self.family == "t5":
            return 1 + (gone := round(0.15 * length)) + max(1, round(gone / 3))  # a sentinel for each span, and the end
        return ceil(0.15 * length) if self.family == "bert" else length

    def read(self, length: int) -> int:
        """Tokens that T5 reads of a row: 15 in 100 are gone, in spans of 3, a sentinel for each; and the end."""
        return length - 2 * round(0.15 * length) + self.guessed(length)

    def operations(self, length: int, guessed: int | None = None, recompute: bool = False) -> int:
        """Of the products of one row, forward and backward; `recompute` runs the blocks forward once more."""
        n, h, k = self.layers, self.width, self.guessed(length) if guessed is None else guessed
        # (8 h² + 4 h f) L T + 4 L h T², where f = 4 h is the width inside; gated, three matrices in place of two
        blocks = (8 * h + (6 if self.modern else 4) * self.transformer().inner) * h * n * length + 4 * n * h * length**2
        if self.family == "t5":  # the decoder's k tokens also look at the s that were read
            s = self.read(length)
            blocks = n * h * (28 * h * s + 4 * s**2 + 28 * h * k + 4 * k**2 + 4 * k * s)
        # 2 k h V, and 2 k h² for BERT's dense layer
        head = 2 * k * h * self.vocabulary + (2 * k * h**2 if self.family == "bert" else 0)
        # backward is two products for each one forward
        return 3 * (blocks + head) + (blocks if recompute else 0)

    def orthogonalising(self) -> int:
        """Operations of Muon's five iterations on the matrices that are no tables, on each card: 4 n² m + 2 n³ each."""
        shapes = [shape for name, shape in self.shapes().items() if name.startswith(("blocks", "dense"))]
        return 5 * sum(4 * n * n * m + 2 * n**3 for n, m in (sorted(shape) for shape in shapes if len(shape) == 2))

    def t5_saved(self, length: int, e: float) -> float:
        """Bytes that a T5 saves of a row for its backward pass. Under autocast (e = 2) each matrix has its own input.

        Of a norm, in float32, what goes in and what is scaled; of the MLP what ReLU returns.
        """
        n, h, s, k = self.layers, self.width, self.read(length), self.guessed(length)
        norms = 8 * h * (s * (2 * n + 1) + k * (3 * n + 1))
        inputs = (7 * (s + k) if e == 2 else 3 * s + 5 * k) + 9 * s + 8 * k
        statistics = s * (2 * n + 1) + k * (3 * n + 1) + n * self.transformer().heads * (s + 2 * k)
        return norms + e * h * (n * inputs + s + k) + 4 * (statistics + k * self.vocabulary) + 8 * (s + k)


_BERT = {"tiny": (2, 128), "mini": (4, 256), "small": (4, 512), "medium": (8, 512), "base": (12, 768)}
NAMED = {f"bert-{name}": Model("bert", *size, 30_522) for name, size in (_BERT | {"large": (24, 1024)}).items()}
NAMED |= {"gpt2": Model("gpt2", 12, 768, 50_257, 1024), "gpt2-medium": Model("gpt2", 24, 1024, 50_257, 1024)}
NAMED |= {"t5-small": Model("t5", 6, 512, 32_128), "t5-base": Model("t5", 12, 768, 32_128)}


@dataclass(frozen=True)
class Job:
    """What is to be trained, and how.

    Args:
        batch: rows a step, over all cards. `length`: tokens a row.
        steps, tokens: one of the two; a step has batch * length tokens.
        guessed: tokens of a row whose loss is computed; by default `Model.guessed`.
        optimizer, precision: names in `PASSES` and `PRECISIONS`. `package`: of the optimizer, see `memory.KEPT`.
        micro_batch: rows that a card takes at once; by default as many as fit into its memory.
        parallel: "ddp", every card holds all; "fsdp", each holds its share of parameters, gradients and state; "hsdp",
            its share among the cards of a node.
        recompute: keep the input of each block only, and compute the rest again.

    ValueError: a value that may not be, or not exactly one of steps and tokens.
    """

    model: Model
    batch: int
    length: int
    steps: int | None = None
    tokens: float | None = None
    guessed: int | None = None
    optimizer: str = "AdamW"
    precision: str = "bf16"
    micro_batch: int | None = None
    parallel: str = "ddp"
    recompute: bool = False
    package: str | None = None

    def __post_init__(self):
        counts(batch=self.batch, length=self.length)
        if (self.steps is None) == (self.tokens is None):
            raise ValueError(f"give one of steps and tokens, got steps {self.steps!r} and tokens {self.tokens!r}")
        positive(**({"steps": self.steps} if self.tokens is None else {"tokens": self.tokens}))
        if self.length > self.model.longest:
            raise ValueError(f"length must be at most the model's {self.model.longest}, got {self.length}")
        if self.guessed is not None and self.model.family == "t5":
            raise ValueError("guessed must be left out for a T5: its decoder writes what is gone")
        if self.guessed is not None and not 1 <= self.guessed <= self.length:
            raise ValueError(f"guessed must be from 1 to the length {self.length}, got {self.guessed!r}")
        if self.micro_batch is not None:
            counts(micro_batch=self.micro_batch)
        choice("optimizer", self.optimizer, PASSES)
        choice("precision", self.precision, PRECISIONS)
        choice("parallel", self.parallel, PARALLEL)
        memory.state_types(self.optimizer, package=self.package)  # ValueError where there is none

    def count(self) -> int:
        """Steps of the optimizer."""
        return ceil(self.steps if self.tokens is None else self.tokens / (self.batch * self.length))


@dataclass(frozen=True)
class Machines:
    """Nodes of cards.

    Args:
        utilisation: share of the card's peak rate that the products of a step reach, all waiting within them included.
        cards: of a node; more than one need a link. `nodes`: how many there are.
        network: bytes a second that a node sends to others while it receives as much; needed for several nodes.
        latency: seconds of a round of messages, whatever its bytes; 0 leaves rounds out.

    ValueError: a share outside (0, 1.5], more cards than links join, or several nodes without a network.
    """

    card: Card
    utilisation: float
    cards: int = 1
    nodes: int = 1
    network: float | None = None
    latency: float = 0.0

    def __post_init__(self):
        counts(cards=self.cards, nodes=self.nodes)
        positive(utilisation=self.utilisation)
        if self.utilisation > 1.5:  # of a measured rate a little more than all may be reached
            raise ValueError(f"utilisation must be a share of the peak rate, at most 1.5, got {self.utilisation!r}")
        if self.cards > self.card.together:
            raise ValueError(f"cards must be at most {self.card.together} a node of {self.card.name}, got {self.cards}")
        if self.nodes > 1 and self.network is None:
            raise ValueError(f"network must be given in bytes a second where there are {self.nodes} nodes")
        if self.network is not None:
            positive(network=self.network)
        if not 0 <= self.latency < inf:
            raise ValueError(f"latency must be at least 0 seconds, got {self.latency!r}")

    @property
    def total(self) -> int:
        """Cards of all nodes."""
        return self.cards * self.nodes
