"""Equal tuning: the rule by which the experiments of Part IV choose a learning rate.

Every method starts with its own few rates, a fixed factor apart. While the best is the lowest or the highest that was
tried, one more is tried beyond it: the rate that is kept has been beaten on neither side. Deliberately absent: searches
over several settings at once, and early stopping; a run that diverged counts as the worst.
"""

from collections.abc import Callable, Sequence


def best_rate(loss: Callable[[float], float], rates: Sequence[float], factor: float = 2.0, most: int = 12) -> float:
    """The rate whose loss is lowest, with a neighbour on either side that was tried and is not lower.

    Args:
        loss: rate -> loss; infinite (or 99) for a run that diverged. It is called once for each rate.
        rates: the first ones to try, `factor` apart.
        factor: between neighbours.
        most: rates to try before giving up.

    Raises:
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
