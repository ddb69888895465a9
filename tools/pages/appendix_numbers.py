"""Numbers figures, tables, lemmas and exercises of an appendix by its letter: Figure C.1, Exercise C.2.

It is a Sphinx extension. Sphinx numbers only what has a chapter number, and counts through everything else: the first
figure of appendix C would be "Figure 4". A page that is neither counts from 1. The title that a page has on paper gets
the number that it has on a screen. Deliberately absent: numbers for equations, which no appendix refers to.
"""

import re


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


def setup(app) -> dict:
    """Sphinx calls this; the numbers must be there first, so it comes after Sphinx's own collector, and the theme."""
    app.connect("html-page-context", number_title, priority=900)
    app.connect("env-get-updated", renumber, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
