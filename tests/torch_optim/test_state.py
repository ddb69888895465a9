"""State: it can be saved, loaded, pickled and copied in mid-run to the bit, and weighs what the formula says."""

import copy
import io
import math
import pickle

import pytest
import torch
from torch import nn

from minilib.optim.adafactor import factored_size as factors
from minilib.torch_optim import CAME, LAMB, LARS2020, Adafactor
from tests.torch_optim.cases import (
    WAYS,
    bits,
    every_method,
    parameters,
    run,
    run_steps,
    snapshot,
    some_methods,
)
from tests.torch_optim.helpers import gradients, set_gradients, without_waiting

DTYPES = {str(dtype): dtype for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16)}
FIRST, LAST = 7, 12  # saved after the first, compared after the last: five more steps


def through_a_file(saved):
    """Saved and loaded again, without pickled code."""
    file = io.BytesIO()
    torch.save(saved, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


WAYS_OF_SAVING = {
    "as it is": lambda saved: saved,
    "copy": copy.deepcopy,
    "pickle": lambda saved: pickle.loads(pickle.dumps(saved)),
    "file": through_a_file,
}


def twins(params):
    return {name: nn.Parameter(p.detach().clone()) for name, p in params.items()}


@some_methods(dtype=DTYPES, save=WAYS_OF_SAVING)
def test_a_run_that_was_saved_and_loaded_continues_with_the_same_bits(cls, options, dtype, save):
    params = parameters(dtype)
    opt = run(cls, params, FIRST, **options, stochastic_rounding=True)
    others = twins(params)
    other = cls(others.values())  # the options come from the saved state
    other.load_state_dict(save(opt.state_dict()))
    run_steps(opt, params, FIRST + 1, LAST)
    run_steps(other, others, FIRST + 1, LAST)
    assert snapshot(other) == snapshot(opt)


@some_methods(way=WAYS, dtype=DTYPES)
def test_every_path_continues_where_it_was(cls, options, way, dtype):
    params = parameters(dtype)
    opt = run(way(cls), params, FIRST, **options)
    others = twins(params)
    other = way(cls)(others.values())
    other.load_state_dict(through_a_file(opt.state_dict()))
    run_steps(opt, params, FIRST + 1, LAST)
    run_steps(other, others, FIRST + 1, LAST)
    assert snapshot(other) == snapshot(opt)


@some_methods(dtype=DTYPES)
def test_statistics_and_step_numbers_keep_their_data_type_when_they_are_loaded(cls, options, dtype):
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    params = parameters(dtype)
    opt = run(without_waiting(cls), params, 3)
    other = cls(twins(params).values())
    other.load_state_dict(opt.state_dict())
    for each in (opt, other):
        assert {t.dtype for s in each.state.values() for t in s.values()} == {wide}


@every_method
def test_a_run_with_a_group_added_in_its_midst_continues_with_the_same_bits(cls, options):
    params, late = parameters(), parameters()
    opt = run(cls, params, 3, **options)
    opt.add_param_group({"params": late.values(), "lr": 0.05})
    for values in gradients()[3:FIRST]:
        set_gradients(params, values)
        set_gradients(late, values)
        opt.step()
    others, late_others = twins(params), twins(late)
    other = cls([{"params": others.values()}, {"params": late_others.values()}])
    other.load_state_dict(through_a_file(opt.state_dict()))
    for values in gradients()[FIRST:LAST]:
        for each in (params, late, others, late_others):
            set_gradients(each, values)
        opt.step()
        other.step()
    assert snapshot(other) == snapshot(opt)


@every_method
def test_state_of_parameters_that_had_no_gradient_yet_is_begun_after_loading(cls, options):
    params = parameters()
    opt = cls(params.values(), **options)
    for values in gradients()[:3]:
        set_gradients(params, values)
        params["matrix"].grad = None
        opt.step()
    others = twins(params)
    other = cls(others.values())
    other.load_state_dict(opt.state_dict())
    run_steps(opt, params, 4, 6)
    run_steps(other, others, 4, 6)
    assert snapshot(other) == snapshot(opt)


@every_method
def test_loading_copies_so_that_two_optimizers_never_share_state(cls, options):
    params = parameters()
    opt = run(cls, params, 3, **options)
    other = cls(twins(params).values())
    other.load_state_dict(opt.state_dict())
    addresses = [{t.data_ptr() for s in each.state.values() for t in s.values()} for each in (opt, other)]
    assert not addresses[0] & addresses[1]


@every_method
def test_a_copy_of_model_and_optimizer_together_continues_with_the_same_bits(cls, options):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 3), nn.LayerNorm(3), nn.Linear(3, 2)).double()
    opt = cls(model.named_parameters(), **options)
    inputs = torch.randn(9, 8, 4, dtype=torch.float64)

    def train(model, opt, batches):
        for x in batches:
            opt.zero_grad()
            model(x).square().sum().backward()
            opt.step()

    train(model, opt, inputs[:4])
    copies = [copy.deepcopy((model, opt)), pickle.loads(pickle.dumps((model, opt)))]
    train(model, opt, inputs[4:])
    for other_model, other in copies:
        assert other.param_groups[0]["params"][0] is other_model[0].weight
        train(other_model, other, inputs[4:])
        assert snapshot(other) == snapshot(opt)


def test_a_copy_knows_how_many_steps_were_skipped():
    p = nn.Parameter(torch.ones(2))
    opt = LAMB([p], on_nonfinite="skip")
    p.grad = torch.tensor([1.0, math.nan])
    opt.step()
    assert opt.skipped == copy.deepcopy(opt).skipped == pickle.loads(pickle.dumps(opt)).skipped == 1


def test_the_count_of_skipped_steps_is_not_in_a_state_dict():
    """As the docstring says: a checkpoint of torch has state of parameters and groups, and nothing else."""
    p = nn.Parameter(torch.ones(2))
    opt = LAMB([p], on_nonfinite="skip")
    p.grad = torch.tensor([1.0, math.nan])
    opt.step()
    other = LAMB([nn.Parameter(torch.ones(2))])
    other.load_state_dict(opt.state_dict())
    assert (opt.skipped, other.skipped) == (1, 0)


def test_a_copy_has_the_options_of_its_class_and_no_other():
    params = parameters()
    opt = run(LAMB, params, 1)
    other = copy.deepcopy(opt)
    assert other.defaults == opt.defaults
    p = nn.Parameter(torch.ones(2))
    other.add_param_group({"params": [p]})
    assert set(other.param_groups[1]) == set(opt.param_groups[0])


# Bytes


def size(shape):
    return math.prod(shape)


NUMBERS = {
    "LARS": size,
    "LARS2020": size,
    "LAMB": lambda shape: 2 * size(shape),
    "Adafactor": factors,
    "CAME": lambda shape: size(shape) + factors(shape) * (2 if len(shape) > 1 else 1),
}


@some_methods(dtype=DTYPES)
def test_the_bytes_of_state_are_those_of_the_formula(cls, options, dtype):
    params = parameters(dtype)
    opt = cls(params.values(), **({"factor": "last"} if cls in (Adafactor, CAME) else {}))
    assert opt.state_bytes() == 0
    run_steps(opt, params, 1, 2)
    numbers = sum(NUMBERS[cls.__name__](p.shape) for p in params.values())
    assert opt.state_bytes() == numbers * (8 if dtype == torch.float64 else 4)


def test_step_numbers_are_the_only_state_that_is_not_counted():
    params = parameters()
    opt = run(Adafactor, params, 1)
    everything = sum(t.numel() * t.element_size() for s in opt.state.values() for t in s.values())
    assert opt.state_bytes() == everything - 8 * len(params)


# To other optimizers and from them


def adamw(params):
    opt = torch.optim.AdamW(params.values(), lr=0.01, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.05)
    run_steps(opt, params, 1, 4)
    return opt


def test_a_run_changes_from_adamw_to_lamb_and_back_and_keeps_its_moments():
    """Without layer adaptation LAMB is AdamW: a run that goes through both ends like one that does not."""
    params, others = parameters(), parameters()
    first, alone = adamw(params), adamw(others)
    lamb = LAMB(params.values(), layer_adaptation=False)
    lamb.load_state_dict(first.state_dict())
    assert {k: lamb.param_groups[0][k] for k in ("lr", "betas", "eps", "weight_decay", "layer_adaptation")} == {
        "lr": 0.01,
        "betas": (0.8, 0.95),
        "eps": 1e-4,
        "weight_decay": 0.05,
        "layer_adaptation": False,
    }
    run_steps(lamb, params, 5, 8)
    last = torch.optim.AdamW(params.values())
    last.load_state_dict(lamb.state_dict())
    run_steps(last, params, 9, 12)
    run_steps(alone, others, 5, 12)
    for name, p in params.items():
        torch.testing.assert_close(p, others[name], rtol=1e-10, atol=1e-12)


# What does not fit


def changed(saved, **options):
    saved = copy.deepcopy(saved)
    saved["param_groups"][0].update(options)
    return saved


def refused(opt, saved, message):
    before = snapshot(opt)
    with pytest.raises(ValueError, match=message):
        opt.load_state_dict(saved)
    assert snapshot(opt) == before


def test_state_of_another_optimizer_is_refused_and_nothing_changes():
    params = parameters()
    opt = run(LAMB, params, 2)
    refused(opt, run(LARS2020, parameters(), 2).state_dict(), "state_dict has the state .*'momentum_buffer'")
    refused(opt, changed(opt.state_dict(), lr=math.nan), "lr must be .*, got nan")
    refused(opt, LAMB(list(parameters().values())[:2]).state_dict(), "doesn't match the size of optimizer's group")
    refused(opt, changed(opt.state_dict(), phi=(2, 1)), "phi must be bounds")
    saved = copy.deepcopy(opt.state_dict())
    saved["state"][0]["exp_avg"] = torch.ones(4, 6)
    refused(opt, saved, r"state_dict has the state .*\(4, 6\).* for a parameter that needs .*\(6, 4\)")
    del saved["state"][0]["exp_avg"]
    refused(opt, saved, "state_dict has the state .* for a parameter that needs .*'exp_avg'")


@pytest.mark.parametrize(("option", "value"), [("max_grad_norm", 1.0), ("on_nonfinite", "skip"), ("compile", False)])
def test_options_about_all_gradients_that_differ_between_loaded_groups_are_refused(option, value):
    opt = LAMB([{"params": [nn.Parameter(torch.ones(2))]} for _ in range(2)])
    saved = copy.deepcopy(opt.state_dict())
    saved["param_groups"][1][option] = value
    refused(opt, saved, f"{option} must be the same in all groups, got {value!r} in group 1")


def test_options_that_a_scheduler_added_are_kept():
    params = parameters()
    opt = run(LAMB, params, 2)
    torch.optim.lr_scheduler.LambdaLR(opt, lambda t: 0.5)
    other = LAMB(twins(params).values())
    other.load_state_dict(opt.state_dict())
    assert (other.param_groups[0]["initial_lr"], other.param_groups[0]["lr"]) == (1e-3, 5e-4)


def test_what_is_loaded_replaces_what_was_there():
    params, others = parameters(), parameters()
    opt, other = run(LAMB, params, 3), run(LAMB, others, 5)
    other.load_state_dict(opt.state_dict())
    for (name, p), q in zip(params.items(), others.values(), strict=True):
        assert {k: bits(t) for k, t in opt.state[p].items()} == {k: bits(t) for k, t in other.state[q].items()}, name
    fresh = LAMB(parameters().values())
    other.load_state_dict(fresh.state_dict())
    assert not any(other.state[q] for q in others.values())
