"""Usual groups of a model, and the forms of papers and packages: `LAMB(params, lr=1e-3, **LAMB.preset("timm"))`.

A preset says which method is meant, not how it is tuned: lr, betas, momentum, d and weight_decay are yours. To change
one of its options write `**(LAMB.preset("timm") | {"max_grad_norm": 2.0})`. The versions are timm 1.0.31, optax 0.2.8,
pytorch_optimizer 4.1.0, tensorflow-addons 0.23.0, transformers 5.23.0 and came-pytorch 0.1.3; Apex's FusedLAMB and
MLPerf's LARS as last published, from their source. Absent, because no options of ours make them:

* torch's Adafactor. It bounds the second moment from below by an epsilon of its data type, where the paper adds
  1e-30 to the squared gradient: small gradients in bfloat16 then hardly move a parameter.
* LAMB as pytorch_optimizer has it by default (decay and bias correction outside the ratio) and as bitsandbytes has it
  (a ratio of at most 1, and of 0 for a parameter of zeros).
* Momentum in Adafactor, transformers' warmup_init, trust_clip of timm's LAMB and LARS, timm's AdafactorBigVision.
"""

import math

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


def preset(cls, name: str) -> dict:
    """The options of one form of this method. ValueError when there is none of this name."""
    if name not in cls.presets:
        raise ValueError(f"no preset {name!r} of {cls.__name__}: may be one of {sorted(cls.presets)}")
    return dict(cls.presets[name])


_LAMB = {
    "eps": 1e-6,
    "bias_correction": True,
    "phi": (0.0, math.inf),
    "adapt_without_decay": True,
    "max_grad_norm": None,
}
LAMB_PRESETS = {
    "paper": _LAMB,
    "optax": _LAMB,
    "tf-addons": _LAMB,
    # NVIDIA Apex clips the joint norm of all gradients; without its argument use_nvlamb it is what timm took over.
    "nvlamb": _LAMB | {"max_grad_norm": 1.0},
    "apex": _LAMB | {"max_grad_norm": 1.0, "adapt_without_decay": False},
    "timm": _LAMB | {"max_grad_norm": 1.0, "adapt_without_decay": False},
    # Only with its weight_decouple=False, adam_debias=True. There eps is also added to ‖u‖, here it is not.
    "pytorch_optimizer": _LAMB | {"bias_correction": False, "phi": (0.0, 10.0)},
}

_LARS = {
    "scaled_momentum": True,
    "joint_norm": False,
    "eps": 0.0,
    "adapt_without_decay": True,
}
LARS_PRESETS = {
    "paper": _LARS,
    # Where a gradient is exactly zero but the decay is not, timm's ratio is 1, here it is the formula's.
    "timm": _LARS | {"scaled_momentum": False, "eps": 1e-8, "adapt_without_decay": False},
    "optax": _LARS | {"joint_norm": True},
    # It leaves vectors and scalars alone: they need a group with layer_adaptation=False and weight_decay=0.
    "pytorch_optimizer": _LARS | {"scaled_momentum": False},
    # Its epsilon is 0 by name, and 0 means Keras's 1e-7 there.
    "mlperf": _LARS | {"eps": 1e-7},
}

_ADAFACTOR = {
    "eps": (1e-30, 1e-3),
    "relative_step": True,
    "scale_parameter": None,
    "decay_by": "lr",
    "factor": "last",
    "min_dim_size_to_factor": 0,
}
_BY_STEP = _ADAFACTOR | {"decay_by": "step"}
ADAFACTOR_PRESETS = {
    "paper": _ADAFACTOR,  # it knows matrices only, and no decay
    # Without relative_step these two still scale by the size of the parameter, unless scale_parameter=False too.
    "transformers": _BY_STEP | {"scale_parameter": True},
    # With its betas=(None, ...), the form without momentum.
    "pytorch_optimizer": _BY_STEP | {"scale_parameter": True},
    # It factors dimensions above 16, a kernel's first two, else its last two (here: not at all). Where you would give
    # timm a learning rate, add relative_step=False.
    "timm": _BY_STEP | {"factor": "first", "min_dim_size_to_factor": 17},
    "optax": _ADAFACTOR
    | {
        "relative_step": False,
        "scale_parameter": True,
        "decay_by": "one",
        "factor": "largest",
        "min_dim_size_to_factor": 128,
    },
}

_CAME = {"eps": (1e-30, 1e-16), "correct_confidence": False, "factor": "last", "min_dim_size_to_factor": 0}
CAME_PRESETS = {"paper": _CAME, "came-pytorch": _CAME, "pytorch_optimizer": _CAME}
