"""The two sides of a statement in Rocq, as numbers: a small reader of what the prover prints.

`sides(statement)` has (left, relation, right) for each comparison of the conclusion, in its order; what the statement
assumes is left out, and so is what stands under "exists". `evaluate(side, values)` takes numbers, functions and the
book's definitions by their names in Rocq; a function may be a list.
Deliberately absent: match, if and let. A statement that needs them is written with a definition.
"""

import inspect
import math
import operator
import re

TOKEN = re.compile(r"%\w+|(\d+|[A-Za-z_][\w'.]*|/\\|\\/|->|=>|<=|>=|<>|[^\s\w])")
RELATION = 70
LEVELS = {"->": 99, "\\/": 85, "/\\": 80, "+": 50, "-": 50, "*": 40, "/": 40, "^": 30}
LEVELS |= dict.fromkeys(("=", "<", ">", "<=", ">=", "<>"), RELATION)
FROM_THE_RIGHT = ("->", "\\/", "/\\", "^")
PREFIX = {"-": 35, "/": 35, "~": 75}
BINDERS = ("forall", "exists", "fun")
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
LIBRARY = {
    "INR": lambda n: float(n), "IZR": lambda n: float(n), "sqrt": lambda x: math.sqrt(x), "ln": lambda x: math.log(x),
    "exp": lambda x: math.exp(x), "Rabs": lambda x: abs(x), "Rmin": lambda x, y: min(x, y),
    "Rmax": lambda x, y: max(x, y), "S": lambda n: n + 1, "O": 0, "PI": math.pi,
    "sum": lambda n, x: sum(apply(x, [i]) for i in range(n)),
}  # fmt: skip


def term(words: list[str], level: int = 200):
    """Read a term whose signs bind at least as tightly as `level`: tuples that begin with a sign, names, numbers."""
    if words[0] in BINDERS:
        end = next(k for k, word in enumerate(words) if word in (",", "=>"))
        (sign, *bound), words[:] = words[:end], words[end + 1 :]
        names = re.findall(r"[\w']+", re.sub(r":[^()]*", "", " ".join(bound)))
        return (sign, names, term(words))
    if words[0] in PREFIX:
        sign = words.pop(0)
        left = (sign, term(words, PREFIX[sign]))
    else:
        parts = [atom(words)]
        while words[0] == "(" or re.match(r"\w", words[0]) and words[0] not in BINDERS:
            parts.append(atom(words))
        left = ("apply", *parts) if len(parts) > 1 else parts[0]
    while (sign := words[0]) in LEVELS and LEVELS[sign] <= level:
        del words[0]
        left = (sign, left, term(words, LEVELS[sign] - (sign not in FROM_THE_RIGHT)))
    return left


def atom(words: list[str]):
    if (word := words.pop(0)) == "(":
        inside = term(words)
        if words.pop(0) != ")":
            raise SyntaxError(f"no ) before {' '.join(words[:8])}")
        return inside
    if not re.match(r"\w", word):
        raise SyntaxError(f"{word!r} before {' '.join(words[:8])}")
    return int(word) if word.isdigit() else word


def compared(claim) -> list[tuple]:
    """The comparisons in what a statement claims; `a <= b < c` has two."""
    head, *parts = claim if isinstance(claim, tuple) else [claim]
    if head in ("forall", "->"):
        return compared(parts[1])
    if head == "/\\":
        return compared(parts[0]) + compared(parts[1])
    if LEVELS.get(head) != RELATION:
        return []
    before = compared(parts[0])
    return [*before, (before[-1][2] if before else parts[0], head, parts[1])]


def sides(statement: str) -> list[tuple]:
    """(left, relation, right) of each comparison that a statement claims."""
    words = [word for word in TOKEN.findall(statement.partition(":")[2]) if word] + [""]
    claim = term(words)
    if words != [""]:
        raise SyntaxError(f"not read: {' '.join(words[:8])}")
    return compared(claim)


def apply(function, arguments: list):
    """A function of one or several arguments, or a list, on what it is applied to."""
    while arguments:
        if isinstance(function, list):
            function, arguments = function[arguments[0]], arguments[1:]
            continue
        count = len(inspect.signature(function).parameters)
        function, arguments = function(*arguments[:count]), arguments[count:]
    return function


def evaluate(side, values: dict):
    """The number that a side is for these values of its names."""
    if isinstance(side, int):
        return side
    if isinstance(side, str):
        return values[side] if side in values else LIBRARY[side]
    head, *parts = side
    if head == "fun":
        (name, *more), body = parts
        return lambda given: evaluate(("fun", more, body) if more else body, values | {name: given})
    numbers = [evaluate(part, values) for part in parts]
    if head == "apply":
        return apply(numbers[0], numbers[1:])
    if len(numbers) == 1:
        return -numbers[0] if head == "-" else 1 / numbers[0]
    return OPERATORS[head](*numbers)
