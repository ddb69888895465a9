"""The two sides of a statement in Rocq, as numbers: a small reader of what the prover prints.

`sides(statement)` has (left, relation, right) for each comparison of the conclusion, in its order; what the statement
assumes is left out, and so is what stands under "exists", "or" and "exactly when". `evaluate(side, values)` takes
numbers, functions and the book's definitions by their names in Rocq; a function may be a list.
Deliberately absent: match and if. A statement that needs them is written with a definition.
"""

import inspect
import math
import operator
import re

TOKEN = re.compile(r"%\w+|(\d+|[A-Za-z_][\w'.]*|/\\|\\/|<->|->|:=|=>|<=|>=|<>|[^\s\w])")
RELATIONS = ("=", "<", ">", "<=", ">=", "<>")
LEVELS = {"+": 50, "-": 50, "*": 40, "/": 40, "^": 30}
PREFIX = {"-": 35, "/": 35}
BINDERS = ("forall", "exists", "fun", "let")
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
LIBRARY = {
    "INR": lambda n: float(n), "IZR": lambda n: float(n), "sqrt": lambda x: math.sqrt(x), "ln": lambda x: math.log(x),
    "exp": lambda x: math.exp(x), "Rabs": lambda x: abs(x), "Rmin": lambda x, y: min(x, y),
    "Rmax": lambda x, y: max(x, y), "S": lambda n: n + 1, "O": 0, "PI": math.pi,
    "sum": lambda n, x: sum(apply(x, [i]) for i in range(n)),
}  # fmt: skip


def where(words: list[str], signs) -> list[int]:
    """The places of these signs outside all brackets, up to the first word that binds a name."""
    found, depth = [], 0
    for k, word in enumerate(words):
        depth += (word in "([{") - (word in ")]}")
        if not depth and word in BINDERS and word not in signs:
            break
        found += [k] if not depth and word in signs else []
    return found


def claims(words: list[str]) -> list[tuple]:
    """The comparisons that a statement claims, as words; `a <= b < c` has two."""
    if words[0] == "forall":
        return claims(words[where(words[1:], [","])[0] + 2 :])
    if words[0] == "let":
        value, body = words[3 : (end := words.index("in"))], words[end + 1 :]
        return claims([part for word in body for part in (["(", *value, ")"] if word == words[1] else [word])])
    if then := where(words, ["->"]):
        return claims(words[then[0] + 1 :])
    if both := where(words, ["/\\"]):
        return claims(words[: both[0]]) + claims(words[both[0] + 1 :])
    if words[0] == "(" and where(words, [")"]) == [len(words) - 1]:
        return claims(words[1:-1])
    if where(words, ["\\/", "<->", "~"]):
        return []
    cuts = where(words, RELATIONS)
    parts = [words[a + 1 : b] for a, b in zip([-1, *cuts], [*cuts, len(words)], strict=True)]
    return [(parts[k], words[cut], parts[k + 1]) for k, cut in enumerate(cuts)]


def sides(statement: str) -> list[tuple]:
    """(left, relation, right) of each comparison that a statement claims; a side is read by `whole`."""
    words = [word for word in TOKEN.findall(statement.partition(":")[2]) if word]
    return [(whole(left), relation, whole(right)) for left, relation, right in claims(words)]


def whole(words: list[str]):
    words = [*words, ""]
    read = term(words)
    if words != [""]:
        raise SyntaxError(f"not read: {' '.join(words[:8])}")
    return read


def term(words: list[str], level: int = 200):
    """Read a term whose signs bind at least as tightly as `level`: tuples that begin with a sign, names, numbers."""
    if words[0] == "fun":
        end = words.index("=>")
        names, words[:] = re.findall(r"[\w']+", re.sub(r":[^()]*", "", " ".join(words[1:end]))), words[end + 1 :]
        return ("fun", names, term(words))
    if words[0] in PREFIX:
        sign = words.pop(0)
        left = (sign, term(words, PREFIX[sign]))
    else:
        parts = [atom(words)]
        while re.match(r"[\w(]", words[0]) and words[0] not in BINDERS:
            parts.append(atom(words))
        left = ("apply", *parts) if len(parts) > 1 else parts[0]
    while (sign := words[0]) in LEVELS and LEVELS[sign] <= level:
        del words[0]
        left = (sign, left, term(words, LEVELS[sign] - (sign != "^")))
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
