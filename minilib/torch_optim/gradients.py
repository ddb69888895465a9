"""Before a step: which parameters have a gradient, whether all are finite, and the joint norm of all of them."""

import math
from typing import NamedTuple

import torch

from minilib.torch_optim.sharding import all_reduce, local_gradient, shards


class ParamGrad(NamedTuple):
    """A parameter that is to be updated."""

    group: dict  # its options
    number: int  # of the group
    name: str  # for messages
    p: torch.Tensor
    g: torch.Tensor  # the local part of its gradient
    shards: tuple  # see `sharding.shards`


class Check(NamedTuple):
    """What is known of the gradients before any of them is used."""

    bad: str | None  # the name of the first one that is not finite
    scale: float | torch.Tensor | None  # what all of them are multiplied by
    step_mask: torch.Tensor | None  # where the host does not wait: 0-dim, 0 where this step must change nothing, else 1


def params_with_grad(param_groups: list) -> list:
    """One `ParamGrad` for every parameter with a gradient. ValueError when one is of a kind that cannot be used."""
    params = []
    for k, group in enumerate(param_groups):
        names = group.get("param_names") or [None] * len(group["params"])
        for i, (name, p) in enumerate(zip(names, group["params"], strict=True)):
            g = p.grad
            if g is None:
                continue
            name = f"parameter {i} of group {k}" if name is None else f"{name} (group {k})"
            if g.layout != torch.strided:
                raise ValueError(f"the gradient of {name} is sparse ({g.layout}): use sparse=False in its layer")
            if g.shape != p.shape:
                raise ValueError(f"the gradient of {name} has shape {tuple(g.shape)}, must be {tuple(p.shape)}")
            params.append(ParamGrad(group, k, name, p, local_gradient(p), shards(p)))
            if params[-1].g.device != params[0].g.device:
                where = f"{name} is on {params[-1].g.device}, {params[0].name} on {params[0].g.device}"
                raise ValueError(f"all parameters must be on one device: {where}. Make an optimizer for each")
    return params


def nonfinite_check(params: list, host_waits: bool):
    """One sweep over all gradients: their norms are finite if they are, and clipping needs them.

    Returns a `Check`; and None, or where the host does not wait a function for the next step to call, when the device
    is done: it returns the name of the first gradient that was not finite, or None.
    """
    clip, raises = params[0].group["max_grad_norm"], params[0].group["on_nonfinite"] == "raise"
    names, norms = [param.name for param in params], _norms(params)
    if host_waits:
        norms = norms.tolist()
        norm = math.hypot(*norms)
        scale = clip / norm if clip is not None and norm > clip else None
        return Check(_first_bad(names, norms), scale, None), None
    norm = torch.linalg.vector_norm(norms)
    finite = norms.isfinite().all()
    scale = None if clip is None else (clip / norm).clamp(max=1.0)
    pending, cuda = None, norms.device.type == "cuda"
    if raises and (torch.compiler.is_compiling() or (cuda and torch.cuda.is_current_stream_capturing())):
        # the step becomes a graph, of whose replay nobody could look at the norms
        torch._assert_async(finite, "a gradient is nan, infinite, or too large to be squared")
    elif raises:
        pending = _look_later(names, norms, cuda)
    return Check(None, scale, finite.to(norms.dtype)), pending


def _look_later(names, norms, cuda):
    if cuda:
        norms = norms.to("cpu", non_blocking=True)
        done = torch.cuda.current_stream().record_event()

    def bad():
        if cuda:
            done.synchronize()  # elsewhere the read waits
        return _first_bad(names, norms.tolist())

    return bad


def _first_bad(names, norms):
    return next((name for name, norm in zip(names, norms, strict=True) if not math.isfinite(norm)), None)


def _norms(params):
    """The norm of every gradient, complete; infinite where the square of an entry is."""
    squares = [None] * len(params)
    for dtype in dict.fromkeys(param.g.dtype for param in params):
        where = [i for i, param in enumerate(params) if param.g.dtype == dtype]
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        norms = torch._foreach_norm([params[i].g for i in where], 2, dtype=wide)
        for i, square in zip(where, torch.stack(norms).square().unbind(), strict=True):
            squares[i] = square
    all_reduce([(s, [group for group, _ in param.shards]) for s, param in zip(squares, params, strict=True)])
    return torch.stack(squares).sqrt()
