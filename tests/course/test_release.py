"""A release: what is refused, what its page says, and that sums, notebooks and the PDF that are wrong are found."""

import nbformat
import pikepdf
import pytest
import yaml
from classroom import made, source
from small_books import ROOT, git

import minilib
from tools.give import release, release_check
from tools.pages import cite

CITATION = "version: {}\n"
CHANGES = "# Changes\n\n## [Unreleased]\n\nLater.\n\n## [1.2.0] - 2026-01-02\n\nA word.\n\n## [1.1.0]\n\nOld.\n"


@pytest.fixture
def house(tmp_path):
    """A repository whose one commit is ready for the version 1.2.0."""
    git(tmp_path, "init", "--quiet")
    (tmp_path / "CITATION.cff").write_text(CITATION.format("1.2.0"))
    (tmp_path / "CHANGELOG.md").write_text(CHANGES)
    for words in ("add .", "commit --quiet -m A", "tag v1.2.0"):
        git(tmp_path, *words.split())
    return tmp_path


def test_a_clean_tree_with_the_tag_of_its_version_is_not_refused(house):
    assert release.refusals(house, "1.2.0") == []


def test_each_thing_that_is_no_release_is_named_once(house):
    (house / "new.md").write_text("a")
    (said,) = release.refusals(house, "1.2.0")
    assert said == "1 files differ from the commit, such as new.md: commit them, or remove them"
    (house / "new.md").unlink()
    tag, cited, changed = release.refusals(house, "1.3.0")
    assert tag == "minilib has the version 1.3.0, and this commit has the tag v1.2.0, not v1.3.0"
    assert cited == "CITATION.cff has the version 1.2.0, and minilib 1.3.0"
    assert changed == "CHANGELOG.md has no section [1.3.0], or nothing in it"
    git(house, "tag", "--delete", "v1.2.0")
    (said,) = release.refusals(house, "1.2.0")
    assert said.endswith("this commit has no tag, not v1.2.0")


def test_the_command_ends_with_2_before_anything_is_built(monkeypatch, capsys):
    monkeypatch.setattr(release, "refusals", lambda root, version: ["this is no release"])
    monkeypatch.setattr(release, "run", lambda *command: pytest.fail(f"built: {command}"))
    assert release.main([]) == 2
    assert capsys.readouterr().err == "No release:\nthis is no release\n"


def test_the_changelog_has_what_comes_and_versions_are_found_in_it():
    assert release.changes(CHANGES, "1.2.0") == "A word."
    assert release.changes(CHANGES, "1.1.0") == "Old."
    assert release.changes(CHANGES, "1.0.0") == ""
    assert release.changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "Unreleased")


def test_the_page_names_every_file_the_sums_hold_and_a_changed_file_is_found(tmp_path):
    (tmp_path / "a.pdf").write_text("a")
    release.seal(
        tmp_path, {"a.pdf": "a book"}, version="1", commit="abc", day="2026-01-02", draft="", changes="A word."
    )
    page = (tmp_path / "RELEASE.md").read_text()
    assert "| a.pdf | 0.0 | a book |" in page
    assert "A word." in page
    assert release_check.sums(tmp_path) == []
    (tmp_path / "a.pdf").write_text("b")
    (tmp_path / "new").write_text("c")
    assert release_check.sums(tmp_path) == [
        f"{name}: its sum is not the one in SHA256SUMS" for name in ("a.pdf", "new")
    ]


def test_the_same_files_make_the_same_zip_and_it_opens(tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "deep" / "a").write_text("a")
    for name in ("1.zip", "2.zip"):
        release.pack(tmp_path / "in", tmp_path / name, "top")
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert (release_check.unpacked(tmp_path / "1.zip", tmp_path / "out") / "deep" / "a").read_text() == "a"


def test_students_get_notebooks_alone_and_a_solution_among_them_is_found(tmp_path):
    release.students(tmp_path / "sets", ["momentum"])
    assert [path.name for path in (tmp_path / "sets").iterdir()] == ["momentum.ipynb"]
    assert release_check.problem_sets(tmp_path / "sets", ["momentum"]) == []
    (missing,) = release_check.problem_sets(tmp_path / "sets", ["momentum", "lars"])
    assert missing == "there is no lars.ipynb"
    nbformat.write(source(made("momentum", "open", tmp_path)), tmp_path / "sets" / "momentum.ipynb")
    found = release_check.problem_sets(tmp_path / "sets", ["momentum"])
    assert "momentum.ipynb has 'BEGIN SOLUTION' in it" in found
    assert "momentum.ipynb has 'BEGIN HIDDEN TESTS' in it" in found
    assert any("answers are not empty" in said for said in found)
    (tmp_path / "sets" / "marks.csv").write_text("a")
    assert "marks.csv is no notebook for students" in release_check.problem_sets(tmp_path / "sets", ["momentum"])


def test_a_pdf_that_is_no_book_is_found(tmp_path):
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(tmp_path / "a.pdf")
    assert release_check.book(tmp_path / "a.pdf") == ["a.pdf: a.pdf has no tags, no language or no title"]


def test_the_preface_cites_what_the_citation_file_says_and_both_numbers_are_the_version_of_minilib():
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(said["version"]) == str(said["preferred-citation"]["version"]) == minilib.__version__
    shown = cite.substitutions(ROOT)["cite"]
    assert f"title = {{{said['title']}}}" in " ".join(shown.split())
    assert f"Version {minilib.__version__}" in shown
    assert "{{ cite }}" in (ROOT / "book" / "index.md").read_text(encoding="utf-8")


def test_at_a_tag_the_workflow_tests_then_builds_then_uploads_the_folder_that_was_built():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    runs = [step["run"] for step in yaml.safe_load(text)["jobs"]["release"]["steps"] if "run" in step]
    assert 'tags: ["v*"]' in text
    assert runs[1:3] == [".ci/run", "make release"]
    assert f'"{release.OUT.relative_to(ROOT)}/${{TAG#v}}"' in runs[3]
    assert "gh release create" in runs[3]
