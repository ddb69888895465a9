"""The tools that make the book: no stale output, no missing page, no warning, no made-up address."""

import os
import re
import subprocess
import time

import build_book
import first_cell
import pytest
import report
import yaml
from packaging.requirements import Requirement
from small_books import CHAPTERS, ROOT, cell, markdown, notebook, tool, write_chapter

import notebooks
from minilib import colab

PAGE = "_build/html/notebooks/01_a.html"


def made(book):
    """A small book whose chapter was executed into its paired notebook."""
    done = tool(book, "notebooks.py", "run")
    assert done.returncode == 0, done.stdout
    return book


def logging(book, name="01_a", code="print('cell')"):
    """Write a chapter that adds a line to a log, returned as a path, whenever its cell runs."""
    log = book / f"{name}.log"
    write_chapter(book, code=f'with open({str(log)!r}, "a") as file:\n    print("ran", file=file)\n{code}', name=name)
    return log


def test_a_page_shows_the_stored_outputs_and_nothing_is_executed(small_book):
    log = logging(small_book)
    made(small_book)
    done = tool(small_book, "build_book.py")
    assert (done.returncode, log.read_text()) == (0, "ran\n"), done.stdout
    assert "cell" in (small_book / PAGE).read_text()


def test_a_stale_module_executes_exactly_the_chapters_that_reach_it_and_once(small_book):
    for name in ("fruit", "stone"):
        (small_book / "minilib" / f"{name}.py").write_text(f'NAME = "first {name}"\n')
    (small_book / "minilib" / "basket.py").write_text("from minilib.fruit import NAME\n")
    toc = (small_book / "_toc.yml").read_text()
    (small_book / "_toc.yml").write_text(toc + "  - file: notebooks/02_b\n")
    first = logging(small_book, "01_a", "from minilib import basket\nprint(basket.NAME)")
    second = logging(small_book, "02_b", "from minilib import stone\nprint(stone.NAME)")
    made(small_book)
    stored = (small_book / "notebooks" / "01_a.ipynb").read_bytes()

    (small_book / "minilib" / "fruit.py").write_text('NAME = "second fruit"\n')
    for _ in range(2):
        done = tool(small_book, "build_book.py")
        assert done.returncode == 0, done.stdout
        page = (small_book / PAGE).read_text()
        assert "second fruit" in page
        assert "first fruit" not in page
    assert first.read_text() == "ran\n" * 2  # into its notebook, and by the first build
    assert second.read_text() == "ran\n"
    assert (small_book / "notebooks" / "01_a.ipynb").read_bytes() == stored


def test_what_is_executed_and_why_is_said(small_book, monkeypatch, capsys):
    (small_book / "requirements.txt").write_text("numpy==1\n")
    made(small_book)
    (small_book / "minilib" / "__init__.py").write_text('WORD = "quince"\n')
    monkeypatch.setenv("PYTHONPATH", str(small_book))
    shown = build_book.choose_outputs(small_book)["01_a"]
    assert "01_a is executed: minilib/__init__.py changed." in capsys.readouterr().out
    assert shown.own
    (small_book / "requirements.txt").write_text("numpy==2\n")
    build_book.choose_outputs(small_book)
    said = capsys.readouterr().out
    assert "01_a is executed:" in said
    assert "requirements.txt changed" in said


def test_other_words_are_shown_without_executing_anything(small_book):
    log = logging(small_book)
    made(small_book)
    text = (small_book / "notebooks" / "01_a.md").read_text()
    (small_book / "notebooks" / "01_a.md").write_text(text.replace("Words.", "Other words."))
    assert build_book.choose_outputs(small_book)["01_a"].nb.cells[0].source.endswith("Other words.")
    assert log.read_text() == "ran\n"


def test_a_broken_cell_costs_one_page(small_book):
    toc = (small_book / "_toc.yml").read_text()
    (small_book / "_toc.yml").write_text(toc + "  - file: notebooks/02_b\n")
    write_chapter(small_book, name="02_b", code="print('sound')")
    made(small_book)
    (small_book / "minilib" / "__init__.py").write_text("")
    done = tool(small_book, "build_book.py")
    assert done.returncode == 1
    last = done.stdout.strip().splitlines()[-1]
    assert last.startswith("01_a failed and is shown with its stored outputs: AttributeError")
    page = (small_book / PAGE).read_text()
    assert "apricot" in page
    assert "The outputs on this page are not of today." in page
    assert "AttributeError" in page
    other = (small_book / PAGE.replace("01_a", "02_b")).read_text()
    assert "sound" in other
    assert "not of today" not in other
    assert tool(small_book, "notebooks.py", "run").returncode != 0


def test_packages_that_are_missing_are_named_before_anything_is_built(small_book, monkeypatch, capsys):
    made(small_book)
    monkeypatch.setattr(build_book, "ROOT", small_book)
    monkeypatch.setattr(build_book, "NEEDED", ("numpy", "no_such_package"))
    shown = build_book.choose_outputs(small_book)  # nothing is stale: nothing is missing
    assert not shown["01_a"].own
    (small_book / "minilib" / "__init__.py").write_text('WORD = "quince"\n')
    assert build_book.build(small_book) == build_book.INCOMPLETE
    assert "takes no_such_package too" in capsys.readouterr().out
    assert not (small_book / "_build" / "html").exists()


def test_a_reference_to_nothing_fails_the_build_and_is_named(small_book):
    text = "{ref}`no-section`, {prf:ref}`no-theorem`, {numref}`no-figure`, {cite:t}`nobody`, {eq}`no`"
    write_chapter(small_book, text=text)
    done = tool(made(small_book), "build_book.py")
    assert done.returncode == 1
    assert "Not all of 2 pages are as they should be" in done.stdout
    warnings = [line for line in done.stdout.splitlines() if "WARNING" in line]
    for target in re.findall(r"`([\w-]+)`", text):
        assert any(target in line for line in warnings), target


def test_a_missing_page_and_an_old_page_are_found(small_book):
    html = small_book / "_build" / "html"
    (html / "book").mkdir(parents=True)
    (html / "book" / "index.html").write_text("")
    missing = build_book.page_violations(small_book, html, start=0)
    assert [violation for violation in missing if "notebooks/01_a" in violation]
    (html / "notebooks").mkdir()
    (html / "notebooks" / "01_a.html").write_text("")
    assert build_book.page_violations(small_book, html, start=0) == []
    assert len(build_book.page_violations(small_book, html, start=time.time() + 60)) == 2


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
    md, module = small_book / "notebooks" / "01_a.md", small_book / "minilib" / "__init__.py"
    md.write_text(first_cell.placed(md.read_text(), first_cell.source(ROOT)))
    module.write_text('WORD = "apricot"\n__version__ = "2.5.1"\n')
    assert tool(made(small_book), "build_book.py").returncode == 0
    assert "colab.research" not in (small_book / PAGE).read_text()
    git = ["git", "-C", str(small_book), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:a/b.git"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-m", "A"], check=True)
    assert build_book.branch(small_book) == "main"
    subprocess.run([*git, "tag", "v2.5.1"], check=True)
    assert tool(small_book, "build_book.py").returncode == 0
    page = (small_book / PAGE).read_text()
    assert "https://colab.research.google.com/github/a/b/blob/v2.5.1/notebooks/01_a.ipynb" in page
    assert "https://mybinder.org/v2/gh/a/b/v2.5.1" in page
    assert "apricot" in page
    assert "ADDRESS" not in page  # the first cell, which fetches the book, is not on the page


def test_an_address_in_the_settings_comes_before_the_origin(monkeypatch):
    monkeypatch.setattr(build_book, "origin", lambda root: "git@github.com:a/b.git")
    chosen = {url: build_book.address(ROOT, {"repository": {"url": url}}) for url in ("https://github.com/c/d", "")}
    assert chosen == {"https://github.com/c/d": "https://github.com/c/d", "": "git@github.com:a/b.git"}


def test_binder_installs_what_the_chapters_need_in_the_versions_of_the_lock():
    binder = ROOT / ".binder"
    lines = [line.partition("#")[0].strip() for line in (binder / "requirements.txt").read_text().splitlines()]
    options = [line.split() for line in lines if line.startswith("-")]
    chosen = {Requirement(line).name for line in lines if line and not line.startswith("-")}
    assert [(option, (binder / path).resolve()) for option, path in options] == [("-c", ROOT / "requirements.txt")]
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.txt").read_text(), re.M))
    assert chosen <= locked
    assert set(colab.packages()) <= chosen
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
    assert "has no paired notebook" in notebooks.violations(md)[0]
    notebooks.run(md)
    assert notebooks.violations(md) == []

    write_chapter(small_book, text="Other words.")
    os.utime(md, (time.time() + 10,) * 2)
    assert "another text" in notebooks.violations(md)[0]
    notebooks.sync(md)
    assert notebooks.violations(md) == []
    assert "Other words." in ipynb.read_text()
    assert "apricot" in ipynb.read_text()

    ipynb.write_text(ipynb.read_text().replace("Other words.", "Third words."))
    os.utime(ipynb, (time.time() + 20,) * 2)
    notebooks.sync(md)
    assert notebooks.violations(md) == []
    assert "Third words." in md.read_text()
    assert notebooks.sync(md) == ""


def test_a_changed_cell_must_be_run_again(small_book, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(small_book))
    md = small_book / "notebooks" / "01_a.md"
    notebooks.run(md)
    write_chapter(small_book, code="print('new')")
    os.utime(md, (time.time() + 10,) * 2)
    notebooks.sync(md)
    assert "has not been run" in notebooks.violations(md)[0]


def test_formatting_touches_only_code_cells():
    text = "# A\n\nprose  with {x:1}  \n\n```{code-cell} ipython3\nx={'a' :1}\n```\n"
    assert notebooks.formatted(text) == text.replace("x={'a' :1}", 'x = {"a": 1}')


def test_the_report_counts_what_is_there():
    text = "## The question\n\nTwo words $x$.\n\n:::{exercise}\n:label: ex-a\n\nWhy\n:::\n\n## Summary"
    nb = notebook(markdown(text), cell("assert 1\nx = 2"), cell("y"))
    row = report.row("01_a", nb, 61.0)
    assert row["sections"] == "Q......S.."
    assert (row["cells"], row["longest"], row["exercises"], row["checking"]) == (2, 2, 1, 1)
    assert (row["words"], row["visible"]) == (len(["Two", "words", "x"]), 3)
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
    offenders = {}
    for path in project_files():
        try:
            paths = machine_paths(path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
        if paths:
            offenders[str(path)] = paths
    assert offenders == {}


def test_a_machine_path_is_caught():
    for path in (f"{ROOT}/minilib", "/" + "home/ann/book", "/tmp/ipykernel" + "_12/3.py"):
        assert machine_paths(f"UserWarning in {path}: ...")
    assert not machine_paths("https://example.org/home and book/runs/")
