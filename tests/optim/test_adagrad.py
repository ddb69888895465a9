"""Adagrad and RMSProp: their defaults, and steps by hand."""

import torch

from minilib.optim import Adagrad, RMSProp
from tests.optim.helpers import by_hand

DEFAULTS = {
    "Adagrad": ({"lr": 1e-2, "eps": 1e-10, "weight_decay": 0.0}, torch.optim.Adagrad),
    "RMSProp": ({"lr": 1e-2, "alpha": 0.99, "eps": 1e-8, "weight_decay": 0.0}, torch.optim.RMSprop),
}
BY_HAND = [
    # v = 9, then 25;  x = 1 - 0.1 * 3/3 - 0.1 * 4/5 = 0.82
    by_hand("root of the sum", Adagrad, 1, [3, 4], 0.82, lr=0.1, eps=1e-300),
    # v = 0.25 * 16 = 4, then 0.75 * 4 + 0.25 * 4 = 4;  x = 1 - 0.1 * 4/2 - 0.1 * 2/2 = 0.7
    by_hand("root of the average", RMSProp, 1, [4, 2], 0.7, lr=0.1, alpha=0.75, eps=1e-300),
    # root of 9 is 3;  outside: 3 / (3 + 1) = 0.75, inside it would be 3 / sqrt(10) = 0.949
    by_hand("eps outside the root", Adagrad, 0, [3], -0.75, lr=1.0, eps=1.0),
    by_hand("eps outside the root", RMSProp, 0, [3], -0.75, lr=1.0, alpha=0.0, eps=1.0),
]
