"""Public implementations that `torch_optim.py` times beside ours, each where it is installed.

    pip install --no-deps -r benchmarks/requirements-peers.txt

They are no dependency of the book. Options are those under which a package does the paper's work and nothing more: no
clipping of the global norm, a ratio for every parameter, no momentum in Adafactor.
"""

import importlib
import importlib.util
import sys
import types
from pathlib import Path

import torch


def timm(module, cls):
    """A class of timm.optim; its root imports models and torchvision, so it gets an empty root."""
    if "timm" not in sys.modules:
        spec = importlib.util.find_spec("timm")
        if spec is None:
            raise ImportError("no module named 'timm'")
        site = Path(spec.origin).parents[1]
        for root in ("timm", "timm.optim"):
            sys.modules[root] = types.ModuleType(root)
            sys.modules[root].__path__ = [str(site.joinpath(*root.split(".")))]
    return getattr(importlib.import_module(f"timm.optim.{module}"), cls)


def package(name, cls):
    return getattr(importlib.import_module(name), cls)


# row -> (method, how to make it from parameters)
PEERS = {
    "timm Lamb, foreach": (
        "LAMB",
        lambda p: timm("lamb", "Lamb")(p, max_grad_norm=None, always_adapt=True, foreach=True),
    ),
    "timm Lamb, loop": (
        "LAMB",
        lambda p: timm("lamb", "Lamb")(p, max_grad_norm=None, always_adapt=True, foreach=False),
    ),
    "pytorch_optimizer Lamb": ("LAMB", lambda p: package("pytorch_optimizer", "Lamb")(p, weight_decay=0.01)),
    "timm Lars, foreach": (
        "LARS",
        lambda p: timm("lars", "Lars")(p, lr=1e-3, momentum=0.9, weight_decay=0.01, foreach=True),
    ),
    "timm Lars, loop": (
        "LARS",
        lambda p: timm("lars", "Lars")(p, lr=1e-3, momentum=0.9, weight_decay=0.01, foreach=False),
    ),
    "pytorch_optimizer LARS": ("LARS", lambda p: package("pytorch_optimizer", "LARS")(p, weight_decay=0.01)),
    "torch Adafactor, loop": ("Adafactor", lambda p: torch.optim.Adafactor(p, foreach=False)),
    "torch Adafactor, foreach": ("Adafactor", lambda p: torch.optim.Adafactor(p, foreach=True)),
    "timm Adafactor": ("Adafactor", lambda p: timm("adafactor", "Adafactor")(p)),
    "pytorch_optimizer AdaFactor": (
        "Adafactor",
        lambda p: package("pytorch_optimizer", "AdaFactor")(p, betas=(None, 0.999)),
    ),
    "came-pytorch": ("CAME", lambda p: package("came_pytorch", "CAME")(p, lr=2e-4)),
    "pytorch_optimizer CAME": ("CAME", lambda p: package("pytorch_optimizer", "CAME")(p)),
}
