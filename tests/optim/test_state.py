"""The state of every optimizer: what it weighs, and that it can be saved, loaded and copied in mid-run."""

import copy
import pickle

import numpy as np
import pytest

from tests.optim.helpers import every_method, run_steps, snapshot, started


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
