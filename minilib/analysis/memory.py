"""The bytes of a training run, predicted: parameters, gradients, master weights, optimizer state, activations.

A model is a description, the shapes of its parameters and the tensors that its backward pass needs, and nothing is
allocated. Sources: the numbers of an optimizer's state are what its class in `minilib.optim` says, their types what
packages were seen to keep (`KEPT`); the activations are what PyTorch's autograd saves for a transformer with a
LayerNorm before (or after) each half of a block; sharding is ZeRO (Rajbhandari et al. 2020). The chapter on memory
derives every line, and compares it with what is really held.

Absent on purpose: what lives for less than one operation (temporaries), an allocator's waste, the driver's own
memory, communication buffers, tensor and pipeline parallelism, gradient accumulation buffers of a second dtype.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, prod

from minilib import optim

Shape = tuple[int, ...]
Shapes = Iterable[Shape] | Mapping[str, Shape]  # with names, where they matter: see `state_numbers`
INDEX = 8  # bytes of an integer token id
STATISTIC = 4  # a norm keeps its mean and 1/deviation in float32, whatever the rest is in


def size(shape: Shape) -> int:
    """Numbers in an array of this shape."""
    return prod(shape)


# How many numbers an optimizer remembers for one parameter, beside the parameter and its gradient.
STATE: dict[str, Callable[[Shape], int]] = {
    "SGD": optim.SGD.state_size,
    "Momentum": partial(optim.SGD.state_size, momentum=0.9),  # heavy ball, Nesterov
} | {name: cls.state_size for name, cls in optim.METHODS.items() if name != "LARS2020"}


# Package -> (its methods, bytes of a number of their state). None: the type of what the optimizer steps on; else rows
# and columns are float32. Measured on matrices in bfloat16; tests measure torch's and ours again. A method without a
# package is that of the first that has it; where none has, its state has the type of what it steps on.
CODES = 1 + 4 / 256  # a byte, and a float32 scale for each block of 256; fewer than 4,096 numbers are float32
TORCHS = "SGD", "Momentum", "Adagrad", "RMSProp", "Adam", "AdamW", "AMSGrad", "Adafactor", "Muon"
OURS = "LARS", "LAMB", "Adafactor", "CAME"
KEPT: dict[str, tuple[tuple[str, ...], float | None]] = {
    "torch 2.13.0": (TORCHS, None),
    "minilib": (OURS, 4),
    "minilib, state_dtype bfloat16": (OURS, 2),
    "minilib, state_dtype uint8": (OURS, CODES),
    "came-pytorch 0.1.3": (("CAME",), 4),
    "pytorch_optimizer 4.1.0": (("LARS", "LAMB", "CAME"), None),
    "transformers 5.23.0": (("Adafactor",), 4),
    "bitsandbytes 0.50.2": (("AdamW", "LAMB", "Lion"), CODES),
}


def packages(optimizer: str) -> list[str]:
    """Those of `KEPT` that have this optimizer."""
    return [name for name, (methods, _) in KEPT.items() if optimizer in methods]


def state_numbers(shapes: Shapes, optimizer: str) -> int:
    """Numbers of state that `optimizer` keeps for parameters of these shapes. ValueError: no such optimizer.

    Where they have names Muon leaves tables of embeddings to AdamW, as its authors do.
    """
    if optimizer not in STATE:
        raise ValueError(f"optimizer must be one of {list(STATE)}, got {optimizer!r}")
    if optimizer == "Muon" and isinstance(shapes, Mapping):
        tables = {name: shape for name, shape in shapes.items() if name.startswith(("tokens", "positions", "segments"))}
        others = [shape for name, shape in shapes.items() if name not in tables]
        return state_numbers(tables.values(), "AdamW") + state_numbers(others, "Muon")
    return sum(STATE[optimizer](tuple(shape)) for shape in _list(shapes))


def _list(shapes: Shapes) -> list[Shape]:
    return [tuple(shape) for shape in (shapes.values() if isinstance(shapes, Mapping) else shapes)]


def state_types(optimizer: str, precision: str = "fp32", package: str | None = None) -> tuple[float, float]:
    """Bytes of a number of state that has the shape of a matrix, and of one of its rows and columns.

    ValueError: the package has no such optimizer.
    """
    known, usual = packages(optimizer), PRECISIONS[precision].state
    if package is not None and package not in known:
        raise ValueError(f"package of {optimizer} must be one of {known}, got {package!r}")
    found = KEPT[package or known[0]][1] if known else None
    found = CODES if usual == CODES else found
    return (usual, usual) if found is None else (found, 4)


def state_bytes(shapes: Shapes, optimizer: str, precision: str = "fp32", package: str | None = None) -> float:
    """Bytes of that state in a package, by default the first that has it, step counters left out."""
    full, thin = state_types(optimizer, precision, package)
    if full != CODES and full == thin:
        return full * state_numbers(shapes, optimizer)
    total = 0.0
    for shape in _list(shapes):
        n, numbers = size(shape), state_numbers([shape], optimizer)
        factored = optimizer in ("Adafactor", "CAME") and len(shape) > 1
        whole = n * (optimizer == "CAME") if factored else numbers
        arrays, rest = divmod(whole, max(1, n))
        each = full * n if full != CODES else n + 4 * ceil(n / 256) if n >= 4096 else 4 * n
        total += arrays * each + thin * (rest + numbers - whole)
    return total


@dataclass(frozen=True)
class Precision:
    """Bytes of one number of each kind; `master` is the float32 copy of parameters kept in 16 bits, or 0.

    `state`: where a package keeps it in the type of what it steps on, the master copy or else the parameters; or CODES.
    """

    parameters: float
    gradients: float
    master: float
    state: float
    activations: float


PRECISIONS = {
    "fp32": Precision(4, 4, 0, 4, 4),
    "bf16 + fp32 master": Precision(2, 2, 4, 4, 2),
    "pure bf16": Precision(2, 2, 0, 2, 2),
    "bf16 + 8-bit state": Precision(2, 2, 4, CODES, 2),  # in any package that has one (Dettmers et al. 2022)
}


@dataclass(frozen=True)
class Transformer:
    """BERT's shape. With the defaults it is `autodiff.TransformerEncoder`; BERT has two `segments` and a `head`.

    Args:
        vocabulary, max_length, width, layers, heads: as there.
        ffn: inner width of the MLP; 0 means 4 * width.
        segments: rows of a table that tells first from second sentence.
        head: a dense layer, GELU and LayerNorm before the logits.
        modern: gated, with positions that are no parameters, and no biases but the last (`minilib.models.bert`).
    """

    vocabulary: int
    max_length: int
    width: int
    layers: int
    heads: int
    ffn: int = 0
    segments: int = 0
    head: bool = False
    modern: bool = False

    @property
    def inner(self) -> int:
        """Width of the MLP between its layers."""
        return self.ffn or (16 * round(self.width / 6) if self.modern else 4 * self.width)

    def shapes(self) -> dict[str, Shape]:
        """Name -> shape of every parameter; the output layer shares the token table."""
        h, f = self.width, self.inner
        out = {"tokens.weight": (self.vocabulary, h), "positions.weight": (self.max_length, h)}
        if self.segments:
            out["segments.weight"] = (self.segments, h)
        for i in range(self.layers):
            for norm in ("norm1", "norm2"):
                out |= {f"blocks.{i}.{norm}.gain": (h,), f"blocks.{i}.{norm}.bias": (h,)}
            maps = {f"attention.{name}": (h, h) for name in ("query", "key", "value", "output")}
            mlp = {"mlp.layers.0": (h, f), "mlp.layers.1": (f, h)} | ({"mlp.gate": (h, f)} if self.modern else {})
            for name, shape in (maps | mlp).items():
                out |= {f"blocks.{i}.{name}.weight": shape, f"blocks.{i}.{name}.bias": shape[1:]}
        out |= {"norm.gain": (h,), "norm.bias": (h,)}
        if self.head:
            out |= {"dense.weight": (h, h), "dense.bias": (h,), "last.gain": (h,), "last.bias": (h,)}
        if self.modern:
            gone = ("positions.weight", "segments.weight", "blocks.0.norm1.gain")
            out = {name: shape for name, shape in out.items() if not name.endswith(".bias") and name not in gone}
            out["end.gain"] = (h,)
        return out | {"bias": (self.vocabulary,)}

    def parameters(self) -> int:
        """The number of numbers in all parameters."""
        return sum(map(size, self.shapes().values()))

    def block(self, batch: int, length: int, e: float = 4, dropout=False, flash=False) -> dict[str, float]:
        """Bytes that one block saves for its backward pass, by tensor; `e` is the bytes of a number.

        `dropout` after the attention weights and after both halves; `flash` attention never stores the weights.
        """
        bs, bsh = batch * length, batch * length * self.width
        weights = batch * self.heads * length**2
        saved = {
            "inputs of the two norms": 2 * bsh * e,
            "statistics of the two norms": 4 * bs * STATISTIC,
            "inputs of query, key, value and of the MLP": 2 * bsh * e,
            "query, key, value": 3 * bsh * e,
            "attention weights": batch * self.heads * length * STATISTIC if flash else weights * e,
            "input of the output map": bsh * e,
            # gated: and the gate, and the product of the two
            "MLP before and after GELU": (4 if self.modern else 2) * bs * self.inner * e,
        }
        if dropout:
            saved["masks of the two halves, one byte each"] = 2 * bsh
            saved["attention weights after dropout, and mask"] = 0 if flash else weights * (e + 1)
        return saved

    def ends(self, batch: int, length: int, masked: int, e: float = 4) -> dict[str, float]:
        """Bytes saved before the first block and after the last; `masked` tokens of the whole batch are predicted."""
        bs, bsh, kh = batch * length, batch * length * self.width, masked * self.width
        saved = {
            "token and segment ids": (2 if self.segments else 1) * bs * INDEX,
            "input and statistics of the norm": (1 + self.modern) * (bsh * e + 2 * bs * STATISTIC),
            "which tokens, and what they are": 2 * masked * INDEX,
            "input of the output layer": kh * e,
            "log-probabilities": (masked * self.vocabulary + 1) * e,  # and the number of targets
        }
        if self.head:
            saved["dense layer, GELU, norm"] = 3 * kh * e + 2 * masked * STATISTIC
        return saved

    def activations(self, batch: int, length: int, masked: int, e: float = 4, recompute=False, **options) -> float:
        """Bytes held for the backward pass when they are most; `recompute` keeps only the input of each block."""
        block, ends = sum(self.block(batch, length, e, **options).values()), self.ends(batch, length, masked, e)
        if not recompute:
            return sum(ends.values()) + self.layers * block
        inputs = self.layers * batch * length * self.width * e
        # Most is held after the forward pass, or when the last block has been recomputed and the head is done with.
        one_block = block - batch * length * self.width * e + ends["token and segment ids"]
        return inputs + max(sum(ends.values()), one_block)


def training_bytes(shapes, optimizer: str, precision="fp32", devices=1, stage=0, package=None) -> dict[str, int]:
    """Bytes on each of `devices` for everything but activations: ZeRO stage 1 cuts optimizer state and master
    weights into equal shares, 2 gradients too, 3 parameters too; 0 keeps all of it everywhere. `package`: see `KEPT`.

    ValueError: unknown optimizer, precision or package, a stage outside 0 ... 3, less than one device.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {list(PRECISIONS)}, got {precision!r}")
    if stage not in (0, 1, 2, 3) or devices < 1:
        raise ValueError(f"stage must be 0, 1, 2 or 3 and devices at least 1, got {stage} and {devices}")
    shapes, p = shapes if isinstance(shapes, Mapping) else list(shapes), PRECISIONS[precision]
    d = sum(map(size, _list(shapes)))

    def share(numbers, bytes_each, from_stage):
        return ceil(ceil(numbers / (devices if stage >= from_stage else 1)) * bytes_each)

    return {
        "parameters": share(d, p.parameters, 3),
        "gradients": share(d, p.gradients, 2),
        "master weights": share(d, p.master, 1),
        "optimizer state": share(state_bytes(shapes, optimizer, precision, package), 1, 1),
    }
