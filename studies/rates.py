"""Learning rates that are tried until the best of them is inside: one by one, in rounds, and in octaves."""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from types import SimpleNamespace

import numpy as np

from studies.study import Study


def inside(study: Study, rates: list[float], losses, who: str) -> float:
    """The rate with the lowest loss.

    Raises:
        ValueError: it is at an edge of the grid. At size "toy" it may be.
    """
    k = int(np.argmin(losses))
    if k in (0, len(rates) - 1) and not study.toy:
        raise ValueError(f"the best rate of {who} is {rates[k]:.4g}, at the edge of its grid: extend it")
    return rates[k]


def best_between(loss: Callable[[float], float], rates: Sequence[float], factor: float = 2.0, most: int = 12) -> float:
    """The rate whose loss is lowest, with a neighbour on either side that was tried and is not lower.

    While the best is the lowest or the highest that was tried, one more is tried beyond it. Deliberately absent:
    searches over several settings at once, and early stopping; a run that diverged counts as the worst.

    Args:
        loss: rate -> loss; infinite (or 99) for a run that diverged. It is called once for each rate.
        rates: the first ones to try, `factor` apart.
        factor: between neighbours.
        most: rates to try before giving up.

    ValueError: no rates, or the best is still at an edge after `most` of them.
    """
    if not rates:
        raise ValueError("rates must hold at least one learning rate, got none")
    losses = {rate: loss(rate) for rate in sorted(rates)}
    while True:
        low, high, best = min(losses), max(losses), min(losses, key=losses.get)
        if low < best < high:
            return best
        if len(losses) >= most:
            raise ValueError(f"the best rate is {best:g}, at the edge of the {len(losses)} that were tried")
        beyond = high * factor if best == high else low / factor
        losses[beyond] = loss(beyond)


def widened(grid: list[float], losses, factor: float, most: int = 12) -> list[float]:
    """The grid with one more rate, of three digits, beyond its best one if that is at an edge; else as it is.

    For searches that go on in rounds, so that several grids share the cores.

    ValueError: the best is still at an edge, and the grid has `most` rates.
    """
    best = int(np.argmin(losses))
    if 0 < best < len(grid) - 1:
        return grid
    if len(grid) >= most:
        raise ValueError(f"the best rate is {grid[best]:g}, at the edge of the {len(grid)} that were tried")
    return [three_digits(grid[0] / factor), *grid] if best == 0 else [*grid, three_digits(grid[-1] * factor)]


def three_digits(rate: float) -> float:
    return float(f"{rate:.3g}")


def best_rate(study: Study, loss: Callable[[float], float], rates: list[float]) -> float:
    """`best_between`; at size "toy" the best of these rates, and no other is tried."""
    return min(rates, key=loss) if study.toy else best_between(loss, rates)


def search_octaves(scores: Callable, middles: dict[str, float], plan: SimpleNamespace) -> tuple[dict, dict, dict]:
    """Choose a rate for every method by the loss on validation words.

    Args:
        scores: (pairs of a method and a rate, seeds) -> {pair: for each seed a list, the validation loss first}.
        middles: method -> the middle of its first rates.
        plan: `count` rates, a factor 2 apart; at most so many `moves` of them by one; `tuning_seeds`.

    Returns: {(method, rate): what `scores` found}, {method: the best rate}, {method: how often its rates were moved}.
    """
    tuned, moves, at_edge = {}, dict.fromkeys(middles, 0), list(middles)
    grids = {name: [m * 2.0 ** (j - plan.count // 2) for j in range(plan.count)] for name, m in middles.items()}

    def best(name):
        means = {lr: np.mean([s[0] for s in found]) for (method, lr), found in tuned.items() if method == name}
        return min(means, key=means.get)

    while at_edge:
        tuned |= scores([(name, lr) for name in at_edge for lr in grids[name]], plan.tuning_seeds)
        factors = {name: {grids[name][0]: 0.5, grids[name][-1]: 2.0}.get(best(name)) for name in at_edge}
        at_edge = [name for name in at_edge if factors[name] and moves[name] < plan.moves]
        for name in at_edge:  # the best rate is at the edge: move the grid by one
            grids[name], moves[name] = [lr * factors[name] for lr in grids[name]], moves[name] + 1
    tuned |= scores([(name, best(name) * 2.0**k) for name in middles for k in (-0.5, 0.5)], plan.tuning_seeds)
    return tuned, {name: best(name) for name in middles}, moves


def scaled(rates: list[float], batch: int, base: int) -> list[float]:
    """Rates for the batch `base` times the root of the batch, to three digits."""
    return [float(f"{lr * sqrt(batch / base):.3g}") for lr in rates]


def tune(study: Study, job: Callable, first: dict) -> dict:
    """The best rate of every case (`best_rate`), by the last loss of its run.

    Args:
        job: (case, lr) -> (key, function) for `study`; the function returns rows (tokens, loss) as `losses` does.
        first: case -> the rates to begin with.
    """
    study.run([job(case, lr) for case, rates in first.items() for lr in rates])

    def loss(case, lr):
        key, function = job(case, lr)
        return study.run([(key, function)])[key][-1][1]

    return {case: best_rate(study, partial(loss, case), rates) for case, rates in first.items()}
