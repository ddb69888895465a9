"""Before a step: which parameters have a gradient, whether it is finite, and the joint norm of all of them."""

import math
from typing import NamedTuple

import torch

from minilib.torch_optim.checks import check_gradient
from minilib.torch_optim.sharding import all_reduce, cuts, local_gradient


class Job(NamedTuple):
    """A parameter that is to be updated.

    Attributes:
        group: its options.
        name: for messages.
        p, g: the parameter, and the local part of its gradient.
        cuts: see `sharding.cuts`.
        number: of the group.
    """

    group: dict
    name: str
    p: torch.Tensor
    g: torch.Tensor
    cuts: tuple
    number: int


class Inspection(NamedTuple):
    """What is known of the gradients before any of them is used.

    Attributes:
        scale: None, or what all of them are multiplied by.
        ok: None, or a 0-dim tensor: 0 where this step must change nothing, else 1.
        unchecked: is it still unknown whether they are finite?
        bad: None, or the first job whose gradient is not finite.
    """

    scale: float | torch.Tensor | None = None
    ok: torch.Tensor | None = None
    unchecked: bool = False
    bad: Job | None = None


def jobs(param_groups: list) -> list:
    """One `Job` for every parameter with a gradient. ValueError when a gradient is of a kind that cannot be used."""
    found = []
    for k, group in enumerate(param_groups):
        names = group.get("param_names") or [None] * len(group["params"])
        for i, (name, p) in enumerate(zip(names, group["params"], strict=True)):
            if p.grad is not None:
                name = f"parameter {i} of group {k}" if name is None else f"{name} (group {k})"
                check_gradient(name, p)
                found.append(Job(group, name, p, local_gradient(p), cuts(p), k))
    return found


def blind(group: dict) -> bool:
    """Is the host not to wait for the device?"""
    return group["capturable"] or torch.compiler.is_compiling()


def inspect(jobs: list) -> Inspection:
    """A sweep over all gradients where a joint norm is needed, or an answer that the host does not wait for.

    Otherwise nothing is read here: the check rides on the first sweep of the method, see `rounds.advance`.
    """
    group = jobs[0].group
    clip, raises, in_the_dark = group["max_grad_norm"], group["on_nonfinite"] == "raise", blind(group)
    if clip is None and not in_the_dark:
        return Inspection(unchecked=True)
    squares = torch.stack(_squares(jobs))
    if not in_the_dark:
        norms = squares.sqrt().tolist()
        bad = next((job for job, norm in zip(jobs, norms, strict=True) if not math.isfinite(norm)), None)
        norm = math.hypot(*norms)
        return Inspection(bad=bad, scale=clip / norm if norm > clip else None)
    total = squares.sum()
    ok = total.isfinite()
    scale = None if clip is None else (clip / total.sqrt()).clamp(max=1.0)
    if raises:
        torch._assert_async(ok, "a gradient is nan, infinite, or too large to be squared")
        return Inspection(scale)
    return Inspection(scale, ok.to(total.dtype))


def _squares(jobs):
    """The squared norm of every gradient, complete."""
    kinds = {}
    for i, job in enumerate(jobs):
        kinds.setdefault((job.g.device, job.g.dtype), []).append(i)
    squares = [None] * len(jobs)
    for (_, dtype), where in kinds.items():
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        norms = torch._foreach_norm([jobs[i].g for i in where], 2, dtype=wide)
        for i, norm in zip(where, norms, strict=True):
            squares[i] = norm * norm
    partial = [(s, [group for group, _ in job.cuts]) for s, job in zip(squares, jobs, strict=True)]
    all_reduce([pair for pair in partial if pair[1]])
    return squares
