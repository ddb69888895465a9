"""The best learning rate of a network on digits at four widths, for four ways of scaling its steps.

64 pixels, three hidden layers of width n with relu, ten classes; no biases. Two methods, each in two scalings:
"AdamW" and "Muon" as they are used (weights drawn with variance 2/in; one rate for all; Muon's factor
0.2 sqrt(max(in, out)), which gives its steps the size of AdamW's), and the same two in the spectral scaling of Yang,
Simon and Bernstein (2023): weights of spectral norm about sqrt(out/in), and steps that change them in proportion to it.
Rates half an octave apart, the same for all seeds; more are added until every seed has its best one inside. The score
is the loss on all training digits after the last step; of each seed the best rate is the lowest point of the parabola
through the lowest logarithm and its two neighbours. Larger: widths, seeds. About ten minutes on one core.
"""

import numpy as np

from minilib.optim.muon import COEFFICIENTS, LEAST_NORM
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.study import Study
from studies.tasks import digits

SIZES = {
    "laptop": {
        "widths": (32, 64, 128, 256),
        "hidden": 3,
        "steps": 200,
        "batch": 64,
        "first": 7,  # rates at once, half an octave apart
        "seeds": (0, 1, 2, 3, 4),
    },
    "toy": {"widths": (4, 8), "steps": 2, "batch": 8, "first": 3, "seeds": (0, 1)},
}
# arm -> (the middle of its first rates as a power of the root of 2, at every width)
MIDDLE = {"AdamW": -12, "AdamW, spectral": 0, "Muon": -10, "Muon, spectral": -6}
BETAS, MOMENTUM = (0.9, 0.99), 0.95


def fresh(arm: str, widths: list[int], rng) -> list[np.ndarray]:
    """The matrices, (in, out) each: variance 2/in; in the spectral scaling times min(1, out/in)."""
    pairs = list(zip(widths[:-1], widths[1:], strict=True))
    small = [min(1, o / i) ** 0.5 if "spectral" in arm else 1.0 for i, o in pairs]
    return [rng.normal(0, c * (2 / i) ** 0.5, (i, o)) for (i, o), c in zip(pairs, small, strict=True)]


def factor(arm: str, rows: int, columns: int) -> float:
    """What the rate is multiplied by for a matrix (in, out) = (rows, columns)."""
    if arm == "AdamW, spectral":
        return 1 / rows
    if arm == "Muon, spectral":
        return (columns / rows) ** 0.5
    return 0.2 * max(rows, columns) ** 0.5 if arm == "Muon" else 1.0


def orthogonal(G: np.ndarray) -> np.ndarray:
    """`newton_schulz` of every matrix of a stack (..., rows, columns)."""
    tall = G.shape[-2] > G.shape[-1]
    X = G / np.maximum(np.sqrt((G * G).sum(axis=(-2, -1), keepdims=True)), LEAST_NORM)
    X, (a, b, c) = X.swapaxes(-1, -2) if tall else X, COEFFICIENTS
    for _ in range(5):
        A = X @ X.swapaxes(-1, -2)
        X = a * X + (b * A + c * (A @ A)) @ X
    return X.swapaxes(-1, -2) if tall else X


def gradients(W: list[np.ndarray], x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Of the mean cross-entropy of every member: x (..., b, 64), y (..., b) -> one array a matrix."""
    seen = [x]
    for M in W[:-1]:
        seen.append(np.maximum(seen[-1] @ M, 0))
    z = seen[-1] @ W[-1]
    p = np.exp(z - z.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    d = (p - np.eye(10, dtype=p.dtype)[y]) / y.shape[-1]
    found = []
    for M, h in zip(W[::-1], seen[::-1], strict=True):
        found.append(h.swapaxes(-1, -2) @ d)
        d = (d @ M.swapaxes(-1, -2)) * (h > 0)
    return found[::-1]


def loss(W: list[np.ndarray], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean cross-entropy of every member over the digits (n, 64)."""
    h = x
    for M in W[:-1]:
        h = np.maximum(h @ M, 0)
    z = h @ W[-1]
    top = z.max(axis=-1, keepdims=True)
    return (np.log(np.exp(z - top).sum(axis=-1)) + top[..., 0] - z[..., np.arange(len(y)), y]).mean(axis=-1)


def train(plan, arm: str, width: int, powers: list[int], dtype=np.float32) -> np.ndarray:
    """Losses after the last step, (rates, seeds), of rates 2 ** (k / 2); 99 where a run diverged."""
    task = digits()
    widths, rngs = [64, *[width] * plan.hidden, 10], [np.random.default_rng(seed) for seed in plan.seeds]
    nets = [fresh(arm, widths, rng) for rng in rngs]
    W = [np.repeat(np.stack(same)[None], len(powers), axis=0).astype(dtype) for same in zip(*nets, strict=True)]
    x, lrs = task.x.astype(dtype), np.array([2 ** (k / 2) for k in powers], dtype)[:, None, None, None]
    m, v = [np.zeros_like(w) for w in W], [np.zeros_like(w) for w in W]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for t in range(plan.steps):
            rows = np.stack([rng.permutation(task.n)[: plan.batch] for rng in rngs])
            y = np.broadcast_to(task.y[rows], (len(powers), *rows.shape))
            lr = lrs * dtype(warmup(t, plan.steps // 10) * polynomial(t, plan.steps))
            for i, g in enumerate(gradients(W, x[rows], y)):
                if arm.startswith("Muon"):
                    m[i] = MOMENTUM * m[i] + g
                    step = orthogonal(g + MOMENTUM * m[i])
                else:
                    m[i] = BETAS[0] * m[i] + (1 - BETAS[0]) * g
                    v[i] = BETAS[1] * v[i] + (1 - BETAS[1]) * g * g
                    below = np.sqrt(v[i] / dtype(1 - BETAS[1] ** (t + 1))) + dtype(1e-8)
                    step = m[i] / dtype(1 - BETAS[0] ** (t + 1)) / below
                W[i] = W[i] - lr * dtype(factor(arm, *W[i].shape[-2:])) * step
        ends = loss(W, x, task.y).astype(float)
    return np.nan_to_num(np.minimum(ends, 99.0), nan=99.0).round(6)


def lowest(powers: list[int], losses: np.ndarray) -> float:
    """The rate, as a power of 2, at the lowest point of the parabola through the best logarithm and its neighbours."""
    k = int(np.argmin(losses))
    if not 0 < k < len(powers) - 1:
        return powers[k] / 2
    before, at, after = np.log(losses[k - 1 : k + 2])
    return powers[k] / 2 + (before - after) / (before - 2 * at + after) / 4


def main(asked):
    plan = asked.plan
    config = {"middle": MIDDLE, "betas": BETAS, "momentum": MOMENTUM, **vars(plan)}
    study, curve, best = Study("norm-widths", config, asked=asked), [], {}
    for width in plan.widths:
        for arm, middle in MIDDLE.items():
            known, powers = {}, [middle + j - plan.first // 2 for j in range(plan.first)]
            for _ in range(12):
                key = f"{arm}, {width}, {powers[0]} to {powers[-1]}"
                rows = study.run([(key, lambda a=arm, w=width, p=powers: train(plan, a, w, p).tolist())])[key]
                known |= dict(zip(powers, rows, strict=True))
                tried = sorted(known)
                where = np.argmin([known[k] for k in tried], axis=0)
                low, high = where.min() == 0, where.max() == len(tried) - 1
                if study.toy or not (low or high):
                    break
                powers = [tried[0] - 2, tried[0] - 1] if low else [tried[-1] + 1, tried[-1] + 2]
            else:
                raise ValueError(f"{arm} at width {width}: the best rate is still at an edge")
            table = np.array([known[k] for k in tried])
            best[f"{arm}, {width}"] = [round(lowest(tried, column), 4) for column in table.T]
            for k, row in zip(tried, table.tolist(), strict=True):
                for seed, end in zip(plan.seeds, row, strict=True):
                    curve.append({"arm": arm.replace(",", " +"), "width": width, "power": k, "seed": seed, "loss": end})
    study.record(curve, {"best": best})


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
