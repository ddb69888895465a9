"""Bad input gets one clear error. What an option may be is said once for NumPy and torch, in `minilib.optim.checks`.

A state_dict is checked before anything changes, and put back exactly as it was saved: `torch.optim.Optimizer` casts
state to the data type of the parameter, which would ruin the float32 statistics of 16-bit parameters and the step
numbers of float64 ones. What is loaded here never shares memory with what was saved.
"""

from difflib import get_close_matches

import numpy as np
import torch

from minilib.optim.checks import FLAG, NOT_NEGATIVE, RANGES, check_option, is_number
from minilib.torch_optim.sharding import local


def _lr(value):
    if isinstance(value, torch.Tensor):
        if value.ndim or not value.is_floating_point():
            return False
        if value.device.type != "cpu" or torch.compiler.is_compiling():  # a look would wait for the device
            return True
        value = value.item()
    return NOT_NEGATIVE[1](value)


def _one_of(*names):
    return f"one of {names}", lambda value: isinstance(value, str) and value in names


# What transformers, timm and came-pytorch call an option.
ELSEWHERE = {"clip_threshold": "d", "decay_rate": "beta2_decay"}
NARROW = {"bfloat16": torch.bfloat16, "uint8": torch.uint8}
_MAYBE = "True, False or None", lambda value: value is None or isinstance(value, bool)

TORCH_RANGES = (
    RANGES
    | {
        "lr": ("a finite number >= 0 or a 0-dim tensor of one", _lr),
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


def check_known(options, known, where: str = "", lists: bool = True) -> None:
    """Raises ValueError when an option is not known: where it `lists` what there is any, else one like a known one."""
    names = {name: name for name in known} | {name: ours for name, ours in ELSEWHERE.items() if ours in known}
    for key in sorted(key for key in set(options) - set(known) if isinstance(key, str)):
        if meant := get_close_matches(key, names, 1, cutoff=0.85):
            raise ValueError(f"unknown option {key!r}{where}: did you mean {names[meant[0]]!r}?")
        if lists:
            raise ValueError(f"unknown option {key!r}{where}: may be one of {sorted(known)}")


def in_order(params):
    """`params`; ValueError when they come in no fixed order, in which state could be saved, or are a model."""
    if isinstance(params, torch.nn.Module):
        raise ValueError(
            f"params must be those of a model, got the model itself: give {type(params).__name__}.parameters()"
        )
    if isinstance(params, (set, frozenset)):
        raise ValueError("params must have a fixed order, such as a list has, got a set")
    return params


def check_group(number: int, group: dict, options) -> list:
    """The parameters of a group as a list; ValueError when one cannot be trained, or a key looks like a typing error.

    What else is wrong torch says itself. A group may carry keys that are no options, as those of schedulers are.
    """
    if not isinstance(group, dict) or "params" not in group:
        raise ValueError(f"a group must be a dict with the key 'params', got {group!r}")
    check_known(set(group) - {"params", "param_names"}, options, f" of group {number}", lists=False)
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


def check_rates(groups: list) -> None:
    """Raises ValueError when a learning rate that is a tensor is none; waits for the device, at construction alone."""
    for rate in (group["lr"] for group in groups if isinstance(group["lr"], torch.Tensor)):
        check_option("lr", rate.item())


def check_form(saved) -> None:
    """Raises ValueError when `saved` is not of the form that `state_dict()` has."""
    groups, state = (saved.get(key) for key in ("param_groups", "state")) if isinstance(saved, dict) else (None, None)
    listed = isinstance(groups, list) and all(isinstance(g, dict) and isinstance(g.get("params"), list) for g in groups)
    if not (listed and isinstance(state, dict) and all(isinstance(own, dict) for own in state.values())):
        what = f"the keys {list(saved)}" if isinstance(saved, dict) else type(saved).__name__
        raise ValueError(f"state_dict must have 'state' and 'param_groups' as state_dict() gives them, got {what}")


def check_state(opt, saved: dict) -> dict:
    """`saved` with what it lacks of the options of `opt`; ValueError when its options or state are not for `opt`."""
    check_form(saved)
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
        tensors = {name: as_tensor(name, value) for name, value in state.items()}
        if (shapes := {name: tuple(t.shape) for name, t in tensors.items()}) != expected:
            raise ValueError(f"state_dict has the state {shapes} for a parameter that needs {expected}")
        if bad := [name for name, t in tensors.items() if not t.is_meta and not local(t).isfinite().all()]:
            raise ValueError(f"state_dict has {bad[0]!r} with entries that are nan or infinite, shape {shapes[bad[0]]}")
    return saved


def as_tensor(name: str, value) -> torch.Tensor:
    try:
        return torch.as_tensor(value)
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(f"state_dict has {name!r} = {value!r:.60}, which is no tensor") from None


def saved_state(opt, saved: dict):
    """(saved group, parameter, its saved state) for all parameters that have state."""
    for group, ours in zip(saved["param_groups"], opt.param_groups, strict=True):
        for i, p in zip(group["params"], ours["params"], strict=True):
            if saved["state"].get(i):
                yield group, p, saved["state"][i]
