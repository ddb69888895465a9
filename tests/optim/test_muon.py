"""Muon: torch's steps, singular values, and what is refused."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from minilib.optim import AdamW, Muon, together
from minilib.optim.muon import newton_schulz
from tests.optim.helpers import QL, QR, STEPS, Parameter, X, after, error_to_torch

OPTIONS = [
    {},
    {"lr": 0.1, "momentum": 0.8, "weight_decay": 0.0, "nesterov": False},
    {"lr": 0.1, "ns_steps": 3, "adjust_lr_fn": "match_rms_adamw"},
]


def error(options, turn=np.array):
    return error_to_torch(Muon, options, torch.optim.Muon, options, turn)


@pytest.mark.parametrize("turn", [np.array, np.transpose])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_muon_follows_torch_for_fifty_steps_when_torch_computes_in_float64(monkeypatch, options, turn):
    # torch casts to bfloat16 with this method, and then works in place: so it gets a float64 copy
    monkeypatch.setattr(torch.Tensor, "bfloat16", lambda t: t.double().clone())
    assert error(options, turn) < 1e-10


def test_with_torchs_bfloat16_the_two_differ_in_the_third_digit_but_not_the_first():
    assert 1e-4 < error(OPTIONS[1]) < 0.1


@given(sigma=arrays(np.float64, 3, elements=st.floats(0.01, 1)))
def test_newton_schulz_keeps_the_singular_vectors_and_brings_the_values_near_one(sigma):
    ortho = newton_schulz(QL @ np.diag(sigma) @ QR[:3])
    core = QL.T @ ortho @ QR[:3].T
    np.testing.assert_allclose(core, np.diag(np.diag(core)), atol=1e-9)
    assert (np.diag(core) > 0.65).all()
    assert (np.diag(core) < 1.25).all()


@pytest.mark.parametrize("shape", [(), (3,), (2, 2, 2)], ids=str)
def test_what_is_no_matrix_is_refused_by_name_and_not_added(shape):
    with pytest.raises(ValueError, match=r"Muon takes matrices only, bias has shape .*: give it to AdamW"):
        Muon([("weight", Parameter(X)), ("bias", Parameter(np.ones(shape)))])
    opt = Muon([Parameter(X)])
    with pytest.raises(ValueError, match="matrices only"):
        opt.add_param_group({"params": [Parameter(np.ones(shape))]})
    assert len(opt.param_groups) == 1


def test_muon_and_adamw_together_take_the_steps_that_each_takes_alone():
    x, b = Parameter(X, grad=STEPS[0]), Parameter([1.0, 2.0], grad=[3.0, -4.0])
    opt = together(Muon([x], lr=0.1), AdamW([b], lr=0.2))
    assert [group["lr"] for group in opt.param_groups] == [0.1, 0.2]
    opt.step()
    np.testing.assert_array_equal(x.data, after(Muon, X, STEPS[:1], lr=0.1))
    np.testing.assert_array_equal(b.data, after(AdamW, [1, 2], [[3, -4]], lr=0.2))
    assert opt.state_bytes() == 8 * (12 + 2 * 2)
    opt.zero_grad()
    assert x.grad is None
    assert b.grad is None


def test_a_parameter_that_belongs_to_two_optimizers_is_refused():
    p = Parameter(X)
    with pytest.raises(ValueError, match="belongs to two of the optimizers"):
        together(Muon([p]), AdamW([p]))
