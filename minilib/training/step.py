"""One step of a training loop: clip, set the rate, step where the gradient is finite, clear the gradients.

A step whose gradient is not finite leaves weights and state alone. The host waits for that answer on a CPU only.
Where float16 is trained the loss was multiplied by a scale, so that small gradients do not vanish; they are divided by
it first, and after a step that was not finite the scale is halved.
"""

import math

import torch
from torch import nn

from minilib import torch_optim


def step_if_finite(
    opt: torch.optim.Optimizer, parameters, lr: float, clip: float | None, scaler: torch.amp.GradScaler | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """A step at the rate `lr` for all groups, its gradients scaled to the norm `clip` where they are longer.

    Returns the norm of all gradients before clipping, and whether it was finite: 0-dim tensors on the device.
    """
    if scaler:
        scaler.unscale_(opt)
    norm = nn.utils.clip_grad_norm_(parameters, math.inf if clip is None else clip)
    norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm  # of sharded gradients
    finite = torch.isfinite(norm)
    for group in opt.param_groups:
        group["lr"] = lr
    step_where(opt, finite)
    if scaler:
        scaler.update()
    opt.zero_grad()
    return norm, finite


def step_where(opt: torch.optim.Optimizer, finite: torch.Tensor) -> None:
    if finite.device.type == "cpu":
        if finite:
            opt.step()
    elif isinstance(opt, torch_optim.Optimizer):
        opt.step()  # on_nonfinite="skip" looks for itself
    elif opt.defaults.get("fused"):
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
