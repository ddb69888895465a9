"""For a theorem's label: numbers for what its statements in Rocq name, and the sides that the page has for them.

A row gives the numbers and {theorem in Rocq: {which of its comparisons: (left, right) of the page}}. The page's sides
are what the chapter's cells and ledger compute: a function of the chapter, a line of it, or a step of proofs/NAME.py. A
side that is a mean over all runs, or a definition of the book's alone, is None. The definitions that a statement names
are read from proofs/NAME.v; those that cannot be read (Fixpoint, match) a row writes in Python.
"""

import functools
import math
import re
from collections.abc import Callable
from itertools import combinations, pairwise, permutations, product
from types import SimpleNamespace as Numbers
from typing import NamedTuple

import numpy as np

import notebooks
from minilib.analysis.noise import two_batch
from minilib.optim.adafactor import factored_ema, rms
from minilib.optim.base import ema
from minilib.optim.shampoo import inverse_root
from proofs import (
    adafactor,
    adam,
    bert_in_76_minutes,
    big_batches,
    came,
    landscape,
    lars,
    many_machines,
    memory,
    momentum,
    reality_check,
    toolbox,
    torch,
)
from tests.proofs.statement_sides import apply


class Row(NamedTuple):
    label: str
    reads: tuple[str, ...]  # the files in proofs/ whose definitions it names, beside those of its theorems
    draw: Callable  # of a random generator: the numbers, and the page's sides


ROWS: list[Row] = []
WITHOUT = {
    "thm-loss-paths": "its sides are programs, and no constant stands in it",
    "lem-momentum-lookahead": "its sides are two programs' iterates",
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


ON_ALL_PAGES = {"np": np, "sqrt": math.sqrt, "comb": math.comb, "pairwise": pairwise}


def of_chapter(chapter, *names, **globals_):
    """Functions that the cells of a chapter define, with the values of the names that they take from the chapter."""
    text, found = notebooks.find(chapter).read_text(encoding="utf-8"), ON_ALL_PAGES | globals_
    for name in names:
        exec(re.search(rf"^def {name}\(.*?(?=^\S|^```)", text, re.MULTILINE | re.DOTALL)[0], found)
    return found[names[0]] if len(names) == 1 else [found[name] for name in names]


def line_of_chapter(chapter, begins, **values):
    """What stands on the right of the only line of a chapter that begins with these words, for these values."""
    text = notebooks.find(chapter).read_text(encoding="utf-8")
    (line,) = {line.strip() for line in text.split("\n") if line.strip().startswith(begins)}
    return eval(line.partition("=")[2].rstrip(","), ON_ALL_PAGES | values)


class Ledger(dict):
    """Keeps what a chapter's function would put into its ledger: {row: (left, right)}."""

    def __init__(self, title=""):
        self.title = title

    def leq(self, name, left, right, **_):
        self[name] = (left, right)

    eq = leq


def some(rng, names, low=0.2, high=2.0):
    return {name: float(rng.uniform(low, high)) for name in names.split()}


def whole(rng, names, low=1, high=7):
    return {name: int(rng.integers(low, high)) for name in names.split()}


def both(step, s):
    return step.left(s), step.right(s)


def of_steps(label, theorem, draw, steps, *reads):
    """A row whose sides are those of steps in proofs/*.py, {comparison: step}; `draw` has the numbers of both."""

    def sides_of_steps(rng):
        values = draw(rng)
        page = {k: both(step, Numbers(**values)) for k, step in steps.items()}
        return {name: value for name, value in values.items() if name != "weight"}, {theorem: page}

    row(label, *reads)(sides_of_steps)


def vectors(rng, d, names="u v"):
    return {name: rng.normal(size=d).tolist() for name in names.split()} | {"d": d}


def chances(rng, n):
    return rng.dirichlet(np.ones(n)).tolist()


@row("thm-loss-price")
def loss_price(rng):
    values = whole(rng, "k m", 1, 99) | {"n": 100}
    forward = line_of_chapter("loss_and_gradient", "by_hand = 100", widths=[values["k"], values["m"]])
    return values, {"thm_loss_price": {0: (None, forward), 1: (None, 2 * forward)}}  # row (2) has 2 * by_hand


# Momentum. The page's functions have L = 1, where learning rates are in units of 1/L.
def ends(rng):
    mu, L = sorted(rng.uniform(0.1, 3, size=2).tolist())
    start = {"x0": [2.5], "xs": [0], "d": 1}
    return start | {"mu": mu, "L": L} | some(rng, "lr beta", 0.1, 0.9) | whole(rng, "t"), L / mu


@row("thm-momentum-best", "momentum_best")
def momentum_best(rng):
    values, kappa = ends(rng)
    worst, best_pair, _, _ = of_chapter("momentum", "worst", "best_pair", "radius", "roots")
    r, every = best_pair(kappa)[2], worst(values["lr"] * values["L"], values["beta"], kappa)
    promised = line_of_chapter("momentum", "promised=(1 + (1 + r", r=r, T=values["t"], begin=2.5)
    return values, {"thm_momentum_best": {0: (r, every), 1: (None, r), 2: (None, promised)}}


@row("thm-momentum-best")
def momentum_best_pair(rng):
    values, kappa = ends(rng)
    lr, beta, r = of_chapter("momentum", "best_pair")(kappa)
    values["worst"] = lambda mu, L, lr, beta: L * lr + 7 * beta  # shows the pair at which the statement takes it
    return values, {"thm_momentum_best": {1: (lr + 7 * beta, r)}}


@row("thm-momentum-nesterov", "momentum_best")
def momentum_nesterov(rng):
    values, kappa = ends(rng)
    radius, _ = of_chapter("momentum", "radius", "roots")
    usual, r = momentum.usual(math.sqrt(kappa))
    flat, other = 1 / kappa, rng.uniform(1 / kappa, 1)
    at_flat_end, below = radius(flat, values["beta"] * (1 - flat)), radius(other, usual * (1 - other))
    promised = line_of_chapter("momentum", "promised=(1 + (1 - r", r=r, T=values["t"], begin=2.5)
    page = {0: (r, at_flat_end), 1: (r, at_flat_end), 2: (None, r), 3: (below, r), 4: (None, promised)}
    return values | {"lam": other * values["L"]}, {"thm_momentum_nesterov": page}


@row("thm-momentum-nesterov")
def momentum_braked(rng):
    values = some(rng, "lam lr beta now before", -1, 1)
    page = both(momentum.a_braked_ball, Numbers(**values))

    def lookahead(slope, lr, beta, x, before, t):
        return [(y := x[0] + beta * (x[0] - before[0])) - lr * slope(y)]

    def heavy_ball(slope, lr, beta, x, before, t):
        return [x[0] - lr * slope(x[0]) + beta * (x[0] - before[0])]

    values |= {"x": [values["now"]], "before": [values["before"]], "t": 1, "d": 1, "v": [1.0], "xs": [0.0], "H": 0}
    values |= {"lookahead": lookahead, "heavy_ball": heavy_ball}
    values["bowl_grad"] = lambda d, H, xs: lambda x: values["lam"] * x
    return values, {"thm_momentum_nesterov_ball": {0: page}}


@row("thm-momentum-noise")
def momentum_noise(rng):
    values = some(rng, "lr lam s beta", 0.1, 0.9)
    bar, floor = values["lr"] / (1 - values["beta"]), of_chapter("momentum", "floor")
    # the chapter's floor has curvature and noise 1
    V, of_sgd = (floor(bar * values["lam"], b) * values["s"] ** 2 / values["lam"] ** 2 for b in (values["beta"], 0))
    apart = of_sgd - V, values["s"] ** 2 * bar**2  # the right side as the theorem prints it
    page = {0: (None, V), 1: (V, V), 2: (None, of_sgd), 3: (V, of_sgd), 4: apart}
    return values, {"thm_momentum_noise": page}


@row("thm-momentum-spectrum")
def momentum_spectrum(rng):
    beta = float(rng.uniform(0.1, 0.9))
    s = float(rng.uniform((1 - beta**0.5) ** 2, (1 + beta**0.5) ** 2))
    radius, roots = of_chapter("momentum", "radius", "roots")
    root = roots(s, beta)[0]
    values = {"beta": beta, "a": root.real, "b": root.imag, "modulus": lambda a, b: math.hypot(a, b)}
    return values, {"thm_momentum_spectrum": {1: (radius(s, beta), radius(s, beta))}}


# SGD and Adam.
@row("thm-sgd")
def sgd(rng):
    values, at = some(rng, "L sigma fstar lr Delta", 0.1, 3), whole(rng, "b T", 1, 99)
    of_page = {"Delta": values.pop("Delta"), "L": values["L"], "sigma2": values["sigma"] ** 2}
    promise, rate, best_promise = of_chapter("sgd", "promise", "best_rate", "best_promise", **of_page)
    best = best_promise(**at)
    page = {"thm_sgd": {0: (None, promise(values["lr"], **at))}, "thm_sgd_best_run": {0: (None, best)}}
    page["thm_sgd_best"] = {0: (promise(rate(**at), **at), best)}
    start = values["fstar"] + of_page["Delta"]
    return values | at | {"x1": 0, "f": lambda x: start}, page


@row("prp-adam-bias")
def adam_bias(rng):
    values = some(rng, "beta1 beta2 mean square", 0.1, 0.9) | whole(rng, "t")
    quiet = {"noise": [0] * values["t"]}
    pairs = (("beta1", "mean"), ("beta2", "square"))
    page = [adam.collected.right(Numbers(beta=values[b], mean=values[x], **quiet)) for b, x in pairs]
    values |= {"W": [1.0], "g": lambda s, w: values["mean"]}
    return values, {"prp_adam_bias": {0: (page[0], page[0]), 1: (None, page[1])}}


@row("prp-adam-longest", "adam")
def adam_longest(rng):
    values = some(rng, "beta1 beta2", 0.1, 0.9) | whole(rng, "t")
    g = rng.normal(size=values["t"])
    s = Numbers(g=g, **values)
    longest = of_chapter("adam", "longest")(values["t"], values["beta1"], values["beta2"])
    share = math.sqrt(adam.longest_step.left(s) / adam.longest_step.right(s))
    return values | {"g": [0, *g.tolist()]}, {"prp_adam_longest": {0: (share * longest, longest)}}


@row("prp-adam-longest")
def adam_longest_limit(rng):
    beta1, beta2 = rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.9)
    late = of_chapter("adam", "longest")(500, beta1, beta2)
    return {"beta1": beta1, "beta2": beta2}, {"prp_adam_longest_limit": {0: (None, late)}}


@row("thm-adam-trap")
def adam_trap(rng):
    values = {"C": rng.uniform(2, 5), "T": 3 * int(rng.integers(1, 9))}
    promised = line_of_chapter("adam", "promised = (2 * C", C=values["C"])
    return values, {"thm_adam_trap": {2: (promised * values["T"], None)}}


@row("thm-adam-amsgrad")
def adam_amsgrad(rng):
    values = some(rng, "lr beta2 lo", 0.1, 0.9) | whole(rng, "T") | {"hi": 2.5, "x1": 1, "df": 0}
    slopes, v = rng.normal(size=values["T"]), rng.uniform()
    bound = of_chapter("adam", "regret_bound")(slopes, v, values["lr"], values["beta2"], 2.5 - values["lo"])
    values |= {"run": lambda lo, hi, lr, beta2, x1, df, T: T, "top": lambda state: v}
    values["g"] = lambda lo, hi, lr, beta2, x1, df: slopes.tolist()
    return values, {"thm_adam_amsgrad": {0: (None, bound[-1])}}


@row("thm-adam-bound")
def adam_bound(rng):
    values = some(rng, "lr beta2 L R_ eps fstar gap", 0.1, 0.9) | whole(rng, "d T")
    of_page = {"R": values["R_"], "L": values["L"], "gap": (gap := values.pop("gap"))}
    bound = of_chapter("adam", "bound", d=values["d"], eps=values["eps"], **of_page)
    values |= {"x1": 0, "f": lambda x: values["fstar"] + gap}
    return values, {"thm_adam_bound": {0: (None, bound(values["T"], values["lr"], values["beta2"]))}}


# Big batches.
@row("thm-batches-step")
def batches_step(rng):
    b, n = int(rng.integers(1, 4)), 3
    g, H = rng.normal(size=(n, 2)), np.diag(rng.uniform(1, 2, size=2)) + 0.3
    s, gain = Numbers(g=g.tolist(), H=H.tolist(), draws=[0] * b), big_batches.gain
    q, rate = big_batches.pull(s) + big_batches.shake(s) / b, big_batches.best(s)
    after = line_of_chapter("big_batches", 'promise = {"measured"', after=0, here=0, G=g.mean(axis=0), q=q)["promised"]
    page = {"thm_batches_step": {1: (None, -after)}}
    page["thm_batches_step_scale"] = {0: (rate, rate), 1: (None, gain.right(s))}
    return {"W": [1 / n] * n, "d": 2, "g": s.g, "H": s.H, "b": b}, page


@row("prop-batches-two")
def batches_two(rng):
    s, b = 2, int(rng.integers(3, 9))
    samples, small, big = (rng.normal(size=(n, 2)) for n in (4, 3, 2))
    check_two, ledger = of_chapter("big_batches", "check_two", all_batches=None, two_batch=two_batch), Ledger()
    check_two(ledger, samples, [(s, b)], draw=lambda _, size: {s: small, b: big}[size])
    pairs = {"g_s": [x for x in small.tolist() for _ in big], "g_b": [x for _ in small for x in big.tolist()]}
    values = {"W": [1 / 4] * 4, "Q": [1 / 6] * 6, "d": 2, "g": samples.tolist(), "s": s, "b": b}
    page = {"prop_batches_two": {0: ledger["(2) signal is unbiased"], 1: ledger["(3) noise is unbiased"]}}
    return values | pairs, page | {"prop_batches_two_bias": {0: ledger["(4) bias of the ratio"]}}


@row("thm-batches-hyperbola")
def batches_hyperbola(rng):
    values = some(rng, "c sigma tau", 0.1, 0.9) | whole(rng, "b S", 1, 99) | dict.fromkeys(("W", "d", "star", "g", "x"))
    first, last = rng.uniform(1, 2), rng.uniform(0.1, 1)
    of_page = {"F0": first, "c": values["c"], "sigma2": values["sigma"] ** 2}
    S_min, E_min = of_chapter("big_batches", "minima", **of_page)(values["tau"], last)
    theta = line_of_chapter("big_batches", "theta, S, at =", tau=values["tau"], F=[0], b=0)[0]
    slowest = line_of_chapter("big_batches", "piece, slowest =", integral=lambda *_: 0, q=0, F=[0, 0], theta=theta)[1]
    most = S_min + E_min / values["b"]
    values |= {"f": lambda d, c, star, x: first, "expected_loss": lambda W, d, b, c, s, t, star, g, F, x, S: last}
    return values, {"thm_batches_hyperbola": {0: (most / slowest, values["S"]), 1: (values["S"], most)}}


three = functools.partial(some, names="S_min E_min b")
of_steps("thm-batches-hyperbola", "thm_batches_hyperbola_product", three, {0: big_batches.hyperbola})


# LARS and LAMB.
def lars_row(label, factor, theorem, best):
    @row(label)
    def lars_promise(rng):
        values = some(rng, "lr alpha_l alpha_u fstar gap") | whole(rng, "b T", 1, 99) | {"h": 3, "x1": 0}
        L, sigma, gap = rng.uniform(0.1, 2, size=3), rng.uniform(0.1, 2, size=3), values.pop("gap")
        c = Numbers(Delta=gap, low=values["alpha_l"], high=values["alpha_u"], factor=factor, L=L, sigma=sigma)
        promise, best_promise, _ = of_chapter("lars", "promise", "best_promise", "budget", claims=None)
        values |= {"L": L.tolist(), "sigma": sigma.tolist(), "f": lambda x: values["fstar"] + gap}
        any_rate = {0: (None, promise(values["lr"], values["b"], values["T"], c))}
        return values, {theorem: any_rate, best: {0: (None, best_promise(values["T"], c))}}


lars_row("thm-lars", 2, "thm_lars", "thm_lars_best")
lars_row("prp-lars-once", 1, "prp_lars_once", "prp_lars_once_best")


@row("prp-lars-coincide")
def lars_forms(rng):
    values = vectors(rng, 3, "x g") | some(rng, "lr trust lambda") | {"j": 1}
    s = Numbers(**values, decay=values["lambda"])
    old, long, short = lars.step_2017(s), lars.length_2017(s), lars.norm(lars.step_2020(s))
    page = {0: (old[1], old[1]), 2: (lars.norm(old), long), 3: (short, short), 4: (long, short)}
    return values, {"prp_lars_coincide": page}


def lamb_page(rng, *names):
    """Numbers, what stands in the last row of the ledger over the run, and the chapter's bound at its best rate."""
    values = some(rng, "lr alpha_l alpha_u fstar gap beta2 G", 0.1, 0.9) | whole(rng, "b T", 1, 99)
    values |= {"h": 3, "m": int(rng.integers(1, 5)), "x1": 0}
    values["k"] = int(rng.integers(1, values["m"] + 1))
    L, sigma = rng.uniform(0.1, 2, 3), rng.uniform(0.1, 2, (3, values["m"]))
    start = values["fstar"] + values.pop("gap")
    c = Numbers(**values | {"f": lambda x: start, "L": L, "sigma": sigma, "f_star": values["fstar"]})
    given = {"alpha_u": c.alpha_u, "alpha_l": c.alpha_l, "d_i": c.m}
    steps, best, *_ = of_chapter("lamb", *names, tree=lambda c: (c.lr, 0, 0, c.f_star), **given)
    steps(ledger := Ledger(), c)
    (promised,) = (ledger[name][1] for name in ledger if name.endswith("f >= f*"))
    return values | {"f": c.f, "L": L.tolist(), "sigma": sigma.tolist()}, c, promised, best(c, c.T)


@row("thm-lamb-sign", "lamb_sign")
def lamb_sign(rng):
    values, _, promised, best = lamb_page(rng, "steps_5_6", "best_sign", "q")
    return values, {"thm_lamb_sign": {0: (None, promised)}, "thm_lamb_sign_best": {0: (None, best)}}


@row("thm-lamb", "lamb_sign")
def lamb(rng):
    values, c, promised, best = lamb_page(rng, "memory_6_7", "best_memory", "floor")
    bracket = best * c.alpha_l * math.sqrt((1 - c.beta2) / (c.G**2 * c.m))  # the statement has the bracket alone
    return values, {"thm_lamb": {0: (None, promised)}, "thm_lamb_best": {0: (bracket, bracket)}}


# Reality check.
@row("lem-reality-tie")
def reality_tie(rng):
    s = int(rng.integers(1, 6))
    page = reality_check.alarms.right(Numbers(x=[[0] * (2 * s)], w=[1]))
    return {"s": s}, {"lem_reality_tie": {0: (None, page)}}


@row("thm-reality-best")
def reality_best(rng):
    scores, k = rng.normal(size=6).tolist(), int(rng.integers(1, 7))
    best, _ = of_chapter("reality_check", "best_of", "weights")
    values = {"k": k, "l": scores, "length": len, "sort": lambda x: sorted(x), "nth": lambda i, x, default: x[i]}
    values["best_of"] = lambda k, x: np.mean([min(K) for K in combinations(x, k)])
    return values, {"thm_reality_best": {0: (best(scores, k), best(scores, k))}}


@row("thm-reality-curse")
def reality_curse(rng):
    values = some(rng, "sigma") | whole(rng, "N", 2, 50)
    bound = line_of_chapter("reality_check", "bound = sigma *", sigma=values["sigma"], mu=range(values["N"]))
    return values, {"thm_reality_curse_gap": {0: (None, bound)}}


# Memory.
shape = functools.partial(whole, names="n m", low=2, high=50)
share = {
    3: Numbers(left=memory.share.left, right=lambda s: None),
    4: Numbers(left=lambda s: None, right=memory.share.right),
}
of_steps("prp-memory-factored", "prp_memory_factored", shape, {0: memory.factored, **share})


@row("prp-memory-segments")
def memory_segments(rng):
    values = whole(rng, "k l") | {"C": rng.uniform(0.1, 1), "A": rng.uniform(1, 3)}
    s = Numbers(**values, length=values["l"], L=values["k"] * values["l"])
    least, peak = memory.two_means.left(s), memory.played.right(s)
    page = {2: (memory.played.left(s), peak), 3: (least, peak), 4: (None, 2 * s.L)}  # 4 is "(3) price" in the ledger
    return values, {"prp_memory_segments": page}


@row("prp-memory-zero")
def memory_zero(rng):
    values = some(rng, "p g w") | whole(rng, "d N", 1, 99)
    p, g, w, d, N = (values[name] for name in "pgwdN")
    cut = Numbers(N=N, q=d // N, rest=d % N)
    shared = np.array([w, g + w, p + g + w])
    B = [memory.held(cut, x, p + g + w - x) for x in (0, *shared)]
    most = line_of_chapter("memory", "bound = (p + g + w", p=p, g=g, w=w, d=d, N=N, shared=shared)
    limit = line_of_chapter("memory", "limit = (p + g + w", p=p, g=g, w=w, B=B)
    values["share"] = lambda d, N: -(-d // N)  # a whole number's division
    pairs = [(B[1], most[0]), (B[2], most[1]), (B[3], most[2]), (B[3], B[2]), (B[2], B[1]), (B[1], B[0]), (B[0], limit)]
    return values, {"prp_memory_zero": dict(enumerate(pairs))}


# Adafactor.
@row("thm-adafactor-best")
def adafactor_best(rng):
    V, a, b = rng.uniform(0.1, 2, size=(2, 3)), rng.uniform(0.1, 2, 2), rng.uniform(0.1, 2, 3)
    star, apart = of_chapter("adafactor", "star", "divergence")
    other, best = np.outer(a, b), star(V)
    D = [apart(x, y).sum() for x, y in ((V, other), (V, best), (best, other))]
    values = {"n": 2, "m": 3, "V": V.tolist(), "a": a.tolist(), "b": b.tolist(), "i": 1, "j": 2}
    return values, {"thm_adafactor_best": {0: (D[0], D[1] + D[2]), 1: (D[1], D[0]), 2: (other[1, 2], best[1, 2])}}


def moving(beta, v0, y, t):
    return v0 if t == 0 else beta[t] * moving(beta, v0, y, t - 1) + (1 - beta[t]) * y[t]


@row("prp-adafactor-decay")
def adafactor_decay(rng):
    T, beta, y = 6, np.insert(rng.uniform(size=5), 0, 0), rng.normal(size=6)
    weights, factors = of_chapter("adafactor", "weights", "adam_factors")
    w, t = weights(beta)[0], np.arange(1.0, T + 1)
    values = {"beta": [9, *beta], "y": [9, *y], "v0": rng.normal(), "T": T, "i": 3, "b": 0.999, "v": moving}
    values["P"] = lambda beta, i, k: math.prod(apply(beta, [t]) for t in range(i + 1, i + k + 1))
    page = {0: (adafactor.moving(beta, y), w @ y), 1: (None, w[2]), 2: (w.sum(), 1)}
    of_adam = weights(factors(0.999, t))[0][2], line_of_chapter("adafactor", "adams = 0.999", T=T, t=t)[2]
    plain = weights(1 - 1 / t)[0][2]
    page = {"prp_adafactor_decay": page, "prp_adafactor_decay_adam": {0: of_adam}}
    return values, page | {"prp_adafactor_decay_power": {0: (plain, plain)}}


# CAME.
def came_numbers(rng, n=2, k=3):
    values = some(rng, "beta1 beta3", 0.2, 0.9) | {"n": n, "k": k, "t": int(rng.integers(1, 5)), "eps2": 0}
    u = rng.normal(size=(values["t"], n, k)).tolist()
    return values | {"u": [0, *u]}, Numbers(beta1=values["beta1"], beta3=values["beta3"], u=u)


@row("prp-came-speed")
def came_speed(rng):
    values = some(rng, "beta1 beta3", 0.2, 0.9) | {"u": [0, rng.normal()], "t": 0}
    s = Numbers(**values | {"u": values["u"][1:], "eps": 0})
    return values, {"prp_came_speed": {1: (None, came.speed.left(s) / came.weights(s)[0])}}


@row("thm-came-step", "came_matrix", "came")
def came_step(rng):
    values, s = came_numbers(rng)
    K = of_chapter("came", "K")(values["t"], values["beta1"], values["beta3"])
    m, E = came.average(s), came.each(s, came.instability)
    one = math.sqrt(came.squares(s)[0][0])
    rows, columns = came.in_row(E, m[0]), came.in_row(came.columns(E), came.columns(m)[0])
    page = {0: (m[0][0] ** 2, K * E[0][0]), 1: (rows, K), 2: (columns, K), 3: (one, math.sqrt(K))}
    return values | {"i": 0, "j": 0}, {"thm_came_step": page}


@row("prp-came-rank", "came_matrix", "came")
def came_rank(rng):
    values = some(rng, "beta1 beta2 beta3 d", 0.2, 0.9) | {"eps1": 1e-30, "eps2": 1e-16}  # as the cell has them
    t, n, k = int(rng.integers(1, 3)), 2, 2
    a, H = rng.normal(size=t), rng.normal(size=(n, k))
    g, betas = a[:, None, None] * H, (values["beta1"], values["beta2"], values["beta3"])
    trace, cross = of_chapter("came", "trace", "cross", ema=ema, factored_ema=factored_ema, rms=rms)
    step = trace(g, betas, values["d"])[-1][-1]
    values |= {"n": n, "k": k, "t": t, "i": 0, "j": 0, "i'": 1, "j'": 1, "g": [0, *g.tolist()], "H": H.tolist()}
    ratios = cross(step)[0, 0], cross(H)[0, 0]
    return values, {"prp_came_rank": {0: (step[0, 0], step[0, 0])}, "prp_came_rank_cross": {0: ratios}}


@row("prp-came-clip", "came_matrix", "came", "came_step")
def came_clip(rng):
    values, s = came_numbers(rng)
    bound = of_chapter("came", "clip_bound")(values["t"], values["beta1"], values["beta3"])
    return values, {"prp_came_clip": {0: (came.weighted(s), bound)}}


def equal_updates(rng):
    values = some(rng, "beta1 beta3 eps2", 0.2, 0.9) | whole(rng, "t")
    return values | {"eps": values["eps2"], "u": [1.0] * values["t"]}


of_steps("prp-came-constant", "prp_came_constant", equal_updates, dict(enumerate(came.constant[:3])), "came")


def came_grows(theorem, beta1, beta3, rate):
    @row("prp-came-constant")
    def came_in_the_end(rng):
        late = of_chapter("came", "certain")(200, (beta1, 0.9, beta3), eps2=0.0)
        return {"beta1": beta1, "beta3": beta3}, {theorem: {0: (None, late**2 * rate**200)}}


came_grows("prp_came_constant_slow", 0.3, 0.9, rate=0.9)
came_grows("prp_came_constant_fast", 0.7, 0.1, rate=0.7**2)


@row("prp-came-extremes", "came_matrix")
def came_extremes(rng):
    E = rng.uniform(0.1, 2, size=(2, 3))
    E[0, 0] *= rng.integers(2)
    s, E = Numbers(E=E.tolist()), E.tolist()
    S = came.factored(E)[2][0][0]
    cautious = came.half_each.right(s) / came.everything(came.crossed(s)) if E[0][0] == 0 else None
    values = {"n": 2, "k": 3, "X": E, "i": 0, "j": 0}
    return values, {"prp_came_extremes": {0: (came.too_bold.left(s), S), 1: (S, cautious)}}


@row("prp-came-snr")
def came_snr(rng):
    values = some(rng, "mu beta1", 0.2, 0.9) | {"t": int(rng.integers(0, 4)), "W": chances(rng, 2), "R": None}
    s = Numbers(**values, noise=rng.normal(size=2).tolist(), weight=values["W"], t_=[0] * values["t"])
    more = Numbers(**vars(s) | {"t_": [0] * (values["t"] + 1)})
    values |= {"a": [values["mu"] + x for _, x in came.draws(s)], "sigma": math.sqrt(came.variance(s))}
    steps = zip(came.noise[:2] + came.noise[3:], (s, s, more), strict=True)
    return values, {"prp_came_snr": {k: both(step, at) for k, (step, at) in enumerate(steps)}}


@row("prp-came-snr")
def came_snr_limit(rng):
    values = some(rng, "mu beta1 sigma", 0.2, 0.7)
    s = Numbers(**values, noise=[values["sigma"], -values["sigma"]], weight=[1, 1], t_=[0] * 200)
    return values, {"prp_came_snr_limit": {0: (None, came.inserted(s))}}


@row("prp-came-uphill")
def came_uphill(rng):
    k = int(rng.integers(3, 9))
    h = rng.uniform(k - 1, math.sqrt((k - 1) * (k * k - k - 1)))
    g, _, clipped = of_chapter("came", "one_period")(h, k)
    values = {"k": k, "h": h, "gradient": lambda h, s: h if s == 0 else -1}
    page = {0: (0, g.sum()), 1: (clipped.sum(), 0), 2: (0, g.mean()), 3: (clipped.mean(), 0)}
    return values, {"prp_came_uphill": page}


# The landscape.
@row("prp-landscape-lion")
def lion(rng):
    values = some(rng, "lr lambda B") | {"d": 4}
    length = math.sqrt(landscape.length.right(Numbers(lr=values["lr"], g=[0] * 4)))
    size = landscape.size.right(Numbers(x=values["B"], decay=values["lambda"]))
    return values, {"prp_landscape_lion": {0: (None, length), 1: (None, size)}}


@row("thm-landscape-sm3")
def sm3(rng):
    n, m, t = 2, 3, 3
    G = rng.normal(size=(t, n, m))
    above = np.minimum(*((G**2).max(axis=axis, keepdims=True).sum(axis=0) for axis in (2, 1)))  # row (4)
    values = {"holds": lambda S, j: S in (j // m, n + j % m), "home": lambda j: j // m}
    values |= {"d": n * m, "c": n + m, "t": t, "j": 4, "g": [0, *G.reshape(t, -1).tolist()]}
    values["largest"] = lambda n, P, x: max([0, *(apply(x, [i]) for i in range(n) if P(i))])
    values["smallest"] = lambda n, P, x, a: min([a, *(apply(x, [i]) for i in range(n) if P(i))])
    return values, {"thm_landscape_sm3": {0: ((G**2).sum(axis=0)[1, 1], None), 1: (None, above[1, 1])}}


@row("thm-landscape-shampoo", "adafactor")
def shampoo(rng):
    n, m, r, T = 2, 3, 2, 2
    G, z, eps, compared = rng.normal(size=(T, n, m)), rng.normal(size=n * m), rng.uniform(0.1, 1), {}
    keep = {"below": lambda ledger, step, P, Q: compared.update({step: (P, Q)}), "Ledger": Ledger}
    of_chapter("landscape", "kron_bound", inverse_root=inverse_root, **keep)(G, r, eps)
    P, Q = compared["(4) between"]
    L, R = (eps * np.eye(len(g)) + g @ g.T for g in map(np.hstack, (list(G), list(G.transpose(0, 2, 1)))))
    values = {"n": n, "m": m, "r": r, "T": T, "eps": eps, "G": G.tolist(), "Z": z.reshape(n, m).tolist()}
    values |= {
        f"{name}_half": np.linalg.inv(inverse_root(A, 2, 1e-12)).tolist() for name, A in {"L": L, "R": R}.items()
    }
    return values, {"thm_landscape_shampoo": {0: (z @ P @ z, z @ Q @ z)}}


@row("prp-landscape-average")
def landscape_average(rng):
    lr, z = rng.uniform(0.1, 1, size=(2, 4))
    page = landscape.step.right(Numbers(w=(lr**2).tolist(), z=z.tolist()))
    return {"t": 4, "lr": [0, *lr], "z": [0, 0, *z]}, {"prp_landscape_average": {0: (None, page)}}


def rounding(rng):
    a, z, b = sorted(rng.normal(size=3).tolist())
    up = torch.up(Numbers(a=a, b=b, z=z))
    values = {"rounded": lambda a, b, w: (b, a)[w], "draw": lambda a, b, z, neighbours, between: [up, 1 - up]}
    return values | {"a": a, "b": b, "z": z, "neighbours": None, "between": None}


steps = dict(enumerate((torch.unbiased, torch.spread, torch.bound)))
of_steps("prp-torch-rounding", "prp_torch_rounding", rounding, steps)


# At work.
def accumulated(rng):
    k, m = int(rng.integers(1, 4)), 2
    values = {"k": k, "l": m, "w": rng.normal(), "t": 0, "i": 0, "row": lambda t, j, s: (j, s)}
    s = Numbers(w=values["w"], x=rng.normal(size=(k, m)).tolist(), y=rng.normal(size=(k, m)).tolist())
    slopes = bert_in_76_minutes.slopes(s, s.w)
    return values | {"x": s.x, "y": s.y, "row_grad": lambda x, at: [slopes[at[0]][at[1]]]}


parts = bert_in_76_minutes.gradient
parts = {0: Numbers(left=parts.right, right=parts.left)}  # the statement has the parts on its left
of_steps("prp-minutes-accumulation", "prp_minutes_accumulation", accumulated, parts)


@row("prp-work-schedule")
def work_schedule(rng):
    values = some(rng, "eta beta3", 0.1, 0.9) | whole(rng, "t") | {"true": True, "false": False}
    values |= dict.fromkeys("n k beta1 eps2 Y y0 x0 gradient half".split())
    rate = line_of_chapter("came_at_work", 'opts[1].param_groups[k]["lr"] =', lr=values["eta"], **values)
    # shows the rate of step t, which is all in which the two runs differ
    values["run"] = lambda n, k, b1, b3, eps2, Y, y0, x0, gradient, half, correct, rate, t: apply(rate, [t])
    return values, {"prp_work_schedule": {0: (values["eta"], rate)}}


@row("prp-large-u")
def large_u(rng):
    values = some(rng, "E A B alpha beta C k c t u v", 0.1, 0.9)
    t, u, v, c, k, C = (values[name] for name in "tuvckC")
    theta = [values["E"], math.log(values["A"]), values["alpha"], math.log(values["B"]), values["beta"]]
    loss_of, best_size = of_chapter("train_large_compress", "loss_of", "best_size", **values)
    best, more = best_size(C), best_size(k * C)
    sizes = (math.exp(t * u + (1 - t) * v), math.exp(u), math.exp(v), best, c)
    middle, one, other, least, any_size = (loss_of(theta, size, C / size) for size in sizes)
    page = {0: (middle, t * one + (1 - t) * other), 1: (least, any_size), 2: (more, more)}
    return values, {"prp_large_u": page | {3: (k * C / more, k * C / more)}}


@row("prp-large-bits")
def large_bits(rng):
    w, x, k = rng.normal(size=(3, 5)), rng.normal(size=5), int(rng.integers(1, 7))
    quantise = of_chapter("train_large_compress", "quantise")
    codes, s, low = quantise(w[1], k)
    error, most = low + s * codes - w[1], s / 2 * np.abs(x).sum()
    values = {"m": 2, "n": 4, "k": k, "w": w.tolist(), "x": x.tolist(), "i": 1, "j": 2}
    values |= {"largest": lambda n, x: max(apply(x, [i]) for i in range(n + 1)), "up": lambda x: math.floor(x) + 1}
    values["smallest"] = lambda n, x: min(apply(x, [i]) for i in range(n + 1))
    page = {0: (abs(error[2]), s / 2), 1: (abs(error @ x), most), 2: (s, quantise(w.ravel(), k)[1])}
    return values, {"prp_large_bits": page | {3: (quantise(w[1], k + 1)[1], s / 2)}}


@row("prp-machines-least")
def machines_least(rng):
    values = whole(rng, "N e", 2, 9)
    values["d"] = (N := values["N"]) * values["e"]
    all_of_them = many_machines.together.left(Numbers(**values))
    page = {"prp_machines_least": {0: (all_of_them, None), 2: (all_of_them / N, None), 4: (all_of_them / N, None)}}
    return values, page | {"prp_machines_least_ring": dict.fromkeys((0, 1), (None, all_of_them / N))}


# Appendix A.
def pair(rng):
    return vectors(rng, 3) | some(rng, "a")


def random(rng, low=-2):
    """A random number X (in one lemma g), its law, and a convex function of it."""
    X, p = rng.uniform(low, 2, size=3).tolist(), chances(rng, 3)
    values = {"X": X, "g": X, "W": p, "weight": p} | some(rng, "a q k l m c")
    values["sigma"] = math.sqrt(toolbox.variance(Numbers(**values)))
    return values | {"phi": lambda x: toolbox.kinked(Numbers(**values), x), "indicator": lambda decided: float(decided)}


positive = functools.partial(random, low=0)
of_steps("lem-cauchy-schwarz", "lem_cauchy_schwarz", pair, {0: toolbox.cauchy_schwarz})
of_steps("lem-young", "lem_young", pair, {0: toolbox.young})
of_steps("lem-young", "lem_young_sum", pair, {0: toolbox.young_sum})
of_steps("lem-normalised-direction", "lem_normalised_direction", pair, {0: toolbox.normalised})
of_steps("lem-lyapunov", "lem_lyapunov", random, {0: toolbox.lyapunov})
of_steps("lem-markov", "lem_markov", positive, {0: toolbox.markov})
of_steps("lem-jensen", "lem_jensen", random, {0: toolbox.jensen})
half_of_sigma = Numbers(left=toolbox.wrong_sign.right, right=toolbox.wrong_sigma.right)
of_steps("lem-sign", "lem_sign", random, {0: toolbox.wrong_sign, 1: half_of_sigma})


@row("lem-bias-variance")
def bias_variance(rng):
    values = random(rng)
    s = Numbers(**values)
    one = {"d": 1, "X": [[x] for x in values["X"]], "c": [values["c"]], "EX": [toolbox.E(s, s.X)], "W": values["W"]}
    return one, {"lem_bias_variance": {0: both(toolbox.bias_variance, s)}}


def every_batch(order):
    """Three vectors and all batches of b, which `order` makes."""

    def draw(rng):
        b = int(rng.integers(1, 4))
        chosen = list(order(range(3), b))
        values = vectors(rng, 2) | {"n": 3, "b": b, "batch": [0] * b, "g": rng.normal(size=(3, 2)).tolist()}
        values |= {"Hn": None, "uniform": lambda n, Hn: None, "batches": lambda W, b: [1 / len(chosen)] * len(chosen)}
        values |= {"drawn": lambda W, b, k: chosen[k], "seq": lambda begin, n: None, "ways": lambda b, left: chosen}
        values |= {"average": lambda f, x: np.mean([f(one) for one in x]), "length": len}
        return values | {"total": lambda a, batch: sum(apply(a, [w]) for w in batch)}

    return draw


all_batches = every_batch(lambda x, b: product(x, repeat=b))
of_steps("lem-batch-variance", "lem_batch_variance", all_batches, {0: toolbox.with_replacement}, "batches")
of_steps(
    "lem-batch-variance",
    "lem_batch_variance_without",
    every_batch(permutations),
    {0: toolbox.without_replacement},
    "batches",
    "toolbox_batches",
)


@row("lem-descent")
def descent(rng):
    s = Numbers(**some(rng, "L w lr") | {"x": rng.normal(), "y": rng.normal()})  # SGD's pit, in one dimension
    here, slope = toolbox.pit(s.L, s.w, s.x), toolbox.pit_slope(s.L, s.w, s.x)
    values = {"d": 1, "L": s.L, "lr": s.lr, "x": [s.x], "y": [s.y], "grad": lambda x: [slope]}
    values["f"] = lambda x: toolbox.pit(s.L, s.w, apply(x, [0]))
    step = [here + slope * (s.y - s.x) + side for side in both(toolbox.descent, s)]
    gains = [here - side for side in reversed(both(toolbox.gains, s))]
    return values, {"lem_descent": {0: step}, "lem_descent_progress": {0: gains}}


@row("lem-layerwise")
def layerwise(rng):
    H, delta, tilt = (rng.normal(size=size).tolist() for size in ((3, 3), 3, 3))
    s, linear = Numbers(H=H, delta=delta), np.dot(tilt, delta)
    values = {"h": 3, "d": [1] * 3, "x": [[0.0]] * 3, "y": [[x] for x in delta], "grad": lambda x: [[g] for g in tilt]}
    values |= {"Lij": lambda i, k: abs(toolbox.H(s, i, k))}
    values["f"] = lambda y: toolbox.bent(Numbers(H=H, delta=(flat := [x for (x,) in y]))) + np.dot(tilt, flat)
    return values, {"lem_layerwise": {0: [linear + side for side in both(toolbox.layerwise, s)]}}


def log_sum(theorem, beta):
    @row("lem-log-sum")
    def summed(rng):
        a, eps = rng.exponential(size=4), rng.uniform(0.1, 1)
        S = np.array([[a[:t] @ beta ** np.arange(t - 1, -1.0, -1) for t in range(5)]])
        price = line_of_chapter("toolbox", "price = -np.log", beta=beta)
        terms, new, _ = line_of_chapter("toolbox", "terms, new, old = a", a=a, eps=eps, S=S)
        bound = line_of_chapter("toolbox", "bound = np.log(new", new=new, eps=eps, T=4, price=price)[0]
        return {"a": a.tolist(), "eps": eps, "T": 4, "beta": beta}, {theorem: {0: (terms.sum(), bound)}}


log_sum("lem_log_sum", 1.0)
log_sum("lem_log_sum_decayed", 0.9)


@row("lem-norms")
def norms(rng):
    values, length = vectors(rng, 3), math.sqrt(3)
    s = Numbers(**values | {"d": 3.0})
    page = {k: both(step, s) for k, step in enumerate((toolbox.max_norm, toolbox.two_norm, toolbox.one_norm))}
    page[3] = [length * side for side in both(toolbox.back, s)]  # times sqrt(d), as in the chain of the lemma
    return values | {"norm_max": lambda d, u: max(map(abs, u))}, {"lem_norms": page}


@row("lem-telescoping")
def telescoping(rng):
    T = int(rng.integers(1, 6))
    f, p, e = (rng.normal(size=n).tolist() for n in (T + 1, T, T))
    values = {"c": rng.uniform(0.1, 3), "T": T, "f": f, "p": p, "e": e, "fstar": f[-1] - rng.exponential()}
    s = Numbers(**values | {"f": f[:-1], "last": f[-1], "least": values["fstar"]})
    page = {1: both(toolbox.least_average, s), 2: both(toolbox.bounded, s)}
    return values | {"t": p.index(min(p))}, {"lem_telescoping": page}
