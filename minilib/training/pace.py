"""How long a run takes still, from how fast it was in the last minutes, and whether it is time to say so.

What is left is counted in operations, because phases differ in length and batch. Validations and checkpoints count as
they came. The first step of a process counts for nothing: it may compile.
"""

from collections import deque
from time import perf_counter

EVERY = 10.0  # seconds of silence, at most: a line is due with the first step after them
LINES = 30  # over which the rate is measured: five minutes of them, or fewer where validations speak in between


class Pace:
    """`operations` are those of all steps that are left."""

    def __init__(self, operations: float) -> None:
        self.left, self.spoke = operations, perf_counter()
        self.marks: deque[tuple[float, float]] = deque(maxlen=LINES + 1)  # when, and what was left then

    def add(self, operations: float) -> None:
        """A step is done."""
        self.left -= operations
        if not self.marks:
            self.marks.append((perf_counter(), self.left))

    def due(self) -> bool:
        """Whether nothing was said for so long."""
        return perf_counter() - self.spoke >= EVERY

    def minutes_left(self) -> float | None:
        """As a line is written. None after the first step, and after the last."""
        self.spoke = now = perf_counter()
        began, before = self.marks[0]
        self.marks.append((now, self.left))
        done = before - self.left
        return self.left * (now - began) / done / 60 if done > 0 and self.left > 0 else None
