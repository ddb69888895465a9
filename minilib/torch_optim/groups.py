"""The usual groups of a model: what decays, and what is left out of decay and of layer-wise adaptation."""

import torch

from minilib.optim.checks import RANGES, check_option


def parameter_groups(model: torch.nn.Module, weight_decay: float, **exclude) -> list[dict]:
    """Two groups for any optimizer here or in torch: `LAMB(parameter_groups(model, 0.01, layer_adaptation=False))`.

    The first has all matrices and kernels, embeddings too, with `weight_decay`. The second has what has fewer than two
    dimensions, the biases and the gains of norms, with weight decay 0 and the options `exclude`. Within a group the
    order is the model's. Parameters that need no gradient are in neither, shared ones appear once, and a group that
    would be empty is left out.

    Returns:
        Groups with (name, parameter) pairs; in the optimizer the names are `group["param_names"]`.

    Raises:
        ValueError: `model` is no module, has nothing to train or has lazy parameters that are not made yet,
            `weight_decay` is out of range, or `exclude` has the key "params".
    """
    if not isinstance(model, torch.nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, got {type(model).__name__}")
    check_option("weight_decay", weight_decay, RANGES)
    if "params" in exclude:
        raise ValueError("exclude must be options of the second group, got 'params'")
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if not named:
        raise ValueError(f"model must have parameters that require a gradient, got a {type(model).__name__} without")
    for name, p in named:
        if torch.nn.parameter.is_lazy(p):
            raise ValueError(f"{name} has no shape yet: run the model once before its parameters are grouped")
    groups = [
        {"params": [(name, p) for name, p in named if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [(name, p) for name, p in named if p.ndim < 2], "weight_decay": 0.0, **exclude},
    ]
    return [group for group in groups if group["params"]]
