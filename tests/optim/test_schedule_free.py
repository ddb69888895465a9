"""Schedule-Free: x is the weighted average of z, and `eval` and `train` change between them."""

import copy

import numpy as np
import pytest

from minilib.optim import ScheduleFree
from tests.optim.helpers import Parameter

RNG = np.random.default_rng(0)
STEPS = [RNG.normal(size=4) for _ in range(8)]
RATES = [0.01, 0.02, 0.03, 0.03, 0.02, 0.03, 0.03, 0.03]


def run(rates=RATES, beta1=0.9):
    """The optimizer, its parameter, and every z, after all steps with these rates."""
    p, path = Parameter(np.ones(4)), []
    opt = ScheduleFree([p], betas=(beta1, 0.9))
    for lr, g in zip(rates, STEPS, strict=True):
        opt.lr, p.grad = lr, g
        opt.step()
        path.append(opt.state[0]["z"].copy())
    return opt, p, np.array(path)


@pytest.mark.parametrize("beta1", [0.3, 0.9, 0.98])
@pytest.mark.parametrize("rates", [RATES, [0.02] * 8], ids=["changing", "constant"])
def test_eval_gives_the_average_of_z_weighted_by_the_square_of_the_largest_rate_so_far(rates, beta1):
    opt, p, z = run(rates, beta1)
    y = p.data.copy()
    opt.eval()
    opt.eval()  # asked for twice, nothing more changes
    weights = np.maximum.accumulate(rates) ** 2
    np.testing.assert_allclose(p.data, weights @ z / weights.sum(), rtol=1e-12)
    np.testing.assert_allclose(y, (1 - beta1) * z[-1] + beta1 * p.data, rtol=1e-12)
    opt.train()
    opt.train()
    np.testing.assert_allclose(p.data, y, rtol=1e-13)


def test_a_step_after_eval_is_refused_also_after_loading_and_in_a_copy_and_nothing_changes():
    opt, p, _ = run()
    opt.eval()
    before, other = p.data.copy(), Parameter(p.data, grad=p.grad)
    loaded, copied = ScheduleFree([other]), copy.deepcopy(opt)
    loaded.load_state_dict(opt.state_dict())
    for o, q in ((opt, p), (loaded, other), (copied, copied.param_groups[0]["params"][0])):
        with pytest.raises(ValueError, match=r"call train\(\) before step\(\)"):
            o.step()
        np.testing.assert_array_equal(q.data, before)
        o.train()
        o.step()
        np.testing.assert_array_equal(q.data, p.data)


def test_a_parameter_without_state_is_left_alone_by_eval():
    a, b = Parameter([1.0], grad=[1.0]), Parameter([2.0])
    opt = ScheduleFree([a, b])
    opt.eval()
    opt.train()
    opt.step()
    opt.eval()
    assert b.data[0] == 2.0
