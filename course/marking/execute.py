"""In the place of nbgrader's own execution, which runs answers and hidden checks in one process.

The students' cells run in a pupil's process, the checks in this one, on functions and values that come from there. The
cells that are given run in both. What a check raises becomes its cell's error, by which nbgrader gives the points.
"""

import builtins
import io
import re
import symtable
import time
from contextlib import redirect_stdout, suppress
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Float, Unicode

from course.marking.examiner import Late, Pupil


class ExecuteApart(NbGraderPreprocessor):
    """Runs the cells of one submission in their order and writes their outputs."""

    minilib = Unicode(help="the folder with the copy of minilib that submissions import").tag(config=True)
    seconds = Float(20, help="for a cell, or for one call of an answer").tag(config=True)
    notebook_seconds = Float(300, help="for a whole notebook; what comes later fails").tag(config=True)

    def preprocess(self, nb, resources):
        until, trusted, answers = time.monotonic() + self.notebook_seconds, {"__name__": "checks"}, {}
        given = {name for cell in nb.cells if locked(cell) for name in defined(cell.source)}
        with Pupil(Path(self.minilib), self.seconds, until) as pupil:
            for cell in nb.cells:
                if cell.cell_type != "code":
                    continue
                cell.outputs, cell.execution_count = [], None
                code = without_magics(cell.source)
                try:
                    if time.monotonic() > until:
                        raise Late(f"the notebook took more than {self.notebook_seconds:g} seconds")
                    if utils.is_grade(cell):
                        printed, _ = examine(code, trusted, answers, pupil)
                    else:
                        printed = pupil.run(code)
                except Exception as error:
                    cell.outputs += printed_output(getattr(error, "printed", "")) + [error_output(error)]
                else:
                    cell.outputs += printed_output(printed)
                if not utils.is_locked(cell):  # a given name that its own cell failed to set is nobody else's to set
                    answers |= dict.fromkeys(name for name in defined(code) if name not in given)
                elif locked(cell):  # it may use answers; where they fail, so will what follows
                    with suppress(Exception):
                        trusted |= examine(code, trusted, answers, pupil)[1]
        return nb, resources


def locked(cell) -> bool:
    """Whether this is code that was given, and no check."""
    return cell.cell_type == "code" and utils.is_locked(cell) and not utils.is_grade(cell)


def examine(source: str, trusted: dict, answers: dict, pupil: Pupil) -> tuple[str, dict]:
    """Run a cell of the examiner's on the answers so far; returns what it printed, and the names that it set.

    Raises what it raises. A name that is given, or Python's own, stays what it is, whatever an answer made of it.
    """
    code, own, missing = compile(source, "<check>", "exec"), {}, {}
    used = {*code.co_names, *_inner(code)} - trusted.keys() - vars(builtins).keys()
    for name in answers:
        if name in used:
            try:
                own[name] = pupil.get(name)
            except (KeyError, TypeError) as error:
                missing[name] = error
    printed, names = io.StringIO(), trusted | own
    try:
        with redirect_stdout(printed):
            exec(code, names)
    except NameError as error:
        if error.name is None:  # the answer's own
            raise
        if isinstance(why := missing.get(error.name), TypeError):
            raise TypeError(f"{error.name}: {why}") from None
        raise NameError(f"your notebook does not define {error.name}") from None
    return printed.getvalue(), {name: value for name, value in names.items() if own.get(name, names) is not value}


def _inner(code) -> set[str]:
    """The names that functions inside this code look up."""
    inner = [c for c in code.co_consts if hasattr(c, "co_names")]
    return {name for c in inner for name in (*c.co_names, *_inner(c))}


def defined(source: str) -> list[str]:
    """The names that a cell's statements bind, or import."""
    try:
        symbols = symtable.symtable(source, "<answer>", "exec").get_symbols()
    except (SyntaxError, ValueError):
        return []
    return [s.get_name() for s in symbols if s.is_assigned() or s.is_imported()]


def without_magics(source: str) -> str:
    """A cell without the lines that only a notebook understands, such as %%time and !ls; Python stays as it is."""
    try:
        compile(source, "<cell>", "exec")
    except (SyntaxError, ValueError):
        return re.sub(r"(?m)^(?=[%!?])", "# ", source)
    return source


def printed_output(text: str) -> list:
    """What a cell printed, as its output."""
    return [nbformat.v4.new_output("stream", name="stdout", text=text)] if text else []


def error_output(error: Exception):
    """An exception as a cell's output: the message, and where in the student's own code it came from."""
    trace = getattr(error, "trace", "").splitlines()
    last = f"{type(error).__name__}: {error}"
    return nbformat.v4.new_output("error", ename=type(error).__name__, evalue=str(error), traceback=[*trace[:-1], last])
