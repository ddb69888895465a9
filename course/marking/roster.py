"""Who is who: the students of a class, and which attempt of each counts.

A roster is a table (.csv) with the columns id, name and mail; others are passed over. An attempt belongs to the one
student whose id, mail and name agree with all that the platform tells; where nobody's do, or two students', it is not
marked, and a row says so. The id names the student in everything that is written. Deliberately absent: spellings that
differ. A name is the same in another order, without accents, hyphens and capital letters, and in no other way.
"""

import csv
import re
import unicodedata
from pathlib import Path

from course.marking.intake import Attempt

COLUMNS = ("id", "name", "mail")
ABSENT, NOT_MARKED = "nothing handed in", "not marked: "


def read(path: Path) -> list[dict[str, str]]:
    """The students of a roster.

    ValueError: it cannot be read, lacks a column, or has an id or a mail twice, or an id that cannot name a file.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines() or [""]
        table = csv.DictReader(lines, delimiter=";" if ";" in lines[0] and "," not in lines[0] else ",")
        students = [{column: (row.get(column) or "").strip() for column in COLUMNS} for row in table]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"ROSTER={path} cannot be read as a table in UTF-8: {error}") from None
    if missing := [column for column in COLUMNS if column not in (table.fieldnames or [])]:
        raise ValueError(f"ROSTER={path} lacks {', '.join(missing)}: its columns must be {', '.join(COLUMNS)}")
    for column in ("id", "mail"):
        seen = {}
        for line, student in enumerate(students, 2):
            value = student[column]
            if column == "id" and not re.fullmatch(r"[^./\\*?\[\]][^/\\*?\[\]]{0,99}", value):
                raise ValueError(f"ROSTER={path}, line {line}: the id {value!r} must be a text that can name a file")
            if value and (first := seen.setdefault(value.casefold(), line)) != line:
                raise ValueError(f"ROSTER={path}: the {column} {value!r} is in lines {first} and {line}")
    return students


def counted(attempts: list[Attempt], roster: list[dict] | None) -> tuple[dict[str, Attempt], dict[str, dict]]:
    """The attempt that counts, by student, and a row about everybody: name, mail, late, note.

    Without a roster a student is the key of the attempts.
    """
    claims, about = {}, {}
    for attempt in attempts:
        student, wrong = _student(attempt, roster)
        if wrong:
            taken = any(attempt.key == known["id"] for known in roster)
            about[attempt.back if taken else attempt.key] = _row(attempt, _told(attempt), NOT_MARKED + wrong)
        else:
            claims.setdefault(student["id"], (student, []))[1].append(attempt)
    last = {}
    for name, (student, own) in claims.items():
        orders = {attempt.order for attempt in own}
        if len({attempt.key for attempt in own}) > 1 or len(own) > 1 and (None in orders or len(orders) < len(own)):
            who = ", ".join(sorted(attempt.back or attempt.key for attempt in own))
            about[name] = _row(own[0], student, f"{NOT_MARKED}{len(own)} submissions are of this student: {who}")
            continue
        attempt = max(own, key=lambda attempt: attempt.order) if len(own) > 1 else own[0]
        note = NOT_MARKED + attempt.wrong if attempt.wrong else ""
        if len(own) > 1:
            note = "; ".join(filter(None, [note, f"the latest of {len(own)} notebooks, {attempt.back}"]))
        last[name], about[name] = attempt, _row(attempt, student, note)
    for student in roster or []:
        about.setdefault(student["id"], {**student, "late": "", "note": ABSENT})
    return last, about


def _row(attempt: Attempt, student: dict, note: str) -> dict[str, str]:
    return {"name": student.get("name", ""), "mail": student.get("mail", ""), "late": attempt.late, "note": note}


def _told(attempt: Attempt) -> dict[str, str]:
    """What is told of a student beside the key."""
    return {kind: text for kind, text in attempt.told.items() if text != attempt.key}


def _student(attempt: Attempt, roster: list[dict] | None) -> tuple[dict | None, str]:
    """The student that an attempt is of, or why nobody is."""
    if roster is None:
        return {**_told(attempt), "id": attempt.key}, ""
    told = {kind: text for kind, text in attempt.told.items() if text}
    fits = {kind: [s for s in roster if _same(kind, text, s[kind])] for kind, text in told.items()}
    fits = {kind: students for kind, students in fits.items() if students}
    both = [student for student in roster if fits and all(student in students for students in fits.values())]
    if len(both) == 1:
        return both[0], ""
    said = ", ".join(f"{kind} {text!r}" for kind, text in told.items()) or "nothing told"
    ids = sorted({student["id"] for students in fits.values() for student in students})
    return None, f"{len(ids) or 'no'} students of the roster fit {said}" + (f": {', '.join(ids)}" if ids else "")


def _same(kind: str, text: str, known: str) -> bool:
    if kind != "name":
        return bool(known) and text.strip().casefold() == known.casefold()
    words = _words(known)
    return "".join(_words(text)) in {"".join(words[k:] + words[:k]) for k in range(len(words))}


def _words(name: str) -> list[str]:
    """The words of a name, without accents and capital letters."""
    parts = unicodedata.normalize("NFKD", name.casefold())
    return re.findall(r"[^\W_]+", "".join(c for c in parts if not unicodedata.combining(c)))
