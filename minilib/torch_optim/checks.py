"""Bad input gets one clear error. What an option may be is said once for NumPy and torch, in `minilib.optim.checks`.

A state_dict is checked before anything changes, and put back exactly as it was saved: `torch.optim.Optimizer` casts
state to the data type of the parameter, which would ruin the float32 statistics of 16-bit parameters and the step
numbers of float64 ones. What is loaded here never shares memory with what was saved.
"""

from difflib import get_close_matches

import numpy as np
import torch

from minilib.optim.checks import FLAG, NOT_NEGATIVE, RANGES, is_number


def _lr(value):
    if isinstance(value, torch.Tensor):  # not looked into: that could need a synchronisation
        return value.ndim == 0 and value.is_floating_point()
    return NOT_NEGATIVE[1](value)


def _one_of(*names):
    return f"one of {names}", lambda value: isinstance(value, str) and value in names


NARROW = {"bfloat16": torch.bfloat16, "uint8": torch.uint8}
_MAYBE = "True, False or None", lambda value: value is None or isinstance(value, bool)

TORCH_RANGES = (
    RANGES
    | {
        "lr": ("a finite number >= 0 or a 0-dim tensor", _lr),
        "max_grad_norm": ("None or a number > 0", lambda value: value is None or (is_number(value) and value > 0)),
        "on_nonfinite": _one_of("raise", "skip"),
        "decay_by": _one_of("lr", "step", "one"),
        "factor": _one_of("largest", "last", "first"),
        "min_dim_size_to_factor": ("an integer >= 0", lambda value: type(value) is int and value >= 0),
        "compile": _MAYBE,
        "state_dtype": ("None, torch.bfloat16 or torch.uint8", lambda t: t in (None, *NARROW, *NARROW.values())),
        "scale_parameter": _MAYBE,
    }
    | dict.fromkeys(
        "adapt_without_decay correct_confidence joint_norm scaled_momentum stochastic_rounding".split(), FLAG
    )
)


def plain(options: dict) -> dict:
    """NumPy's numbers as Python's, which no kernel needs to know, and types by name, which torch's checkpoints take."""
    known = {t: name for name, t in NARROW.items()}
    options = {k: known.get(value, value) if isinstance(value, torch.dtype) else value for k, value in options.items()}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}


def in_order(params):
    """`params`; ValueError when they come in no fixed order, in which state could be saved."""
    if isinstance(params, (set, frozenset)):
        raise ValueError("params must have a fixed order, such as a list has, got a set")
    return params


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
    params = [params] if isinstance(params, torch.Tensor) else list(in_order(params))
    tensors = [p[1] if isinstance(p, tuple) else p for p in params]
    for i, p in enumerate(tensors):
        if isinstance(p, torch.Tensor) and not p.is_floating_point():
            kind = f"must be real and floating-point, got {p.dtype}; see view_as_real for complex ones"
            raise ValueError(f"parameter {i} of group {number} {kind}")
    if len(set(map(id, tensors))) < len(tensors):
        raise ValueError(f"a parameter appears twice in group {number}: each must be in exactly one group, once")
    return params


def check_joint(groups: list) -> None:
    """Raises ValueError when an option that is about all gradients together differs between groups."""
    for name in ("max_grad_norm", "on_nonfinite", "compile"):
        for k, group in enumerate(groups):
            if group[name] != groups[0][name]:
                raise ValueError(f"{name} must be the same in all groups, got {group[name]!r} in group {k}")


def check_state(opt, saved: dict) -> dict:
    """`saved` with what it lacks of the options of `opt`; ValueError when its options or state are not for `opt`."""
    groups = saved["param_groups"]
    if [len(group["params"]) for group in groups] != [len(group["params"]) for group in opt.param_groups]:
        return saved  # torch refuses it
    pairs = zip(groups, opt.param_groups, strict=True)
    saved = saved | {"param_groups": [{name: ours[name] for name in opt.defaults} | group for group, ours in pairs]}
    for group in saved["param_groups"]:
        opt.check(group)
    check_joint(saved["param_groups"])
    for group, p, state in saved_state(opt, saved):
        fresh = opt.init_state(group, torch.empty_like(p, device="meta"))
        expected = {name: tuple(t.shape) for name, t in fresh.items()}
        shapes = {name: tuple(torch.as_tensor(value).shape) for name, value in state.items()}
        if shapes != expected:
            raise ValueError(f"state_dict has the state {shapes} for a parameter that needs {expected}")
    return saved


def saved_state(opt, saved: dict):
    """(saved group, parameter, its saved state) for all parameters that have state."""
    for group, ours in zip(saved["param_groups"], opt.param_groups, strict=True):
        for i, p in zip(group["params"], ours["params"], strict=True):
            if saved["state"].get(i):
                yield group, p, saved["state"][i]
