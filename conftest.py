"""For every pytest below this folder, however it is started: cells of chapters are compared as `make test` does."""

from importlib.util import find_spec

# The environment of make test-tpu has no nbval.
pytest_plugins = ["tools.check.steady_kernels"] if find_spec("nbval") else []
