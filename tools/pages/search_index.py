"""The search of the site: what its sections say, written by the build into one script that the search page loads.

It is a Sphinx extension and takes the place of Sphinx's own index, whose ranking counts no words. An entry is a
section, a fold with a name, an exercise or a word of the glossary, with its own text and not that of entries inside it.
`book/_static/search.js` ranks them in the browser, so all works from a file as well. Deliberately absent: solutions,
displayed formulas, what cells print, and code but for the names that it defines.
"""

import json
import re
import unicodedata
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.search.en import english_stopwords, js_porter_stemmer
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node, solution_node

NAME = "search-index.js"
LEFT_OUT = (nodes.literal_block, nodes.math_block, nodes.raw, nodes.comment, nodes.image, solution_node)
SIGNS = {
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "approx": "≈", "propto": "∝", "ll": "≪", "gg": "≫",
    "cdot": "·", "times": "×", "pm": "±", "infty": "∞", "sqrt": "√", "sum": "∑", "nabla": "∇", "to": "→", "in": "∈",
    "lVert": "‖", "rVert": "‖", "Vert": "‖", "log": "log ", "exp": "exp ", "min": "min ", "max": "max ", "ldots": "…",
}  # fmt: skip


def plain(tex: str) -> str:
    r"""A short formula as text, for the line below a result: `\eta/\sqrt{\beta_2}` gives η/√β2."""

    def sign(match) -> str:
        word = match[1]
        greek = f"GREEK {'CAPITAL' if word[0].isupper() else 'SMALL'} LETTER {word.removeprefix('var').upper()}"
        try:
            return unicodedata.lookup(greek)
        except KeyError:
            return SIGNS.get(word, "")

    def over(match) -> str:
        parts = (match[1].strip("{}"), match[2].strip("{}"))
        return "/".join(part if len(part) == 1 else f"({part})" for part in parts)

    tex = re.sub(r"\\[td]?frac\s*(\w|{[^{}]*})\s*(\w|{[^{}]*})", over, tex)
    return re.sub(r"\\.|[{}_$&]", "", re.sub(r"\\([A-Za-z]+) ?", sign, tex))


def is_entry(node: nodes.Node) -> bool:
    """Is this one result of the search?"""
    if isinstance(node, nodes.section):  # sphinx-proof and sphinx-exercise put their bodies into sections without title
        return isinstance(node[0], nodes.title)
    if isinstance(node, nodes.admonition) and node["names"]:  # a fold with a name stands for a section
        return True
    word = isinstance(node, nodes.definition_list_item) and isinstance(node.parent.parent, addnodes.glossary)
    return word or isinstance(node, (exercise_node, exercise_enumerable_node))


def own_text(node: nodes.Node) -> str:
    """The text of a node without that of the entries inside it."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, LEFT_OUT):
        return ""
    text = "".join(own_text(child) for child in node.children if not is_entry(child))
    return text if isinstance(node, nodes.Inline) else f"{text} "


def tidy(parts) -> str:
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def marked(node: nodes.Node) -> list[str]:
    """What an entry explains: its words in bold and in the index; functions and classes that its code defines."""
    if isinstance(node, nodes.literal_block):
        return re.findall(r"^(?:def|class) (\w+)", node.astext(), re.MULTILINE)
    if isinstance(node, addnodes.index):
        return [value for _, value, *_ in node["entries"]]
    if isinstance(node, nodes.strong):
        return [own_text(node)]
    return [word for child in node.children if not is_entry(child) for word in marked(child)]


def entries(doctree: nodes.document, numbers: dict[str, tuple[int, ...]]) -> list[list[str]]:
    """What can be found on a page, in its order: [anchor, number, title, text, marked words]."""
    listed = []
    for node in doctree.findall(is_entry):
        title = node.next_node(lambda n: isinstance(n, (nodes.title, nodes.term)))
        heading = tidy(own_text(title))
        if isinstance(node, (exercise_node, exercise_enumerable_node)):  # its title is "(Two layers by hand (warm-up))"
            heading = "Exercise: " + re.sub(r"^\(|( \([a-z]+\))?\)$", "", heading)
        anchor = (node["ids"] or title["ids"])[0]
        number = numbers.get("" if node.parent is doctree else f"#{anchor}", ())
        body = [own_text(child) for child in node.children if child is not title and not is_entry(child)]
        marks = ", ".join(dict.fromkeys(map(tidy, marked(node))))
        listed.append([anchor, ".".join(map(str, number)), heading, tidy(body), marks])
    return listed


def kept(app) -> Path:
    """The entries of all pages, also of those that a later build does not write."""
    return Path(app.doctreedir) / "search-entries.json"


def start(app) -> None:
    """Sphinx makes no index and no page of its own."""
    app.search_entries = json.loads(kept(app).read_text(encoding="utf-8")) if kept(app).exists() else {}
    app.builder.search = False


def collect(app, doctree, page: str) -> None:
    app.search_entries[page] = entries(doctree, app.env.toc_secnumbers.get(page, {}))


def search_page(app):
    yield "search", {"title": "Search"}, "search.html"


def write(app, error) -> None:
    if error is None:
        found = {page: app.search_entries[page] for page in sorted(app.env.found_docs)}
        kept(app).write_text(json.dumps(found), encoding="utf-8")
        pages = json.dumps(list(found.items()), ensure_ascii=False, separators=(",", ":"))
        stop = json.dumps(sorted(english_stopwords))
        script = f"{js_porter_stemmer}\nconst STOP = new Set({stop});\nconst PAGES = {pages};\n"
        (Path(app.outdir) / "_static" / NAME).write_text(script, encoding="utf-8")


def setup(app) -> dict:
    app.connect("builder-inited", start)
    app.connect("doctree-resolved", collect, priority=900)  # and so in the process that writes the index
    app.connect("html-collect-pages", search_page)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
