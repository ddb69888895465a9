"""Both forms of LARS: their defaults, an oracle written from the paper, and steps by hand."""

import math

import numpy as np
import pytest

from minilib.optim import LARS, LARS2020
from tests.optim.helpers import Parameter, by_hand, set_gradients, start_parameters
from tests.references import recipe

SHARED = {"momentum": 0.9, "weight_decay": 0.0, "layer_adaptation": True}
DEFAULTS = {
    # the paper's trust coefficient, MLPerf's momentum, timm's learning rate
    "LARS": (SHARED | {"lr": 1.0, "trust_coefficient": 1e-3}, "You, Gitman & Ginsburg 2017; MLPerf; timm"),
    "LARS2020": (SHARED | {"lr": 1e-2, "phi": (0.0, math.inf)}, "You et al. 2020, Algorithm 1; the rate is ours"),
}
X, G, HALF = [3, 4], [[6, 8]], {"lr": 0.1, "momentum": 0.5}
BY_HAND = [
    # norms: w 5, g 10; ratio 0.1 * 5 / (10 + 0.2 * 5) = 1/22
    # step 0.44 / 22 * ((6, 8) + 0.2 (3, 4)) = 0.02 (6.6, 8.8) = (0.132, 0.176)
    by_hand("2017", LARS, X, G, [2.868, 3.824], rtol=1e-14, lr=0.44, weight_decay=0.2, trust_coefficient=0.1),
    # m = 0.1 ((6, 8) + 0.5 (3, 4)) points along (3, 4), so the layer of norm 5 moves by 0.2 * 5 = 1 along (0.6, 0.8)
    by_hand("2020", LARS2020, X, G, [2.4, 3.2], rtol=1e-14, lr=0.2, weight_decay=0.5),
    # m = (1 - 0.5) * 4 = 2, x = 1 - 0.1 * 2
    by_hand("2020 without layers", LARS2020, 1, [4], 0.8, layer_adaptation=False, **HALF),
    # ratio 1: x = -lr g, and for the average -lr (1 - momentum) g
    by_hand("zeros take the plain step", LARS, [0, 0], [[3, 4]], [-0.3, -0.4], **HALF),
    by_hand("zeros take the plain step", LARS2020, [0, 0], [[3, 4]], [-0.15, -0.2], **HALF),
]


@pytest.mark.parametrize(("lr", "beta", "decay", "lower", "upper"), [(0.1, 0.9, 0.0, 0, np.inf), (0.3, 0.5, 0.2, 1, 3)])
def test_lars2020_follows_algorithm_1_for_fifty_steps(lr, beta, decay, lower, upper):
    params, x, m = start_parameters(), recipe.start(), dict.fromkeys(recipe.SHAPES, 0.0)
    opt = LARS2020(params.values(), lr=lr, momentum=beta, weight_decay=decay, phi=(lower, upper))
    for t, g in enumerate(recipe.gradients(), start=1):
        set_gradients(params, t)
        opt.step()
        for name in recipe.SHAPES:
            # Algorithm 1 of the LAMB paper, with ratio 1 for a layer of norm zero
            m[name] = beta * m[name] + (1 - beta) * (g[name] + decay * x[name])
            phi, norm = np.clip(np.sqrt((x[name] ** 2).sum()), lower, upper), np.sqrt((m[name] ** 2).sum())
            x[name] = x[name] - lr * (phi / norm if phi * norm > 0 else 1.0) * m[name]
            np.testing.assert_allclose(params[name].data, x[name], rtol=1e-10, atol=1e-12)


def test_the_buffer_of_lars_holds_the_learning_rate():
    # w = 2, g = 1, coefficient 1/2: ratio 1, v = 1 at lr 1.  Then lr 0: v = 0.5 and w goes on to 2 - 1 - 0.5.
    p = Parameter(2.0)
    opt = LARS([p], lr=1.0, momentum=0.5, trust_coefficient=0.5)
    for lr in (1.0, 0.0):
        opt.lr, p.grad = lr, np.array(1.0)
        opt.step()
    np.testing.assert_allclose(p.data, 0.5, rtol=1e-15)
