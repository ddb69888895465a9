"""Builds the site from proved outputs, with every warning an error, and says what is missing.

    python tools/build_book.py                all pages into _build/html
    python tools/build_book.py --page sgd     look at one page: stored outputs as they are, pages still to be
                                              written are left out
    python tools/build_book.py --check        is every page of _toc.yml in _build/html?

A chapter is shown with its stored outputs when its code and all that its run read are today what they were
(`proved.py`). One that is stale is executed first, into `_build/executed`, and shown from there; the files of the
chapter stay as they are. One that fails is shown with its stored outputs and a note on top, and all other pages are
written none the less. Executing needs more packages than building: where they are missing the exit status is 3 and
nothing was built. Proofs are shown from what `rocq.py` recorded of them.
Launch buttons point to the address in _config.yml, where there is one, else to the repository's own `origin`; they are
absent when that is not public. They open the tag of this version if the repository has it, else the branch main. The
same address is written into the notebooks that the site gives away, so that none of them asks for it.
Deliberately absent: any second copy of the book's settings; `_config.yml` holds them.
"""

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import book_map
import chapters
import cite
import first_cell
import leaderboard_page
import nbformat
import page_foot
import plans
import proved
import rocq_sources
import status_page
import verdict_page
import yaml

import notebooks

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(__file__).resolve().parent
INCOMPLETE = 3  # the exit status when a chapter has to be executed and the packages for that are not installed
NEEDED = ("ipykernel", "numpy", "matplotlib", "scipy", "sklearn", "torch")
# Which launch buttons work for a repository on which host.
BINDER = {"binderhub_url": "https://mybinder.org"}
HOSTS = {"github.com": {"colab_url": "https://colab.research.google.com", **BINDER}, "gitlab.com": BINDER}


@dataclass(frozen=True)
class Shown:
    """What the site shows of a chapter: the notebook, the record of its run, whether this machine made it, and what
    went wrong when it was executed anew (the outputs are the stored ones then)."""

    nb: nbformat.NotebookNode
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
    command = [sys.executable, str(TOOLS / "notebooks.py"), "run", md.stem, "--root", str(root), "--into", str(folder)]
    with open(log, "w") as file:
        # chapters are executed side by side: a thread that spins while it waits takes the core of another
        variables = {"OMP_WAIT_POLICY": "PASSIVE"} | os.environ
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, env=variables).returncode
    if not code:
        return ""
    plain = re.sub(r"\x1b\[[\d;]*m", "", log.read_text())
    return next((line for line in reversed(plain.splitlines()) if line.strip()), f"exit status {code}")


def choose_outputs(root: Path) -> dict[str, Shown]:
    """For each chapter the outputs that the site shows; every stale chapter is executed first.

    Raises ModuleNotFoundError when something has to be executed and packages for that are missing.
    """
    here, todo = executed(root), {}
    for md in notebooks.chapters(root):
        if (why := notebooks.stale(md)) and notebooks.stale(md, here, here):
            more = f" (and {len(why) - 3} more)" if len(why) > 3 else ""
            print(f"{md.stem} is executed: {', '.join(why[:3])}{more}.", flush=True)
            todo[md] = why
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if todo and missing and root == ROOT:
        raise ModuleNotFoundError(f"to execute a chapter takes {', '.join(missing)} too")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = dict(zip(todo, pool.map(lambda md: execute(root, md), todo), strict=True))
    shown = {}
    for md in notebooks.chapters(root):
        own = not errors.get(md) and bool(notebooks.stale(md))
        paired = nbformat.read((here if own else md.parent) / f"{md.stem}.ipynb", as_version=4)
        run = proved.load(here if own else root / proved.FOLDER, md.stem)
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
        nb = nbformat.read(path, as_version=4)
        for cell in nb.cells:
            if chapters.FETCH in chapters.tags(cell):
                cell.source = first_cell.source(root, url)
        nbformat.write(nb, path)


def toc_pages(toc: dict) -> list[str]:
    """Every page that a table of contents names, in order."""
    pages = [toc["root"]]
    for part in toc.get("parts", [toc]):
        for chapter in part.get("chapters", []):
            pages += [chapter["file"], *(section["file"] for section in chapter.get("sections", []))]
    return pages


def page_violations(root: Path, html: Path, start: float) -> list[str]:
    """Pages of `_toc.yml` that the build did not write, or that are older than its start."""
    violations = []
    for page in toc_pages(yaml.safe_load((root / "_toc.yml").read_text())):
        path = html / f"{page}.html"
        if not path.exists():
            violations.append(f"page {page} is in _toc.yml and not in {html}")
        elif path.stat().st_mtime < start:
            violations.append(f"page {page} is older than this build")
    return violations


def sphinx(root: Path, out: Path, config: dict, toc: dict, *options: str) -> subprocess.CompletedProcess:
    """Run Jupyter Book with these settings; pages land in `out/_build/html`."""
    build = out / "_build"
    for old in ("html", ".doctrees"):
        shutil.rmtree(build / old, ignore_errors=True)
    build.mkdir(parents=True, exist_ok=True)
    (build / "config.yml").write_text(json.dumps(config))
    (build / "toc.yml").write_text(json.dumps(toc))
    jupyter_book = shutil.which("jupyter-book", path=Path(sys.executable).parent)
    command = [str(jupyter_book), "build", str(root), "-n", "--keep-going", "-q"]
    command += ["--path-output", str(out), "--config", str(build / "config.yml")]
    command += ["--toc", str(build / "toc.yml"), *options]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(TOOLS), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables)


def settings(root: Path, pages: dict, runs: dict, status: dict, failed: set[str] = frozenset()) -> dict:
    """The settings of a build that shows these notebooks: launch buttons, the feet of pages, and what pages insert."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    config |= launch_settings(address(root, config), branch(root))
    foot = page_foot.settings(root, config["repository"]["url"], runs, failed)
    front = book_map.substitutions(root) | leaderboard_page.substitutions(root)
    front |= cite.substitutions(root) | plans.substitutions(root)
    front |= {"report": page_foot.report(foot["url"], foot["commit"])}
    config["sphinx"]["config"] |= {
        "page_foot": foot,
        "verdict_tables": verdict_page.tables(pages),
        "myst_substitutions": status | verdict_page.substitutions(pages) | front,
    }
    return config


def build(root: Path) -> int:
    """Build the whole book; the exit status is 0 only for a complete site whose chapters all ran."""
    start = time.time()
    html = root / "_build" / "html"
    try:
        shown = choose_outputs(root)
    except ModuleNotFoundError as error:
        print(f"Nothing was built: {error}.")
        return INCOMPLETE
    folder = root / "_build" / "shown"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, chapter in shown.items():
        (folder / f"{name}.ipynb").write_text(nbformat.writes(status_page.noted(chapter)), encoding="utf-8")
    pages, runs = ({name: getattr(c, kind) for name, c in shown.items()} for kind in ("nb", "run"))
    failed = {name: chapter.error for name, chapter in shown.items() if chapter.error}
    config = settings(root, pages, runs, status_page.tables(root, shown), {*failed})
    config["sphinx"]["config"]["extensions"].append("shown_outputs")
    config["sphinx"]["config"]["shown_outputs"] = str(folder)
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    done = sphinx(root, root, config, toc, "-W")
    if done.returncode:
        print(done.stdout.strip())
    if "launch_buttons" in config:  # the address is public
        give_address(root, html, config["repository"]["url"])
    violations = page_violations(root, html, start)
    violations += [f"{name} failed and is shown with its stored outputs: {error}" for name, error in failed.items()]
    violations += [f"proofs/{name}.v changed since it was checked: make prove" for name in rocq_sources.stale(root)]
    number = len(toc_pages(toc))
    if done.returncode or violations:
        print("\n".join([f"Not all of {number} pages are as they should be:", *violations]))
        return 1
    print(f"{number} pages in {time.time() - start:.0f} s. Open {html / 'index.html'}")
    return 0


def build_page(root: Path, name: str) -> int:
    """Build the existing pages from stored outputs; only this page's warnings are errors."""
    out = root / "_build" / "page" / name
    stored = chapters.stored(root)
    runs = {file: proved.load(root / proved.FOLDER, file) for file in stored}
    config = settings(root, stored, runs, {"runs": "", "in_browser": "", "shaken": ""})
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
    done = sphinx(root, out, config, toc)
    lines = done.stdout.splitlines()
    mine = [line for line in lines if f"{page}." in line and re.search("WARNING|ERROR|CRITICAL", line)]
    html = out / "_build" / "html" / f"{page}.html"
    if not html.exists():
        print(done.stdout)
        return 1
    print("\n".join(mine + [f"{len(mine)} warnings on this page. Open {html}"]))
    return 1 if mine else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--page", metavar="NAME", help="show one page without executing anything")
    parser.add_argument("--check", action="store_true", help="only look for missing pages")
    args = parser.parse_args()
    root = args.root.resolve()
    if args.check:
        violations = page_violations(root, root / "_build" / "html", start=0)
        print("\n".join(violations) or "every page of _toc.yml is there")
        return 1 if violations else 0
    return build_page(root, args.page) if args.page else build(root)


if __name__ == "__main__":
    sys.exit(main())
