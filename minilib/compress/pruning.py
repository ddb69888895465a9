"""Magnitude pruning: the weights that are smallest in size become zero, and stay so while the others learn on.

Source: Li et al. 2020, who prune 15 % more at a time, and train after each time. Matrices alone are pruned, the tables
of embeddings among them: biases and the gains of norms are few. Absent on purpose: pruning of whole rows or heads, and
weights that come back.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.optim.optimizer import register_optimizer_step_post_hook

SPARSITIES = (0.15, 0.30, 0.45, 0.60, 0.75, 0.90)
SCOPES = ("global", "matrix")


def matrices(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters of at least two dimensions by name; one that the model uses twice is here once."""
    return {name: p for name, p in model.named_parameters() if p.ndim >= 2}


@torch.no_grad()
def prune(model: nn.Module, sparsity: float, scope="global", masks: dict | None = None) -> dict[str, Tensor]:
    """Zero the share `sparsity` of the weights, rounded to whole ones: the smallest. Returns masks of those left.

    Args:
        model: all its matrices are pruned, in place.
        scope: "global" compares the weights of all matrices with each other; "matrix" takes the share of each.
        masks: of an earlier pruning: what that has pruned stays so, and counts.

    Returns name -> bool tensor of the matrix's shape, True where a weight is left. Of equal sizes the first are pruned.

    ValueError: sparsity is not in [0, 1), or is less than that of masks; unknown scope; masks are of another model; a
    weight that is not finite. Nothing is changed then.
    """
    if not isinstance(sparsity, (int, float)) or not 0 <= sparsity < 1:
        raise ValueError(f"sparsity must be at least 0 and less than 1, got {sparsity!r}")
    if scope not in SCOPES:
        raise ValueError(f"scope must be one of {SCOPES}, got {scope!r}")
    weights = matrices(model)
    masks = {name: torch.ones_like(p, dtype=torch.bool) for name, p in weights.items()} if masks is None else masks
    check_masks(model, masks)
    for name, p in weights.items():
        if not p.isfinite().all():
            raise ValueError(f"{name} must be finite, and has entries that are not")
    # What was pruned before is smaller than any weight.
    sizes = {name: p.abs().masked_fill(~masks[name].to(p.device), -1.0).flatten() for name, p in weights.items()}
    if scope == "global":
        kept = largest(torch.cat(list(sizes.values())), sparsity).split([len(s) for s in sizes.values()])
        left = dict(zip(sizes, kept, strict=True))
    else:
        left = {name: largest(s, sparsity) for name, s in sizes.items()}
    left = {name: mask.reshape(weights[name].shape) for name, mask in left.items()}
    zero(weights, left)
    return left


def largest(sizes: Tensor, sparsity: float) -> Tensor:
    """(n,) to (n,) bool: False for the share of the smallest. ValueError if not all those below 0 are among them."""
    count, before = round(sparsity * len(sizes)), int((sizes < 0).sum())
    if count < before:
        raise ValueError(f"sparsity must be at least that of masks, {before / len(sizes):.4f}, got {sparsity}")
    kept = torch.ones_like(sizes, dtype=torch.bool)
    kept[sizes.argsort(stable=True)[:count]] = False
    return kept


@contextmanager
def keep_pruned(model: nn.Module, masks: dict[str, Tensor]) -> Iterator[None]:
    """While this is open, pruned weights are zero, after every step of any optimizer too, and so are their gradients.

    The gradients, so that pruned weights count neither in the norm that clips nor in any statistics. The weights,
    because an optimizer that is older than the masks still moves them by its momentum.

    ValueError: masks are of another model.
    """
    check_masks(model, masks)
    weights = matrices(model)
    masks = {name: mask.to(weights[name].device) for name, mask in masks.items()}
    zero(weights, masks)
    handles = [register_optimizer_step_post_hook(lambda *_: zero(weights, masks))]
    for name, p in weights.items():
        if p.requires_grad:
            handles.append(p.register_hook(lambda g, mask=masks[name]: g * mask))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@torch.no_grad()
def zero(weights: dict[str, nn.Parameter], masks: dict[str, Tensor]) -> None:
    """Set what the masks prune to zero."""
    for name, p in weights.items():
        p.masked_fill_(~masks[name], 0.0)


def check_masks(model: nn.Module, masks: dict[str, Tensor]) -> None:
    """Raises ValueError, naming the first, unless there is a bool tensor for each matrix and has its shape."""
    ours = {name: (torch.bool, tuple(p.shape)) for name, p in matrices(model).items()}
    theirs = {name: (mask.dtype, tuple(mask.shape)) for name, mask in masks.items()}
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            here, there = ours.get(name, "no matrix"), theirs.get(name, "absent")
            raise ValueError(f"masks[{name!r}] is {there}, and in the model it is {here}")
