"""True statements beside the chapters' own, not to be broken either. Those with CANCELS in the name floats do break."""

from minilib.theory.arithmetic import dot, maximum, norm1, root, square, total
from minilib.theory.steps import Step, nonnegative, real
from proofs import momentum as momentum_chapter
from tests.theory.false_statements import (
    FALSE,
    PAIR,
    D,
    adam_v,
    bend,
    best_beta,
    cocoercive,
    convex,
    f,
    forgets,
    momentum,
    parabola,
    quadratic,
    regret,
)

three = {name: real() for name in "abc"}


def zero(s):
    return 0


TRUE = {
    "CANCELS: (a + b) - a = b": Step("sum", three, lambda s: (s.a + s.b) - s.a, lambda s: s.b, relation="="),
    "CANCELS: sums in two orders": Step(
        "orders", three, lambda s: (s.a + s.b) + s.c, lambda s: s.a + (s.b + s.c), relation="="
    ),
    "CANCELS: variance as a difference": Step(
        "variance",
        {"x": real("d")},
        lambda s: total(s.x) * total(s.x),
        lambda s: s.d * square(s.x),
        sizes=D,
    ),
    "Cauchy-Schwarz": Step(
        "Cauchy-Schwarz", PAIR, lambda s: dot(s.x, s.y) ** 2, lambda s: square(s.x) * square(s.y), sizes=D
    ),
    "2-norm, root and 1-norm": Step(
        "norms", {"x": real("d")}, lambda s: root(square(s.x)), lambda s: norm1(s.x), sizes=D
    ),
    "AM-GM": Step(
        "AM-GM", {"a": nonnegative(), "b": nonnegative()}, lambda s: root(s.a * s.b), lambda s: (s.a + s.b) / 2
    ),
    "descent lemma": quadratic("L/2", (lambda s: f(s, s.y), lambda s: bend(s, s.L / 2))),
    "cocoercive": quadratic("cocoercive", cocoercive, low=zero),
    "tangent below": quadratic("tangent", convex, low=zero),
    "opens upwards, H not indefinite": parabola("opens", lambda s: [(h, ">=", 0) for h in s.H]),
    "AMSGrad, weights do not shrink": forgets("AMSGrad", lambda s: maximum(s.v, adam_v(s))),
    "AMSGrad, regret": regret("AMSGrad's regret", maximum),
    "momentum, the best pair": momentum("best beta", best_beta),
    "momentum, the minimum": momentum_chapter.minimum_at,
}
assert not set(TRUE) & set(FALSE)
