"""Marks what a class handed in: an archive or a folder of Canvas, Moodle, Gradescope, GitHub Classroom, or a plain one.

    python course/marking/mark.py lars submissions.zip --group 2027-spring --roster roster.csv

writes marks.csv, overview.html, feedback/STUDENT.html and what the platform takes back into
assignments/2027-spring/lars, and prints the marks. A cell that does not end loses its own points only, and a submission
that cannot be marked is a row that says why. The first lines say what stands around the submissions while they run
(`marking.wall`), and where they are from (`marking.intake`). Deliberately absent: fetching submissions from anywhere,
and what a person has to read; `to read` in marks.csv counts that, and course/assignments/README.md says how those marks
come in.
"""

import argparse
import sys
from datetime import datetime
from pathlib import Path

from course.marking import hand_back, intake, roster, sheets, wall
from course.marking.assignment import INTO, ROOT, course
from course.marking.problem_set import Assignment
from minilib.pages import print_table


def deadline(text: str | None) -> datetime | None:
    """A time, of this computer's zone where it names none. ValueError: it is none."""
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except ValueError:
        raise ValueError(f"DUE={text} must be a time such as 2027-03-01T12:00") from None


def class_of(assignment: Assignment, path: Path | None) -> list[dict] | None:
    """The students of the roster at `path`, which is kept: without a path, those of the last one, None for none."""
    kept = assignment.lecturer / "roster.csv"
    students = roster.read(path or kept) if path or kept.exists() else None
    if path and assignment.lecturer.is_dir():
        kept.write_bytes(path.read_bytes())
    return students


def forgotten(assignment: Assignment, names: set[str]) -> dict[str, None]:
    """Rows of marks.csv under `names`, which the roster calls otherwise: they go.

    ValueError: one of them has marks already, and would be two students.
    """
    old = names & {row["student"] for row in assignment.marks()}
    for name in sorted(old):
        if assignment.has(name):
            raise ValueError(
                f"marks.csv has {name!r}, whom the roster calls otherwise: go on without ROSTER, "
                f"or move {assignment.folder} away and mark all with it"
            )
    return dict.fromkeys(old)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="the problem set, such as lars")
    parser.add_argument("source", type=Path, help="the archive, or the folder, with the submissions")
    parser.add_argument("--group", default=sheets.CLASS, help=f"the name of the class (default: {sheets.CLASS})")
    parser.add_argument("--roster", type=Path, help=f"a table (.csv) of the class: {', '.join(roster.COLUMNS)}")
    parser.add_argument("--due", help="the deadline, such as 2027-03-01T12:00, for Gradescope, which tells times")
    args = parser.parse_args(arguments)
    args.source, args.roster = args.source.expanduser(), args.roster and args.roster.expanduser()
    try:
        assignment = Assignment(args.name, args.group, course(), INTO)
        with intake.attempts(args.source, args.name, deadline(args.due)) as (platform, attempts):
            counted, about = roster.counted(attempts, class_of(assignment, args.roster))
            absent = [name for name, row in about.items() if row["note"] == roster.ABSENT and assignment.has(name)]
            about = {name: row for name, row in about.items() if name not in absent}  # it was there before
            about |= forgotten(assignment, {attempt.key for attempt in attempts} - about.keys())
            print(wall.says(), flush=True)
            print(f"{args.source.name}: {platform}, {len(attempts)} submissions", flush=True)
            rows = assignment.mark({name: one.path for name, one in counted.items() if one.path}, about)
        failed = {row["student"] for row in rows if row["note"].startswith(roster.NOT_MARKED)}
        marked = {name: one for name, one in counted.items() if name in assignment.findings and name not in failed}
        files = hand_back.write(platform, assignment.folder, args.name, marked, rows, assignment.findings)
    except ValueError as error:
        print(f"Not marked: {error}.", file=sys.stderr)
        return 2
    print_table([[f"{v:g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows], list(rows[0]))
    print(f"{assignment.folder.relative_to(ROOT)} has {', '.join(['marks.csv', 'overview.html', 'feedback', *files])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
