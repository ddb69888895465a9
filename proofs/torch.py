"""Stochastic rounding. Between its neighbours a and b z goes to b with probability (z - a)/(b - a)."""

from fractions import Fraction

from minilib.theory.steps import Step, real

THREE = {"a": real(), "b": real(), "z": real()}


def between(s):
    return [(s.a, "<", s.b), (s.a, "<=", s.z), (s.z, "<=", s.b)]


def up(s):
    """The probability of b."""
    return (s.z - s.a) / (s.b - s.a)


def coin(s):
    return Fraction(1, 2)


def mean(s, chance=up):
    return s.a + (s.b - s.a) * chance(s)


def variance(s, chance=up):
    """Of the rounded number about z."""
    return (s.b - s.z) * (s.b - s.z) * chance(s) + (s.z - s.a) * (s.z - s.a) * (1 - chance(s))


unbiased = Step("(1) mean, in gaps", THREE, mean, lambda s: s.z, between, "=")
spread = Step("(2) variance", THREE, variance, lambda s: (s.z - s.a) * (s.b - s.z), between, "=")
bound = Step("(3) the bound", THREE, variance, lambda s: (s.b - s.a) * (s.b - s.a) / 4, between)
tossed = Step("(1) mean, by the toss of a coin", THREE, lambda s: mean(s, coin), lambda s: s.z, between, "=")

THEOREMS = {"stochastic rounding": [unbiased, spread, bound]}
BROKEN = {"stochastic rounding": [tossed]}
