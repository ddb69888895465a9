"""A Sphinx extension: what the build chooses for pages: texts that they insert, and outputs that chapters show.

A page that names one, as in {{ book_map }}, depends on its file: a text that changed has this page read again, and no
other. As settings of Sphinx any change of one would have all pages read again. `write` makes the files, in the folder
that the setting `inserted` names; a file whose text stays is not touched. A chapter is shown as it lies in the folder
that the setting `shown_outputs` names, with stored outputs, those of an execution on this machine, or a note on top.
Deliberately absent: what the texts say.
"""

import json
import re
from pathlib import Path

NAMED = re.compile(r"\{\{ *(\w+) *\}\}")


def keep(path: Path, text: str) -> None:
    """Write a file where its text would change."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write(folder: Path, texts: dict[str, str]) -> None:
    """The files of these texts, and no other files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        keep(folder / name, text)


def read(app) -> None:
    folder = Path(app.config.inserted)
    app.inserted = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} if folder.name else {}
    app.env.myst_config.substitutions = {name: text for name, text in app.inserted.items() if name.isidentifier()}


def text(app, name: str) -> str:
    """One of the texts, for the page that is read now; empty where there is none of this name."""
    if name in app.inserted:
        app.env.note_dependency(str(Path(app.config.inserted) / name))
    return app.inserted.get(name, "")


def run_of(app, page: str) -> dict | None:
    """What the foot of a chapter's page says of the run that made its outputs; None where there is no record."""
    said = app.inserted.get(f"run-{page.split('/')[-1]}") if page.startswith("notebooks/") else None
    return json.loads(said) if said else None


def depend(app, page: str, source: list[str]) -> None:
    """Note what a page inserts, and what those texts insert."""
    todo, known = NAMED.findall(source[0]), set()
    if page.startswith("notebooks/"):
        todo.append(f"run-{page.split('/')[-1]}")
    while todo:
        name = todo.pop()
        if name not in known:
            known.add(name)
            todo += NAMED.findall(text(app, name))


def choose(app, page: str, source: list[str]) -> None:
    """Replace what Sphinx read of a chapter by what shall be shown."""
    path = Path(app.config.shown_outputs) / f"{Path(page).name}.ipynb"
    if app.config.shown_outputs and page.startswith("notebooks/") and path.exists():
        source[0] = path.read_text(encoding="utf-8")
        app.env.note_dependency(str(path))


def setup(app) -> dict:
    app.add_config_value("inserted", "", "html")
    app.add_config_value("shown_outputs", "", "env")
    app.connect("source-read", choose)
    app.connect("builder-inited", read, priority=900)  # after MyST has made its settings
    app.connect("source-read", depend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
