"""The optimizers of the book, one a file, in NumPy; used like torch's: `opt.zero_grad()`, `opt.step()`."""

from minilib.optim.adafactor import Adafactor
from minilib.optim.adagrad import Adagrad, RMSProp
from minilib.optim.adam import Adam, AdamW, AMSGrad
from minilib.optim.adam_mini import AdamMini
from minilib.optim.base import Optimizer
from minilib.optim.came import CAME
from minilib.optim.groups import clip_grad_norm, parameter_groups, together
from minilib.optim.lamb import LAMB
from minilib.optim.lars import LARS, LARS2020
from minilib.optim.lion import Lion
from minilib.optim.muon import Muon
from minilib.optim.schedule_free import ScheduleFree
from minilib.optim.sgd import SGD
from minilib.optim.shampoo import Shampoo
from minilib.optim.sm3 import SM3
from minilib.optim.soap import SOAP
from minilib.optim.trust import trust_ratio

# Every method of the book, in its order: those with a chapter of their own, and those of the landscape.
CHAPTERS = SGD, Adagrad, RMSProp, Adam, AdamW, AMSGrad, LARS, LARS2020, LAMB, Adafactor, CAME
LANDSCAPE = SM3, Lion, AdamMini, Shampoo, SOAP, Muon, ScheduleFree
METHODS = {cls.__name__: cls for cls in CHAPTERS + LANDSCAPE}
__all__ = ["METHODS", "Optimizer", "clip_grad_norm", "parameter_groups", "together", "trust_ratio", *METHODS]
