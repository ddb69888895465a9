"""For a theorem's label: numbers for what its statement in Rocq names, and the sides that the page has for them.

A row gives the numbers and {which comparison of the statement: (left, right) of the page}. Of the page's two sides it
takes what the chapter's cells and ledger compute: a function of the chapter, a line of it, or a step of proofs/NAME.py.
A side that is a mean over all runs is None. The definitions that a statement names are read from proofs/NAME.v; those
that cannot be read (Fixpoint, match) a row writes in Python.
"""

import math
import re
from collections.abc import Callable
from itertools import combinations, pairwise, permutations, product
from types import SimpleNamespace as Numbers
from typing import NamedTuple

import numpy as np

import notebooks
from minilib.analysis.noise import two_batch
from minilib.optim.shampoo import inverse_root
from proofs import (
    adafactor,
    adam,
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
    source: str
    theorem: str
    reads: tuple[str, ...]  # the files in proofs/ whose definitions it names
    draw: Callable  # of a random generator: the numbers, and the page's sides


ROWS: list[Row] = []

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


def row(label, source, theorem, *reads):
    def keep(draw):
        ROWS.append(Row(label, source, theorem, ("vectors", "spaces", *reads, source), draw))
        return draw

    return keep


def of_chapter(chapter, *names, **globals_):
    """Functions that the cells of a chapter define, with the values of the names that they take from the chapter."""
    text = notebooks.find(chapter).read_text(encoding="utf-8")
    for name in names:
        exec(re.search(rf"^def {name}\(.*?(?=^\S|^```)", text, re.MULTILINE | re.DOTALL)[0], globals_)
    return globals_[names[0]] if len(names) == 1 else [globals_[name] for name in names]


def line_of_chapter(chapter, begins, **values):
    """What stands on the right of the only line of a chapter that begins with these words, for these values."""
    text = notebooks.find(chapter).read_text(encoding="utf-8")
    (line,) = {line.strip() for line in text.split("\n") if line.strip().startswith(begins)}
    return eval(line.partition("=")[2].rstrip(","), {"np": np} | values)


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


def vectors(rng, d, names="u v"):
    return {name: rng.normal(size=d).tolist() for name in names.split()} | {"d": d}


def chances(rng, n):
    return rng.dirichlet(np.ones(n)).tolist()


@row("thm-loss-price", "loss_and_gradient_price", "thm_loss_price")
def loss_price(rng):
    values = whole(rng, "k m", 1, 99) | {"n": 100}
    forward = line_of_chapter(
        "loss_and_gradient", "by_hand = 100", pairwise=pairwise, widths=[values["k"], values["m"]]
    )
    return values, {0: (None, forward), 1: (None, 2 * forward)}  # "(2) backward 2 n k m" in the ledger


# Momentum. The page's functions have L = 1, where learning rates are in units of 1/L.
def ends(rng):
    mu, L = sorted(rng.uniform(0.1, 3, size=2).tolist())
    start = {"norm": lambda d, x: 2.5, "sub": lambda x, y: 0, "x0": 0, "xs": 0, "d": 2}
    return {"mu": mu, "L": L} | some(rng, "lr beta", 0.1, 0.9) | whole(rng, "t"), L / mu, start


@row("thm-momentum-best", "momentum_best_run", "thm_momentum_best", "momentum_best")
def momentum_best(rng):
    values, kappa, start = ends(rng)
    worst, _, _ = of_chapter("momentum", "worst", "radius", "roots", np=np)
    r = of_chapter("momentum", "best_pair", np=np)(kappa)[2]
    promised = line_of_chapter("momentum", "promised=(1 + (1 + r", r=r, T=values["t"], begin=2.5)
    every = worst(values["lr"] * values["L"], values["beta"], kappa)
    return values | start, {0: (r, every), 1: (None, r), 2: (None, promised)}


@row("thm-momentum-best", "momentum_best_run", "thm_momentum_best")
def momentum_best_pair(rng):
    values, kappa, _ = ends(rng)
    lr, beta, r = of_chapter("momentum", "best_pair", np=np)(kappa)
    values["worst"] = lambda mu, L, lr, beta: L * lr + 7 * beta  # shows the pair at which the statement takes it
    return values, {1: (lr + 7 * beta, r)}


@row("thm-momentum-nesterov", "momentum_nesterov", "thm_momentum_nesterov", "momentum_best")
def momentum_nesterov(rng):
    values, kappa, start = ends(rng)
    values["lam"] = rng.uniform(values["mu"], values["L"])
    radius, _ = of_chapter("momentum", "radius", "roots", np=np)
    usual, r = momentum.usual(math.sqrt(kappa))
    flat, other = 1 / kappa, values["lam"] / values["L"]
    at_flat_end = radius(flat, values["beta"] * (1 - flat))
    promised = line_of_chapter("momentum", "promised=(1 + (1 - r", r=r, T=values["t"], begin=2.5)
    page = {0: (r, at_flat_end), 1: (r, at_flat_end), 2: (None, r), 3: (radius(other, usual * (1 - other)), r)}
    return values | start, page | {4: (None, promised)}


@row("thm-momentum-nesterov", "momentum_nesterov", "thm_momentum_nesterov_ball")
def momentum_braked(rng):
    values = some(rng, "lam lr beta now before", -1, 1)
    page = momentum.a_braked_ball
    sides = page.left(Numbers(**values)), page.right(Numbers(**values))

    def ahead(slope, lr, beta, x, before, t):
        y = x[0] + beta * (x[0] - before[0])
        return [y - lr * slope(y)]

    def ball(slope, lr, beta, x, before, t):
        return [x[0] - lr * slope(x[0]) + beta * (x[0] - before[0])]

    values |= {"x": [values["now"]], "before": [values["before"]], "t": 1, "d": 1, "v": [1.0], "xs": [0.0], "H": 0}
    values |= {"lookahead": ahead, "heavy_ball": ball, "bowl_grad": lambda d, H, xs: lambda x: values["lam"] * x}
    return values, {0: sides}


@row("thm-momentum-noise", "momentum_noise", "thm_momentum_noise")
def momentum_noise(rng):
    values = some(rng, "lr lam s beta", 0.1, 0.9)
    bar, floor = values["lr"] / (1 - values["beta"]), of_chapter("momentum", "floor")
    # the chapter's floor has curvature and noise 1
    V, of_sgd = (floor(bar * values["lam"], b) * values["s"] ** 2 / values["lam"] ** 2 for b in (values["beta"], 0))
    apart = of_sgd - V, values["s"] ** 2 * bar**2  # the right side as the theorem prints it
    return values, {0: (None, V), 1: (V, V), 2: (None, of_sgd), 3: (V, of_sgd), 4: apart}


@row("thm-momentum-spectrum", "momentum_spectrum", "thm_momentum_spectrum")
def momentum_spectrum(rng):
    beta = float(rng.uniform(0.1, 0.9))
    s = float(rng.uniform((1 - beta**0.5) ** 2, (1 + beta**0.5) ** 2))
    radius, roots = of_chapter("momentum", "radius", "roots", np=np)
    root = roots(s, beta)[0]
    values = {"beta": beta, "a": root.real, "b": root.imag, "modulus": lambda a, b: math.hypot(a, b)}
    return values, {1: (radius(s, beta), radius(s, beta))}


# SGD.
def sgd_numbers(rng):
    values = some(rng, "L sigma fstar lr Delta", 0.1, 3) | whole(rng, "b T", 1, 99)
    of_page = {"Delta": values.pop("Delta"), "L": values["L"], "sigma2": values["sigma"] ** 2, "np": np}
    start = values["fstar"] + of_page["Delta"]
    functions = of_chapter("sgd", "promise", "best_rate", "best_promise", **of_page)
    return values | {"x1": 0, "f": lambda x: start}, {"b": values["b"], "T": values["T"]}, *functions


@row("thm-sgd", "sgd", "thm_sgd")
def sgd(rng):
    values, at, promise, _, _ = sgd_numbers(rng)
    return values, {0: (None, promise(values["lr"], **at))}


@row("thm-sgd", "sgd", "thm_sgd_best")
def sgd_best_rate(rng):
    values, at, promise, rate, best = sgd_numbers(rng)
    return values, {0: (promise(rate(**at), **at), best(**at))}


@row("thm-sgd", "sgd", "thm_sgd_best_run")
def sgd_best(rng):
    values, at, _, _, best = sgd_numbers(rng)
    return values, {0: (None, best(**at))}


# Adam.
@row("prp-adam-bias", "adam", "prp_adam_bias")
def adam_bias(rng):
    values = some(rng, "beta1 beta2 mean square", 0.1, 0.9) | whole(rng, "t")
    quiet = {"noise": [0] * values["t"]}
    pairs = (("beta1", "mean"), ("beta2", "square"))
    page = [adam.collected.right(Numbers(beta=values[b], mean=values[x], **quiet)) for b, x in pairs]
    values |= {"W": [1.0], "g": lambda s, w: values["mean"]}
    return values, {0: (page[0], page[0]), 1: (None, page[1])}


@row("prp-adam-longest", "adam_longest", "prp_adam_longest", "adam")
def adam_longest(rng):
    values = some(rng, "beta1 beta2", 0.1, 0.9) | whole(rng, "t")
    g = rng.normal(size=values["t"])
    at = Numbers(g=g, **values)
    longest = of_chapter("adam", "longest", np=np)(values["t"], values["beta1"], values["beta2"])
    share = math.sqrt(adam.longest_step.left(at) / adam.longest_step.right(at))
    return values | {"g": [0, *g.tolist()]}, {0: (share * longest, longest)}


@row("prp-adam-longest", "adam_longest", "prp_adam_longest_limit")
def adam_longest_limit(rng):
    beta1, beta2 = rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.9)
    late = of_chapter("adam", "longest", np=np)(500, beta1, beta2)
    return {"beta1": beta1, "beta2": beta2}, {0: (None, late)}


@row("thm-adam-trap", "adam_trap", "thm_adam_trap")
def adam_trap(rng):
    values = {"C": rng.uniform(2, 5), "T": 3 * int(rng.integers(1, 9))}
    return values, {2: (line_of_chapter("adam", "promised = (2 * C", C=values["C"]) * values["T"], None)}


@row("thm-adam-amsgrad", "adam_amsgrad", "thm_adam_amsgrad")
def adam_amsgrad(rng):
    values = some(rng, "lr beta2 lo", 0.1, 0.9) | whole(rng, "T") | {"hi": 2.5, "x1": 1, "df": 0}
    slopes, v = rng.normal(size=values["T"]), rng.uniform()
    bound = of_chapter("adam", "regret_bound", np=np)(slopes, v, values["lr"], values["beta2"], 2.5 - values["lo"])
    played = {"run": lambda lo, hi, lr, beta2, x1, df, T: T, "top": lambda state: v}
    return values | played | {"g": lambda lo, hi, lr, beta2, x1, df: slopes.tolist()}, {0: (None, bound[-1])}


@row("thm-adam-bound", "adam_bound", "thm_adam_bound")
def adam_bound(rng):
    values = some(rng, "lr beta2 L R_ eps fstar gap", 0.1, 0.9) | whole(rng, "d T")
    of_page = {"R": values["R_"], "L": values["L"], "gap": (gap := values.pop("gap"))}
    bound = of_chapter("adam", "bound", np=np, d=values["d"], eps=values["eps"], **of_page)
    values |= {"x1": 0, "f": lambda x: values["fstar"] + gap}
    return values, {0: (None, bound(values["T"], values["lr"], values["beta2"]))}


# Big batches.
def quadratic(rng):
    d, n, b = 2, 3, int(rng.integers(1, 4))
    g, H, x = rng.normal(size=(n, d)), np.diag(rng.uniform(1, 2, size=d)) + 0.3, rng.normal(size=d)
    lr, c, W = rng.uniform(), rng.normal(), [1 / n] * n
    p = g.mean(axis=0) - H @ x  # so that the gradient at x is the samples' mean

    def expected(W, d, g, H, c, p, x, b, lr):
        H, p = np.array(H), np.array(p)
        ends = [np.array(x) - lr * np.mean(rows, axis=0) for rows in product(np.array(g), repeat=b)]
        return np.mean([c + p @ y + y @ H @ y / 2 for y in ends])

    given = {name: array.tolist() for name, array in {"g": g, "H": H, "x": x, "p": p}.items()}
    values = given | {"W": W, "d": d, "b": b, "c": c, "lr": lr, "expected": expected}
    return values, Numbers(g=g.tolist(), H=H.tolist(), draws=[0] * b), c + p @ x + x @ H @ x / 2


@row("thm-batches-step", "big_batches", "thm_batches_step")
def batches_step(rng):
    values, s, here = quadratic(rng)
    rates, drawn = (big_batches.best(s), values["lr"]), big_batches.everywhere(s)
    best, other = (here + big_batches.change(s, lr, drawn) for lr in rates)
    G, q = np.mean(s.g, axis=0), big_batches.pull(s) + big_batches.shake(s) / values["b"]
    printed = line_of_chapter("big_batches", 'promise = {"measured"', after=0, here=here, G=G, q=q)["promised"]
    return values, {0: (best, other), 1: (here - best, here - printed)}


@row("thm-batches-step", "big_batches", "thm_batches_step_scale")
def batches_scale(rng):
    values, s, here = quadratic(rng)
    gain = big_batches.gain
    return values, {0: (big_batches.best(s), big_batches.best(s)), 1: (gain.left(s), gain.right(s))}


def two_batches(rng):
    s, b = 2, int(rng.integers(3, 9))
    samples, small, big = (rng.normal(size=(n, 2)) for n in (4, 3, 2))
    check_two, ledger = of_chapter("big_batches", "check_two", np=np, all_batches=None, two_batch=two_batch), Ledger()
    check_two(ledger, samples, [(s, b)], draw=lambda _, size: {s: small, b: big}[size])
    pairs = {"g_s": [x for x in small.tolist() for _ in big], "g_b": [x for _ in small for x in big.tolist()]}
    values = {"W": [1 / 4] * 4, "Q": [1 / 6] * 6, "d": 2, "g": samples.tolist(), "s": s, "b": b}
    return values | pairs, ledger


@row("prop-batches-two", "big_batches", "prop_batches_two")
def batches_two(rng):
    values, ledger = two_batches(rng)
    return values, {0: ledger["(2) signal is unbiased"], 1: ledger["(3) noise is unbiased"]}


@row("prop-batches-two", "big_batches", "prop_batches_two_bias")
def batches_two_bias(rng):
    values, ledger = two_batches(rng)
    return values, {0: ledger["(4) bias of the ratio"]}


@row("thm-batches-hyperbola", "big_batches_hyperbola", "thm_batches_hyperbola")
def batches_hyperbola(rng):
    values = some(rng, "c sigma tau", 0.1, 0.9) | whole(rng, "b S", 1, 99) | dict.fromkeys(("W", "d", "star", "g", "x"))
    first, last = rng.uniform(1, 2), rng.uniform(0.1, 1)
    of_page = {"F0": first, "c": values["c"], "sigma2": values["sigma"] ** 2}
    S_min, E_min = of_chapter("big_batches", "minima", np=np, **of_page)(values["tau"], last)
    values |= {"f": lambda d, c, star, x: first, "expected_loss": lambda W, d, b, c, s, t, star, g, F, x, S: last}
    theta = line_of_chapter("big_batches", "theta, S, at =", tau=values["tau"], F=[0], b=0)[0]
    slowest = line_of_chapter("big_batches", "piece, slowest =", integral=lambda *_: 0, q=0, F=[0, 0], theta=theta)[1]
    most = S_min + E_min / values["b"]
    return values, {0: (most / slowest, values["S"]), 1: (values["S"], most)}


@row("thm-batches-hyperbola", "big_batches_hyperbola", "thm_batches_hyperbola_product")
def batches_product(rng):
    values = some(rng, "S_min E_min b")
    return values, {0: (big_batches.hyperbola.left(Numbers(**values)), big_batches.hyperbola.right(None))}


# LARS.
def lars_numbers(rng, factor):
    values = some(rng, "lr alpha_l alpha_u fstar gap") | whole(rng, "b T", 1, 99) | {"h": 3, "x1": 0}
    L, sigma = rng.uniform(0.1, 2, size=(2, 3))
    c = {"Delta": values.pop("gap"), "low": values["alpha_l"], "high": values["alpha_u"], "factor": factor}
    functions = of_chapter("lars", "promise", "best_promise", "budget", np=np, claims=None)[:2]
    values |= {"L": L.tolist(), "sigma": sigma.tolist(), "f": lambda x: values["fstar"] + c["Delta"]}
    return values, Numbers(L=L, sigma=sigma, **c), *functions


def lars_rows(label, theorem, best, factor):
    @row(label, "lars", theorem)
    def any_rate(rng):
        values, c, promise, _ = lars_numbers(rng, factor)
        return values, {0: (None, promise(values["lr"], values["b"], values["T"], c))}

    @row(label, "lars_best", best)
    def best_rate(rng):
        values, c, _, best_promise = lars_numbers(rng, factor)
        return values | {"measured": lambda *_: 0}, {0: (None, best_promise(values["T"], c))}


lars_rows("thm-lars", "thm_lars", "thm_lars_best", factor=2)
lars_rows("prp-lars-once", "prp_lars_once", "prp_lars_once_best", factor=1)


@row("prp-lars-coincide", "lars_forms", "prp_lars_coincide")
def lars_forms(rng):
    values = vectors(rng, 3, "x g") | some(rng, "lr trust lambda") | {"j": 1}
    s = Numbers(**values, decay=values["lambda"])
    old, new, long = lars.step_2017(s), lars.step_2020(s), lars.length_2017(s)
    short = lars.norm(new)
    return values, {0: (old[1], old[1]), 2: (lars.norm(old), long), 3: (short, short), 4: (long, short)}


# LAMB.
def lamb_numbers(rng):
    values = some(rng, "lr alpha_l alpha_u fstar gap beta2 G", 0.1, 0.9) | whole(rng, "b T", 1, 99)
    values |= {"h": 3, "m": int(rng.integers(1, 5)), "x1": 0}
    values["k"] = int(rng.integers(1, values["m"] + 1))
    L, sigma = rng.uniform(0.1, 2, 3), rng.uniform(0.1, 2, (3, values["m"]))
    start = values["fstar"] + values.pop("gap")
    c = Numbers(**values | {"f": lambda x: start, "L": L, "sigma": sigma, "f_star": values["fstar"]})
    return values | {"f": c.f, "L": L.tolist(), "sigma": sigma.tolist()}, c


def lamb_page(c, lr, *names):
    """The chapter's functions, and the row of the ledger in which the first of them has the sum over the run."""
    given = {"alpha_u": c.alpha_u, "alpha_l": c.alpha_l, "d_i": c.m, "sqrt": math.sqrt}
    ledger, of_sum = Ledger(), {"steps_5_6": "(5b) f >= f*", "memory_6_7": "(6b) f >= f*"}[names[0]]
    steps, best, *_ = of_chapter("lamb", *names, tree=lambda c: (lr, 0, 0, c.f_star), **given)
    steps(ledger, c)
    return ledger[of_sum][1], best


@row("thm-lamb-sign", "lamb_sign", "thm_lamb_sign")
def lamb_sign(rng):
    values, c = lamb_numbers(rng)
    return values, {0: (None, lamb_page(c, values["lr"], "steps_5_6", "best_sign", "q")[0])}


@row("thm-lamb-sign", "lamb_sign_best", "thm_lamb_sign_best", "lamb_sign")
def lamb_sign_best(rng):
    values, c = lamb_numbers(rng)
    return values, {0: (None, lamb_page(c, values["lr"], "steps_5_6", "best_sign", "q")[1](c, c.T))}


@row("thm-lamb", "lamb_run", "thm_lamb", "lamb_sign")
def lamb(rng):
    values, c = lamb_numbers(rng)
    return values, {0: (None, lamb_page(c, values["lr"], "memory_6_7", "best_memory", "floor")[0])}


@row("thm-lamb", "lamb_run", "thm_lamb_best", "lamb_sign")
def lamb_best(rng):
    values, c = lamb_numbers(rng)
    _, best = lamb_page(c, values["lr"], "memory_6_7", "best_memory", "floor")
    rest = c.alpha_l * math.sqrt((1 - c.beta2) / (c.G**2 * c.m))  # the statement has the bracket alone
    return values, {0: (best(c, c.T) * rest, best(c, c.T) * rest)}


# Reality check.
@row("lem-reality-tie", "reality_check", "lem_reality_tie")
def reality_tie(rng):
    s = int(rng.integers(1, 6))
    page = reality_check.alarms.right(Numbers(x=[[0] * (2 * s)], w=[1]))
    return {"s": s}, {0: (None, page)}


@row("thm-reality-best", "reality_check_best", "thm_reality_best")
def reality_best(rng):
    scores, k = rng.normal(size=6).tolist(), int(rng.integers(1, 7))
    best, _ = of_chapter("reality_check", "best_of", "weights", np=np, comb=math.comb)
    values = {"k": k, "l": scores, "length": len, "sort": lambda x: sorted(x), "nth": lambda i, x, default: x[i]}
    values["best_of"] = lambda k, x: np.mean([min(K) for K in combinations(x, k)])
    return values, {0: (best(scores, k), best(scores, k))}


@row("thm-reality-curse", "reality_check_curse", "thm_reality_curse_gap")
def reality_curse(rng):
    values = some(rng, "sigma") | whole(rng, "N", 2, 50)
    bound = line_of_chapter("reality_check", "bound = sigma *", sigma=values["sigma"], mu=range(values["N"]))
    return values, {0: (None, bound)}


# Memory.
@row("prp-memory-factored", "memory", "prp_memory_factored")
def memory_factored(rng):
    values = whole(rng, "n m", 2, 50)
    s, factored, share = Numbers(**values), memory.factored, memory.share
    return values, {0: (factored.left(s), factored.right(s)), 3: (share.left(s), None), 4: (None, share.right(s))}


@row("prp-memory-segments", "memory", "prp_memory_segments")
def memory_segments(rng):
    values = whole(rng, "k l") | {"C": rng.uniform(0.1, 1), "A": rng.uniform(1, 3)}
    s = Numbers(**values, length=values["l"], L=values["k"] * values["l"])
    least, peak = memory.two_means.left(s), memory.played.right(s)
    return values, {2: (memory.played.left(s), peak), 3: (least, peak), 4: (None, 2 * s.L)}  # "(3) price" in the ledger


@row("prp-memory-zero", "memory", "prp_memory_zero")
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
    return values, dict(enumerate(pairs))


# Adafactor.
@row("thm-adafactor-best", "adafactor", "thm_adafactor_best")
def adafactor_best(rng):
    V, a, b = rng.uniform(0.1, 2, size=(2, 3)), rng.uniform(0.1, 2, 2), rng.uniform(0.1, 2, 3)
    star, apart = of_chapter("adafactor", "star", "divergence", np=np)
    other, best = np.outer(a, b), star(V)
    D = [apart(x, y).sum() for x, y in ((V, other), (V, best), (best, other))]
    values = {"n": 2, "m": 3, "V": V.tolist(), "a": a.tolist(), "b": b.tolist(), "i": 1, "j": 2}
    return values, {0: (D[0], D[1] + D[2]), 1: (D[1], D[0]), 2: (other[1, 2], best[1, 2])}


DECAY = {
    "P": lambda beta, i, k: math.prod(apply(beta, [t]) for t in range(i + 1, i + k + 1)),
    "v": lambda beta, v0, y, t: v0 if t == 0 else beta[t] * DECAY["v"](beta, v0, y, t - 1) + (1 - beta[t]) * y[t],
}


@row("prp-adafactor-decay", "adafactor_decay", "prp_adafactor_decay")
def adafactor_decay(rng):
    beta, y = [0, *rng.uniform(0, 1, size=5).tolist()], rng.normal(size=6).tolist()
    w, moved = of_chapter("adafactor", "weights", np=np)(np.array(beta))[0], adafactor.moving(beta, y)
    values = DECAY | {"beta": [9, *beta], "y": [9, *y], "v0": rng.normal(), "T": 6, "i": 3}
    return values, {0: (moved, w @ y), 1: (None, w[2]), 2: (w.sum(), 1)}


@row("prp-adafactor-decay", "adafactor_decay", "prp_adafactor_decay_power")
def adafactor_plain_average(rng):
    T = int(rng.integers(3, 20))
    w = of_chapter("adafactor", "weights", np=np)(1 - 1 / np.arange(1.0, T + 1))[0]
    return DECAY | {"T": T, "i": 3}, {0: (w[2], w[2])}


@row("prp-adafactor-decay", "adafactor_decay", "prp_adafactor_decay_adam")
def adafactor_as_adam(rng):
    T, t = int(rng.integers(3, 20)), np.arange(1.0, 21)
    weights, factors = of_chapter("adafactor", "weights", "adam_factors", np=np)
    printed = line_of_chapter("adafactor", "adams = 0.999", T=T, t=t)
    return DECAY | {"T": T, "i": 3, "b": 0.999}, {0: (weights(factors(0.999, t[:T]))[0][2], printed[2])}


# CAME.
def came_numbers(rng, n=2, k=3):
    values = some(rng, "beta1 beta3", 0.2, 0.9) | {"n": n, "k": k, "t": int(rng.integers(1, 5)), "eps2": 0}
    u = rng.normal(size=(values["t"], n, k)).tolist()
    return values | {"u": [0, *u]}, Numbers(beta1=values["beta1"], beta3=values["beta3"], u=u)


@row("prp-came-speed", "came", "prp_came_speed")
def came_speed(rng):
    values = some(rng, "beta1 beta3", 0.2, 0.9) | {"u": [0, rng.normal()], "t": 0}
    s = Numbers(**values | {"u": values["u"][1:], "eps": 0})
    return values, {1: (None, came.speed.left(s) / came.weights(s)[0])}


@row("thm-came-step", "came_step", "thm_came_step", "came_matrix", "came")
def came_step(rng):
    values, s = came_numbers(rng)
    K = of_chapter("came", "K", np=np)(values["t"], values["beta1"], values["beta3"])
    m, E = came.average(s), came.each(s, came.instability)
    one = math.sqrt(came.squares(s)[0][0])
    page = {0: (m[0][0] ** 2, K * E[0][0]), 1: (came.in_row(E, m[0]), K), 3: (one, math.sqrt(K))}
    return values | {"i": 0, "j": 0}, page | {2: (came.in_row(came.columns(E), came.columns(m)[0]), K)}


@row("prp-came-clip", "came_clip", "prp_came_clip", "came_matrix", "came", "came_step")
def came_clip(rng):
    values, s = came_numbers(rng)
    bound = of_chapter("came", "clip_bound", np=np)(values["t"], values["beta1"], values["beta3"])
    return values, {0: (came.weighted(s), bound)}


@row("prp-came-constant", "came_constant", "prp_came_constant", "came")
def came_constant(rng):
    values = some(rng, "beta1 beta3 eps2", 0.2, 0.9) | whole(rng, "t")
    s = Numbers(**values, eps=values["eps2"], u=[1.0] * values["t"])
    return values, {k: (step.left(s), step.right(s)) for k, step in enumerate(came.constant[:3])}


def came_grows(theorem, beta1, beta3, rate):
    @row("prp-came-constant", "came_constant", theorem)
    def grows(rng):
        certain = of_chapter("came", "certain", np=np)(200, (beta1, 0.9, beta3), eps2=0.0)
        return {"beta1": beta1, "beta3": beta3}, {0: (None, certain**2 * rate**200)}


came_grows("prp_came_constant_slow", 0.3, 0.9, rate=0.9)
came_grows("prp_came_constant_fast", 0.7, 0.1, rate=0.7**2)


@row("prp-came-extremes", "came_extremes", "prp_came_extremes", "came_matrix")
def came_extremes(rng):
    E = rng.uniform(0.1, 2, size=(2, 3))
    E[0, 0] *= rng.integers(2)
    s, E = Numbers(E=E.tolist()), E.tolist()
    S = came.factored(E)[2][0][0]
    cautious = came.half_each.right(s) / came.everything(came.crossed(s)) if E[0][0] == 0 else None
    values = {"n": 2, "k": 3, "X": E, "i": 0, "j": 0}
    return values, {0: (came.too_bold.left(s), S), 1: (S, cautious)}


@row("prp-came-snr", "came_snr", "prp_came_snr")
def came_snr(rng):
    values = some(rng, "mu beta1", 0.2, 0.9) | {"t": int(rng.integers(0, 4)), "W": chances(rng, 2), "R": None}
    s = Numbers(**values, noise=rng.normal(size=2).tolist(), weight=values["W"], t_=[0] * values["t"])
    more = Numbers(**vars(s) | {"t_": [0] * (values["t"] + 1)})
    values |= {"a": [values["mu"] + x for _, x in came.draws(s)], "sigma": math.sqrt(came.variance(s))}
    steps = zip(came.noise[:2] + came.noise[3:], (s, s, more), strict=True)
    return values, {k: (step.left(at), step.right(at)) for k, (step, at) in enumerate(steps)}


@row("prp-came-snr", "came_snr", "prp_came_snr_limit")
def came_snr_limit(rng):
    values = some(rng, "mu beta1 sigma", 0.2, 0.7)
    s = Numbers(**values, noise=[values["sigma"], -values["sigma"]], weight=[1, 1], t_=[0] * 200)
    return values, {0: (None, came.inserted(s))}


@row("prp-came-uphill", "came_uphill", "prp_came_uphill")
def came_uphill(rng):
    k = int(rng.integers(3, 9))
    h = rng.uniform(k - 1, math.sqrt((k - 1) * (k * k - k - 1)))
    g, _, clipped = of_chapter("came", "one_period", np=np)(h, k)
    values = {"k": k, "h": h, "gradient": lambda h, s: h if s == 0 else -1}
    return values, {0: (0, g.sum()), 1: (clipped.sum(), 0), 2: (0, g.mean()), 3: (clipped.mean(), 0)}


# The landscape.
@row("prp-landscape-lion", "landscape", "prp_landscape_lion")
def lion(rng):
    values = some(rng, "lr lambda B") | {"d": 4}
    length = math.sqrt(landscape.length.right(Numbers(lr=values["lr"], g=[0] * 4)))
    size = landscape.size.right(Numbers(x=values["B"], decay=values["lambda"]))
    return values, {0: (None, length), 1: (None, size)}


@row("thm-landscape-sm3", "landscape_sm3", "thm_landscape_sm3")
def sm3(rng):
    n, m, t = 2, 3, 3
    G = rng.normal(size=(t, n, m))
    nu, before = of_chapter("landscape", "walk", np=np)(G)
    slices = [(G**2).max(axis=axis, keepdims=True).sum(axis=0) for axis in (2, 1)]  # "(4) above" in the ledger
    above = np.minimum(*slices)
    values = {"holds": lambda S, j: S in (j // m, n + j % m), "home": lambda j: j // m}
    values |= {"d": n * m, "c": n + m, "t": t, "j": 4, "g": [0, *G.reshape(t, -1).tolist()]}
    values |= {"largest": lambda n, P, x: max([0, *(apply(x, [i]) for i in range(n) if P(i))])}
    values |= {"smallest": lambda n, P, x, a: min([a, *(apply(x, [i]) for i in range(n) if P(i))])}
    values["nu"] = lambda d, c, holds, home, g, t, j: nu.reshape(-1, d)[t - 1, j]
    return values, {0: ((G**2).sum(axis=0)[1, 1], nu[-1, 1, 1]), 1: (nu[-1, 1, 1], above[1, 1])}


@row("thm-landscape-shampoo", "landscape_shampoo", "thm_landscape_shampoo", "adafactor")
def shampoo(rng):
    n, m, r, T = 2, 3, 2, 2
    G, z, eps, compared = rng.normal(size=(T, n, m)), rng.normal(size=n * m), rng.uniform(0.1, 1), {}
    keep = {"below": lambda ledger, step, P, Q: compared.update({step: (P, Q)}), "Ledger": Ledger}
    of_chapter("landscape", "kron_bound", np=np, inverse_root=inverse_root, **keep)(G, r, eps)
    P, Q = compared["(4) between"]
    halves = [np.linalg.inv(inverse_root(eps * np.eye(len(g)) + g @ g.T, 2, 1e-12)) for g in sides_of(G)]
    values = {"n": n, "m": m, "r": r, "T": T, "eps": eps, "G": G.tolist(), "Z": z.reshape(n, m).tolist()}
    values |= {"L_half": halves[0].tolist(), "R_half": halves[1].tolist()}
    return values, {0: (z @ P @ z, z @ Q @ z)}


def sides_of(G):
    """Gradients beside each other, and their transposes."""
    return np.hstack(list(G)), np.hstack(list(G.transpose(0, 2, 1)))


@row("prp-landscape-average", "landscape", "prp_landscape_average")
def landscape_average(rng):
    lr, z = rng.uniform(0.1, 1, size=(2, 4))
    page = landscape.step.right(Numbers(w=(lr**2).tolist(), z=z.tolist()))
    return {"t": 4, "lr": [0, *lr], "z": [0, 0, *z], "x": lambda z, lr, x1, t: None}, {0: (None, page)}


@row("prp-torch-rounding", "torch", "prp_torch_rounding")
def torch_rounding(rng):
    a, z, b = sorted(rng.normal(size=3).tolist())
    s = Numbers(a=a, b=b, z=z)
    page = {1: (torch.spread.left(s), torch.spread.right(s)), 2: (torch.bound.left(s), torch.bound.right(s))}
    up = torch.up(s)
    values = {
        "draw": lambda a, b, z, p, q: [up, 1 - up],
        "rounded": lambda a, b, w: (b, a)[w],
        "neighbours": 0,
        "between": 0,
    }
    return values | vars(s), page | {0: (torch.unbiased.left(s), torch.unbiased.right(s))}


# At work.
@row("prp-work-schedule", "came_at_work", "prp_work_schedule")
def work_schedule(rng):
    values = some(rng, "eta beta3", 0.1, 0.9) | whole(rng, "t") | dict.fromkeys("n k beta1 eps2 Y y0 x0".split())
    names = {"lr": values["eta"], "sqrt": math.sqrt, "beta3": values["beta3"], "t": values["t"]}
    rate = line_of_chapter("came_at_work", 'opts[1].param_groups[k]["lr"] =', **names)
    # shows the rate of step t, which is all in which the two runs differ
    values["run"] = lambda n, k, b1, b3, eps2, Y, y0, x0, gradient, half, correct, rate, t: apply(rate, [t])
    return values | {"gradient": 0, "half": 0, "true": True, "false": False}, {0: (values["eta"], rate)}


@row("prp-large-u", "train_large_compress", "prp_large_u")
def large_u(rng):
    values = some(rng, "E A B alpha beta C k c t u v", 0.1, 0.9)
    theta = [values["E"], math.log(values["A"]), values["alpha"], math.log(values["B"]), values["beta"]]
    loss_of, best_size = of_chapter("train_large_compress", "loss_of", "best_size", np=np, **values)

    def loss(c):
        return loss_of(theta, c, values["C"] / c)

    t, u, v, C = (values[name] for name in "tuvC")
    best, more = best_size(C), best_size(values["k"] * C)
    middle = loss(math.exp(t * u + (1 - t) * v)), t * loss(math.exp(u)) + (1 - t) * loss(math.exp(v))
    tokens = values["k"] * C / more
    return values, {0: middle, 1: (loss(best), loss(values["c"])), 2: (more, more), 3: (tokens, tokens)}


@row("prp-large-bits", "train_large_compress_bits", "prp_large_bits")
def large_bits(rng):
    w, x, k = rng.normal(size=(3, 5)), rng.normal(size=5), int(rng.integers(1, 7))
    quantise = of_chapter("train_large_compress", "quantise", np=np)
    codes, s, low = quantise(w[1], k)
    error, most = low + s * codes - w[1], s / 2 * np.abs(x).sum()
    values = {"m": 2, "n": 4, "k": k, "w": w.tolist(), "x": x.tolist(), "i": 1, "j": 2}
    values |= {"largest": lambda n, x: max(apply(x, [i]) for i in range(n + 1)), "up": lambda x: math.floor(x) + 1}
    values["smallest"] = lambda n, x: min(apply(x, [i]) for i in range(n + 1))
    page = {0: (abs(error[2]), s / 2), 1: (abs(error @ x), most), 2: (s, quantise(w.ravel(), k)[1])}
    return values, page | {3: (quantise(w[1], k + 1)[1], s / 2)}


@row("prp-machines-least", "many_machines_all", "prp_machines_least")
def machines_least(rng):
    values = whole(rng, "N d", 2, 9)
    least = many_machines.together.left(Numbers(**values))
    return values, {k: (least / (values["N"] if k else 1), None) for k in (0, 2, 4)}


@row("prp-machines-least", "many_machines_count", "prp_machines_least_ring")
def machines_ring(rng):
    values = whole(rng, "N e", 2, 9)
    least = many_machines.together.left(Numbers(N=values["N"], d=values["N"] * values["e"])) / values["N"]
    return values, {0: (None, least), 1: (None, least)}


# Appendix A: the steps of proofs/toolbox.py.
def of_toolbox(theorem, source, draw, steps):
    """A row whose sides are those of steps, {comparison: step}; `draw` has the numbers of both."""

    def lemma(rng):
        values = draw(rng)
        page = {k: (step.left(Numbers(**values)), step.right(Numbers(**values))) for k, step in steps.items()}
        return {name: value for name, value in values.items() if name != "weight"}, page

    lemma.__name__ = theorem
    label = re.match("lem_(cauchy_schwarz|normalised_direction|[a-z]+)", theorem)[0].replace("_", "-")
    row(label, source, theorem)(lemma)


def pair(rng):
    return vectors(rng, 3) | some(rng, "a")


def random(rng, low=-2):
    """A random number X (in one lemma g), its law, and a convex function of it."""
    X, p = rng.uniform(low, 2, size=3).tolist(), chances(rng, 3)
    values = {"X": X, "g": X, "W": p, "weight": p} | some(rng, "a q k l m c")
    values["sigma"] = math.sqrt(toolbox.variance(Numbers(**values)))
    return values | {"phi": lambda x: toolbox.kinked(Numbers(**values), x), "indicator": lambda decided: float(decided)}


def positive(rng):
    return random(rng, low=0)


of_toolbox("lem_cauchy_schwarz", "toolbox_lengths", pair, {0: toolbox.cauchy_schwarz})
of_toolbox("lem_young", "toolbox_lengths", pair, {0: toolbox.young})
of_toolbox("lem_young_sum", "toolbox_lengths", pair, {0: toolbox.young_sum})
of_toolbox("lem_normalised_direction", "toolbox_direction", pair, {0: toolbox.normalised})
of_toolbox("lem_lyapunov", "toolbox_averages", random, {0: toolbox.lyapunov})
of_toolbox("lem_markov", "toolbox_averages", positive, {0: toolbox.markov})
of_toolbox("lem_jensen", "toolbox_jensen", random, {0: toolbox.jensen})
of_toolbox("lem_sign", "toolbox_sign", random, {0: toolbox.wrong_sign})


@row("lem-sign", "toolbox_sign", "lem_sign")
def sign_by_sigma(rng):
    values = random(rng)
    s = Numbers(**values)
    values.pop("weight")
    return values, {1: (toolbox.wrong_sign.right(s), toolbox.wrong_sigma.right(s))}


@row("lem-bias-variance", "toolbox_averages", "lem_bias_variance")
def bias_variance(rng):
    values = random(rng)
    s = Numbers(**values)
    one = {"d": 1, "X": [[x] for x in values["X"]], "c": [values["c"]], "EX": [toolbox.E(s, s.X)], "W": values["W"]}
    return one, {0: (toolbox.bias_variance.left(s), toolbox.bias_variance.right(s))}


def every_batch(step, order):
    """Three vectors and their batches of b, with a step about them; `order` makes the batches."""

    def draw(rng):
        values = vectors(rng, 2) | {"n": 3, "b": int(rng.integers(1, 4)), "g": rng.normal(size=(3, 2)).tolist()}
        s, chosen = Numbers(**values, batch=[0] * values["b"]), list(order(range(3), values["b"]))
        values |= {"Hn": None, "uniform": lambda n, Hn: None, "batches": lambda W, b: [1 / len(chosen)] * len(chosen)}
        values |= {"drawn": lambda W, b, k: chosen[k], "seq": lambda begin, n: None, "ways": lambda b, all: chosen}
        values |= {"average": lambda f, x: np.mean([f(one) for one in x]), "length": len}
        values["total"] = lambda a, batch: sum(apply(a, [w]) for w in batch)
        return values, {0: (step.left(s), step.right(s))}

    return draw


with_replacement = every_batch(toolbox.with_replacement, lambda x, b: product(x, repeat=b))
row("lem-batch-variance", "toolbox_batches", "lem_batch_variance", "batches")(with_replacement)
without = every_batch(toolbox.without_replacement, permutations)
row("lem-batch-variance", "toolbox_batches_without", "lem_batch_variance_without", "batches", "toolbox_batches")(
    without
)


def on_the_pit(rng):
    """Numbers for a step about SGD's pit, and for a statement: the same in one dimension."""
    s = Numbers(**some(rng, "L w lr") | {"x": rng.normal(), "y": rng.normal()})
    values = {"f": lambda x: toolbox.pit(s.L, s.w, apply(x, [0])), "d": 1, "L": s.L, "lr": s.lr}
    values["grad"] = lambda x: [toolbox.pit_slope(s.L, s.w, apply(x, [0]))]
    return s, values | {"x": [s.x], "y": [s.y]}, toolbox.pit(s.L, s.w, s.x)


@row("lem-descent", "toolbox_descent", "lem_descent")
def descent(rng):
    s, values, here = on_the_pit(rng)
    tangent = here + toolbox.pit_slope(s.L, s.w, s.x) * (s.y - s.x)
    return values, {0: (tangent + toolbox.descent.left(s), tangent + toolbox.descent.right(s))}


@row("lem-descent", "toolbox_descent", "lem_descent_progress")
def descent_progress(rng):
    s, values, here = on_the_pit(rng)
    return values, {0: (here - toolbox.gains.right(s), here - toolbox.gains.left(s))}


@row("lem-layerwise", "toolbox_layers", "lem_layerwise")
def layerwise(rng):
    s = Numbers(H=rng.normal(size=(3, 3)).tolist(), delta=rng.normal(size=3).tolist())
    step, at_zero = toolbox.layerwise, {"x": [[0.0]] * 3, "grad": lambda x: [[0.0]] * 3}
    values = {"h": 3, "d": [1] * 3, "y": [[x] for x in s.delta], "Lij": lambda i, k: abs(toolbox.H(s, i, k))}
    values["f"] = lambda y: step.left(Numbers(H=s.H, delta=[x for (x,) in y]))
    return values | at_zero, {0: (step.left(s), step.right(s))}


def log_sum(theorem, beta):
    @row("lem-log-sum", "toolbox_log_sum", theorem)
    def summed(rng):
        a, eps = rng.exponential(size=4), rng.uniform(0.1, 1)
        S = np.array([[a[: t + 1] @ beta ** np.arange(t, -1.0, -1) for t in range(4)]])
        price = line_of_chapter("toolbox", "price = -np.log", beta=beta)
        terms = line_of_chapter("toolbox", "terms, new, old = a", a=a, eps=eps, S=np.insert(S, 0, 0, axis=1))[0].sum()
        bound = line_of_chapter("toolbox", "bound = np.log(new", new=eps + S, eps=eps, T=4, price=price)[0]
        return {"a": a.tolist(), "eps": eps, "T": 4, "beta": beta}, {0: (terms, bound)}


log_sum("lem_log_sum", 1.0)
log_sum("lem_log_sum_decayed", 0.9)


@row("lem-norms", "toolbox_norms", "lem_norms")
def norms(rng):
    values = vectors(rng, 3)
    s, most = Numbers(**values | {"d": 3.0}), lambda d, u: max(map(abs, u))
    steps = [toolbox.max_norm, toolbox.two_norm, toolbox.one_norm]
    page = {k: (step.left(s), step.right(s)) for k, step in enumerate(steps)}
    length = math.sqrt(3)  # row (4), times sqrt(d) as in the chain of the lemma
    return values | {"norm_max": most}, page | {3: (toolbox.back.left(s) * length, toolbox.back.right(s) * length)}


@row("lem-telescoping", "toolbox_telescoping", "lem_telescoping")
def telescoping(rng):
    T = int(rng.integers(1, 6))
    f, p, e = (rng.normal(size=n).tolist() for n in (T + 1, T, T))
    values = {"c": rng.uniform(0.1, 3), "T": T, "f": f, "p": p, "e": e, "fstar": f[-1] - rng.exponential()}
    page = Numbers(**values | {"f": f[:-1], "last": f[-1], "least": values["fstar"]})
    least, bounded = toolbox.least_average, toolbox.bounded
    values["t"] = p.index(min(p))
    return values, {1: (least.left(page), least.right(page)), 2: (bounded.left(page), bounded.right(page))}
