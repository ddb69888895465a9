"""Builds the site, with every warning an error, and proves that no page of it is missing or old.

    python tools/build_book.py                execute every chapter, write _build/html
    python tools/build_book.py --page 02_sgd  look at one page: nothing is executed, stored outputs
                                              are shown, pages still to be written are left out
    python tools/build_book.py --check        is every page of _toc.yml in _build/html?

Executed cells are kept in Jupyter Book's cache, whose key is the text of the cells alone. So the
cache is dropped when what the cells import or read has changed (`content_hash`), and pages are
always written anew. Chapters are executed side by side, one a core; the build, which would take
them one after the other, finds them in the cache, and says what is wrong with one that is not.
Launch buttons point to the repository's own `origin`, or are absent when it has no public one.
Deliberately absent: any second copy of the book's settings; `_config.yml` holds them.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from jupyter_cache import get_cache
from jupyter_cache.executors import load_executor

ROOT = Path(__file__).resolve().parent.parent
# Which launch buttons work for a repository on which host.
HOSTS = {
    "github.com": {
        "colab_url": "https://colab.research.google.com",
        "binderhub_url": "https://mybinder.org",
    },
    "gitlab.com": {"binderhub_url": "https://mybinder.org"},
}


def content_hash(root: Path) -> str:
    """A hash of everything that a chapter's cells depend on besides their own text."""
    digest = hashlib.sha256(sys.version.encode())
    files = [*root.glob("minilib/**/*"), *root.glob("book/runs/**/*"), root / "requirements.txt"]
    for path in sorted(files):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def drop_stale_cache(root: Path) -> bool:
    """Delete the cache of executed cells unless it was made from the present files.

    Returns whether it was deleted (or was not there).
    """
    cache, stamp = root / "_build" / ".jupyter_cache", root / "_build" / "cache_made_from"
    now = content_hash(root)
    if cache.exists() and stamp.exists() and stamp.read_text() == now:
        return False
    shutil.rmtree(cache, ignore_errors=True)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(now)
    return True


@contextmanager
def stderr_into(path: Path) -> Iterator[None]:
    """What this process and those that it starts write to stderr goes into a file."""
    kept = os.dup(2)
    with open(path, "w") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def execute(root: Path, pages: list[str], timeout: int) -> None:
    """Execute the chapters that the cache lacks, as many at once as there are cores.

    A chapter that fails is left to the build, which executes it again and reports the error; what kernels say beside
    their output is in `_build/execution.log`.
    """
    cache = get_cache(str(root / "_build" / ".jupyter_cache"))
    for page in pages:
        if (path := root / f"{page}.ipynb").exists():
            cache.add_nb_to_project(str(path))
    with stderr_into(root / "_build" / "execution.log"):
        load_executor("local-parallel", cache).run_and_cache(timeout=timeout)


def origin(root: Path) -> str:
    """The address of the repository's `origin`, or an empty string."""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return ""


def launch_settings(url: str) -> dict:
    """The settings that make launch buttons for this `origin`; empty when it is not public."""
    match = re.fullmatch(
        r"(?:https://(?:[^@/]+@)?|ssh://(?:git@)?|git@)([\w.-]+)[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?",
        url,
    )
    if match is None or match[1] not in HOSTS:
        return {}
    return {
        "repository": {
            "url": f"https://{match[1]}/{match[2]}",
            "branch": "main",
            "path_to_book": "",
        },
        "launch_buttons": {"notebook_interface": "jupyterlab", **HOSTS[match[1]]},
    }


def toc_pages(toc: dict) -> list[str]:
    """Every page that a table of contents names, in order."""
    pages = [toc["root"]]
    for part in toc.get("parts", [toc]):
        pages += [chapter["file"] for chapter in part.get("chapters", [])]
    return pages


def page_faults(root: Path, html: Path, start: float) -> list[str]:
    """Pages of `_toc.yml` that the build did not write, or that are older than its start."""
    found = []
    for page in toc_pages(yaml.safe_load((root / "_toc.yml").read_text())):
        path = html / f"{page}.html"
        if not path.exists():
            found.append(f"page {page} is in _toc.yml and not in {html}")
        elif path.stat().st_mtime < start:
            found.append(f"page {page} is older than this build")
    return found


def sphinx(root: Path, out: Path, config: dict, toc: dict, *options: str) -> subprocess.CompletedProcess:
    """Run Jupyter Book with these settings; pages land in `out/_build/html`."""
    build = out / "_build"
    for old in ("html", ".doctrees"):
        shutil.rmtree(build / old, ignore_errors=True)
    build.mkdir(parents=True, exist_ok=True)
    (build / "config.yml").write_text(json.dumps(config))
    (build / "toc.yml").write_text(json.dumps(toc))
    jupyter_book = Path(sys.executable).with_name("jupyter-book")
    command = [str(jupyter_book), "build", str(root), "-n", "--keep-going", "-q"]
    command += ["--path-output", str(out), "--config", str(build / "config.yml")]
    command += ["--toc", str(build / "toc.yml"), *options]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def build(root: Path) -> int:
    """Execute and build the whole book; the exit status is 0 only for a complete, fresh site."""
    start = time.time()
    html = root / "_build" / "html"
    if drop_stale_cache(root):
        print("The library, the runs or the lock changed: every chapter is executed anew.", flush=True)
    config = yaml.safe_load((root / "_config.yml").read_text())
    config |= launch_settings(origin(root))
    toc = yaml.safe_load((root / "_toc.yml").read_text())
    execute(root, toc_pages(toc), config["execute"]["timeout"])
    done = sphinx(root, root, config, toc, "-W")
    print("\n".join(line for line in done.stdout.splitlines() if "[IPKernelApp]" not in line))
    faults = page_faults(root, html, start)
    if done.returncode or faults:
        print("\n".join(["The book was not built.", *faults]))
        return 1
    print(f"{len(toc_pages(toc))} pages in {time.time() - start:.0f} s. Open {html / 'index.html'}")
    return 0


def build_page(root: Path, name: str) -> int:
    """Build the existing pages from stored outputs; only this page's warnings are errors."""
    out = root / "_build" / "page" / name
    config = yaml.safe_load((root / "_config.yml").read_text())
    config["execute"] = {"execute_notebooks": "off"}
    toc = yaml.safe_load((root / "_toc.yml").read_text())

    def exists(page):
        return (root / f"{page}.ipynb").exists() or (root / f"{page}.md").exists() and "notebooks/" not in page

    for part in toc["parts"]:
        part["chapters"] = [chapter for chapter in part["chapters"] if exists(chapter["file"])]
    toc["parts"] = [part for part in toc["parts"] if part["chapters"]]
    page = next((p for p in toc_pages(toc) if Path(p).stem == name), None)
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
        faults = page_faults(root, root / "_build" / "html", start=0)
        print("\n".join(faults) or "every page of _toc.yml is there")
        return 1 if faults else 0
    return build_page(root, args.page) if args.page else build(root)


if __name__ == "__main__":
    sys.exit(main())
