"""Every method's defaults with their source, and its steps by hand, or where they are another method's."""

import inspect
from math import inf

import numpy as np
import pytest
import torch

from minilib import optim, torch_optim
from minilib.optim import (
    CAME,
    LAMB,
    LARS,
    LARS2020,
    SGD,
    SM3,
    SOAP,
    Adafactor,
    Adagrad,
    Adam,
    AdamMini,
    AdamW,
    AMSGrad,
    Lion,
    Muon,
    RMSProp,
    ScheduleFree,
    Shampoo,
)
from minilib.optim.muon import newton_schulz
from tests.optim.helpers import QL, QR, STEPS, X, after
from tests.references import recipe

LARS_OPTIONS = {"momentum": 0.9, "weight_decay": 0.0, "layer_adaptation": True}
# torch's class, or what the paper or the authors' code has
SOURCES = {
    "SGD": torch.optim.SGD,
    "Adagrad": torch.optim.Adagrad,
    "RMSProp": torch.optim.RMSprop,
    "Adam": torch.optim.Adam,
    "AMSGrad": torch.optim.Adam,
    "AdamW": torch.optim.AdamW,
    "Muon": torch.optim.Muon,
    # You, Gitman & Ginsburg 2017 for the coefficient, MLPerf for the momentum, timm for the rate
    "LARS": LARS_OPTIONS | {"lr": 1.0, "trust_coefficient": 1e-3},
    # You et al. 2020, Algorithms 1 and 2; LARS's rate is ours, LAMB's is timm's
    "LARS2020": LARS_OPTIONS | {"lr": 1e-2, "phi": (0.0, inf)},
    "LAMB": {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 0.01, "bias_correction": True}
    | {"phi": (0.0, inf), "layer_adaptation": True},
    # Shazeer & Stern 2018, Algorithm 6
    "Adafactor": {"lr": 1e-2, "beta2_decay": -0.8, "eps": (1e-30, 1e-3), "d": 1.0, "weight_decay": 0.0}
    | {"relative_step": True},
    # Luo et al. 2023, for BERT-Large
    "CAME": {"lr": 2e-4, "betas": (0.9, 0.999, 0.9999), "eps": (1e-30, 1e-16), "d": 1.0, "weight_decay": 0.0},
    # Anil et al. 2019 have momentum 0.9; all this is ours
    "SM3": {"lr": 0.1, "momentum": 0.0, "eps": 1e-15, "weight_decay": 0.0},
    # Chen et al. 2023, Algorithm 2
    "Lion": {"lr": 1e-4, "betas": (0.9, 0.99), "weight_decay": 0.0},
    # Zhang et al. 2024, who have Adam's numbers; the axis fits torch's weights
    "AdamMini": {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0, "axis": 0},
    # ours; the paper has no momentum
    "Shampoo": {"lr": 1e-3, "momentum": 0.0, "eps": 1e-6, "weight_decay": 0.0},
    # the authors' code, of Vyas et al. 2024
    "SOAP": {"lr": 3e-3, "betas": (0.95, 0.95), "eps": 1e-8, "weight_decay": 1e-2, "precondition_frequency": 10},
    # the authors' package, of Defazio et al. 2024
    "ScheduleFree": {"lr": 2.5e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0},
}
# What only the methods in PyTorch have.
IN_TORCH = {
    "LARS": {"scaled_momentum": True, "joint_norm": False, "eps": 0.0, "adapt_without_decay": True},
    "LAMB": {"adapt_without_decay": True},
    "Adafactor": {"scale_parameter": None, "decay_by": "lr", "factor": "largest", "min_dim_size_to_factor": 0},
    "CAME": {"correct_confidence": False, "factor": "largest", "min_dim_size_to_factor": 0},
}


def defaults(cls) -> dict:
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.name != "params" and p.kind is not p.VAR_KEYWORD}


@pytest.mark.parametrize("name", optim.METHODS)
def test_every_default_is_that_of_its_source_and_the_same_in_torch(name):
    own, source = defaults(optim.METHODS[name]), SOURCES[name]
    if isinstance(source, dict):
        assert own == source
    else:  # torch leaves some to the dtype, or calls the usual None
        theirs = {option: value for option, value in defaults(source).items() if option in own and value is not None}
        assert theirs.items() <= own.items()
        assert len(theirs) >= 3
    if name in torch_optim.__all__:
        assert defaults(getattr(torch_optim, name)) == own | IN_TORCH.get(name, {})


def by_hand(name, cls, x, gradients, expected, rtol=1e-15, atol=0.0, **options):
    """Where these gradients lead x."""
    return pytest.param(cls, x, gradients, options, expected, rtol, atol, id=f"{cls.__name__}: {name}")


START, GRADIENTS = recipe.start()["matrix"], [g["matrix"] for g in recipe.gradients()]
ROWS = [
    # g + 0.5 x = (3 + 0.5, -1 + 1) = (3.5, 0);  x - 0.1 (3.5, 0) = (0.65, 2)
    by_hand("plain", SGD, [1, 2], [[3, -1]], [0.65, 2.0], lr=0.1, weight_decay=0.5),
    # b = 2, then 0.5 * 2 + 2 = 3;  x = 1 - 0.1 * 2 - 0.1 * 3 = 0.5
    by_hand("momentum", SGD, 1, [2, 2], 0.5, lr=0.1, momentum=0.5),
    # b = 2, direction 2 + 0.5 * 2 = 3;  b = 3, direction 2 + 0.5 * 3 = 3.5;  x = 1 - 0.3 - 0.35 = 0.35
    by_hand("Nesterov", SGD, 1, [2, 2], 0.35, lr=0.1, momentum=0.5, nesterov=True),
    # v = 9, then 25;  x = 1 - 0.1 * 3/3 - 0.1 * 4/5 = 0.82
    by_hand("root of the sum", Adagrad, 1, [3, 4], 0.82, lr=0.1, eps=1e-300),
    # v = 0.25 * 16 = 4, then 0.75 * 4 + 0.25 * 4 = 4;  x = 1 - 0.1 * 4/2 - 0.1 * 2/2 = 0.7
    by_hand("root of the average", RMSProp, 1, [4, 2], 0.7, lr=0.1, alpha=0.75, eps=1e-300),
    # root of 9 is 3;  outside: 3 / (3 + 1) = 0.75, inside it would be 3 / sqrt(10) = 0.949
    by_hand("eps outside the root", Adagrad, 0, [3], -0.75, lr=1.0, eps=1.0),
    by_hand("eps outside the root", RMSProp, 0, [3], -0.75, lr=1.0, alpha=0.0, eps=1.0),
]

TINY, UNCORRECTED = {"lr": 0.1, "eps": 1e-300}, {"lr": 0.1, "bias_correction": False}
ROWS += [
    # beta = (1/2, 3/4), gradients 2, 4.
    # t=1: m = 1, v = 1;  m/(1/2) = 2, v/(1/4) = 4;  step 2/2 = 1
    # t=2: m = 1/2 + 2 = 5/2, v = 3/4 + 4 = 19/4;  m/(3/4) = 10/3, v/(7/16) = 76/7
    by_hand("two steps", Adam, 1, [2, 4], 0.9 - 0.1 * (10 / 3) / np.sqrt(76 / 7), betas=(0.5, 0.75), **TINY),
    # m = 2/2 = 1, v = 4/4 = 1: step 1/1, and with eps = 1 step 1/(1 + 1)
    by_hand("uncorrected", Adam, 1, [2], 0.9, betas=(0.5, 0.75), eps=1e-300, **UNCORRECTED),
    by_hand("uncorrected, eps", Adam, 1, [2], 0.95, betas=(0.5, 0.75), eps=1.0, **UNCORRECTED),
    # decay: 2 (1 - 0.1 * 0.5) = 1.9; first step of Adam: one learning rate against the sign: 1.9 - 0.1
    by_hand("decay is decoupled", AdamW, [2, 2], [[3, -3]], [1.8, 2.0], weight_decay=0.5, **TINY),
    # Adam's gradient 3 + 0.5 * 2 = 4 still gives a first step of one learning rate.
    by_hand("decay is rescaled", Adam, 2, [3], 1.9, weight_decay=0.5, **TINY),
    # No correction, beta = (0, 1/2), gradients 4, 1: v = 8, then 4 + 1/2 = 4.5; the maximum stays 8.
    by_hand("maximum", AMSGrad, 1, [4, 1], 1 - 0.5 / np.sqrt(8), betas=(0.0, 0.5), eps=1e-300, **UNCORRECTED),
    # g = 3: m̂ = 3, √v̂ = 3, so 3 / (3 + 1); before the correction it would be another number.
    by_hand("eps outside the root, after the correction", Adam, 0, [3], -0.75, rtol=1e-12, lr=1.0, eps=1.0),
]

# g² = (1 49; 49 49) has row means 25 and 49; its column means are the same, and its mean is 37
G, OPTIONS = np.array([[1.0, 7.0], [7.0, 7.0]]), TINY | {"rtol": 1e-13}
ROWS += [
    by_hand("rows", AdamMini, 0 * G, [G], -0.1 * G / [[5], [7]], axis=0, **OPTIONS),
    by_hand("columns", AdamMini, 0 * G, [G], -0.1 * G / [[5, 7]], axis=-1, **OPTIONS),
    by_hand("one block", AdamMini, 0 * G, [G], -0.1 * G / np.sqrt(37), axis=None, **OPTIONS),
    by_hand("a vector is one block", AdamMini, [0, 0], [[1, 7]], [-0.02, -0.14], **OPTIONS),
]

BETAS = {"rtol": 0, "atol": 1e-15, "lr": 0.1, "betas": (0.5, 0.75)}
ROWS += [
    # g = 1: c = 1/2, x = -0.1, m = 1/4.  g = -1/8: c = 1/8 - 1/16 > 0, x = -0.2: beta1 = 1/2 keeps the old sign.
    # With m = 1/2, the average of beta1, or with g first, the signs would be the same; with c = m it takes
    # g = -1: c = 1/8 - 1/2 < 0 turns at once, while m = 3/4 * 1/4 - 1/4 = -1/16.
    by_hand("keeps the sign", Lion, 0, [1, -1 / 8], -0.2, **BETAS),
    by_hand("turns", Lion, 0, [1, -1], 0.0, **BETAS),
    # m after (1, -1) is -1/16: a third gradient of 1/8 gives c = -1/32 + 1/16 > 0, one of 1/32 gives c < 0.
    by_hand("another average is kept, above", Lion, 0, [1, -1, 1 / 8], -0.1, **BETAS),
    by_hand("another average is kept, below", Lion, 0, [1, -1, 1 / 32], 0.1, **BETAS),
    # 2 (1 - 0.1 * 0.5) - 0.1 = 1.8
    by_hand("decay is decoupled and comes first", Lion, 2, [3], 1.8, lr=0.1, weight_decay=0.5),
]


def algorithm_1(x, gradients, lr, beta, decay, lower, upper):
    """LARS as You et al. 2020 write it."""
    m = 0 * x
    for g in gradients:
        m = beta * m + (1 - beta) * (g + decay * x)
        x = x - lr * np.clip(np.linalg.norm(x), lower, upper) / np.linalg.norm(m) * m
    return x


HALF, HEAVY = {"lr": 0.1, "momentum": 0.5}, {"lr": 0.1, "weight_decay": 0.1, "momentum": 0.9}
SGDS = after(SGD, START, GRADIENTS, **HEAVY)
FREE, STRICT = (algorithm_1(START, GRADIENTS, *of) for of in ((0.1, 0.9, 0.0, 0, inf), (0.3, 0.5, 0.2, 1, 3)))
BOUNDED = {"lr": 0.3, "momentum": 0.5, "weight_decay": 0.2, "phi": (1, 3)}
ROWS += [
    # norms: w 5, g 10; ratio 0.1 * 5 / (10 + 0.2 * 5) = 1/22
    # step 0.44 / 22 * ((6, 8) + 0.2 (3, 4)) = 0.02 (6.6, 8.8) = (0.132, 0.176)
    by_hand("2017", LARS, [3, 4], [[6, 8]], [2.868, 3.824], 1e-14, lr=0.44, weight_decay=0.2, trust_coefficient=0.1),
    # m = 0.1 ((6, 8) + 0.5 (3, 4)) points along (3, 4), so the layer of norm 5 moves by 0.2 * 5 = 1 along (0.6, 0.8)
    by_hand("2020", LARS2020, [3, 4], [[6, 8]], [2.4, 3.2], 1e-14, lr=0.2, weight_decay=0.5),
    # m = (1 - 0.5) * 4 = 2, x = 1 - 0.1 * 2
    by_hand("2020 without layers", LARS2020, 1, [4], 0.8, layer_adaptation=False, **HALF),
    # ratio 1: x = -lr g, and for the average -lr (1 - momentum) g
    by_hand("zeros take the plain step", LARS, [0, 0], [[3, 4]], [-0.3, -0.4], **HALF),
    by_hand("zeros take the plain step", LARS2020, [0, 0], [[3, 4]], [-0.15, -0.2], **HALF),
    by_hand("Algorithm 1", LARS2020, START, GRADIENTS, FREE, rtol=1e-10, lr=0.1),
    by_hand("Algorithm 1, bounds and decay", LARS2020, START, GRADIENTS, STRICT, rtol=1e-10, **BOUNDED),
    by_hand("without layers it is SGD", LARS, START, GRADIENTS, SGDS, rtol=1e-10, layer_adaptation=False, **HEAVY),
]

W, R, U = np.array([3, 4]), np.array([0.6, 1 / 3]), np.array([1, -1]) / np.sqrt(2)
OPTIONS, TINY = {"rtol": 1e-14, "lr": 0.1}, {"rtol": 1e-14, "lr": 0.1, "eps": 1e-300}
BARE = OPTIONS | {"betas": (0.5, 0.75), "weight_decay": 0, "bias_correction": False}
ADAMW = {"lr": 0.1, "betas": (0.8, 0.9), "eps": 1e-6, "weight_decay": 0.1}
ROWS += [
    # r = (1, -1); u = r + 0.5 (3, 4) = (2.5, 1) of norm sqrt(7.25); x moves by 0.1 * 5 / sqrt(7.25) * u
    by_hand("decay", LAMB, W, [[7, -2]], W - 0.5 / np.sqrt(7.25) * np.array([2.5, 1]), weight_decay=0.5, **TINY),
    # m = g/2, v = g²/4, so r = sign(g) with eps 0; with eps = 1 and g = (3, 1): r = (1.5/2.5, 0.5/1.5) = (0.6, 1/3)
    by_hand("uncorrected", LAMB, W, [[3, 1]], W - 0.5 * R / np.linalg.norm(R), eps=1.0, **BARE),
    by_hand("zeros take the plain step", LAMB, [0, 0], [[3, -4]], [-0.1, 0.1], **TINY),
    # lower bound 2, u = (1, -1): step 0.1 * 2 / sqrt(2)
    by_hand("or the bound's", LAMB, [0, 0], [[3, -4]], -0.2 * U, phi=(2, 3), **TINY),
    # u = λ x, so the step is η ‖x‖ / ‖λ x‖ λ x = η x, whatever λ
    by_hand("little decay alone", LAMB, W, [[0, 0]], [2.7, 3.6], weight_decay=1e-4, **OPTIONS),
    by_hand("much decay alone", LAMB, W, [[0, 0]], [2.7, 3.6], weight_decay=1.0, **OPTIONS),
    # the length of a step is 0.1 φ(5); without decay u = (1, -1)
    *(
        by_hand(f"phi {phi}", LAMB, W, [[7, -2]], W - 0.1 * size * U, weight_decay=0, phi=phi, **TINY)
        for phi, size in (((0, inf), 5), ((0, 2), 2), ((7, 9), 7), ((1, 6), 5))
    ),
    *(
        by_hand("without layers it is AdamW", LAMB, START, GRADIENTS, end, 1e-10, layer_adaptation=False, **options)
        for options in (ADAMW, ADAMW | UNCORRECTED)
        for end in [after(AdamW, START, GRADIENTS, **options)]
    ),
]

FIXED, HALF = {"lr": 0.1, "relative_step": False}, 0.1 * 5 / np.sqrt(2) / 2
ROWS += [
    # g² = (1 4; 4 16): row means 2.5, 10, column means 2.5, 10, mean 6.25: rank one, so v̂ = g² and U = sign(g).
    # RMS(U) = 1 is not clipped.  RMS(x) = 2, ρ = 0.01: every entry moves by 0.02.
    by_hand("a matrix", Adafactor, [[2, -2], [2, 2]], [[[1, 2], [-2, 4]]], [[1.98, -2.02], [2.02, 1.98]], rtol=1e-14),
    # U = (1, -1), RMS 1, d = 1/2: Û = U/2.  RMS(x) = 5/sqrt(2), lr = 0.1.
    by_hand("d scales down", Adafactor, [3, 4], [[7, -2]], [3 - HALF, 4 + HALF], rtol=1e-14, lr=0.1, d=0.5),
    # v = 9 + 7 = 16, U = 3/4, below d
    by_hand("eps1", Adafactor, [1, 1], [[3, -3]], [0.925, 1.075], rtol=1e-14, eps=(7.0, 1e-3), **FIXED),
    by_hand("zeros are of size eps2", Adafactor, [0, 0], [[7, -2]], [-0.005, 0.005], rtol=1e-14, eps=(1e-30, 0.5)),
    # With β̂₂ = 1 − t^−c a steady gradient gives v = g² at every step, so every step is the sign: no bias correction.
    by_hand("20 steady steps", Adafactor, [1, -1], 20 * [[3, 0.5]], [-1, -3], 1e-12, **FIXED),
    # lr = 0.5 is reached by 1/sqrt(t) at t = 4. Where all entries agree, x shrinks by that share.
    by_hand("relative, to t = 4", Adafactor, [16, 16], 4 * [[1, 1]], [1, 1], rtol=1e-12, lr=0.5),
    by_hand("relative, at t = 5", Adafactor, [16, 16], 5 * [[1, 1]], 2 * [1 - 5**-0.5], rtol=1e-12, lr=0.5),
]

W, G, SIGN = np.array([[2.0, -2.0], [2.0, 2.0]]), [[[1, 2], [-2, 4]]], np.array([[1, 1], [-1, 1]])
HALF = {"rtol": 1e-14, "lr": 0.1, "betas": (0.5, 0.75, 0.75)}
ROWS += [
    # β₂ = 3/4: v̂ = g²/4 (rank one), U = 2 sign(g), clipped to sign(g).
    # β₁ = 1/2: m = sign(g)/2; instability (sign − sign/2)² = 1/4, β₃ = 3/4: S = 1/16, √S = 1/4.
    # x = x − 0.1 * (1/2)/(1/4) sign(g) = x − 0.2 sign(g)
    by_hand("a matrix", CAME, W, G, W - 0.2 * SIGN, eps=(1e-30, 1e-30), **HALF),
    # v = g²/4, U = 2 sign(g) clipped to sign(g), m = sign(g)/2
    by_hand("a vector skips the confidence", CAME, [3, 4], [[7, -2]], [2.95, 4.05], **HALF),
    # the same, and 1 - 0.1 * 0.5 = 0.95 times the weights
    by_hand("decay is decoupled", CAME, [3, 4], [[7, -2]], [2.85 - 0.05, 3.8 + 0.05], weight_decay=0.5, **HALF),
    # β₁ = 0: m = û, so the instability is eps2 alone. β₃ = 0: S = eps2 = 4, √S = 2.
    by_hand("eps2 bounds", CAME, W, G, W - 0.05 * SIGN, rtol=1e-14, lr=0.1, betas=(0.0, 0.0, 0.0), eps=(1e-30, 4.0)),
    # the default β = (0.9, 0.999, 0.9999): m = 0.1 û, √S = √(0.0001 * 0.81) û = 0.009 û: a step of 11.1 learning rates
    by_hand("eleven learning rates", CAME, 0 * W, G, -0.01 / 0.09 * SIGN, rtol=1e-6, lr=0.01),
]

ROOTS = np.sqrt([[5, 5], [10, 17]])
ROWS += [
    # g² = (1 4; 9 16): ν = g², row maxima 4, 16, column maxima 9, 16; every entry moves by lr.
    # Then g = 1: ν = (min(4, 9), min(4, 16); min(16, 9), min(16, 16)) + 1 = (5 5; 10 17).
    by_hand("a matrix", SM3, 0 * ROOTS, [[[1, 2], [3, 4]], np.ones((2, 2))], -0.1 - 0.1 / ROOTS, rtol=1e-13, lr=0.1),
    # u = 1, then 1 / sqrt(2): m = 1/2, then 1/4 + 1/(2 sqrt(2))
    by_hand("momentum", SM3, 0, [1, 1], -0.1 * (0.75 + 0.5 / np.sqrt(2)), rtol=1e-13, lr=0.1, momentum=0.5),
]

ONE, AXES, LR = np.outer(QL[0], QR[0]), np.diag([0.8, 9 / np.sqrt(90)]), {"lr": 0.1}
ROOT8, TWO = np.sqrt(8), 0.5 / 3 + 0.75 / np.sqrt(17)
ROWS += [
    # L = R = diag(16, 81) + 9 I = diag(25, 90): 4 is divided by 25^(1/4) twice, 9 by sqrt(90)
    by_hand("diagonal", Shampoo, 0 * AXES, [np.diag([4, 9])], -0.1 * AXES, 1e-12, 1e-16, eps=9.0, **LR),
    by_hand("a scalar takes SGD's step", Shampoo, 1, [3], 0.7, rtol=1e-14, **LR),
    by_hand("one number takes Adagrad's", Shampoo, [1], [[3]], [1 - 0.1 * 3 / 4], rtol=1e-14, eps=7.0, **LR),
    # A = I + g gᵀ with ‖g‖² = 3: along g the eigenvalue is 4, so the step is g / 2
    by_hand("a vector", Shampoo, np.zeros(3), [[1, 1, 1]], np.full(3, -0.05), rtol=1e-13, eps=1.0, **LR),
    # σ u vᵀ: L and R have the eigenvalue σ² along u and v, so σ / (σ^(1/2) σ^(1/2)) = 1
    by_hand("rank one", Shampoo, 0 * ONE, [7 * ONE], -0.1 * ONE, 1e-9, 1e-12, eps=1e-8, **LR),
    # two equal gradients: m = 0.5 g, then 0.75 g, before the roots; L = R = 1 + 8, then 17
    by_hand("momentum", Shampoo, [[0]], 2 * [[[ROOT8]]], -0.1 * ROOT8 * TWO, 1e-13, eps=1.0, momentum=0.5, **LR),
]

G, ROW = [[4, 0], [0, -9]], [g[0] for g in STEPS]
# sizes in falling order, so that no two eigenvalues swap places
FALLING = [np.diag([9.0, 4.0, 1.0] * np.sign(g[0, :3])) * (1 + 0.1 * t) for t, g in enumerate(2 * STEPS)]
FAST = {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.0}
ADAMS = after(Adam, X[:, :3], FALLING[1:], **FAST)
ROWS += [
    by_hand("the first gradient only sets the basis", SOAP, X, STEPS[:1], X, rtol=0),
    # The basis is that of the coordinates; Adam's first step is the sign, where the gradient is not 0.
    by_hand("the second step", SOAP, 0 * X[:2, :2], [G, G], [[-0.1, 0], [0, 0.1]], 1e-8, 1e-15, lr=0.1, eps=1e-9),
    by_hand("a vector takes AdamW's", SOAP, X[0], ROW, after(AdamW, X[0], ROW[1:], **ADAMW), rtol=1e-13, **ADAMW),
    *(
        by_hand("diagonal, Adam's", SOAP, X[:, :3], FALLING, ADAMS, rtol=1e-10, precondition_frequency=often, **FAST)
        for often in (1, 3)
    ),
]

TALL = np.linalg.qr(np.random.default_rng(0).normal(size=(16, 4)))[0]
ORTHO = newton_schulz(TALL)
PLAIN, MATCHED = (
    {"rtol": 1e-12, "atol": 1e-15, "lr": 0.1, "weight_decay": 0, "momentum": 0.5, "adjust_lr_fn": how}
    for how in ("original", "match_rms_adamw")
)
ROWS += [
    # m = 3, X = 1; one iteration: 3.4445 - 4.7750 + 2.0315 = 0.701.  x = 2 (1 - 0.1 * 0.5) - 0.1 * 0.701
    by_hand("one number", Muon, [[2]], [[[3]]], [[1.9 - 0.0701]], rtol=1e-12, lr=0.1, weight_decay=0.5, ns_steps=1),
    # the shape sets the length: sqrt(16/4) and 1, or 0.2 sqrt(16)
    by_hand("tall", Muon, 0 * TALL, [TALL], -0.1 * 2 * ORTHO, **PLAIN),
    by_hand("wide", Muon, 0 * TALL.T, [TALL.T], -0.1 * ORTHO.T, **PLAIN),
    by_hand("tall, like AdamW's", Muon, 0 * TALL, [TALL], -0.1 * 0.8 * ORTHO, **MATCHED),
    by_hand("wide, like AdamW's", Muon, 0 * TALL.T, [TALL.T], -0.1 * 0.8 * ORTHO.T, **MATCHED),
]

TINY, B = {"lr": 0.1, "eps": 1e-300}, (0.75, 0.9)
ROWS += [
    # g = 2: z = 1 - 0.1 = 0.9, c = 1, x = 0.9, y = 0.9.  g = 2: z = 0.8, c = 1/2, x = 0.85, y = 0.25 z + 0.75 x
    by_hand("two steps", ScheduleFree, 1, [2, 2], 0.25 * 0.8 + 0.75 * 0.85, rtol=1e-13, betas=B, **TINY),
    # z = 2 - 0.1 (1 + 0.5 * 2) = 1.8 = x = y; z = 1.8 - 0.1 (1 + 0.5 * 1.8) = 1.61, x = 1.705, y = 1.68125;
    # z = 1.61 - 0.1 (1 + 0.5 * 1.68125) = 1.4259375, x a third of the way from 1.705 to z, y a quarter from there to z
    by_hand("decay is of y, from z", ScheduleFree, 2, [3], 1.8, rtol=1e-14, weight_decay=0.5, **TINY),
    by_hand("decay is of y, from z", ScheduleFree, 2, 3 * [3], 1.565468750, 1e-13, betas=B, weight_decay=0.5, **TINY),
    by_hand("a rate of 0 moves nothing", ScheduleFree, [1, 2], 2 * [[3, 4]], [1, 2], rtol=0, lr=0.0),
]


@pytest.mark.parametrize(("cls", "x", "gradients", "options", "expected", "rtol", "atol"), ROWS)
def test_a_step_is_that_by_hand(cls, x, gradients, options, expected, rtol, atol):
    np.testing.assert_allclose(after(cls, x, gradients, **options), expected, rtol=rtol, atol=atol)


def test_every_method_has_a_step_by_hand():
    assert {row.values[0].__name__ for row in ROWS} == set(optim.METHODS)
