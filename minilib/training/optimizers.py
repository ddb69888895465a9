"""The optimizer of a run by its name."""

import inspect

import torch
from torch import nn

from minilib import torch_optim
from minilib.torch_optim import parameter_groups

# name -> (class, the options that make it this method). Adafactor takes the run's `lr` itself, not a relative step, so
# that all methods follow the same schedule. A new method is one line here.
METHODS = {
    "sgd": (torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    "adamw": (torch.optim.AdamW, {}),
    "lars": (torch_optim.LARS, {}),
    "lamb": (torch_optim.LAMB, {}),
    "adafactor": (torch_optim.Adafactor, {"relative_step": False}),
    "adafactor-momentum": (torch_optim.WithoutConfidence, {}),
    "came": (torch_optim.CAME, {}),
    "came-corrected": (torch_optim.CAME, {"correct_confidence": True}),
}
# The same method in a class that may keep its state in 16 or 8 bits.
NARROW = {"adamw": (torch_optim.LAMB, {"layer_adaptation": False, "eps": 1e-8})}
NARROW |= {name: METHODS[name] for name, (cls, _) in METHODS.items() if issubclass(cls, torch_optim.Optimizer)}


def _numbers(cls: type) -> tuple[str, ...]:
    """Which of beta1, beta2 and eps a run may set: Adafactor and CAME have two eps each, SGD and LARS a momentum."""
    has = inspect.signature(cls).parameters
    betas = ("beta1", "beta2") if "betas" in has else ()
    return (*betas, "eps") if "eps" in has and not isinstance(has["eps"].default, tuple) else betas


NUMBERS = {name: _numbers(cls) for name, (cls, _) in METHODS.items()}


def optimizer(
    name: str,
    model: nn.Module,
    lr: float,
    weight_decay: float,
    device: torch.device,
    beta1: float | None = None,
    beta2: float | None = None,
    eps: float | None = None,
    state_dtype: str | None = None,
) -> torch.optim.Optimizer:
    """The method of this name, one of `METHODS`, with the usual exclusions, over every parameter once.

    sgd is Nesterov's; came-corrected is CAME whose confidence is corrected for the start, as Adam's averages are;
    adafactor-momentum is CAME without its confidence, Algorithm 1 of its paper.
    What is not given of `beta1`, `beta2` and `eps` is the method's own; one that it does not have `Config` refuses, as
    it does a `state_dtype`, "bfloat16" or "uint8", for a method that is not in `NARROW`.
    """
    cls, options = NARROW[name] if state_dtype else METHODS[name]
    has = inspect.signature(cls).parameters
    fused = device.type in ("cpu", "cuda", "mps")
    options = options | ({"fused": fused} if "fused" in has else {"on_nonfinite": "skip"})
    if state_dtype:
        options["state_dtype"] = state_dtype
    elif name == "adamw":  # the number of the step stays on the device, else XLA would compile each step anew
        options["capturable"] = not fused
    if "beta1" in NUMBERS[name]:
        own = has["betas"].default
        given = (beta1, beta2, *own[2:])
        options["betas"] = tuple(b if b is not None else default for b, default in zip(given, own, strict=True))
    if "eps" in NUMBERS[name] and eps is not None:
        options["eps"] = eps
    exclude = {"layer_adaptation": False} if "layer_adaptation" in has else {}  # biases and norms
    opt = cls(parameter_groups(model, weight_decay, **exclude), lr=lr, **options)
    if name == "sgd" and fused and device.type != "cpu":
        # torch 2.13 makes the momentum without values where a fused step is told to skip: so it begins as 0, from
        # which the first step goes on as from none. On a CPU a step that is skipped is not taken.
        for group in opt.param_groups:
            for p in group["params"]:
                opt.state[p]["momentum_buffer"] = torch.zeros_like(p)
    covered = [id(p) for group in opt.param_groups for p in group["params"]]
    assert sorted(covered) == sorted({id(p) for p in model.parameters() if p.requires_grad})
    return opt
