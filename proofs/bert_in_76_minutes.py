"""Accumulation. The mean over equal parts of their means is the mean, of losses and of gradients.

The loss of a row is (w x - y)^2 / 2 with one weight; with momentum the update is a function of gradients and state.
"""

from minilib.theory.arithmetic import total
from minilib.theory.steps import Step, real, unit

ROWS = {"x": real("k", "m"), "y": real("k", "m"), "w": real()}  # k parts of m rows
PARTS = {"k": (1, 2, 3), "m": (1, 2)}


def mean(numbers):
    return total(numbers) / len(list(numbers))


def losses(s, w):
    return [[(w * a - b) * (w * a - b) / 2 for a, b in zip(*rows, strict=True)] for rows in zip(s.x, s.y, strict=True)]


def slopes(s, w):
    return [[(w * a - b) * a for a, b in zip(*rows, strict=True)] for rows in zip(s.x, s.y, strict=True)]


def of_parts(parts):
    return mean([mean(part) for part in parts])


def of_all(parts):
    return mean([x for part in parts for x in part])


def trained(s, gradient, steps):
    """The weight after steps of momentum on one batch."""
    w, v = s.w, 0
    for _ in range(steps):
        v = s.beta * v + gradient(slopes(s, w))
        w = w - s.lr * v
    return w


def walks(name, steps):
    return Step(
        name,
        ROWS | {"beta": unit(), "lr": real()},
        lambda s: trained(s, of_all, steps),
        lambda s: trained(s, of_parts, steps),
        relation="=",
        sizes={"k": (1, 2), "m": (1, 2)},
    )


mean_of_means = Step(
    "(1) mean of means",
    ROWS,
    lambda s: of_all(losses(s, s.w)),
    lambda s: of_parts(losses(s, s.w)),
    relation="=",
    sizes=PARTS,
)
gradient = Step(
    "(2) gradient",
    ROWS,
    lambda s: of_all(slopes(s, s.w)),
    lambda s: of_parts(slopes(s, s.w)),
    relation="=",
    sizes=PARTS,
)
one_step, all_steps = walks("(3) one step", 1), walks("(4) all steps", 3)


# Parts of two rows and of one: the lone row counts twice as much as the others.
unequal = Step(
    "(1) parts of unequal size",
    {"l": real("n")},
    lambda s: mean(s.l),
    lambda s: (mean(s.l[:2]) + mean(s.l[2:])) / 2,
    relation="=",
    sizes={"n": (3,)},
)


def centred_square(numbers):
    """With batch norm a row's loss depends on its batch: here it is the squared distance from the batch's mean."""
    centre = mean(numbers)
    return mean([(x - centre) * (x - centre) for x in numbers])


with_norm = Step(
    "(1) rows that know their batch",
    {"x": real("k", "m")},
    lambda s: centred_square([x for part in s.x for x in part]),
    lambda s: mean([centred_square(part) for part in s.x]),
    relation="=",
    sizes={"k": (2,), "m": (2,)},
)

THEOREMS = {"Proposition: accumulation": [mean_of_means, gradient, one_step, all_steps]}
BROKEN = {"Proposition: accumulation": [unequal, with_norm]}
