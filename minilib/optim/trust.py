"""The trust ratio of LARS and LAMB: how long a layer's step may be, measured by the layer itself.

Source: You et al. 2020, section 3 (general recipe). A parameter array is a layer here, as in all public code.
"""

import math

import numpy as np

IDENTITY = (0.0, math.inf)


def norm(a: np.ndarray) -> float:
    """The Euclidean norm of all entries, also where their squares are too large for a's numbers."""
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(a))
    if length < math.inf:
        return length
    largest = float(np.abs(a).max())
    return largest * float(np.linalg.norm(a / largest))


def trust_ratio(x: np.ndarray, u: np.ndarray, phi: tuple[float, float] = IDENTITY) -> float:
    """φ(‖x‖) / ‖u‖ with φ(z) = min(max(z, lower), upper); 1 when either of φ(‖x‖) and ‖u‖ is zero.

    Args:
        x: the layer's weights, of any shape. Norms are Euclidean, over all entries.
        u: the step that is proposed for it, of the same shape.
        phi: bounds (lower, upper) on the weights' norm; the default leaves it as it is.
    """
    lower, upper = phi
    # φ(‖x‖)
    size = min(max(norm(x), lower), upper)
    length = norm(u)
    return size / length if size > 0 and length > 0 else 1.0
