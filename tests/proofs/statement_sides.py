"""The two sides of a statement in Rocq, as numbers: a small reader of what the prover prints.

`sides(statement)` has (left, relation, right) for each comparison of the conclusion, in its order; a limit is one, with
the relation "tends to". What the statement assumes is left out, and so is what stands under "or" and "exactly when"; an
assumption `name = value` gives the name its value. `evaluate(side, values)` takes numbers, functions and the book's
definitions by their names in Rocq (what "exists" too); a function may be a list. `definitions(text)` reads those of a
file in proofs/.
Deliberately absent: match, Fixpoint and records. For what is defined by them a test brings a function.
"""

import functools
import inspect
import math
import operator
import re

import numpy as np

TOKEN = re.compile(r"%\w+|(\d+|[A-Za-z_][\w'.]*|/\\|\\/|<->|->|:=|=>|<=|>=|<>|[^\s\w])")
RELATIONS = ("=", "<", ">", "<=", ">=", "<>")
LEVELS = {"+": 50, "-": 50, "*": 40, "/": 40, "^": 30}
PREFIX = {"-": 35, "/": 35}
BINDERS = ("forall", "exists", "fun", "let")
NO_ARGUMENT = (*BINDERS, "if", "then", "else")
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow}
LIBRARY = {
    "INR": lambda n: float(n), "IZR": lambda n: float(n), "sqrt": lambda x: math.sqrt(x), "ln": lambda x: math.log(x),
    "exp": lambda x: math.exp(x), "Rabs": lambda x: abs(x), "Rmin": lambda x, y: min(x, y),
    "Rmax": lambda x, y: max(x, y), "S": lambda n: n + 1, "Datatypes.S": lambda n: n + 1, "O": 0, "PI": math.pi,
    "Rpower": lambda x, y: x**y, "Nat.min": lambda x, y: min(x, y), "Nat.eqb": lambda x, y: x == y,
    "Req_EM_T": lambda x, y: x == y, "Rle_dec": lambda x, y: x <= y, "Rlt_dec": lambda x, y: x < y,
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
    if words[0] in ("forall", "exists"):
        return claims(words[where(words[1:], [","])[0] + 2 :])
    if words[0] == "let":
        end = words.index("in")
        return claims(put(words[1], words[3:end], words[end + 1 :]))
    if then := where(words, ["->"]):
        assumed, rest = words[: then[0]], words[then[0] + 1 :]
        if assumed[1] == "=" and len(where(assumed, [*RELATIONS, "/\\", "\\/", "<->"])) == 1:
            rest = put(assumed[0], assumed[2:], rest)
        return claims(rest)
    if where(words, ["\\/", "<->"]):
        return []
    if both := where(words, ["/\\"]):
        return claims(words[: both[0]]) + claims(words[both[0] + 1 :])
    if words[0] == "(" and where(words, [")"]) == [len(words) - 1]:
        return claims(words[1:-1])
    if words[0] == "~":
        return []
    if words[0] == "Un_cv":
        start = len(words) - 1  # the limit is the last word, or the last bracket
        while words[start:].count(")") > words[start:].count("("):
            start -= 1
        return [(words[1:start], "tends to", words[start:])]
    cuts = where(words, RELATIONS)
    parts = [words[a + 1 : b] for a, b in zip([-1, *cuts], [*cuts, len(words)], strict=True)]
    return [(parts[k], words[cut], parts[k + 1]) for k, cut in enumerate(cuts)]


def put(name: str, value: list[str], words: list[str]) -> list[str]:
    return [part for word in words for part in (["(", *value, ")"] if word == name else [word])]


def sides(statement: str) -> list[tuple]:
    """(left, relation, right) of each comparison that a statement claims; a side is read by `whole`."""
    said = claims(split(statement.partition(":")[2]))
    return [(whole(left), relation, whole(right)) for left, relation, right in said]


def split(text: str) -> list[str]:
    return [word for word in TOKEN.findall(text) if word]


def names(words: list[str]) -> list[str]:
    """The names that binders bind: of `(x y : R) z` the names x, y and z."""
    return re.findall(r"[\w']+", re.sub(r":[^()]*", "", " ".join(words)))


def definitions(text: str) -> dict:
    """The definitions of a file in proofs/ as terms of what they stand on: {name: ("fun", names, body)}.

    A definition in a section has the section's variables that it uses as its first names. One that cannot be read is
    left out.
    """
    found, sections, inside = {}, [[]], [{}]
    sentences = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    kinds = r"(?:^|(?<=\.))\s*(Section|End|Variables?|Definition|Let|Fixpoint) (.*?)\.(?=\s|\Z)"
    for kind, rest in re.findall(kinds, sentences, re.MULTILINE | re.DOTALL):
        words = split(re.sub(r"\{[^{}|]*\}", "", rest))  # without implicit arguments
        if kind == "Section":
            sections.append([])
            inside.append({})
        elif kind == "End":
            sections.pop()
            inside.pop()
        elif kind.startswith("Variable"):
            sections[-1] += names(words)
        elif ":=" in words:
            at = words.index(":=")
            own, body = names(words[1:at]), words[at + 1 :]
            used = {v for one in inside for name in {*body} - {*own} for v in one.get(name, [])} | {*body} - {*own}
            used = [name for section in sections for name in section if name in used]
            for one in inside:
                for name, more in one.items():
                    body = put(name, [name, *more], body) if more and name not in own else body
            inside[-1][words[0]] = used
            try:
                found[words[0]] = ("fun", [*used, *own], whole(body)) if used or own else whole(body)
            except SyntaxError:
                continue
    return found


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
        bound, words[:] = names(words[1:end]), words[end + 1 :]
        return ("fun", bound, term(words))
    if words[0] == "if":
        parts = []
        for word in ("if", "then", "else"):
            if words.pop(0) != word:
                raise SyntaxError(f"no {word} before {' '.join(words[:8])}")
            parts.append(term(words))
        return ("if", *parts)
    if words[0] in PREFIX:
        sign = words.pop(0)
        left = (sign, term(words, PREFIX[sign]))
    else:
        parts = [atom(words)]
        while re.match(r"[\w(]", words[0]) and words[0] not in NO_ARGUMENT:
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
    """A function of one or several arguments, or a list or an array, on what it is applied to."""
    while arguments:
        if isinstance(function, list | np.ndarray):
            function, arguments = function[arguments[0]], arguments[1:]
            continue
        code = getattr(function, "__code__", None)  # a signature takes long to find
        count = code.co_argcount if code else len(inspect.signature(function).parameters)
        if count > len(arguments):
            return functools.partial(function, *arguments)
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
    if head == "if":
        return evaluate(parts[1] if evaluate(parts[0], values) else parts[2], values)
    numbers = [evaluate(part, values) for part in parts]
    if head == "apply":
        return apply(numbers[0], numbers[1:])
    if len(numbers) == 1:
        return -numbers[0] if head == "-" else 1 / numbers[0]
    return OPERATORS[head](*numbers)
