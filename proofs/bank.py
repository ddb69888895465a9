"""False statements. Some were printed, the others are easy to believe; each lies near a theorem of the book.

`BANK` has them by the theorem's label. `make prove` has each attacked, and the page of theorems shows what broke it
beside the docstring of the statement, which is Markdown.
"""

from functools import reduce

from minilib.theory.statements import absolute, maximum, nonnegative, norm, real, root, sign, statement, unit, where

BANK: dict[str, list] = {}
D, N, T = (1, 2, 3), (1, 2, 3), (1, 2, 3)


def beside(label: str, name: str, relation: str = "<=", **how):
    """The decorator: a false statement that stands beside the theorem `label`."""

    def made(sides):
        BANK.setdefault(label, []).append(statement(name, relation, **how)(sides))
        return BANK[label][-1]

    return made


# The toolbox
@beside("lem-cauchy-schwarz", "half of Cauchy-Schwarz", d=D)
def half_cauchy(u: real("d"), v: real("d")):
    r"""Half the right side is enough: $\lvert\langle u,v\rangle\rvert\le\frac12\lVert u\rVert\,\lVert v\rVert$."""
    return absolute((u * v).sum()), norm(u) * norm(v) / 2


@beside("lem-young", "Young's inequality, the weight a of any sign", given=lambda a: [(a, "!=", 0)], d=D)
def young(u: real("d"), v: real("d"), a: real()):
    r"""Young's inequality holds with a weight $a\ne0$ of any sign."""
    return absolute((u * v).sum()), a / 2 * (u * u).sum() + (v * v).sum() / (2 * a)


@beside("lem-norms", "the 1-norm is at most the Euclidean norm", d=D)
def norms(u: real("d")):
    r"""The norms stand in the other order: $\lVert u\rVert_1\le\lVert u\rVert$."""
    return absolute(u).sum(), norm(u)


@beside("lem-jensen", "equality where phi is a straight line on the values of X, as printed: phi = | |", "=", n=(1, 2))
def jensen_straight(X: real("n"), n):
    r"""As printed: Jensen is an equality where $\varphi$ is a straight line on the values of $X$; here
    $\varphi(x)=\lvert x\rvert$.
    """
    return absolute(X.sum() / n), absolute(X).sum() / n


@beside("lem-markov", "Markov's inequality, X of any sign", given=lambda a: [(a, ">", 0)], n=N)
def markov(X: real("n"), a: nonnegative(), n):
    """Markov's inequality holds for an $X$ of any sign."""
    return where(X, ">=", a, 1, 0).sum() / n, X.sum() / n / a


@beside("lem-sign", "a wrong sign costs a third of the noise", n=N)
def third_of_the_noise(g: real("n"), n):
    r"""A third is enough, in the place of the half:
    $\lvert\mu\rvert\,P(\operatorname{sign}g\ne\operatorname{sign}\mu)\le\frac13\mathbb E\lvert g-\mu\rvert$.
    """
    m = g.sum() / n
    return absolute(m) * where(sign(g), "=", sign(m), 0, 1).sum() / n, absolute(g - m).sum() / n / 3


@beside("lem-bias-variance", "no mixed term, even for a random c", "=", n=N)
def random_centre(X: real("n"), c: real("n"), n):
    r"""There is no mixed term, even where $c$ is random:
    $\mathbb E(X-c)^2=\mathbb E(X-\mathbb EX)^2+\mathbb E(c-\mathbb EX)^2$.
    """
    mean = X.sum() / n
    return ((X - c) ** 2).sum(), ((X - mean) ** 2).sum() + ((mean - c) ** 2).sum()


@beside("lem-batch-variance", "two samples without replacement halve the variance", "=", n=(2, 3))
def without_replacement(x: real("n"), n):
    """Without replacement, too, the mean of two samples has half the variance of one."""
    x = x - x.sum() / n
    pairs = (x[:, None] + x) / 2
    return ((pairs**2).sum() - (x**2).sum()) / (n * (n - 1)), (x**2).sum() / n / 2


@beside("lem-descent", "the descent lemma for x^4 with L = 12")
def fourth_power(x: real(), y: real()):
    """The descent lemma holds for $f(x)=x^4$ with $L=12$, the second derivative at 1."""
    return y**4, x**4 + 4 * x**3 * (y - x) + 6 * (y - x) ** 2


@beside("lem-layerwise", "the L_i of each layer alone are enough", d=(2,))
def layers_alone(s: real("d"), h: real("d"), b: real()):
    r"""The curvatures of the layers alone are enough:
    $\frac12(h_1s_1^2+h_2s_2^2)+b\,s_1s_2\le\frac12(\lvert h_1\rvert s_1^2+\lvert h_2\rvert s_2^2)$.
    """
    return (h * s * s).sum() / 2 + b * s[0] * s[1], (absolute(h) * s * s).sum() / 2


@beside("lem-normalised-direction", "a wrong direction costs |u - v| once", given=lambda v: [(norm(v), ">", 0)], d=D)
def direction_once(u: real("d"), v: real("d")):
    r"""A wrong direction costs $\lVert v-u\rVert$ once:
    $\lVert u\rVert-\langle u,v\rangle/\lVert v\rVert\le\lVert v-u\rVert$.
    """
    return norm(u) - (u * v).sum() / norm(v), norm(u - v)


# SGD: one step on f(x) = L x^2 / 2
@beside(
    "thm-sgd", "the promise for rates up to 2/L", given=lambda lr, L: [(lr, ">", 0), (L, ">", 0), (lr * L, "<=", 2)]
)
def long_rate(x: real(), L: nonnegative(), lr: nonnegative()):
    r"""The promise holds for rates up to $2/L$; here one step on $\frac L2x^2$, without noise."""
    after = (1 - lr * L) * x
    return (L * x) ** 2, 2 / lr * (L * x**2 / 2 - L * after**2 / 2)


@beside("thm-sgd", "half the noise term", given=lambda lr, L: [(lr, ">", 0), (L, ">", 0), (lr * L, "<=", 1)], n=N)
def half_the_noise(x: real(), L: nonnegative(), lr: nonnegative(), s: real("n"), n):
    r"""The promise holds with half the noise term; here one step on $\frac L2x^2$, with samples whose gradients
    are $Lx+s_k-\bar s$.
    """
    s = s - s.sum() / n
    after = (L * (x - lr * (L * x + s)) ** 2 / 2).sum() / n
    return (L * x) ** 2, 2 / lr * (L * x**2 / 2 - after) + lr * L * (s**2).sum() / n / 2


# Momentum
@beside("thm-momentum-spectrum", "q x^2 / 2 + c x is least at c / q, as printed", given=lambda q: [(q, ">", 0)])
def least_at(q: nonnegative(), c: real(), x: real()):
    r"""As printed, with a wrong sign: $\frac q2x^2+cx$ is least at $x=c/q$."""
    return q * (c / q) ** 2 / 2 + c * (c / q), q * x**2 / 2 + c * x


def stable(e, b, c):
    return [(e, ">", 0), (b, "<", 1), (c, "<", 1), ((1 - b) * e, "<", 2), ((1 - c) * e, "<", 2)]


@beside("thm-momentum-noise", "lr / (1 - beta) alone says how far the weights spread", "=", given=stable)
def one_cloud(e: nonnegative(), b: unit(), c: unit()):
    r"""The effective rate $e=\eta/(1-\beta)$ alone says how far the weights spread: the momenta $b$ and $c$ give the
    same variance.
    """

    def spread(beta):
        lr = (1 - beta) * e
        return lr * (1 + beta) / ((1 - beta) * (2 * (1 + beta) - lr))

    return spread(b), spread(c)


@beside("lem-momentum-lookahead", "torch's Nesterov is Nesterov's, with a schedule too", "=")
def scheduled(y: real(), m: real(), g: real(), lr: nonnegative(), next_lr: nonnegative(), beta: unit()):
    """Where the rate changes, too, torch's iterates are the points where Nesterov looks."""
    v = -lr * m
    moved = beta * v - next_lr * g
    return y - beta * v + moved + beta * moved, y - next_lr * (g + beta * (beta * m + g))


# Adam
def average(beta, x):
    """The moving average of the entries of x, from zero, with beta between 0 and 1."""
    result = 0 * beta
    for entry in x:
        result = beta * result + (1 - beta) * entry
    return result


def below_one(beta1, beta2):
    return [(beta1, "<", 1), (beta2, "<", 1), (beta2, ">", 0)]


@beside("prp-adam-longest", "no step is longer than (1 - beta1) / sqrt(1 - beta2) or 1", given=below_one, T=T)
def quoted_longest(g: real("T"), beta1: unit(), beta2: unit()):
    r"""No step is longer than the larger of $(1-\beta_1)/\sqrt{1-\beta_2}$ and 1."""
    corrected = (1 - beta1 ** len(g)) ** 2 * average(beta2, g * g)
    most = maximum(1, (1 - beta1) ** 2 / (1 - beta2))
    return average(beta1, g) ** 2 * (1 - beta2 ** len(g)), most * corrected


@beside("thm-adam-amsgrad", "the weights sqrt(t v_t) / lr do not shrink, for Adam", given=lambda t: [(t, ">=", 1)])
def weights_of_adam(v: nonnegative(), g: real(), beta2: unit(), t: nonnegative()):
    r"""Adam's weights $\sqrt{t\,v_t}/\eta$ do not shrink; here $v_t=v$, and the next gradient is $g$."""
    return t * v, (t + 1) * (beta2 * v + (1 - beta2) * g**2)


def regret_of_adam(g, lr, beta2):
    """Of Adam on the losses g_t x on [-1, 1] from x = 1, beta1 = 0, rates lr / sqrt(t); and the last v."""
    x, v, lost = 1 + 0 * lr, 0 * lr, absolute(g.sum())
    for t in range(len(g)):
        lost = lost + g[t] * x
        v = beta2 * v + (1 - beta2) * g[t] ** 2
        corrected = v / (1 - beta2 ** (t + 1))
        move = lr * g[t] / root((t + 1) * where(corrected, "=", 0, 1, corrected))
        x = maximum(-1, -maximum(-1, -(x - move)))
    return lost, corrected


def learns(lr, beta2):
    return [(lr, ">", 0), (beta2, "<", 1)]


@beside("thm-adam-amsgrad", "Kingma and Ba's Theorem 4.1 as printed, beta1 = 0, rho to 0", given=learns, T=(1,))
def kingma_ba(g: real("T"), lr: nonnegative(), beta2: unit(), T):
    r"""As printed: Theorem 4.1 of Kingma and Ba, with $\beta_1=0$ and $\rho\to0$."""
    lost, last = regret_of_adam(g, lr, beta2)
    steepest, rest = reduce(maximum, absolute(g)), root(1 - beta2)
    first = 2 / lr * (root(T * last) + steepest * rest)
    return lost, first + lr * steepest * norm(g) / rest


@beside("thm-adam-bound", "the mean step points along the gradient", given=learns, n=N)
def along_the_gradient(g: real("n"), v: nonnegative(), beta2: unit(), lr: nonnegative()):
    r"""Adam's mean step points down the mean gradient:
    $\mathbb E[g]\cdot\mathbb E\big[g\big/\sqrt{\beta_2v+(1-\beta_2)g^2}\,\big]\ge0$.
    """
    newest = beta2 * v + (1 - beta2) * g**2
    return 0, lr * g.sum() * (g / root(where(newest, "=", 0, 1, newest))).sum()


# Big batches
@beside(
    "thm-batches-step",
    "the best rate is best where G'HG > 0, as printed: H a diagonal",
    given=lambda h, G: [((h * G * G).sum(), ">", 0)],
    d=(1, 2),
)
def best_rate(h: real("d"), G: real("d"), s: real("d"), lr: real()):
    r"""As printed: $\eta_b^*$ is the best rate wherever $G^\top HG>0$; here $H=\operatorname{diag}(h)$, and the noise
    is $\pm s$.
    """
    across = (h * s * s).sum()
    bend, slope = (h * G * G).sum() + across, (G * G).sum()
    bend = where(bend, "=", 0, 1, bend)
    best = slope / bend
    return best * (best * bend / 2 - slope), lr * (lr * bend / 2 - slope)


@beside("prop-batches-two", "the ratio of two unbiased estimates is unbiased", "=", given=lambda y: [(y, ">", 0)], n=N)
def ratio(x: real("n"), y: nonnegative("n"), n):
    r"""The ratio of two unbiased estimates is unbiased: $\mathbb E[x/y]=\mathbb E[x]/\mathbb E[y]$."""
    return (x / y).sum() / n, x.sum() / y.sum()


# LARS and LAMB
def unit_vector(r):
    """r / |r|; zeros stay."""
    square = (r * r).sum()
    return r / root(where(square, "=", 0, 1, square))


@beside("prp-lars-coincide", "|g + lambda x| <= |g| + lambda |x|, for a negative lambda too", d=D)
def negative_decay(g: real("d"), x: real("d"), decay: real()):
    r"""For a negative $\lambda$, too, $\lVert g+\lambda x\rVert\le\lVert g\rVert+\lambda\lVert x\rVert$."""
    return norm(g + decay * x), norm(g) + decay * norm(x)


@beside("thm-lars", "the noise counted half a time: one step on a straight loss", n=N)
def noise_halved(g: real("n"), n):
    r"""Half the noise is enough; here the samples have the slopes $g_k$:
    $\lvert G\rvert\le\mathbb E[G\operatorname{sign}g]+\frac12\sigma$ with $G=\mathbb Eg$.
    """
    G = g.sum() / n
    return absolute(G), (G * sign(g)).sum() / n + root(((g - G) ** 2).sum() / n) / 2


def pit(z):
    """A parabola up to 1 that turns over and is flat from 2 on; and its slope. |f''| <= 1."""
    far = absolute(z)
    value = where(far, "<=", 1, z * z / 2, where(far, "<=", 2, 1 - (2 - far) ** 2 / 2, 1))
    return value, where(far, "<=", 1, z, where(far, "<=", 2, (2 - far) * sign(z), 0))


@beside("thm-lars", "the promise with weight decay: two steps in a pit, phi = 1")
def lars_with_decay(a: real(), c: real(), x: real(), lr: nonnegative(), decay: nonnegative()):
    r"""The promise holds with weight decay; here two steps with $\phi=1$ on $p(ax-c)$, where $p$ is a pit, a
    parabola that becomes flat.
    """
    start, moved = pit(a * x - c)[0], 0
    for _ in range(2):
        slope = a * pit(a * x - c)[1]
        moved, x = moved + lr * absolute(slope), x - lr * sign(slope + decay * x)
    return moved, start - pit(a * x - c)[0] + lr**2 * a**2


@beside("thm-lamb-sign", "(2) as printed: every coordinate has 1 / sqrt(d) of the step", "=", d=D)
def signs_printed(G: real("d"), g: real("d"), d):
    r"""As printed, in step (2): every coordinate moves by $1/\sqrt d$ of the step, even where $g$ is 0."""
    agree = where(sign(g), "=", sign(G), absolute(G), -absolute(G))
    return (G * unit_vector(sign(g))).sum(), agree.sum() / root(d)


@beside("thm-lamb-sign", "one step as printed, without the price of zeros", n=(1, 2), d=D)
def lamb_printed(g: real("n", "d"), n, d):
    r"""As printed, one step without a price for zeros:
    $(\lVert G\rVert_1-\mathbb E\lVert g-G\rVert_1)/\sqrt d\le\mathbb E\langle G,u\rangle$, where $u$ is
    $\operatorname{sign}g$ divided by its length.
    """
    G = g.sum(0) / n
    gained = sum((G * unit_vector(sign(row))).sum() for row in g) / n
    return (absolute(G).sum() - absolute(g - G).sum() / n) / root(d), gained


@beside("thm-lamb-sign", "a wrong sign costs |G_j| once", given=lambda g: [(g, "!=", 0)], d=D)
def wrong_once(G: real("d"), g: real("d")):
    r"""A wrong sign costs $\lvert G_j\rvert$ once:
    $\lVert G\rVert_1-\sum_{\text{wrong}}\lvert G_j\rvert\le\langle G,\operatorname{sign}g\rangle$.
    """
    wrong = where(sign(g), "=", sign(G), 0, absolute(G)).sum()
    return absolute(G).sum() - wrong, (G * sign(g)).sum()


# Memory
@beside("prp-memory-factored", "n + m <= n m, a single row too", given=lambda n, m: [(n, ">=", 1), (m, ">=", 1)])
def single_row(n: nonnegative(), m: nonnegative()):
    r"""For a single row, too, $n+m\le nm$."""
    return n + m, n * m


@beside(
    "prp-came-uphill", "any h above k - 1 makes the updates go up", given=lambda h, k: [(k, ">=", 3), (h, ">", k - 1)]
)
def too_large(h: real(), k: real()):
    """Without the upper bound on $h$: any $h>k-1$ turns the updates uphill."""
    return 1, (k - 1) / root((h**2 + k - 1) / k)


def proper(beta1, beta3):
    return [(beta1, ">", 0), (beta1, "<", 1), (beta3, ">", 0), (beta3, "<", 1)]


def longest_came(beta1, beta3, t: int):
    """K_t, the most that the square of CAME's step can be."""
    series = sum(1 / ((1 - beta3) * beta3**k) for k in range(t))
    return ((1 - beta1) / beta1) ** 2 * series


@beside("thm-came-step", "the clip bounds nothing, as printed: K_30 is below the clip's bound", given=proper)
def no_bound(beta1: unit(), beta3: unit()):
    """As printed: the clip adds no bound, because $K_{30}$ is below the clip's bound."""
    return longest_came(beta1, beta3, 30), 1 / (beta3**29 * beta1**2 * (1 - beta3))


def clipped_at_last(u, beta1, beta3):
    return [*proper(beta1, beta3), (u * u, "<=", 1), (u[-1], "=", 1)]


@beside("prp-came-clip", "the clip may act at a later step than the first", given=clipped_at_last, t=(2,))
def clipped_later(u: real("t"), beta1: unit(), beta3: unit()):
    r"""The clip may act at a later step than the first; here on one entry, with the updates $u_1,\dots,u_t$."""
    m, S = 0, 0
    for entry in u:
        m = beta1 * m + (1 - beta1) * entry
        S = beta3 * S + (1 - beta3) * (entry - m) ** 2
    return m**2 * (1 - beta3) * beta1**2 * beta3, S


@beside(
    "prp-came-clip", "the clip bounds every entry, without the weights", given=lambda u: [(norm(u[0]), ">", 0)], d=(2,)
)
def every_entry(u: real("d", "d"), beta1: unit()):
    """The clip's bound holds for every entry, without the weights; here after one step, for the matrix $u$."""
    E = u * u
    rebuilt = E[0].sum() * E[:, 0].sum() / E.sum()
    return (1 - beta1) ** 2 * E[0, 0], rebuilt


@beside("prp-came-cautious", "the sum of cautious steps points down on the sum of their gradients", n=(3,))
def sum_of_cautious(g: real("n")):
    """The sum of cautious steps leads down the sum of their gradients; here three steps of one weight."""
    return 0, g.sum() * sign(g).sum()  # steps of Lion without memory, one weight: all agree


# The landscape
@beside("prp-landscape-lion", "every step of Lion moves every entry by lr", "=", d=D)
def lion_moves(u: real("d"), lr: nonnegative(), d):
    r"""Every step of Lion moves every entry by $\eta$, whatever the interpolation $u$ is."""
    return absolute(lr * sign(u)).sum(), d * lr


@beside(
    "prp-landscape-lion",
    "no entry exceeds its first size and 1 / decay, at any rate",
    given=lambda decay: [(decay, ">", 0)],
)
def lion_size(x: real(), u: real(), lr: nonnegative(), decay: nonnegative()):
    r"""Without $\eta\lambda\le1$: no entry of Lion exceeds its first size and $1/\lambda$."""
    return absolute(x - lr * (sign(u) + decay * x)), maximum(absolute(x), 1 / decay)


@beside("prp-landscape-span", "G P P' is as far from G as Pythagoras says, for any column P", "=", d=D)
def any_column(g: real("d"), p: real("d")):
    r"""Without orthonormal columns: $\lVert G-GPP^\top\rVert^2=\lVert G\rVert^2-\lVert GP\rVert^2$; here $G$ is the row
    $g$, $P$ the column $p$.
    """
    seen = (g * p).sum()
    return ((g - seen * p) ** 2).sum(), (g * g).sum() - seen**2


@beside(
    "prp-torch-rounding", "up or down by a coin keeps the mean", "=", given=lambda a, z, b: [(a, "<=", z), (z, "<=", b)]
)
def coin(a: real(), z: real(), b: real()):
    """A fair coin that rounds $z$ up to $b$ or down to $a$ keeps the mean."""
    return (a + b) / 2, z


@beside("prp-minutes-accumulation", "the mean of two parts' means is the batch's, at any sizes", "=", n=(2,))
def unequal_parts(x: real("n"), y: real()):
    """The mean of two parts' means is the mean of the batch, at any sizes; here two numbers $x$ and one number $y$."""
    return (x.sum() / 2 + y) / 2, (x.sum() + y) / 3
