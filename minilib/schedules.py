"""Learning rate schedules as pure functions: step (from 0) -> multiplier of the learning rate.

Use: `opt.lr = lr * schedule(step)`. Asking twice gives the same answer; nothing counts behind your back. Sources:
warm-up, Goyal et al. 2017; polynomial decay, You et al. 2017 and 2020; cosine, Loshchilov & Hutter 2017; warm-up,
stable, decay (wsd), Hu et al. 2024 (MiniCPM, arXiv 2404.06395).
"""

import math


def constant(step: int) -> float:
    """1 at every step."""
    return 1.0


def polynomial(step: int, total: int, power: float = 1.0) -> float:
    """(1 - step/total)^power, 0 from `total` on; power 1 is LAMB's linear decay, power 2 that of LARS.

    ValueError: `total` is below 1 or `power` not above 0.
    """
    if total < 1:
        raise ValueError(f"total must be at least 1 step, got {total}")
    if not power > 0:
        raise ValueError(f"power must be a number > 0, got {power}")
    return max(0.0, 1 - step / total) ** power


def cosine(step: int, total: int) -> float:
    """(1 + cos(pi step/total)) / 2, 0 from `total` on. ValueError: `total` is below 1."""
    if total < 1:
        raise ValueError(f"total must be at least 1 step, got {total}")
    return 0.5 * (1 + math.cos(math.pi * min(1.0, step / total)))


def wsd(step: int, total: int, cooldown: int) -> float:
    """1, and in the last `cooldown` steps before `total` 1 - sqrt(share of them that is over), 0 from `total` on.

    Before the cooldown nothing depends on `total`: a longer run goes on from there. The root is that of Hägele et al.
    2024 (arXiv 2405.18392), who found it better than a straight line. ValueError: `cooldown` is not in 0 ... total.
    """
    if not 0 <= cooldown <= total:
        raise ValueError(f"cooldown must be 0 to {total} steps, got {cooldown}")
    return 1 - math.sqrt(min(1.0, max(0, step - total + cooldown) / max(1, cooldown))) if step < total else 0.0


def warmup(step: int, steps: int) -> float:
    """(step + 1)/steps, then 1: linear from 1/steps, so that the first step is not wasted. 0 steps mean none.

    Multiply it with a decay: `warmup(t, 100) * polynomial(t, 1000)`.

    ValueError: `steps` is negative.
    """
    if steps < 0:
        raise ValueError(f"steps must be >= 0, got {steps}")
    return 1.0 if step + 1 >= steps else (step + 1) / steps


def sqrt_scaling(batch: int, base_batch: int) -> float:
    """sqrt(batch / base_batch): the factor on a learning rate that was tuned at `base_batch` (LAMB's rule)."""
    return math.sqrt(linear_scaling(batch, base_batch))


def linear_scaling(batch: int, base_batch: int) -> float:
    """batch / base_batch: the same for SGD (Goyal et al. 2017). ValueError: a batch size is below 1."""
    for name, value in (("batch", batch), ("base_batch", base_batch)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    return batch / base_batch
