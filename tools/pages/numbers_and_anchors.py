"""A Sphinx extension: numbers and anchors that Sphinx and its extensions would set wrongly.

Figures, tables, lemmas and exercises of an appendix have its letter: Figure C.1, Exercise C.2. Sphinx numbers only what
has a chapter number, and counts through everything else: the first figure of appendix C would be "Figure 4". A page
that is neither counts from 1. The title that a page has on paper gets the number that it has on a screen.

The index leads to a place on the page also where its entry stands directly before a theorem or a proof: Sphinx gives
the entry's anchor to what follows it, and sphinx-proof writes one anchor of its boxes and no other. So such an anchor
gets an element of its own. Deliberately absent: numbers for equations, which no appendix refers to.
"""

import re

from docutils import nodes


def letter(page: str) -> str:
    """The letter of an appendix, from the name of its page; empty for all other pages."""
    match = re.match(r"notebooks/([A-Z])_", page)
    return match[1] if match else ""


def renumber(app, env) -> list[str]:
    """Put the letter in place, and count from 1 on each page without a number. Returns the pages that changed."""
    changed = []
    for page, kinds in env.toc_fignumbers.items():
        if re.match(r"notebooks/\d", page) or not kinds:
            continue
        for kind, numbers in kinds.items():
            in_order = sorted(numbers, key=numbers.get)
            kinds[kind] = {name: (*letter(page), k) for k, name in enumerate(in_order, 1)}
        changed.append(page)
    return changed


def number_title(app, page: str, template: str, context: dict, doctree) -> None:
    """The theme prints a title of its own, `pagetitle`, which lacks the number of the chapter."""
    number = app.env.toc_secnumbers.get(page, {}).get("")
    if number:
        context["pagetitle"] = f"{'.'.join(map(str, number))}. {context['pagetitle']}"


def give_place(app, doctree) -> None:
    """An element of its own for each anchor of the index that a box has."""
    for node in list(doctree.findall(nodes.Admonition)):
        for anchor in [name for name in node.get("ids", []) if name.startswith("index-")]:
            node["ids"].remove(anchor)
            node.parent.insert(node.parent.index(node), nodes.target("", "", ids=[anchor]))


def setup(app) -> dict:
    """Sphinx calls this; the numbers must be there first, so it comes after Sphinx's own collector, and the theme."""
    app.connect("doctree-read", give_place)
    app.connect("html-page-context", number_title, priority=900)
    app.connect("env-get-updated", renumber, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
