"""A project's brief has its weeks, and what it sends a student to is there. Absent: whether six weeks are enough."""

import importlib
import re

import pytest

from tools.give import exam

FOLDER = exam.ROOT / "course" / "projects"
BRIEFS = sorted(path.name for path in FOLDER.glob("*.md") if path.name != "README.md")
TITLES = {
    re.search(r"^# (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)[1]
    for path in (exam.ROOT / "notebooks").glob("*.md")
}


@pytest.mark.parametrize("name", BRIEFS)
def test_a_brief_has_six_weeks_and_names_chapters_and_files_that_exist(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d) \|", text, re.MULTILINE) == list("123456")
    assert all(part in text for part in ("**Question.**", "**Data.**", "**Done**", "**Harder:**"))
    assert set(re.findall(r'"([A-Z][^"]*)"', text)) <= TITLES
    for module in re.findall(r"`(minilib[.\w]*)`", text):
        importlib.import_module(module)
    for path in re.findall(r"`(studies/[\w./]*)`", text):
        assert (exam.ROOT / path).exists(), path


def test_the_list_of_projects_has_each_of_them():
    rows = re.findall(r"^\| \[(.*)\]\((.*)\) \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(name for _, name in rows) == BRIEFS
    for title, name in rows:
        assert (FOLDER / name).read_text(encoding="utf-8").startswith(f"# {title}\n")
