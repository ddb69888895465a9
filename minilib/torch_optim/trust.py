"""The trust ratio of LARS and LAMB, from sums of squares: no number leaves the device."""

import math

import torch

IDENTITY = (0.0, math.inf)


def trust_ratio(xx, uu, phi=IDENTITY):
    """φ(‖x‖)/‖u‖; 1 when either of φ(‖x‖) and ‖u‖ is zero.

    Args:
        xx, uu: ‖x‖² and ‖u‖², tensors of one shape.
        phi: bounds (lower, upper) on ‖x‖.
    """
    size, norm = xx.sqrt().clamp(*phi), uu.sqrt()
    return torch.where((size > 0) & (norm > 0), size / norm, 1.0)
