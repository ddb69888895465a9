"""Where one method takes another's steps, and what it does not mind: the gradient's size, the layer's, a rotation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minilib import optim
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
    Muon,
    RMSProp,
    Shampoo,
)
from tests.optim.helpers import QL, QR, STEPS, X, after
from tests.references import recipe

SQUARE = [g[:, :3] for g in [*STEPS, *(STEPS[0] + g for g in STEPS)]]
DIAGONAL, ROWS = [np.diag(g[0]) for g in SQUARE], [g[0] for g in STEPS]
# sizes in falling order, so that no two eigenvalues swap places
FALLING = [np.diag([9.0, 4.0, 1.0] * np.sign(g[0])) * (1 + 0.1 * t) for t, g in enumerate(SQUARE)]
LR, FAST = {"lr": 0.1}, {"lr": 0.1, "betas": (0.8, 0.9)}
DECAYED, SOFT = FAST | {"weight_decay": 0.1, "eps": 1e-6}, LR | {"weight_decay": 0.1, "eps": 1e-10}
HEAVY, FIXED = LR | {"weight_decay": 0.1, "momentum": 0.9}, LR | {"relative_step": False}
UNDECAYED, UNADAPTED, UNCORRECTED = {"weight_decay": 0.0}, {"layer_adaptation": False}, {"bias_correction": False}
OFTEN, RARELY = {"precondition_frequency": 1}, {"precondition_frequency": 3}


def equal(sizes):
    """Gradients whose squares are the same where `sizes` are."""
    return [np.sign(g) * t * np.array(sizes) for t, g in enumerate(STEPS, start=1)]


def same(name, one, other, x=X, steps=STEPS, later=0, rtol=1e-12, atol=0.0):
    """Two methods with their options; the other does not see the first `later` gradients."""
    return pytest.param(one, other, x, steps, later, rtol, atol, id=name)


RECORDED = {"x": recipe.start()["matrix"], "steps": [g["matrix"] for g in recipe.gradients()], "rtol": 1e-10}
SAME = [
    same("no momentum", (Adam, LR | UNCORRECTED | {"betas": (0.0, 0.9)}), (RMSProp, LR | {"alpha": 0.9}), rtol=1e-14),
    same("no layers", (LAMB, DECAYED | UNADAPTED), (AdamW, DECAYED), **RECORDED),
    same("uncorrected", (LAMB, DECAYED | UNADAPTED | UNCORRECTED), (AdamW, DECAYED | UNCORRECTED), **RECORDED),
    same("no layers", (LARS, HEAVY | UNADAPTED), (SGD, HEAVY), **RECORDED),
    # Adafactor's β̂₂ is 0 at step 1
    same("vector", (CAME, LR | {"betas": (0.0, 0.0, 0.9)}), (Adafactor, FIXED), X[0], ROWS[:1], rtol=1e-14),
    same("vector", (SM3, SOFT), (Adagrad, SOFT), X[0], [*ROWS, 0 * X[0], -ROWS[0]], atol=1e-13),
    same("rows agree", (AdamMini, DECAYED | {"axis": 0}), (AdamW, DECAYED), steps=equal([[1.0], [5.0], [0.1]])),
    same("columns agree", (AdamMini, DECAYED | {"axis": -1}), (AdamW, DECAYED), steps=equal([[1.0, 5.0, 0.1, 2.0]])),
    same("all agree", (AdamMini, DECAYED | {"axis": None}), (AdamW, DECAYED), steps=equal(3.0)),
    same("diagonal", (Shampoo, LR | {"eps": 1e-12}), (Adagrad, LR), np.zeros((3, 3)), DIAGONAL, rtol=1e-6, atol=1e-12),
    same("diagonal", (SOAP, FAST | OFTEN | UNDECAYED), (Adam, FAST), X[:, :3], FALLING, later=1, rtol=1e-10),
    same("diagonal", (SOAP, FAST | RARELY | UNDECAYED), (Adam, FAST), X[:, :3], FALLING, later=1, rtol=1e-10),
    same("vector", (SOAP, DECAYED), (AdamW, DECAYED), X[0], ROWS, later=1, rtol=1e-13),
]


@pytest.mark.parametrize(("one", "other", "x", "steps", "later", "rtol", "atol"), SAME)
def test_a_method_takes_the_steps_of_another(one, other, x, steps, later, rtol, atol):
    ours, theirs = after(one[0], x, steps, **one[1]), after(other[0], x, steps[later:], **other[1])
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


TINY = LR | {"eps": 1e-200}
# method -> options under which only epsilon would tell gradients of another size
SIZE_FREE = (
    dict.fromkeys("Adagrad RMSProp Adam AdamW AMSGrad SM3 AdamMini SOAP ScheduleFree".split(), TINY)
    | dict.fromkeys("LARS LARS2020 Adafactor Lion Muon".split(), LR)
    | {"LAMB": TINY | {"weight_decay": 0.1}, "CAME": {"lr": 0.01}}
)
UNIT_FREE = {"LARS": {}, "LARS2020": {}, "LAMB": {"weight_decay": 0.0}, "Adafactor": {}}
seeds = st.integers(0, 2**20)


def start_and_gradients(seed):
    """A matrix, and one to five gradients."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, 4)), list(rng.normal(size=(rng.integers(1, 6), 3, 4)))


@pytest.mark.parametrize("name", SIZE_FREE)
@given(seed=seeds, scale=st.floats(1e-6, 1e6))
def test_the_size_of_the_gradient_does_not_matter(name, seed, scale):
    x, gradients = start_and_gradients(seed)
    cls, options = optim.METHODS[name], SIZE_FREE[name]
    plain = after(cls, x, gradients, **options)
    scaled = after(cls, x, [scale * g for g in gradients], **options)
    loose = 1e-8 if name == "SOAP" else 1e-10  # whose eigenvalues may lie close
    np.testing.assert_allclose(scaled, plain, rtol=loose, atol=0.1 * loose)
    assert len(gradients) == 1 or not np.array_equal(plain, x)


@pytest.mark.parametrize("name", UNIT_FREE)
@given(seed=seeds, scale=st.floats(0.01, 1e3))
def test_a_parameter_of_another_size_moves_in_proportion(name, seed, scale):
    x, gradients = start_and_gradients(seed)
    cls, options = optim.METHODS[name], {"lr": 0.1} | UNIT_FREE[name]
    plain = after(cls, x, gradients, **options)
    np.testing.assert_allclose(
        after(cls, scale * x, gradients, **options), scale * plain, rtol=1e-9, atol=1e-10 * scale
    )


def turned(a):
    """A matrix in other coordinates, on the left and on the right."""
    return QL @ a @ (QR.T if a.shape[1] == 4 else QL.T)


@pytest.mark.parametrize(
    ("cls", "options", "steps", "rtol"),
    [
        (Muon, LR, STEPS, 1e-10),
        (Shampoo, SOFT | {"eps": 1e-2}, STEPS, 1e-10),
        (Shampoo, SOFT | {"eps": 1e-2, "momentum": 0.9}, STEPS, 1e-10),
        (SOAP, DECAYED | OFTEN | {"eps": 1e-8}, SQUARE, 1e-9),
        (SOAP, DECAYED | RARELY | {"eps": 1e-8}, SQUARE, 1e-9),
    ],
)
def test_a_rotated_problem_is_solved_by_the_rotated_steps(cls, options, steps, rtol):
    def both(method, options):
        x = X[:, : steps[0].shape[1]]
        rotated = after(method, turned(x), [turned(g) for g in steps], **options)
        return rotated, turned(after(method, x, steps, **options))

    np.testing.assert_allclose(*both(cls, options), rtol=rtol, atol=rtol / 100)
    assert np.abs(np.subtract(*both(Adam, LR))).max() > 0.01, "Adam would have passed too"


vectors = st.lists(st.floats(0.1, 10), min_size=3, max_size=3)


@pytest.mark.parametrize("cls", [LAMB, LARS2020])
@given(x=vectors, g=vectors, decay=st.floats(0, 1))
def test_every_layer_moves_by_the_learning_rate_times_its_norm(cls, x, g, decay):
    step = np.array(x) - after(cls, x, [g], lr=0.1, weight_decay=decay)
    np.testing.assert_allclose(np.linalg.norm(step), 0.1 * np.linalg.norm(x), rtol=1e-10)
