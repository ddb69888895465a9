"""Says what a long command does and how far it is: one line that is renewed on a terminal, plain lines elsewhere.

Elsewhere a line comes when something else begins, and at most every five seconds in between. It imports nothing that
has to be installed. Deliberately absent: an estimate of the time that is left.
"""

import subprocess
import sys
import time
from collections.abc import Callable

PAUSE = 5  # seconds between two plain lines about the same thing


class Progress:
    """The line of a command; `say` renews it, `end` takes it away so that something else can be printed."""

    def __init__(self, stream=None, clock: Callable[[], float] = time.monotonic):
        self.stream, self.clock = stream or sys.stdout, clock
        self.start, self.last, self.what = clock(), float("-inf"), ""

    def say(self, what: str, part: int = 0, of: int = 0) -> None:
        """`what` is done, the `part`-th `of` so many."""
        line = f"{self.clock() - self.start:4.0f} s  {what}" + (f" {part} of {of}" if of else "")
        if self.stream.isatty():
            print(f"\r\033[K{line}", end="", file=self.stream, flush=True)
        elif what != self.what or self.clock() - self.last >= PAUSE:
            print(line, file=self.stream, flush=True)
            self.last = self.clock()
        self.what = what

    def end(self) -> None:
        if self.stream.isatty() and self.what:
            print("\r\033[K", end="", file=self.stream, flush=True)
        self.what = ""


def follow(command: list[str], tell: Callable[[str], object], **options) -> int:
    """Run a command and hand each line that it prints to `tell`; its exit status. It ends with this program."""
    options |= {"stdout": subprocess.PIPE, "text": True, "encoding": "utf-8", "errors": "replace"}
    process = subprocess.Popen(command, **options)
    try:
        for line in process.stdout:
            tell(line.rstrip())
        return process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
