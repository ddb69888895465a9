"""Backward sums over all paths.

The adversary's program computes v_0 = x and then v_{k+1} = (p_k + sum_i b_ki v_i)(q_k + sum_i c_ki v_i) from all values
before it, where every number is the adversary's. Sums, products, squares and values that nobody uses are among these.
The slope by a value is its definition: move that value, compute everything later anew. It is found without the machine,
by carrying the derivative along. The steps speak of v_0; an inner value is the v_0 of the rest of its program.
"""

from minilib.theory.arithmetic import dot, total
from minilib.theory.steps import Step, real

PROGRAM = {"x": real(), "p": real("m"), "q": real("m"), "b": real("m", "m"), "c": real("m", "m")}


def run(s):
    """All values, and the local slopes w[i][j] of v_j by v_i."""
    m = len(s.p)
    values, w = [s.x], [[0] * (m + 1) for _ in range(m + 1)]
    for k in range(m):
        left = s.p[k] + dot(s.b[k][: k + 1], values)
        right = s.q[k] + dot(s.c[k][: k + 1], values)
        for i in range(k + 1):
            w[i][k + 1] = s.b[k][i] * right + left * s.c[k][i]
        values.append(left * right)
    return values, w


def by_definition(s):
    """The slope of the result by every value: all later ones are computed anew, with their derivatives."""
    return [moved(s, j) for j in range(len(s.p) + 1)]


def moved(s, j):
    values, slopes = [s.x], [1 if j == 0 else 0]
    for k in range(len(s.p)):
        left, right = s.p[k] + dot(s.b[k][: k + 1], values), s.q[k] + dot(s.c[k][: k + 1], values)
        rule = dot(s.b[k][: k + 1], slopes) * right + left * dot(s.c[k][: k + 1], slopes)
        values.append(left * right)
        slopes.append(1 if j == k + 1 else 0 if j > k + 1 else rule)
    return slopes[-1] + 0 * s.x


def paths(w, i):
    """The product of the local slopes along each path from i to the last value."""
    if i == len(w) - 1:
        return [1]
    return [w[i][j] * rest for j in range(i + 1, len(w)) for rest in paths(w, j)]


def walk(w, order):
    """What each value knows when its turn comes."""
    arrived, known = {order[0]: 1}, {}
    for j in order:
        known[j] = arrived.get(j, 0)
        for i in range(j):
            arrived[i] = arrived.get(i, 0) + w[i][j] * known[j]
    return known


def overwritten(w):
    """The walk of a slip: what arrives replaces what had arrived."""
    arrived = {len(w) - 1: 1}
    for j in reversed(range(len(w))):
        for i in range(j):
            arrived[i] = w[i][j] * arrived[j]
    return arrived


def equation(name, left, right, m=(1, 2, 3)):
    return Step(name, PROGRAM, left, right, relation="=", sizes={"m": m})


def rule(w, numbers):
    """sum_j w_0j numbers_j, over the values after v_0."""
    return total(w[0][j] * numbers[j] for j in range(1, len(w)))


def any_slopes(name, left, right):
    """A step in the local slopes alone, which may be any numbers."""
    variables = {"w": real("N", "N")}
    return Step(name, variables, lambda s: left(s.w), lambda s: right(s.w), relation="=", sizes={"N": (2, 3, 4)})


chain = equation(
    "(1) chain rule at one value", lambda s: by_definition(s)[0], lambda s: rule(run(s)[1], by_definition(s))
)
first_edge = any_slopes(
    "(2) cut at the first edge",
    lambda w: total(paths(w, 0)),
    lambda w: rule(w, [total(paths(w, j)) for j in range(len(w))]),
)
all_paths = equation("(3) slope = sum over paths", lambda s: by_definition(s)[0], lambda s: total(paths(run(s)[1], 0)))
turn = equation(
    "(4) known when its turn comes",
    lambda s: walk(run(s)[1], list(reversed(range(len(s.p) + 1))))[0],
    lambda s: by_definition(s)[0],
)
# With two operations: the result first, then v_0, which it uses, and v_1 last, from which something is still to come.
nearest_first = equation(
    "(4) known when its turn comes, nearest first",
    lambda s: walk(run(s)[1], [2, 0, 1])[0],
    lambda s: by_definition(s)[0],
    m=(2,),
)
slip = equation(
    "(4) what arrives replaces what had arrived",
    lambda s: overwritten(run(s)[1])[0],
    lambda s: by_definition(s)[0],
    m=(2,),
)

PATHS, PRICE = "Theorem: backward sums over all paths", "Theorem: the price of a matrix product"
THEOREMS = {PATHS: [chain, first_edge, all_paths, turn]}
BROKEN = {PATHS: [nearest_first, slip]}
EXEMPT = {
    PATHS: {"(5) one pull an edge": "counts the pulls of a real walk"},
    PRICE: "counts the multiplications of a real run",
}
