"""What the tests of the contract share: every method with options, runs of some steps, snapshots to the bit."""

import random

import pytest
import torch

from minilib import torch_optim
from tests.optim.helpers import METHODS as NUMPY
from tests.torch_optim.helpers import gradients, set_gradients, start, without_waiting

# name -> options, under which every term of the method matters: those of the NumPy method of the same name
METHODS = {name: options for name, (_, options) in NUMPY.items() if name in torch_optim.__all__}
CLASSES = {name: (getattr(torch_optim, name), options) for name, options in METHODS.items()}
every_method = pytest.mark.parametrize(("cls", "options"), CLASSES.values(), ids=CLASSES)
every_class = pytest.mark.parametrize("cls", [getattr(torch_optim, name) for name in METHODS], ids=list(METHODS))

# Of classes. Without those that only cut tensors into chunks.
WAYS = {"default": lambda cls: cls, "no waiting": without_waiting}


def some_methods(methods: dict = CLASSES, **factors: dict):
    """LAMB with every value of the first factor, and the other methods with these values in turn.

    For what all methods leave to the same lines.
    """
    count = len(next(iter(factors.values())))
    names = ["LAMB"] * count + [name for name in methods if name != "LAMB"]
    return _cases(methods, [(name, k % count) for k, name in enumerate(names)], factors)


def all_methods(methods: dict = CLASSES, **factors: dict):
    """Every method with every value of the first factor.

    For what each method does in lines of its own.
    """
    count = len(next(iter(factors.values())))
    return _cases(methods, [(name, k) for name in methods for k in range(count)], factors)


def _cases(methods, chosen, factors):
    """Of the other factors, which do not depend on the first, every value comes up equally often, dealt like cards."""
    (first, values), *others = ((name, list(values.items())) for name, values in factors.items())
    columns = [[values[k] for _, k in chosen]]
    for name, values in others:
        columns.append([values[j % len(values)] for j in range(len(chosen))])
        random.Random(name).shuffle(columns[-1])
    cases = []
    for (name, _), *row in zip(chosen, *columns, strict=True):
        case = ", ".join([name, *(label for label, _ in row)])
        cases.append(pytest.param(*methods[name], *(value for _, value in row), id=case))
    return pytest.mark.parametrize(("cls", "options", first, *(name for name, _ in others)), cases)


def parameters(dtype: torch.dtype = torch.float64) -> dict[str, torch.nn.Parameter]:
    """The start values of the recorded trajectories: a matrix, a vector, a scalar, a kernel, zeros."""
    return {name: torch.nn.Parameter(p.detach().to(dtype)) for name, p in start().items()}


def run_steps(opt, params: dict, first: int, last: int) -> None:
    """Steps first ... last, counted from 1, with the recorded gradients."""
    for values in gradients()[first - 1 : last]:
        set_gradients(params, values)
        opt.step()


def run(cls, params: dict, last: int, **options):
    """An optimizer of all `params` after steps 1 ... last."""
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, last)
    return opt


def bits(t) -> bytes:
    """The numbers of a tensor, exactly; also those that are nan."""
    return t.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def assert_same(params: dict, others: dict) -> None:
    """Bit for bit."""
    assert list(params) == list(others)
    for name, p in params.items():
        assert bits(p) == bits(others[name]), name


def snapshot(opt) -> list:
    """Everything that a step may change, down to the bits: parameters, gradients, state, options."""
    params = [p for group in opt.param_groups for p in group["params"]]
    data = [(bits(p), None if p.grad is None else bits(p.grad)) for p in params]
    state = [[(k, v.dtype, bits(v)) for k, v in opt.state[p].items()] for p in params if p in opt.state]
    options = [repr({k: v for k, v in g.items() if k != "params"}) for g in opt.param_groups]
    return [data, state, options]
