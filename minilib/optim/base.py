"""What every optimizer shares: parameter groups, checks, state. A subclass writes one method, `update`.

A parameter is any object with `.data` (a NumPy array, changed in place) and `.grad` (an array of the same shape,
or None): `minilib.autodiff.tensor.Tensor` is one, but nothing here depends on it. The contract is that of
`torch.optim.Optimizer`: groups, `zero_grad`, `step`, `state_dict`. Absent on purpose: closures, sparse gradients,
hooks, foreach and fused paths ("From NumPy to PyTorch" has those).
"""

import copy
from collections.abc import Iterable
from math import prod

import numpy as np

from minilib.optim.checks import RANGES, check_gradient, check_option, check_parameter


def ema(s: dict, name: str, value: np.ndarray, beta: float) -> np.ndarray:
    """The moving average `s[name] <- beta s[name] + (1 - beta) value`, from zero, in place; returns it."""
    average = s.setdefault(name, np.zeros_like(value))
    average *= beta
    average += (1 - beta) * value
    return average


class Optimizer:
    """Base class. `params` is an iterable of parameters, of `(name, parameter)` pairs, or of groups
    `{"params": [...], "lr": ...}` whose further keys override the options for that group.

    Inside `update`, `self.lr`, `self.betas`, ... are the options of the group at work. From outside, `opt.lr` reads
    the first group and `opt.lr = value` sets every group.

    `state[i]` is the state of parameter number i, counted through the groups.

    ValueError: no parameters, something that is none, a parameter given twice, an unknown option, or an option outside
    its range.
    """

    ranges = RANGES  # a subclass with an option of its own says here what it may be
    squares = True  # False where a method keeps no squares: it takes gradients whose squares add up to infinity
    copies = 0  # how many arrays of the parameter's shape the method remembers
    look: tuple[str, str]  # its colour (a name in `plots.COLOURS`) and line style in all figures of the book
    # Which arrays a step reads (r) and writes (w) at least: x the weights, g the gradient, m and v the state. A norm or
    # mean that must be known first costs a pass of its own; vectors of row and column means are not counted.
    passes: str
    _group: dict | None = None  # at work

    def __init__(self, params: Iterable, **defaults):
        self.defaults, self.param_groups, self.state = defaults, [], {}
        self.check(defaults)
        if isinstance(params, dict) or hasattr(params, "data"):
            raise ValueError(f"params must be an iterable of parameters or of groups, got one {type(params).__name__}")
        params = list(params)
        for group in params if params and isinstance(params[0], dict) else [{"params": params}]:
            self.add_param_group(group)

    def update(self, x: np.ndarray, g: np.ndarray, s: dict) -> None:
        """One step of the method: change parameter `x` in place, given its gradient `g` and its own state `s`.

        `s["step"]` is the number of this step, counted from 1. Shapes: `x` and `g` agree.
        """
        raise NotImplementedError(f"{type(self).__name__} must write update(x, g, s)")

    @classmethod
    def state_size(cls, shape: tuple[int, ...], **options) -> int:
        """How many numbers the method remembers for a parameter of this shape; options not given are the defaults."""
        return cls.copies * prod(shape)

    def check(self, options: dict) -> None:
        """Raises ValueError when an option is outside its range; a subclass adds what options need of each other."""
        for name in self.defaults:
            check_option(name, options[name], self.ranges)

    def add_param_group(self, group: dict) -> None:
        """Add parameters with options of their own; options not named keep the optimizer's defaults."""
        if not isinstance(group, dict) or "params" not in group:
            raise ValueError(f"a group must be a dict with the key 'params', got {group!r}")
        if hasattr(group["params"], "data"):
            raise ValueError("params of a group must be an iterable of parameters, got a single one")
        options = {k: v for k, v in group.items() if k != "params"}
        if unknown := sorted(set(options) - set(self.defaults)):
            raise ValueError(f"unknown option {unknown[0]!r}: may be one of {sorted(self.defaults)}")
        options = self.defaults | options
        self.check(options)
        k, names, params = len(self.param_groups), [], []
        for i, p in enumerate(group["params"]):
            name, p = p if isinstance(p, tuple) else (None, p)
            names.append(name or _unnamed(i, k))
            params.append(p)
            check_parameter(names[i], p)
        if not params:
            raise ValueError(f"params of group {k} is empty: give at least one parameter")
        ids = [id(p) for p in params + [p for *_, p in self.parameters()]]
        if len(ids) != len(set(ids)):
            raise ValueError("a parameter appears twice: each must be in exactly one group, once")
        self.param_groups.append({"params": params, "names": names, **options})

    def parameters(self) -> list[tuple]:
        """(its group, its name, the parameter), for all parameters in the order of their numbers."""
        return [(g, *pair) for g in self.param_groups for pair in zip(g["names"], g["params"], strict=True)]

    def zero_grad(self) -> None:
        """Forget all gradients: sets `.grad` to None, so a parameter without a new one is not updated."""
        for _, _, p in self.parameters():
            p.grad = None

    def step(self) -> None:
        """Update every parameter that has a gradient.

        ValueError: an option went out of range, a gradient has another shape, is not finite or, where the method
        `squares`, too large for that. Every check comes before the first change, so parameters and state are then as
        they were.
        """
        for group in self.param_groups:
            self.check(group)
        work = [
            (group, i, p.data, check_gradient(name, p.data, p.grad, self.squares))
            for i, (group, name, p) in enumerate(self.parameters())
            if p.grad is not None
        ]
        for self._group, i, x, g in work:
            s = self.state.setdefault(i, {"step": 0})
            s["step"] += 1
            self.update(x, g, s)
        self._group = None

    def __getattr__(self, name):
        if name not in self.__dict__.get("defaults", {}):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        value = (self._group or self.param_groups[0])[name]
        # A NumPy float64 would turn float32 parameters into float64 state; a Python number does not.
        return value.item() if isinstance(value, np.generic) else value

    def __setattr__(self, name, value):
        if name in self.__dict__.get("defaults", {}):
            for group in self.param_groups:
                self.check({**group, name: value})
            for group in self.param_groups:
                group[name] = value
        else:
            super().__setattr__(name, value)

    def state_bytes(self) -> int:
        """Bytes of all state arrays: what the optimizer remembers beside parameters and gradients."""
        arrays = (a for s in self.state.values() for a in s.values())
        return sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))

    def state_dict(self) -> dict:
        """A deep copy of all state, by parameter number, and of all options, for `load_state_dict`."""
        groups = [{k: v for k, v in g.items() if k != "params"} | {"shapes": _shapes(g)} for g in self.param_groups]
        return copy.deepcopy({"state": self.state, "param_groups": groups})

    def load_state_dict(self, state_dict: dict) -> None:
        """Continue exactly where `state_dict()` was taken.

        ValueError: the options, or the shapes or names of the parameters, differ, group by group, or an option is
        outside its range; nothing is changed then. Names count where both sides were given them.
        """
        saved = copy.deepcopy(state_dict)
        shapes = [group.pop("shapes") for group in saved["param_groups"]]
        ours = [_shapes(group) for group in self.param_groups]
        if shapes != ours:
            raise ValueError(f"state_dict is for parameters of shapes {shapes}, this optimizer's are {ours}")
        groups = list(zip(self.param_groups, saved["param_groups"], strict=True))
        for k, (group, new) in enumerate(groups):
            names = new.pop("names")
            if set(new) != set(self.defaults):
                raise ValueError(
                    f"state_dict has the options {sorted(new)}, this optimizer has {sorted(self.defaults)}"
                )
            for i, (name, own) in enumerate(zip(names, group["names"], strict=True)):
                if name != own and _unnamed(i, k) not in (name, own):
                    raise ValueError(f"state_dict has {name} where this optimizer has {own}: give them in one order")
            self.check(new)
        self.state = saved["state"]
        for group, new in groups:
            group.update(new)


def _unnamed(i: int, group: int) -> str:
    """What messages call a parameter that was given without a name."""
    return f"parameter {i} of group {group}"


def _shapes(group: dict) -> list[tuple[int, ...]]:
    return [p.data.shape for p in group["params"]]
