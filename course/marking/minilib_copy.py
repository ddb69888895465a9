"""A copy of minilib without what a problem set asks for: its functions are there, and say that they are not.

An answer that is `minilib.optim.LARS` under another name, a subclass of it, or its text read from the disk then
fails where it is marked, whatever it did on the student's machine.
"""

import ast
import shutil
from pathlib import Path

import minilib

SAYS = 'raise NotImplementedError("minilib has no {name} while your work is marked: write it")'


def copy(folder: Path, withheld: list[str], without: tuple[str, ...] = ()) -> None:
    """Copy minilib to `folder`/minilib, without the bodies of the functions, and of the classes' methods, `withheld`.

    Args:
        withheld: such as "optim.lars.LARS" (all its methods) or "optim.trust.trust_ratio".
        without: packages that are left out, beside those that no problem set needs.

    ValueError: minilib has no such name.
    """
    to = folder / "minilib"
    shutil.rmtree(to, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__", "training", "torch_optim", "models", "compress", *without)
    shutil.copytree(Path(minilib.__file__).parent, to, ignore=ignore)
    for whole in withheld:
        module, _, name = whole.rpartition(".")
        path = to / f"{module.replace('.', '/')}.py"
        if not path.is_file() or not (text := _without(path.read_text(encoding="utf-8"), name)):
            raise ValueError(f"minilib has no {whole}, which the problem set withholds")
        path.write_text(text, encoding="utf-8")


def _without(text: str, name: str) -> str:
    """The module without the bodies of this function, or of this class's methods; empty where it has no such name."""
    lines, found = text.splitlines(), False
    for node in ast.parse(text).body:
        if getattr(node, "name", None) == name:
            found, inside = True, node.body if isinstance(node, ast.ClassDef) else [node]
            for function in (f for f in reversed(inside) if isinstance(f, ast.FunctionDef)):
                indent = " " * function.body[0].col_offset
                lines[function.body[0].lineno - 1 : function.end_lineno] = [indent + SAYS.format(name=name)]
    return "\n".join(lines) + "\n" if found else ""
