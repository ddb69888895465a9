"""The step ledger: evaluates each numbered step of a proof on real numbers and remembers how tight it was.

A proof says "A <= B". A ledger row holds that sentence to account: it takes both sides as computed on an instance,
raises when the step is violated beyond rounding, and keeps both sides so that `table` can tell where a chain of
inequalities loses its tightness. A row that could never have failed (nothing was compared, or one side is not finite)
is an error too.

Absent on purpose: nothing is proved here. A step that holds on a thousand instances is evidence, the proof beside it is
the reason; a step that fails on one is an error in the proof, its assumptions, or the code.
"""

from dataclasses import dataclass, field

import numpy as np

from minilib.pages import leave


class ProofError(AssertionError):
    """A step of a proof does not hold on an instance; the message names step, instance and both sides."""


@dataclass
class Row:
    """All evaluations of one step: `lhs[k]` was compared with `rhs[k]`."""

    relation: str
    lhs: list[float] = field(default_factory=list)
    rhs: list[float] = field(default_factory=list)

    def slack(self) -> np.ndarray:
        """(rhs - lhs) / max(|lhs|, |rhs|) for every evaluation: 0 is equality, 1 means lhs is nothing beside rhs."""
        lhs, rhs = np.array(self.lhs), np.array(self.rhs)
        size = np.maximum(np.abs(lhs), np.abs(rhs))
        return (rhs - lhs) / np.where(size == 0, 1.0, size)

    def ratio(self) -> float:
        """Median of rhs / lhs over the evaluations where both are positive (nan when there are none)."""
        ratios = [rhs / lhs for lhs, rhs in zip(self.lhs, self.rhs, strict=True) if lhs > 0 and rhs > 0]
        return float(np.median(ratios)) if ratios else float("nan")


class Ledger:
    """Collects the rows of one proof.

    Args:
        proof: what is proved, for messages and the table's title.
        rtol: rounding allowed, relative to the larger side (float64 sums of some thousand terms need about 1e-12).
        atol: rounding allowed in absolute terms, for sides that cancel to zero.
    """

    def __init__(self, proof: str, rtol: float = 1e-9, atol: float = 1e-12):
        self.proof, self.rtol, self.atol = proof, rtol, atol
        self.rows: dict[str, Row] = {}

    def leq(self, step: str, lhs, rhs, /, **where) -> None:
        """Record `lhs <= rhs` for `step`; numbers or arrays that broadcast. `where` names the instance.

        ProofError: some element violates the step beyond rounding, or a side is not finite, or is not real.
        """
        self._record(step, "<=", lhs, rhs, where)

    def eq(self, step: str, lhs, rhs, /, **where) -> None:
        """Record `lhs == rhs` for `step`, up to rounding. Raises as `leq` does."""
        self._record(step, "=", lhs, rhs, where)

    def _record(self, step, relation, lhs, rhs, where):
        def refuse(what):
            raise ProofError(f"{self.proof}: step {step} {what}")

        if lhs is rhs and isinstance(lhs, np.ndarray):
            refuse("compares an array with itself and could not fail")
        lhs, rhs = (np.real_if_close(a).ravel() for a in np.broadcast_arrays(lhs, rhs))
        if np.iscomplexobj(lhs) or np.iscomplexobj(rhs):
            refuse("compares complex numbers: compare absolute values, or real and imaginary parts")
        lhs, rhs = lhs.astype(float), rhs.astype(float)
        if lhs.size == 0:
            refuse("compared nothing (empty arrays)")
        tolerance = self.atol + self.rtol * np.maximum(np.abs(lhs), np.abs(rhs))
        with np.errstate(invalid="ignore"):  # inf - inf
            excess = lhs - rhs if relation == "<=" else np.abs(lhs - rhs)
        bad = (excess > tolerance) | ~np.isfinite(lhs) | ~np.isfinite(rhs)
        if bad.any():
            k = int(np.argmax(bad))
            at = "".join(f", {name} = {value}" for name, value in where.items())
            at += f", element {k}" if lhs.size > 1 else ""
            refuse(f"fails{at}: left side {lhs[k]:.6g}, right side {rhs[k]:.6g}, should be left {relation} right")
        row = self.rows.setdefault(step, Row(relation))
        if row.relation != relation:
            raise ValueError(f"step {step} was recorded with '{row.relation}' and now with '{relation}'")
        row.lhs.extend(lhs.tolist())
        row.rhs.extend(rhs.tolist())

    def table(self) -> None:
        """Prints a line a step, in the order of first use: relation, evaluations, smallest slack, median rhs / lhs.

        A slack below 1e-6 prints as 0: the step was tight there. A notebook keeps the lines as data, too: `leave`.

        ProofError: the ledger is empty, or a row never compared more than rounding (it could not have failed).
        """
        if not self.rows:
            raise ProofError(f"{self.proof}: no step was evaluated")
        rows = [self._as_text(step, row) for step, row in self.rows.items()]
        width = max(map(len, self.rows))
        print(self.proof)
        print(f"{'step':<{width}}  rel  checks  least slack  median rhs/lhs")
        for row in rows:
            print(
                f"{row['step']:<{width}}  {row['relation']:<3}  {row['checks']:>6}  "
                f"{row['slack']:>11}  {row['ratio']:>14}"
            )
        leave("ledger", {"proof": self.proof, "rows": rows})

    def _as_text(self, step: str, row: Row) -> dict[str, str]:
        """What the table says of a step. ProofError: it never compared more than rounding."""
        largest = np.abs([row.lhs, row.rhs]).max()
        if largest <= 10 * self.atol:
            raise ProofError(
                f"{self.proof}: step {step} could not have failed: no side exceeds {largest:.1g}, "
                f"and differences up to {self.atol:.1g} pass as rounding"
            )
        least, ratio = np.abs(row.slack()).min(), row.ratio()
        return {
            "step": step,
            "relation": row.relation,
            "checks": str(len(row.lhs)),
            "slack": f"{least:.1g}" if least >= 1e-6 else "0",
            "ratio": "-" if np.isnan(ratio) else f"{ratio:.2g}",
        }
