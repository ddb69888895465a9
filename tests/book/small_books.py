"""Small notebooks and books, made to be broken on purpose by the tests of the rules."""

import os
import subprocess
import sys

import nbformat

from tools import ROOT

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def markdown(text):
    return nbformat.v4.new_markdown_cell(text)


def cell(source, prints="", count=1, **metadata):
    """An executed code cell that printed something."""
    executed = nbformat.v4.new_code_cell(source, execution_count=count, metadata=metadata)
    if prints:
        executed.outputs = [nbformat.v4.new_output("stream", name="stdout", text=prints)]
    return executed


def leaving(source, prints, left):
    """An executed code cell that printed a table and left its data, as the fixture `left` has them."""
    made = cell(source, prints)
    made.outputs += [nbformat.v4.new_output("display_data", data={media: data}) for media, data in left]
    return made


def drawn(source="plt.show()", **metadata):
    """An executed code cell that drew a picture."""
    executed = cell(source, **metadata)
    executed.outputs = [nbformat.v4.new_output("display_data", data={"image/png": "iVBOR"})]
    return executed


def notebook(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


CHAPTER = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A chapter

{text}

```{{code-cell}} ipython3
{code}
```
"""


def write_chapter(root, text="Words.", code="import minilib\n\nprint(minilib.WORD)", name="01_a"):
    (root / "notebooks" / f"{name}.md").write_text(CHAPTER.format(text=text, code=code))


def files():
    """The files of the book: what git tracks, and what was added since."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    return [name for name in names if (ROOT / name).is_file()]


def git(root, *words):
    """Run git in a folder, as a person with a name."""
    name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", "-C", str(root), *name, *words], check=True, capture_output=True)


def tool(root, name, *arguments):
    """Run one of the book's tools on another root, with that root's minilib first on the path."""
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / name), *arguments, "--root", str(root)],
        env=os.environ | {"PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
