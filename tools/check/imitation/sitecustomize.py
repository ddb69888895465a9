"""Imitates another machine inside every Python process that has this folder on PYTHONPATH.

    ULP=3          every drawn number and grey level moves to a neighbouring floating-point number: up or down by a
                   hash of its own bits, so that two draws of one seed stay equal; another number is another noise.
                   A loaded weight gets another last bit, a hash of its other bits: what was saved and is loaded again
                   stays equal, as it does on every machine
    OFFLINE=1      no address but this machine's own can be reached

A processor with other instructions rounds the last place otherwise, and this is what that does to a training run.
Deliberately absent: noise on every operation (the compiled kernels cannot be reached from here), and noise on zeros,
which are exact on every machine.
"""

import importlib.abc
import importlib.util
import os
import sys

ODD = 0x1E3779B97F4A7C15  # multiplying by an odd number with many ones mixes the bits


def coin(bits, seed):
    """0 or 1 for each pattern of bits (uint64 or int64), as if drawn; another seed, another draw."""
    mixed = (bits ^ seed) * ODD
    mixed = (mixed ^ mixed >> 29) * ODD
    return mixed >> 41 & 1


def neighbours(x):
    """`x` with every entry but zeros, infinities and nans moved by one unit in its last place; floats and arrays."""
    import numpy as np

    array = np.asarray(x)
    if array.dtype not in (np.float64, np.float32):
        return x
    bits = array.view(np.uint64 if array.dtype == np.float64 else np.uint32).astype(np.uint64)
    with np.errstate(over="ignore"):
        up = coin(bits, SEED << 40)
    ends = np.where(up == 1, np.inf, -np.inf).astype(array.dtype)
    moved = np.where((array == 0) | ~np.isfinite(array), array, np.nextafter(array, ends))
    return moved if isinstance(x, np.ndarray) else moved[()]


def shake_numpy():
    import numpy as np

    class Generator(np.random.Generator):
        """NumPy's generator; what it draws from a continuous distribution is moved."""

    def moved(name):
        return lambda self, *args, **kwargs: neighbours(getattr(super(Generator, self), name)(*args, **kwargs))

    for name in ("normal", "standard_normal", "uniform", "random", "exponential", "standard_t", "laplace"):
        setattr(Generator, name, moved(name))
    real = np.random.default_rng

    def default_rng(seed=None):
        return seed if isinstance(seed, np.random.Generator) else Generator(real(seed).bit_generator)

    np.random.default_rng = default_rng


def shake_torch():
    import torch

    def moved_(t):
        if type(t) in (torch.Tensor, torch.nn.Parameter) and t.device.type == "cpu" and t.dtype in DTYPES:
            with torch.no_grad():
                bits = t.detach().contiguous().view(DTYPES[t.dtype]).to(torch.int64)
                ends = torch.where(coin(bits, SEED << 40) == 1, float("inf"), float("-inf")).to(t.dtype)
                t.copy_(torch.where((t == 0) | ~torch.isfinite(t), t, torch.nextafter(t, ends)))
        return t

    def settled_(t):
        if t.device.type == "cpu" and t.dtype in DTYPES:
            with torch.no_grad():
                bits = t.detach().contiguous().view(DTYPES[t.dtype])
                last = coin(bits.to(torch.int64) >> 1, SEED << 40).to(bits.dtype)
                settled = (bits >> 1 << 1 | last).view(t.dtype)
                t.copy_(torch.where((t == 0) | ~torch.isfinite(settled), t, settled))

    DTYPES = {torch.float32: torch.int32, torch.float64: torch.int64}
    for owner, names in ((torch.Tensor, ("normal_", "uniform_")), (torch, ("randn", "rand"))):
        for name in names:
            draw = getattr(owner, name)
            setattr(owner, name, lambda *args, _draw=draw, **kwargs: moved_(_draw(*args, **kwargs)))
    load = torch.nn.Module.load_state_dict

    def load_and_move(self, *args, **kwargs):
        done = load(self, *args, **kwargs)
        for p in self.parameters():
            settled_(p)
        return done

    torch.nn.Module.load_state_dict = load_and_move


def shake_digits():
    from sklearn import datasets

    load = datasets.load_digits

    def load_digits(*args, **kwargs):
        digits = load(*args, **kwargs)
        if not isinstance(digits, tuple):
            digits.data = neighbours(digits.data)
            digits.images = digits.data.reshape(digits.images.shape)
            return digits
        return (neighbours(digits[0]), *digits[1:])

    datasets.load_digits = load_digits


def shake_layers():
    """Weights that are drawn in double and kept in single precision, in which the noise of the draw is lost."""
    from minilib.autodiff import nn

    for layer in (nn.Linear, nn.Embedding):

        def begin(self, *args, _begin=layer.__init__, **kwargs):
            _begin(self, *args, **kwargs)
            if self.weight.data.dtype == "float32":
                self.weight.data = neighbours(self.weight.data)

        layer.__init__ = begin


def shake_sweeps():
    """Members of a sweep, drawn in double and trained in single precision."""
    from minilib.experiments.sweep import Sweep

    stack = Sweep._stack

    def stack_and_move(self, arrays):
        stacked = stack(self, arrays)
        if stacked.data.dtype == "float32":
            stacked.data = neighbours(stacked.data)
        return stacked

    Sweep._stack = stack_and_move


def go_offline():
    import socket

    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def near(host):
        return host in (None, "", "localhost", "::1", socket.gethostname()) or str(host).startswith("127.")

    def connect_near(self, address):
        if isinstance(address, tuple) and not near(address[0]):
            raise OSError(f"there is no network to {address[0]}")
        return connect(self, address)

    def look_up_near(host, *args, **kwargs):
        if not near(host.decode() if isinstance(host, bytes) else host):
            raise socket.gaierror(f"there is no network to {host}")
        return look_up(host, *args, **kwargs)

    socket.socket.connect, socket.getaddrinfo = connect_near, look_up_near


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function as soon as the module of that name was imported."""

    def __init__(self, what):
        self.what, self.busy = what, False

    def find_spec(self, name, path=None, target=None):
        if name not in self.what or self.busy:
            return None
        self.busy = True
        spec = importlib.util.find_spec(name)
        self.busy = False
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            self.what[name]()

        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("ULP"):
    SEED = int(os.environ["ULP"])
    AFTER = {"numpy": shake_numpy, "torch": shake_torch, "sklearn.datasets": shake_digits}
    AFTER |= {"minilib.autodiff.nn": shake_layers, "minilib.experiments.sweep": shake_sweeps}
    sys.meta_path.insert(0, AfterImport(AFTER))
if os.environ.get("OFFLINE"):
    go_offline()
