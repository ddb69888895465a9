"""Clipping by the global norm against torch and by hand, and the usual exclusions by group."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from minilib.optim import SGD, clip_grad_norm, parameter_groups
from tests.optim.helpers import Parameter, start_parameters
from tests.references import recipe


def two_parameters(dtype=np.float64):
    return Parameter([1.0], grad=[3.0], dtype=dtype), Parameter([[1.0]], grad=[[4.0]], dtype=dtype)


@pytest.mark.parametrize(
    ("max_norm", "clipped"), [(1.0, [0.6, 0.8]), (5.0, [3.0, 4.0]), (6, [3.0, 4.0]), (float("inf"), [3.0, 4.0])]
)
def test_gradients_of_norm_5_are_scaled_down_where_less_is_asked_and_no_holder_sees_it(max_norm, clipped):
    a, b = two_parameters()
    held = a.grad
    assert clip_grad_norm((p for p in (a, b)), max_norm) == 5.0
    np.testing.assert_allclose([a.grad[0], b.grad[0, 0]], clipped, rtol=1e-15)
    assert held[0] == 3.0


@given(max_norm=st.floats(0.01, 100))
def test_clipping_follows_torch_up_to_the_number_that_torch_adds_to_the_norm(max_norm):
    params = start_parameters()
    theirs = {n: torch.nn.Parameter(torch.tensor(p.data)) for n, p in params.items()}
    for n, g in recipe.gradients()[0].items():
        params[n].grad, theirs[n].grad = g.copy(), torch.tensor(g)
    norm = clip_grad_norm(params.values(), max_norm)
    their_norm = torch.nn.utils.clip_grad_norm_(theirs.values(), max_norm)
    assert norm == pytest.approx(float(their_norm), rel=1e-12)
    for n, p in params.items():
        np.testing.assert_allclose(p.grad, theirs[n].grad.numpy(), rtol=1e-6 / norm * 2)


def test_the_norm_of_float32_gradients_does_not_overflow_and_they_stay_float32():
    a, b = two_parameters(np.float32)
    a.grad, b.grad = a.grad * np.float32(1e30), b.grad * np.float32(1e30)
    assert clip_grad_norm([a, b], np.float64(1.0)) == pytest.approx(5e30, rel=1e-6)
    assert a.grad.dtype == b.grad.dtype == np.float32
    np.testing.assert_allclose([a.grad[0], b.grad[0, 0]], [0.6, 0.8], rtol=1e-6)


def test_parameters_without_a_gradient_are_passed_over():
    a, b = two_parameters()
    b.grad = None
    assert clip_grad_norm([a, b], 1.0) == 3.0
    assert b.grad is None


@pytest.mark.parametrize(
    ("max_norm", "last", "message"),
    [(bad, 4.0, "max_norm must be a number > 0, got ") for bad in (0, -1.0, float("nan"), "1", None, True)]
    + [(1.0, bad, "the gradient norm is (nan|inf)") for bad in (np.nan, np.inf)],
)
def test_a_bad_norm_is_refused_and_nothing_changes(max_norm, last, message):
    a, b = two_parameters()
    b.grad[0, 0] = last
    with pytest.raises(ValueError, match=message):
        clip_grad_norm([a, b], max_norm)
    np.testing.assert_array_equal([a.grad[0], b.grad[0, 0]], [3.0, last])


def test_a_single_parameter_in_the_place_of_several_is_refused():
    """Caught: its rows were taken for the parameters, clipped and stepped, and the parameter itself stayed."""
    weight = torch.nn.Parameter(torch.ones(2, 2))
    weight.grad = torch.full((2, 2), 100.0)
    with pytest.raises(ValueError, match="params must be an iterable of parameters, got a single one"):
        clip_grad_norm(weight, 1.0)
    with pytest.raises(ValueError, match=r"must be \(name, parameter\) pairs, got Parameter"):
        parameter_groups([weight], 0.1)
    with pytest.raises(ValueError, match="params of a group must be an iterable of parameters, got a single one"):
        SGD([{"params": two_parameters()[0], "lr": 0.1}])


def test_vectors_go_into_a_group_without_decay_and_with_the_exclusions():
    params = start_parameters()
    matrices, vectors = (
        [(n, params[n]) for n in names] for names in (("matrix", "kernel", "zeros"), ("vector", "scalar"))
    )
    assert parameter_groups(params.items(), 0.1, layer_adaptation=False) == [
        {"params": matrices, "weight_decay": 0.1},
        {"params": vectors, "weight_decay": 0.0, "layer_adaptation": False},
    ]
