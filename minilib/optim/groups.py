"""Helpers around a step: clipping the global norm, the usual exclusions by group, two optimizers used as one."""

import math
from collections.abc import Iterable

import numpy as np

from minilib.optim.checks import is_number


def clip_grad_norm(params: Iterable, max_norm: float) -> float:
    """Scale all gradients so that their joint Euclidean norm is at most `max_norm`; returns the norm before.

    Each `.grad` is replaced, not written into, so another holder of that array sees no change. Parameters without a
    gradient are passed over. Like torch's `clip_grad_norm_`, but nothing is added to the norm.

    ValueError: `params` is a single parameter, `max_norm` is not a number > 0, or the norm is not finite (nothing is
    changed then).
    """
    if not is_number(max_norm) or not max_norm > 0:
        raise ValueError(f"max_norm must be a number > 0, got {max_norm!r}")
    if hasattr(params, "data"):
        raise ValueError("params must be an iterable of parameters, got a single one")
    params = [p for p in params if p.grad is not None]
    norm = math.sqrt(sum(float(np.sum(np.square(p.grad, dtype=np.float64))) for p in params))
    if not math.isfinite(norm):
        raise ValueError(f"the gradient norm is {norm}: a gradient has entries that are nan or infinite")
    if norm > max_norm:
        for p in params:
            p.grad = p.grad * (float(max_norm) / norm)
    return norm


def parameter_groups(named_parameters: Iterable[tuple], weight_decay: float, **exclude) -> list[dict]:
    """Two groups: matrices with `weight_decay`, and vectors (biases, norm gains) with 0 and the options `exclude`.

    `parameter_groups(model.named_parameters(), 0.01, layer_adaptation=False)` is what LARS and LAMB runs use.
    A group that would be empty is left out.

    ValueError: `named_parameters` has something else than pairs of a name and a parameter.
    """
    named = list(named_parameters)
    if bad := [pair for pair in named if not isinstance(pair, tuple)]:
        raise ValueError(f"named_parameters must be (name, parameter) pairs, got {type(bad[0]).__name__}")
    matrices = [(n, p) for n, p in named if p.data.ndim >= 2]
    vectors = [(n, p) for n, p in named if p.data.ndim < 2]
    decayed, excluded = {"weight_decay": weight_decay}, {"weight_decay": 0.0, **exclude}
    return [{"params": some, **options} for some, options in ((matrices, decayed), (vectors, excluded)) if some]


class Together:
    """Several optimizers used as one, such as `together(Muon(matrices), AdamW(rest))`.

    Has their `param_groups`, one after the other, `zero_grad`, `step` and `state_bytes`. State is saved and loaded
    one optimizer at a time. A bad gradient stops the step of its own optimizer, not those that came before.
    ValueError: a parameter belongs to two of them.
    """

    def __init__(self, *optimizers):
        self.optimizers = optimizers
        self.param_groups = [group for opt in optimizers for group in opt.param_groups]
        ids = [id(p) for group in self.param_groups for p in group["params"]]
        if len(ids) != len(set(ids)):
            raise ValueError("a parameter belongs to two of the optimizers: each must be in exactly one")

    def zero_grad(self):
        for opt in self.optimizers:
            opt.zero_grad()

    def step(self):
        for opt in self.optimizers:
            opt.step()

    def state_bytes(self):
        return sum(opt.state_bytes() for opt in self.optimizers)


together = Together
