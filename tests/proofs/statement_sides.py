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

TOKEN = re.compile(r"\s+|(%\w+)|(\d+|[A-Za-z_][\w'.]*|/\\|\\/|<->|->|=>|<=|>=|<>|[^\s\w])")
LEVELS = {"->": 99, "\\/": 85, "/\\": 80, "+": 50, "-": 50, "*": 40, "/": 40, "^": 30}
RELATION = 70
LEVELS |= dict.fromkeys(["=", "<", ">", "<=", ">=", "<>"], RELATION)
FROM_THE_RIGHT = ("->", "\\/", "/\\", "^")
PREFIX = {"-": 35, "/": 35, "~": 75}
BINDERS = ("forall", "exists", "fun")
OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": operator.pow,
}  # fmt: skip
LIBRARY = {
    "INR": lambda n: float(n), "IZR": lambda n: float(n), "sqrt": lambda x: math.sqrt(x), "ln": lambda x: math.log(x),
    "exp": lambda x: math.exp(x), "Rabs": lambda x: abs(x), "Rmin": lambda x, y: min(x, y),
    "Rmax": lambda x, y: max(x, y), "S": lambda n: n + 1, "O": 0, "PI": math.pi,
    "sum": lambda n, x: sum(apply(x, [i]) for i in range(n)),
}  # fmt: skip


class Reader:
    def __init__(self, text: str):
        self.rest = [match[2] for match in TOKEN.finditer(text) if match[2]]

    def next(self) -> str:
        return self.rest.pop(0) if self.rest else ""

    def peek(self) -> str:
        return self.rest[0] if self.rest else ""

    def term(self, level: int = 200):
        """A term whose signs bind at least as tightly as `level`: nested tuples, names and numbers."""
        sign = self.peek()
        if sign in BINDERS:
            self.next()
            names, depth = [], 0
            while (word := self.next()) not in (",", "=>") or depth:
                depth += (word == "(") - (word == ")")
                names.append(word)
            typed = re.sub(r":[^()]*", "", " ".join(names))
            return (sign, re.findall(r"[\w']+", typed), self.term())
        if sign in PREFIX:
            self.next()
            left = (sign, self.term(PREFIX[sign]))
        else:
            left = self.application()
        while (sign := self.peek()) in LEVELS and LEVELS[sign] <= level:
            self.next()
            left = (sign, left, self.term(LEVELS[sign] - (sign not in FROM_THE_RIGHT)))
        return left

    def application(self):
        words = [self.atom()]
        while self.peek() == "(" or re.match(r"\w", self.peek()) and self.peek() not in BINDERS:
            words.append(self.atom())
        return ("apply", *words) if len(words) > 1 else words[0]

    def atom(self):
        word = self.next()
        if word == "(":
            inside = self.term()
            if self.next() != ")":
                raise SyntaxError(f"no ) before {' '.join(self.rest[:8])}")
            return inside
        if not re.match(r"\w", word):
            raise SyntaxError(f"{word!r} before {' '.join(self.rest[:8])}")
        return int(word) if word.isdigit() else word


def conclusions(term) -> list:
    """The parts of a statement that it claims, without what they assume."""
    if term[0] == "forall":
        return conclusions(term[2])
    if term[0] == "->":
        return conclusions(term[2])
    if term[0] == "/\\":
        return conclusions(term[1]) + conclusions(term[2])
    return [term]


def sides(statement: str) -> list[tuple]:
    """(left, relation, right) of each comparison that a statement claims; `a <= b < c` gives two."""
    reader = Reader(statement.partition(":")[2])
    term, found = reader.term(), []
    if reader.rest:
        raise SyntaxError(f"not read: {' '.join(reader.rest[:8])}")
    for claim in conclusions(term):
        found += compared(claim)
    return found


def compared(claim) -> list[tuple]:
    if LEVELS.get(claim[0]) != RELATION:
        return []
    relation, left, right = claim
    before = compared(left) if isinstance(left, tuple) else []
    return [*before, (before[-1][2] if before else left, relation, right)]


def apply(function, arguments: list):
    """A function of one or several arguments, or a list, on what it is applied to."""
    while arguments:
        if isinstance(function, list):
            function, arguments = function[arguments[0]], arguments[1:]
            continue
        count = len(inspect.signature(function).parameters)
        if count > len(arguments):
            return lambda *more, function=function, given=arguments: apply(function, [*given, *more])
        function, arguments = function(*arguments[:count]), arguments[count:]
    return function


def evaluate(term, values: dict):
    """The number that a term is for these values of its names."""
    if isinstance(term, int):
        return term
    if isinstance(term, str):
        return values[term] if term in values else LIBRARY[term]
    head, *parts = term
    if head == "fun":
        names, body = parts
        return lambda first: evaluate(("fun", names[1:], body) if names[1:] else body, values | {names[0]: first})
    numbers = [evaluate(part, values) for part in parts]
    if head == "apply":
        return apply(numbers[0], numbers[1:])
    if len(numbers) == 1:
        return -numbers[0] if head == "-" else 1 / numbers[0]
    return OPERATORS[head](*numbers)
