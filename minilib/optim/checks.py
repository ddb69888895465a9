"""Bad input gets one clear error: what was given, its value, and what it may be."""

import math

import numpy as np


def is_number(v):
    return isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool)


def _each(n, test):
    return lambda v: isinstance(v, (tuple, list)) and len(v) == n and all(test(x) for x in v)


def _unit(v):
    return is_number(v) and 0 <= v < 1


def _positive(v):
    return is_number(v) and 0 < v < math.inf


# What an option may be: in words, and a test. Comparisons with nan are false, so nan never passes.
FRACTION = "a number in [0, 1)", _unit
POSITIVE = "a finite number > 0", _positive
NOT_NEGATIVE = "a finite number >= 0", lambda v: is_number(v) and 0 <= v < math.inf
COUNT = "an integer >= 1", lambda v: isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v >= 1
FLAG = "True or False", lambda v: isinstance(v, (bool, np.bool_))
ADJUSTMENTS = ("original", "match_rms_adamw")

RANGES = {
    "lr": NOT_NEGATIVE,
    "momentum": FRACTION,
    "alpha": FRACTION,
    "betas": ("two numbers in [0, 1)", _each(2, _unit)),
    "eps": POSITIVE,
    "weight_decay": NOT_NEGATIVE,
    "d": POSITIVE,
    "beta2_decay": ("a number in [-1, 0)", lambda v: is_number(v) and -1 <= v < 0),
    "trust_coefficient": POSITIVE,
    "phi": ("bounds (lower, upper) with 0 <= lower < upper", lambda v: _each(2, is_number)(v) and 0 <= v[0] < v[1]),
    "axis": ("0, -1 or None", lambda v: v is None or (type(v) is int and v in (0, -1))),
    "ns_steps": COUNT,
    "precondition_frequency": COUNT,
    "adjust_lr_fn": (f"one of {ADJUSTMENTS}", lambda v: isinstance(v, str) and v in ADJUSTMENTS),
    "nesterov": FLAG,
    "bias_correction": FLAG,
    "layer_adaptation": FLAG,
    "relative_step": FLAG,
}

# Adafactor and CAME have a pair of epsilons, CAME a third beta; ScheduleFree divides by the first.
EPS_PAIR = {"eps": ("a pair of finite numbers > 0", _each(2, _positive))}
BETAS_TRIPLE = {"betas": ("three numbers in [0, 1)", _each(3, _unit))}
BETA1_POSITIVE = {"betas": ("two numbers in [0, 1), the first > 0", lambda v: _each(2, _unit)(v) and v[0] > 0)}


def check_option(name: str, value, ranges: dict = RANGES) -> None:
    """Raises ValueError when option `name` may not have this `value`, or when `ranges` does not say what it may be."""
    if name not in ranges:
        raise ValueError(f"nothing says what {name} may be: add it to the optimizer's `ranges`")
    allowed, ok = ranges[name]
    if not ok(value):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")


def check_parameter(name: str, p) -> None:
    """Raises ValueError when parameter `p` has no `.grad`, or its `.data` is not an array that can be trained.

    float16 is refused: squared gradients and the usual epsilons underflow to zero in it.
    """
    x = getattr(p, "data", None)
    if not (isinstance(x, np.ndarray) and hasattr(p, "grad")):
        raise ValueError(f"{name} must have .data (a NumPy array) and .grad, got {type(p).__name__}")
    if x.dtype not in (np.float32, np.float64) or x.size == 0 or not x.flags.writeable:
        kind = f"{x.dtype} of shape {x.shape}" + ("" if x.flags.writeable else ", read-only")
        raise ValueError(f"data of {name} must be a non-empty, writeable array of float32 or float64, got {kind}")


def check_gradient(name: str, x: np.ndarray, g, squares: bool = False) -> np.ndarray:
    """The gradient `g` of parameter `name` as an array of x's dtype, so that state has that dtype too.

    Raises ValueError when its shape is not that of `x`, or an entry is not finite, or, with `squares`, when the sum of
    the squares of its entries is not.
    """
    if np.shape(g) != x.shape:
        raise ValueError(f"gradient of {name} has shape {np.shape(g)}, must be {x.shape}")
    with np.errstate(over="ignore"):  # too large for float32 is infinite, and refused below
        g = np.asarray(g, dtype=x.dtype)
        length = np.vdot(g, g) if squares else 0.0
    if not np.isfinite(g).all():
        bad = int(g.size - np.isfinite(g).sum())
        raise ValueError(f"gradient of {name} has {bad} of {g.size} entries that are nan or infinite")
    if not np.isfinite(length):
        raise ValueError(f"gradient of {name} is too large to be squared in {g.dtype}, got up to {np.abs(g).max():.3g}")
    return g
