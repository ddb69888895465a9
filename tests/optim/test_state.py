"""The state of every optimizer: what it weighs, and that it can be saved, loaded and copied in mid-run."""

import copy
import pickle

import numpy as np
import pytest

from tests.optim.helpers import every_method, run_steps, snapshot, start_parameters


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("usual", [True, False], ids=["all options", "defaults"])
@every_method
def test_the_bytes_of_state_are_those_that_the_class_says(cls, options, usual, dtype):
    options = options if usual else {}
    params = start_parameters(dtype, cls)
    opt = cls(params.values(), **options)
    assert opt.state_bytes() == 0
    run_steps(opt, params, 1, 2)
    numbers = sum(cls.state_size(p.data.shape, **options) for p in params.values())
    assert opt.state_bytes() == numbers * np.dtype(dtype).itemsize


@every_method
def test_a_run_that_was_saved_and_loaded_continues_with_the_same_bits(cls, options):
    params = start_parameters(cls=cls)
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, 7)
    saved, others = pickle.dumps(opt.state_dict()), copy.deepcopy(params)
    run_steps(opt, params, 8, 15)
    other = cls(others.values())  # the options come from the saved state
    other.load_state_dict(pickle.loads(saved))
    run_steps(other, others, 8, 15)
    assert snapshot(other) == snapshot(opt)


@every_method
def test_a_state_dict_is_a_copy_and_loading_copies_again(cls, options):
    params = start_parameters(cls=cls)
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, 3)
    saved = opt.state_dict()
    before = pickle.dumps(saved)
    run_steps(opt, params, 4, 5)
    opt.load_state_dict(saved)
    run_steps(opt, params, 4, 5)
    assert pickle.dumps(saved) == before


@every_method
def test_a_deep_copy_of_an_optimizer_continues_with_the_same_bits(cls, options):
    params = start_parameters(cls=cls)
    opt = cls(params.values(), **options)
    run_steps(opt, params, 1, 5)
    other = copy.deepcopy(opt)
    others = dict(zip(params, other.param_groups[0]["params"], strict=True))
    run_steps(opt, params, 6, 9)
    run_steps(other, others, 6, 9)
    assert snapshot(other) == snapshot(opt)
