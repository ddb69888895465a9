"""The marking needs Linux or macOS."""

import os

collect_ignore_glob = ["test_*.py"] if os.name == "nt" else []
