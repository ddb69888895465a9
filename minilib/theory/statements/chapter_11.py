"""Chapter 11: how long a step of CAME can be, and two sentences about it that are not so.

Numbers here are one entry of a matrix: `delta` are the moves of its average m, `E` the average of its instability.
"""

from types import SimpleNamespace

from minilib.theory.arithmetic import total
from minilib.theory.steps import Step, Variable, real, unit



def averages(beta, numbers):
    """Moving averages from zero: (1 - beta) x_s + beta times the average before."""
    m, result = 0, []
    for x in numbers:
        m = beta * m + (1 - beta) * x
        result.append(m)
    return result


def instability(s):
    m = averages(s.beta1, s.u)
    return averages(s.beta3, [(x - y) * (x - y) for x, y in zip(s.u, m, strict=True)])[-1]


def K(beta1, beta3, t):
    """(((1 - beta_1) / beta_1)^2 sum of 1/w_s) with the weights w_s = (1 - beta_3) beta_3^(t - s)."""
    longest = total(1 / ((1 - beta3) * power(beta3, k)) for k in range(t))
    return (1 - beta1) * (1 - beta1) / (beta1 * beta1) * longest


def power(x, k):
    result = 1
    for _ in range(k):
        result = result * x
    return result


def inside(s):
    return [(b, relation, end) for b in (s.beta1, s.beta3) for relation, end in ((">", 0), ("<", 1))]


BETAS = {"beta1": unit(), "beta3": unit()}
series = BETAS | {"u": real("t")}
T = {"t": (1, 2, 3)}

cauchy = Step(
    "(3) Cauchy-Schwarz with weights",
    {"delta": real("t"), "w": unit("t")},
    lambda s: total(s.delta) * total(s.delta),
    lambda s: total(1 / w for w in s.w) * total(w * x * x for w, x in zip(s.w, s.delta, strict=True)),
    lambda s: [(w, ">", 0) for w in s.w],
    sizes=T,
)
entry = Step(
    "(4) each entry",
    series,
    lambda s: averages(s.beta1, s.u)[-1] * averages(s.beta1, s.u)[-1],
    lambda s: K(s.beta1, s.beta3, len(s.u)) * instability(s),
    inside,
    sizes=T,
)


def after_first(s):
    """From the zero state the first clipped update of a single entry is 1 (or -1), and no later one is longer."""
    return SimpleNamespace(beta1=s.beta1, beta3=s.beta3, u=[1, *s.u])


def clipped_length(s):
    """m_t^2 (1 - beta_3) beta_1^2 beta_3^(t-1) for t = 1 + len(u)."""
    m = averages(s.beta1, after_first(s).u)[-1]
    return m * m * (1 - s.beta3) * s.beta1 * s.beta1 * power(s.beta3, len(s.u))


clipped = Step(
    "the clip bounds a single entry",
    BETAS | {"u": Variable(("t",), -1, 1)},
    clipped_length,
    lambda s: instability(after_first(s)),
    inside,
    sizes=T,
)


def certain(s, t):
    """The squared step after t equal updates, times beta_3^t."""
    q = s.beta1 * s.beta1
    grown = (1 - s.beta3) * q * (power(s.beta3, t) - power(q, t)) / (s.beta3 - q)
    return (1 - power(s.beta1, t)) * (1 - power(s.beta1, t)) / grown * power(s.beta3, t)


def like_a_power(name, assumptions):
    """'The step grows like beta_3^(-t/2)': times beta_3^(t/2) it no longer falls by half when t doubles."""
    return Step(name, BETAS, lambda s: certain(s, 10) / 2, lambda s: certain(s, 20), assumptions)


def apart(s):
    return inside(s) + [(s.beta3, "!=", s.beta1 * s.beta1)]


growth = like_a_power("growth, beta_3 > beta_1^2", lambda s: inside(s) + [(s.beta3, ">", s.beta1 * s.beta1)])
growth_printed = like_a_power("growth, any beta_3, as printed", apart)


# "The clip does not bound the step": then no bound from the clip could ever lie below K_t. It does, from some t on.
no_bound = Step(
    "the clip bounds nothing, as printed",
    BETAS,
    lambda s: K(s.beta1, s.beta3, 30),
    lambda s: 1 / (power(s.beta3, 29) * s.beta1 * s.beta1 * (1 - s.beta3)),
    inside,
)
THEOREMS = {"CAME's step": [cauchy, entry, clipped, growth]}
BROKEN = {"CAME's step": [no_bound, growth_printed]}
