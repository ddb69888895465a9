"""The reference of the library: signatures, docstrings and source, read from the files without importing them.

It is a Sphinx extension. On a page stands

    ```{api} minilib/optim/lamb.py
    LAMB
    Optimizer: step, state_dict
    ```

and becomes what the file says of itself, a section for each name (with these methods, of a class), and the file in a
fold. The name of an object in the text of any page, such as `minilib.optim.LAMB`, then leads to its section; on the
pages of the reference `LAMB` does. Nothing is imported, because the pages are built where neither torch nor NumPy is.
Deliberately absent: Sphinx's autodoc, which imports; what a page does not name, so that what is internal stays out.
"""

import ast
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tools import ROOT

WIDTH = 72  # of a signature on one line
BASES = {"Optimizer"}  # what nobody makes an object of
ITEM = re.compile(r"([\w*.]+(?:, [\w*.]+)*): (.*)", re.DOTALL)
ERROR = re.compile(r"((?:\w+Error|Shapes)): (.*)", re.DOTALL)
CODE = ("Example:", "Examples:")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(file: str) -> str:
    """The package whose users import what a file defines: `minilib.optim` of minilib/optim/lamb.py."""
    parts = file.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[1] in ("optim", "torch_optim") else parts)


def definition(path: Path, name: str) -> ast.ClassDef | ast.FunctionDef:
    """What a file defines under a name. ValueError: nothing."""
    for node in parsed(path).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node
    raise ValueError(f"{path.name} defines no {name!r}")


def member(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == name), None)


def constructor(path: Path, node: ast.ClassDef) -> ast.FunctionDef | None:
    """The `__init__` of a class or of the first parent that has one; None where it has no own, as a dataclass."""
    if own := member(node, "__init__"):
        return own
    for base in node.bases:
        if isinstance(base, ast.Name):
            there = home(path, base.id)
            if own := constructor(there, definition(there, base.id)):
                return own
    return None


def home(path: Path, name: str) -> Path:
    """The file of minilib that defines a name which this file uses."""
    for one in parsed(path).body:
        if isinstance(one, ast.ImportFrom) and name in [alias.name for alias in one.names]:
            return ROOT / f"{one.module.replace('.', '/')}.py"
    return path


def written(path: Path, node: ast.expr) -> str:
    """An expression as its file has it; a constant of minilib as its value."""
    if isinstance(node, ast.Name) and node.id.isupper():
        there = home(path, node.id)
        values = [
            one.value for one in parsed(there).body if isinstance(one, ast.Assign) and one.targets[0].id == node.id
        ]
        return written(there, values[0])
    return ast.get_source_segment(path.read_text(encoding="utf-8"), node)


def arguments(path: Path, function: ast.FunctionDef, bound: bool) -> list[str]:
    """The arguments of a function as they are written; `bound`: without the first, the object or the class."""

    def argument(arg: ast.arg, default: ast.expr | None = None) -> str:
        said = f"{arg.arg}: {written(path, arg.annotation)}" if arg.annotation else arg.arg
        equals = " = " if arg.annotation else "="
        return said if default is None else f"{said}{equals}{written(path, default)}"

    given = function.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    parts = [argument(*pair) for pair in list(zip(given.args, defaults, strict=True))[bound:]]
    if given.vararg or given.kwonlyargs:
        parts.append("*" + (argument(given.vararg) if given.vararg else ""))
    parts += [argument(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return parts + ([f"**{argument(given.kwarg)}"] if given.kwarg else [])


def signature(path: Path, name: str, function: ast.FunctionDef | None, bound: bool, kind: str = "") -> str:
    """`name(argument, ...)`, over several lines where one would be too long."""
    if function is None:
        return f"{kind}{name}"
    parts = arguments(path, function, bound)
    returns = f" -> {written(path, function.returns)}" if function.returns and kind != "class " else ""
    line = f"{kind}{name}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return line
    return f"{kind}{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


# ---- A docstring as nodes --------------------------------------------------------------------------------------------


def inline(text: str) -> list[nodes.Node]:
    """Text with `code` in it."""
    pieces = re.split(r"`([^`]+)`", " ".join(text.split()))
    return [nodes.literal(piece, piece) if k % 2 else nodes.Text(piece) for k, piece in enumerate(pieces) if piece]


def paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", *inline(text), support_smartquotes=False)  # quotes here are Python's


def items(pairs: list[tuple[str, str]]) -> nodes.definition_list:
    """A list of names and what is said of them."""
    rows = nodes.definition_list()
    for name, text in pairs:
        term = nodes.term("", "", *(inline(f"`{name}`") if name.islower() or "Error" in name else inline(name)))
        rows += nodes.definition_list_item("", term, nodes.definition("", paragraph(text)))
    return rows


def block(lines: list[str]) -> list[nodes.Node]:
    """A part of a docstring between two empty lines: its text, then what is indented below it."""
    text = [line for line in lines if not line.startswith(" ")]
    below = lines[len(text) :]
    if any(not line.startswith(" ") for line in below):  # no text with something below it: as it stands
        text, below = lines, []
    parts, head = [], re.sub("::$", ":", " ".join(text))  # the second colon is for other programs
    if ERROR.fullmatch(head):
        said = re.split(r"(?:^| )(\w+Error|Shapes): ", head)[1:]
        parts.append(items(list(zip(said[::2], said[1::2], strict=True))))
    elif head and head not in ("Args:", "Attributes:", "Raises:"):
        parts.append(paragraph(head))
    if not below:
        return parts
    least = min(len(line) - len(line.lstrip()) for line in below)
    below = [line[least:] for line in below]
    said = [one.strip() for one in re.split(r"\n(?! )", "\n".join(below))]
    if head not in CODE and all(ITEM.fullmatch(one) for one in said):
        return [*parts, items([ITEM.fullmatch(one).groups() for one in said])]
    code = "\n".join(below)
    return [*parts, nodes.literal_block(code, code, language="python" if head in CODE else "text")]


def body(docstring: str | None) -> list[nodes.Node]:
    """A docstring as nodes."""
    parts, cleaned = [], re.split(r"\n\s*\n", docstring or "")
    blocks = []
    for text in cleaned:  # what is indented goes on with the block before it
        if blocks and text.startswith(" ") and blocks[-1].rstrip().endswith(":"):
            blocks[-1] += "\n" + text
        else:
            blocks.append(text)
    for text in blocks:
        parts += block(text.splitlines())
    return parts


# ---- The directive ---------------------------------------------------------------------------------------------------


def code(text: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="python", classes=["api-signature"])


def methods(path: Path, node: ast.ClassDef, names: list[str]) -> nodes.definition_list:
    """These methods of a class with their docstrings."""
    rows = nodes.definition_list(classes=["api-methods"])
    for name in names:
        function = member(node, name)
        if function is None:
            raise ValueError(f"{node.name} defines no {name!r}")
        decorators = {decorator.id for decorator in function.decorator_list if isinstance(decorator, ast.Name)}
        text = name if "property" in decorators else signature(path, name, function, "staticmethod" not in decorators)
        term = nodes.term("", "", nodes.literal(text, " ".join(text.split()).replace("( ", "(").replace(", )", ")")))
        rows += nodes.definition_list_item("", term, nodes.definition("", *body(ast.get_docstring(function))))
    return rows


def contents(path: Path, name: str, wanted: list[str]) -> list[nodes.Node]:
    """What a section says: the signature, the docstring, the methods."""
    node = definition(path, name)
    is_class = isinstance(node, ast.ClassDef)
    function = node if not is_class else None if name in BASES else constructor(path, node)
    parts = [code(signature(path, name, function, is_class, "class " if is_class else "def "))]
    parts += body(ast.get_docstring(node))
    return parts + ([methods(path, node, wanted)] if wanted else [])


def source(path: Path, file: str) -> nodes.admonition:
    """The whole file, folded."""
    text = path.read_text(encoding="utf-8").rstrip()
    title = nodes.title("", "", nodes.Text("Source: "), nodes.literal(file, file))
    return nodes.admonition("", title, nodes.literal_block(text, text, language="python"), classes=["dropdown", "api"])


class Api(SphinxDirective):
    """The objects of a file; see above."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        file = self.arguments[0]
        path, module = ROOT / file, module_of(file)
        self.env.note_dependency(str(path))
        self.state.document["api"] = module
        about = body(ast.get_docstring(parsed(path)))
        sections = [self.section(path, module, line) for line in self.content if line.strip()]
        return [*about, *sections, source(path, file)]

    def section(self, path: Path, module: str, line: str) -> nodes.section:
        name, _, wanted = line.partition(":")
        anchor = f"{module}.{name.strip()}"
        section = nodes.section("", nodes.title(name, name), ids=[anchor], names=[anchor.lower()])
        try:
            section += contents(path, name.strip(), re.findall(r"\w+", wanted))
        except ValueError as error:
            raise self.error(str(error)) from None
        self.env.get_domain("std").note_hyperlink_target(anchor.lower(), self.env.docname, anchor, name)
        return section


def lead(app, doctree, page: str) -> None:
    """The names of objects and modules in the text of a page become links to their place in the reference."""
    labels = app.env.get_domain("std").labels
    here = doctree.get("api", "")
    for node in list(doctree.findall(nodes.literal)):
        name = re.sub(r"\(\)$", "", node.astext()).lower()
        whole = name.startswith("minilib.")
        target = labels.get(name if whole else f"{here}.{name}")
        inside = isinstance(node.parent, nodes.reference | nodes.title | nodes.term)
        if target and not inside and (here or whole and target[0] != page):
            link(app, node, page, target)


def link(app, node: nodes.literal, page: str, target: tuple) -> None:
    there, anchor, _ = target
    address = app.builder.get_relative_uri(page, there) + f"#{anchor}" * bool(anchor)
    node.replace_self(nodes.reference("", "", node.deepcopy(), internal=True, refuri=address))


def setup(app) -> dict:
    app.add_directive("api", Api)
    app.connect("doctree-resolved", lead)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
