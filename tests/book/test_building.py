"""The tools that make the book: no stale page, no missing page, no warning, no made-up address."""

import os
import re
import subprocess
import time

import build_book
import pytest
import report
import yaml
from small_books import CHAPTERS, ROOT, cell, markdown, notebook, tool, write_chapter

import notebooks

PAGE = "_build/html/notebooks/01_a.html"


def test_a_page_changes_when_the_library_changes_and_the_chapter_does_not(small_book):
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    stored = (small_book / "notebooks" / "01_a.ipynb").read_bytes()
    assert tool(small_book, "build_book.py").returncode == 0
    assert "apricot" in (small_book / PAGE).read_text()

    (small_book / "minilib" / "__init__.py").write_text('WORD = "quince"\n')
    assert tool(small_book, "build_book.py").returncode == 0
    page = (small_book / PAGE).read_text()
    assert "quince" in page
    assert "apricot" not in page
    assert (small_book / "notebooks" / "01_a.ipynb").read_bytes() == stored


def test_a_reference_to_nothing_fails_the_build_and_is_named(small_book):
    text = "{ref}`no-section`, {prf:ref}`no-theorem`, {numref}`no-figure`, {cite:t}`nobody`, {eq}`no`"
    write_chapter(small_book, text=text)
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    done = tool(small_book, "build_book.py")
    assert done.returncode != 0
    assert "The book was not built" in done.stdout
    warnings = [line for line in done.stdout.splitlines() if "WARNING" in line]
    for target in re.findall(r"`([\w-]+)`", text):
        assert any(target in line for line in warnings), target


def test_a_failing_cell_fails_the_build_and_the_execution(small_book):
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    (small_book / "minilib" / "__init__.py").write_text("")
    assert tool(small_book, "build_book.py").returncode != 0
    assert tool(small_book, "notebooks.py", "run").returncode != 0


def test_a_build_executes_a_chapter_once_and_the_next_build_not_at_all(small_book):
    log = small_book / "log"
    write_chapter(small_book, code=f'with open({str(log)!r}, "a") as file:\n    print("ran", file=file)')
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    for _ in range(2):
        assert tool(small_book, "build_book.py").returncode == 0
    assert log.read_text() == "ran\n" * 2  # by the first tool, and by the first build


def test_a_missing_page_and_an_old_page_are_found(small_book):
    html = small_book / "_build" / "html"
    (html / "book").mkdir(parents=True)
    (html / "book" / "index.html").write_text("")
    missing = build_book.page_faults(small_book, html, start=0)
    assert [fault for fault in missing if "notebooks/01_a" in fault]
    (html / "notebooks").mkdir()
    (html / "notebooks" / "01_a.html").write_text("")
    assert build_book.page_faults(small_book, html, start=0) == []
    assert len(build_book.page_faults(small_book, html, start=time.time() + 60)) == 2


def test_the_cache_is_dropped_when_library_runs_or_lock_change(small_book):
    cache = small_book / "_build" / ".jupyter_cache"

    def dropped():
        was_dropped = build_book.drop_stale_cache(small_book)
        cache.mkdir(parents=True, exist_ok=True)
        return was_dropped

    assert dropped()
    assert not dropped()
    for name in ("minilib/optim/new.py", "book/runs/a/run.json", "requirements.txt"):
        path = small_book / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1")
        assert dropped(), name
        assert not dropped()
        path.write_text("2")
        assert dropped(), name
    path.unlink()
    assert dropped()


def test_every_page_of_the_table_of_contents_has_a_source():
    pages = build_book.toc_pages(yaml.safe_load((ROOT / "_toc.yml").read_text()))
    assert [p for p in pages if not (ROOT / f"{p}.md").exists()] == []


def test_every_chapter_and_every_page_is_in_the_table_of_contents():
    pages = set(build_book.toc_pages(yaml.safe_load((ROOT / "_toc.yml").read_text())))
    written = [*CHAPTERS, *(ROOT / "book").glob("*.md")]
    assert {f"{path.parent.name}/{path.stem}" for path in written} - pages == set()


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/someone/a-book.git",
        "https://github.com/someone/a-book",
        "https://token@github.com/someone/a-book.git",
        "git@github.com:someone/a-book.git",
        "ssh://git@github.com/someone/a-book.git",
    ],
)
def test_a_public_origin_gets_launch_buttons_to_itself(url):
    settings = build_book.launch_settings(url)
    assert settings["repository"]["url"] == "https://github.com/someone/a-book"
    assert {"colab_url", "binderhub_url"} <= set(settings["launch_buttons"])


def test_a_gitlab_origin_gets_binder_but_not_colab():
    buttons = build_book.launch_settings("https://gitlab.com/someone/a-book.git")["launch_buttons"]
    assert "binderhub_url" in buttons
    assert "colab_url" not in buttons


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/a-book.git",
        "../a-book",
        "file:///srv/git/a-book.git",
        "http://localhost:3000/someone/a-book.git",
        "https://localhost/someone/a-book.git",
        "https://10.0.0.7/someone/a-book.git",
        "ssh://git@git.internal:2222/someone/a-book.git",
        "git@git.example.org:someone/a-book.git",
        "https://github.com.example.org/someone/a-book",
    ],
)
def test_an_origin_that_is_not_public_gets_no_launch_buttons(url):
    assert build_book.launch_settings(url) == {}


def test_launch_buttons_stand_on_the_pages_exactly_when_the_origin_is_public(small_book):
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    assert tool(small_book, "build_book.py").returncode == 0
    assert "colab.research" not in (small_book / PAGE).read_text()
    git = ["git", "-C", str(small_book)]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:a/b.git"], check=True)
    assert tool(small_book, "build_book.py").returncode == 0
    page = (small_book / PAGE).read_text()
    assert "https://colab.research.google.com/github/a/b/blob/main/notebooks/01_a.ipynb" in page
    assert "https://mybinder.org/v2/gh/a/b/main" in page


def test_binder_installs_the_lock_and_the_library():
    binder = ROOT / ".binder"
    (included,) = (binder / "requirements.txt").read_text().split()[1:]
    assert (binder / included).resolve() == ROOT / "requirements.txt"
    assert "pip install --no-build-isolation --no-deps -e ." in (binder / "postBuild").read_text()
    assert os.access(binder / "postBuild", os.X_OK)


def test_executing_an_unchanged_chapter_again_changes_no_byte(small_book):
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    first = (small_book / "notebooks" / "01_a.ipynb").read_bytes()
    assert tool(small_book, "notebooks.py", "run").returncode == 0
    assert (small_book / "notebooks" / "01_a.ipynb").read_bytes() == first
    assert b"timestamp" not in first
    assert b"iopub" not in first


def test_a_pair_that_is_out_of_step_is_caught_and_brought_in_step(small_book, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(small_book))
    md, ipynb = (small_book / "notebooks" / f"01_a.{end}" for end in ("md", "ipynb"))
    assert "has no twin" in notebooks.faults(md)[0]
    notebooks.run(md)
    assert notebooks.faults(md) == []

    write_chapter(small_book, text="Other words.")
    os.utime(md, (time.time() + 10,) * 2)
    assert "another text" in notebooks.faults(md)[0]
    notebooks.sync(md)
    assert notebooks.faults(md) == []
    assert "Other words." in ipynb.read_text()
    assert "apricot" in ipynb.read_text()

    ipynb.write_text(ipynb.read_text().replace("Other words.", "Third words."))
    os.utime(ipynb, (time.time() + 20,) * 2)
    notebooks.sync(md)
    assert notebooks.faults(md) == []
    assert "Third words." in md.read_text()
    assert notebooks.sync(md) == ""


def test_a_changed_cell_must_be_run_again(small_book, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(small_book))
    md = small_book / "notebooks" / "01_a.md"
    notebooks.run(md)
    write_chapter(small_book, code="print('new')")
    os.utime(md, (time.time() + 10,) * 2)
    notebooks.sync(md)
    assert "has not been run" in notebooks.faults(md)[0]


def test_formatting_touches_only_code_cells():
    text = "# A\n\nprose  with {x:1}  \n\n```{code-cell} ipython3\nx={'a' :1}\n```\n"
    assert notebooks.formatted(text) == text.replace("x={'a' :1}", 'x = {"a": 1}')


def test_the_report_counts_what_is_there():
    text = "## The question\n\nTwo words $x$.\n\n:::{exercise}\n:label: ex-a\n\nWhy\n:::\n\n## Summary"
    nb = notebook(markdown(text), cell("assert 1\nx = 2"), cell("y"))
    row = report.row("01_a", nb, 61.0)
    assert row["bones"] == "Q......S.."
    assert (row["cells"], row["longest"], row["exercises"], row["checking"]) == (2, 2, 1, 1)
    assert row["words"] == len(["The", "question", "Two", "words", "Why", "Summary"])
    assert row["mark"] == "slow"
    assert "01_a" in report.table([row])


def test_a_chapter_above_180_seconds_fails_and_one_above_60_is_marked():
    marks = [report.row("01_a", notebook(), time)["mark"] for time in (None, 59.0, 61.0, 181.0)]
    assert marks == ["", "", "slow", "FAIL"]


def project_files():
    """Every file that is, or would be, tracked."""
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def machine_paths(text):
    """Paths that exist on one machine only."""
    pattern = rf"{re.escape(str(ROOT))}\b|/(?:home|Users|root)/\w|ipykernel[_]\d|[A-Z]:\\Users"
    return re.findall(pattern, text)


def test_no_file_holds_a_path_of_somebodys_machine():
    found = {}
    for path in project_files():
        try:
            paths = machine_paths(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
        if paths:
            found[str(path)] = paths
    assert found == {}


def test_a_machine_path_is_caught():
    for path in (f"{ROOT}/minilib", "/" + "home/ann/book", "/tmp/ipykernel" + "_12/3.py"):
        assert machine_paths(f"UserWarning in {path}: ...")
    assert not machine_paths("https://example.org/home and book/runs/")
