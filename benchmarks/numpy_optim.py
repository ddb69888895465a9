"""Times one step of every NumPy optimizer on the ten million float32 parameters of a small transformer.

    make bench NAME=numpy_optim        or        python benchmarks/numpy_optim.py --repeats 9

Two yardsticks are measured in the same rounds. `x -= lr g` is two NumPy calls with one scratch array and no other
memory: `multiply(g, lr, out=scratch)`, `subtract(x, scratch, out=x)`. The copy is `copyto` over all parameters; its
rate, counting one read and one write, is what "of copy" compares with. Every round runs every method once, so that
a drift of the machine hits all alike; the first round is thrown away. The median and the quartiles are printed.
A step includes the check that gradients are finite.

"bytes" is the least that a method must move per parameter, in 4-byte reads and writes (see PASSES), and GB/s is that
floor divided by the time. NumPy moves more, because every operation writes a temporary array: the gap between GB/s and
the copy's rate is what fused code could win ("From NumPy to PyTorch"). Absent on purpose: the model, and threads
(NumPy's elementwise functions use one).

Shampoo, SOAP and Muon work on whole matrices: their time is that of matrix products and decompositions, which the
floor of bytes does not see. They get the matrices of the blocks, AdamW gets the embedding and the vectors, as is usual;
state and floor are those of both. Shampoo takes its roots at every step here, as printed, and that is slow.
"""

import argparse
import time

import numpy as np

from minilib import optim

# The least number of 4-byte reads (r) and writes (w) a parameter; every optimizer of the library with its defaults, and
# heavy ball.
PASSES = {"x -= lr g": "x g r, x w", "SGD": optim.SGD.passes, "momentum": "x g m r, x m w"}
PASSES |= {name: cls.passes for name, cls in optim.METHODS.items()}
METHODS = {name: (cls, {}) for name, cls in optim.METHODS.items()}
METHODS |= {"momentum": (optim.SGD, {"momentum": 0.9}), "AdamMini": (optim.AdamMini, {"axis": -1})}
MATRIX_METHODS = ("Shampoo", "SOAP", "Muon")


class Parameter:
    def __init__(self, data, grad):
        self.data, self.grad = data, grad


def bytes_per_parameter(method: str) -> int:
    """Four bytes for every array that PASSES names before an r or a w."""
    words = [part.split() for step in PASSES[method].split(";") for part in step.split(",")]
    return 4 * sum(len(w) - 1 for w in words)


def by_adamw(method: str, shape: tuple[int, ...], rows: int) -> bool:
    """Whether an array goes to AdamW beside a matrix method: vectors, and the embedding with its `rows` rows."""
    return method in MATRIX_METHODS and (len(shape) < 2 or shape[0] == rows)


def floor(method: str, shapes: list[tuple[int, ...]]) -> int:
    """The least bytes that a step must move over all arrays; the first shape is the embedding's."""
    rows = shapes[0][0]
    names = ["AdamW" if by_adamw(method, s, rows) else method for s in shapes]
    return sum(bytes_per_parameter(n) * int(np.prod(s)) for n, s in zip(names, shapes, strict=True))


def make(method: str, params: list, rows: int):
    """The optimizer, with a tiny learning rate, so that all rounds and methods see nearly the same numbers."""
    cls, options = METHODS[method]
    others = [p for p in params if by_adamw(method, p.data.shape, rows)]
    matrices = [p for p in params if not by_adamw(method, p.data.shape, rows)]
    opt = cls(matrices, lr=1e-6, **options)
    return optim.together(opt, optim.AdamW(others, lr=1e-6)) if others else opt


def transformer(width: int, layers: int, vocabulary: int) -> list[tuple[int, ...]]:
    """Shapes of an embedding and of `layers` blocks: attention, MLP, their biases and two layer norms."""
    w = width
    block = [(w, 3 * w), (3 * w,), (w, w), (w,), (w, 4 * w), (4 * w,), (4 * w, w), (w,), (w,), (w,), (w,), (w,)]
    return [(vocabulary, w)] + block * layers


def measure(shapes: list[tuple[int, ...]], repeats: int) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Seconds of every round, and bytes of state, by method. All methods share parameters and gradients."""
    rng = np.random.default_rng(0)
    params = [Parameter(*(rng.standard_normal(s, dtype=np.float32) for _ in range(2))) for s in shapes]
    largest = max(p.data.size for p in params)
    scratch, copies = np.empty(largest, np.float32), [np.empty_like(p.data) for p in params]

    def copy():
        for p, c in zip(params, copies, strict=True):
            np.copyto(c, p.data)

    def plain():
        for p in params:
            step = scratch[: p.data.size].reshape(p.data.shape)
            np.multiply(p.grad, np.float32(1e-6), out=step)
            np.subtract(p.data, step, out=p.data)

    optimizers = {name: make(name, params, shapes[0][0]) for name in METHODS}
    tasks = {"copy": copy, "x -= lr g": plain} | {name: opt.step for name, opt in optimizers.items()}
    seconds = {name: [] for name in tasks}
    for _ in range(repeats + 1):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - start)
    state = {name: opt.state_bytes() for name, opt in optimizers.items()}
    return {name: times[1:] for name, times in seconds.items()}, state


def table(shapes: list[tuple[int, ...]], repeats: int) -> str:
    seconds, state = measure(shapes, repeats)
    n = sum(int(np.prod(s)) for s in shapes)
    copy_rate = 8 * n / np.median(seconds["copy"])
    lines = [
        f"{n:,} float32 parameters in {len(shapes)} arrays, {repeats} rounds, NumPy {np.__version__}; "
        f"copy: {copy_rate / 1e9:.1f} GB/s",
        f"{'method':<13}{'ms/step':>9}{'quartiles':>16}{'x plain':>9}{'state MB':>10}"
        f"{'bytes':>7}{'GB/s':>7}{'of copy':>9}",
    ]
    plain = np.median(seconds["x -= lr g"])
    for name in PASSES:
        low, middle, high = np.percentile(seconds[name], [25, 50, 75])
        moved = floor(name, shapes)
        rate = moved / middle
        lines.append(
            f"{name:<13}{1e3 * middle:>9.1f}{f'{1e3 * low:.1f}-{1e3 * high:.1f}':>16}{middle / plain:>9.1f}"
            f"{state.get(name, 0) / 1e6:>10.2f}{moved / n:>7.0f}{rate / 1e9:>7.1f}{rate / copy_rate:>9.0%}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="time one step of every NumPy optimizer")
    parser.add_argument("--repeats", type=int, default=9, help="timed rounds (default 9)")
    parser.add_argument("--toy", action="store_true", help="ten thousand parameters instead of ten million")
    args = parser.parse_args()
    print(table(transformer(16, 2, 200) if args.toy else transformer(256, 10, 8192), args.repeats))
