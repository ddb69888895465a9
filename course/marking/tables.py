"""Tables as CSV that a spreadsheet opens without running anything: a text that it would take for a formula is quoted.

Numbers of ours stay numbers. Deliberately absent: any other dialect.
"""

import csv
from pathlib import Path

FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # some programs take the wide ones for the others


def write(path: Path, rows: list[dict]) -> None:
    """Write rows with the same keys; where there are none, nothing."""
    if rows:
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writerow({key: _quoted(key) for key in rows[0]})
            table.writerows({key: _quoted(value) for key, value in row.items()} for row in rows)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table that `write` wrote and a person may have filled in; none where there is no file."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8-sig") as file:
        return [{key: _bare(value or "") for key, value in row.items() if key} for row in csv.DictReader(file)]


def _quoted(value):
    return f"'{value}" if isinstance(value, str) and value.startswith((*FORMULA, "'")) else value


def _bare(text: str) -> str:
    return text[1:] if text.startswith("'") else text
