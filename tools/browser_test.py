"""Runs the chapters on their pages, in a browser and in WebAssembly, and compares what they print: `make browser-test`.

    python tools/browser_test.py            every chapter that can run
    python tools/browser_test.py sgd adam   these

It takes the built site with the pack that `make browser` put beside it, and lets nothing else be loaded. It fails when
a cell ends with an error, or prints something else than the stored output; a cell that is tagged nbval-ignore-output,
and those of `MAY_DIFFER`, may. Deliberately absent: the figures; that a cell draws as many as ours is all that is
compared.
"""

import argparse
import sys
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import chapters
import running_pages
import stills

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1800  # seconds for a chapter
# Cells whose text may be another one, with the reason.
MAY_DIFFER = {"carrying_a_rate": {27: "the lower end of one interval is 0.765, on the edge between 0.76 and 0.77"}}
STATE = ".run-bar [role=status]"
ENDED = f"() => /have run|ended with|cannot run/.test(document.querySelector('{STATE}').textContent)"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def results(browser, address: str, stem: str) -> tuple[str, dict, list[str]]:
    """What the page says at the end, what every cell gave, and what was asked of other places."""
    page, outside = browser.new_page(), []
    page.set_default_timeout(1000 * LIMIT)
    page.route("**/*", lambda route: route.continue_() if route.request.url.startswith((address, "blob:", "data:"))
               else (outside.append(route.request.url), route.abort()))  # fmt: skip
    page.goto(f"{address}/notebooks/{stem}.html")
    page.get_by_role("button", name="Run this chapter here").click()
    page.wait_for_function(f"() => /Python is here|cannot run/.test(document.querySelector('{STATE}').textContent)")
    if "cannot" not in page.inner_text(STATE):
        page.get_by_role("button", name="Run all").click()
        page.wait_for_function(ENDED)
    said, cells = page.inner_text(STATE), page.evaluate("BookRun.results")
    page.close()
    return said, {int(number): cell for number, cell in cells.items()}, outside


def violations(name: str, expected: int, said: str, cells: dict, outside: list[str]) -> list[str]:
    """What is wrong with the results of a chapter with so many cells."""
    found = [f"it asked for {address}" for address in outside]
    if len(cells) < expected:
        found.append(f"{len(cells)} of {expected} cells have run: {said}")
    for number, cell in cells.items():
        if cell["error"]:
            found.append(f"cell {number} ends with an error:\n{cell['error']}")
        elif "differs from ours" in cell["said"] and number not in MAY_DIFFER.get(name, {}):
            found.append(f"cell {number} prints\n{cell['text']}\nand not\n{cell['expected']}")
        if not cell["error"] and cell["pictures"] != cell["drawn"]:
            found.append(f"cell {number} draws {cell['pictures']} figures and not {cell['drawn']}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="chapters, such as sgd (default: all that can run)")
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html")
    args = parser.parse_args()
    every = {chapters.name_of(stem): stem for stem in running_pages.runnable()}
    if unknown := {*args.names} - {*every}:
        parser.error(f"no chapter {', '.join(sorted(unknown))} runs on its page; these do: {', '.join(every)}")
    if not (args.html / "_static" / "run" / "pack" / "pack.js").exists():
        print(f"There is no pack beside the pages of {args.html}: make browser")
        return 2
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(args.html)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = []
    with stills.chromium() as browser:
        for name in args.names or every:
            start, nb = time.monotonic(), chapters.stored(ROOT)[every[name]]
            said, cells, outside = results(browser, f"http://127.0.0.1:{server.server_port}", every[name])
            same, differ = (
                sum(end in cell["said"] for cell in cells.values()) for end in ("same as", "differs from ours")
            )
            found = violations(name, len([*running_pages.code(nb)]), said, cells, outside)
            failed += [f"{name}: {violation}" for violation in found]
            seconds = time.monotonic() - start
            print(
                f"{name:24} {len(cells):3} cells, {same:2} texts equal, {differ} differ, {seconds:4.0f} s", flush=True
            )
    print("\n".join(failed) or "all chapters run in the browser as here")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
