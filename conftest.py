"""For every pytest below this folder, however it is started: cells of chapters are compared as `make nbval` does."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "tools"))
pytest_plugins = ["steady_kernels"] if find_spec("nbval") else []  # the environment of make test-tpu has none
