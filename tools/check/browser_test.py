"""Runs the chapters on their pages, in a browser and in WebAssembly, and compares texts: `make browser TEST=1`.

    python tools/check/browser_test.py            every chapter that can run and has changed since it last did
    python tools/check/browser_test.py sgd adam   these
    python tools/check/browser_test.py --all      every chapter that can run

It takes the built site with the pack that `make browser` put beside it, and lets nothing else be loaded. It fails when
a cell ends with an error, or prints something else than the stored output; a cell that is tagged nbval-ignore-output,
and those of `MAY_DIFFER`, may. What came out is written to `book/in_browser/NAME.json`, a record like those of
`provenance.py`: with digests of the cells and of all that they read, so that a run that stopped goes on with the next
chapter. Deliberately absent: the figures; that a cell draws as many as ours is all that is compared.
"""

import argparse
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import psutil
from playwright.sync_api import Browser, Error

from tools import ROOT
from tools.chapter import chapters, provenance
from tools.pages import browser_pack, running_pages, stills

HTML = ROOT / "_build" / "html"
LIMIT = 3600  # seconds for a chapter
# Cells whose text may be another one, with the reason.
MAY_DIFFER = {"carrying_a_rate": {27: "the lower end of one interval is 0.765, on the edge between 0.76 and 0.77"}}
STATE = ".run-bar [role=status]"
ENDED = f"() => /have run|ended with|cannot run/.test(document.querySelector('{STATE}').textContent)"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def serve() -> str:
    """The address of a server of the built pages, which ends with this program."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(HTML)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def busy() -> float:
    """Seconds of processor time that the processes which this one started have used."""
    used = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            used += sum(process.cpu_times()[:2])
    return used


def results(browser: Browser, address: str, stem: str) -> tuple[str, dict, list[str]]:
    """What the page says at the end, what every cell gave, and what was asked of other places."""
    page, outside = browser.new_page(), []
    page.set_default_timeout(1000 * LIMIT)
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith((address, "blob:", "data:"))
               else (outside.append(route.request.url), route.abort()))  # fmt: skip
    try:
        page.goto(f"{address}/notebooks/{stem}.html")
        page.get_by_role("button", name="Run this chapter here").click()
        page.wait_for_function(f"() => /Python is here|cannot run/.test(document.querySelector('{STATE}').textContent)")
        if "cannot" not in page.inner_text(STATE):
            page.get_by_role("button", name="Run all").click()
            page.wait_for_function(ENDED)
        state, cells = page.inner_text(STATE), page.evaluate("BookRun.results")
        page.close()
    except Error as error:  # the browser's: the page is gone, or the time is over
        state, cells = f"the browser says: {error.message.splitlines()[0]}", {}
    return state, {int(number): cell for number, cell in cells.items()}, outside


def violations(name: str, expected: int, state: str, cells: dict, outside: list[str]) -> list[str]:
    """What is wrong with the results of a chapter with so many cells."""
    faults = [f"it asked for {address}" for address in outside]
    if len(cells) < expected:
        faults.append(f"{len(cells)} of {expected} cells have run: {state}")
    for number, cell in cells.items():
        if cell["error"]:
            faults.append(f"cell {number} ends with an error:\n{cell['error']}")
        elif "differs from ours" in cell["said"] and number not in MAY_DIFFER.get(name, {}):
            faults.append(f"cell {number} prints\n{cell['text']}\nand not\n{cell['expected']}")
        if not cell["error"] and cell["pictures"] != cell["drawn"]:
            faults.append(f"cell {number} draws {cell['pictures']} figures and not {cell['drawn']}")
    return faults


def record(stem: str, browser: str, seconds: float, cells: dict, wrong: list[str]) -> dict:
    """What to remember of a chapter's run; `made`, `seconds` (of processor), `cells`, `reads` as in `provenance`."""
    nb, pyodide = chapters.stored(ROOT)[stem], running_pages.pyodide()
    run = provenance.record(ROOT, nb, running_pages.inputs(ROOT, stem), seconds)
    run["versions"] = {"Pyodide": pyodide["version"], "Chromium": browser}
    count = {word: sum(end in cell["said"] for cell in cells.values()) for word, end in running_pages.SAID.items()}
    run |= {"run": len(cells), "of": len([*running_pages.code(nb)]), **count, "wrong": wrong}
    wanted = running_pages.wanted(running_pages.runnable()[stem], pyodide)
    return run | {"unchecked": [file for file in browser_pack.unchecked(HTML) if file in wanted]}


def chapter(address: str, name: str, stem: str) -> list[str]:
    """Run a chapter, write its record, and say what was wrong."""
    with stills.chromium() as browser:
        before = busy()
        state, cells, outside = results(browser, address, stem)
        seconds = busy() - before
        expected = len([*running_pages.code(chapters.stored(ROOT)[stem])])
        wrong = violations(name, expected, state, cells, outside)
        run = record(stem, browser.version, seconds, cells, wrong)
    provenance.save(ROOT / running_pages.RECORDS, name, run)
    print("{:24} {run:3} of {of} cells, {same:2} texts equal, {differ} differ, {seconds:5.0f} s of processor time"
          .format(name, **run), flush=True)  # fmt: skip
    return wrong


def todo(every: dict[str, str]) -> dict[str, str]:
    """Those of these chapters whose record is missing, of a run that failed, or of other cells or files."""
    left = {}
    for name, stem in every.items():
        run = provenance.load(ROOT / running_pages.RECORDS, name)
        if run and not running_pages.changed(ROOT, chapters.stored(ROOT)[stem], run):
            print(f"{name:24} as it was run on {run['made']}")
        else:
            left[name] = stem
    return left


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters, such as sgd (default: what has changed)")
    parser.add_argument("--all", action="store_true", help="chapters that have not changed, too")
    args = parser.parse_args()
    every = {chapters.name_of(stem): stem for stem in running_pages.runnable()}
    if unknown := {*args.names} - {*every}:
        parser.error(f"no chapter {', '.join(sorted(unknown))} runs on its page; these do: {', '.join(every)}")
    if not (HTML / "_static" / "run" / "pack" / "pack.js").exists():
        print(f"There is no pack beside the pages of {HTML}: make browser")
        return 2
    wanted = {name: every[name] for name in args.names} or (every if args.all else todo(every))
    address, start = serve(), time.monotonic()
    failed = [f"{name}: {wrong}" for name, stem in wanted.items() for wrong in chapter(address, name, stem)]
    print("\n".join(failed) or f"all chapters run in the browser as here ({time.monotonic() - start:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
