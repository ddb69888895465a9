"""How far every assertion of a chapter is from failing: what an IPython kernel records while the cells run.

`install()` rewrites each comparison inside an `assert` so that it is carried out as it stands and its slack is kept:
for `a < b` that is b - a, for arrays the smallest entry, for a comparison that runs often the smallest of all; inside
`any(...)` the largest. `np.allclose` and its like have the slack tolerance - |a - b|.
Deliberately absent: `==` and `in`, which hold or do not; what stands under `not` and `or` or inside another
comparison; assertions inside the library.
"""

import ast
import json
import operator

OPERATORS = {"Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge}
slacks: dict[str, float] = {}


def plain(value):
    """A tensor without its graph, which NumPy refuses; all else as it is."""
    return value.detach() if hasattr(value, "detach") else value


def keep(key, values, largest):
    """Note the slack of one comparison; what is no number has none."""
    import numpy as np

    try:
        values = np.asarray(plain(values), dtype=float).ravel()
        value = float(values.max() if largest else values.min())
    except (TypeError, ValueError):
        return
    if value == value:
        slacks[key] = (max if largest else min)(value, slacks.get(key, value))


def compare(key, largest, names, *sides):
    """The comparison `sides[0] < sides[1] < ...` with the operators `names`; its slacks are noted."""
    result = True
    for number, (name, left, right) in enumerate(zip(names, sides, sides[1:], strict=False)):
        try:
            gap = right - left if name.startswith("Lt") else left - right
            keep(f"{key}{'abcdefgh'[number] if len(names) > 1 else ''}", gap, largest)
        except Exception:  # strings, lists, sets: compared all the same in the next line
            pass
        now = OPERATORS[name](left, right)
        result = now if number == 0 else result and now
    return result


def close(key, largest, function, *args, **kwargs):
    """`function(a, b, rtol, atol)` of NumPy, torch or math; its slack is noted."""
    import numpy as np

    try:
        a, b = (np.asarray(plain(value), dtype=float) for value in args[:2])
        rest = dict(zip(("rtol", "atol"), args[2:4], strict=False)) | kwargs
        rtol, atol = (1e-9, 0.0) if function.__module__ == "math" else (1e-5, 1e-8)
        absolute = rest.get("atol", rest.get("abs_tol", atol))
        relative = rest.get("rtol", rest.get("rel_tol", rtol))
        keep(key, absolute + relative * np.abs(b) - np.abs(a - b), largest)
    except (TypeError, ValueError):
        pass
    return function(*args, **kwargs)


class Comparisons(ast.NodeTransformer):
    """Replaces the comparisons inside assertions by calls of `compare` and `close`."""

    def __init__(self):
        self.cell, self.key, self.count, self.largest = 0, None, 0, False

    def visit_Assert(self, node):
        self.key, self.count = f"cell {self.cell}: {ast.unparse(node.test)[:120]}", 0
        node.test = self.visit(node.test)
        self.key = None
        return node

    def noting(self, function, node, *arguments):
        self.count += 1
        key = f"{self.key} #{self.count}" if self.count > 1 else self.key
        first = [ast.Constant(key), ast.Constant(self.largest), *arguments]
        called = ast.Attribute(ast.Name("_margins", ast.Load()), function, ast.Load())
        return first, called

    def visit_Compare(self, node):  # a comparison inside another decides nothing by itself
        names = [type(op).__name__ for op in node.ops]
        if self.key is None or not {*names} <= {*OPERATORS}:
            return node
        first, called = self.noting("compare", node, ast.Constant(tuple(names)))
        return ast.copy_location(ast.Call(called, [*first, node.left, *node.comparators], []), node)

    def visit_BoolOp(self, node):
        return node if isinstance(node.op, ast.Or) else self.generic_visit(node)

    def visit_Call(self, node):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if self.key is not None and name in ("allclose", "isclose") and len(node.args) >= 2:
            first, called = self.noting("close", node, node.func)
            return ast.copy_location(ast.Call(called, [*first, *node.args], node.keywords), node)
        outer, self.largest = self.largest, self.largest or name == "any"
        self.generic_visit(node)
        self.largest = outer
        return node

    def visit_UnaryOp(self, node):
        return node if isinstance(node.op, ast.Not) else self.generic_visit(node)

    def visit_Module(self, node):  # once a cell
        self.cell += 1
        return ast.fix_missing_locations(self.generic_visit(node))


def install():
    """Record the assertions of every cell that this kernel runs from now on."""
    import sys

    from IPython import get_ipython

    shell = get_ipython()
    shell.user_ns["_margins"] = sys.modules[__name__]
    shell.ast_transformers.append(Comparisons())


def take() -> str:
    """The slacks since the last call, as JSON."""
    text = json.dumps(slacks)
    slacks.clear()
    return text
