"""The parameters after every step of a public torch optimizer, on the inputs of `recipe.py`.

Five need a hand: timm's root imports models and torchvision, so it gets an empty root; adam-mini finds its
blocks by the names of the parameters and wants matrices; schedulefree must be told that training begins; and
pytorch_optimizer's SOAP does its QR decomposition in float32, which would leave six digits to compare, as its Muon does
the rounds of Newton and Schulz in bfloat16, which would leave two. Muon takes matrices only.
"""

import importlib.util
import sys
import types
from functools import partial
from pathlib import Path

import recipe
import torch
import transformers.optimization  # noqa: F401  before timm's root is emptied: it looks for timm

site = Path(importlib.util.find_spec("timm").origin).parents[1]
for root in ("timm", "timm.optim"):
    sys.modules[root] = types.ModuleType(root)
    sys.modules[root].__path__ = [str(site.joinpath(*root.split(".")))]


def steps(package, optimizer, options):
    """Arrays by name after each step; float32 for bitsandbytes, which has no other."""
    dtype = torch.float32 if package == "bitsandbytes" else torch.float64
    params = {n: torch.nn.Parameter(torch.tensor(x, dtype=dtype)) for n, x in recipe.start().items()}
    opt, params = made(package, optimizer, params, options)
    for gradient in recipe.gradients():
        for name, p in params.items():
            p.grad = torch.tensor(gradient[name], dtype=dtype).reshape(p.shape)
        opt.step()
        yield {n: p.detach().numpy() for n, p in params.items()}


def made(package, optimizer, params, options):
    """The package's optimizer, and the parameters as it wants them."""
    if package == "adam-mini":
        # One block for an index of the first axis, as in ours: "mlp". The package takes matrices, so the kernel is one.
        kinds = {"matrix": "mlp", "zeros": "mlp", "kernel": "mlp", "vector": "norm", "scalar": "norm"}
        shaped = {n: p.detach().reshape(len(p), -1) if kinds[n] == "mlp" else p.detach() for n, p in params.items()}
        params = {n: torch.nn.Parameter(p.clone()) for n, p in shaped.items()}
        named = [(f"{kinds[n]}.{n}", p) for n, p in params.items()]
        return optimizer(named, verbose=False, **options), params
    if optimizer.__name__ == "SOAP":
        module = sys.modules[optimizer.__module__]
        module.torch = types.SimpleNamespace(**{**vars(torch), "float32": torch.float64})
    if optimizer.__name__ == "Muon":
        base = sys.modules["pytorch_optimizer.optimizer.muon.base"]
        rounds = getattr(base.zero_power_via_newton_schulz_5, "func", base.zero_power_via_newton_schulz_5)
        base.zero_power_via_newton_schulz_5 = partial(rounds, dtype=torch.float64)
        params = {n: p for n, p in params.items() if p.ndim == 2}
        return optimizer([{"params": list(params.values()), "use_muon": True, **options}], foreach=False), params
    opt = optimizer(list(params.values()), **options)
    if package == "schedulefree":
        opt.train()
    return opt, params
