"""The head of every page: a description for search engines, and no script that the page has no use for.

It is a Sphinx extension. The theme loads 1.5 MB of icons, twice, for the dozen that it shows, Sphinx's own index of
words, which `search_index.py` replaces, and MathJax on the preface, which has no formula. Here the icons that the built
pages have are written to `icons.css` as pictures, drawn from the theme's own file, and the rest is left out. Matplotlib
writes six decimals of a point into a drawing; the site's copies have two.
"""

import html
import re
from pathlib import Path

from docutils import nodes

UNUSED = "fontawesome|searchtools|language_data|searchindex"
# What sphinx-proof and sphinx-exercise write into every box of a kind; an id may stand once on a page.
SHARED_ID = re.compile(r' id="(?:proof|(?:proof|exercise|solution)-content)"')
LONGEST = 160  # characters of a description; what is longer is cut by who shows it
# A picture in the colour of the text, in place of the letter of a font that would have to be loaded.
ICON = """{of} {{ content: ""; display: inline-block; width: {em}em; height: 1em; background: currentColor;
  mask: url("data:image/svg+xml,{svg}") center / contain no-repeat; }}
"""
SVG = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {w} {h}'><path d='{path}'/></svg>"
# Where else the theme would load a font for an icon: beside the titles of boxes, and on a list of contents that makes
# room for the margin.
ELSEWHERE = {
    ".bd-article .admonition > .admonition-title::after": "bell",
    ".bd-article .exercise > .admonition-title::after": "pencil",
    ".bd-sidebar-secondary.hide:not(:hover) .onthispage::after": "angle-down",
}


def without_unused(head: str) -> str:
    """The head of a page without the scripts that no page needs."""
    return re.sub(rf"<script[^>]*[\"/](?:{UNUSED})\.js[^>]*></script>", "", head)


def description(doctree: nodes.document) -> str:
    """The first paragraph of a page that says something, cut at a word; empty where there is none."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = re.sub(r"\s+", " ", paragraph.astext()).strip()
        plain = isinstance(paragraph.parent, nodes.section) and not isinstance(paragraph[0], nodes.emphasis)
        if plain and len(text) > 40 and not list(paragraph.findall(nodes.math)):
            return text if len(text) <= LONGEST else text[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
    return ""


def place(app, page: str, template: str, context: dict, doctree) -> None:
    """Give the template its function, the page its description, and formulas their script only where there are some."""
    context["without_unused"] = without_unused
    context["body"] = SHARED_ID.sub("", context.get("body", ""))
    tags = context.get("metatags") or ""
    if 'name="description"' not in tags:
        title = app.env.titles[page].astext() if page in app.env.titles else page.capitalize()
        summary = (description(doctree) if doctree is not None else "") or f"{title}: {app.config.html_title}"
        context["metatags"] = f'{tags}<meta name="description" content="{html.escape(summary)}" />\n'
    if doctree is None or not list(doctree.findall(lambda n: isinstance(n, (nodes.math, nodes.math_block)))):
        scripts = [(script, f"{script.filename} {script.attributes.get('body')}") for script in context["script_files"]]
        context["script_files"] = [script for script, text in scripts if "mathjax" not in text.lower()]


def icons(names: set[str], library: str) -> str:
    """The style sheet that draws these icons; `library` is the theme's script with all of them, which has the paths."""
    rules = ["/* Icons: Font Awesome Free, https://fontawesome.com/license/free, CC BY 4.0. */\n"]
    places = [(f".fa-{name}::before", name) for name in sorted(names)] + list(ELSEWHERE.items())
    for of, name in places:
        match = re.search(rf'[{{,]"?{re.escape(name)}"?:\[(\d+),(\d+),\[[^\]]*\],"\w+","([^"]+)"\]', library)
        if match:  # the other names are of sizes and styles
            w, h, path = int(match[1]), int(match[2]), match[3]
            rules.append(ICON.format(of=of, em=w / h, svg=SVG.format(w=w, h=h, path=path)))
    return "".join(rules)


NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "z": 0}  # that follow the letter in a path of matplotlib's


def shorter(path: re.Match) -> str:
    """A path in steps of 0.01 from point to point, where it has absolute points; any other path as it is."""
    if "," in path[0]:
        return path[0]
    at, start, pieces, last = (0, 0), (0, 0), [], ""
    for kind, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path[0]):
        if len(numbers.split()) != NUMBERS.get(kind):  # not matplotlib's, or shortened already
            return path[0]
        whole = [round(100 * float(number)) for number in numbers.split()]
        steps = " ".join(f"{(number - at[k % 2]) / 100:g}" for k, number in enumerate(whole))
        pieces.append((" " if kind == last == "L" else kind.lower()) + steps)  # a second line needs no letter
        at, last = tuple(whole[-2:]) or start, kind
        start = at if kind == "M" else start
    return re.sub(r"(?<![\d.])0\.", ".", "".join(pieces).replace(" -", "-"))


def rounded(drawing: str) -> str:
    """A drawing with shorter paths, without the lines between its elements; 0.01 points are a seventieth of a pixel."""
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    drawing = re.sub(r">\s*\n\s*<", "><", drawing)
    return re.sub(r'(?<= d=")[^"]+', shorter, drawing)


def change(path: Path, function) -> None:
    path.write_text(function(path.read_text(encoding="utf-8")), encoding="utf-8")


def lighten(app, error) -> None:
    """The icons that the pages and the theme's scripts name, in place of the theme's; drawings without idle digits."""
    if error is not None:
        return
    out = Path(app.outdir)
    scripts = out / "_static" / "scripts"
    library = scripts / "fontawesome.js"
    pages = [*out.rglob("*.html"), *(path for path in scripts.glob("*.js") if path != library)]
    names = {name for path in pages for name in re.findall(r"\bfa-([a-z][a-z0-9-]+)", path.read_text(encoding="utf-8"))}
    (out / "_static" / "icons.css").write_text(icons(names, library.read_text(encoding="utf-8")), encoding="utf-8")
    letters = re.compile(r'(?:\.fa-[\w-]+:before,?)+\{content:"\\[0-9a-f]+"\}|@font-face\{[^}]*fontawesome[^}]*\}')
    change(out / "_static" / "styles" / "pydata-sphinx-theme.css", lambda style: letters.sub("", style))
    for drawing in (out / "_images").glob("*.svg"):
        change(drawing, rounded)


def setup(app) -> dict:
    app.connect("html-page-context", place, priority=900)  # after MathJax has been asked for
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
