"""Bad input gets one clear error: what was given, its value, and what it may be."""

import math

import numpy as np


def is_number(v):
    return isinstance(v, (int, float, np.integer, np.floating)) and not isinstance(v, bool)


def _number(low, high=math.inf, open_low=False):
    """A test for a finite number in [low, high), or (low, high)."""

    def ok(v):
        return is_number(v) and (low < v if open_low else low <= v) and v < high

    return ok


def _tuple_of(*tests):
    """A test for a tuple whose elements pass `tests`, one each."""

    def ok(v):
        right_length = isinstance(v, (tuple, list)) and len(v) == len(tests)
        return right_length and all(test(x) for test, x in zip(tests, v, strict=True))

    return ok


def _bounds(v):
    return _tuple_of(_number(0), is_number)(v) and v[0] < v[1]


def _flag(v):
    return isinstance(v, (bool, np.bool_))


_unit, _positive = _number(0, 1), _number(0, open_low=True)

# option -> (what it may be, the test). Comparisons with nan are false, so nan never passes.
RANGES = {
    "lr": ("a finite number >= 0", _number(0)),
    "momentum": ("a number in [0, 1)", _unit),
    "alpha": ("a number in [0, 1)", _unit),
    "betas": ("two numbers in [0, 1)", _tuple_of(_unit, _unit)),
    "eps": ("a finite number > 0", _positive),
    "weight_decay": ("a finite number >= 0", _number(0)),
    "d": ("a finite number > 0", _positive),
    "beta2_decay": ("a number in [-1, 0)", _number(-1, 0)),
    "trust_coefficient": ("a finite number > 0", _positive),
    "phi": ("bounds (lower, upper) with 0 <= lower < upper", _bounds),
    "nesterov": ("True or False", _flag),
    "bias_correction": ("True or False", _flag),
    "layer_adaptation": ("True or False", _flag),
    "relative_step": ("True or False", _flag),
}

# Adafactor and CAME have a pair of epsilons, CAME also a third beta.
EPS_PAIR = {"eps": ("a pair of finite numbers > 0", _tuple_of(_positive, _positive))}
BETAS_TRIPLE = {"betas": ("three numbers in [0, 1)", _tuple_of(_unit, _unit, _unit))}


# What only newer methods have.
def _count(v):
    return isinstance(v, (int, np.integer)) and not isinstance(v, bool) and v >= 1


ADJUSTMENTS = ("original", "match_rms_adamw")
ADJUST = {"adjust_lr_fn": (f"one of {ADJUSTMENTS}", lambda v: isinstance(v, str) and v in ADJUSTMENTS)}
AXIS = {"axis": ("0, -1 or None", lambda v: v is None or (isinstance(v, int) and not _flag(v) and v in (0, -1)))}
BETA1_POSITIVE = {"betas": ("two numbers in [0, 1), the first > 0", lambda v: RANGES["betas"][1](v) and v[0] > 0)}
COUNTS = dict.fromkeys(("ns_steps", "precondition_frequency"), ("an integer >= 1", _count))


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
