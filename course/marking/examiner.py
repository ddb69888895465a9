"""The examiner's side of a submission: asks the pupil's process, within limits of time, and believes only data.

The checks run here, in a process that no line of a submission ever enters. So a submission that changes NumPy, the
ledger or the checker changes its own copy. What a pupil may touch is said in `wall` and in `guard`, which stand around
it; where it runs, in `pupil`. Deliberately absent: what a check is (`execute`).
"""

import builtins
import contextlib
import json
import os
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from course.marking import wall, wire

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
        minilib: the folder with the minilib that it imports a copy of.
        seconds: for a cell, or for a call.
        until: when the whole must end, of `time.monotonic`.
        hidden: packages and files of Python's folders that are out of its reach.
        walls: of `wall.KINDS`, those that stand around it; None: all that can stand here.
    """

    def __init__(self, minilib: Path, seconds: float, until=float("inf"), hidden=(), walls=None):
        self.minilib, self.seconds, self.until, self.hidden = minilib, seconds, until, [*hidden]
        self.walls = wall.walls() if walls is None else walls
        self.ran, self.kept = [], {}  # cells that a new process must run again; our functions that the pupil knows
        self.process = None

    def __enter__(self):
        # a copy at a place whose name says nothing, such as which class this is
        self.lib = tempfile.TemporaryDirectory(prefix="minilib-")
        shutil.copytree(self.minilib / "minilib", Path(self.lib.name) / "minilib")
        self._start()
        return self

    def __exit__(self, *_):
        self._stop()
        self.lib.cleanup()

    def run(self, code: str) -> str:
        """Run a cell; returns what it printed. Raises what it raised, `Late` or `Gone`."""
        _, printed = self._ask({"run": code}, self.seconds)
        self.ran.append(code)
        return printed

    def get(self, name: str):
        """The value of a name, or a `Remote` for a function. KeyError: there is none."""
        value = self._ask({"get": name}, self.seconds)[0]
        if isinstance(value, wire.Remote):
            value.afresh = lambda: self._afresh(name)
        return value

    def _afresh(self, name: str):
        """The same function in a new process, which ran the same cells and saw nothing else. Late: no time is left."""
        self._in_time()
        self._child()
        self._repeat()
        return self._ask({"get": name}, self.seconds)[0]

    def _call(self, key, args, kwargs):
        message = {"args": wire.encode(list(args), self._keep), "kwargs": wire.encode(kwargs, self._keep)}
        return self._ask({"call": key, **message}, self.seconds)[0]

    def _keep(self, function):
        """Its key in this child: one by which nobody finds another function, or tells which of them is older."""
        self.kept[key := secrets.token_hex(8)] = function
        return key

    def _in_time(self):
        if time.monotonic() > self.until:
            raise Late("the notebook took too long")

    def _start(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pupil-", ignore_cleanup_errors=True)
        orders, self.orders = os.pipe()
        roots, whole = [Path(self.lib.name) / "minilib", *wall.python()], [Path(p) / "minilib" for p in wall.python()]
        hidden = [path for path in (*self.hidden, *whole) if path.exists()]
        words = [sys.executable, "-I", "-X", "utf8", HERE / "pupil.py", self.lib.name, str(orders)]
        words += [str(int("hook" in self.walls)), *roots, "-", *hidden]
        if "bwrap" in self.walls:
            reads = [HERE / f"{name}.py" for name in ("pupil", "guard", "wire")]
            words = [*wall.around(self.folder.name, [*roots, *reads], hidden), *words]
        clean = {"PATH": os.environ.get("PATH", ""), "HOME": self.folder.name}
        clean |= dict.fromkeys(("OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        own = {"cwd": self.folder.name, "env": clean, "pass_fds": [orders], "start_new_session": True}
        self.process, self.rest = subprocess.Popen(words, bufsize=0, **pipes, **own), b""
        os.close(orders)
        os.set_blocking(self.process.stdin.fileno(), False)
        self._child()

    def _child(self):
        """A new child in the place of the last one, and in a new folder."""
        self.kept.clear()
        token, until = secrets.token_hex(8), time.monotonic() + START
        with contextlib.suppress(BrokenPipeError):
            os.write(self.orders, f"{token}\n".encode())
        ready = wire.line({"ready": token})
        while self._line(until) + b"\n" != ready:  # what the last child may have said is passed over
            pass

    def _stop(self):
        """End the process, with all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.orders)
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()

    def _again(self):
        """A new process with the same past, without the cell or call that ended the old one."""
        self._stop()
        self._start()
        self._repeat()

    def _repeat(self):
        """Run again what ran. Where something does not end this time, go on with nothing."""
        for code in self.ran:
            try:
                self._exchange({"run": code}, 2 * self.seconds)
            except (Late, Gone):
                self.ran = []
                self._stop()
                self._start()
                break
            except Exception:  # of a cell that does not always succeed
                continue

    def _send(self, message, until):
        """Write a message. Late: it is not read in time."""
        pipe, left = self.process.stdin.fileno(), memoryview(wire.line(message))
        with contextlib.suppress(BrokenPipeError):  # no reply will say so
            while left:
                self._wait([], [pipe], until)
                left = left[os.write(pipe, left) :]

    def _ask(self, message, seconds):
        """What the pupil answers, and what it printed; a process that does not answer is replaced."""
        self._in_time()
        try:
            return self._exchange(message, seconds)
        except (Late, Gone):
            self._again()
            raise

    def _exchange(self, message, seconds):
        """Send, and wait for the answer; meanwhile the pupil may call functions of ours."""
        until = time.monotonic() + seconds
        self._send(message, until)
        while True:
            try:
                reply = json.loads(self._line(until))
            except ValueError:
                raise Gone("the program answered in a way of its own") from None
            if "call" not in reply:
                break
            self._send(self._answer(reply), until)
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

    def _wait(self, reads, writes, until):
        """Wait for a pipe. Late: it is not ready in time."""
        left = until - time.monotonic()
        if left <= 0 or not any(select.select(reads, writes, [], left)):
            raise Late(f"no answer within {self.seconds:g} seconds")

    def _line(self, until) -> bytes:
        """The next line that the pupil sends. Late: it is not whole in time; Gone: there will be none.

        No more is read than is asked for: who sends without end fills the pipe, and not the memory here.
        """
        pipe, whole = self.process.stdout.fileno(), bytearray()
        while len(whole) <= wire.LONGEST:
            if not self.rest:
                self._wait([pipe], [], until)
            new = self.rest or os.read(pipe, 2**16)
            part, end, self.rest = new.partition(b"\n")
            whole += part
            if end:
                return bytes(whole)
            if not new:
                break
        raise Gone("the program ended before it answered: too much memory, or an exit")
