"""LARS, LAMB, Adafactor and CAME for PyTorch, on the contract of `torch.optim`. SGD, Adam and AdamW are torch's own."""

from minilib import needs

with needs("torch"):
    from minilib.torch_optim.adafactor import Adafactor
    from minilib.torch_optim.base import Optimizer, parameter_groups
    from minilib.torch_optim.came import CAME, WithoutConfidence
    from minilib.torch_optim.compiler import cannot_compile
    from minilib.torch_optim.lamb import LAMB
    from minilib.torch_optim.lars import LARS, LARS2020

__all__ = [
    "CAME",
    "LAMB",
    "LARS",
    "LARS2020",
    "Adafactor",
    "Optimizer",
    "WithoutConfidence",
    "cannot_compile",
    "parameter_groups",
]
