"""Bad input to any optimizer: one clear ValueError, and parameters, state and options as they were, to the bit."""

import inspect
import re

import numpy as np
import pytest

from minilib.autodiff import Tensor
from minilib.optim import LAMB, SGD, Adam
from tests.optim.helpers import METHODS, Parameter, every_method, set_gradients, snapshot, started

A, B = Parameter([1.0]), Parameter([[1.0, 2.0], [3.0, 4.0]])
NAN, INF = float("nan"), float("inf")
NOT_NUMBERS = [NAN, "0.1", None, True, 1j, [0.1]]
NOT_FLAGS = [1, 0.0, "yes", None]
NOT_UNIT = [-0.1, 1.0, 1.5, INF, *NOT_NUMBERS]
NOT_POSITIVE = [0.0, -1e-8, INF, *NOT_NUMBERS]

BAD = {
    "lr": [-0.1, INF, *NOT_NUMBERS],
    "momentum": NOT_UNIT,
    "alpha": NOT_UNIT,
    "weight_decay": [-0.1, INF, *NOT_NUMBERS],
    "trust_coefficient": NOT_POSITIVE,
    "d": NOT_POSITIVE,
    "beta2_decay": [0.0, 0.8, -1.5, *NOT_NUMBERS],
    "phi": [(1, 1), (2, 1), (-1, 1), (0, NAN), (NAN, 1), (0, 1, 2), (0, "1"), 1.0, "ab", None],
    "axis": [1, -2, 0.0, "0", True, (0,)],
    "ns_steps": [0, -1, 5.0, INF, *NOT_NUMBERS],
    "precondition_frequency": [0, -1, 10.0, INF, *NOT_NUMBERS],
    "adjust_lr_fn": ["Original", "", None, 1, True, ("original",)],
}


def bad_values(name, default):
    """Bad values of one option: a tuple is made bad in each place, in its length, and as a whole."""
    if name not in BAD and isinstance(default, tuple):
        bad = NOT_UNIT if name == "betas" else NOT_POSITIVE
        places = range(len(default))
        spoiled = [(*default[:i], value, *default[i + 1 :]) for i in places for value in bad]
        return [*spoiled, default[:-1], (*default, default[-1]), default[0], None]
    return NOT_FLAGS if isinstance(default, bool) else BAD.get(name, NOT_POSITIVE if name == "eps" else [])


ONLY_OF = {("ScheduleFree", "betas"): [(0.0, 0.9)]}  # its x could not be told from y
CASES = [
    pytest.param(
        cls, option, bad_values(option, parameter.default) + ONLY_OF.get((method, option), []), id=f"{method} {option}"
    )
    for method, (cls, _) in METHODS.items()
    for option, parameter in inspect.signature(cls).parameters.items()
    if option != "params"
]


def midway(cls, options=None):
    """An optimizer after three steps, with gradients for the fourth."""
    params, opt = started(cls, options, steps=3)
    set_gradients(params, 4)
    return params, opt


@pytest.mark.parametrize(("cls", "option", "values"), CASES)
def test_an_option_outside_its_range_is_refused_wherever_it_is_given_and_changes_nothing(cls, option, values):
    assert values, "no bad values are listed for this option"
    _, opt = midway(cls)
    before, group = snapshot(opt), opt.param_groups[1]
    good = group[option]
    for value in values:
        message = f"^{option} must be .+, got {re.escape(repr(value))}$"
        with pytest.raises(ValueError, match=message):
            cls([A], **{option: value})
        with pytest.raises(ValueError, match=message):
            cls([{"params": [A], option: value}])
        with pytest.raises(ValueError, match=message):
            setattr(opt, option, value)
        group[option] = value
        with pytest.raises(ValueError, match=message):
            opt.step()
        group[option] = good
        assert snapshot(opt) == before


def test_nesterov_without_momentum_is_refused_wherever_it_is_asked_for():
    refused = pytest.raises(ValueError, match="nesterov=True needs momentum > 0")
    with refused:
        SGD([A], nesterov=True)
    with refused:
        SGD([{"params": [A], "momentum": 0.0}], momentum=0.9, nesterov=True)
    opt = SGD([A], momentum=0.9, nesterov=True)
    with refused:
        opt.momentum = 0.0
    assert opt.momentum == 0.9


def test_a_bad_default_is_refused_even_where_every_group_overrides_it():
    with pytest.raises(ValueError, match="lr must be"):
        SGD([{"params": [A], "lr": 0.1}], lr=-1.0)


def test_an_unknown_option_is_refused_by_name():
    with pytest.raises(ValueError, match="unknown option 'momentum': may be one of .*'betas'"):
        Adam([{"params": [A], "momentum": 0.9}])
    with pytest.raises(TypeError, match="momentum"):
        Adam([A], momentum=0.9)


def holding(data) -> Parameter:
    p = Parameter([0.0])
    p.data = data
    return p


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ([], "empty"),
        ((), "empty"),
        (iter([]), "empty"),
        ([{"params": []}], "empty"),
        (B, "params must be an iterable of parameters or of groups, got one Parameter"),
        (Tensor(B.data), "got one Tensor"),
        (B.data, "got one ndarray"),
        ({"params": [A]}, "got one dict"),
        ([{"lr": 0.1}], "a group must be a dict with the key 'params'"),
        ([{"params": [A]}, B], "a group must be a dict with the key 'params'"),
        *(
            ([A, thing], r"parameter 1 of group 0 must have \.data .* and \.grad, got ")
            for thing in (1.0, "w", None, np.ones(2), {"params": []})
        ),
        *(
            (
                [("body", A), ("head.bias", holding(data))],
                f"data of head.bias must be .* float32 or float64, got .*{what}",
            )
            for data, what in [
                (np.array([1, 2]), "int64"),
                (np.array([True]), "bool"),
                (np.array([1j]), "complex128"),
                (np.ones(2, np.float16), "float16"),
                (np.ones((0, 3)), "float64 of shape \\(0, 3\\)"),
                (np.broadcast_to(1.0, (2, 2)), "read-only"),
            ]
        ),
        ([A, A], "appears twice"),
        ([{"params": [A]}, {"params": [A]}], "appears twice"),
    ],
)
def test_what_is_no_list_of_parameters_is_refused_and_not_added(params, message):
    with pytest.raises(ValueError, match=message):
        SGD(params)


def test_a_group_that_is_refused_is_not_added():
    opt = SGD([A])
    for group in ({"params": [A]}, {"params": [B], "lr": -1.0}, {"params": [B, 1.0]}):
        with pytest.raises(ValueError, match="twice|lr must be|must have"):
            opt.add_param_group(group)
    assert [group["params"] for group in opt.param_groups] == [[A]]


@every_method
def test_a_bad_gradient_is_refused_by_name_and_nothing_changes(cls, options):
    params, opt = midway(cls, options)
    before = snapshot(opt)
    last, good = params["zeros"], params["zeros"].grad.copy()  # the others come first in a step
    for value in (NAN, INF, -INF):
        last.grad = good.copy()
        last.grad[1, 1] = value
        with pytest.raises(ValueError, match="gradient of zeros has 1 of 6 entries that are nan or infinite"):
            opt.step()
        assert snapshot(opt) == before
    for shape in ((3, 3), (2,), (), (1, 3, 2), (2, 3)):
        last.grad = np.ones(shape)
        with pytest.raises(ValueError, match="gradient of zeros has shape .*, must be \\(3, 2\\)"):
            opt.step()
        assert snapshot(opt) == before


def test_a_gradient_too_large_for_float32_is_refused():
    p = Parameter([1.0], dtype=np.float32)
    p.grad = np.array([1e300])
    with pytest.raises(ValueError, match="gradient of parameter 0 of group 0 has 1 of 1 entries"):
        SGD([p]).step()
    assert p.data[0] == 1.0


# Loading


def with_a_bad_rate(saved):
    saved["param_groups"][0]["lr"] = NAN
    return saved


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (lambda _: Adam([Parameter(np.ones(7))]).state_dict(), r"shapes .*\(7,\).*, this optimizer's are "),
        (lambda opt: Adam([p for *_, p in opt.parameters()]).state_dict(), "is for parameters of shapes"),
        (lambda _: started(LAMB)[1].state_dict(), "has the options .*'phi'.*, this optimizer has "),
        (lambda opt: with_a_bad_rate(opt.state_dict()), "lr must be a finite number >= 0, got nan"),
    ],
)
def test_a_state_dict_of_other_shapes_or_options_is_refused_and_nothing_changes(saved, message):
    _, opt = midway(Adam)
    before = snapshot(opt)
    with pytest.raises(ValueError, match=message):
        opt.load_state_dict(saved(opt))
    assert snapshot(opt) == before


@pytest.mark.parametrize(
    ("theirs", "ours", "fits"),
    [("xy", "xy", True), ("xy", "yx", False), ("xy", "xz", False), (None, "yx", True), ("xy", None, True)],
)
def test_a_state_dict_goes_to_the_parameters_whose_names_it_has(theirs, ours, fits):
    def made(names):
        params = [Parameter(np.ones(2), grad=[g, g]) for g in (1.0, 100.0)]
        return params, Adam(zip(names, params, strict=True) if names else params)

    saved = made(theirs)[1]
    saved.step()
    params, opt = made(ours)
    before = snapshot(opt)
    if not fits:
        with pytest.raises(ValueError, match=f"state_dict has [xy] where this optimizer has [{ours}]"):
            opt.load_state_dict(saved.state_dict())
        assert snapshot(opt) == before
        return
    opt.load_state_dict(saved.state_dict())
    np.testing.assert_allclose([opt.state[i]["m"][0] for i in (0, 1)], [0.1, 10.0])
    params[1].grad[0] = np.nan
    with pytest.raises(ValueError, match=f"gradient of {ours[1] if ours else 'parameter 1 of group 0'} has 1 of 2"):
        opt.step()
