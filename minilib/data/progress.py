"""Lines that say now and then how far a long piece of work is: a log file can keep them, a bar it cannot."""

from collections.abc import Callable
from time import perf_counter

Say = Callable[[str], None]  # is told a line
FIRST, MOST = 2.0, 60.0  # seconds until the first line, and the most between two


def silent(text: str) -> None:
    """Says nothing."""


class Progress:
    """Says how many characters of how many are done, how fast, and how long the rest takes if that goes on.

    Work of less than two seconds says nothing.

    `what` is done: "tokenising the training text"; `total` are characters, or 0 where nobody knows.
    """

    def __init__(self, say: Say, what: str, total: int = 0) -> None:
        self.say, self.what, self.total = say, what, total
        self.characters = self.tokens = 0
        self.began = perf_counter()
        self.next = self.began + FIRST

    def add(self, characters: int, tokens: int = 0) -> None:
        """So much more is done."""
        self.characters += characters
        self.tokens += tokens
        if (now := perf_counter()) >= self.next:
            seconds = now - self.began
            self.next = now + min(MOST, max(FIRST, seconds / 2))
            line = f"{self.what}: {self.characters / 1e6:,.1f} million characters"
            line += f" of {self.total / 1e6:,.1f}" * (self.total > 0)
            line += f", {self.tokens / seconds:,.0f} tokens/s" * (self.tokens > 0)
            if self.total:
                left = seconds * max(0, self.total - self.characters) / max(1, self.characters) / 60
                line += f", about {left:,.1f} minutes left"
            self.say(line)
