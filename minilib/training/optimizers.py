"""The optimizer of a run by its name."""

import inspect
import re

import torch

from minilib import torch_optim
from minilib.torch_optim import parameter_groups

HIDDEN = re.compile(r"(.*\.)?(blocks|head)\..*")  # BERT's head is a layer before the output layer, which is a table


class MuonAndAdamW(torch.optim.Optimizer):
    """Muon for the matrices of blocks; as its author advises (Jordan et al. 2024) AdamW for tables, outputs, vectors.

    Both follow one rate: a step of Muon is made as large as one of AdamW (Liu et al. 2025, arXiv 2502.16982).
    """

    def __init__(self, groups, lr, betas=(0.9, 0.999), eps=1e-8, capturable=False):
        own = {"adjust_lr_fn": "match_rms_adamw"}, {"betas": betas, "eps": eps, "capturable": capturable}
        self.parts = []
        for muon, cls, options in ((True, torch.optim.Muon, own[0]), (False, torch.optim.AdamW, own[1])):
            of = [[(n, p) for n, p in g["params"] if bool(p.ndim == 2 and HIDDEN.fullmatch(n)) == muon] for g in groups]
            mine = [g | {"params": pairs} for g, pairs in zip(groups, of, strict=True) if pairs]
            self.parts += [cls(mine, lr, **options)] if mine else []
        both = [g for part in self.parts for g in part.param_groups]
        super().__init__([g | {"params": list(zip(g["param_names"], g["params"], strict=True))} for g in both], {})

    def step(self, closure=None):
        """Each part takes its step on the groups and the state of the whole."""
        groups = list(self.param_groups)
        for part in self.parts:
            part.param_groups, groups = groups[: len(part.param_groups)], groups[len(part.param_groups) :]
            part.state = self.state
            part.step()


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
    "muon": (MuonAndAdamW, {}),
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


def optimizer(name: str, model, lr: float, weight_decay, device, beta1=None, beta2=None, eps=None, state_dtype=None):
    """The method of this name, one of `METHODS`, with the usual exclusions, over every parameter once.

    sgd is Nesterov's; came-corrected is CAME whose confidence is corrected for the start, as Adam's averages are;
    adafactor-momentum is CAME without its confidence, Algorithm 1 of its paper; muon is `MuonAndAdamW`.
    What is not given of `beta1`, `beta2` and `eps` is the method's own; one that it does not have `Config` refuses, as
    it does a `state_dtype`, "bfloat16" or "uint8", for a method that is not in `NARROW`.
    """
    cls, options = NARROW[name] if state_dtype else METHODS[name]
    has = inspect.signature(cls).parameters
    fused = device.type in ("cpu", "cuda", "mps")
    options = options | ({"fused": fused} if "fused" in has else {})
    if "capturable" in has:  # the number of the step stays on the device, else a TPU would compile each step anew
        options["capturable"] = device.type not in ("cpu", "mps") and not options.get("fused")
    elif "fused" not in has:
        options["on_nonfinite"] = "skip"
    if state_dtype:
        options["state_dtype"] = state_dtype
    if "beta1" in NUMBERS[name]:
        own = has["betas"].default
        options["betas"] = (own[0] if beta1 is None else beta1, own[1] if beta2 is None else beta2, *own[2:])
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
