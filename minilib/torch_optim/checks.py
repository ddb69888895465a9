"""Bad input gets one clear error. What an option may be is said once for both rooms, in `minilib.optim.checks`."""

import math

import torch

from minilib.optim.checks import BETAS_TRIPLE, EPS_PAIR, RANGES, check_option, is_number

__all__ = ["BETAS_TRIPLE", "EPS_PAIR", "RANGES", "TORCH_RANGES", "check_gradient", "check_option", "check_parameter"]


def _lr(value):
    if isinstance(value, torch.Tensor):  # not looked into: that could need a synchronisation
        return value.ndim == 0 and value.is_floating_point()
    return is_number(value) and 0 <= value < math.inf


def _bound(value):
    return is_number(value) and value > 0


def _flag(value):
    return isinstance(value, bool)


def _one_of(*names):
    return f"one of {names}", lambda value: isinstance(value, str) and value in names


_YES_OR_NO = "True or False", _flag
_MAYBE = "True, False or None", lambda value: value is None or _flag(value)

TORCH_RANGES = RANGES | {
    "lr": ("a finite number >= 0 or a 0-dim tensor", _lr),
    "max_ratio": ("a number > 0", _bound),
    "max_grad_norm": ("None or a number > 0", lambda value: value is None or _bound(value)),
    "adapt_without_decay": _YES_OR_NO,
    "scaled_momentum": _YES_OR_NO,
    "joint_norm": _YES_OR_NO,
    "scale_parameter": _MAYBE,
    "decay_by": _one_of("lr", "step", "one"),
    "factor": _one_of("largest", "last", "first"),
    "min_dim_size_to_factor": ("an integer >= 0", lambda value: type(value) is int and value >= 0),
    "correct_confidence": _YES_OR_NO,
    "maximize": _YES_OR_NO,
    "capturable": _YES_OR_NO,
    "stochastic_rounding": _YES_OR_NO,
    "foreach": _MAYBE,
    "fused": _MAYBE,
    "on_nonfinite": _one_of("raise", "skip"),
}
EPS_OR_ZERO = {"eps": ("a finite number >= 0", lambda value: is_number(value) and 0 <= value < math.inf)}


def check_parameter(name: str, p) -> None:
    """Raises ValueError when `p` is no tensor that can be trained."""
    if not isinstance(p, torch.Tensor):
        raise ValueError(f"{name} must be a tensor, got {type(p).__name__}")
    if not p.is_floating_point():
        raise ValueError(f"{name} must be real and floating-point, got {p.dtype}; view complex ones with view_as_real")


def check_gradient(name: str, p) -> None:
    """Raises ValueError when the gradient of `p` is of a kind that no method here can use."""
    g = p.grad
    if g.layout != torch.strided:
        raise ValueError(f"the gradient of {name} is sparse ({g.layout}): use sparse=False in its layer")
    if g.shape != p.shape:
        raise ValueError(f"the gradient of {name} has shape {tuple(g.shape)}, must be {tuple(p.shape)}")
