"""A pruned matrix: the weights that are left, and where they are.

The places are written as gaps, the numbers of pruned weights before each one that is left, in codes of b bits. The
largest code, 2^b - 1, says that so many are pruned and the gap goes on; any other ends it, before a weight that is
left. With b = 1 this is a bitmap: a 1 for each pruned weight, a 0 for one that is left. `sparsify` takes the b that
needs least. If each weight is left with probability p, independently of the others, the places need

    places(p, b) = b p / (1 - (1 - p)^(2^b - 1))   bits an entry:

p codes that end a gap, and those of long gaps. The bitmap needs 1. Two bits a code are better than it where
2 p < 1 - (1 - p)^3, which is p < (3 - √5) / 2 = 0.38: when more than 62 % is pruned. No code whatever needs less, on
average, than the entropy -p log₂ p - (1 - p) log₂(1 - p). Pruning makes weights of k bits smaller where
p k + places < k. With the bitmap that is 1 - p > 1 / k: to prune 15 % pays at 8 bits, and does not at 6.

Absent on purpose: blocks of weights, patterns that a processor can use.
"""

from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

from minilib.compress.quantized import BITS, Quantized, check_format, pack, quantize, rows, unpack


@dataclass(frozen=True, eq=False)
class Sparse:
    """A tensor with zeros. `sparsify` makes one.

    Args:
        gaps: uint8, `width` bits a code, packed.
        values: (weights left,) float32 in the order of the matrix, or Quantized.
    """

    gaps: Tensor
    values: Tensor | Quantized
    width: int
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of places and values, as for a tensor."""
        return self.gaps.nbytes + self.values.nbytes

    def places(self) -> Tensor:
        """(weights left,) int64: the places in the flattened matrix."""
        codes = unpack(self.gaps, self.width).long()
        skip = 2**self.width - 1
        last = torch.where(codes < skip, codes + 1, skip).cumsum(0) - 1  # the place of the last entry of each code
        return last[codes < skip][: self.values.shape[0]]  # there may be room for a code in the last byte

    def to_dense(self) -> Tensor:
        """float32, of the shape it had, with exact zeros."""
        places, values = self.places(), self.values
        if isinstance(values, Quantized):
            values = values.dequantize(rows(places, self.shape))
        dense = torch.zeros(prod(self.shape))
        dense[places] = values
        return dense.reshape(self.shape)


def sparsify(w: Tensor, mask: Tensor, bits: int = 32, per: str = "tensor") -> Sparse:
    """What the bool tensor `mask` keeps of `w`, in float32 or, with fewer `bits`, as by `quantize`.

    What is pruned takes no part in the minima and scales; per "channel" they are those of the rows of `w`.

    ValueError: bits or per is out of range, mask is no bool tensor of w's shape, or prunes a weight that is not 0, or a
    weight that is to be quantised is not finite.
    """
    check_format(bits, per, (*BITS, 32))
    if mask.dtype != torch.bool or mask.shape != w.shape:
        raise ValueError(f"mask must be bool of shape {tuple(w.shape)}, got {mask.dtype} of {tuple(mask.shape)}")
    w, mask = w.detach().float().cpu(), mask.cpu()
    if lost := int((w[~mask] != 0).sum()):
        raise ValueError(f"mask must prune zeros only, but {lost} of the weights that it prunes are something else")
    places = mask.flatten().nonzero()[:, 0]
    values = w.flatten()[places]
    if bits != 32:
        values = quantize(values, bits, per, rows(places, w.shape))
    gaps, width = encode(places)
    return Sparse(gaps, values, width, tuple(w.shape))


def encode(places: Tensor) -> tuple[Tensor, int]:
    """Increasing places -> packed codes, and their width from 1 to 8 bits: the one that needs fewest bytes."""
    gap = places.diff(prepend=torch.tensor([-1])) - 1
    width = min(range(1, 9), key=lambda b: b * (len(gap) + int((gap // (2**b - 1)).sum())))
    skip = 2**width - 1
    last = (gap // skip + 1).cumsum(0) - 1  # the code that ends each gap
    codes = torch.full((int(last[-1]) + 1 if len(last) else 0,), skip, dtype=torch.uint8)
    codes[last] = (gap % skip).to(torch.uint8)
    return pack(codes, width), width
