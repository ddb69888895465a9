"""Uniform quantisation: each weight becomes one of 2^k numbers in equal steps, and its code takes k bits, no more.

Source: Li et al. 2020, who use 4, 6 and 8 bits. Absent on purpose: steps that are not equal, ranges that cut outliers
off, an integer zero point (the least weight is kept as it is, so that a constant is exact, but 0 may not be).
"""

from dataclasses import dataclass
from math import inf, prod

import numpy as np
import torch
from torch import Tensor

BITS, PER = (2, 3, 4, 5, 6, 7, 8), ("tensor", "channel")


def pack(codes: Tensor, bits: int) -> Tensor:
    """(n,) uint8 below 2^bits -> (⌈n · bits / 8⌉,) uint8: code after code, the lowest bit first."""
    each = np.unpackbits(codes.numpy()[:, None], axis=1, count=bits, bitorder="little")  # (n, bits) of 0 and 1
    return torch.from_numpy(np.packbits(each, bitorder="little"))


def unpack(packed: Tensor, bits: int, n: int | None = None) -> Tensor:
    """The first `n` codes that `pack` was given; by default as many as there is room for."""
    n = 8 * len(packed) // bits if n is None else n
    each = np.unpackbits(packed.numpy(), count=n * bits, bitorder="little").reshape(n, bits)
    return torch.from_numpy(np.packbits(each, axis=1, bitorder="little")[:, 0])


def rows(places: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The row, which is the index in the first dimension, of each place in a flattened tensor of this shape."""
    return places // prod(shape[1:])


@dataclass(frozen=True, eq=False)
class Quantized:
    """A tensor as codes q, which stand for minimum + scale · q. `quantize` makes one.

    Args:
        codes: uint8, `bits` a code, packed.
        scale, minimum: (channels,) float32; one channel where it was quantised per tensor.
    """

    codes: Tensor
    scale: Tensor
    minimum: Tensor
    bits: int
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of codes, scales and minima, as for a tensor."""
        return self.codes.nbytes + self.scale.nbytes + self.minimum.nbytes

    def dequantize(self, channel: Tensor | None = None) -> Tensor:
        """float32, of the shape it had; `channel` as it was given to `quantize`."""
        q = unpack(self.codes, self.bits, prod(self.shape))
        if len(self.scale) == 1:
            channel = torch.zeros(len(q), dtype=torch.int64)
        elif channel is None:
            channel = rows(torch.arange(len(q)), self.shape)
        # ŵ = min + s q
        w = self.minimum.double()[channel] + self.scale.double()[channel] * q
        return w.float().reshape(self.shape)


def quantize(w: Tensor, bits: int, per: str = "tensor", channel: Tensor | None = None) -> Quantized:
    """The codes of `w`: |w - ŵ| <= scale / 2, and what rounding ŵ to float32 adds: 2^-24 |ŵ|. A constant is exact.

    Args:
        w: floating-point tensor, taken in float32.
        bits: a code, 2 to 8.
        per: "tensor" has one scale and one minimum, "channel" one of each in a row (torch's channel 0). A row costs 8
            bytes more then, and its scale is at most that of the tensor.
        channel: (entries of w,) int64, 0 to c - 1: other channels than the rows.

    ValueError: bits or per is none of these, or w has an entry that is not finite.
    """
    check_format(bits, per)
    x = w.detach().float().flatten().cpu().double()
    if bad := int((~x.isfinite()).sum()):
        raise ValueError(f"w must be finite, has {bad} entries that are nan, infinite, or too large for float32")
    if per == "tensor":
        channel = torch.zeros(len(x), dtype=torch.int64)
    elif channel is None:
        channel = rows(torch.arange(len(x)), w.shape)
    count = 1 if per == "tensor" or not len(x) else int(channel.max()) + 1
    low = torch.full((count,), inf, dtype=x.dtype).scatter_reduce(0, channel, x, "amin")
    high = torch.full((count,), -inf, dtype=x.dtype).scatter_reduce(0, channel, x, "amax")
    empty = low > high  # a channel without entries
    low[empty], high[empty] = 0.0, 0.0
    # s = (max - min) / (2^k - 1), rounded up to float32, so that no code exceeds 2^k - 1
    step = (high - low) / (2**bits - 1)
    scale = step.float()
    scale = torch.where(scale.double() < step, scale.nextafter(torch.tensor(inf)), scale)
    # q = round((w - min) / s)
    divisor = torch.where(scale > 0, scale, 1.0).double()
    q = ((x - low[channel]) / divisor[channel]).round().to(torch.uint8)
    return Quantized(pack(q, bits), scale, low.float(), bits, tuple(w.shape))


def check_format(bits: int, per: str, allowed: tuple[int, ...] = BITS) -> None:
    """Raises ValueError for bits that are not among those allowed, or per that is neither "tensor" nor "channel"."""
    if type(bits) is not int or bits not in allowed:
        raise ValueError(f"bits must be one of {allowed}, got {bits!r}")
    if per not in PER:
        raise ValueError(f"per must be one of {PER}, got {per!r}")
