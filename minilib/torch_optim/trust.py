"""The trust ratio of LARS and LAMB, from sums of squares: no number leaves the device."""

import math

from minilib.torch_optim.many import where

IDENTITY = (0.0, math.inf)


def trust_ratio(xx, uu, phi=IDENTITY, max_ratio=math.inf):
    """φ(‖x‖)/‖u‖, at most `max_ratio`; 1 when either of φ(‖x‖) and ‖u‖ is zero.

    Args:
        xx, uu: ‖x‖² and ‖u‖², 0-dim tensors or `Many` of them.
        phi: bounds (lower, upper) on ‖x‖.
    """
    size, norm = bounded(xx.sqrt(), *phi), uu.sqrt()
    ratio = bounded(size / norm, 0.0, max_ratio)
    return where((size > 0) & (norm > 0), ratio, 1.0)


def bounded(value, lower, upper):
    """min(max(value, lower), upper), for values >= 0."""
    if lower > 0:
        value = value.clamp(min=lower)
    return value.clamp(max=upper) if upper < math.inf else value
