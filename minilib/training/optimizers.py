"""The optimizer of a run by its name."""

import torch
from torch import nn

from minilib import torch_optim
from minilib.torch_optim import parameter_groups


def optimizer(
    name: str, model: nn.Module, lr: float, weight_decay: float, device: torch.device
) -> torch.optim.Optimizer:
    """The method of this name, one of `config.OPTIMIZERS`, with the usual exclusions, over every parameter once.

    sgd is Nesterov's; came-corrected is CAME whose confidence is corrected for the start, as Adam's averages are. Betas
    and the like are each method's own defaults. Adafactor takes `lr` itself, not a relative step, so that all methods
    follow the same schedule.
    """
    groups = parameter_groups(model, weight_decay)
    plain = parameter_groups(model, weight_decay, layer_adaptation=False)
    fused = device.type in ("cpu", "cuda", "mps")
    ours = {"on_nonfinite": "skip"}
    make = {
        "sgd": lambda: torch.optim.SGD(groups, lr, momentum=0.9, nesterov=True, fused=fused),
        # capturable: the number of the step stays on the device, else XLA would compile each step anew
        "adamw": lambda: torch.optim.AdamW(groups, lr, fused=fused, capturable=not fused),
        "lars": lambda: torch_optim.LARS(plain, lr, **ours),
        "lamb": lambda: torch_optim.LAMB(plain, lr, **ours),
        "adafactor": lambda: torch_optim.Adafactor(groups, lr, relative_step=False, **ours),
        "came": lambda: torch_optim.CAME(groups, lr, **ours),
        "came-corrected": lambda: torch_optim.CAME(groups, lr, correct_confidence=True, **ours),
    }
    opt = make[name]()
    covered = [id(p) for group in opt.param_groups for p in group["params"]]
    assert sorted(covered) == sorted({id(p) for p in model.parameters() if p.requires_grad})
    return opt
