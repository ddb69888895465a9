"""Bad input: one ValueError that says what was given and what may be given, and nothing has changed."""

import inspect
import re

import numpy as np
import pytest
import torch
from torch import nn

from minilib import torch_optim
from minilib.torch_optim import LAMB
from minilib.torch_optim.base import COMMON
from tests.torch_optim.cases import METHODS, WAYS, bits, every_class, parameters, run, run_steps, snapshot, some_methods
from tests.torch_optim.helpers import gradients, set_gradients

NAN, INF = float("nan"), float("inf")
NOT_NUMBERS = [NAN, "0.1", None, True, 1j, [0.1]]
NOT_FLAGS = [1, 0.0, "yes", None]
NOT_MAYBE = [1, 0.0, "yes", "None"]
NOT_UNIT = [-0.1, 1.0, 1.5, INF, *NOT_NUMBERS]
NOT_POSITIVE = [0.0, -1e-8, INF, *NOT_NUMBERS]
NOT_NAMES = ["", "Largest", None, 1, True, ("last",)]
BOUNDS = [0.0, -1.0, NAN, "1", True, [1.0]]

BAD = {
    "lr": [-0.1, INF, *NOT_NUMBERS, torch.ones(1), torch.tensor(1), torch.tensor(1j)],
    "momentum": NOT_UNIT,
    "eps": [-1e-8, INF, *NOT_NUMBERS],
    "weight_decay": [-0.1, INF, *NOT_NUMBERS],
    "trust_coefficient": NOT_POSITIVE,
    "d": NOT_POSITIVE,
    "beta2_decay": [0.0, 0.8, -1.5, *NOT_NUMBERS],
    "phi": [(1, 1), (2, 1), (-1, 1), (0, NAN), (NAN, 1), (0, 1, 2), (0, "1"), 1.0, "ab", None],
    "max_grad_norm": BOUNDS,
    "min_dim_size_to_factor": [-1, 1.0, NAN, "1", None, True],
    "factor": NOT_NAMES,
    "decay_by": NOT_NAMES,
    "on_nonfinite": NOT_NAMES,
    "scale_parameter": NOT_MAYBE,
    "compile": NOT_MAYBE,
} | dict.fromkeys(
    "adapt_without_decay bias_correction correct_confidence joint_norm layer_adaptation "
    "relative_step scaled_momentum stochastic_rounding".split(),
    NOT_FLAGS,
)


def bad_values(name, default):
    """A tuple of numbers is made bad in each place, in its length, and as a whole."""
    if name == "phi" or not isinstance(default, tuple):
        return BAD[name]
    bad = NOT_UNIT if name == "betas" else NOT_POSITIVE
    spoiled = [(*default[:i], value, *default[i + 1 :]) for i in range(len(default)) for value in bad]
    return [*spoiled, default[:-1], (*default, default[-1]), default[0], None]


# Options that all methods share are checked by lines that they share: once is enough.
CASES = [
    pytest.param(getattr(torch_optim, method), name, bad_values(name, default), id=f"{method} {name}")
    for method in METHODS
    for name, default in {
        **{k: p.default for k, p in inspect.signature(getattr(torch_optim, method)).parameters.items()},
        **(COMMON if method == "LAMB" else {}),
    }.items()
    if name not in ("params", "options")
]
every_option = pytest.mark.parametrize(("cls", "option", "values"), CASES)


def tensor():
    return nn.Parameter(torch.ones(2))


def midway(cls):
    """An optimizer of two groups after two steps, with gradients for the third."""
    params = parameters()
    named = list(params.items())
    opt = cls([{"params": named[:2]}, {"params": named[2:]}])
    for t, values in enumerate(gradients()[:3], start=1):
        set_gradients(params, values)
        if t < 3:
            opt.step()
    return params, opt


# Options


@every_option
def test_an_option_out_of_its_range_is_refused_with_its_name_its_value_and_what_it_may_be(cls, option, values):
    for value in values:
        message = f"^{option} must be .+, got {re.escape(repr(value))}$"
        with pytest.raises(ValueError, match=message):
            cls([tensor()], **{option: value})
        with pytest.raises(ValueError, match=message):
            cls([{"params": [tensor()], option: value}])
        with pytest.raises(ValueError, match=message):
            cls([tensor()]).add_param_group({"params": [tensor()], option: value})


@every_option
def test_an_option_that_leaves_its_range_in_mid_run_is_refused_and_nothing_changes(cls, option, values):
    _, opt = midway(cls)
    before, good = snapshot(opt), opt.param_groups[1][option]
    for value in values:
        opt.param_groups[1][option] = value
        with pytest.raises(ValueError, match=f"^{option} must be .+, got {re.escape(repr(value))}$"):
            opt.step()
        opt.param_groups[1][option] = good
        assert snapshot(opt) == before


def test_a_bad_default_is_refused_even_where_every_group_overrides_it():
    with pytest.raises(ValueError, match=r"lr must be a finite number >= 0 or a 0-dim tensor, got -1\.0"):
        LAMB([{"params": [tensor()], "lr": 0.1}], lr=-1.0)


@every_class
def test_an_unknown_option_is_refused_with_those_that_there_are(cls):
    known = cls([tensor()]).defaults
    message = re.escape(f"unknown option 'learning_rate': may be one of {sorted(known)}")
    with pytest.raises(ValueError, match=message):
        cls([tensor()], learning_rate=0.1)


TYPING_ERRORS = {"weight_decy": "weight_decay", "beta": "betas", "layer_adaption": "layer_adaptation", "lr_scale": None}


@pytest.mark.parametrize(("key", "meant"), TYPING_ERRORS.items())
def test_a_key_of_a_group_that_looks_like_an_option_is_refused_with_the_option(key, meant):
    opt = LAMB([tensor()])
    group = {"params": [tensor()], key: 0.1}
    if meant is None:
        opt.add_param_group(group)
        assert opt.param_groups[1][key] == 0.1
        return
    with pytest.raises(ValueError, match=f"unknown option '{key}' of group 1: did you mean '{meant}'?"):
        opt.add_param_group(group)
    assert len(opt.param_groups) == 1


@some_methods(kind={kind.__name__: kind for kind in (np.float32, np.float64, int)}, way=WAYS)
def test_numpys_numbers_and_integers_are_as_good_as_pythons(cls, options, kind, way):
    params, others = parameters(), parameters()
    opt = way(cls)(params.values(), lr=kind(1), weight_decay=kind(0))
    assert not any(isinstance(value, np.generic) for value in [*opt.defaults.values(), *opt.param_groups[0].values()])
    run_steps(opt, params, 1, 2)
    opt.param_groups[0]["lr"] = kind(1)  # as a schedule would
    run_steps(opt, params, 3, 3)
    run(way(cls), others, 3, lr=1.0, weight_decay=0.0)
    assert [bits(p) for p in params.values()] == [bits(p) for p in others.values()]


# Parameters


@pytest.mark.parametrize("params", [[], (), iter([])], ids=["list", "tuple", "iterator"])
def test_no_parameters_are_refused(params):
    with pytest.raises(ValueError, match="params is empty: an optimizer needs at least one parameter"):
        LAMB(params)


def test_a_group_without_parameters_is_taken_as_torch_takes_it():
    p = tensor()
    opt = LAMB([{"params": [p]}, {"params": iter([]), "lr": 0.5}])
    p.grad = torch.ones(2)
    opt.step()
    assert opt.param_groups[1]["params"] == []
    assert len(opt.state) == 1
    other = LAMB([{"params": [tensor()]}, {"params": []}])
    other.load_state_dict(opt.state_dict())
    assert other.param_groups[1]["lr"] == 0.5


@pytest.mark.parametrize("params", [tensor(), {"params": [tensor()]}, {tensor()}, "ab", 1.0, None], ids=type)
def test_what_is_no_ordered_collection_is_refused(params):
    message = f"params must be an iterable in a fixed order, such as a list, got one {type(params).__name__}"
    with pytest.raises(ValueError, match=message):
        LAMB(params)


@pytest.mark.parametrize("params", [{tensor()}, 1.0, None], ids=type)
def test_a_group_whose_parameters_are_no_ordered_collection_is_refused(params):
    with pytest.raises(ValueError, match="params of group 0 must be an iterable in a fixed order, .* got one"):
        LAMB([{"params": params}])


def test_a_group_may_be_a_single_tensor():
    p = tensor()
    assert LAMB([{"params": p}]).param_groups[0]["params"] == [p]


@pytest.mark.parametrize("group", [[tensor()], tensor(), None, {"lr": 0.1}], ids=type)
def test_what_is_no_group_is_refused(group):
    opt = LAMB([tensor()])
    with pytest.raises(ValueError, match="a group must be a dict with the key 'params', got "):
        opt.add_param_group(group)
    assert len(opt.param_groups) == 1


@pytest.mark.parametrize("thing", [1.0, "w", None, np.ones(2), {"params": []}, nn.Linear(1, 1)], ids=type)
def test_what_is_no_tensor_is_refused_by_its_place(thing):
    with pytest.raises(ValueError, match=f"parameter 1 of group 0 must be a tensor, got {type(thing).__name__}"):
        LAMB([tensor(), thing])
    with pytest.raises(ValueError, match=rf"weight \(group 0\) must be a tensor, got {type(thing).__name__}"):
        LAMB([("weight", thing)])


@pytest.mark.parametrize("pair", [(), ("w",), ("w", tensor(), 1), (tensor(), "w"), (1, tensor())], ids=len)
def test_what_is_no_pair_of_name_and_tensor_is_refused(pair):
    with pytest.raises(ValueError, match=r"parameter 0 of group 0 must be a tensor or a pair \(name, tensor\), got "):
        LAMB([pair])


def test_names_must_be_given_to_all_parameters_or_to_none():
    with pytest.raises(ValueError, match="names"):
        LAMB([("w", tensor()), tensor()])
    with pytest.raises(ValueError, match="names"):
        LAMB([{"params": [("w", tensor())]}, {"params": [tensor()]}])


@pytest.mark.parametrize("dtype", [torch.complex64, torch.int64, torch.bool, torch.uint8], ids=str)
def test_data_types_that_cannot_be_trained_are_refused(dtype):
    p = torch.zeros(2, dtype=dtype)
    with pytest.raises(ValueError, match=f"parameter 0 of group 0 must be real and floating-point, got {p.dtype}"):
        LAMB([p])


def test_the_result_of_a_computation_is_refused():
    with pytest.raises(ValueError, match="non-leaf"):
        LAMB([tensor() * 2])


# Gradients


def test_sparse_gradients_are_refused_by_name_with_what_to_do():
    layer = nn.Embedding(5, 3, sparse=True)
    opt = LAMB(layer.named_parameters())
    before = bits(layer.weight)
    layer(torch.tensor([1, 2])).sum().backward()
    with pytest.raises(ValueError, match=r"the gradient of weight \(group 0\) is sparse .*: use sparse=False"):
        opt.step()
    assert bits(layer.weight) == before
    assert opt.state_bytes() == 0


def test_parameters_on_two_devices_are_refused_by_name():
    here, there = (torch.nn.Parameter(torch.zeros(3, device=device)) for device in ("cpu", "meta"))
    for p in (here, there):
        p.grad = torch.ones_like(p)
    opt = LAMB([("here", here), ("there", there)])
    with pytest.raises(ValueError, match=r"there \(group 0\) is on meta, here \(group 0\) on cpu"):
        opt.step()
    assert not opt.state
    assert not here.any()


def test_a_bad_gradient_of_the_last_parameter_changes_none_of_the_others():
    params, opt = midway(LAMB)
    params["zeros"].grad = None
    params["zeros"].grad = torch.ones(3, 2, dtype=torch.float64).to_sparse()
    before = {name: bits(p) for name, p in params.items()}
    steps = [int(s["step"]) for s in opt.state.values()]
    with pytest.raises(ValueError, match=r"the gradient of zeros \(group 1\) is sparse"):
        opt.step()
    assert {name: bits(p) for name, p in params.items()} == before
    assert [int(s["step"]) for s in opt.state.values()] == steps


def test_a_parameter_whose_shape_was_changed_after_its_gradient_came_is_refused():
    p = tensor()
    opt = LAMB([p])
    p.grad = torch.ones(2)
    p.data = torch.ones(3)
    with pytest.raises(ValueError, match=r"the gradient of parameter 0 of group 0 has shape \(2,\), must be \(3,\)"):
        opt.step()
