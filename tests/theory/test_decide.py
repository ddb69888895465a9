"""Statements decided for all real numbers of one size: z3's yes, its no with numbers, and its giving up."""

import pytest

from minilib.theory.decide import decide
from minilib.theory.statements import absolute, nonnegative, norm, real, sign, statement, where
from proofs.bank import BANK

pytest.importorskip("z3")


@statement("wrong signs count twice", given=lambda g: [(g, "!=", 0)], d=(1, 2, 3))
def signs(G: real("d"), g: real("d")):
    wrong = where(sign(g), "=", sign(G), 0, absolute(G)).sum()
    return absolute(G).sum() - 2 * wrong, (G * sign(g)).sum()


@statement("vectors are as far apart as their lengths", d=(1, 2, 3))
def apart(u: real("d"), v: real("d")):
    return absolute(norm(u) - norm(v)), norm(u - v)


@statement("the best pair of heavy ball", given=lambda low, high: [(low, ">", 0), (high, ">", low)])
def best_pair(low: nonnegative(), high: nonnegative()):
    beta = ((high - low) / (high + low)) ** 2
    middle = 1 + beta - 4 / (low + high) ** 2 * high * high
    return middle * middle, 4 * beta


@statement("u u / u u = 1", "=", given=lambda u: [((u * u).sum(), "!=", 0)], d=(2,))
def divided(u: real("d")):
    return (u * u).sum() / (u * u).sum(), 1


@pytest.mark.parametrize(
    ("claim", "sizes"), [(signs, {"d": 3}), (apart, {"d": 1}), (apart, {"d": 2}), (best_pair, {}), (divided, {"d": 2})]
)
def test_a_true_statement_is_proved(claim, sizes):
    at = ", ".join(f"{name} = {k}" for name, k in sizes.items())
    assert str(decide(claim, 5, **sizes)) == f"{claim.name}: true for all reals{at and f' at {at}'}"


@pytest.mark.parametrize(
    ("label", "name", "sizes", "found"),
    [
        ("thm-lamb-sign", "(2) as printed", {"d": 2}, "g"),
        ("thm-lamb-sign", "one step as printed", {"n": 2, "d": 2}, "g"),
        ("lem-normalised-direction", "a wrong direction", {"d": 1}, "v"),
        ("lem-young", "Young", {"d": 1}, "a"),
    ],
)
def test_z3_refutes_a_false_statement_with_a_counterexample(label, name, sizes, found):
    (claim,) = (claim for claim in BANK[label] if claim.name.startswith(name))
    decision = decide(claim, 10, **sizes)
    assert decision.answer == "false"
    assert found in decision.counterexample


def test_a_zero_below_is_found():
    @statement("u u / u u = 1", "=", d=(2,))
    def bold(u: real("d")):
        return (u * u).sum() / (u * u).sum(), 1

    assert [*decide(bold, d=2).counterexample["u"]] == [0, 0]


def test_what_takes_too_much_work_is_not_decided_however_long_the_clock_would_wait(monkeypatch):
    monkeypatch.setattr("minilib.theory.decide.PATIENCE", 1e5)
    assert decide(signs, 1e-5, d=3).answer == "not decided"
