"""The contract of every optimizer: steps, groups, options, state (test_bad_input.py: errors)."""

import copy
import pickle

import numpy as np
import pytest

from minilib import optim
from minilib.autodiff import Tensor
from minilib.optim import SGD, Adam, Optimizer
from tests.optim.helpers import (
    Parameter,
    after,
    every_method,
    run_steps,
    set_gradients,
    snapshot,
    start_parameters,
    started,
)

# Steps


@every_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parameters_and_state_keep_the_dtype_whatever_the_gradients_and_the_rate_are(cls, options, dtype):
    params, opt = started(cls, options, dtype=dtype)
    for t in range(1, 4):
        set_gradients(params, t)
        opt.lr = np.float64(0.1)
        for p in params.values():
            p.grad = p.grad.astype(np.float64)
        before = {n: p.grad.copy() for n, p in params.items()}
        opt.step()
        assert all(np.array_equal(params[n].grad, g) for n, g in before.items()), "a step has written a gradient"
    arrays = [a for s in opt.state.values() for a in s.values() if isinstance(a, np.ndarray)]
    assert {a.dtype for a in arrays} | {p.data.dtype for p in params.values()} == {np.dtype(dtype)}


@every_method
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_of_zero_from_the_first_step_on_change_nothing_without_decay(cls, options, dtype):
    params, opt = started(cls, options | {"weight_decay": 0.0}, dtype=dtype)
    before = copy.deepcopy(params)
    for _ in range(3):
        for p in params.values():
            p.grad = np.zeros_like(p.data)
        opt.step()
    for n, p in params.items():
        np.testing.assert_array_equal(p.data, before[n].data)


@every_method
def test_a_parameter_without_a_gradient_stands_still_and_its_state_too(cls, options):
    params, opt = started(cls, options)
    gradients = []
    for t in range(1, 7):
        set_gradients(params, t)
        gradients.append(params["matrix"].grad)
        params["matrix"].grad = None if t % 2 else gradients[-1]
        opt.step()
    assert [opt.state[i]["step"] for i in (0, 1)] == [3, 6]
    alone = after(cls, start_parameters(cls=cls)["matrix"].data, gradients[1::2], **options)
    np.testing.assert_array_equal(params["matrix"].data, alone)


def test_a_step_changes_the_array_in_place_and_after_zero_grad_it_changes_nothing():
    p = Parameter([1.0, -2.0], grad=[0.1, 0.2])
    opt, view = SGD([p], lr=1.0), p.data
    opt.step()
    opt.zero_grad()
    opt.step()
    assert (p.data is view, p.grad) == (True, None)
    np.testing.assert_allclose(view, [0.9, -2.2], rtol=1e-15)


@every_method
def test_tensors_are_parameters(cls, options):
    w, p = Tensor(np.array([[1.0, -2.0], [3.0, 4.0]])), Parameter([[1.0, -2.0], [3.0, 4.0]])
    opt, plain = cls([("w", w)], **options), cls([p], **options)
    for _ in range(5):
        opt.zero_grad()
        (w * w).sum().backward()
        p.grad = 2 * p.data
        opt.step()
        plain.step()
    np.testing.assert_array_equal(w.data, p.data)
    assert np.all(w.data != [[1.0, -2.0], [3.0, 4.0]])


def test_an_optimizer_must_write_update():
    with pytest.raises(NotImplementedError, match="Mine must write update"):
        type("Mine", (Optimizer,), {})([Parameter([1.0], grad=[1.0])]).step()


# Gradients at the ends of what float32 holds: entries of two sizes (1e20 is too large to be squared).
EXTREMES = [(0, 1e8), (0, 1e15), (1e8, 0), (1e-30, 1e10), (1e-15, 1e-15), (1e-40, 1e-40), (0, 3e18), (1e20, 1e20)]


@every_method
@pytest.mark.parametrize(("first", "second"), EXTREMES)
@pytest.mark.parametrize("shape", [(2, 1), (1, 2), (2, 2), (2,)], ids=str)
def test_float32_goes_where_float64_goes_whatever_the_size_of_the_gradient(cls, options, shape, first, second):
    if cls is optim.Muon and len(shape) != 2:
        return
    g = np.full(shape, second)
    g.flat[0] = first
    if first == 1e20 and cls.squares:
        with pytest.raises(
            ValueError, match="gradient of parameter 0 of group 0 is too large to be squared in float32"
        ):
            after(cls, np.ones(shape), [g], np.float32, **options)
        return
    single, double = (after(cls, np.ones(shape), 3 * [g], dtype, **options) for dtype in (np.float32, np.float64))
    if cls is optim.SOAP and shape == (2, 2):  # what is 0 in its basis is rounding, and Adam makes it a whole step
        assert np.isfinite(single).all()
    else:
        np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-6)


# Groups and options


@every_method
def test_groups_with_options_of_their_own_are_like_separate_optimizers(cls, options):
    special = {"lr": 0.01, "weight_decay": 0.0}
    params, others = start_parameters(cls=cls), start_parameters(cls=cls)
    half = len(params) // 2
    (first, second), halves = ((list(some.items())[:half], list(some.items())[half:]) for some in (params, others))
    together = cls([{"params": first}, {"params": second, **special}], **options)
    apart = [cls(some, **more) for some, more in zip(halves, (options, options | special), strict=True)]
    for t in range(1, 6):
        set_gradients(params, t)
        set_gradients(others, t)
        for opt in (together, *apart):
            opt.step()
    for n in params:
        np.testing.assert_array_equal(params[n].data, others[n].data)
    assert together.state_bytes() == sum(opt.state_bytes() for opt in apart)


def test_options_are_read_from_the_first_group_also_after_a_step_and_set_in_all():
    a, b = Parameter([1.0], grad=[1.0]), Parameter([2.0], grad=[1.0])
    opt = SGD([{"params": [a], "lr": 0.1}, {"params": [b]}], lr=0.2, momentum=0.5)
    assert (opt.lr, opt.momentum) == (0.1, 0.5)
    opt.step()
    np.testing.assert_allclose([a.data[0], b.data[0]], [0.9, 1.8], rtol=1e-15)
    assert opt.lr == 0.1
    opt.lr = 0.5
    assert [g["lr"] for g in opt.param_groups] == [0.5, 0.5]


def test_a_group_added_in_the_middle_of_a_run_starts_from_nothing():
    a, b = Parameter([1.0]), Parameter([1.0])
    opt = Adam([a], lr=0.1, eps=1e-300)
    for _ in range(3):
        a.grad = np.array([1.0])
        opt.step()
    opt.add_param_group({"params": [b]})
    a.grad, b.grad = None, np.array([5.0])
    opt.step()
    np.testing.assert_allclose([a.data[0], b.data[0]], [0.7, 0.9], rtol=1e-12)


def test_what_is_not_an_option_is_not_an_attribute():
    with pytest.raises(AttributeError, match="Adam has no attribute 'momentum'"):
        Adam([Parameter([1.0])]).momentum  # noqa: B018


# State


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("usual", [True, False], ids=["all options", "defaults"])
@every_method
def test_the_bytes_of_state_are_those_that_the_class_says(cls, options, usual, dtype):
    options = options if usual else {}
    params, opt = started(cls, options, dtype=dtype)
    assert opt.state_bytes() == 0
    run_steps(opt, params, 1, 2)
    numbers = sum(cls.state_size(p.data.shape, **options) for p in params.values())
    assert opt.state_bytes() == numbers * np.dtype(dtype).itemsize


@every_method
def test_a_run_that_was_saved_and_loaded_or_copied_continues_with_the_same_bits(cls, options):
    params, opt = started(cls, options, steps=7)
    saved, (others, other) = pickle.dumps(opt.state_dict()), started(cls)  # the options come from the saved state
    for name, p in params.items():
        others[name].data[...] = p.data
    copied, copies = copy.deepcopy((opt, params))
    other.load_state_dict(pickle.loads(saved))
    for some, theirs in ((opt, params), (other, others), (copied, copies)):
        run_steps(some, theirs, 8, 15)
        assert snapshot(some) == snapshot(opt)


@every_method
def test_a_state_dict_is_a_copy_and_loading_copies_again(cls, options):
    params, opt = started(cls, options, steps=3)
    saved = opt.state_dict()
    before = pickle.dumps(saved)
    run_steps(opt, params, 4, 5)
    opt.load_state_dict(saved)
    run_steps(opt, params, 4, 5)
    assert pickle.dumps(saved) == before
