"""How Sphinx makes the slides (`tools/give/slides.py`); what the book says of numbers and formulas holds here, too."""

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
for name, value in book["sphinx"]["config"].items():
    if name.startswith(("numfig", "math_", "language", "bibtex_default", "bibtex_reference", "nb_")):
        globals()[name] = value

project, author = book["title"], book["author"]
extensions = ["myst_nb", "sphinx_proof", "sphinx_exercise", "sphinx-mathjax-offline", "sphinxcontrib.bibtex"]
extensions += ["tools.pages.live_figures", "sphinx_revealjs", "tools.give.deck"]
myst_enable_extensions = book["parse"]["myst_enable_extensions"]
nb_execution_mode = "off"
bibtex_bibfiles = [str(ROOT / "book" / "references.bib")]
pygments_style = "a11y-high-contrast-light"
html_domain_indices = html_use_index = html_copy_source = False
exclude_patterns = ["README.md"]

# What a notebook's cell has to offer, the best first, as on the book's pages.
KINDS = ["text/html", "image/svg+xml", "image/png", "text/markdown", "text/plain"]
nb_mime_priority_overrides = [("revealjs", kind, rank) for rank, kind in enumerate(KINDS, 1)]

revealjs_html_theme = "revealjs-simple"
revealjs_style_theme = "deck.css"
revealjs_static_path = ["_static", str(ROOT / "book" / "figures"), str(ROOT / "book" / "_static" / "formulas.js")]
revealjs_css_files = ["pygments.css", "live.css"]
revealjs_js_files = ["formulas.js", ("deck.js", {"defer": "defer", "priority": 900})]
revealjs_script_conf = {
    "width": 1280,
    "height": 720,
    "margin": 0,
    "center": False,
    "display": "flex",
    "transition": "none",
    "hash": True,
    "slideNumber": "c/t",
    "controls": False,
}
revealjs_script_plugins = [{"name": "RevealNotes", "src": "revealjs/plugin/notes/notes.js"}]
