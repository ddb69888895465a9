"""What the tests of the torch optimizers share: paths, parameters, and the comparison with NumPy's optimizers."""

import numpy as np
import pytest
import torch

from minilib import optim, torch_optim
from minilib.torch_optim import phases
from minilib.torch_optim.phases import Sizes
from tests.references import recipe

torch.set_num_threads(1)

# How a step can be run: name -> (options, sizes). "chunks" cuts tensors into chunks of 8 entries, "rows" into single
# rows; "stacks" puts all parameters of one shape together; "no waiting" is the way of a GPU.
PATHS = {
    "default": ({}, None),
    "chunks": ({}, Sizes(small=0, chunk=8)),
    "rows": ({}, Sizes(small=0, chunk=1)),
    "stacks": ({}, Sizes(small=2**20, stack=2**20)),
    "no waiting": ({}, None),
    "no waiting, chunks": ({}, Sizes(small=0, chunk=8)),
    "no waiting, skip": ({"on_nonfinite": "skip"}, None),
}
every_path = pytest.mark.parametrize("path", PATHS)

# Layouts that the recorded inputs do not have, as (shape, how to lay it out); the gradients stay contiguous. "Zero
# columns" and "late" have gradients of zeros, in two columns or in the first five steps; the last is stacked with the
# transposed one.
LAYOUTS = {
    "row": ((1, 5), lambda t: t),
    "transposed": ((4, 3), lambda t: t.T.contiguous().T),
    "channels last": ((4, 3, 2, 2), lambda t: t.contiguous(memory_format=torch.channels_last)),
    "empty": ((0, 3), lambda t: t),
    "one column": ((4, 1), lambda t: t),
    "two by two": ((2, 2), lambda t: t),
    "one by one": ((1, 1), lambda t: t),
    "zero columns": ((3, 4), lambda t: t),
    "late": ((3, 2), lambda t: t),
    "not transposed": ((4, 3), lambda t: t),
}


def make(cls, params, path="default", **options):
    """An optimizer whose steps take one of the paths."""
    more, sizes = PATHS[path]
    opt = cls(params, **options, **more)
    opt.sizes, opt.host_waits = sizes, not path.startswith("no waiting")
    return opt


def without_waiting(cls):
    """The same class, whose host never waits for the device, as on a GPU."""
    return type(cls.__name__, (cls,), {"host_waits": False})


@pytest.fixture
def compiling(monkeypatch):
    """Makes an optimizer whose phases are compiled, of small parameters too; `.calls` are the calls that were."""

    class Compiling:
        def __init__(self):
            self.calls = []

        def __call__(self, cls, params, **options):
            opt = cls(params, compile=True, **options)
            opt.sizes = Sizes(small=0, call=0, compile=0)
            return opt

    made, call = Compiling(), phases._call
    monkeypatch.setattr(phases, "_call", lambda bucket, those: made.calls.append(those) or call(bucket, those))
    return made


class Parameter:
    """What NumPy's optimizers need."""

    def __init__(self, data):
        self.data, self.grad = np.array(data, dtype=np.float64), None


def chosen(layouts) -> dict:
    """Those of LAYOUTS that are asked for: all (True), none (False), or some names."""
    return {name: layout for name, layout in LAYOUTS.items() if layouts is True or (layouts and name in layouts)}


def start(layouts: bool | tuple = False) -> dict[str, torch.nn.Parameter]:
    """The start values of the recorded trajectories, float64; with `layouts` also those `chosen`."""
    params = {name: torch.nn.Parameter(torch.tensor(x)) for name, x in recipe.start().items()}
    rng = np.random.default_rng(1)
    for name, (shape, lay_out) in chosen(layouts).items():
        params[name] = torch.nn.Parameter(lay_out(torch.tensor(rng.normal(size=shape))))
    return params


def gradients(layouts: bool | tuple = False) -> list[dict[str, np.ndarray]]:
    """One dictionary a step."""
    rng = np.random.default_rng(2)
    shapes = {name: shape for name, (shape, _) in chosen(layouts).items()}
    steps = []
    for t, values in enumerate(recipe.gradients()):
        more = {name: rng.normal(size=shape) for name, shape in shapes.items()}
        if "late" in more:
            more["zero columns"][:, ::2] = 0.0
            more["late"] *= t >= 5
        steps.append(values | more)
    return steps


def set_gradients(params: dict, values: dict) -> None:
    """Give every parameter its gradient, in the parameter's data type."""
    for name, p in params.items():
        p.grad = torch.tensor(values[name], dtype=p.dtype)


def error(ours: torch.Tensor, expected) -> float:
    """The largest difference, relative to the largest entry."""
    ours, expected = ours.detach().double().numpy(), np.asarray(expected)
    return float(np.abs(ours - expected).max() / (np.abs(expected).max() or 1.0))


def assert_follows_numpy(cls: str, options: dict, build=make, layouts=True, axes: dict | None = None, **more):
    """Fifty steps in float64, every parameter at every step to 1e-12; the rate is halved after half of them.

    `build(cls, params, **options, **more)` makes the torch optimizer; `axes` says in which order of
    axes NumPy's optimizer sees a tensor. Empty tensors, which it refuses, need only not disturb the others.
    """
    params, axes = start(layouts), axes or {}
    order = {name: axes.get(name, tuple(range(p.ndim))) for name, p in params.items()}
    theirs = {n: Parameter(p.detach().numpy().transpose(order[n])) for n, p in params.items() if p.numel()}
    opt = build(getattr(torch_optim, cls), params.values(), **options, **more)
    reference = getattr(optim, cls)(theirs.values(), **options)
    for t, values in enumerate(gradients(layouts), start=1):
        if t == recipe.STEPS // 2:
            reference.lr /= 2
            for group in opt.param_groups:
                group["lr"] /= 2
        set_gradients(params, values)
        before = {name: p.grad.clone() for name, p in params.items()}
        for name, p in theirs.items():
            p.grad = values[name].transpose(order[name])
        opt.step()
        reference.step()
        for name, p in theirs.items():
            worst = error(params[name], p.data.transpose(np.argsort(order[name])))
            assert worst <= 1e-12, f"{name} at step {t}: relative error {worst:.2g}"
        for name, p in params.items():
            assert torch.equal(p.grad, before[name]), f"the gradient of {name} was written at step {t}"
    assert t == recipe.STEPS
