"""A Sphinx extension: the site shows a chapter as it lies in the folder that the setting `shown_outputs` names.

What the reader sees of a chapter (stored outputs, those of an execution on this machine, a note on top) is decided by
`build_book.py` before Sphinx starts.
"""

from pathlib import Path


def choose(app, docname, source):
    """Replace what Sphinx read of a chapter by what shall be shown."""
    path = Path(app.config.shown_outputs) / f"{Path(docname).name}.ipynb"
    if docname.startswith("notebooks/") and path.exists():
        source[0] = path.read_text(encoding="utf-8")
        app.env.note_dependency(str(path))


def setup(app):
    app.add_config_value("shown_outputs", "", "env")
    app.connect("source-read", choose)
    return {"parallel_read_safe": True}
