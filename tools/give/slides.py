"""Builds the slides of the course, and PDFs with a page for each slide and its notes.

    python tools/give/slides.py                 all decks of course/slides into _build/slides, and a list of them
    python tools/give/slides.py lars-1          this one
    python tools/give/slides.py lars-1 --pdf    and _build/slides/lars-1.pdf

A deck shows parts of the built book (`deck.py`); where there is none it is built first. Every warning is an error.
The pages of a PDF are pictures of the slides, with their notes below as text.
Deliberately absent: executing anything, and the rules of a deck's form, which `deck.py` has.
"""

import argparse
import base64
import html
import subprocess
import sys
from pathlib import Path

from tools import ROOT
from tools.pages import syllabus
from tools.pages.syllabus import DECKS

BOOK = ROOT / "_build"
OUT = BOOK / "slides"
READY = """() => Reveal.isReady() && document.readyState === "complete"
    && window.MathJax?.startup?.promise?.then(() => !document.querySelector("aside mjx-container"))"""
STYLE = "font:18px/1.6 system-ui,sans-serif;max-width:40em;margin:3em auto;color:#22272e"

# The decks week by week, those that no week has, and those of the workshops.
COURSE = {f"Week {number}": decks for number, decks in enumerate(syllabus.weeks(), 1)} | {
    "Beside the weeks": syllabus.beside(),
    "Workshops": syllabus.WORKSHOPS,
}


def newer(book: Path = BOOK, root: Path = ROOT) -> list[str]:
    """The chapters that changed after the book was built."""
    built = (book / ".doctrees" / "environment.pickle").stat().st_mtime
    return [path.stem for path in sorted((root / "notebooks").glob("*.ipynb")) if path.stat().st_mtime > built]


def build(decks: list[str], folder: Path = DECKS, out: Path = OUT, book: Path = BOOK) -> subprocess.CompletedProcess:
    """Let Sphinx build these decks of a folder; what it says is in `stdout`."""
    command = [sys.executable, "-m", "sphinx", "-b", "revealjs", "-c", str(DECKS), "-d", str(out / ".doctrees"), "-E"]
    command += ["-W", "--keep-going", "-q", "-T", "-D", f"root_doc={decks[0]}", "-D", f"deck_book={book}"]
    command += ["-D", "include_patterns=" + ",".join(f"{name}.md" for name in decks), str(folder), str(out)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)


def write_list(out: Path = OUT) -> None:
    """A page with a link to every deck that is built, week by week."""
    lines = []
    for week, decks in COURSE.items():
        links = [
            f'<a href="{name}.html">{html.escape(syllabus.title(name))}</a>'
            for name in decks
            if (out / f"{name}.html").exists()
        ]
        lines += [f"<dt>{week}</dt>", *(f"<dd>{link}</dd>" for link in links)] if links else []
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Slides</title><body style="{STYLE}">'
    (out / "index.html").write_text(f"{head}<h1>Slides</h1><dl>{''.join(lines)}</dl></body></html>\n", encoding="utf-8")


def open_deck(browser, path: Path, scale: float = 1):
    """A deck in a browser, at rest on its first slide, with what it asked for and complained about."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, device_scale_factor=scale)
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
    page.goto(path.as_uri())
    page.wait_for_function(READY)
    return page


def write_pdf(browser, path: Path) -> None:
    """The deck `path`, an HTML file, as a PDF beside it."""
    page, pictures = open_deck(browser, path, scale=2), []
    for k in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate("k => Reveal.slide(...Object.values(Reveal.getIndices(Reveal.getSlides()[k])))", k)
        pictures.append(base64.b64encode(page.screenshot(type="png")).decode())
    page.evaluate(
        """pictures => {
          const notes = Reveal.getSlides().map(slide => slide.querySelector("aside.notes").innerHTML);
          document.documentElement.className = "";
          document.body.className = "";
          document.body.removeAttribute("style");
          document.querySelector(".reveal").outerHTML = pictures.map((picture, k) =>
            `<div class="handout-page"><img alt="" src="data:image/png;base64,${picture}">${notes[k]}</div>`).join("");
        }""",
        pictures,
    )
    page.wait_for_function("() => [...document.images].every(image => image.complete)")
    page.pdf(path=str(path.with_suffix(".pdf")), prefer_css_page_size=True, print_background=True)
    page.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--pdf", action="store_true", help="write PDFs with the notes, too")
    args = parser.parse_args()
    there = syllabus.decks()
    decks = args.names or there
    if unknown := set(decks) - set(there):
        parser.error(f"there is no deck {', '.join(sorted(unknown))} in course/slides; there are {', '.join(there)}")
    if not (BOOK / ".doctrees" / "environment.pickle").exists():
        print("Slides show parts of the built book, and there is none yet: it is built first.", flush=True)
        if subprocess.run([sys.executable, "tools/pages/build_book.py"], cwd=ROOT).returncode:
            return 1
    if old := newer():
        print(f"the book was built before {', '.join(old)} changed; to show what they say today: make book")
    done = build(decks)
    print(done.stdout, end="")
    if done.returncode:
        return 1
    write_list()
    if args.pdf:
        from tools.pages import stills  # drives a browser, which building does without

        with stills.chromium() as browser:
            for name in decks:
                write_pdf(browser, OUT / f"{name}.html")
    print(f"{len(decks)} decks. Open {OUT / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
