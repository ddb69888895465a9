"""A project's brief has its weeks, and what it sends a student to is there. Absent: whether six weeks are enough."""

import importlib
import re

import pytest
from small_books import ROOT

FOLDER = ROOT / "course" / "projects"
ROWS = re.findall(r"^\| \[(.*)\]\((.*)\) \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def title(path):
    return re.search(r"^# (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1]


def test_the_list_of_projects_has_each_of_them():
    briefs = {path.name: title(path) for path in FOLDER.glob("*.md") if path.name != "README.md"}
    assert {name: words for words, name in ROWS} == briefs


@pytest.mark.parametrize("name", [name for _, name in ROWS])
def test_a_brief_has_six_weeks_and_names_chapters_and_files_that_exist(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d) \|", text, re.MULTILINE) == list("123456")
    assert all(part in text for part in ("**Question.**", "**Data.**", "**Done**", "**Harder:**"))
    assert {*re.findall(r'"([A-Z][^"]*)"', text)} <= {*map(title, (ROOT / "notebooks").glob("*.md"))}
    for module in re.findall(r"`(minilib[.\w]*)`", text):
        importlib.import_module(module)
    assert all((ROOT / path).exists() for path in re.findall(r"`(studies/[\w./]*)`", text))
