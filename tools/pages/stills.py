"""Draws the still pictures of the figures that move: what a page shows where nothing can move.

    python tools/pages/stills.py               all figures whose still shows something else than what they draw today
    python tools/pages/stills.py noise-cloud   this one

Each figure is opened in a headless browser, in its light colours, and set as `ui.still` says, with all that waits for
a reader's first move; its panels, side by side, are written to `book/figures/NAME.svg`.
Deliberately absent: the controls and the sentence; a caption says what matters.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tools import preflight
from tools.pages import live_figures
from tools.pages.live_figures import FIGURES

PLACES = re.compile(r' (?:points|d|transform|viewBox|width|height|[xy][12]?|c[xy])="[^"]*"')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
VIEW = {"width": 860, "height": 900}
GAP = 12
STYLE = (
    "text{{fill:{ink};font:13px system-ui,sans-serif;"
    "paint-order:stroke;stroke:{panel};stroke-width:3px;stroke-linejoin:round}}.title{{font-weight:600}}"
    ".tick{{fill:{soft};font-size:12px}}.axis{{stroke:{line};fill:none}}"
)


def names() -> list[str]:
    """Every figure that moves."""
    return sorted(path.stem for path in FIGURES.glob("*.js") if path.stem != "live")


def page_of(name: str) -> str:
    """A page with nothing but this figure, which loads its files from `book/figures`."""
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += '<link rel="stylesheet" href="live.css">'
    scripts = "".join(f'<script src="{script}"></script>' for script in live_figures.scripts([name]))
    place = f'<div class="live" data-figure="{name}"></div>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{place}{scripts}'


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=preflight.browser(), args=arguments)
        yield browser
        browser.close()


def open_figure(browser: Browser, name: str, motion: str = "reduce"):
    """A new page of the browser that shows this figure alone; the caller closes it. It waits to be moved, unless
    `motion` is "no-preference".

    ValueError: the figure stops with an error while it is built.
    """
    page = browser.new_page(viewport=VIEW, reduced_motion=motion)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    address = FIGURES.as_uri()
    page.route(f"{address}/__{name}.html", lambda route: route.fulfill(body=page_of(name), content_type="text/html"))
    page.goto(f"{address}/__{name}.html")
    if errors:
        page.close()
        raise ValueError(f"book/figures/{name}.js: {'; '.join(errors)}")
    return page


def coarse(drawn: str) -> str:
    """The same drawing with places to a thousandth: the last digits of a logarithm differ from machine to machine."""

    def rounded(place: re.Match) -> str:
        return re.sub(r"-?\d+\.\d{4,}(e-?\d+)?", lambda number: f"{round(float(number[0]), 3):.7g}", place[0])

    return re.sub(r' (?!aria-label)[\w-]+="[^"]*"', rounded, drawn)


def same(one: str, other: str) -> bool:
    """Whether two stills show the same: all words and looks equal, and all places within half a pixel."""

    def parts(svg: str) -> tuple[str, list[float]]:
        places: list[str] = []
        bare = PLACES.sub(lambda place: NUMBER.sub(lambda n: places.append(n[0]) or "#", place[0]), svg)
        return bare, [float(n) for n in places]

    (bare, here), (bare_other, there) = parts(one), parts(other)
    return bare == bare_other and all(abs(a - b) <= 0.5 for a, b in zip(here, there, strict=True))


def still(browser: Browser, name: str) -> str:
    """The figure's panels as one SVG, colours resolved."""
    page = open_figure(browser, name)
    page.evaluate("Live.still(document.querySelector('.live'))")
    panels = page.locator(".panels > svg").evaluate_all(
        "all => all.map(svg => [svg.outerHTML, svg.viewBox.baseVal.width, svg.viewBox.baseVal.height])"
    )
    panels = [(coarse(text), *size) for text, *size in panels]
    used = {*re.findall(r"var\(--([\w-]+)\)", " ".join(text for text, *_ in panels))}
    used |= {"ink", "soft", "line", "paper", "panel"}
    colors = page.evaluate(
        "names => Object.fromEntries(names.map(name =>"
        " [name, getComputedStyle(document.querySelector('.live')).getPropertyValue('--' + name).trim()]))",
        sorted(used),
    )
    page.close()
    left, drawn = 0, []
    for text, width, height in panels:
        drawn.append(text.replace("<svg ", f'<svg x="{left:g}" width="{width:g}" height="{height:g}" ', 1))
        left += width + GAP
    height = max(height for _, _, height in panels)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left - GAP:g} {height:g}">'
    svg += f"<style>{STYLE.format(**colors)}</style>"
    svg += f'<rect width="100%" height="100%" fill="{colors["paper"]}"/>' + "\n".join(["", *drawn, "</svg>", ""])
    return re.sub(r"var\(--([\w-]+)\)", lambda match: colors[match[1]], svg).replace("><", ">\n<")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    chosen = parser.parse_args().names or names()
    if unknown := set(chosen) - set(names()):
        parser.error(f"there is no figure {', '.join(sorted(unknown))} in book/figures; there are {', '.join(names())}")
    with chromium() as browser:
        for name in chosen:
            try:
                path, drawn = FIGURES / f"{name}.svg", still(browser, name)
            except ValueError as error:
                parser.error(str(error))
            if not path.exists() or not same(path.read_text(encoding="utf-8"), drawn):
                path.write_text(drawn, encoding="utf-8")
                print(f"{path.relative_to(FIGURES.parent.parent)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
