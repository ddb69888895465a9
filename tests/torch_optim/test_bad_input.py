"""Bad input: one error that says what was given and what may be given, and nothing has changed."""

import inspect
import re

import numpy as np
import pytest
import torch
from torch import nn

from minilib.torch_optim import CAME, LAMB, Adafactor
from minilib.torch_optim.checks import check_rates
from minilib.torch_optim.options import COMMON
from tests.torch_optim.shared import (
    METHODS,
    WAYS,
    assert_same,
    midway,
    parameters,
    run_steps,
    snapshot,
    some_methods,
)

# What the ranges are is tested with NumPy's optimizers, whose table this is too: here stands what only torch's have.
NAN, INF = float("nan"), float("inf")
WRONG = [-2.0, NAN, "0.1", None, 1j, [0.1]]
NOT_NAMES = ["", "Largest", None, 1, True, ("last",)]
BAD = {
    "lr": [INF, True, torch.ones(1), torch.tensor(1), torch.tensor(1j), *map(torch.tensor, (-1.0, NAN, INF)), *WRONG],
    "max_grad_norm": [0.0, -1.0, NAN, "1", True, [1.0]],
    "min_dim_size_to_factor": [-1, 1.0, NAN, "1", None, True],
    "on_nonfinite": NOT_NAMES,
    "factor": NOT_NAMES,
    "decay_by": NOT_NAMES,
    "compile": [1, 0.0, "yes", "None"],
    "scale_parameter": [1, 0.0, "yes", "None"],
    "state_dtype": [torch.float16, torch.int8, 8, "8bit", True],
} | dict.fromkeys(
    "adapt_without_decay correct_confidence joint_norm scaled_momentum stochastic_rounding".split(),
    [1, 0.0, "yes", None],
)
# Options that all methods share are checked by lines that they share: once is enough.
CASES = [
    (cls, name)
    for method, (cls, _) in METHODS.items()
    for name in [*inspect.signature(cls).parameters, *(COMMON if method == "LAMB" else {})]
    if name not in ("params", "options")
]


def tensor():
    return nn.Parameter(torch.ones(2))


# Options


@pytest.mark.parametrize(("cls", "option"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_an_option_out_of_its_range_is_refused_with_its_name_its_value_and_what_it_may_be(cls, option):
    _, opt = midway(cls)
    before, group = snapshot(opt), opt.param_groups[1]
    good = group[option]
    for value in BAD.get(option, WRONG):
        message = f"^{option} must be .+, got {re.escape(repr(value))}$"
        with pytest.raises(ValueError, match=message):
            cls([tensor()], **{option: value})
        with pytest.raises(ValueError, match=message):
            cls([{"params": [tensor()], option: value}])
        with pytest.raises(ValueError, match=message):
            opt.add_param_group({"params": [tensor()], option: value})
        group[option] = value  # in mid-run
        with pytest.raises(ValueError, match=message):
            opt.step()
        group[option] = good
        assert snapshot(opt) == before


def test_a_bad_default_is_refused_even_where_every_group_overrides_it():
    with pytest.raises(ValueError, match=r"lr must be a finite number >= 0 or a 0-dim tensor of one, got -1\.0"):
        LAMB([{"params": [tensor()], "lr": 0.1}], lr=-1.0)


def test_an_unknown_option_is_refused_with_those_that_there_are():
    known = LAMB([tensor()]).defaults
    with pytest.raises(ValueError, match=re.escape(f"'learning_rate': may be one of {sorted(known)}")):
        LAMB([tensor()], learning_rate=0.1)
    with pytest.raises(ValueError, match="'clip_threshold': may be one of"):  # it is Adafactor's
        LAMB([tensor()], clip_threshold=0.1)


@pytest.mark.parametrize(
    ("cls", "key", "meant"),
    [
        (LAMB, "weightdecay", "weight_decay"),
        (LAMB, "beta", "betas"),
        (CAME, "clip_threshold", "d"),
        (Adafactor, "clip_treshold", "d"),
        (Adafactor, "decay_rate", "beta2_decay"),
    ],
)
def test_an_option_that_looks_like_another_is_refused_with_the_other(cls, key, meant):
    opt = cls([tensor()])
    with pytest.raises(ValueError, match=f"^unknown option '{key}': did you mean '{meant}'\\?$"):
        cls([tensor()], **{key: 0.1})
    with pytest.raises(ValueError, match=f"unknown option '{key}' of group 1: did you mean '{meant}'\\?"):
        opt.add_param_group({"params": [tensor()], key: 0.1})
    assert len(opt.param_groups) == 1


@some_methods(kind={kind.__name__: kind for kind in (np.float32, np.float64, int)}, way=WAYS)
def test_numpys_numbers_and_integers_are_as_good_as_pythons(cls, options, kind, way):
    ends = []
    for number in (kind, float):
        params = parameters()
        opt = way(cls)(params.values(), lr=number(1), weight_decay=number(0))
        assert not any(isinstance(value, np.generic) for value in (opt.defaults | opt.param_groups[0]).values())
        run_steps(opt, params, 1, 2)
        opt.param_groups[0]["lr"] = number(1)  # as a schedule would
        run_steps(opt, params, 3, 3)
        ends.append(params)
    assert_same(*ends)


# Parameters

TWICE = tensor()
DTYPES = torch.complex64, torch.int64, torch.bool, torch.uint8
REFUSED = {
    "an empty list": ([], "empty parameter list"),
    "an empty iterator": (iter([]), "empty parameter list"),
    "a model": (nn.Linear(2, 2), r"got the model itself: give Linear\.parameters\(\)"),
    "a set": ({tensor()}, "params must have a fixed order, such as a list has, got a set"),
    "a group with a set": ([{"params": {tensor()}}], "params must have a fixed order"),
    "a group with None": ([{"params": None}], "not iterable"),
    "a group without parameters": ([{"lr": 0.1}], "a group must be a dict with the key 'params', got "),
    "what is no group": ([{"params": [tensor()]}, [tensor()]], "a group must be a dict with the key 'params', got "),
    "a number": ([tensor(), 1.0], "can only optimize Tensors, but one of the params is float"),
    "an array": ([tensor(), np.ones(2)], "can only optimize Tensors"),
    "one twice in a group": ([TWICE, tensor(), TWICE], "a parameter appears twice in group 0"),
    "one twice in another group": ([{"params": [tensor()]}, {"params": [TWICE, TWICE]}], "appears twice in group 1"),
    "one in two groups": ([{"params": [TWICE]}, {"params": [tensor(), TWICE]}], "in more than one parameter group"),
} | {
    str(dtype): ([tensor(), torch.ones(2).to(dtype)], f"parameter 1 of group 0 must be real and .*, got {dtype}")
    for dtype in DTYPES
}


@pytest.mark.parametrize(("params", "message"), REFUSED.values(), ids=REFUSED)
def test_parameters_that_cannot_be_trained_are_refused(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        LAMB(params)


def test_a_refused_group_is_not_added():
    opt = LAMB([TWICE])
    for group in ([tensor()], {"params": [TWICE]}, {"params": [1.0]}, {"params": [tensor()], "lr": -1.0}):
        with pytest.raises((ValueError, TypeError)):
            opt.add_param_group(group)
    assert len(opt.param_groups) == 1


def test_a_group_may_be_empty_or_a_single_tensor():
    p, q = tensor(), tensor()
    opt = LAMB([{"params": p}, {"params": iter([]), "lr": 0.5}])
    p.grad = torch.ones(2)
    opt.step()
    assert [group["params"] for group in opt.param_groups] == [[p], []]
    other = LAMB([{"params": [q]}, {"params": []}])
    other.load_state_dict(opt.state_dict())
    assert (len(other.state), other.param_groups[1]["lr"]) == (1, 0.5)


# Gradients


def sparse(p):
    p.grad = torch.ones(3, 2, dtype=torch.float64).to_sparse()
    return p


def reshaped(p):
    p.data = torch.ones(3, dtype=torch.float64)
    return p


def elsewhere(p):
    moved = nn.Parameter(p.detach().to("meta"))
    moved.grad = torch.ones_like(moved)
    return moved


BAD_GRADIENTS = {
    sparse: r"the gradient of zeros \(group 1\) is sparse .*: use sparse=False",
    reshaped: r"the gradient of zeros \(group 1\) has shape \(3, 2\), must be \(3,\)",
    elsewhere: r"zeros \(group 1\) is on meta, matrix \(group 0\) on cpu",
}


def test_a_model_without_numbers_and_a_rate_on_a_device_that_is_none_are_refused():
    p = elsewhere(tensor())
    with pytest.raises(ValueError, match="parameter 0 of group 0 is on meta, where there are no numbers"):
        LAMB([p]).step()
    with pytest.raises(ValueError, match=r"lr must be a finite number >= 0, got -1\.0"):
        check_rates([{"lr": torch.tensor(-1.0)}])


@pytest.mark.parametrize("steps", [0, 2])
@pytest.mark.parametrize(("spoiled", "message"), BAD_GRADIENTS.items(), ids=["sparse", "reshaped", "elsewhere"])
def test_a_bad_gradient_of_the_last_parameter_is_refused_by_name_and_changes_none_of_the_others(
    spoiled, message, steps
):
    _, opt = midway(LAMB, steps)
    params = opt.param_groups[1]["params"]
    last = spoiled(params.pop())
    before = snapshot(opt)
    params.append(last)
    with pytest.raises(ValueError, match=message):
        opt.step()
    params.pop()
    assert snapshot(opt) == before
