"""The optimizer of a run by its name."""

import inspect

import torch
from torch import nn

from minilib import torch_optim
from minilib.torch_optim import parameter_groups


def optimizer(
    name: str,
    model: nn.Module,
    lr: float,
    weight_decay: float,
    device: torch.device,
    beta1: float | None = None,
    beta2: float | None = None,
    eps: float | None = None,
) -> torch.optim.Optimizer:
    """The method of this name, one of `config.OPTIMIZERS`, with the usual exclusions, over every parameter once.

    sgd is Nesterov's; came-corrected is CAME whose confidence is corrected for the start, as Adam's averages are;
    adafactor-momentum is CAME without its confidence, Algorithm 1 of its paper.
    Adafactor takes `lr` itself, not a relative step, so that all methods follow the same schedule. What is not given of
    `beta1`, `beta2` and `eps` is the method's own default. One that a method does not have is not looked at here:
    `Config` refuses it.
    """
    groups = parameter_groups(model, weight_decay)
    plain = parameter_groups(model, weight_decay, layer_adaptation=False)
    fused = device.type in ("cpu", "cuda", "mps")
    ours = {"on_nonfinite": "skip"}
    small = {} if eps is None else {"eps": eps}

    def averages(method) -> dict:
        own = inspect.signature(method).parameters["betas"].default
        given = (beta1, beta2, *own[2:])
        return {"betas": tuple(b if b is not None else default for b, default in zip(given, own, strict=True))}

    make = {
        "sgd": lambda: torch.optim.SGD(groups, lr, momentum=0.9, nesterov=True, fused=fused),
        # capturable: the number of the step stays on the device, else XLA would compile each step anew
        "adamw": lambda: torch.optim.AdamW(
            groups, lr, fused=fused, capturable=not fused, **averages(torch.optim.AdamW), **small
        ),
        "lars": lambda: torch_optim.LARS(plain, lr, **ours, **small),
        "lamb": lambda: torch_optim.LAMB(plain, lr, **ours, **averages(torch_optim.LAMB), **small),
        "adafactor": lambda: torch_optim.Adafactor(groups, lr, relative_step=False, **ours),
        "came": lambda: torch_optim.CAME(groups, lr, **ours, **averages(torch_optim.CAME)),
        "adafactor-momentum": lambda: torch_optim.WithoutConfidence(
            groups, lr, **ours, **averages(torch_optim.WithoutConfidence)
        ),
        "came-corrected": lambda: torch_optim.CAME(
            groups, lr, correct_confidence=True, **ours, **averages(torch_optim.CAME)
        ),
    }
    opt = make[name]()
    if name == "sgd" and fused and device.type != "cpu":
        # torch 2.13 makes the momentum without values where a fused step is told to skip: so it begins as 0, from
        # which the first step goes on as from none. On a CPU a step that is skipped is not taken.
        for group in opt.param_groups:
            for p in group["params"]:
                opt.state[p]["momentum_buffer"] = torch.zeros_like(p)
    covered = [id(p) for group in opt.param_groups for p in group["params"]]
    assert sorted(covered) == sorted({id(p) for p in model.parameters() if p.requires_grad})
    return opt
