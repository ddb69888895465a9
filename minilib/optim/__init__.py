"""The optimizers of the book, one a file, in NumPy; used like torch's: `opt.zero_grad()`, `opt.step()`."""

from minilib.optim.adafactor import Adafactor
from minilib.optim.adagrad import Adagrad, RMSProp
from minilib.optim.adam import Adam, AdamW, AMSGrad
from minilib.optim.base import Optimizer
from minilib.optim.came import CAME
from minilib.optim.groups import clip_grad_norm, parameter_groups
from minilib.optim.lamb import LAMB
from minilib.optim.lars import LARS, LARS2020
from minilib.optim.sgd import SGD
from minilib.optim.trust import trust_ratio

__all__ = [
    "CAME",
    "LAMB",
    "LARS",
    "LARS2020",
    "SGD",
    "AMSGrad",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Optimizer",
    "RMSProp",
    "clip_grad_norm",
    "parameter_groups",
    "trust_ratio",
]
