"""The networks of `norm-widths`, many in a stack, take the steps of `minilib`."""

from types import SimpleNamespace

import numpy as np
import pytest

from minilib import optim
from minilib.autodiff import Tensor, cross_entropy
from minilib.optim.muon import newton_schulz
from minilib.schedules import polynomial, warmup
from studies.norms.norm_widths import MIDDLE, factor, fresh, lowest, orthogonal, train
from studies.tasks import digits


def test_a_stack_is_orthogonalised_matrix_by_matrix():
    for shape in ((3, 2, 5, 8), (3, 2, 8, 5)):
        G = np.random.default_rng(0).normal(size=shape)
        each = [[newton_schulz(G[i, j]) for j in range(2)] for i in range(3)]
        assert np.abs(orthogonal(G) - each).max() < 1e-12


@pytest.mark.parametrize("arm", MIDDLE)
def test_a_member_takes_the_steps_of_the_library(arm):
    plan, powers, task = SimpleNamespace(hidden=2, steps=12, batch=16, seeds=(3, 4)), [-14, -11], digits()
    ends = train(plan, arm, 12, powers, np.float64)
    for i, k in enumerate(powers):
        for j, seed in enumerate(plan.seeds):
            rng = np.random.default_rng(seed)
            W = [Tensor(w) for w in fresh(arm, [64, 12, 12, 10], rng)]
            lrs = [2 ** (k / 2) * factor(arm, *w.data.shape) for w in W]

            def method(w, arm=arm):
                if arm.startswith("AdamW"):
                    return optim.AdamW([w], betas=(0.9, 0.99), weight_decay=0.0)
                return optim.Muon([w], nesterov=True, weight_decay=0.0)

            opts = [method(w) for w in W]

            def loss(rows, W=W):
                h = Tensor(task.x[rows])
                for w in W[:-1]:
                    h = (h @ w).relu()
                return cross_entropy(h @ W[-1], task.y[rows])

            for t in range(plan.steps):
                for w in W:
                    w.grad = None
                loss(rng.permutation(task.n)[: plan.batch]).backward()
                for w, opt, lr in zip(W, opts, lrs, strict=True):
                    shape = w.data.shape
                    k_shape = max(1, shape[0] / shape[1]) ** 0.5 if arm.startswith("Muon") else 1.0
                    opt.lr = lr / k_shape * warmup(t, plan.steps // 10) * polynomial(t, plan.steps)
                    opt.step()
            assert ends[i, j] == pytest.approx(float(loss(slice(None)).data), rel=1e-5)


def test_the_lowest_point_of_a_parabola_is_found_between_the_rates():
    powers = [-4, -3, -2, -1, 0]
    losses = np.exp([(k / 2 + 0.85) ** 2 for k in powers])
    assert lowest(powers, losses) == pytest.approx(-0.85)
