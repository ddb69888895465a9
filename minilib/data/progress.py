"""Lines that say now and then how far a long piece of work is: a log file can keep them, a bar it cannot."""

from collections.abc import Callable
from time import perf_counter

FIRST, MOST = 2.0, 60.0  # seconds until the first line, and the most between two


def silent(text: str) -> None:
    """Says nothing."""


class Progress:
    """Says how many characters of how many are done, how fast, and how long the rest takes if that goes on.

    Work of less than two seconds says nothing.

    Args:
        say: is given each line.
        what: is done: "tokenising the training text".
        total: characters, or 0 where nobody knows.
    """

    def __init__(self, say: Callable[[str], None], what: str, total: int = 0) -> None:
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
            self.say(self.line(seconds))

    def line(self, seconds: float) -> str:
        """Where the work is after so many seconds."""
        parts = [f"{self.what}: {self.characters / 1e6:,.1f} million characters"]
        if self.tokens:
            parts.append(f"{self.tokens / seconds:,.0f} tokens/s")
        if self.total:
            left = seconds * max(0, self.total - self.characters) / max(1, self.characters) / 60
            parts[0] += f" of {self.total / 1e6:,.1f}"
            parts.append(f"about {left:,.1f} minutes left")
        return ", ".join(parts)
