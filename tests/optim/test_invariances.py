"""What no method minds: the size of the gradient, and, where steps are relative, that of the parameter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minilib import optim
from tests.optim.helpers import one_step

TINY = {"eps": 1e-200}
ADAM = TINY | {"betas": (0.7, 0.8)}
# method -> options under which only epsilon would tell gradients of another size
SIZE_FREE = {
    "Adagrad": TINY,
    "RMSProp": TINY,
    "Adam": ADAM,
    "AdamW": ADAM,
    "AMSGrad": ADAM,
    "LARS": {},
    "LARS2020": {},
    "LAMB": TINY | {"weight_decay": 0.1},
    "Adafactor": {},
    "CAME": {"lr": 0.01},
    "SM3": TINY,
    "Lion": {},
    "AdamMini": TINY,
    "SOAP": TINY,
    "Muon": {},
    "ScheduleFree": TINY,
}
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
    cls, options = optim.METHODS[name], {"lr": 0.1} | SIZE_FREE[name]
    plain = one_step(cls, x, None, steps=gradients, **options)
    scaled = one_step(cls, x, None, steps=[scale * g for g in gradients], **options)
    loose = 1e-8 if name == "SOAP" else 1e-10  # whose eigenvalues may lie close
    np.testing.assert_allclose(scaled, plain, rtol=loose, atol=0.1 * loose)
    assert len(gradients) == 1 or not np.array_equal(plain, x)


@pytest.mark.parametrize("name", UNIT_FREE)
@given(seed=seeds, scale=st.floats(0.01, 1e3))
def test_a_parameter_of_another_size_moves_in_proportion(name, seed, scale):
    x, gradients = start_and_gradients(seed)
    cls, options = optim.METHODS[name], {"lr": 0.1} | UNIT_FREE[name]
    plain = one_step(cls, x, None, steps=gradients, **options)
    np.testing.assert_allclose(
        one_step(cls, scale * x, None, steps=gradients, **options), scale * plain, rtol=1e-9, atol=1e-10 * scale
    )
