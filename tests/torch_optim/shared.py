"""What the tests of the torch optimizers share: every method with options, paths, runs of some steps, snapshots."""

import random

import numpy as np
import pytest
import torch

from minilib import torch_optim
from minilib.torch_optim import execute
from minilib.torch_optim.phases import Sizes
from tests.optim.helpers import METHODS as NUMPY
from tests.references import recipe

torch.set_num_threads(1)
GRADIENTS = recipe.gradients()

# name -> (class, options), under which every term of the method matters: those of the NumPy method of the same name
METHODS = {
    name: (getattr(torch_optim, name), options) for name, (_, options) in NUMPY.items() if name in torch_optim.__all__
}
every_method = pytest.mark.parametrize(("cls", "options"), METHODS.values(), ids=METHODS)

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


def make(cls, params, path="default", **options):
    """An optimizer whose steps take one of the paths."""
    more, sizes = PATHS[path]
    opt = cls(params, **options, **more)
    opt.sizes, opt.host_waits = sizes, not path.startswith("no waiting")
    return opt


def without_waiting(cls):
    """The same class, whose host never waits for the device, as on a GPU."""
    return type(cls.__name__, (cls,), {"host_waits": False})


WAYS = {"default": lambda cls: cls, "no waiting": without_waiting}  # of classes; chunks are tested with NumPy's steps


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

    made, call = Compiling(), execute._call
    monkeypatch.setattr(execute, "_call", lambda bucket, those: made.calls.append(those) or call(bucket, those))
    return made


def some_methods(methods: dict = METHODS, **factors: dict):
    """LAMB with every value of the first factor, and the other methods with these values in turn.

    For what all methods leave to the same lines.
    """
    count = len(next(iter(factors.values())))
    names = ["LAMB"] * count + [name for name in methods if name != "LAMB"]
    return _cases(methods, [(name, k % count) for k, name in enumerate(names)], factors)


def all_methods(methods: dict = METHODS, **factors: dict):
    """Every method with every value of the first factor, for what each method does in lines of its own."""
    count = len(next(iter(factors.values())))
    return _cases(methods, [(name, k) for name in methods for k in range(count)], factors)


def _cases(methods, chosen, factors):
    """Of the other factors, which do not depend on the first, every value comes up equally often, dealt like cards."""
    columns = []
    for name, values in factors.items():
        column = [list(values.items())[(j if columns else k) % len(values)] for j, (_, k) in enumerate(chosen)]
        if columns:
            random.Random(name).shuffle(column)
        columns.append(column)
    cases = []
    for (name, _), *row in zip(chosen, *columns, strict=True):
        case = ", ".join([name, *(label for label, _ in row)])
        cases.append(pytest.param(*methods[name], *(value for _, value in row), id=case))
    return pytest.mark.parametrize(("cls", "options", *factors), cases)


def parameters(dtype: torch.dtype = torch.float64) -> dict[str, torch.nn.Parameter]:
    """The start values of the recorded trajectories: a matrix, a vector, a scalar, a kernel, zeros."""
    return {name: torch.nn.Parameter(torch.tensor(x, dtype=dtype)) for name, x in recipe.start().items()}


def set_gradients(params: dict | list, t: int) -> None:
    """Give every parameter its recorded gradient of step t, counted from 1, in the parameter's data type."""
    for each in params if isinstance(params, list) else [params]:
        for name, p in each.items():
            p.grad = torch.tensor(GRADIENTS[t - 1][name], dtype=p.dtype)


def run_steps(opt, params: dict | list, first: int, last: int, before=lambda t: None, step=None) -> None:
    """Steps first ... last with the recorded gradients; `before` each, and in place of `opt.step`, what is given."""
    for t in range(first, last + 1):
        set_gradients(params, t)
        before(t)
        (step or opt.step)()


def without_gradient(p):
    """What `run_steps` does before a step in which this parameter gets no gradient."""
    return lambda t: setattr(p, "grad", None)


def run(cls, params: dict, last: int, **options):
    """An optimizer of all `params` after steps 1 ... last."""
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, last)
    return opt


def midway(cls, steps: int = 3, **options) -> tuple:
    """(parameters, optimizer of two groups after some steps), with gradients for the next; "kernel" never had one."""
    params = parameters()
    named = list(params.items())
    opt = cls([{"params": named[:2]}, {"params": named[2:]}], **options)
    run_steps(opt, params, 1, steps, before=without_gradient(params["kernel"]))
    set_gradients(params, steps + 1)
    return params, opt


def bits(t) -> bytes:
    """The numbers of a tensor, exactly; also those that are nan."""
    return t.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def assert_same(params: dict, others: dict) -> None:
    """Bit for bit."""
    assert list(params) == list(others)
    for name, p in params.items():
        assert bits(p) == bits(others[name]), name


def state_of(opt, p) -> dict:
    """The state of a parameter, down to the bits."""
    return {name: (t.dtype, bits(t)) for name, t in opt.state[p].items()} if p in opt.state else {}


def snapshot(opt) -> list:
    """Everything that a step may change, down to the bits: parameters, gradients, state, options."""
    params = [p for group in opt.param_groups for p in group["params"]]
    data = [(bits(p), None if p.grad is None else bits(p.grad), state_of(opt, p)) for p in params]
    options = [repr({k: v for k, v in g.items() if k != "params"}) for g in opt.param_groups]
    return [data, options]


def error(ours: torch.Tensor, expected) -> float:
    """The largest difference, relative to the largest entry."""
    ours, expected = ours.detach().double().numpy(), np.asarray(expected)
    return float(np.abs(ours - expected).max() / (np.abs(expected).max() or 1.0))


def assert_close(params: dict, others: dict, tolerance: float = 1e-12) -> None:
    """Relative to the largest entry of each parameter."""
    for name, p in params.items():
        assert error(p, others[name].detach()) <= tolerance, name
