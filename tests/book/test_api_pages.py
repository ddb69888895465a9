"""The reference of the library has every public name once, says what the files say, and imports nothing."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from small_books import ROOT

from tools.pages import api_pages

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "book" / "api").glob("*.md")}
# A page, and where the public names of its module stand; None: those without an underscore, of files without a list.
PUBLIC = {"optim": "optim/__init__.py", "torch_optim": "torch_optim/__init__.py"}
PUBLIC |= {"schedules": "schedules.py", "verdicts": "experiments/verdicts.py"}
WRITTEN = {"together": "Together", "METHODS": None}  # another name of a class, and a table of all


def shown(page: str) -> list[tuple[str, str]]:
    """(file, line) of what a page shows."""
    blocks = re.findall(r"```\{api\} (\S+)\n(.*?)```", PAGES[page], re.DOTALL)
    return [(file, line) for file, lines in blocks for line in lines.splitlines()]


def public(page: str) -> set[str]:
    """The names that the module of a page gives to its users."""
    tree = ast.parse((ROOT / "minilib" / PUBLIC[page]).read_text(encoding="utf-8"))
    if not PUBLIC[page].endswith("__init__.py"):
        names = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
        return {name for name in names if not name.startswith("_")}
    listed = ast.unparse(tree.body[-1])
    names = set(re.findall(r"'(\w+)'", listed))
    if "*METHODS" in listed:
        for table in ("CHAPTERS", "LANDSCAPE"):
            names |= set(re.findall(r"\w+", re.search(rf"{table} = \((.*?)\)", ast.unparse(tree))[1]))
    return {WRITTEN.get(name, name) for name in names} - {None}


@pytest.mark.parametrize("page", PUBLIC)
def test_a_page_has_every_public_name_once_each_with_a_docstring(page):
    assert PAGES.keys() == PUBLIC.keys()
    assert Counter(line.partition(":")[0] for _, line in shown(page)) == Counter(public(page)), f"book/api/{page}.md"
    for file, line in shown(page):
        signature, *docstring = api_pages.contents(ROOT / file, line.partition(":")[0], [])
        assert docstring, line


SMALL = '''"""A file."""

LIMIT = (0.0, 1.0)


class Base:
    def __init__(self, params, *, lr=1e-3, phi=LIMIT, **options):
        pass


class Method(Base):
    """Moves by `lr`.

    Args:
        lr, phi: two numbers,
            in this order.
        options: see `Base`.

    Example::
        Method(params, lr=1.0)

    ValueError: `lr` is negative.
    TypeError: it is none.
    """
'''


def test_a_docstring_is_read_and_a_signature_is_inherited_as_it_is_written(tmp_path):
    path = tmp_path / "small.py"
    path.write_text(SMALL)
    signature, says, options, head, example, errors = api_pages.contents(path, "Method", [])
    assert head.astext() == "Example:"
    assert signature.astext() == "class Method(params, *, lr=1e-3, phi=(0.0, 1.0), **options)"
    assert says.astext() == "Moves by lr."
    assert [item[0].astext() for item in options] == ["lr, phi", "options"]
    assert options[0][1].astext() == "two numbers, in this order."
    assert (example.astext(), example["language"]) == ("Method(params, lr=1.0)", "python")
    assert [item[0].astext() for item in errors] == ["ValueError", "TypeError"]
    for name, wanted, absent in (("Nothing", [], "'Nothing'"), ("Method", ["step"], "'step'")):
        with pytest.raises(ValueError, match=f"defines no {absent}"):
            api_pages.contents(path, name, wanted)


def test_the_pages_are_made_where_neither_torch_nor_numpy_is():
    program = f"""
import sys; sys.path.insert(0, {str(Path(api_pages.__file__).parent)!r})
from tools.pages import api_pages
api_pages.contents(api_pages.ROOT / "minilib/torch_optim/came.py", "CAME", [])
print(*{{"torch", "numpy", "scipy", "minilib"}} & set(sys.modules))"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
