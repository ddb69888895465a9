"""LAMB: its defaults, its public relatives, and steps by hand."""

import math

import numpy as np
import pytest

from minilib.optim import LAMB, clip_grad_norm
from tests.optim.helpers import assert_matches_reference, by_hand, reference_runs

DEFAULTS = {
    "LAMB": (
        {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-6, "weight_decay": 0.01, "bias_correction": True}
        | {"phi": (0.0, math.inf), "layer_adaptation": True},
        "You et al. 2020, and timm for the rate",
    )
}
X, R, U = np.array([3, 4]), np.array([0.6, 1 / 3]), np.array([1, -1]) / np.sqrt(2)
OPTIONS, TINY = {"rtol": 1e-14, "lr": 0.1}, {"rtol": 1e-14, "lr": 0.1, "eps": 1e-300}
BARE = OPTIONS | {"betas": (0.5, 0.75), "weight_decay": 0, "bias_correction": False}
BY_HAND = [
    # r = (1, -1); u = r + 0.5 (3, 4) = (2.5, 1) of norm sqrt(7.25); x moves by 0.1 * 5 / sqrt(7.25) * u
    by_hand("decay", LAMB, X, [[7, -2]], X - 0.5 / np.sqrt(7.25) * np.array([2.5, 1]), weight_decay=0.5, **TINY),
    # m = g/2, v = g²/4, so r = sign(g) with eps 0; with eps = 1 and g = (3, 1): r = (1.5/2.5, 0.5/1.5) = (0.6, 1/3)
    by_hand("uncorrected", LAMB, X, [[3, 1]], X - 0.5 * R / np.linalg.norm(R), eps=1.0, **BARE),
    by_hand("zeros take the plain step", LAMB, [0, 0], [[3, -4]], [-0.1, 0.1], **TINY),
    # lower bound 2, u = (1, -1): step 0.1 * 2 / sqrt(2)
    by_hand("or the bound's", LAMB, [0, 0], [[3, -4]], -0.2 * U, phi=(2, 3), **TINY),
    # u = λ x, so the step is η ‖x‖ / ‖λ x‖ λ x = η x, whatever λ
    by_hand("little decay alone", LAMB, X, [[0, 0]], [2.7, 3.6], weight_decay=1e-4, **OPTIONS),
    by_hand("much decay alone", LAMB, X, [[0, 0]], [2.7, 3.6], weight_decay=1.0, **OPTIONS),
    # the length of a step is 0.1 φ(5); without decay u = (1, -1)
    *(
        by_hand(f"phi {phi}", LAMB, X, [[7, -2]], X - 0.1 * size * U, weight_decay=0, phi=phi, **TINY)
        for phi, size in (((0, np.inf), 5), ((0, 2), 2), ((7, 9), 7), ((1, 6), 5))
    ),
]


class AsShipped(LAMB):
    """timm with its defaults: the global norm clipped at 1, and no ratio where the decay is zero."""

    def step(self):
        clip_grad_norm([p for group in self.param_groups for p in group["params"]], 1.0)
        super().step()

    def update(self, x, g, s):
        if self.weight_decay > 0:
            super().update(x, g, s)
        else:
            x -= self.lr * self.direction(g, s)


class Outside(LAMB):
    """pytorch_optimizer with its defaults: decay outside the ratio, the learning rate corrected, not the averages."""

    def __init__(self, params, **options):
        super().__init__(params, **options, bias_correction=False)

    def update(self, x, g, s):
        x -= self.lr * self.weight_decay * x
        r = self.direction(g, s)
        size, norm = min(np.linalg.norm(x), 10), np.linalg.norm(r)
        ratio = size / (norm + self.eps) if size > 0 and norm > 0 else 1.0
        x -= self.lr / (1 - self.betas[0] ** s["step"]) * ratio * r


class OneSidedOnCPU(LAMB):
    """bitsandbytes on a processor: decay outside, a ratio of at most 1, its norm that of r without correction."""

    shortened = 0

    def update(self, x, g, s):
        r = self.direction(g, s)
        uncorrected = (1 - self.betas[0] ** s["step"]) / np.sqrt(1 - self.betas[1] ** s["step"])
        size, norm = np.linalg.norm(x), uncorrected * np.linalg.norm(r)
        ratio = size / norm if norm > size else 1.0
        OneSidedOnCPU.shortened += 0 < ratio < 1
        x -= self.lr * self.weight_decay * x
        x -= self.lr * ratio * r


@pytest.mark.parametrize(
    ("content", "run", "cls", "rtol"),
    [
        pytest.param(*case.values, cls, rtol, id=case.id)
        for cls, rtol in ((AsShipped, 1e-10), (Outside, 1e-10), (OneSidedOnCPU, 1e-5))  # the last in float32
        for case in reference_runs(cls.__name__)
    ],
)
def test_the_relatives_in_public_packages_are_what_the_chapter_says(content, run, cls, rtol):
    OneSidedOnCPU.shortened = 0
    assert_matches_reference(content, run, rtol, cls=cls)
    assert cls is not OneSidedOnCPU or cls.shortened > 0, "the ratio was never below 1"
    with pytest.raises(AssertionError, match="relative error"):
        assert_matches_reference(content, run, rtol=1e-3, cls=LAMB)
