"""LAMB's relatives in public packages are what its chapter says, and none of them is LAMB."""

import numpy as np
import pytest

from minilib.optim import LAMB, clip_grad_norm
from tests.optim.helpers import assert_matches_reference, reference_runs


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
