"""Fixtures of the torch optimizers' tests, written in shared.py and processes.py; without a compiler none compiles."""

import preflight
import pytest

from tests.torch_optim.processes import folder, four, two
from tests.torch_optim.shared import compiling

__all__ = ["compiling", "folder", "four", "two"]


def compiles(item) -> bool:
    """Whether a test has phases compiled, here or in the processes that it starts."""
    return "compiling" in item.fixturenames or item.path.name == "test_compile.py" or "[compiled: " in item.name


def pytest_collection_modifyitems(items):
    if preflight.compiler() is None:
        for item in filter(compiles, items):
            item.add_marker(pytest.mark.skip(reason="there is no C++ compiler"))
