"""`torch.compile` of a step: no graph break, the steps of the plain optimizer, and no second look at it later."""

import math

import pytest
import torch
from torch import nn

from minilib.analysis.memory import Transformer
from minilib.torch_optim import CAME, narrow
from tests.torch_optim.shared import (
    METHODS,
    assert_close,
    every_method,
    parameters,
    run,
    run_steps,
    set_gradients,
    snapshot,
)

BERT = Transformer(vocabulary=32, max_length=8, width=4, layers=12, heads=2, segments=2, head=True)


@pytest.fixture(autouse=True)
def _fresh_compiler():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def compiled_step(opt):
    """`opt.step` compiled as one graph, and a list that gets one entry for every compilation."""
    compilations = []

    def count(module, inputs):
        compilations.append(module)
        return module

    return torch.compile(lambda: opt.step(), fullgraph=True, backend=count), compilations


# Between them they use all operations of the others.
@pytest.mark.parametrize("kind", [None, torch.bfloat16, torch.uint8])
@pytest.mark.parametrize(("cls", "options"), [METHODS[name] for name in ("LARS", "LAMB", "CAME")])
def test_lowered_to_elementary_operations_it_is_still_the_same_step(cls, options, kind, monkeypatch):
    monkeypatch.setattr(narrow, "LEAST", 1)
    options = options | {"state_dtype": kind}
    params, others = parameters(), parameters()
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, 3, step=torch.compile(lambda: opt.step(), fullgraph=True, backend="aot_eager"))
    run(cls, others, 3, **options)
    assert_close(params, others, 1e-6)


@every_method
def test_neither_a_change_of_a_tensor_rate_nor_the_number_of_the_step_compiles_again(cls, options):
    params, others = parameters(), parameters()
    lr = torch.tensor(options["lr"], dtype=torch.float64)
    opt, other = cls(params.values(), **(options | {"lr": lr})), cls(others.values(), **options)
    step, compilations = compiled_step(opt)
    run_steps(opt, params, 1, 12, before=lambda t: lr.fill_(options["lr"] / t), step=step)
    run_steps(other, others, 1, 12, before=lambda t: other.param_groups[0].update(lr=options["lr"] / t))
    assert len(compilations) == 2
    assert_close(params, others, 1e-6)


@pytest.mark.parametrize(("cls", "options"), [METHODS["LAMB"], METHODS["CAME"]])  # with full state and with factored
def test_it_goes_on_from_a_plain_run_and_back_to_one(cls, options):
    params, others = parameters(), parameters()
    opt = run(cls, params, 2, **options)
    step, compilations = compiled_step(opt)
    run_steps(opt, params, 3, 4, step=step)
    run_steps(opt, params, 5, 6)
    run(cls, others, 6, **options)
    assert_close(params, others, 1e-6)
    assert len(compilations) == 1


@every_method
def test_a_compiled_step_skips_what_is_not_finite(cls, options):
    params, others = parameters(torch.float32), parameters(torch.float32)
    options = options | {"compile": True, "on_nonfinite": "skip", "max_grad_norm": 1.0}  # a step has one way to run
    opt = cls(params.values(), **options)
    step, compilations = compiled_step(opt)
    run_steps(opt, params, 1, 2, step=step)
    set_gradients(params, 3)
    params["kernel"].grad[0] = math.nan
    before = snapshot(opt)
    step()
    assert snapshot(opt) == before
    run_steps(opt, params, 3, 4, step=step)
    run(cls, others, 4, **(options | {"compile": False}))
    assert_close(params, others, 1e-6)
    assert int(opt.skipped) == 1
    assert len(compilations) == 2, "one that begins the state, one for all later steps"
    assert {int(s["step"]) for s in opt.state.values()} == {4}


def test_all_parameters_of_bert_are_one_graph():
    torch.manual_seed(0)
    shapes = BERT.shapes()
    assert len(shapes) == 202
    params = {name: nn.Parameter(torch.randn(shape)) for name, shape in shapes.items()}
    others = {name: nn.Parameter(p.detach().clone()) for name, p in params.items()}
    opt, other = CAME(params.values()), CAME(others.values())  # the method with most sums
    step, compilations = compiled_step(opt)
    for mine, graphs in ((opt.step, 0), (step, 1)):
        for name, p in params.items():
            p.grad = others[name].grad = torch.randn_like(p)
        mine()
        other.step()
        assert len(compilations) == graphs
    assert_close(params, others, 1e-6)
