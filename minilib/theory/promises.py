"""What a theorem promises, beside what holds without it: the table of end-to-end bounds.

A bound that a method keeps while it stands still, or walks uphill, says nothing about the method. So every promise
stands beside two numbers that need no theorem: the value at the start, and the trivial bound, which any method keeps.
Where the promise lies below both, gradient ascent has to break it; where it does not, the row names the T at which it
would. Absent on purpose: how these numbers are found; every chapter computes its own.
"""

from dataclasses import dataclass, field

import numpy as np

from minilib.pages import leave, print_table
from minilib.theory.ledger import ProofError

HEADS = ("promise", "measured", "promised", "start", "any method", "ascent", "says more")


@dataclass
class Promises:
    """Collects the end-to-end bounds of one theorem. `what` is measured, such as 'average |grad f|^2'."""

    proof: str
    what: str
    rows: dict[str, dict] = field(default_factory=dict)

    def add(
        self, name: str, *, measured: float, promised: float, start: float, trivial: float, ascent: float, says_from=""
    ) -> None:
        """One instance of the theorem, all numbers in the units of `what`.

        Args:
            name: the instance, such as 'T = 1000, b = 16'.
            measured: what the method reached.
            promised: what the theorem promises.
            start: `what` if the method stood still.
            trivial: the largest value that any sequence of points can have; np.inf where there is none.
            ascent: the same measurement for the method with its direction turned round.
            says_from: required where the promise lies above `start` or `trivial`: from where on it would not, as in
                'T = 20,500', or 'no T' where no instance makes it say something.

        ProofError: the method breaks the promise; or the promise says something, and ascent keeps it all the same; or
        it says nothing and `says_from` is missing (or says something, and `says_from` denies it).
        """
        numbers = {"measured": measured, "promised": promised, "start": start, "trivial": trivial, "ascent": ascent}
        numbers = {key: float(value) for key, value in numbers.items()}
        if any(np.isnan(value) for value in numbers.values()):
            raise ProofError(f"{self.proof}, {name}: a number is nan: {numbers}")
        if not measured <= promised * (1 + 1e-9):
            raise ProofError(f"{self.proof}, {name}: measured {measured:.6g}, but {promised:.6g} was promised")
        says = promised < min(start, trivial)
        if says and not ascent > promised:
            raise ProofError(f"{self.proof}, {name}: gradient ascent, {ascent:.6g}, keeps the promise {promised:.6g}")
        if says == bool(says_from):
            must = "says something, so says_from must be empty" if says else "says nothing: give says_from"
            raise ProofError(f"{self.proof}, {name}: promised {promised:.6g}, start {start:.6g}: it {must}")
        self.rows[name] = numbers | {"says_from": says_from}

    def table(self) -> None:
        """Prints a row an instance; a notebook keeps them as data, too. Raises ProofError when there is none."""
        if not self.rows:
            raise ProofError(f"{self.proof}: no promise was looked at")
        print(f"{self.proof}: {self.what}")
        rows = []
        for name, row in self.rows.items():
            values = [f"{row[key]:.3g}" for key in ("measured", "promised", "start", "trivial", "ascent")]
            rows.append((name, *values, f"from {row['says_from']}" if row["says_from"] else "yes"))
        print_table(rows, HEADS)
        named = [dict(zip(HEADS, row, strict=True)) for row in rows]
        leave("promises", {"proof": self.proof, "what": self.what, "rows": named})
