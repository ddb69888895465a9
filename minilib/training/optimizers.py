"""The optimizer of a run by its name, and a step that leaves everything alone when the gradient is not finite."""

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
    ours = {"on_nonfinite": "skip", "capturable": device.type != "cpu"}
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


def careful_step(opt: torch.optim.Optimizer, finite: torch.Tensor) -> None:
    """A step that changes nothing where `finite`, a 0-dim tensor, is false. The host waits for it on a CPU only."""
    if finite.device.type == "cpu":
        if finite:
            opt.step()
    elif isinstance(opt, torch_optim.Optimizer):
        opt.step()  # on_nonfinite="skip" looks for itself
    elif opt.defaults["fused"]:
        opt.grad_scale, opt.found_inf = None, (~finite).float()  # how torch's own fused steps are told to skip
        opt.step()
    else:
        step_or_undo(opt, finite)


@torch.no_grad()
def step_or_undo(opt: torch.optim.Optimizer, finite: torch.Tensor) -> None:
    """A step of a method that cannot skip, taken back where `finite` is false: from copies of all that it may change.

    State that begins in this step is then zero, from which SGD and AdamW go on as from none.
    """
    tensors = {p: {"": p} | opt.state.get(p, {}) for group in opt.param_groups for p in group["params"]}
    before = {p: {name: t.clone() for name, t in own.items()} for p, own in tensors.items()}
    opt.step()
    for p, old in before.items():
        for name, t in ({"": p} | opt.state.get(p, {})).items():
            t.copy_(torch.where(finite, t, old[name] if name in old else torch.zeros_like(t)))
