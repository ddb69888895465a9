"""For every pytest below this folder, however it is started: cells of chapters are compared as `make nbval` does."""

from importlib.util import find_spec

pytest_plugins = (
    ["tools.check.steady_kernels"] if find_spec("nbval") else []
)  # the environment of make test-tpu has none
