"""Studies: none does or reads anything when it is imported, and none imports another."""

import ast
import subprocess
import sys

import pytest
from small_books import ROOT

from tools.check.check_changes import imported

# What a study or a chapter imports from the folders of the studies is none: it has no `start(main, ...)`.
STUDIES = [path for path in sorted((ROOT / "studies").glob("*/*.py")) if "start(main" in path.read_text()]
# Imports all modules given; fails where a task is built, or a file of the project is read that is no code.
IMPORT = """
import importlib, pathlib, sys
from minilib.data import data_folder
from minilib.experiments import tasks

def built(*_, **__):
    raise AssertionError("a task was built")

tasks.DigitsTask.__init__ = tasks.WordsTask.__init__ = built
roots = (str(pathlib.Path.cwd()), str(data_folder()))

def hook(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(roots):
        inside = arguments[0].removeprefix(roots[0])
        code = inside.endswith(".py") or ".pyc" in inside or inside.startswith("/.venv")
        assert code, f"{inside} was read"

sys.addaudithook(hook)
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def test_importing_the_studies_builds_no_task_and_reads_no_file():
    names = [path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in STUDIES]
    assert len(names) > 30
    done = subprocess.run([sys.executable, "-c", IMPORT, *names], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_imports_no_other_study_and_runs_only_when_it_is_started(path):
    assert not imported(path) & {*STUDIES}
    assert ast.unparse(ast.parse(path.read_text()).body[-1].test) == "__name__ == '__main__'"
