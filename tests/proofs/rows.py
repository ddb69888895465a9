"""For a theorem's label: numbers for what its statements in Rocq name, and the sides that the page has for them.

A row gives the numbers and {theorem in Rocq: {which of its comparisons: (left, right) of the page}}; where the page has
one number for both sides, that number. The page's sides are computed by the chapter's lines: a function of a cell, a
name of a cell, or a side of a row of a ledger; four stand on the page in words alone, and are marked "as printed". A
side that is a mean over all runs, or a definition of the book's alone, is None. The definitions that a statement names
are read from proofs/NAME.v; those that cannot be read (Fixpoint, match) a row writes in Python.
"""

import math
from collections.abc import Callable
from itertools import combinations, permutations, product
from types import SimpleNamespace as Numbers
from typing import NamedTuple
from unittest import mock

import numpy as np
from torch import nn, tensor

from minilib.analysis import memory
from minilib.analysis.noise import two_batch
from tests.proofs.page_sides import Page, strings
from tests.proofs.statement_sides import apply


class Row(NamedTuple):
    label: str
    reads: tuple[str, ...]  # the files in proofs/ whose definitions it names, beside those of its theorems
    draw: Callable  # of a random generator: the numbers, and the page's sides


ROWS: list[Row] = []
WITHOUT = {
    "thm-loss-paths": "its sides are programs, and no constant stands in it",
    "lem-momentum-lookahead": "its sides are two programs' iterates",
    "prp-norms-spectral": "it says that a step and a number exist",
    "prp-norms-layers": "it says which norms are dual, and no constant stands in it",
}

# What the statements name and the reader cannot read. A space is the list of its weights.
COMMON = {
    "size": len,
    "weight": lambda W, w: W[w],
    "ema": lambda beta, y, t: 0 if t == 0 else beta * COMMON["ema"](beta, y, t - 1) + (1 - beta) * apply(y, [t]),
    "after": lambda W, X, next, t, x, h: apply(h, [x]) if t == 0 else sum(
        p * COMMON["after"](W, X, next, t - 1, apply(next, [x, w]), h) for w, p in enumerate(W)
    ),
    "binomial": math.comb,
}  # fmt: skip


def row(label, *reads):
    def keep(draw):
        ROWS.append(Row(label, reads, draw))
        return draw

    return keep


def side(chapter, words, which, given):
    """A side of a ledger's row, or the value of a formula in the chapter's names."""
    if words is None:
        return None
    if words in strings(chapter):
        return Page(chapter, words, **given).side(which)
    return eval(words, Page(chapter, **given))


def table(label, chapter, *reads, **theorems):
    """A row whose sides are rows of the chapter's ledgers (both sides, or one each) or formulas, for the same numbers.

    What draws them has them by their names in Rocq and in the chapter, and as "page" what only the chapter names.
    """

    def keep(draw):
        @row(label, *reads)
        def sides(rng):
            values = draw(rng)
            given, page = values | values.pop("page", {}), {}
            for theorem, comparisons in theorems.items():
                pairs = {k: [words] * 2 if isinstance(words, str) else words for k, words in comparisons.items()}
                page[theorem] = {k: [side(chapter, one, i, given) for i, one in enumerate(pairs[k])] for k in pairs}
            return values, page

        return draw

    return keep


def draw(rng, reals="", wholes="", low=0.1, high=0.9, most=6, **more):
    """Random numbers by their names, which stand in two strings."""
    numbers = {name: float(rng.uniform(low, high)) for name in reals.split()}
    return numbers | {name: int(rng.integers(1, most + 1)) for name in wholes.split()} | more


@table(
    "thm-loss-price",
    "loss_and_gradient",
    thm_loss_price={0: (None, "(1) forward n k m"), 1: (None, "(2) backward 2 n k m")},
)
def loss_price(rng):
    values = draw(rng, wholes="k m", most=99, n=100)
    return values | {"widths": [values["k"], values["m"]]}


# Momentum. The chapter has L = 1, where learning rates are in units of 1/L.
def ends(rng, line):
    mu, L = sorted(rng.uniform(0.1, 3, size=2).tolist())
    values = draw(rng, "lr beta", "t", mu=mu, L=L, x0=[2.5], xs=[0], d=1)
    return values, Page("momentum", line, kappa=L / mu, t=values["t"], distance=[2.5])


@row("thm-momentum-best", "momentum_best")
def momentum_best(rng):
    values, page = ends(rng, "(7) transient")
    r, every = page["r"], page["worst"](values["lr"] * values["L"], values["beta"], page["kappa"])
    return values, {"thm_momentum_best": {0: (r, every), 1: (None, r), 2: (None, page.side(1))}}


@row("thm-momentum-best")
def momentum_best_pair(rng):
    values, page = ends(rng, "(7) transient")
    values["worst"] = lambda mu, L, lr, beta: L * lr + 7 * beta  # shows the pair at which the statement takes it
    return values, {"thm_momentum_best": {1: (page["lr"] + 7 * page["beta"], page["r"])}}


@row("thm-momentum-nesterov", "momentum_best")
def momentum_nesterov(rng):
    values, page = ends(rng, "(6) no hump")
    kappa, r = page["kappa"], page["r"]
    other = rng.uniform(1 / kappa, 1)
    flat = Page("momentum", "(3) the others", kappa=kappa, beta=values["beta"], s=1 / kappa).side(0)
    below = Page("momentum", "(3) the others", kappa=kappa, s=other).side(0)
    sides = {0: (r, flat), 1: (r, flat), 2: (None, r), 3: (below, r), 4: (None, page.side(1))}
    return values | {"lam": other * values["L"]}, {"thm_momentum_nesterov": sides}


@row("thm-momentum-nesterov")
def momentum_braked(rng):
    values = draw(rng, "lam lr beta now before", low=-1, high=1)
    path = np.array([values["before"], values["now"], 0])
    ball = Page("momentum", "(1) a braked ball", lam=values["lr"] * values["lam"], beta=values["beta"], c=path).side(1)

    def lookahead(slope, lr, beta, x, before, t):
        return [(y := x[0] + beta * (x[0] - before[0])) - lr * slope(y)]

    def heavy_ball(slope, lr, beta, x, before, t):
        return [x[0] - lr * slope(x[0]) + beta * (x[0] - before[0])]

    values |= {"x": [values["now"]], "before": [values["before"]], "t": 1, "d": 1, "v": [1.0], "xs": [0.0], "H": 0}
    values |= {"lookahead": lookahead, "heavy_ball": heavy_ball}
    values["bowl_grad"] = lambda d, H, xs: lambda x: values["lam"] * x
    return values, {"thm_momentum_nesterov_ball": {0: ball}}


@row("thm-momentum-noise")
def momentum_noise(rng):
    values = draw(rng, "lr lam s beta")
    bar = values["lr"] / (1 - values["beta"])
    V = Page("momentum", "(4) factorised", **values).side(1)
    of_sgd = Page("momentum", "(4) factorised", **values | {"lr": bar, "beta": 0}).side(1)
    apart = of_sgd - V, values["s"] ** 2 * bar**2  # the right side as printed
    return values, {"thm_momentum_noise": {0: (None, V), 1: V, 2: (None, of_sgd), 3: (V, of_sgd), 4: apart}}


@row("thm-momentum-spectrum")
def momentum_spectrum(rng):
    beta, page = rng.uniform(0.1, 0.9), Page("momentum")
    s = rng.uniform((1 - beta**0.5) ** 2, (1 + beta**0.5) ** 2)
    root, modulus = page["roots"](s, beta)[0], page["radius"](s, beta)
    values = {"beta": beta, "a": root.real, "b": root.imag, "modulus": lambda a, b: math.hypot(a, b)}
    return values, {"thm_momentum_spectrum": {1: modulus}}


# SGD and Adam.
@table(
    "thm-sgd",
    "sgd",
    thm_sgd={0: (None, "promise(lr, b, T)")},
    thm_sgd_best={0: ("promise(best_rate(b, T), b, T)", "best_promise(b, T)")},
    thm_sgd_best_run={0: (None, "best_promise(b, T)")},
)
def sgd(rng):
    values, gap = draw(rng, "L sigma fstar lr", "b T", most=99), rng.uniform()
    values |= {"x1": 0, "f": lambda x: values["fstar"] + gap}
    return values | {"page": {"Delta": gap, "sigma2": values["sigma"] ** 2}}


@table(
    "thm-sgd-falling",
    "sgd",
    thm_sgd_falling={0: (None, "falling_promise(T, b, L, mu, sigma2, Delta)")},
    thm_sgd_falling_pl={0: (None, "falling_promise(T, b, L, mu, sigma2, Delta)")},
)
def sgd_falling(rng):
    values, gap = draw(rng, "L mu sigma fstar", "b T", most=99), rng.uniform()
    values |= {"x1": 1, "best": 0, "f": lambda x: values["fstar"] + gap * x}
    return values | {"page": {"Delta": gap, "sigma2": values["sigma"] ** 2}}


def last_point(rng, wholes, **more):
    """D, G and the rate, and a line of two weights; the loss is a constant."""
    values = draw(rng, "lr G", wholes, most=9, d=2, W=[1], f=lambda x: 0, sample=lambda x: lambda w: 0, **more)
    start, seen = rng.normal(size=(2, 2)).tolist()
    values |= {"x1": lambda j: start[j], "z": lambda j: seen[j], "u": lambda j: seen[j]}
    return values | {"page": {"D": math.dist(start, seen), "eta": values["lr"]}}


@table("thm-schedules-linear", "schedules", "schedules", thm_schedules_linear={0: (None, "base(lr, T, D, G)")})
def schedules_linear(rng):
    return last_point(rng, "T")


@table("thm-schedules-mean", "schedules", "schedules", thm_schedules_mean={0: (None, "base(lr, T, D, G)")})
def schedules_mean(rng):
    return last_point(rng, "T", beta=0.5)


@table(
    "thm-schedules-constant",
    "schedules",
    "schedules",
    "schedules_last",
    thm_schedules_constant={0: (None, "with_logarithm(lr, T, D, G)")},
)
def schedules_constant(rng):
    return last_point(rng, "T")


@table(
    "thm-schedules-cooldown", "schedules", "schedules", thm_schedules_cooldown={0: (None, "T / n * base(lr, T, D, G)")}
)
def schedules_cooldown(rng):
    values = last_point(rng, "m n")
    values["page"]["T"] = values["m"] + values["n"]
    return values


@row("prp-schedules-average")
def schedules_average(rng):
    lr, z = rng.uniform(0.1, 1, size=(2, 4))
    page = Page("schedules", "(1) start", weights=lr**2, zs=z).side(1)
    return {"t": 4, "lr": [0, *lr], "z": [0, 0, *z]}, {"prp_schedules_average": {0: (None, page)}}


@row("prp-adam-bias")
def adam_bias(rng):
    values, samples = draw(rng, "beta1 beta2", "t", most=4), rng.normal(size=2)
    page = Page("adam", "E m = ", samples=samples, **values)
    every, means = page["sequences"], [page[name].mean() for name in ("m", "v", "m_hat", "v_hat")]
    values |= {"W": np.full(len(every[0]), 1 / len(every[0])), "g": [0, *every]}
    values |= {"mean": samples.mean(), "square": (samples**2).mean()}
    return values, {"prp_adam_bias": dict(enumerate(means))}


@row("prp-adam-longest", "adam")
def adam_longest(rng):
    values, page = draw(rng, "beta1 beta2", "t"), Page("adam")
    beta1, beta2, t = values.values()
    g = rng.normal(size=(t, 1))
    longest, measured = page["longest"](t, beta1, beta2), page["last_step"](g, (beta1, beta2))
    return values | {"g": [0, *g[:, 0]]}, {"prp_adam_longest": {0: (measured, longest)}}


@table("prp-adam-longest", "adam", prp_adam_longest_limit={0: (None, "longest(500, beta1, beta2)")})
def adam_longest_limit(rng):
    return draw(rng, "beta1", high=0.6) | draw(rng, "beta2", low=0.5)


@row("thm-adam-trap")
def adam_trap(rng):
    values = {"C": rng.uniform(2, 5), "T": 3 * int(rng.integers(1, 9))}
    one_period = Page("adam", "(8) regret", C=values["C"]).side(0)
    return values, {"thm_adam_trap": {2: (one_period * values["T"] / 3, None)}}


@row("thm-adam-amsgrad")
def adam_amsgrad(rng):
    values = draw(rng, "lr beta2 lo", "T", hi=2.5, x1=1, df=0)
    slopes, v = rng.normal(size=values["T"]), rng.uniform()
    bound = Page("adam")["regret_bound"](slopes, v, values["lr"], values["beta2"], 2.5 - values["lo"])
    values |= {"run": lambda lo, hi, lr, beta2, x1, df, T: T, "top": lambda state: v}
    values["g"] = lambda lo, hi, lr, beta2, x1, df: slopes
    return values, {"thm_adam_amsgrad": {0: (None, bound[-1])}}


@table("thm-adam-bound", "adam", thm_adam_bound={0: (None, "bound(T, lr, beta2)")})
def adam_bound(rng):
    values, gap = draw(rng, "lr beta2 L R_ eps fstar", "d T"), rng.uniform()
    return values | {"x1": 0, "f": lambda x: values["fstar"] + gap, "page": {"R": values["R_"], "gap": gap}}


# Big batches.
@row("thm-batches-step")
def batches_step(rng):
    b, g, H = int(rng.integers(1, 4)), rng.normal(size=(3, 2)), np.diag(rng.uniform(1, 2, size=2)) + 0.3
    given = {"samples": g, "H": H, "b": b, "loss": lambda x: [0], "x": np.zeros(2), "pick": None}
    page = Page("big_batches", "(3) what it gains", **given)
    rate, gain = page["best"], page.side(1)
    sides = {"thm_batches_step": {1: (None, gain)}, "thm_batches_step_scale": {0: rate, 1: (None, gain)}}
    return {"W": [1 / 3] * 3, "d": 2, "g": g, "H": H, "b": b}, sides


@table(
    "prop-batches-two",
    "big_batches",
    prop_batches_two={0: "(2) signal is unbiased", 1: "(3) noise is unbiased"},
    prop_batches_two_bias={0: "(4) bias of the ratio"},
)
def batches_two(rng):
    samples, small, big = (rng.normal(size=(n, 2)) for n in (4, 3, 2))
    values = {"W": [1 / 4] * 4, "Q": [1 / 6] * 6, "d": 2, "g": samples, "s": 2, "b": int(rng.integers(3, 9))}
    values |= {"g_s": [x for x in small for _ in big], "g_b": [x for _ in small for x in big]}
    lengths = [(x**2).sum(axis=1) for x in (small, big)]
    return values | {"page": {"samples": samples, "lengths": lengths, "estimate": two_batch}}


@table(
    "thm-batches-hyperbola",
    "big_batches",
    thm_batches_hyperbola={0: "(3) S from below", 1: ("(3) S from above", "(4) the integral")},
)
def hyperbola(rng):
    values = draw(rng, "c sigma tau", "b S", most=99) | dict.fromkeys(("W", "d", "star", "g", "x"))
    first, last = rng.uniform(1, 2), rng.uniform(0.1, 1)
    values |= {"f": lambda d, c, star, x: first, "expected_loss": lambda W, d, b, c, s, t, star, g, F, x, S: last}
    of_page = {"F": np.array([first, last]), "F0": first, "end": last, "sigma2": values["sigma"] ** 2}
    return values | {"page": of_page | {"noise": lambda F: values["sigma"] ** 2}}


@table("thm-batches-hyperbola", "big_batches", thm_batches_hyperbola_product={0: "(4) hyperbola"})
def hyperbola_product(rng):
    values = draw(rng, "S_min E_min b")
    return values | {"C": values["S_min"] + values["E_min"] / values["b"]}


# Carrying a rate: the two runs over all that can be drawn, beside the page's recursion.
def ramp_run(grows):
    def run(W, b, h, c, a, lr, ms, x, F):
        def steps(k, rate, n, x):
            if not k:
                return run(W, b, h, c, a, lr, ms[1:], x, F)
            mean = 0
            for batch in product(range(len(W)), repeat=n):
                step = rate * (h * (x - c) + a[[*batch]].mean(axis=0))
                mean += math.prod(W[w] for w in batch) * steps(k - 1, rate, n, x - step)
            return mean

        if not ms:
            return apply(F, [x])
        return steps(1, lr, ms[0] * b, x) if grows else steps(ms[0], lr / ms[0], b, x)

    return run


@row("thm-carry-ramp")
def carry_ramp(rng):
    a = rng.normal(size=2)
    values = draw(rng, "lr", W=[0.5, 0.5], d=2, b=1, ms=[2, 1], a=np.array([a, -a]), x=rng.normal(size=2))
    values |= {"h": rng.uniform(0.1, 0.9, size=2), "c": rng.normal(size=2), "L": 1.0}
    given = {k: values[k] for k in ("lr", "b", "ms", "L", "h")}
    given |= {"start": (values["x"] - values["c"]) ** 2, "noise": a**2}
    page = Page("carrying_a_rate", "(5) the growing batch", **given)
    values |= {"falling": ramp_run(False), "growing": ramp_run(True)}
    return values, {"thm_carry_ramp": {0: page.sides()}}


# LARS and LAMB.
def lars_row(label, factor, theorem, best):
    @row(label)
    def lars_promise(rng):
        values = draw(rng, "lr alpha_l alpha_u fstar", "b T", most=99, h=3, x1=0)
        L, sigma, gap = *rng.uniform(0.1, 2, size=(2, 3)), rng.uniform()
        c = Numbers(Delta=gap, low=values["alpha_l"], high=values["alpha_u"], factor=factor, L=L, sigma=sigma)
        page = Page("lars", claims=c)
        any_rate = page["promise"](values["lr"], values["b"], values["T"])
        values |= {"L": L, "sigma": sigma, "f": lambda x: values["fstar"] + gap}
        return values, {theorem: {0: (None, any_rate)}, best: {0: (None, page["best_promise"](values["T"]))}}


lars_row("thm-lars", 2, "thm_lars", "thm_lars_best")
lars_row("prp-lars-once", 1, "prp_lars_once", "prp_lars_once_best")


@row("thm-norms")
def norms_promise(rng):
    values = draw(rng, "lr fstar L", "b T", most=99, h=3, x1=0)
    gap, values["K"], values["sigma"] = rng.uniform(0.1, 2), *rng.uniform(0.1, 2, size=(2, 3))
    N, page = Numbers(L=values["L"], K=values["K"]), Page("norms", Delta=gap, sigma=values["sigma"])
    any_rate = page["promise"](values["lr"], values["b"], values["T"], N)
    values["f"] = lambda x: values["fstar"] + gap
    best = page["best_promise"](values["T"], N)
    return values, {"thm_norms": {0: (None, any_rate)}, "thm_norms_best": {0: (None, best)}}


def norms_case(theorem, layers, K):
    @row("prp-norms-cases")
    def case(rng):
        values = draw(rng, "lr fstar", "b T", most=99, h=3, x1=0, d=np.array([4, 9, 2]))
        gap, values["sigma"] = rng.uniform(0.1, 2), rng.uniform(0.1, 2, size=3)
        L = values["L"] = rng.uniform(0.1, 2, size=3) if layers else float(rng.uniform(0.1, 2))
        values["f"], page = lambda x: values["fstar"] + gap, Page("norms", Delta=gap, sigma=values["sigma"])
        promised = page["promise"](values["lr"], values["b"], values["T"], Numbers(L=np.sum(L), K=K))
        return values, {theorem: {0: (None, promised)}}


norms_case("prp_norms_cases", True, np.ones(3))
norms_case("prp_norms_cases_sign", False, np.sqrt([4, 9, 2]))


@row("prp-lars-coincide")
def lars_forms(rng):
    values = draw(rng, "lr trust lambda", x=rng.normal(size=3), g=rng.normal(size=3), d=3, j=1)
    given = {name: values[name] for name in ("x", "lr", "trust")} | {"gradients": [values["g"]], "momentum": 0.0}
    page = Page("lars", "(1b) length", decay=values["lambda"], **given)
    a, b, share = page["a"], page["b"], page["above"] / page["below"]
    old, new = page["norm"](a), page["norm"](b)
    sides = {0: (-a[1], -share * b[1]), 1: (0, share), 2: (old, page.side(1)), 3: new, 4: (old, new)}
    return values, {"prp_lars_coincide": sides}


def lamb(rng, line, best):
    """Numbers, the right side of the ledger over the run, and the chapter's bound at its best rate."""
    values = draw(rng, "lr alpha_l alpha_u fstar beta2 G", "b T k", most=99, h=3, x1=0)
    values["m"] = values["k"] + int(rng.integers(4))
    L, sigma, start = rng.uniform(0.1, 2, 3), rng.uniform(0.1, 2, (3, values["m"])), values["fstar"] + rng.uniform()
    values |= {"f": lambda x: start, "L": L, "sigma": sigma}
    c = Numbers(**values, f_star=values["fstar"])
    given = {name: values[name] for name in ("lr", "alpha_l", "alpha_u")}
    page = Page("lamb", line, c=c, d_i=c.m, **given)
    return values, page, page.side(1), page[best](c, c.T)


@row("thm-lamb-sign", "lamb_sign")
def lamb_sign(rng):
    values, _, promised, best = lamb(rng, "(5b) f >= f*", "best_sign")
    return values, {"thm_lamb_sign": {0: (None, promised)}, "thm_lamb_sign_best": {0: (None, best)}}


@row("thm-lamb", "lamb_sign")
def lamb_memory(rng):
    values, page, promised, best = lamb(rng, "(6b) f >= f*", "best_memory")
    bracket = best * values["alpha_l"] * page["floor"](page["c"])  # the statement has the bracket alone
    return values, {"thm_lamb": {0: (None, promised)}, "thm_lamb_best": {0: bracket}}


# Reality check.
@table("lem-reality-tie", "reality_check", lem_reality_tie={0: (None, "(2) equally likely")})
def reality_tie(rng):
    return draw(rng, wholes="s")


@row("thm-reality-best")
def reality_best(rng):
    scores, k = rng.normal(size=6), int(rng.integers(1, 7))
    best = Page("reality_check")["best_of"](scores, k)
    values = {"k": k, "l": scores, "length": len, "sort": lambda x: sorted(x), "nth": lambda i, x, default: x[i]}
    values["best_of"] = lambda k, x: np.mean([min(K) for K in combinations(x, k)])
    return values, {"thm_reality_best": {0: best}}


@table("thm-reality-curse", "reality_check", thm_reality_curse_gap={0: (None, "(5) sigma sqrt(2 ln N)")})
def reality_curse(rng):
    values = draw(rng, "sigma", "N", most=50)
    return values | {"mu": range(values["N"])}


# Memory.
@table(
    "prp-memory-factored",
    "memory",
    prp_memory_factored={0: "(2) n + m <= nm", 3: ("(3) share", None), 4: "(3) share"},
)
def memory_factored(rng):
    return draw(rng, wholes="n m", most=50)


@table("prp-memory-segments", "memory", prp_memory_segments={2: "(1) peak", 3: "(2) two means", 4: "(3) price"})
def segments(rng):
    values = draw(rng, "C", "k l") | draw(rng, "A", low=1, high=3)
    return values | {"page": {"L": values["k"] * values["l"]}}


@row("prp-memory-zero")
def memory_zero(rng):
    values = draw(rng, wholes="p g w d N", most=99)
    p, g, w, d, N = values.values()
    page = Page("memory", "(2) little is added", p=p, g=g, w=w, d=d, N=N)
    with mock.patch.dict(memory.PRECISIONS, drawn=memory.Precision(p, g, w, 0, 0)):
        page.given["B"] = page["B"] = page["stages"](Numbers(shapes=lambda: {"x": (d,)}), "SGD", "drawn", N)
    B, most, limit = page["B"], page.side(1), Page("memory", "(4) limit of stage 1", **page.given).side(1)
    values["share"] = lambda d, N: -(-d // N)  # a whole number's division
    pairs = [*zip(B[1:], most, strict=True), (B[3], B[2]), (B[2], B[1]), (B[1], B[0]), (B[0], limit)]
    return values, {"prp_memory_zero": dict(enumerate(pairs))}


@row("prp-memory-roundings")
def memory_roundings(rng):
    u, (rho, q, q2) = rng.normal(size=4), (lambda a, x=None, w=w: round(a / w) * w for w in rng.uniform(0.1, 1, 3))
    x, o, e, (delta, delta2) = Page("memory")["rounded_walk"](u, rho, q, q2)

    def run(n, at=(1.0, 0.0)):
        for t in range(n):
            p = q(at[1] + u[t])
            at = (y := rho(at[0] + p)), q2(p + at[0] - y), p - (at[1] + u[t]) + q2(p + at[0] - y) - (p + at[0] - y)
        return at

    values = {"rho": rho, "q": q, "q'": q2, "u": u, "x0": 1.0, "n": len(u), "delta": delta, "delta'": delta2}
    places = {"x": 0, "o": 1}
    values |= {name: lambda rho, q, q2, u, x0, n, *, k=k: run(n)[k] for name, k in places.items()}
    values["e"] = lambda rho, q, q2, u, x0, t: run(t + 1)[2]
    given = {"x": x, "o": o, "e": e, "steps": u, "delta": delta, "delta2": delta2}
    rows = ("(2) sum", "(3) last rounding", "(4) to the nearest alone")
    last = [[np.ravel(side)[-1] for side in Page("memory", one, **given).sides()] for one in rows]
    return values, {"prp_memory_roundings": dict(enumerate(last))}


@row("prp-memory-codes")
def memory_codes(rng):
    levels, s, given = np.array([0, *np.sort(rng.uniform(size=3)), 1]), float(np.float32(rng.uniform(1, 9))), {}
    given = {"a": np.array([rng.uniform(0, s), s]), "levels": levels, "picked": None, "scale": s}
    largest, half, least = (
        Page("memory", one, **given).sides() for one in ("(2) largest", "(3) half of the gap", "(5) no zero")
    )
    read, k = least[1][0], int(np.searchsorted(levels, given["a"][0] / s)) - 1
    encode = Page("memory")["encode"]
    values = {"levels": levels, "L": 5, "s": s, "code": lambda z: encode(np.array([z, 1]), levels, 2)[0][0, 0]}
    values |= {"a": given["a"][0], "k": k, "l": k + 1, "zero": 0, "least": levels[1]}
    sides = {0: largest, 1: [side[0] for side in half], 2: (read, None), 3: (least[0], read)}
    return values, {"prp_memory_codes": sides}


# Adafactor.
@row("thm-adafactor-best")
def adafactor_best(rng):
    V, a, b = rng.uniform(0.1, 2, size=(2, 3)), rng.uniform(0.1, 2, 2), rng.uniform(0.1, 2, 3)
    page = Page("adafactor", "(4) Pythagoras", X=V, W=np.outer(a, b))
    best, lost, apart = page["S"], page["lost"], page["all_of_it"]
    sides = {0: page.sides(), 1: (lost, apart), 2: (page["W"][1, 2], best[1, 2])}
    return {"n": 2, "m": 3, "V": V, "a": a, "b": b, "i": 1, "j": 2}, {"thm_adafactor_best": sides}


def moving(beta, v0, y, t):
    return v0 if t == 0 else beta[t] * moving(beta, v0, y, t - 1) + (1 - beta[t]) * y[t]


@row("prp-adafactor-decay")
def adafactor_decay(rng):
    T, beta, y = 6, np.insert(rng.uniform(size=5), 0, 0), rng.normal(size=6)
    page = Page("adafactor", "(1) unrolled", factors=beta, y=y)
    average, w = page.side(1), page["w"]
    of_adam = Page("adafactor", "(6) Adam's weights", T=T, t=np.arange(1.0, T + 1)).sides()
    plain = Page("adafactor", "(5) the plain average", T=T, t=np.arange(1.0, T + 1)).sides()
    values = {"beta": [9, *beta], "y": [9, *y], "v0": rng.normal(), "T": T, "i": 3, "b": 0.999, "v": moving}
    values["P"] = lambda beta, i, k: math.prod(apply(beta, [t]) for t in range(i + 1, i + k + 1))
    sides = {"prp_adafactor_decay": {0: average, 1: (None, w[2]), 2: (w.sum(), 1)}}
    sides["prp_adafactor_decay_adam"] = {0: [side[2] for side in of_adam]}
    return values, sides | {"prp_adafactor_decay_power": {0: (plain[0][2], plain[1])}}


# CAME.
@row("prp-came-speed")
def came_speed(rng):
    values, u = draw(rng, "beta1 beta3", t=0), rng.normal()
    m, U, *_ = Page("came")["half_trace"]([np.array([[u]])], (values["beta1"], 0.9, values["beta3"]))
    return values | {"u": [0, u]}, {"prp_came_speed": {0: u - m.item(), 1: U.item()}}


def came_numbers(rng):
    """Numbers, and what the chapter has for the same series of updates."""
    values = draw(rng, "beta1 beta3 eps2", "t", n=2, k=3, i=1, j=2)
    beta1, beta3, eps2, t, *_ = values.values()
    u = rng.normal(size=(t, 2, 3))
    page = Page("came", "(6c) columns", us=list(u), now=t - 1)
    columns = page["half_trace"](list(u), (beta1, 0.9, beta3), eps2)
    page |= dict(zip("m U E S R C step".split(), columns, strict=True))
    page.given = dict(page)
    return values | {"u": [0, *u]}, page


@row("thm-came-step", "came_matrix", "came")
def came_step(rng):
    values, page = came_numbers(rng)
    K = page["K"](values["t"], values["beta1"], values["beta3"])
    m, E, step = (page[name][-1][1, 2] for name in ("m", "E", "step"))
    rows, columns = Page("came", "(6b) rows", **page.given).side(0)[1], page.side(0)[2]
    sides = {0: (m**2, K * E), 1: (rows, K), 2: (columns, K), 3: (abs(step), math.sqrt(K))}
    return values, {"thm_came_step": sides}


@row("prp-came-rank", "came_matrix", "came")
def came_rank(rng):
    values = draw(rng, "beta1 beta2 beta3 d", "t", most=2, n=2, k=2, eps1=1e-30, eps2=1e-16)  # as the cell has them
    a, H, page = rng.normal(size=values["t"]), rng.normal(size=(2, 2)), Page("came")
    g, betas = a[:, None, None] * H, (values["beta1"], values["beta2"], values["beta3"])
    step = page["trace"](g, betas, values["d"])[-1][-1]
    values |= {"i": 0, "j": 0, "i'": 1, "j'": 1, "g": [0, *g], "H": H}
    ratios = page["cross"](step)[0, 0], page["cross"](H)[0, 0]
    return values, {"prp_came_rank": {0: (step[0, 0], step[0, 0])}, "prp_came_rank_cross": {0: ratios}}


@row("prp-came-clip", "came_matrix", "came", "came_step")
def came_clip(rng):
    values, page = came_numbers(rng)
    length = page["weighted_length"](*(page[name][-1] for name in ("R", "C", "step")))
    bound = page["clip_bound"](values["t"], values["beta1"], values["beta3"])
    return values, {"prp_came_clip": {0: (length**2, bound)}}


@row("prp-came-constant", "came")
def came_constant(rng):
    values = draw(rng, "beta1 beta3 eps2", "t")
    betas, t, half_trace = (values["beta1"], 0.9, values["beta3"]), values["t"], Page("came")["half_trace"]
    m, E = (half_trace(np.ones((t, 1, 1)), betas, values["eps2"])[k][-1].item() for k in (0, 2))
    U = half_trace(np.ones((t, 1, 1)), betas)[1][-1].item()
    return values, {"prp_came_constant": {0: m, 1: U, 2: E}}


def came_grows(theorem, beta1, beta3, rate):
    squared = f"certain(200, (beta1, 0.9, beta3), eps2=0.0) ** 2 * {rate} ** 200"
    table("prp-came-constant", "came", **{theorem: {0: (None, squared)}})(lambda rng: {"beta1": beta1, "beta3": beta3})


came_grows("prp_came_constant_slow", 0.3, 0.9, rate=0.9)
came_grows("prp_came_constant_fast", 0.7, 0.1, rate=0.7**2)


@row("prp-came-extremes", "came_matrix")
def came_extremes(rng):
    E = rng.uniform(0.1, 2, size=(2, 3))
    E[0, 0] *= rng.integers(2)
    bold, S = Page("came", "(1) too bold", E=E).sides()
    total = Page("came", "(2) disjoint", E=E).side(1)
    most = Page("came", "(3) product", E=E).side(1) / total if E[0, 0] == 0 else None
    values = {"n": 2, "k": 3, "X": E, "i": 0, "j": 0}
    return values, {"prp_came_extremes": {0: (bold[0, 0], S[0, 0]), 1: (S[0, 0], most)}}


@row("prp-came-snr")
def came_snr(rng):
    W, a, values = rng.dirichlet(np.ones(2)), rng.normal(size=2), draw(rng, "beta1", "t", R=None)
    values |= {"W": W, "a": a, "mu": W @ a, "sigma": math.sqrt(W @ (a - W @ a) ** 2)}
    given = {"b1": values["beta1"], "mu": values["mu"], "sigma": values["sigma"]}
    rows = ("(1a) mean of m", 0), ("(1b) variance of m", 0), ("(3) inserted", 1)  # the third is said of step t + 1
    page = [Page("came", row, t=values["t"] + later, **given).side(1) for row, later in rows]
    return values, {"prp_came_snr": dict(enumerate(page))}


@table("prp-came-snr", "came", prp_came_snr_limit={0: (None, "(3) inserted")})
def came_snr_limit(rng):
    values = draw(rng, "mu beta1 sigma", high=0.7)
    return values | {"page": {"b1": values["beta1"], "t": 200}}


@row("prp-came-uphill", "averages")
def came_uphill(rng):
    k = int(rng.integers(3, 9))
    h = rng.uniform(k - 1, math.sqrt((k - 1) * (k * k - k - 1)))
    g, _, clipped = Page("came")["one_period"](h, k)
    values = {"k": k, "h": h, "gradient": lambda h, s: h if s == 0 else -1}
    sides = {0: (0, g.sum()), 1: (clipped.sum(), 0), 2: (0, g.mean()), 3: (clipped.mean(), 0)}
    values |= draw(rng, "beta2", "t") | {"place": lambda k, s: s % k}
    given = {"gs": g, "v": np.mean(g**2), **{name: values[name] for name in ("h", "k", "beta2", "t")}}
    near = Page("came", "(4) moving average", **given).sides()
    return values, {"prp_came_uphill": sides, "prp_came_uphill_average": {0: near}}


@row("prp-came-cautious", "came_uphill")
def came_cautious(rng):
    n, k = 5, int(rng.integers(3, 9))
    (u, g), h = rng.normal(size=(2, n)), rng.uniform(k - 1, math.sqrt((k - 1) * (k * k - k - 1)))
    total, above, entry = (Page("came", one, u=u, g=g).sides() for one in ("(2) sum", "(3b) above", "(4) size"))
    together = Page("came", "(6) a period", N=n, h=h, k=k)
    values = {"n": n, "u": u, "g": g, "k": k, "h": h, "j": 1, "gradient": lambda h, s: h if s == 0 else -1}
    moved = Page("came", "(4) size", u=u, g=g)["kept"][1]
    sides = {0: total, 1: (0, total[0]), 2: above, 3: (entry[0][1], entry[1][1]), 4: (moved, None)}
    period = {0: (0, together["gs_of"].sum()), 1: (together.side(0), None)}
    return values, {"prp_came_cautious": sides, "prp_came_cautious_period": period}


# The landscape.
@row("prp-landscape-lion")
def landscape_lion(rng):
    values = draw(rng, "B", "d", high=1, lr=0.01) | {"lambda": 2.0}  # the cell has this rate and this decay
    x = Numbers(data=np.full(values["d"], values["B"]))
    length, most = (Page("landscape", row, x=x).side(1) for row in ("(1) length", "(2) size"))
    return values, {"prp_landscape_lion": {0: (None, length), 1: (None, most)}}


@row("prp-landscape-span")
def landscape_span(rng):
    (n, m, r), rho, eps = (2, 4, 3), rng.uniform(0.1, 2), 1e-8
    G, H, P, A = (rng.normal(size=shape) for shape in ((n, m), (n, m), (m, r), (n, r)))
    P = np.linalg.qr(P)[0]
    gamma = rho * np.linalg.norm(A) / (np.linalg.norm(G @ P) + eps)  # as printed
    pairs = Page("landscape", "(1) change sides", G=H, U=A @ P.T, P=P, N=A, c=1).sides()
    split = Page("landscape", "(3) Pythagoras", G=G, P=P, A=A).sides()
    best = Page("landscape", "(3) Pythagoras", G=G, P=P, A=G @ P).side(0)
    multiple = Page("landscape", "(4) a multiple", G=G, U=gamma * G, gamma=gamma).sides()
    values = {"n": n, "m": m, "r": r, "P": P.T, "G": G, "H": H, "A": A, "rho": rho, "eps": eps, "N": lambda seen: A}
    sides = {0: pairs, 1: (pairs[0], 0), 2: split, 3: (best, split[0]), 4: multiple, 5: (0, gamma), 6: (0, gamma)}
    return values, {"prp_landscape_span": sides}


@row("thm-landscape-sm3")
def sm3(rng):
    n, m, t = 2, 3, 3
    G = rng.normal(size=(t, n, m))
    page = [Page("landscape", row, G=G).side(k)[-1, 1, 1] for row, k in (("(3) sum", 0), ("(4) above", 1))]
    values = {"holds": lambda S, j: S in (j // m, n + j % m), "home": lambda j: j // m}
    values |= {"d": n * m, "c": n + m, "t": t, "j": 4, "g": [0, *G.reshape(t, -1)]}
    values["largest"] = lambda n, P, x: max([0, *(apply(x, [i]) for i in range(n) if P(i))])
    values["smallest"] = lambda n, P, x, a: min([a, *(apply(x, [i]) for i in range(n) if P(i))])
    return values, {"thm_landscape_sm3": {0: (page[0], None), 1: (None, page[1])}}


@row("thm-landscape-shampoo", "adafactor")
def shampoo(rng):
    n, m, r, T = 2, 3, 2, 2
    G, z, eps, compared = rng.normal(size=(T, n, m)), rng.normal(size=n * m), rng.uniform(0.1, 1), {}
    page = Page("landscape", below=lambda ledger, step, P, Q: compared.update({step: (P, Q)}))
    page["kron_bound"](G, r, eps)
    P, Q = compared["(4) between"]
    L, R = (eps * np.eye(len(g)) + g @ g.T for g in map(np.hstack, (list(G), list(G.transpose(0, 2, 1)))))
    L_half, R_half = (np.linalg.inv(page["inverse_root"](A, 2, 1e-12)) for A in (L, R))
    values = {"n": n, "m": m, "r": r, "T": T, "eps": eps, "G": G, "Z": z.reshape(n, m)}
    return values | {"L_half": L_half, "R_half": R_half}, {"thm_landscape_shampoo": {0: (z @ P @ z, z @ Q @ z)}}


@row("prp-torch-rounding")
def rounding(rng):
    a, z, b = np.sort(rng.normal(size=3))
    up = (z - a) / (b - a)  # as printed
    values = {"rounded": lambda a, b, w: (b, a)[w], "draw": lambda a, b, z, neighbours, between: [up, 1 - up]}
    variance = Page("torch", "(2) variance", low=tensor(a), z=tensor(z), high=tensor(b)).side(1)
    most = Page("torch", "(3) the bound", gap=b - a).side(1)
    values |= {"a": a, "b": b, "z": z, "neighbours": None, "between": None}
    return values, {"prp_torch_rounding": {0: z, 1: variance, 2: (variance, most)}}


# At work.
@row("prp-minutes-accumulation")
def accumulated(rng):
    k, n = int(rng.integers(1, 4)), 2
    model, x = nn.Linear(3, 2, bias=False).double(), tensor(rng.normal(size=(k * n, 3)) / 9)  # too small for a clip
    page = Page("bert_in_76_minutes", x=x, y=tensor(rng.integers(0, 2, k * n)))
    of_rows, parts, whole = (
        [page["gradient"](model, cut)[1][0].item() for cut in cuts]
        for cuts in ([[[s]] for s in range(k * n)], [tensor(range(k * n)).chunk(k)], [[slice(None)]])
    )
    values = {"k": k, "l": n, "t": 0, "i": 0, "row": lambda t, j, s: n * j + s, "x": 0}
    values["row_grad"] = lambda x, at: [of_rows[at]]
    return values, {"prp_minutes_accumulation": {0: (parts[0], whole[0])}}


@row("prp-work-schedule")
def work_schedule(rng):
    values = draw(rng, "eta beta3", "t") | {"true": True, "false": False}
    values |= dict.fromkeys("n k beta1 eps2 Y y0 x0 gradient half".split())
    rate = values["eta"] / math.sqrt(1 - values["beta3"] ** values["t"])  # as printed
    # shows the rate of step t, which is all in which the two runs differ
    values["run"] = lambda n, k, b1, b3, eps2, Y, y0, x0, gradient, half, correct, rate, t: apply(rate, [t])
    return values, {"prp_work_schedule": {0: (values["eta"], rate)}}


@row("prp-large-u")
def large_u(rng):
    values = draw(rng, "E A B alpha beta C k c t u v")
    t, u, v, c, k, C = (values[name] for name in "tuvckC")
    theta = [values["E"], math.log(values["A"]), values["alpha"], math.log(values["B"]), values["beta"]]
    page = Page("train_large_compress", **values)
    best, more = page["best_size"](C), page["best_size"](k * C)
    sizes = (math.exp(t * u + (1 - t) * v), math.exp(u), math.exp(v), best, c)
    middle, one, other, least, any_size = (page["loss_of"](theta, size, C / size) for size in sizes)
    sides = {0: (middle, t * one + (1 - t) * other), 1: (least, any_size), 2: more}
    return values, {"prp_large_u": sides | {3: (k * C / more, k * C / more)}}


@row("prp-large-bits")
def large_bits(rng):
    w, x, k = rng.normal(size=(3, 5)), rng.normal(size=5), int(rng.integers(1, 7))
    quantise = Page("train_large_compress")["quantise"]
    codes, s, low = quantise(w[1], k)
    error, most = low + s * codes - w[1], s / 2 * np.abs(x).sum()
    values = {"m": 2, "n": 4, "k": k, "w": w, "x": x, "i": 1, "j": 2}
    values |= {"largest": lambda n, x: max(apply(x, [i]) for i in range(n + 1)), "up": lambda x: math.floor(x) + 1}
    values["smallest"] = lambda n, x: min(apply(x, [i]) for i in range(n + 1))
    sides = {0: (abs(error[2]), s / 2), 1: (abs(error @ x), most), 2: (s, quantise(w.ravel(), k)[1])}
    return values, {"prp_large_bits": sides | {3: (quantise(w[1], k + 1)[1], s / 2)}}


@row("prp-machines-least")
def machines_least(rng):
    values = {"N": (N := int(rng.integers(2, 9))), "e": (e := int(rng.integers(2, 9))), "d": N * e}
    total = Page("many_machines", "(3) together", n=N, d=N * e).side(0)
    each = Page("many_machines", "(4) the busiest", n=N, total=total).side(0)
    page = {"prp_machines_least": {0: (total, None), 2: (each, None), 4: (each, None)}}
    return values, page | {"prp_machines_least_ring": dict.fromkeys((0, 1), (None, each))}


# Appendix A, whose cells have many instances along the first axis: a row gives them one.
def one(**values):
    return {"page": {name: np.array([value]) for name, value in values.items()}}


def pair(rng):
    u, v, a = rng.normal(size=3), rng.normal(size=3), rng.uniform(0.1, 2)
    return {"d": 3, "u": u, "v": v, "a": a} | one(u=u, v=v, a=a)


def chance(rng, low=-2):
    """A random number X (in one lemma g), and its law."""
    X, p, a = rng.uniform(low, 2, size=3), rng.dirichlet(np.ones(3)), rng.uniform(0.1, 2)
    values = {"X": X, "g": X, "W": p, "a": a, "sigma": math.sqrt(p @ (X - p @ X) ** 2), "phi": math.exp}
    return values | {"indicator": lambda decided: float(decided)} | one(X=X, p=p, a=a)


def telescoping(rng):
    T = int(rng.integers(1, 6))
    f, p, e = (rng.normal(size=n) for n in (T + 1, T, T))
    values = {"c": rng.uniform(0.1, 3), "T": T, "f": f, "p": p, "e": e, "fstar": f[-1] - rng.exponential()}
    page = one(F=f, gain=p, noise_t=e, f_star=values["fstar"])
    return values | {"t": p.argmin(), "page": page["page"] | {"c": values["c"], "T": T}}


for label, numbers, theorems in (
    ("lem-cauchy-schwarz", pair, {"lem_cauchy_schwarz": {0: "(3) Cauchy-Schwarz"}}),
    ("lem-young", pair, {"lem_young": {0: "(2) Young"}, "lem_young_sum": {0: "(3) of a sum"}}),
    ("lem-lyapunov", chance, {"lem_lyapunov": {0: "Lyapunov"}}),
    ("lem-markov", lambda rng: chance(rng, low=0), {"lem_markov": {0: "(2) Markov"}}),
    ("lem-jensen", chance, {"lem_jensen": {0: "(2) averaged"}}),
    ("lem-sign", chance, {"lem_sign": {0: "(3) averaged", 1: (None, "(4) Lyapunov")}}),
    ("lem-telescoping", telescoping, {"lem_telescoping": {1: "(3b) least <= average", 2: "(3) bounded below"}}),
):
    table(label, "toolbox", **theorems)(numbers)


@row("lem-normalised-direction")
def normalised_direction(rng):
    values = pair(rng)
    page = Page("toolbox", "normalised direction", "(3b) the lemma, whole", **values.pop("page")).sides()
    return values, {"lem_normalised_direction": {0: page}}


@row("lem-norms")
def norms(rng):
    values = pair(rng) | {"norm_max": lambda d, u: max(map(abs, u))}
    rows = "(1) max <= 2-norm", "(2) 2-norm <= 1-norm", "(3) 1-norm <= sqrt(d) 2-norm", "(4) 2-norm <= sqrt(d) max"
    page = [Page("toolbox", row, **one(u=values["u"])["page"]).sides() for row in rows]
    page[3] = [math.sqrt(3) * side for side in page[3]]  # times sqrt(d), as in the chain of the lemma
    return values, {"lem_norms": dict(enumerate(page))}


@row("lem-bias-variance")
def bias_variance(rng):
    values, c = chance(rng), rng.normal()
    page = Page("toolbox", "(2) no cross term", **values["page"], centre=np.array([c])).sides()
    X, W = values["X"], values["W"]
    values = {"d": 1, "X": X[:, None], "W": W, "c": [c], "EX": [W @ X]}
    return values, {"lem_bias_variance": {0: page}}


def every_batch(theorem, line, order, *reads):
    """Three vectors and all batches of b, which `order` makes."""

    @row("lem-batch-variance", *reads)
    def batch_variance(rng):
        b, g = int(rng.integers(1, 4)), rng.normal(size=(3, 2))
        chosen = list(order(range(3), b))
        values = {"n": 3, "d": 2, "b": b, "g": g, "Hn": None, "uniform": lambda n, Hn: None, "length": len}
        values |= {"batches": lambda W, b: [1 / len(chosen)] * len(chosen), "drawn": lambda W, b, k: chosen[k]}
        values |= {"seq": lambda begin, n: None, "ways": lambda b, left: chosen}
        values |= {"average": lambda f, x: np.mean([f(one) for one in x])}
        values |= {"total": lambda a, batch: sum(apply(a, [w]) for w in batch)}
        return values, {theorem: {0: Page("toolbox", line, G=g, b=b, n=3).sides()}}


every_batch("lem_batch_variance", "(2) with replacement", lambda x, b: product(x, repeat=b), "batches")
every_batch("lem_batch_variance_without", "(4) without", permutations, "batches", "toolbox_batches")


@row("lem-descent")
def descent(rng):
    x, y, (L, lr) = rng.normal(size=2), rng.normal(size=2), rng.uniform(0.1, 2, size=2)
    f, grad = lambda x: np.sin(x).sum(), np.cos  # in two dimensions
    given = {"f": f, "grad": grad, "L": L, "lr": lr, "x": x}
    here = f(x) + grad(x) @ (y - x)
    step = [here + side for side in Page("toolbox", "(3b) the lemma, whole", y=y, delta=y - x, **given).sides()]
    gains = [f(x) - side for side in reversed(Page("toolbox", "(4) a gradient step", **given).sides())]
    values = {"d": 2, "L": L, "lr": lr, "x": x, "y": y, "grad": lambda x: grad(x)}
    values["f"] = lambda x: f(np.array([apply(x, [j]) for j in range(2)]))
    return values, {"lem_descent": {0: step}, "lem_descent_progress": {0: gains}}


@row("lem-layerwise")
def layerwise(rng):
    H, delta, tilt = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=3)
    page = Page("toolbox", "(2b) the lemma, whole", H=H + H.T, step=delta, layers=[[0], [1], [2]])
    linear, each = tilt @ delta, page["block_norm"]
    values = {"h": 3, "d": [1] * 3, "x": [[0.0]] * 3, "y": delta[:, None], "grad": lambda x: tilt[:, None]}
    values |= {"Lij": each, "f": lambda y: (y := np.ravel(y)) @ (H + H.T) @ y / 2 + tilt @ y}
    return values, {"lem_layerwise": {0: [linear + side for side in page.sides()]}}


def log_sum(theorem, beta):
    @row("lem-log-sum")
    def summed(rng):
        a, eps = rng.exponential(size=4), rng.uniform(0.1, 1)
        S = np.array([a[:t] @ beta ** np.arange(t - 1, -1.0, -1) for t in range(5)])
        page = Page("toolbox", "(3) summed", beta=beta, T=4, **one(a=a, eps=eps, S=S)["page"]).sides()
        return {"a": a, "eps": eps, "T": 4, "beta": beta}, {theorem: {0: page}}


log_sum("lem_log_sum", 1.0)
log_sum("lem_log_sum_decayed", 0.9)
