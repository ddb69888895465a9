"""Fixtures of the torch optimizers' tests; they are written in helpers.py."""

from tests.torch_optim.helpers import compile_all, path_options

__all__ = ["compile_all", "path_options"]
