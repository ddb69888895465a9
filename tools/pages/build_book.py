"""Builds the site from proved outputs, with every warning an error, and says what is missing.

    python tools/pages/build_book.py                all pages into _build/html
    python tools/pages/build_book.py --page sgd     look at one page: stored outputs as they are, pages still to be
                                                    written are left out

A chapter is shown with its stored outputs when its code and all that its run read are today what they were
(`provenance.py`). One that is stale is executed first, into `_build/executed`, and shown from there; the files of the
chapter stay as they are. One that fails is shown with its stored outputs and a note on top, and all other pages are
written none the less. Executing needs more packages than building: where they are missing the exit status is 3 and
nothing was built. What has not changed since the last complete build is not made again (`last_build.py`,
`changed_pages.py`), and the pages take the place of the old ones when all are there. Proofs are shown from what
`rocq.py` recorded of them.
Launch buttons point to the address in _config.yml, where there is one, else to the repository's own `origin`; they are
absent when that is not public. They open the tag of this version if the repository has it, else the branch main. The
same address is written into the notebooks that the site gives away, so that none of them asks for it.
Deliberately absent: any second copy of the book's settings; `_config.yml` holds them.
"""

import argparse
import contextlib
import functools
import gc
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import yaml

from tools import ROOT, progress
from tools.chapter import chapters, first_cell, notebooks, provenance
from tools.pages import (
    book_map,
    cite,
    docstring_text,
    front_strip,
    insertions,
    kit,
    last_build,
    leaderboard_page,
    page_foot,
    plans,
    status_page,
    verdict_page,
)
from tools.prover import rocq_sources

TOOLS = ROOT / "tools"
INCOMPLETE = 3  # the exit status when a chapter has to be executed and the packages for that are not installed
DOING = {"reading sources... ": "reading pages:", "writing output... ": "writing pages:"}  # as Sphinx says it, and we
NEEDED = ("ipykernel", "numpy", "matplotlib", "scipy", "sklearn", "torch")
# Which launch buttons work for a repository on which host.
BINDER = {"binderhub_url": "https://mybinder.org"}
HOSTS = {"github.com": {"colab_url": "https://colab.research.google.com", **BINDER}, "gitlab.com": BINDER}


@dataclass(frozen=True)
class Shown:
    """What the site shows of a chapter: the notebook, the record of its run, whether this machine made it, and what
    went wrong when it was executed anew (the outputs are the stored ones then)."""

    nb: dict
    run: dict | None
    own: bool
    error: str


def executed(root: Path) -> Path:
    """Where chapters lie that a build executed."""
    return root / "_build" / "executed"


def execute(root: Path, md: Path) -> str:
    """Execute a chapter into `_build/executed`; returns what went wrong, an empty string when all went well."""
    folder = executed(root)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{md.stem}.log"
    command = [sys.executable, str(TOOLS / "chapter/notebooks.py"), "run", md.stem]
    command += ["--root", str(root), "--into", str(folder)]
    with open(log, "w") as file:
        # chapters are executed side by side: a thread that spins while it waits takes the core of another
        variables = {"OMP_WAIT_POLICY": "PASSIVE"} | os.environ
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=variables).returncode
    if not code:
        return ""
    plain = re.sub(r"\x1b\[[\d;]*m", "", log.read_text())
    return next((line for line in reversed(plain.splitlines()) if line.strip()), f"exit status {code}")


def not_installed() -> list[str]:
    """What is needed to execute a chapter and is not here."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def choose_outputs(root: Path, tell: Callable[..., object] = lambda *words: None) -> dict[str, Shown]:
    """For each chapter the outputs that the site shows; every stale chapter is executed first.

    `tell` is told how far it is. Raises ModuleNotFoundError when something has to be executed and packages for that are
    missing.
    """
    here, todo, every = executed(root), {}, notebooks.chapters(root)
    for number, md in enumerate(every, 1):
        tell("choosing outputs: chapter", number, len(every))
        if (why := notebooks.stale(md)) and notebooks.stale(md, here, here):
            more = f" (and {len(why) - 3} more)" if len(why) > 3 else ""
            print(f"{md.stem} is executed: {', '.join(why[:3])}{more}.", flush=True)
            todo[md] = why
    if todo and (missing := not_installed()) and root == ROOT:
        raise ModuleNotFoundError(f"to execute a chapter takes {', '.join(missing)} too")
    pool = ThreadPoolExecutor(os.cpu_count())
    runs, errors = {md: pool.submit(execute, root, md) for md in todo}, {}
    try:
        for number, md in enumerate(runs, 1):
            tell("executing chapters:", number, len(runs))
            errors[md] = runs[md].result()
    finally:
        pool.shutdown(cancel_futures=True)
    shown = {}
    for md in every:
        own = not errors.get(md) and bool(notebooks.stale(md))
        paired = chapters.read((here if own else md.parent) / f"{md.stem}.ipynb")
        run = provenance.load(here if own else root / provenance.FOLDER, md.stem)
        shown[md.stem] = Shown(notebooks.with_outputs(notebooks.source(md), paired), run, own, errors.get(md, ""))
    return shown


def address(root: Path, config: dict) -> str:
    """The repository's address: the one in the settings, where there is one, else its `origin`."""
    return config["repository"]["url"] or page_foot.git(root, "remote", "get-url", "origin")


def branch(root: Path) -> str:
    """What launch buttons open: the tag of this version where the repository has it, else the branch main."""
    return page_foot.git(root, "tag", "--list", first_cell.tag(root)) or "main"


def launch_settings(url: str, branch: str = "main") -> dict:
    """The settings that make launch buttons for this address of a repository; empty when it is not public."""
    match = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?|ssh://(?:git@)?|git@)([\w.-]+)[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?", url
    )
    if match is None or match[1] not in HOSTS:
        return {}
    repository = {"url": f"https://{match[1]}/{match[2]}", "branch": branch, "path_to_book": ""}
    return {"repository": repository, "launch_buttons": {"notebook_interface": "jupyterlab", **HOSTS[match[1]]}}


def give_address(root: Path, html: Path, url: str) -> None:
    """Write the book's address into the first cell of the notebooks that readers get from the site."""
    for path in sorted((html / "_sources" / "notebooks").glob("*.ipynb")):
        nb = chapters.read(path)
        for cell in nb.cells:
            if chapters.FETCH in chapters.tags(cell):
                cell.source = first_cell.source(root, url)
        notebooks.write(nb, path)


def toc_pages(toc: dict) -> list[str]:
    """Every page that a table of contents names, in order."""
    pages = [toc["root"]]
    for part in toc.get("parts", [toc]):
        for chapter in part.get("chapters", []):
            pages += [chapter["file"], *(section["file"] for section in chapter.get("sections", []))]
    return pages


def page_violations(root: Path, html: Path) -> list[str]:
    """Pages of `_toc.yml` that are not there."""
    pages = toc_pages(yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8")))
    return [f"page {page} is in _toc.yml and not in {html}" for page in pages if not (html / f"{page}.html").exists()]


def steps(line: progress.Progress, pages: list, doing: str, *_, **__) -> Iterator:
    """Sphinx's `status_iterator`: the pages, one by one or many at a time, and how many of them are done."""
    number = [len(one) if isinstance(one, list) else 1 for one in pages]
    for k, one in enumerate(pages, 1):
        line.say(DOING[doing], sum(number[:k]), sum(number))
        if k == len(pages) and doing.startswith("writing"):
            line.say("writing proofs, index and assets")
        yield one


def spread(pages: list[str], cores: int) -> list[list[str]]:
    """Sphinx's `make_chunks`: many small lists, so that no core waits, each with pages from the whole book, because
    the long ones stand side by side."""
    number = min(4 * cores, len(pages))
    return [pages[k::number] for k in range(number)]


def sphinx(root: Path, build: Path, html: Path, config: dict, toc: dict, line: progress.Progress) -> tuple[int, str]:
    """Run Sphinx with these settings; its exit status, which is not 0 when there was a warning, and its warnings.

    What it read stays in `build/.doctrees`. Jupyter Book's own command would do the same, and takes no word about where
    they lie, nor of how many cores may work.
    """
    line.say("starting Sphinx")
    import sphinx.builders  # here: it takes a second or two, and where nothing has changed nobody needs it
    from jupyter_book.sphinx import build_sphinx

    build.mkdir(parents=True, exist_ok=True)
    (build / "config.yml").write_text(json.dumps(config))
    (build / "toc.yml").write_text(json.dumps(toc))
    settings = {"external_toc_path": str(build / "toc.yml"), "latex_individualpages": False, "nitpicky": True}
    settings |= {"templates_path": []}  # themes add to the list, and Sphinx's own is one for all builds of a program
    options = {"noconfig": True, "quiet": True, "warningiserror": True, "keep_going": True, "jobs": os.cpu_count()}
    options |= {"path_config": str(build / "config.yml"), "doctreedir": str(build / ".doctrees")}
    follow = patch.object(sphinx.builders, "status_iterator", functools.partial(steps, line))
    shares = patch.object(sphinx.builders, "make_chunks", spread)
    with follow, shares, contextlib.redirect_stderr(io.StringIO()) as warnings:
        result = build_sphinx(root, str(html), confoverrides=settings, **options)
    if isinstance(result, KeyboardInterrupt):
        raise result
    return (result if isinstance(result, int) else 2), warnings.getvalue().strip()


def settings(root: Path, folder: Path, pages: dict, runs: dict, status: dict, failed: set[str] = frozenset()) -> dict:
    """The settings of a build that shows these notebooks: launch buttons, the feet of pages; what pages insert is
    written into `folder`."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    config |= launch_settings(address(root, config), branch(root))
    url, commit = config["repository"]["url"], page_foot.commit(root)
    texts = book_map.substitutions(root) | leaderboard_page.substitutions(root)
    texts |= cite.substitutions(root) | plans.substitutions(root) | kit.substitutions(root)
    texts |= {"report": page_foot.report(url, commit)}
    texts |= status | verdict_page.substitutions(pages) | front_strip.substitutions(root, pages)
    for name, run in runs.items():
        if run:
            shown = {"made": run["made"], "versions": run["versions"], "failed": name in failed}
            texts[f"run-{name}"] = json.dumps(shown)
    insertions.write(folder, texts)
    # the commit only where the address of an issue names it
    foot = {"url": url, "commit": commit if page_foot.issue(url, "", commit) else ""}
    config["sphinx"]["config"] |= {"page_foot": foot, "inserted": str(folder)}
    return config


def book_settings(root: Path, shown: dict[str, Shown]) -> dict:
    """The settings of the whole book, and the notebooks that it shows."""
    build = root / "_build"
    pages, runs = ({name: getattr(c, kind) for name, c in shown.items()} for kind in ("nb", "run"))
    failed = {name for name, chapter in shown.items() if chapter.error}
    status = status_page.tables(root, shown)
    config = settings(root, build / "inserted", pages, runs, status, failed)
    texts = {f"{name}.ipynb": json.dumps(status_page.noted(chapter)) for name, chapter in shown.items()}
    insertions.write(build / "shown", texts)
    config["sphinx"]["config"]["shown_outputs"] = str(build / "shown")
    return config


def build(root: Path) -> int:
    """Build the whole book; the exit status is 0 only for a complete site whose chapters all ran."""
    line, start = progress.Progress(), time.time()
    try:
        held = last_build.alone(root / "_build")
    except OSError:
        print(f"Nothing was built: another build is at work in {root / '_build'}. Wait for its end.")
        return 1
    try:
        with held:
            status, message = update(root, line)
    finally:
        line.end()
    print(message.format(seconds=f"{time.time() - start:.0f} s"))
    return status


def update(root: Path, line: progress.Progress) -> tuple[int, str]:
    """Bring the site up to date; the exit status, and what is to be said of it."""
    folder, config = root / "_build", yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    number, html = len(toc_pages(toc)), folder / last_build.HTML
    line.say("looking for what has changed")
    record, apparatus = last_build.load(folder), last_build.apparatus(root)
    # of what was there at the beginning: a file that is edited during the build is a change for the next one
    inputs = last_build.inputs(root, apparatus, page_foot.commit(root), address(root, config), branch(root))
    if record.get("inputs") == last_build.whole(root, inputs) and not page_violations(root, folder / last_build.PAGES):
        last_build.publish(folder)
        return 0, f"{number} pages are up to date, nothing has changed ({{seconds}}). Open {html / 'index.html'}"
    if not_installed():
        docstring_text.fetch_early()
    try:
        shown = choose_outputs(root, line.say)
    except ModuleNotFoundError as error:
        return INCOMPLETE, f"Nothing was built: {error}."
    last_build.begin(folder, record, apparatus)
    line.say("counting words and hours")
    config = book_settings(root, shown)
    unseen = last_build.digest(root, last_build.files(root, last_build.UNSEEN), json.dumps(config, sort_keys=True))
    config["sphinx"]["config"]["everything"] = record.get("unseen") != unseen
    status, warnings = sphinx(root, folder, folder / last_build.PAGES, config, toc, line)
    violations = page_violations(root, folder / last_build.PAGES)
    if not violations:
        if "launch_buttons" in config:  # the address is public
            give_address(root, folder / last_build.PAGES, config["repository"]["url"])
        line.say("putting the pages in their place")
        last_build.publish(folder)
    if not status:
        last_build.save(folder, {"apparatus": apparatus, "unseen": unseen})
    failed = {name: chapter.error for name, chapter in shown.items() if chapter.error}
    violations += [f"{name} failed and is shown with its stored outputs: {error}" for name, error in failed.items()]
    violations += [f"proofs/{name}.v changed since it was checked: make prove" for name in rocq_sources.stale(root)]
    if status or violations:
        told = [warnings, f"Not all of {number} pages are as they should be:", *violations]
        return 1, "\n".join(filter(None, told)).replace("{", "{{").replace("}", "}}")
    last_build.save(folder, {"apparatus": apparatus, "unseen": unseen, "inputs": last_build.whole(root, inputs)})
    return 0, f"{number} pages in {{seconds}}. Open {html / 'index.html'}"


def build_page(root: Path, name: str) -> int:
    """Build the existing pages from stored outputs; only this page's warnings are errors."""
    out = root / "_build" / "page" / name
    shutil.rmtree(out, ignore_errors=True)
    stored = chapters.stored(root)
    runs = {file: provenance.load(root / provenance.FOLDER, file) for file in stored}
    config = settings(root, out / "inserted", stored, runs, {"runs": "", "in_browser": "", "shaken": ""})
    toc = yaml.safe_load((root / "_toc.yml").read_text())

    def exists(page):
        return (root / f"{page}.ipynb").exists() or (root / f"{page}.md").exists() and "notebooks/" not in page

    for part in toc["parts"]:
        part["chapters"] = [chapter for chapter in part["chapters"] if exists(chapter["file"])]
    toc["parts"] = [part for part in toc["parts"] if part["chapters"]]
    page = next((p for p in toc_pages(toc) if name in (Path(p).stem, chapters.name_of(Path(p).stem))), None)
    if page is None:
        print(f"No page {name} to show: is it in _toc.yml, and did you run make notebook NAME={name}?")
        return 1
    line = progress.Progress()
    _, warnings = sphinx(root, out, out / last_build.HTML, config, toc, line)
    line.end()
    mine = [line for line in warnings.splitlines() if f"{page}." in line and re.search("WARNING|ERROR|CRITICAL", line)]
    html = out / last_build.HTML / f"{page}.html"
    if not html.exists():
        print(warnings)
        return 1
    print("\n".join(mine + [f"{len(mine)} warnings on this page. Open {html}"]))
    return 1 if mine else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--page", metavar="NAME", help="show one page without executing anything")
    args = parser.parse_args()
    root = args.root.resolve()
    # Pages are trees of a million nodes that live to the end: nothing is gained by searching them for dead ones.
    gc.set_threshold(100_000, 20, 20)
    return build_page(root, args.page) if args.page else build(root)


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # to give back a million nodes, one by one, takes as long as to write the pages
    except KeyboardInterrupt:
        sys.exit(130)
