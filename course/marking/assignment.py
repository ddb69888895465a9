"""A problem set for a class: the notebook for its students, and a folder with which a lecturer marks.

    python course/marking/assignment.py lars --group 2027-spring     writes assignments/2027-spring/lars
    python course/marking/assignment.py                              all of them, for the class "open"
    python course/marking/assignment.py --private ../our-course      a copy of the course, to change its tasks

The name of the class decides the numbers, and with them the answers. The sources are those of `course/assignments`, or
of the folder that the variable COURSE names, a lecturer's private copy. Deliberately absent: a way to keep solutions
from those who read this repository; tasks that a lecturer changed are that (course/assignments/README.md).
`course/marking/mark.py` marks; `tools/give/handout.py` is something else, a chapter without its solutions.
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from course.marking import sheets
from course.marking.problem_set import Assignment

ROOT = Path(__file__).resolve().parents[2]
INTO = ROOT / "assignments"
NEXT = """Copied the course to {to}. Nothing in it is private yet: each solution is still the public one.
In each problem set, change what is asked, and with it four things: the text, the answer between BEGIN and END SOLUTION,
the right method in the cell with the tag "secret", and what the class cell draws. Then solve it once from the notebook.
  COURSE={to} make assignment CLASS=2027-spring
  COURSE={to} make mark NAME=lars CLASS=2027-spring FROM=submissions"""


def course() -> Path:
    """The folder of the course: `course`, or what COURSE names. ValueError: there is no such folder."""
    folder = ROOT / os.environ.get("COURSE", "course")
    if not (folder / "assignments").is_dir():
        raise ValueError(f"COURSE={folder} has no folder 'assignments'")
    return folder


def names(folder: Path) -> list[str]:
    """The problem sets of a course, as its sources name them."""
    return sorted(path.stem for path in (folder / "assignments").glob("*.md") if path.stem != "README")


def private(to: Path) -> None:
    """Copy the course, to be changed. ValueError: something is there already."""
    if to.exists():
        raise ValueError(f"{to} is there already")
    shutil.copytree(course(), to, ignore=shutil.ignore_patterns("__pycache__", "marking"))  # what marks stays here
    print(NEXT.format(to=to))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="problem sets, such as lars (default: all)")
    parser.add_argument("--group", default=sheets.CLASS, help=f"the name of the class (default: {sheets.CLASS})")
    parser.add_argument("--private", type=Path, help="a folder: copy the course there, and make nothing")
    args = parser.parse_args(arguments)
    try:
        if args.private:
            private(args.private)
            return 0
        for name in args.names or names(course()):
            path = Assignment(name, args.group, course(), INTO).make()
            print(
                f"Wrote {path.relative_to(ROOT)} for the students; {path.parent.relative_to(ROOT)}/lecturer is yours."
            )
    except ValueError as error:
        print(f"No assignment: {error}.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
