"""Have the proofs checked and the false statements broken, and write the page of theorems: make prove

First Rocq checks the proofs in proofs/*.v, where the prover is there (`rocq.py`). Then the attack for readers
(`minilib.theory.attack`) has to break every statement of `proofs/bank.py`; what it found goes to book/theorems.json.
The page, book/theorems.md, has an entry for each theorem (`theorem_table.py`), with what the chapters' stored outputs
say of it, and the false statements below. Exit status 1: a proof fails, or a false statement is not broken; 4: all is
well but for the prover, which is not there.
"""

import json
import re
import sys

from minilib.theory.attack import attack, plain
from proofs.bank import BANK
from tools import ROOT
from tools.chapter.provenance import digest
from tools.prover import rocq, theorem_table

RECORD, PAGE = ROOT / "book" / "theorems.json", ROOT / "book" / "theorems.md"
ATTACKED_BY = ["proofs/bank.py", *(f"minilib/theory/{name}.py" for name in ("statements", "attack"))]
HEAD = """\
(page-theorems)=
# Every theorem, and what was done to it

This page is written by `make prove`.
"""
BROKEN = """
## False statements

These were printed somewhere, or are easy to believe; each stands near the theorem that is named, and uses its letters.
A search that was told nothing about them has broken each ({ref}`sec-attack` shows how to use it). Where there is
chance, the values in brackets are equally likely.

| near | statement | broken by |
|:--|:--|:--|
"""

LETTERS = {"lr": r"\eta", "next_lr": r"\eta_{t+1}", "decay": r"\lambda", "beta": r"\beta"}
LETTERS |= {f"beta{k}": rf"\beta_{k}" for k in (1, 2, 3)}


def digest_of_bank() -> str:
    """Of the false statements and all that attacks them."""
    return digest(b"".join((ROOT / file).read_bytes() for file in ATTACKED_BY))


def broken(label: str, claim) -> dict:
    """One row of the record, as plain numbers and texts."""
    broken_by = attack(claim).counterexample or {}
    return {"label": label, "statement": claim.name, "broken by": {name: plain(x) for name, x in broken_by.items()}}


def typeset(name: str, value: str) -> str:
    """What broke a statement, as TeX: `lr`, "[1/2, 1073741824]" as \\eta=(1/2, 2^{30})."""

    def with_power(number: re.Match) -> str:
        large = int(number[0])
        power = (large & -large).bit_length() - 1
        return (rf"{large >> power}\cdot " if large >> power > 1 else "") + f"2^{{{power}}}"

    numbers = re.sub(r"\d{7,}", with_power, value).replace("[", "(").replace("]", ")")
    return f"${LETTERS.get(name, name)}={numbers}$"


def page(rows: list[dict]) -> str:
    """The book's page, from the record of the bank, the sources of the proofs and the stored outputs."""
    text = HEAD + theorem_table.table(ROOT) + BROKEN
    says = {claim.name: " ".join(claim.sides.__doc__.split()) for claims in BANK.values() for claim in claims}
    for row in rows:
        numbers = ", ".join(typeset(name, value) for name, value in row["broken by"].items())
        text += f"| {{prf:ref}}`{row['label']}` | {says[row['statement']]} | {numbers} |\n"
    return text


def main() -> int:
    checked = rocq.check()
    rows = [broken(label, claim) for label, claims in BANK.items() for claim in claims]
    standing = [row["statement"] for row in rows if not row["broken by"]]
    if standing:
        print(f"NOT BROKEN: {'; '.join(standing)}")
        return 1
    print(f"{len(rows)} false statements, and the attack has broken them all")
    RECORD.write_text(json.dumps({"digest": digest_of_bank(), "rows": rows}, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(rows), encoding="utf-8")
    return checked


if __name__ == "__main__":
    sys.exit(main())
