"""The tools that make the book: no stale output, no missing page, no warning, no made-up address."""

import os
import re
import time
from contextlib import suppress

import pytest
import yaml
from docutils import nodes
from nbclient.exceptions import CellExecutionError
from packaging.requirements import Requirement
from small_books import CHAPTERS, ROOT, files, git, tool, write_chapter
from sphinx import addnodes

from minilib import colab
from tools.chapter import first_cell, notebooks, provenance
from tools.pages import build_book, last_build, page_foot, quick_references

PAGE = "_build/html/notebooks/01_a.html"


def with_outputs(book):
    """A small book whose chapters were executed into their paired notebooks."""
    for md in notebooks.chapters(book):
        notebooks.run(md)
    return book


def logging(book, name="01_a", code="print('cell')"):
    """Write a chapter that adds a line to a log, returned as a path, whenever its cell runs."""
    log = book / f"{name}.log"
    write_chapter(book, code=f'with open({str(log)!r}, "a") as file:\n    print("ran", file=file)\n{code}', name=name)
    return log


def more_pages(book, *names):
    """The table of contents names these pages too."""
    toc = book / "_toc.yml"
    toc.write_text(toc.read_text() + "".join(f"  - file: {name}\n" for name in names))


def small_pages(book):
    """So many small pages more that all cores read them."""
    names = [f"book/small_{k}" for k in range(5)]
    for name in names:
        (book / f"{name}.md").write_text(f"# {name[-1]}\n\nWords.\n")
    more_pages(book, *names)


def test_a_page_has_the_stored_outputs_and_their_run_and_launch_buttons_exactly_when_the_origin_is_public(small_book):
    log = logging(small_book)
    md, module = small_book / "notebooks" / "01_a.md", small_book / "minilib" / "__init__.py"
    md.write_text(first_cell.placed(md.read_text(), first_cell.source(ROOT)))
    module.write_text('WORD = "apricot"\n__version__ = "2.5.1"\n')
    done = tool(with_outputs(small_book), "pages/build_book.py")
    assert done.returncode == 0, done.stdout
    page, preface = ((small_book / name).read_text() for name in (PAGE, "_build/html/book/index.html"))
    assert "cell" in page
    assert "colab.research" not in page
    day = provenance.load(small_book / provenance.FOLDER, "01_a")["made"]
    assert f"The outputs on this page were made on {day} with Python" in page
    assert "were made on" not in preface
    assert 'class="report" href="../book/index.html#preface-report"' in page
    git(small_book, "init", "--quiet")
    git(small_book, "remote", "add", "origin", "git@github.com:a/b.git")
    git(small_book, "commit", "--quiet", "--allow-empty", "-m", "A")
    assert build_book.branch(small_book) == "main"
    git(small_book, "tag", "v2.5.1")
    assert build_book.build(small_book) == 0
    page = (small_book / PAGE).read_text()
    assert "https://colab.research.google.com/github/a/b/blob/v2.5.1/notebooks/01_a.ipynb" in page
    assert "https://mybinder.org/v2/gh/a/b/v2.5.1" in page
    assert "https://github.com/a/b/issues/new?title=notebooks%2F01_a+at+" in page
    assert "cell" in page
    assert "ADDRESS" not in page  # the first cell, which fetches the book, is not on the page
    given = (small_book / "_build/html/_sources/notebooks/01_a.ipynb").read_text()
    assert r"or \"https://github.com/a/b\"" in given  # who loads it down is not asked
    assert "\"print('cell')\"" in given
    assert log.read_text() == "ran\n"  # and neither build executed anything


def test_a_stale_module_executes_exactly_the_chapters_that_reach_it_and_once_and_says_why(small_book, capsys):
    fruit, stone, basket = (small_book / "minilib" / f"{name}.py" for name in ("fruit", "stone", "basket"))
    fruit.write_text('NAME = "first fruit"\n')
    stone.write_text('NAME = "first stone"\n')
    basket.write_text("from minilib.fruit import NAME\n")
    more_pages(small_book, "notebooks/02_b")
    first = logging(small_book, "01_a", "from minilib import basket\nprint(basket.NAME)")
    second = logging(small_book, "02_b", "from minilib import stone\nprint(stone.NAME)")
    with_outputs(small_book)
    stored = (small_book / "notebooks" / "01_a.ipynb").read_bytes()

    fruit.write_text('NAME = "second fruit"\n')
    other = small_book / "notebooks" / "02_b.md"
    other.write_text(other.read_text().replace("Words.", "Other words."))  # which are shown, and execute nothing
    assert build_book.build(small_book) == 0
    assert "01_a is executed: minilib/fruit.py changed." in capsys.readouterr().out
    again = build_book.choose_outputs(small_book)
    for shown in ((small_book / PAGE).read_text(), str(again["01_a"].nb)):
        assert "second fruit" in shown
        assert "first fruit" not in shown
    assert again["02_b"].nb.cells[0].source.endswith("Other words.")
    assert (again["01_a"].own, again["02_b"].own) == (True, False)
    assert first.read_text() == "ran\n" * 2  # into its notebook, and by the first build
    assert second.read_text() == "ran\n"
    assert (small_book / "notebooks" / "01_a.ipynb").read_bytes() == stored


def test_a_broken_cell_costs_one_page(small_book, capsys):
    more_pages(small_book, "notebooks/02_b")
    write_chapter(small_book, name="02_b", code="print('sound')")
    with_outputs(small_book)
    (small_book / "minilib" / "__init__.py").write_text("")
    assert build_book.build(small_book) == 1
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last.startswith("01_a failed and is shown with its stored outputs: AttributeError")
    page, other = ((small_book / PAGE.replace("01_a", name)).read_text() for name in ("01_a", "02_b"))
    words = ("apricot", "The outputs on this page are not of today.", "AttributeError", "sound")
    assert [(one in page, one in other) for one in words] == [(True, False)] * 3 + [(False, True)]
    with pytest.raises(CellExecutionError):
        notebooks.run(small_book / "notebooks" / "01_a.md")


def test_packages_that_are_missing_are_named_before_anything_is_built(small_book, monkeypatch, capsys):
    with_outputs(small_book)
    monkeypatch.setattr(build_book, "ROOT", small_book)
    monkeypatch.setattr(build_book, "NEEDED", ("numpy", "no_such_package"))
    assert not build_book.choose_outputs(small_book)["01_a"].own  # nothing is stale: nothing is missing
    (small_book / "minilib" / "__init__.py").write_text('WORD = "quince"\n')
    assert build_book.build(small_book) == build_book.INCOMPLETE
    assert "takes no_such_package too" in capsys.readouterr().out
    assert not (small_book / "_build" / "html").exists()


def test_a_reference_to_nothing_fails_the_build_and_is_named(small_book, capsys):
    text = "{ref}`no-section`, {prf:ref}`no-theorem`, {numref}`no-figure`, {cite:t}`nobody`, {eq}`no-eq`, {no-role}`a`"
    small_pages(small_book)  # so many that some are read by another process than the chapter
    for page in (small_book / "book").glob("small_*.md"):
        text += f"\n\n(not-once-{page.stem})=\n\n## Section"
        page.write_text(f"(not-once-{page.stem})=\n\n# Title\n\nWords.\n")
    write_chapter(small_book, text=text)
    more_pages(small_book, "book/missing")
    assert build_book.build(with_outputs(small_book)) == 1
    printed = capsys.readouterr().out
    assert "Not all of 8 pages are as they should be" in printed
    assert "page book/missing is in _toc.yml and not in" in printed
    for target in re.findall(r"\bno[\w-]+", text):
        assert re.search(f"(WARNING|ERROR).*{target}", printed), target


def site(book):
    html = book / "_build" / "html"
    return {path.relative_to(html).as_posix(): path.read_bytes() for path in html.rglob("*") if path.is_file()}


THEOREM = ":::{{prf:theorem}}\n:label: thm-{}\nWords.\n:::\n\n"


def test_a_build_goes_on_from_the_last_one_and_gives_what_a_fresh_one_gives(small_book, capsys):
    more_pages(small_book, "notebooks/02_b")
    (small_book / "book" / "index.md").write_text("# Preface\n\n{{ report }} {prf:ref}`thm-one`\n")
    write_chapter(small_book, text=THEOREM.format("one"))
    write_chapter(small_book, name="02_b", text="See {prf:ref}`thm-one`.")
    small_pages(small_book)
    md, other = small_book / "notebooks" / "01_a.md", small_book / "_build" / "pages" / "notebooks" / "02_b.html"

    def change(text):
        """Build with another text of the first chapter; was the page of the second written too?"""
        write_chapter(small_book, text=text)
        os.utime(md, (time.time() + 10,) * 2)
        notebooks.sync(md)
        before = other.stat().st_mtime_ns
        assert build_book.build(small_book) == 0
        return other.stat().st_mtime_ns > before

    assert build_book.build(with_outputs(small_book)) == 0
    first = site(small_book)
    (small_book / PAGE).write_text("by another program")
    assert build_book.build(small_book) == 0
    assert "8 pages are up to date, nothing has changed" in capsys.readouterr().out
    assert site(small_book) == first
    assert change(THEOREM.format("new") + THEOREM.format("one"))
    assert "Theorem 1.2" in other.read_text()
    preface = small_book / "book" / "index.md"
    preface.write_text("# Preface\n\nRestored. {{ report }} {prf:ref}`thm-one`\n")
    os.utime(preface, (10**9,) * 2)  # out of an archive
    assert not change("Other words.\n\n" + THEOREM.format("new") + THEOREM.format("one"))
    gone_on = site(small_book)
    assert b"Other words." in gone_on["notebooks/01_a.html"]
    assert b"Restored." in gone_on["book/index.html"]
    (small_book / "_build" / last_build.RECORD).unlink()
    assert build_book.build(small_book) == 0
    assert site(small_book) == gone_on


def test_what_is_broken_off_leaves_the_old_site_and_is_not_gone_on_with(small_book, monkeypatch, capsys):
    build = with_outputs(small_book) / "_build"
    for folder in ("html", "pages", ".doctrees"):
        (build / folder).mkdir(parents=True)
    (build / "html" / "index.html").write_text("old")
    last_build.save(build, {"apparatus": last_build.apparatus(small_book)})
    last_build.begin(build, last_build.load(build), last_build.apparatus(small_book))
    assert (build / ".doctrees").exists()  # it is gone on with, unless it was broken off

    with last_build.alone(build):
        assert build_book.build(small_book) == 1
    assert "another build is at work" in capsys.readouterr().out

    def stopped(*words):
        raise KeyboardInterrupt

    monkeypatch.setattr(build_book, "sphinx", stopped)
    with pytest.raises(KeyboardInterrupt):
        build_book.build(small_book)
    assert site(small_book) == {"index.html": b"old"}
    assert last_build.load(build) == {}
    assert not (build / ".doctrees").exists()


@pytest.mark.parametrize(
    ("name", "afresh"),
    [
        *((name, True) for name in ("_toc.yml", "_config.yml", "book/references.bib", "book/_static/new.css")),
        *((name, False) for name in ("book/index.md", "book/_static/custom.css", "minilib/__init__.py")),
    ],
)
def test_what_all_pages_stand_on_has_them_made_afresh(small_book, name, afresh):
    before, inputs = last_build.apparatus(small_book), last_build.inputs(small_book)
    with open(small_book / name, "a") as file:
        file.write("\n")
    assert (last_build.apparatus(small_book) != before) == afresh
    assert last_build.inputs(small_book) != inputs


def test_a_list_of_contents_beside_a_page_has_titles_alone():
    inside = nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "A part")))
    page = nodes.bullet_list("", nodes.list_item("", nodes.paragraph("", "A chapter"), inside))
    assert quick_references.titles(page).astext() == "A chapter"
    assert "A part" in page.astext()
    inside[0] += addnodes.toctree()
    assert quick_references.titles(page) is page


def test_pages_are_shared_out_so_that_long_neighbours_are_apart():
    shares = build_book.spread([*range(19)], 2)
    assert sorted(sum(shares, [])) == [*range(19)]
    assert len(shares) == 8
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert not any({page, page + 1} <= {*share} for share in shares for page in share)
    assert build_book.spread(["one"], 2) == [["one"]]


def test_the_table_of_contents_has_every_chapter_and_every_page_and_each_has_a_source():
    pages = build_book.toc_pages(yaml.safe_load((ROOT / "_toc.yml").read_text()))
    assert [page for page in pages if not (ROOT / f"{page}.md").exists()] == []
    written = [*CHAPTERS, *(ROOT / "book").glob("*.md")]
    assert {f"{path.parent.name}/{path.stem}" for path in written} - {*pages} == set()


GITHUB, GITLAB = "https://github.com/someone/a-book", "https://gitlab.com/someone/a-book"
ON_GITHUB = """
    https://github.com/someone/a-book.git https://github.com/someone/a-book ssh://git@github.com/someone/a-book.git
    https://token@github.com/someone/a-book.git git@github.com:someone/a-book.git
"""
NOT_PUBLIC = """
    /srv/git/a-book.git ../a-book file:///srv/git/a-book.git http://localhost:3000/someone/a-book.git
    https://localhost/someone/a-book.git https://10.0.0.7/someone/a-book.git git@git.example.org:someone/a-book.git
    ssh://git@git.internal:2222/someone/a-book.git https://github.com.example.org/someone/a-book
"""


def test_a_public_origin_gets_launch_buttons_to_itself_and_another_origin_none(monkeypatch):
    for url in [*ON_GITHUB.split(), f"{GITLAB}.git"]:
        settings, here = build_book.launch_settings(url), GITHUB if "github" in url else GITLAB
        assert settings["repository"]["url"] == here
        buttons = {"notebook_interface", "binderhub_url"} | ({"colab_url"} if here == GITHUB else set())
        assert set(settings["launch_buttons"]) == buttons
    assert [url for url in ["", *NOT_PUBLIC.split()] if build_book.launch_settings(url)] == []
    monkeypatch.setattr(page_foot, "git", lambda root, *words: "of the origin")
    chosen = [build_book.address(ROOT, {"repository": {"url": url}}) for url in ("of the settings", "")]
    assert chosen == ["of the settings", "of the origin"]


def test_binder_installs_what_the_chapters_need_in_the_versions_of_the_lock():
    binder = ROOT / ".binder"
    lines = [line.partition("#")[0].strip() for line in (binder / "requirements.txt").read_text().splitlines()]
    options = [line.split() for line in lines if line.startswith("-")]
    chosen = {Requirement(line).name for line in lines if line and not line.startswith("-")}
    assert [(option, (binder / path).resolve()) for option, path in options] == [("-c", ROOT / "requirements.txt")]
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.txt").read_text(), re.M))
    assert {colab.plain(name) for name in colab.packages()} <= chosen <= locked
    assert "pip install --no-build-isolation --no-deps -e ." in (binder / "postBuild").read_text()
    assert os.access(binder / "postBuild", os.X_OK)


def test_executing_an_unchanged_chapter_again_changes_no_byte(small_book):
    first, second = ((with_outputs(small_book) / "notebooks" / "01_a.ipynb").read_bytes() for _ in range(2))
    assert second == first
    assert b"timestamp" not in first
    assert b"iopub" not in first


def test_a_pair_that_is_out_of_step_is_caught_and_brought_in_step(small_book):
    md, ipynb = (small_book / "notebooks" / f"01_a.{end}" for end in ("md", "ipynb"))
    assert "has no paired notebook" in notebooks.violations(md)[0]
    notebooks.run(md)
    assert notebooks.violations(md) == []

    write_chapter(small_book, text="Other words.")
    os.utime(md, (time.time() + 10,) * 2)
    assert "another text" in notebooks.violations(md)[0]
    notebooks.sync(md)
    assert "Other words." in ipynb.read_text()
    assert "apricot" in ipynb.read_text()

    ipynb.write_text(ipynb.read_text().replace("Other words.", "Third words."))
    os.utime(ipynb, (time.time() + 20,) * 2)
    before = md.read_text()
    notebooks.sync(md)
    assert notebooks.violations(md) == []
    assert md.read_text() == before.replace("Other words.", "Third words.")
    assert notebooks.sync(md) == ""

    write_chapter(small_book, code="print('new')")
    os.utime(md, (time.time() + 30,) * 2)
    notebooks.sync(md)
    assert "has not been run" in notebooks.violations(md)[0]


def test_a_source_takes_the_words_of_its_notebook_and_keeps_its_own_form():
    options = "---\nmystnb:\n  image: {width: 100%}\ntags: [hide-input]\n---\n"
    text = f"# A\n\ntwo\nlines\n\n```{{code-cell}} ipython3\n{options}x = 1\n```\n\nEnd.\n"
    new = notebooks.jupytext.reads(text, fmt="md:myst")
    new.cells[1].source, new.cells[2].source = "x = 2", "The end."
    changed = notebooks.edited(text, new)
    assert changed == text.replace("x = 1", "x = 2").replace("End.", "The end.")
    assert notebooks.edited(changed, notebooks.jupytext.reads(text, fmt="md:myst")) == text
    new.cells.pop()
    fewer = notebooks.jupytext.reads(notebooks.edited(text, new), fmt="md:myst")
    assert [c.source for c in fewer.cells] == ["# A\n\ntwo\nlines", "x = 2"]


def test_a_source_that_is_edited_while_it_runs_keeps_its_text(small_book):
    md = small_book / "notebooks" / "01_a.md"
    code = "from pathlib import Path\np = Path('01_a.md')\np.write_text(p.read_text().replace('O' 'ld', 'New'))"
    write_chapter(small_book, text="Old words.", code=code + "\nprint(6 * 7)")
    notebooks.run(md)
    assert "New words." in md.read_text()
    assert notebooks.violations(md) == []
    assert "42" in md.with_suffix(".ipynb").read_text()


def test_formatting_touches_only_code_cells():
    text = "# A\n\nprose  with {x:1}  \n\n```{code-cell} ipython3\nx={'a' :1}\n```\n"
    assert notebooks.formatted(text) == text.replace("x={'a' :1}", 'x = {"a": 1}')


def test_no_file_holds_a_path_of_somebodys_machine():
    path = re.compile(rf"{re.escape(str(ROOT))}\b|/(?:home|Users|root)/\w|ipykernel[_]\d|[A-Z]:\\Users")
    assert len(path.findall(f"{ROOT}/minilib, {'/' + 'home/ann'}, /tmp/ipykernel{'_12'}, example.org/home")) == 3
    texts = {}
    for name in files():
        with suppress(UnicodeDecodeError):  # a picture
            texts[name] = (ROOT / name).read_text(encoding="utf-8")
    assert len(texts) > 400
    assert [name for name, text in texts.items() if path.search(text)] == []
