"""`torch.compile` of a step: no graph break, the steps of the plain optimizer, and no second look at it later."""

import math

import pytest
import torch
from torch import nn

from minilib.analysis.memory import Transformer
from minilib.torch_optim import CAME
from tests.torch_optim.cases import CLASSES, bits, every_method, parameters, run_steps, some_methods
from tests.torch_optim.helpers import gradients, set_gradients

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


def steps_of(step, params, first, last):
    for values in gradients()[first - 1 : last]:
        set_gradients(params, values)
        step()


def assert_close(params, others):
    for name, p in params.items():
        largest = float(others[name].detach().abs().max())
        assert float((p - others[name]).detach().abs().max()) <= 1e-6 * largest, name


MORE = {
    "plain": {},
    "skip": {"compile": True, "on_nonfinite": "skip", "max_grad_norm": 1.0},
}


@some_methods(more=MORE)  # a compiled step has one way to run
def test_a_compiled_step_is_one_graph_and_the_same_step(cls, options, more):
    params, others = parameters(torch.float32), parameters(torch.float32)
    opt, other = cls(params.values(), **options, **more), cls(others.values(), **options, **more)
    step, compilations = compiled_step(opt)
    steps_of(step, params, 1, 3)
    run_steps(other, others, 1, 3)
    assert_close(params, others)
    assert len(compilations) == 2, "one that begins the state, one for all later steps"
    assert {int(s["step"]) for s in opt.state.values()} == {3}


# Between them they use all operations of the others.
@pytest.mark.parametrize(("cls", "options"), [CLASSES[name] for name in ("LARS", "LAMB", "CAME")])
def test_lowered_to_elementary_operations_it_is_still_the_same_step(cls, options):
    params, others = parameters(), parameters()
    opt = cls(params.values(), **options)
    steps_of(torch.compile(lambda: opt.step(), fullgraph=True, backend="aot_eager"), params, 1, 3)
    run_steps(cls(others.values(), **options), others, 1, 3)
    assert_close(params, others)


@every_method
def test_neither_a_change_of_a_tensor_rate_nor_the_number_of_the_step_compiles_again(cls, options):
    params, others = parameters(), parameters()
    lr = torch.tensor(options["lr"], dtype=torch.float64)
    opt, other = cls(params.values(), **(options | {"lr": lr})), cls(others.values(), **options)
    step, compilations = compiled_step(opt)
    for t, values in enumerate(gradients()[:12], start=1):
        set_gradients(params, values)
        set_gradients(others, values)
        lr.fill_(options["lr"] / t)
        other.param_groups[0]["lr"] = options["lr"] / t
        step()
        other.step()
    assert len(compilations) == 2
    assert_close(params, others)


@pytest.mark.parametrize(("cls", "options"), [CLASSES["LAMB"], CLASSES["CAME"]])  # with full state and with factored
def test_it_goes_on_from_a_plain_run_and_back_to_one(cls, options):
    params, others = parameters(), parameters()
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, 2)
    step, compilations = compiled_step(opt)
    steps_of(step, params, 3, 4)
    run_steps(opt, params, 5, 6)
    run_steps(cls(others.values(), **options), others, 1, 6)
    assert_close(params, others)
    assert len(compilations) == 1


@every_method
def test_a_compiled_step_skips_what_is_not_finite(cls, options):
    params = parameters()
    opt = cls(params.values(), **options, on_nonfinite="skip")
    step, compilations = compiled_step(opt)
    steps_of(step, params, 1, 2)
    set_gradients(params, gradients()[2])
    params["kernel"].grad[0] = math.nan
    before = {name: (bits(p), [bits(t) for t in opt.state[p].values()]) for name, p in params.items()}
    step()
    assert {name: (bits(p), [bits(t) for t in opt.state[p].values()]) for name, p in params.items()} == before
    assert int(opt.skipped) == 1
    steps_of(step, params, 3, 4)
    others = parameters()
    run_steps(cls(others.values(), **options), others, 1, 4)
    assert_close(params, others)
    assert int(opt.skipped) == 1


def test_all_parameters_of_bert_are_one_graph():
    torch.manual_seed(0)
    shapes = BERT.shapes()
    assert len(shapes) == 202
    params = {name: nn.Parameter(torch.randn(shape)) for name, shape in shapes.items()}
    others = {name: nn.Parameter(p.detach().clone()) for name, p in params.items()}
    opt, other = CAME(params.values()), CAME(others.values())  # the method with most sums
    step, compilations = compiled_step(opt)
    for first, (mine, theirs) in [(True, (opt.step, other.step)), (False, (step, other.step))]:
        for p, q in zip(params.values(), others.values(), strict=True):
            p.grad = torch.randn_like(p)
            q.grad = p.grad
        mine()
        theirs()
        assert len(compilations) == (0 if first else 1)
    assert_close(params, others)
