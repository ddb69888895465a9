"""The figure that moves of appendix C: its lengths beside the steps of `studies.which_lamb`."""

import numpy as np
import pytest

from studies.which_lamb import FORMS, Steps
from studies.which_lamb.comparison import _layers

SHOWN = ("paper", "timm, Apex", "pytorch_optimizer", "bitsandbytes, GPU", "bitsandbytes, CPU")
D, LR = 1024, 0.01


def step_lengths(norm, sizes, decay):
    """Lengths of the last step over the learning rate: a layer at right angles to gradients of equal entries."""
    x = norm / np.sqrt(D) * np.where(np.arange(D) % 2, 1.0, -1.0).reshape(32, 32)
    gradients = [{"w": np.full((32, 32), size / np.sqrt(D))} for size in sizes]
    steps = Steps([{"w": x}, *[None] * (len(sizes) - 1), {"w": x}], gradients, lr=LR, weight_decay=decay)
    ((_, layer),) = _layers(steps, (0.0, 10.0), 1.0)
    ends = []
    for name in SHOWN:
        variant = FORMS[name].variant
        r = layer.r[variant.clip, variant.correction, variant.epsilon][-1]
        ends.append(np.linalg.norm(layer.step(variant, x, r, len(sizes)) - x) / LR)
    return ends


@pytest.mark.parametrize("norm", [0.0, 0.5, 20.0, 500.0])
@pytest.mark.parametrize("decay", [0.0, 0.01])
@pytest.mark.parametrize(("t", "last"), [(1, 1.0), (1, 100.0), (10, 100.0), (30, 0.01)])
def test_the_fingerprints_are_the_lengths_of_the_steps(numbers, norm, decay, t, last):
    js = numbers("lamb-fingerprints")
    sizes = js("history", t, last)
    assert len(sizes) == t
    # a step of 0.01 is a difference of weights of up to 16 each, so some digits of it are lost
    assert js("lengths", norm, sizes, decay) == pytest.approx(step_lengths(norm, sizes, decay), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize(
    ("lengths", "first"),
    [
        ([1, 1.005, 2, 2, 3], [0, 0, 2, 2, 4]),
        ([0, 0, 5, 5.1, 5.04], [0, 0, 2, 3, 2]),
        ([1, 2, 3, 4, 5], [0, 1, 2, 3, 4]),
    ],
)
def test_a_length_is_called_by_the_first_that_it_equals_within_a_percent(numbers, lengths, first):
    js = numbers("lamb-fingerprints")
    assert js("alike", lengths).tolist() == first
    assert js("alike", js("lengths", 20.0, [1.0], 0.01)).tolist() == [0, 0, 2, 0, 4]
