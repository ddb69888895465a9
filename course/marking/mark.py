"""Marks a folder of submissions: STUDENT.ipynb each, or a folder STUDENT with one notebook in it.

    python course/marking/mark.py lars submissions/ --group 2027-spring

writes marks.csv and feedback/STUDENT.html into assignments/2027-spring/lars, and prints the marks. A cell that does not
end loses its own points only, and a submission that cannot be marked is a row that says why. The first line says what
stands around the submissions while they run (`marking.wall`). Deliberately absent: fetching submissions from anywhere,
and what a person has to read; `to read` in marks.csv counts that, and course/assignments/README.md says how those marks
come in.
"""

import argparse
import sys
from pathlib import Path

from course.marking import sheets, wall
from course.marking.assignment import INTO, ROOT, course
from course.marking.problem_set import Assignment
from minilib.pages import print_table


def submissions(folder: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """The notebooks of a folder by student, and what is wrong with what is none, or with folders of none or several.

    A link is none: out of an archive, it may lead to the solution or to somebody else's notebook.

    ValueError: it has nothing.
    """
    by_student, wrong = {}, {}
    for path in sorted(folder.glob("*.ipynb")):
        if path.is_symlink() or not path.is_file():
            wrong[path.stem] = f"not marked: {path.name} is a link, or no file"
        else:
            by_student[path.stem] = path
    for own in sorted(path for path in folder.glob("*") if path.is_dir() and not path.name.startswith(".")):
        if own.is_symlink() or own.suffix == ".ipynb":
            wrong[own.stem] = f"not marked: {own.name} is a link, or no file"
            continue
        notebooks = [path for path in own.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
        notebooks = [path for path in notebooks if path.is_file() and not path.is_symlink()]
        if len(notebooks) == 1:
            by_student[own.name] = notebooks[0]
        else:
            wrong[own.name] = f"not marked: the folder has {len(notebooks)} notebooks; a student hands in one"
    if not by_student and not wrong:
        raise ValueError(f"{folder} has no notebooks")
    return by_student, wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="the problem set, such as lars")
    parser.add_argument("folder", type=Path, help="the folder with the submissions")
    parser.add_argument("--group", default=sheets.CLASS, help=f"the name of the class (default: {sheets.CLASS})")
    args = parser.parse_args(arguments)
    try:
        assignment = Assignment(args.name, args.group, course(), INTO)
        notebooks, wrong = submissions(args.folder)
        print(wall.says(), flush=True)
        rows = assignment.mark(notebooks, notes=wrong)
    except ValueError as error:
        print(f"Not marked: {error}.", file=sys.stderr)
        return 2
    print_table([[f"{v:g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows], list(rows[0]))
    print(f"{assignment.folder.relative_to(ROOT)} has marks.csv and feedback")
    return 0


if __name__ == "__main__":
    sys.exit(main())
