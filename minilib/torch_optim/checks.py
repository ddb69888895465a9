"""Bad input gets one clear error. What an option may be is said once for NumPy and torch, in `minilib.optim.checks`."""

import math

import numpy as np
import torch

from minilib.optim.checks import BETAS_TRIPLE, EPS_PAIR, RANGES, check_option, is_number

__all__ = ["BETAS_TRIPLE", "EPS_OR_ZERO", "EPS_PAIR", "RANGES", "TORCH_RANGES", "check_option"]


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
    "max_grad_norm": ("None or a number > 0", lambda value: value is None or _bound(value)),
    "adapt_without_decay": _YES_OR_NO,
    "scaled_momentum": _YES_OR_NO,
    "joint_norm": _YES_OR_NO,
    "scale_parameter": _MAYBE,
    "decay_by": _one_of("lr", "step", "one"),
    "factor": _one_of("largest", "last", "first"),
    "min_dim_size_to_factor": ("an integer >= 0", lambda value: type(value) is int and value >= 0),
    "correct_confidence": _YES_OR_NO,
    "capturable": _YES_OR_NO,
    "stochastic_rounding": _YES_OR_NO,
    "compile": _MAYBE,
    "on_nonfinite": _one_of("raise", "skip"),
}
EPS_OR_ZERO = {"eps": ("a finite number >= 0", lambda value: is_number(value) and 0 <= value < math.inf)}


def plain(options: dict) -> dict:
    """NumPy's numbers as Python's: no kernel needs to know them, and files are loaded without them."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}


def check_iterable(name: str, value) -> list:
    """`value` as a list. ValueError when it is not a collection, or one without an order."""
    if isinstance(value, (torch.Tensor, dict, set, frozenset, str)) or not hasattr(value, "__iter__"):
        raise ValueError(f"{name} must be an iterable in a fixed order, such as a list, got one {type(value).__name__}")
    return list(value)


def check_parameters(k: int, params) -> list:
    """The parameters of group `k` as a list. ValueError when one is no (name, tensor) pair and no trainable tensor."""
    params = [params] if isinstance(params, torch.Tensor) else check_iterable(f"params of group {k}", params)
    if not params:
        raise ValueError(f"params of group {k} is empty: give at least one parameter")
    if len({isinstance(p, tuple) for p in params}) > 1:
        raise ValueError(f"either all parameters of group {k} must have a name, or none")
    for i, p in enumerate(params):
        name = f"parameter {i} of group {k}"
        if isinstance(p, tuple):
            if len(p) != 2 or not isinstance(p[0], str):
                raise ValueError(f"{name} must be a tensor or a pair (name, tensor), got {p!r}")
            name, p = f"{p[0]} (group {k})", p[1]
        check_parameter(name, p)
    return params


def check_parameter(name: str, p) -> None:
    """Raises ValueError when `p` is no tensor that can be trained."""
    if not isinstance(p, torch.Tensor):
        raise ValueError(f"{name} must be a tensor, got {type(p).__name__}")
    if not p.is_floating_point():
        raise ValueError(f"{name} must be real and floating-point, got {p.dtype}; view complex ones with view_as_real")
    if not (p.is_leaf or p.retains_grad):
        raise ValueError(f"{name} must be a leaf, got the result of a computation ({p.grad_fn.name()})")


def check_joint(groups: list) -> None:
    """Raises ValueError when an option that is about all gradients together differs between groups."""
    for name in ("max_grad_norm", "on_nonfinite", "capturable", "compile"):
        for k, group in enumerate(groups):
            if group[name] != groups[0][name]:
                raise ValueError(
                    f"{name} must be the same in all groups, got {group[name]!r} in group {k}"
                    f" and {groups[0][name]!r} in group 0"
                )


def check_gradient(name: str, p) -> None:
    """Raises ValueError when the gradient of `p` is of a kind that no method here can use."""
    g = p.grad
    if g.layout != torch.strided:
        raise ValueError(f"the gradient of {name} is sparse ({g.layout}): use sparse=False in its layer")
    if g.shape != p.shape:
        raise ValueError(f"the gradient of {name} has shape {tuple(g.shape)}, must be {tuple(p.shape)}")
