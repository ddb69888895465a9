"""Bad input gets one clear error. What an option may be is said once for NumPy and torch, in `minilib.optim.checks`.

A state_dict is checked before anything changes, and put back exactly as it was saved: `torch.optim.Optimizer` casts
state to the data type of the parameter, which would ruin the float32 statistics of 16-bit parameters and the step
numbers of float64 ones. What is loaded here never shares memory with what was saved.
"""

import math
from difflib import get_close_matches

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
    "stochastic_rounding": _YES_OR_NO,
    "compile": _MAYBE,
    "on_nonfinite": _one_of("raise", "skip"),
}
EPS_OR_ZERO = {"eps": ("a finite number >= 0", lambda value: is_number(value) and 0 <= value < math.inf)}


def plain(options: dict) -> dict:
    """NumPy's numbers as Python's: no kernel needs to know them, and files are loaded without them."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}


def check_group(number: int, group: dict, options) -> list:
    """The parameters of a group as a list; ValueError when one cannot be trained, or a key looks like a typing error.

    What else is wrong torch says itself. A group may carry keys that are no options, as those of schedulers are.
    """
    if not isinstance(group, dict) or "params" not in group:
        raise ValueError(f"a group must be a dict with the key 'params', got {group!r}")
    for key in set(group) - {"params", "param_names"} - set(options):
        if isinstance(key, str) and (meant := get_close_matches(key, options, 1, cutoff=0.85)):
            raise ValueError(f"unknown option {key!r} of group {number}: did you mean {meant[0]!r}?")
    params = group["params"]
    params = [params] if isinstance(params, torch.Tensor) else check_iterable(f"params of group {number}", params)
    for i, p in enumerate(params):
        name = f"parameter {i} of group {number}"
        if isinstance(p, tuple):
            if len(p) != 2 or not isinstance(p[0], str):
                raise ValueError(f"{name} must be a tensor or a pair (name, tensor), got {p!r}")
            name, p = f"{p[0]} (group {number})", p[1]
        if not isinstance(p, torch.Tensor):
            raise ValueError(f"{name} must be a tensor, got {type(p).__name__}")
        if not p.is_floating_point():
            raise ValueError(
                f"{name} must be real and floating-point, got {p.dtype}; see view_as_real for complex ones"
            )
    if len({id(p[1] if isinstance(p, tuple) else p) for p in params}) < len(params):
        raise ValueError(f"a parameter appears twice in group {number}: each must be in exactly one group, once")
    return params


def check_iterable(name: str, value) -> list:
    """`value` as a list. ValueError when it is not a collection, or one without an order."""
    if isinstance(value, (torch.Tensor, dict, set, frozenset, str)) or not hasattr(value, "__iter__"):
        raise ValueError(f"{name} must be an iterable in a fixed order, such as a list, got one {type(value).__name__}")
    return list(value)


def check_joint(groups: list) -> None:
    """Raises ValueError when an option that is about all gradients together differs between groups."""
    for name in ("max_grad_norm", "on_nonfinite", "compile"):
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


def with_options(opt, saved: dict) -> dict:
    """`saved` with this optimizer's values of the options that it does not have, as that of another method may not."""
    pairs = zip(saved["param_groups"], opt.param_groups, strict=False)
    groups = [{name: ours[name] for name in opt.defaults} | theirs for theirs, ours in pairs]
    return saved | {"param_groups": groups + saved["param_groups"][len(groups) :]}


def check_state(opt, saved: dict) -> None:
    """Raises ValueError when groups, options or state of `saved` are not for the optimizer `opt`."""
    sizes = [[len(group["params"]) for group in groups] for groups in (saved["param_groups"], opt.param_groups)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"state_dict has groups of {sizes[0]} parameters, this optimizer of {sizes[1]}")
    for group in saved["param_groups"]:
        opt.check(group)
    check_joint(saved["param_groups"])
    for group, p, state in _pairs(opt, saved):
        fresh = opt.init_state(group, torch.empty(p.shape, device="meta"))
        expected = {name: tuple(t.shape) for name, t in fresh.items()}
        shapes = {name: tuple(torch.as_tensor(value).shape) for name, value in state.items()}
        if shapes != expected:
            raise ValueError(f"state_dict has the state {shapes} for a parameter that needs {expected}")


def restore(opt, saved: dict) -> None:
    """Put the state of `saved`, with its own numbers, into the optimizer `opt`."""
    for group, p, state in _pairs(opt, saved):
        fresh = opt.init_state(group, p)
        for name, t in fresh.items():
            t.copy_(torch.as_tensor(state[name]))
        opt.state[p] = fresh


def _pairs(opt, saved):
    """(saved group, parameter, its saved state) for all that have state."""
    for group, ours in zip(saved["param_groups"], opt.param_groups, strict=True):
        for i, p in zip(group["params"], ours["params"], strict=True):
            if saved["state"].get(i):
                yield group, p, saved["state"][i]
