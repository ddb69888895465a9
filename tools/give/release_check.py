"""Opens the files of a release as its readers will, and says what is wrong with them.

The sums hold and name every file; the zip of the site opens from a file, asks no network for anything, and the foot of
each chapter leads somewhere; every deck opens, and its PDF has a page for each slide; the problem sets are notebooks
without a solution or a hidden check.
Deliberately absent: what the tests of the site and of the problem sets find, and the book's PDF, which `print_book.py`
opens when it has printed it.
"""

import hashlib
import re
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import unquote

import pikepdf
from playwright.sync_api import TimeoutError as NotThere

from tools.give import slides
from tools.pages import companions, stills

SUMS = "SHA256SUMS"
TITLE = "Big Batches, Small Memory"
PATIENCE = 10_000  # milliseconds until a page has its title
SECRETS = ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS")


def sums(folder: Path) -> list[str]:
    """Files whose sum is another, or that have none."""
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    listed = {name: value for value, name in (line.split("  ", 1) for line in lines)}
    files = {path.name: path for path in folder.iterdir() if path.name != SUMS}
    wrong = [f"{name} is in {SUMS} and not in the folder" for name in sorted(listed.keys() - files.keys())]
    for name, path in sorted(files.items()):
        if hashlib.sha256(path.read_bytes()).hexdigest() != listed.get(name):
            wrong.append(f"{name}: its sum is not the one in {SUMS}")
    return wrong


def unpacked(path: Path, into: Path) -> Path:
    """The one folder that a zip holds."""
    with zipfile.ZipFile(path) as packed:
        packed.extractall(into)
    (top,) = into.iterdir()
    return top


def outside(urls: list[str]) -> list[str]:
    """Those of these addresses that need a network."""
    return [url for url in urls if not url.startswith(("file:", "data:", "blob:"))]


def site(folder: Path, browser) -> list[str]:
    """What is wrong with an unpacked site."""
    wrong, chapters = [], sorted((folder / "notebooks").glob("*.html"))
    for path in [folder / "index.html", *chapters[:1]]:
        requests, page = [], browser.new_page()
        page.on("request", lambda request, requests=requests: requests.append(request.url))
        page.goto(path.as_uri(), wait_until="load")
        try:  # the first page leads on to another
            page.wait_for_function("title => document.title.includes(title)", arg=TITLE, timeout=PATIENCE)
        except NotThere:
            wrong.append(f"{path.name} has the title {page.title()!r}, without {TITLE!r}")
        wrong += [f"{path.name} asks for {url}" for url in outside(requests)]
        page.close()
    for path in chapters:
        lines = companions.LINE.findall(path.read_text(encoding="utf-8"))
        if len(lines) != 1:
            wrong.append(f"{path.name} has {len(lines)} lines about what goes with it, and not one")
        for target in re.findall(r'href="([^"#]+)', "".join(lines)):
            if not (path.parent / unquote(target)).exists():
                wrong.append(f"{path.name} leads to {target}, which is not there")
    return wrong if chapters else [*wrong, "there is no chapter"]


def lectures(folder: Path, names: list[str], browser) -> list[str]:
    """What is wrong with unpacked decks."""
    wrong = []
    for name in names:
        path = folder / f"{name}.html"
        if missing := [kind for kind in ("html", "pdf") if not path.with_suffix(f".{kind}").exists()]:
            wrong += [f"there is no {name}.{kind}" for kind in missing]
            continue
        deck = slides.open_deck(browser, path)
        count = deck.evaluate("Reveal.getTotalSlides()")
        wrong += [f"{name}: {error}" for error in deck.errors]
        wrong += [f"{name} asks for {url}" for url in outside(deck.requests)]
        deck.close()
        with pikepdf.open(path.with_suffix(".pdf")) as pdf:
            if len(pdf.pages) < count:
                wrong.append(f"{name}.pdf has {len(pdf.pages)} pages for {count} slides")
    return wrong


def problem_sets(folder: Path, names: list[str]) -> list[str]:
    """What is wrong with unpacked problem sets."""
    notebooks = [f"{name}.ipynb" for name in names]
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    wrong = [f"{name} is no notebook for students" for name in sorted(files) if name not in notebooks]
    wrong += [f"there is no {name}" for name in notebooks if name not in files]
    for name in filter(files.get, notebooks):
        text = files[name].read_text(encoding="utf-8")
        wrong += [f"{name} has {secret!r} in it" for secret in SECRETS if secret in text]
    return wrong


def faults(folder: Path, decks: list[str], sets: list[str]) -> list[str]:
    """What is wrong with a release; an empty list when all is well."""
    with tempfile.TemporaryDirectory() as held, stills.chromium() as browser:
        tops = {}
        for kind in ("site", "slides", "assignments"):
            (packed,) = folder.glob(f"*-{kind}.zip")
            tops[kind] = unpacked(packed, Path(held, kind))
        wrong = sums(folder) + site(tops["site"], browser) + lectures(tops["slides"], decks, browser)
        return wrong + problem_sets(tops["assignments"], sets)
