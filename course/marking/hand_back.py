"""Marks and feedback in the form in which the platform that handed out the submissions takes them back.

* canvas: canvas.csv, columns Student, ID, Section and the problem set (lib/gradebook_importer.rb of
  instructure/canvas-lms finds a student by ID and an assignment by its title), and feedback.zip for "Upload
  Submissions". Canvas shows a file that comes back under the name of the notebook that was handed in
  (`infer_comment_context_from_filename` in app/models/abstract_assignment.rb), so the feedback is a notebook there.
* moodle: moodle.csv, a grading worksheet (mod/assign/feedback/offline/importgradeslib.php of moodle/moodle asks for
  Identifier, Grade and Last modified (grade), in the language of the site: this one is English), and feedback.zip in
  the folders of the submissions ("Upload multiple feedback files in a zip").
* gradescope: autograder.zip, to be uploaded as the autograder of the assignment and run again for all. It has a
  results.json for each submission (gradescope-autograders.readthedocs.io, specs) and runs no line of a student's.
* classroom: classroom.csv, in columns of `gh classroom assignment-grades`. GitHub never took grades in, and has retired
  Classroom; the file is for whoever keeps such a table.

Not confirmed, since no platform was at hand: any import, and that the NUMBER of Gradescope's submission_NUMBER is the
`id` in its submission_metadata.json. Deliberately absent: answers that a person has still to read, which count nothing
yet, and students who were not marked; a platform leaves those as they are.
"""

import json
import zipfile
from pathlib import Path

import nbformat

from course.marking import tables
from course.marking.feedback import Finding
from course.marking.intake import Attempt

FILES = ("canvas.csv", "moodle.csv", "classroom.csv", "feedback.zip", "autograder.zip")
SETUP = "#!/bin/sh\napt-get update && apt-get install -y python3\n"
AUTOGRADER = '''#!/usr/bin/env python3
"""Gives Gradescope what was found elsewhere; nothing of a submission runs here."""
import json, pathlib, sys

at = pathlib.Path(sys.argv[1] if sys.argv[1:] else "/autograder")
number = json.loads((at / "submission_metadata.json").read_text())["id"]
found = at / "source" / "results" / f"{number}.json"
text = found.read_text() if found.exists() else '{"score": 0, "output": "This submission is not marked yet."}'
(at / "results").mkdir(exist_ok=True)
(at / "results" / "results.json").write_text(text)
'''


def results(found: list[Finding]) -> dict:
    """What was found, as Gradescope's results.json."""
    tests = [{"name": f.task, "score": f.points or 0.0, "max_score": f.of, "output": f.text} for f in found]
    return {"stdout_visibility": "hidden", "tests": tests}


def write(platform: str, folder: Path, name: str, marked: dict[str, Attempt], rows: list, found: dict) -> list[str]:
    """Write into the folder of the problem set `name` what the platform takes back; returns the names of the files.

    Args:
        marked: the attempts that were marked, by student.
        rows: of marks.csv.
        found: the findings, by student.
    """
    rows = {row["student"]: row for row in rows}
    own = [(attempt, rows[student], student) for student, attempt in marked.items()]
    if platform not in MAKERS or not own:
        return []
    for old in FILES:
        (folder / old).unlink(missing_ok=True)
    table, archive, files = MAKERS[platform](folder, name, own, found)
    tables.write(folder / f"{platform}.csv", table)
    if files:
        with zipfile.ZipFile(folder / archive, "w", zipfile.ZIP_DEFLATED) as into:
            for path, text in files.items():
                info = zipfile.ZipInfo(path)
                info.external_attr = (0o755 if text.startswith("#!") else 0o644) << 16
                into.writestr(info, text, zipfile.ZIP_DEFLATED)
    return [file for file in FILES if (folder / file).exists()]


def _canvas(folder, name, own, found):
    table, files = [], {}
    for attempt, row, student in own:
        if "id" in attempt.told:  # Canvas tells none of an anonymous student
            who = {"Student": row["name"] or attempt.told["name"], "ID": attempt.told["id"], "Section": ""}
            table.append(who | {name: f"{row['points']:g}"})
        show = nbformat.v4.new_output("display_data", data={"text/html": _feedback(folder, student)})
        cell = nbformat.v4.new_code_cell("# What was found, and your answers as they were marked", outputs=[show])
        files[attempt.back] = nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))
    return table, "feedback.zip", files


def _moodle(folder, name, own, found):
    table, files = [], {}
    for attempt, row, student in own:
        full, number, *_ = attempt.back.split("_")
        who = {"Identifier": f"Participant {number}", "Full name": full, "Email address": row["mail"]}
        table.append(who | {"Grade": f"{row['points']:g}", "Last modified (grade)": "", "Feedback comments": ""})
        files[f"{attempt.back}/{name}_feedback.html"] = _feedback(folder, student)
    return table, "feedback.zip", files


def _gradescope(folder, name, own, found):
    files = {"setup.sh": SETUP, "run_autograder": AUTOGRADER}
    for attempt, _, student in own:
        files[f"results/{attempt.back.removeprefix('submission_')}.json"] = json.dumps(results(found[student]))
    return [], "autograder.zip", files


def _classroom(folder, name, own, found):
    table = []
    for attempt, row, student in own:
        who = {"assignment_name": name, "github_username": attempt.told["id"], "roster_identifier": student}
        points = {"points_awarded": f"{row['points']:g}", "points_available": f"{row['of']:g}"}
        table.append(who | {"student_repository_name": attempt.back} | points)
    return table, "", {}


def _feedback(folder: Path, student: str) -> str:
    return (folder / "feedback" / f"{student}.html").read_text(encoding="utf-8")


MAKERS = {"canvas": _canvas, "moodle": _moodle, "gradescope": _gradescope, "classroom": _classroom}
