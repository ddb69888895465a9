"""Before a step: which parameters have a gradient, whether all are finite, and the joint norm of all of them."""

import math
from typing import NamedTuple

import torch

from minilib.torch_optim.checks import check_gradient
from minilib.torch_optim.sharding import all_reduce, local_gradient, shards


class ParamGrad(NamedTuple):
    """A parameter that is to be updated.

    Attributes:
        group: its options; number: of the group.
        name: for messages.
        p, g: the parameter, and the local part of its gradient.
        shards: see `sharding.shards`.
    """

    group: dict
    number: int
    name: str
    p: torch.Tensor
    g: torch.Tensor
    shards: tuple


class Check(NamedTuple):
    """What is known of the gradients before any of them is used.

    Attributes:
        bad: None, or the name of the first one that is not finite.
        scale: None, or what all of them are multiplied by.
        step_mask: None, or a 0-dim tensor where the host does not wait: 0 where this step must change nothing, else 1.
    """

    bad: str | None
    scale: float | torch.Tensor | None
    step_mask: torch.Tensor | None


def params_with_grad(param_groups: list) -> list:
    """One `ParamGrad` for every parameter with a gradient. ValueError when one is of a kind that cannot be used."""
    params = []
    for k, group in enumerate(param_groups):
        names = group.get("param_names") or [None] * len(group["params"])
        for i, (name, p) in enumerate(zip(names, group["params"], strict=True)):
            if p.grad is not None:
                name = f"parameter {i} of group {k}" if name is None else f"{name} (group {k})"
                check_gradient(name, p)
                params.append(ParamGrad(group, k, name, p, local_gradient(p), shards(p)))
                if params[-1].g.device != params[0].g.device:
                    where = f"{name} is on {params[-1].g.device}, {params[0].name} on {params[0].g.device}"
                    raise ValueError(f"all parameters must be on one device: {where}. Make an optimizer for each")
    return params


class Pending:
    """Gradients whose check the host has not seen yet. It looks when the next step begins: the device is done then."""

    def __init__(self, params, norms):
        self.names = [param.name for param in params]
        self.norms = norms.to("cpu", non_blocking=True)
        self.done = torch.cuda.Event() if norms.device.type == "cuda" else None
        if self.done:
            self.done.record()

    def bad(self) -> str | None:
        """The name of the first gradient that was not finite."""
        if self.done:
            self.done.synchronize()
        return first_bad(self.names, self.norms.tolist())


def first_bad(names, norms):
    return next((name for name, norm in zip(names, norms, strict=True) if not math.isfinite(norm)), None)


def nonfinite_check(params: list, host_waits: bool) -> tuple[Check, Pending | None]:
    """One sweep over all gradients: their norms are finite if they are, and clipping needs them."""
    clip, raises = params[0].group["max_grad_norm"], params[0].group["on_nonfinite"] == "raise"
    norms = _norms(params)
    if host_waits:
        norms = norms.tolist()
        bad, norm = first_bad([param.name for param in params], norms), math.hypot(*norms)
        return Check(bad, clip / norm if clip is not None and norm > clip else None, None), None
    norm = torch.linalg.vector_norm(norms)
    finite = norms.isfinite().all()
    scale = None if clip is None else (clip / norm).clamp(max=1.0)
    pending = None
    if raises and _recorded(norms):  # nobody could look
        torch._assert_async(finite, "a gradient is nan, infinite, or too large to be squared")
    elif raises:
        pending = Pending(params, norms)
    return Check(None, scale, finite.to(norms.dtype)), pending


def _recorded(t):
    """Is this step being compiled, or captured in a CUDA graph?"""
    return torch.compiler.is_compiling() or (t.device.type == "cuda" and torch.cuda.is_current_stream_capturing())


def _norms(params):
    """The norm of every gradient, complete; infinite where the square of an entry is."""
    squares = [None] * len(params)
    for dtype in dict.fromkeys(param.g.dtype for param in params):
        where = [i for i, param in enumerate(params) if param.g.dtype == dtype]
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        norms = torch._foreach_norm([params[i].g for i in where], 2, dtype=wide)
        for i, square in zip(where, torch.stack(norms).square().unbind(), strict=True):
            squares[i] = square
    cut = [(s, param.shards) for s, param in zip(squares, params, strict=True) if param.shards]
    all_reduce([(s, [group for group, _ in shards]) for s, shards in cut])
    return torch.stack(squares).sqrt()
