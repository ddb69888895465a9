"""The folder of one problem set for one class, as nbgrader wants it: made, marked, told.

    assignments/CLASS/NAME/
        NAME.ipynb          for the students
        marks.csv, feedback/STUDENT.html, overview.html
        to_read.csv         what a person reads, and gives points for
        lecturer/           source (with solutions), gradebook.db, submitted, autograded, minilib, and marked.json:
                            which bytes were marked against which source, and need not be again

Deliberately absent: a server, and where submissions come from (`intake`, `roster`).
"""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import sys
import warnings
from pathlib import Path

import nbformat

from course.marking import feedback, minilib_copy, overview, roster, sheets, submission, tables

STUB = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
TEXT_STUB = "*Your answer here.*"
ABOUT = ("name", "mail", "late")  # columns of marks.csv that say who it was


class Assignment:
    """A problem set for a class.

    Args:
        name: of the source, such as "lars".
        group: the class, whose name decides the numbers; letters, digits, hyphens.
        course: the folder with the folder `assignments` of the sources.
        into: the folder for all that is made.

    ValueError: the class's name has other characters, or there is no such source.
    """

    def __init__(self, name: str, group: str, course: Path, into: Path):
        if not group or not all(c.isalnum() or c in "-_" for c in group):
            raise ValueError(f"CLASS must be letters, digits, hyphens, got {group!r}")
        self.name, self.group, self.course = name, group, course
        self.folder = into / group / name
        self.lecturer = self.folder / "lecturer"
        self.notebook = self.folder / f"{name}.ipynb"

    def make(self) -> Path:
        """Write the students' notebook and the lecturer's folder; returns the notebook.

        ValueError: this class has marks already, or the source cannot be (`sheets`).
        """
        if (self.folder / "marks.csv").exists():
            raise ValueError(f"{self.folder} has marks; move it away to make the assignment anew")
        nb = sheets.read(self.course, self.name)
        settings = nb.metadata.pop("assignment", {})
        source = self.lecturer / "source" / self.name / f"{self.name}.ipynb"
        shutil.rmtree(self.folder, ignore_errors=True)
        source.parent.mkdir(parents=True)
        nbformat.write(sheets.lecturers(nb, self.name, self.group), source)
        minilib_copy.copy(self.lecturer, settings.get("withhold", []))
        with self._api(settings) as api:
            self._done(api.generate_assignment(self.name, force=True, create=True))
        shutil.copy(self.lecturer / "release" / self.name / f"{self.name}.ipynb", self.notebook)
        return self.notebook

    def mark(self, submissions: dict[str, Path], about: dict[str, dict | None] | None = None) -> list[dict]:
        """Mark notebooks, by student; returns a row of marks for each student so far, as `write_marks` does.

        A notebook that was marked before, the same bytes against the same source, is not marked again. A submission
        that cannot be marked is a row that says why, beside those of `about`, which could not even be found.

        ValueError: the assignment was not made.
        """
        if not self.notebook.exists():
            raise ValueError(f"there is no {self.folder}: make assignment NAME={self.name} CLASS={self.group}")
        settings = sheets.read(self.course, self.name).metadata.get("assignment", {})
        about = {student: {"note": ""} for student in submissions} | (about or {})
        memory = self.lecturer / "marked.json"
        marked = json.loads(memory.read_text(encoding="utf-8")) if memory.exists() else {}
        source = self._cells("source").read_bytes() + repr(sorted(settings.items())).encode()
        with self._api(settings) as api:
            for student, path in submissions.items():
                try:
                    seen = hashlib.sha256(source + path.read_bytes()).hexdigest()
                    if marked.get(student, {}).get("seen") != seen:
                        print(f"marking {student}", file=sys.stderr, flush=True)
                        marked.pop(student, None)  # whatever happens now
                        memory.write_text(json.dumps(marked), encoding="utf-8")
                        marked[student] = {"seen": seen, "note": self._marked(api, student, path)}
                        memory.write_text(json.dumps(marked), encoding="utf-8")
                    note = marked[student]["note"]
                except Exception as error:
                    note = roster.NOT_MARKED + submission.one_line(error)
                about[student]["note"] = "; ".join(filter(None, [about[student]["note"], note]))
        return self.write_marks(about)

    def _marked(self, api, student: str, path: Path) -> str:
        """Mark one notebook; returns what is to be said of it."""
        given, solved = (nbformat.read(self._cells(kind), as_version=4) for kind in ("release", "source"))
        nb, note = submission.taken(path, given, solved)
        to = self.lecturer / "submitted" / student / self.name / f"{self.name}.ipynb"
        to.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(nb, to)
        self._done(api.autograde(self.name, student, force=True, create=True))
        return note

    def _cells(self, kind: str) -> Path:
        return self.lecturer / kind / self.name / f"{self.name}.ipynb"

    def write_marks(self, about: dict[str, dict | None] | None = None) -> list[dict]:
        """Take in what a person read, and tell everybody: marks.csv, to_read.csv, overview.html, feedback/STUDENT.html.

        A row of marks has the points by task, their sum, and how many answers still wait for a person; those count
        nothing yet. Fill the columns `points` and `comment` of to_read.csv and come again. Before the points stand the
        columns of `ABOUT`, and last a note: why something was not marked, or which cells were not found.
        `self.findings` has what was found, by student.

        Args:
            about: by student, what is new of these; None for one of whom nothing is to be said any more.

        ValueError: to_read.csv has points that the answer cannot have.
        """
        from nbgrader.api import Gradebook

        rows, reading, self.findings = [], [], {}
        known = {row["student"]: {key: row.get(key, "") for key in (*ABOUT, "note")} for row in self.marks()}
        for student, new in (about or {}).items():
            known[student] = None if new is None else known.get(student, {}) | new
        known = {student: own for student, own in known.items() if own is not None}
        read = {(row["student"], row["task"]): row for row in tables.read(self.folder / "to_read.csv")}
        with Gradebook(f"sqlite:///{self.lecturer / 'gradebook.db'}") as book:
            empty = {cell.name: "" for cell in self._graded(book)}
            most = sum(cell.max_score for cell in self._graded(book))
            for handed_in in book.assignment_submissions(self.name):
                student, (notebook,) = handed_in.student.id, handed_in.notebooks
                path = self._marked_notebook(student)
                if not path.exists():
                    continue
                nb, comments = nbformat.read(path, as_version=4), {}
                grades = sorted(notebook.grades, key=lambda grade: [*empty].index(grade.name))
                for grade in (g for g in grades if g.cell.cell_type == "markdown"):
                    row = read.get((student, grade.name), {"points": "", "comment": ""})
                    if row["points"].strip():
                        grade.manual_score = self._points(row, grade.max_score)
                        grade.needs_manual_grade = False
                        comments[grade.name] = row["comment"]
                    (text,) = (cell.source for cell in nb.cells if submission.name(cell) == grade.name)
                    own = {"points": row["points"], "of": grade.max_score, "comment": row["comment"], "answer": text}
                    reading.append({"student": student, "task": grade.name} | own)
                book.db.commit()
                left = sum(g.needs_manual_grade for g in grades)
                sums = {"points": sum(g.score for g in grades), "of": most, "to read": left}
                rows.append({"student": student} | {g.name: g.score for g in grades} | sums)
                html = self.folder / "feedback" / f"{student}.html"
                html.parent.mkdir(exist_ok=True)
                self.findings[student] = feedback.findings(nb, grades, comments)
                page = feedback.page(f"{self.name}: {student}", nb, self.findings[student])
                html.write_text(page, encoding="utf-8")
        nothing = empty | {"points": 0.0, "of": most, "to read": 0}
        rows += [{"student": student} | nothing for student in known.keys() - self.findings.keys()]
        rows.sort(key=lambda row: row["student"])
        for place, row in enumerate(rows):
            own = known.get(row["student"], {})
            who = {"student": row.pop("student")} | {key: own.get(key, "") for key in ABOUT}
            rows[place] = who | row | {"note": own.get("note", "")}
        tables.write(self.folder / "marks.csv", rows)
        page = overview.page(f"{self.name}, class {self.group}", rows, self.findings)
        (self.folder / "overview.html").write_text(page, encoding="utf-8")
        tables.write(self.folder / "to_read.csv", sorted(reading, key=lambda row: row["student"]))
        return rows

    def marks(self) -> list[dict[str, str]]:
        """The rows of marks.csv as they stand."""
        return tables.read(self.folder / "marks.csv")

    def has(self, student: str) -> bool:
        """Whether this student has marks."""
        return self._marked_notebook(student).exists()

    def _marked_notebook(self, student: str) -> Path:
        return self.lecturer / "autograded" / student / self.name / f"{self.name}.ipynb"

    def _graded(self, book) -> list:
        """The cells that have points, in the order of the notebook."""
        notebook = book.find_notebook(self.name, self.name)
        places = [cell.name for cell in notebook.source_cells]
        return sorted(notebook.grade_cells, key=lambda cell: places.index(cell.name))

    def _points(self, row: dict, most: float) -> float:
        try:
            points = float(row["points"])
        except ValueError:
            points = -1.0
        if not 0 <= points <= most:
            raise ValueError(
                f"to_read.csv: {row['student']}, {row['task']}: points {row['points']!r}, not 0 to {most:g}"
            )
        return points

    @contextlib.contextmanager
    def _api(self, settings: dict):
        """nbgrader on the lecturer's folder."""
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls alembic
        from nbgrader import preprocessors as its
        from nbgrader.apps import NbGraderAPI
        from traitlets.config import Config

        from course.marking.execute import ExecuteApart

        config = Config()
        config.CourseDirectory.root = str(self.lecturer)
        config.CourseDirectory.course_id = self.group
        config.Exchange.root = str(self.lecturer)  # never used, and asked for all the same
        config.ClearSolutions.code_stub = STUB
        config.ClearSolutions.text_stub = TEXT_STUB
        config.OverwriteCells.add_missing_cells = True
        config.ExecuteApart.minilib = str(self.lecturer)
        for name in ("seconds", "notebook_seconds"):
            if name in settings:
                config.ExecuteApart[name] = float(settings[name])
        config.Autograde.autograde_preprocessors = [ExecuteApart, its.LimitOutput, its.SaveAutoGrades]
        logging.getLogger("traitlets").setLevel(logging.ERROR)
        api = NbGraderAPI(config=config)
        api.log.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="nbgrader")  # of SQLAlchemy, about nbgrader's way to use it
            yield api

    def _done(self, result: dict) -> None:
        if not result["success"]:
            raise RuntimeError(f"nbgrader failed on {self.name}: {result.get('error') or result.get('log')}")
