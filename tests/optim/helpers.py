"""What the tests of the optimizers share: a plain parameter, inputs, trajectories, references, snapshots."""

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from minilib import optim
from tests.references import recipe

REFERENCES = Path(recipe.__file__).parent
RECORDED = {path.stem: json.loads(path.read_text()) for path in sorted(REFERENCES.glob("*.json"))}

# Options that exercise all lines of a method, of those that it has, and what some need beside them.
USUAL = {"lr": 0.1, "betas": (0.8, 0.9), "momentum": 0.8, "weight_decay": 0.1}
OWN = {
    "SGD": {"nesterov": True},
    "RMSProp": {"alpha": 0.9},
    "LARS": {"lr": 0.5, "trust_coefficient": 0.1},
    "CAME": {"betas": (0.8, 0.9, 0.99)},
    "AdamMini": {"axis": -1},
    "SOAP": {"precondition_frequency": 2},
    "Muon": {"adjust_lr_fn": "match_rms_adamw"},
}


def options_of(name: str, cls: type) -> dict:
    """Options for the class `cls`, the method `name`."""
    has = inspect.signature(cls).parameters
    return {option: value for option, value in USUAL.items() if option in has} | OWN.get(name, {})


METHODS = {name: (cls, options_of(name, cls)) for name, cls in optim.METHODS.items()}
every_method = pytest.mark.parametrize(("cls", "options"), METHODS.values(), ids=METHODS)


# A small problem: start, gradients, and a rotation of either side.
RNG = np.random.default_rng(0)
STEPS = [RNG.normal(size=(3, 4)) for _ in range(4)]
X = RNG.normal(size=(3, 4))
QL, QR = (np.linalg.qr(RNG.normal(size=(n, n)))[0] for n in (3, 4))


class Parameter:
    """All that an optimizer needs: `.data` and `.grad`."""

    def __init__(self, data, grad=None, dtype=np.float64):
        self.data = np.array(data, dtype=dtype)
        self.grad = None if grad is None else np.array(grad, dtype=dtype)


def start_parameters(dtype=np.float64, cls=None) -> dict[str, Parameter]:
    """The start values of the recorded trajectories: a matrix, a vector, a scalar, a 4-D kernel, zeros.

    Muon takes matrices only, so for `cls` Muon the vector, the scalar and the kernel are left out.
    """
    values = {name: x for name, x in recipe.start().items() if cls is not optim.Muon or x.ndim == 2}
    return {name: Parameter(x, dtype=dtype) for name, x in values.items()}


def set_gradients(params: dict[str, Parameter], t: int) -> None:
    """Gradients of step t, counted from 1."""
    gradients = recipe.gradients()[t - 1]
    for name, p in params.items():
        p.grad = gradients[name].astype(p.data.dtype)


def run_steps(opt, params: dict[str, Parameter], first: int, last: int) -> None:
    """Steps first ... last of the recorded gradients."""
    for t in range(first, last + 1):
        set_gradients(params, t)
        opt.step()


def started(cls, options=None, steps=0, dtype=np.float64) -> tuple[dict[str, Parameter], optim.Optimizer]:
    """The parameters by name, and an optimizer of two groups of them, after so many of the recorded steps."""
    params = start_parameters(dtype, cls)
    named, half = list(params.items()), len(params) // 2
    opt = cls([{"params": named[:half]}, {"params": named[half:]}], **(options or {}))
    run_steps(opt, params, 1, steps)
    return params, opt


def after(cls, x, gradients, dtype=np.float64, **options) -> np.ndarray:
    """Where steps with these gradients lead x."""
    p = Parameter(x, dtype=dtype)
    opt = cls([p], **options)
    for gradient in gradients:
        p.grad = np.array(gradient, dtype=dtype)
        opt.step()
    return p.data


def error_to_torch(cls, options, torch_cls, torch_options, turn=np.array) -> float:
    """The largest error in fifty float64 steps, relative to the parameter's largest entry; `turn` turns all arrays."""
    params = start_parameters(cls=cls)
    for p in params.values():
        p.data = turn(p.data).copy()
    theirs = {n: torch.nn.Parameter(torch.tensor(p.data)) for n, p in params.items()}
    opt, torch_opt, errors = cls(params.values(), **options), torch_cls(theirs.values(), **torch_options), []
    for gradient in recipe.gradients():
        for name, p in params.items():
            p.grad, theirs[name].grad = turn(gradient[name]), torch.tensor(turn(gradient[name]))
        opt.step()
        torch_opt.step()
        ends = [(p.data, theirs[name].detach().numpy()) for name, p in params.items()]
        errors += [np.abs(ours - expected).max() / np.abs(expected).max() for ours, expected in ends]
    assert len(errors) == recipe.STEPS * len(params)
    return max(errors)


def reference_runs(optimizer: str) -> list:
    """All recorded runs of one optimizer, as pytest parameters (file, run)."""
    return [
        pytest.param(content, run, id=f"{file}: {run}")
        for file, content in RECORDED.items()
        if content["optimizer"] == optimizer
        for run in content["runs"]
    ]


def assert_matches_reference(
    content: dict, run: str, rtol: float, cls: type | None = None, left_out: int = 0
) -> dict[str, Parameter]:
    """Fifty steps against a recorded run, compared where it was recorded; returns the parameters.

    In the record's dtype. `cls` is for the records whose optimizer is no class of minilib, `left_out` the number of
    parameters that the record leaves out.
    """
    assert content["inputs"]["sha256"] == recipe.digest(), "the inputs are not those that were recorded"
    recorded = content["runs"][run]
    method = cls or getattr(optim, content["optimizer"])
    params = start_parameters(content["dtype"].split(",")[0], method)
    axes = recorded.get("ours_axes", {})  # ours sees these tensors with their axes in another order
    for name, order in axes.items():
        params[name].data = params[name].data.transpose(order).copy()
    vectors = [p for p in params.values() if p.data.ndim < 2]
    others = [p for p in params.values() if p.data.ndim >= 2]
    groups = [{"params": others}, {"params": vectors, **recorded["ours_vectors"]}]
    opt = method([group for group in groups if group["params"]], **recorded["ours"])
    compared = 0
    for t in range(1, recipe.STEPS + 1):
        set_gradients(params, t)
        for name, order in axes.items():
            params[name].grad = params[name].grad.transpose(order)
        opt.step()
        for name, expected in recorded["trajectory"].get(str(t), {}).items():
            data = params[name].data.transpose(np.argsort(axes[name])) if name in axes else params[name].data
            largest = np.abs(expected).max() or 1.0  # one package leaves zeros where they are
            error = np.abs(data.ravel() - expected).max() / largest
            assert error <= rtol, f"{name} at step {t}: relative error {error:.2g}"
            compared += 1
    assert compared == (len(recipe.SHAPES) - left_out) * recipe.STEPS // recipe.EVERY
    return params


def snapshot(opt) -> list:
    """Everything that a step may change, down to the bits: data, state and options."""
    data = [p.data.tobytes() for group in opt.param_groups for p in group["params"]]
    state = [
        (i, name, value.tobytes() if isinstance(value, np.ndarray) else value)
        for i, s in opt.state.items()
        for name, value in s.items()
    ]
    options = [repr({k: v for k, v in g.items() if k != "params"}) for g in opt.param_groups]
    return [data, state, options]
