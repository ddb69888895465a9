"""Stochastic rounding to bfloat16: up or down at random, so that updates below its spacing survive in the mean."""

import torch


def round_stochastically(value: torch.Tensor, seed) -> torch.Tensor:
    """float32 cut to the 16 bits of bfloat16, up or down with the probability that keeps its mean; still float32.

    The random bits are a hash of the value's own bits and of `seed`, a number or a tensor that broadcasts: no state,
    and the same on every replica.
    """
    seed = seed.to(torch.int64) if isinstance(seed, torch.Tensor) else int(seed)
    bits = value.view(torch.int32)
    h = (bits.to(torch.int64) + (seed + 1) * 0x9E3779B1) & 0xFFFFFFFF
    for factor, shift in ((0x7FEB352D, 15), (0x846CA68B, 13)):
        h = ((h ^ (h >> shift)) * factor) & 0xFFFFFFFF
    return ((bits + (h >> 16).to(torch.int32)) & -65536).view(torch.float32)
