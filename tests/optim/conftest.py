"""Fixtures for the tests of the optimizers; plain helpers are in helpers.py."""

import pytest

from tests.optim.helpers import Parameter


@pytest.fixture
def parameter() -> Parameter:
    """A small matrix with a gradient."""
    return Parameter([[1.0, -2.0], [0.5, 3.0]], grad=[[0.1, 0.2], [-0.3, 0.4]])
