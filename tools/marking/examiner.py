"""The examiner's side of a submission: asks the pupil's process, within limits of time, and believes only data.

The checks run here, in a process that no line of a submission ever enters. So a submission that changes NumPy, the
ledger or the checker changes its own copy. Deliberately absent: a container. What a pupil may touch is said in
`pupil.py`.
"""

import builtins
import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from marking import wire

HERE = Path(__file__).resolve().parent
START = 60  # seconds for Python and NumPy to start


class Late(Exception):
    """A cell, or a check's call of an answer, took longer than it may."""


class Failed(Exception):
    """An answer ended in an exception that is none of Python's own."""


class Gone(Exception):
    """The pupil's process ended of itself: too much memory, or sys.exit."""


class Pupil:
    """A process in which a submission's cells run, one after the other. Use it in a `with`.

    Args:
        minilib: the folder with the copy of minilib that it imports.
        seconds: for a cell, or for a call.
    """

    def __init__(self, minilib: Path, seconds: float):
        self.minilib, self.seconds = minilib, seconds
        self.ran, self.kept = [], {}  # cells that a new process must run again; our functions that the pupil knows
        self.process, self.folder = None, tempfile.TemporaryDirectory(prefix="pupil-")

    def __enter__(self):
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()
        self.folder.cleanup()

    def run(self, code: str) -> str:
        """Run a cell; returns what it printed. Raises what it raised, `Late` or `Gone`."""
        _, printed = self._ask({"run": code}, self.seconds)
        self.ran.append(code)
        return printed

    def get(self, name: str):
        """The value of a name, or a `Remote` for a function. KeyError: there is none."""
        return self._ask({"get": name}, self.seconds)[0]

    def _call(self, key, args, kwargs):
        message = {"args": wire.encode(list(args), self._keep), "kwargs": wire.encode(kwargs, self._keep)}
        return self._ask({"call": key, **message}, self.seconds)[0]

    def _keep(self, function):
        self.kept[id(function)] = function
        return id(function)

    def _start(self):
        prefixes = dict.fromkeys([sys.prefix, sys.base_prefix, *(p for p in sys.path if p.endswith("site-packages"))])
        command = [sys.executable, "-I", "-X", "utf8", HERE / "pupil.py", HERE / "wire.py", self.minilib, *prefixes]
        clean = {"PATH": os.environ.get("PATH", ""), "OMP_NUM_THREADS": "1", "HOME": self.folder.name}
        clean |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}  # Windows needs it
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, cwd=self.folder.name, env=clean, **pipes)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True).start()
        self._exchange({"run": ""}, START)

    def _stop(self):
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()

    def _again(self):
        """A new process with the same past, without the cell or call that ended the old one."""
        self._stop()
        self._start()
        try:
            for code in self.ran:
                self._exchange({"run": code}, 2 * self.seconds)
        except (Late, Gone):  # what ran once does not run again: go on with nothing
            self.ran = []
            self._stop()
            self._start()

    def _send(self, message):
        with contextlib.suppress(BrokenPipeError):  # no reply will say so
            self.process.stdin.write(wire.line(message))
            self.process.stdin.flush()

    def _ask(self, message, seconds):
        """What the pupil answers, and what it printed; a process that does not answer is replaced."""
        try:
            return self._exchange(message, seconds)
        except (Late, Gone):
            self._again()
            raise

    def _exchange(self, message, seconds):
        """Send, and wait for the answer; meanwhile the pupil may call functions of ours."""
        until = time.monotonic() + seconds
        self._send(message)
        while True:
            try:
                reply = json.loads(self._line(until))
            except ValueError:
                raise Gone("the program answered in a way of its own") from None
            if "call" not in reply:
                break
            self._send(self._answer(reply))
        if "error" in reply:
            raise self._error(*reply["error"], reply.get("printed", ""))
        return wire.decode(reply["value"], self._call, self.kept), reply.get("printed", "")

    @staticmethod
    def _error(kind, text, trace, printed) -> Exception:
        """The pupil's exception as one of ours, with `trace` and `printed`."""
        known = getattr(builtins, str(kind), None)
        own = isinstance(known, type) and issubclass(known, Exception)
        try:
            error = known(text) if own else Failed(f"{kind}: {text}")
        except TypeError:  # such as UnicodeDecodeError, which takes five arguments
            error = Failed(f"{kind}: {text}")
        error.trace, error.printed = trace, printed
        return error

    def _answer(self, reply) -> dict:
        """The pupil calls a function that a check handed over."""
        try:
            args, kwargs = (wire.decode(reply[part], self._call, self.kept) for part in ("args", "kwargs"))
            return {"value": wire.encode(self.kept[reply["call"]](*args, **kwargs), self._keep)}
        except Exception as error:
            return {"error": [type(error).__name__, str(error)]}

    def _read(self, pipe, lines):
        """Puts every line of a process into a queue, and an empty one at its end."""
        for line in iter(lambda: pipe.readline(wire.LONGEST + 1), b""):
            lines.put(line)
        lines.put(b"")

    def _line(self, until) -> bytes:
        """The next line that the pupil sends. Late: there is none in time; Gone: there will be none."""
        try:
            line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise Late(f"no answer within {self.seconds:g} seconds") from None
        if not line.endswith(b"\n"):
            raise Gone("the program ended before it answered: too much memory, or an exit")
        return line
