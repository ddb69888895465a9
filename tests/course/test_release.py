"""A release: what is refused, what its page says, and that wrong sums and notebooks are found."""

import nbformat
import pytest
import yaml
from classroom import make, source
from small_books import ROOT, git

import minilib
from tools.give import release, release_check, zip_book
from tools.pages import cite

CHANGES = "# Changes\n\n## [Unreleased]\n\nLater.\n\n## [1.2.0] - 2026-01-02\n\nA word.\n\n## [1.1.0]\n\nOld.\n"


@pytest.fixture
def house(tmp_path):
    """A repository whose one commit is ready for the version 1.2.0."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "CITATION.cff").write_text("version: 1.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    for words in ("add .", "commit --quiet -m A", "tag v1.2.0"):
        git(tmp_path, *words.split())
    return tmp_path


def test_each_thing_that_is_no_release_is_named_once(house, monkeypatch, capsys):
    assert release.refusals(house, "1.2.0") == []
    (house / "new.md").write_text("a")
    unclean = "1 files differ from the commit, such as new.md: commit them, or remove them"
    assert release.refusals(house, "1.2.0") == [unclean]
    (house / "new.md").unlink()
    assert release.refusals(house, "1.3.0") == [
        "minilib has the version 1.3.0, and this commit has the tag v1.2.0, not v1.3.0",
        "CITATION.cff has the version 1.2.0, and minilib 1.3.0",
        "CHANGELOG.md has no section [1.3.0], or nothing in it",
    ]
    git(house, "tag", "--delete", "v1.2.0")
    (untagged,) = release.refusals(house, "1.2.0")
    assert untagged.endswith("this commit has no tag, not v1.2.0")
    monkeypatch.setattr(release, "refusals", lambda root, version: [untagged])
    monkeypatch.setattr(release, "run", lambda *command: pytest.fail(f"built: {command}"))
    assert release.main([]) == 2
    assert capsys.readouterr().err == f"No release:\n{untagged}\n"


def test_the_changelog_has_what_comes_and_versions_are_found_in_it():
    assert [release.changes(CHANGES, version) for version in ("1.2.0", "1.1.0", "1.0.0")] == ["A word.", "Old.", ""]
    assert release.changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "Unreleased")


def test_the_page_names_every_file_the_sums_hold_and_a_changed_file_is_found(tmp_path):
    (tmp_path / "a.pdf").write_text("a")
    facts = {"version": "1", "commit": "abc", "day": "2026-01-02", "draft": "", "changes": "A word."}
    release.seal(tmp_path, {"a.pdf": "a book"}, **facts)
    page = (tmp_path / "RELEASE.md").read_text()
    assert "| a.pdf | 0.0 | a book |" in page
    assert "A word." in page
    assert release_check.sums(tmp_path) == []
    (tmp_path / "a.pdf").write_text("b")
    (tmp_path / "new").write_text("c")
    wrong = [f"{name}: its sum is not the one in SHA256SUMS" for name in ("a.pdf", "new")]
    assert release_check.sums(tmp_path) == wrong


def test_the_same_files_make_the_same_zip_and_it_opens(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a").write_text("a")
    for name in ("1.zip", "2.zip"):
        zip_book.write(zip_book.files(tmp_path / "in"), tmp_path / name, "top")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert (release_check.unpacked(tmp_path / "1.zip", tmp_path / "out") / "deep" / "a").read_text() == "a"


def test_students_get_notebooks_alone_and_a_solution_among_them_is_found(tmp_path):
    sets = tmp_path / "sets"
    release.students(sets, ["momentum"])
    assert [path.name for path in sets.iterdir()] == ["momentum.ipynb"]
    assert release_check.problem_sets(sets, ["momentum"]) == []
    nbformat.write(source(make("momentum", "open", tmp_path)), sets / "momentum.ipynb")
    (sets / "marks.csv").write_text("a")
    assert release_check.problem_sets(sets, ["momentum", "lars"]) == [
        "marks.csv is no notebook for students",
        "there is no lars.ipynb",
        "momentum.ipynb has 'BEGIN SOLUTION' in it",
        "momentum.ipynb has 'BEGIN HIDDEN TESTS' in it",
    ]


def test_the_preface_cites_what_the_citation_file_says_and_both_numbers_are_the_version_of_minilib():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == str(citation["preferred-citation"]["version"]) == minilib.__version__
    block = cite.substitutions(ROOT)["cite"]
    assert f"title = {{{citation['title']}}}" in " ".join(block.split())
    assert f"Version {minilib.__version__}" in block
    assert "{{ cite }}" in (ROOT / "book" / "index.md").read_text(encoding="utf-8")


def test_at_a_tag_the_workflow_tests_then_builds_then_uploads_the_folder_that_was_built():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    runs = [step["run"] for step in yaml.safe_load(text)["jobs"]["release"]["steps"] if "run" in step]
    assert 'tags: ["v*"]' in text
    assert runs[1:3] == [".ci/run", "make release"]
    assert f'"{release.OUT.relative_to(ROOT)}/${{TAG#v}}"' in runs[3]
