"""Fixtures of the torch optimizers' tests; they are written in helpers.py and processes.py."""

from tests.torch_optim.helpers import compile_all, path_options
from tests.torch_optim.processes import folder, four, two

__all__ = ["compile_all", "folder", "four", "path_options", "two"]
