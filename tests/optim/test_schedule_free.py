"""Schedule-Free: recorded runs, by hand, and that x is the weighted average of z."""

import copy

import numpy as np
import pytest

from minilib.optim import RMSProp, ScheduleFree
from tests.optim.helpers import Parameter, after, by_hand

DEFAULTS = {
    "ScheduleFree": (
        {"lr": 2.5e-3, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0.0},
        "the authors' package, of Defazio et al. 2024",
    )
}

TINY, B = {"lr": 0.1, "eps": 1e-300}, (0.75, 0.9)
BY_HAND = [
    # g = 2: z = 1 - 0.1 = 0.9, c = 1, x = 0.9, y = 0.9.  g = 2: z = 0.8, c = 1/2, x = 0.85, y = 0.25 z + 0.75 x
    by_hand("two steps", ScheduleFree, 1, [2, 2], 0.25 * 0.8 + 0.75 * 0.85, rtol=1e-13, betas=B, **TINY),
    # z = 2 - 0.1 (1 + 0.5 * 2) = 1.8 = x = y; z = 1.8 - 0.1 (1 + 0.5 * 1.8) = 1.61, x = 1.705, y = 1.68125;
    # z = 1.61 - 0.1 (1 + 0.5 * 1.68125) = 1.4259375, x a third of the way from 1.705 to z, y a quarter from there to z
    by_hand("decay is of y, from z", ScheduleFree, 2, [3], 1.8, rtol=1e-14, weight_decay=0.5, **TINY),
    by_hand("decay is of y, from z", ScheduleFree, 2, 3 * [3], 1.565468750, 1e-13, betas=B, weight_decay=0.5, **TINY),
    by_hand("a rate of 0 moves nothing", ScheduleFree, [1, 2], 2 * [[3, 4]], [1, 2], rtol=0, lr=0.0),
]
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
    weights = np.maximum.accumulate(rates) ** 2
    np.testing.assert_allclose(p.data, weights @ z / weights.sum(), rtol=1e-12)
    np.testing.assert_allclose(y, (1 - beta1) * z[-1] + beta1 * p.data, rtol=1e-12)
    opt.train()
    np.testing.assert_allclose(p.data, y, rtol=1e-13)


def test_eval_and_train_asked_for_twice_change_nothing_more():
    opt, p, _ = run()
    for ask in (opt.eval, opt.train):
        ask()
        once = p.data.copy()
        ask()
        np.testing.assert_array_equal(p.data, once)


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


def test_a_beta1_of_zero_is_refused_because_x_could_not_be_told_from_y():
    with pytest.raises(ValueError, match="betas must be two numbers in .*, the first > 0, got"):
        ScheduleFree([Parameter([1.0])], betas=(0.0, 0.9))


def test_z_takes_the_bias_corrected_steps_of_rmsprop():
    opt, _, z = run([0.02] * 8)
    v, expected = np.zeros(4), np.ones(4)
    for t, g in enumerate(STEPS, start=1):
        v = 0.9 * v + 0.1 * g**2
        expected = expected - 0.02 * g / (np.sqrt(v / (1 - 0.9**t)) + 1e-8)
        np.testing.assert_allclose(z[t - 1], expected, rtol=1e-12)
    first = after(RMSProp, np.ones(4), STEPS[:1], lr=0.02 * np.sqrt(0.1), alpha=0.9)
    np.testing.assert_allclose(z[0], first, rtol=1e-6)
