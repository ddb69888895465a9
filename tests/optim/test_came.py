"""CAME: its defaults, steps by hand, how long they are, and what they keep."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import CAME
from tests.optim.helpers import Parameter, by_hand

DEFAULTS = {
    "CAME": (
        {"lr": 2e-4, "betas": (0.9, 0.999, 0.9999), "eps": (1e-30, 1e-16), "d": 1.0, "weight_decay": 0.0},
        "Luo et al. 2023, for BERT-Large",
    )
}
X, G, SIGN = np.array([[2.0, -2.0], [2.0, 2.0]]), [[[1, 2], [-2, 4]]], np.array([[1, 1], [-1, 1]])
HALF = {"rtol": 1e-14, "lr": 0.1, "betas": (0.5, 0.75, 0.75)}
BY_HAND = [
    # β₂ = 3/4: v̂ = g²/4 (rank one), U = 2 sign(g), clipped to sign(g).
    # β₁ = 1/2: m = sign(g)/2; instability (sign − sign/2)² = 1/4, β₃ = 3/4: S = 1/16, √S = 1/4.
    # x = x − 0.1 * (1/2)/(1/4) sign(g) = x − 0.2 sign(g)
    by_hand("a matrix", CAME, X, G, X - 0.2 * SIGN, eps=(1e-30, 1e-30), **HALF),
    # v = g²/4, U = 2 sign(g) clipped to sign(g), m = sign(g)/2
    by_hand("a vector skips the confidence", CAME, [3, 4], [[7, -2]], [2.95, 4.05], **HALF),
    # the same, and 1 - 0.1 * 0.5 = 0.95 times the weights
    by_hand("decay is decoupled", CAME, [3, 4], [[7, -2]], [2.85 - 0.05, 3.8 + 0.05], weight_decay=0.5, **HALF),
    # β₁ = 0: m = û, so the instability is eps2 alone. β₃ = 0: S = eps2 = 4, √S = 2.
    by_hand("eps2 bounds", CAME, X, G, X - 0.05 * SIGN, rtol=1e-14, lr=0.1, betas=(0.0, 0.0, 0.0), eps=(1e-30, 4.0)),
    # the default β = (0.9, 0.999, 0.9999): m = 0.1 û, √S = √(0.0001 * 0.81) û = 0.009 û: a step of 11.1 learning rates
    by_hand("eleven learning rates", CAME, 0 * X, G, -0.01 / 0.09 * SIGN, rtol=1e-6, lr=0.01),
]


def steps_of(gradients, lr=1.0, cls=CAME, **options):
    """All steps of one matrix, in learning rates."""
    p, moves = Parameter(np.zeros(np.shape(gradients[0]))), []
    opt = cls([p], lr=lr, **options)
    for g in gradients:
        before = p.data.copy()
        p.grad = np.asarray(g, float)
        opt.step()
        moves.append((before - p.data) / lr)
    return np.array(moves), opt.state[0]


def test_an_erratic_row_takes_shorter_steps_than_a_steady_one():
    # the second row: the same size, a sign that flips every second step
    gradients = [[[1.0, 1.0], [sign, sign]] for t in range(100) for sign in [1.0 if t % 4 < 2 else -1.0]]
    moves, _ = steps_of(gradients, lr=0.01, betas=(0.9, 0.99, 0.99))
    steady, erratic = np.abs(moves[50:]).mean(axis=(0, 2))
    assert steady > 5 * erratic


def longest(t, beta1, beta3):
    """The bound K_t of CAME's chapter on the weighted mean square of a row of steps."""
    return ((1 - beta1) / beta1) ** 2 * beta3 * (beta3**-t - 1) / (1 - beta3) ** 2


@given(seed=st.integers(0, 2**20), beta1=st.sampled_from([0.5, 0.9]), beta3=st.sampled_from([0.9, 0.9999]))
def test_the_weighted_mean_square_of_a_row_or_column_of_steps_is_bounded(seed, beta1, beta3):
    rng = np.random.default_rng(seed)
    gradients = rng.normal(size=(12, 4, 3)) * 10.0 ** rng.integers(-3, 3, size=(12, 1, 1))
    moves, s = steps_of(gradients, betas=(beta1, 0.99, beta3))
    bound = longest(12, beta1, beta3) * (1 + 1e-9)
    assert (moves[-1] ** 2 @ (s["C"] / s["C"].sum()) <= bound).all()
    assert ((s["R"] / s["R"].sum()) @ moves[-1] ** 2 <= bound).all()


def test_an_average_at_constant_speed_attains_the_bound():
    class SecondHalf(CAME):
        def clipped_direction(self, g, s, beta2):
            return g

    beta1, beta3, steps = 0.9, 0.99, 40
    speed = beta3 ** (np.arange(1, steps + 1) - float(steps))
    average = np.cumsum(speed)
    updates = average - speed + speed / (1 - beta1)
    updates = (updates / updates.max())[:, None, None]
    moves, _ = steps_of(updates, cls=SecondHalf, betas=(beta1, 0.99, beta3), eps=(1e-30, 1e-30))
    np.testing.assert_allclose(moves[-1], longest(steps, beta1, beta3) ** 0.5, rtol=1e-9)


@given(seed=st.integers(0, 2**20))
def test_the_cross_ratios_of_a_gradient_of_one_shape_survive_every_step(seed):
    rng = np.random.default_rng(seed)
    shape = rng.uniform(0.5, 2.0, size=(3, 4)) * rng.choice([-1.0, 1.0], size=(3, 4))
    moves, _ = steps_of([a * shape for a in rng.uniform(0.1, 2.0, size=8)])

    def cross(a):
        return a[0, 0] * a[1:, 1:] / (a[:1, 1:] * a[1:, :1])

    np.testing.assert_allclose(cross(moves[-1]), cross(shape), rtol=1e-6)


def test_a_steady_step_grows_as_the_closed_form_says():
    moves, _ = steps_of([np.ones((2, 3))] * 300, betas=(0.9, 0.999, 0.95), eps=(1e-30, 1e-8))
    t = np.arange(1, 301.0)
    S = 0.05 * 0.81 * (0.95**t - 0.81**t) / (0.95 - 0.81) + 1e-8 * (1 - 0.95**t)
    np.testing.assert_allclose(moves[:, 0, 0], (1 - 0.9**t) / np.sqrt(S), rtol=1e-9)


def test_in_pure_noise_the_step_is_the_root_of_half_of_one_minus_beta1_over_beta1():
    gradients = np.random.default_rng(0).normal(size=(600, 30, 30))
    moves, _ = steps_of(gradients, betas=(0.9, 0.99, 0.99))
    np.testing.assert_allclose(np.sqrt(np.mean(moves[400:] ** 2)), (0.1 / 2) ** 0.5 / 0.9, rtol=0.05)
