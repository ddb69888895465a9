"""The inputs of the recorded trajectories: start values and gradients, the same bytes on every machine.

`make_fixtures.py` feeds them to public implementations, the tests feed them to `minilib.optim`. All numbers are
integers divided by a power of two, so they are exact in float32 and float64 and depend on nothing but the stream of
integers that NumPy's `default_rng(SEED)` gives; `digest` tells when that stream should ever change.
"""

import hashlib

import numpy as np

SEED, STEPS, EVERY = 2020, 50, 5
# A 4-D tensor is what a convolution has; "zeros" starts at zero, as the last gain of a residual block often does.
SHAPES = {"matrix": (6, 4), "vector": (5,), "scalar": (), "kernel": (3, 2, 3, 2), "zeros": (3, 2)}


def start() -> dict[str, np.ndarray]:
    """Start values in [-2, 2), float64; "zeros" is zero."""
    rng = np.random.default_rng(SEED)
    values = {name: _dyadic(rng, shape) for name, shape in SHAPES.items()}
    return values | {"zeros": np.zeros(SHAPES["zeros"])}


def gradients() -> list[dict[str, np.ndarray]]:
    """One gradient a step: of size 8 in the first ten steps, then 2, and exactly zero at step 20."""
    rng = np.random.default_rng(SEED + 1)
    scale = {t: 4.0 if t <= 10 else 1.0 for t in range(1, STEPS + 1)} | {20: 0.0}
    return [{n: scale[t] * _dyadic(rng, s) for n, s in SHAPES.items()} for t in range(1, STEPS + 1)]


def one_tensor(shape: tuple[int, ...], steps: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Start and gradients in [-2, 2) of one tensor; the rows of a matrix have gradients of four sizes, in turn."""
    rng = np.random.default_rng(SEED + 2)
    sizes = (0.5 ** (np.arange(shape[0]) % 4)).reshape(-1, *[1] * (len(shape) - 1))
    return _dyadic(rng, shape), [sizes * _dyadic(rng, shape) for _ in range(steps)]


def digest() -> str:
    """sha256 of all inputs."""
    sha = hashlib.sha256()
    for values in [start(), *gradients()]:
        for name in SHAPES:
            sha.update(values[name].tobytes())
    return sha.hexdigest()


def _dyadic(rng, shape):
    return np.asarray(rng.integers(-(2**16), 2**16, shape), dtype=np.float64) / 2**15
