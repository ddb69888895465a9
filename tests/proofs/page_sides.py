"""The two sides of a step as a chapter computes them: the chapter's own lines, for numbers that a test chooses."""

import ast
import functools
import math

from tools.chapter import notebooks

SCOPES = (ast.FunctionDef, ast.ClassDef)


def walk(node, around=()):
    for child in ast.iter_child_nodes(node):
        yield child, around
        yield from walk(child, (*around, child) if isinstance(child, SCOPES) else around)


def bound(node) -> list[str]:
    """The names that a statement gives a value."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [one.asname or one.name for one in node.names]
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
    return [node.name] if isinstance(node, SCOPES) else []


@functools.cache
def nodes(chapter: str) -> list[tuple]:
    """All of a chapter's code, in its order: (node, the functions and classes around it)."""
    cells = [cell.source for cell in notebooks.source(notebooks.find(chapter)).cells if cell.cell_type == "code"]
    return [*walk(ast.parse("\n".join(cells[1:])))]  # the first one starts the chapter, and is not Python alone


def strings(chapter: str) -> set[str]:
    return {node.value for node, _ in nodes(chapter) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


class Page(dict):
    """What a chapter's names stand for above one of its lines: a given value, or what the nearest line above says.

    The line is that of a ledger's row, or of another string; where several are named, of the first after the last one.
    Without one it is the end of the chapter. A name is evaluated when it is asked for, and what its line names before.
    """

    def __init__(self, chapter: str, *strings: str, **given):
        super().__init__(given)
        self.nodes, self.given, self.line, self.around = nodes(chapter), given, 0, ()
        for string in strings:
            here = (node for node, _ in self.nodes if isinstance(node, ast.Constant) and node.value == string)
            self.line = next(node.lineno for node in here if node.lineno > self.line)
        self.line = self.line or math.inf
        self.around = [node for node, _ in self.nodes if isinstance(node, SCOPES) and self.within(node)]

    def within(self, node) -> bool:
        return node.lineno <= self.line <= node.end_lineno

    def __missing__(self, name):
        found = [node for node, around in self.nodes if name in bound(node) and {*around} <= {*self.around}]
        if not found:
            raise KeyError(name)  # after which Python looks among its own names
        above = [node for node in found if node.end_lineno < self.line]
        statement, line = (above or found[:1])[-1], self.line
        self.line = statement.lineno
        exec(compile(ast.Module([statement], []), name, "exec"), self)
        self.line = line
        self.update(self.given)
        return self[name]

    def side(self, which: int):
        """The left (0) or the right side (1) of the comparison in this line."""
        calls = (node for node, _ in self.nodes if isinstance(node, ast.Call) and node.end_lineno >= self.line)
        call = next(call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in ("leq", "eq"))
        return eval(compile(ast.Expression(call.args[1 + which]), "side", "eval"), self)

    def sides(self):
        return self.side(0), self.side(1)
