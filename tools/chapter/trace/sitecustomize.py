"""Notes every file of the book that a Python process reads, in every process that has this folder on PYTHONPATH.

TRACE_ROOT is the book's folder, TRACE_FILE the file to which each path is appended, relative to it, on a line of its
own. A module that comes from compiled bytecode is noted by its source. Deliberately absent: what is read by code that
is not Python's, and listings of folders.
"""

import importlib.util
import os
import sys


def watch(root: str, file: str) -> None:
    """Note what is opened for reading below `root`, each path once."""
    out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    root = os.path.realpath(root) + os.sep
    seen = set()

    def hook(event, arguments):
        if event != "open" or not isinstance(arguments[0], str | bytes) or (arguments[2] or 0) & 3 == os.O_WRONLY:
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.endswith(".pyc"):
            path = importlib.util.source_from_cache(path)
        if path.startswith(root) and path not in seen:
            seen.add(path)
            os.write(out, f"{path[len(root) :]}\n".encode())

    sys.addaudithook(hook)


if os.environ.get("TRACE_FILE"):
    watch(os.environ["TRACE_ROOT"], os.environ["TRACE_FILE"])
