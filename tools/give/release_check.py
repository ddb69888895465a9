"""Opens every file of a release as its readers will, and says what is wrong with it.

    python tools/give/release_check.py _build/release/0.1.0

The sums hold and name every file; the zip of the site opens from a file, asks no network for anything, and the foot of
each chapter leads somewhere; every deck opens, and its PDF has a page for each slide; the book's PDF is what
`pdf_file.check` wants; no notebook for students has a solution or a hidden check in it.
Deliberately absent: what the tests of the site find on the same pages.
"""

import hashlib
import re
import sys
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import unquote

import nbformat

from tools.give import slides
from tools.pages import companions, syllabus

SUMS = "SHA256SUMS"
TITLE = "Big Batches, Small Memory"
PATIENCE = 10_000  # milliseconds until a page has its title
SECRETS = ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS")


def sums(folder: Path) -> list[str]:
    """Files whose sum is another, or that have none."""
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    listed = {name: value for value, name in (line.split("  ", 1) for line in lines)}
    there = {path.name: path for path in folder.iterdir() if path.name != SUMS}
    wrong = [f"{name} is in {SUMS} and not in the folder" for name in sorted(listed.keys() - there.keys())]
    for name, path in sorted(there.items()):
        if hashlib.sha256(path.read_bytes()).hexdigest() != listed.get(name):
            wrong.append(f"{name}: its sum is not the one in {SUMS}")
    return wrong


def unpacked(path: Path, into: Path) -> Path:
    """The one folder that a zip holds."""
    with zipfile.ZipFile(path) as packed:
        packed.extractall(into)
    (top,) = into.iterdir()
    return top


def site(folder: Path, browser) -> list[str]:
    """What is wrong with an unpacked site."""
    from playwright.sync_api import TimeoutError as NotThere

    wrong, chapters = [], sorted((folder / "notebooks").glob("*.html"))
    for page in [folder / "index.html", *chapters[:1]]:
        requests, opened = [], browser.new_page()
        opened.on("request", lambda request, requests=requests: requests.append(request.url))
        opened.goto(page.as_uri(), wait_until="load")
        try:  # the first page leads on to another
            opened.wait_for_function("title => document.title.includes(title)", arg=TITLE, timeout=PATIENCE)
        except NotThere:
            wrong.append(f"{page.name} has the title {opened.title()!r}, without {TITLE!r}")
        wrong += [f"{page.name} asks for {url}" for url in requests if not url.startswith(("file:", "data:", "blob:"))]
        opened.close()
    for page in chapters:
        lines = companions.LINE.findall(page.read_text(encoding="utf-8"))
        if len(lines) != 1:
            wrong.append(f"{page.name} has {len(lines)} lines about what goes with it, and not one")
        for target in re.findall(r'href="([^"#]+)', "".join(lines)):
            if not (page.parent / unquote(target)).exists():
                wrong.append(f"{page.name} leads to {target}, which is not there")
    return wrong if chapters else [*wrong, "there is no chapter"]


def lectures(folder: Path, names: list[str], browser) -> list[str]:
    """What is wrong with unpacked decks."""
    import pikepdf

    wrong = []
    for name in names:
        path = folder / f"{name}.html"
        if missing := [kind for kind in ("html", "pdf") if not path.with_suffix(f".{kind}").exists()]:
            wrong += [f"there is no {name}.{kind}" for kind in missing]
            continue
        deck = slides.open_deck(browser, path)
        count = deck.evaluate("Reveal.getTotalSlides()")
        wrong += [f"{name}: {said}" for said in deck.errors]
        wrong += [f"{name} asks for {url}" for url in deck.asked if not url.startswith(("file:", "data:", "blob:"))]
        deck.close()
        with pikepdf.open(path.with_suffix(".pdf")) as pdf:
            if len(pdf.pages) < count:
                wrong.append(f"{name}.pdf has {len(pdf.pages)} pages for {count} slides")
    return wrong


def problem_sets(folder: Path, names: list[str]) -> list[str]:
    """What is wrong with unpacked problem sets."""
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    wrong = [f"{name} is no notebook for students" for name in files if name not in {f"{n}.ipynb" for n in names}]
    for name in names:
        if f"{name}.ipynb" not in files:
            wrong.append(f"there is no {name}.ipynb")
            continue
        nb = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        text = "\n".join(cell.source for cell in nb.cells)
        wrong += [f"{name}.ipynb has {secret!r} in it" for secret in SECRETS if secret in text]
        answers = [c for c in nb.cells if c.cell_type == "code" and c.metadata.get("nbgrader", {}).get("solution")]
        solved = [cell for cell in answers if "NotImplementedError" not in cell.source]
        if solved or not answers:
            wrong.append(f"{name}.ipynb: {len(solved)} of {len(answers)} answers are not empty")
        if any(cell.get("outputs") for cell in nb.cells):
            wrong.append(f"{name}.ipynb has outputs")
    return wrong


def book(path: Path) -> list[str]:
    """What is wrong with the book's PDF."""
    from tools.give import pdf_file

    try:
        pdf_file.check(path)
    except ValueError as error:
        return [f"{path.name}: {error}"]
    return []


def faults(folder: Path, decks: list[str], sets: list[str]) -> list[str]:
    """What is wrong with a release; an empty list when all is well."""
    from tools.pages import stills

    wrong = sums(folder)
    with tempfile.TemporaryDirectory() as held, stills.chromium() as browser:
        (whole,) = folder.glob("*-site.zip")
        wrong += site(unpacked(whole, Path(held, "site")), browser)
        (whole,) = folder.glob("*-slides.zip")
        wrong += lectures(unpacked(whole, Path(held, "slides")), decks, browser)
        (whole,) = folder.glob("*-assignments.zip")
        wrong += problem_sets(unpacked(whole, Path(held, "sets")), sets)
    (whole,) = folder.glob("*.pdf")
    return wrong + book(whole)


def main() -> int:
    from course.marking import assignment

    if len(sys.argv) != 2 or not Path(sys.argv[1], SUMS).exists():
        print("usage: python tools/give/release_check.py FOLDER, one that has SHA256SUMS", file=sys.stderr)
        return 2
    wrong = faults(Path(sys.argv[1]), syllabus.decks(), assignment.names(companions.ROOT / "course"))
    print("\n".join(wrong) or "every file was opened, and all is well")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
