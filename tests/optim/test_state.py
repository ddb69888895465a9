"""The state of every optimizer: what it weighs, and that it can be saved, loaded and copied in mid-run."""

import copy
import pickle

import numpy as np
import pytest

from minilib.optim import SGD
from tests.optim.helpers import METHODS, every_method, run_steps, snapshot, start_parameters


def size(shape):
    return int(np.prod(shape, dtype=int))


def factors(shape):
    """Row and column means of a matrix, or of each matrix in a stack; a vector keeps everything."""
    return size(shape[:-1]) + size(shape[:-2] + shape[-1:]) if len(shape) >= 2 else size(shape)


def came_numbers(shape):
    return size(shape) + factors(shape) + (factors(shape) if len(shape) >= 2 else 0)


def squares(shape):
    """One square matrix for every axis."""
    return sum(n * n for n in shape)


NUMBERS_OF_STATE = {
    "SGD": size,  # with momentum
    "Adagrad": size,
    "RMSProp": size,
    "Adam": lambda shape: 2 * size(shape),
    "AdamW": lambda shape: 2 * size(shape),
    "AMSGrad": lambda shape: 3 * size(shape),
    "LARS": size,
    "LARS2020": size,
    "LAMB": lambda shape: 2 * size(shape),
    "Adafactor": factors,
    "CAME": came_numbers,
    "SM3": lambda shape: size(shape) + (sum(shape) or 1),  # with momentum
    "Lion": size,
    "AdamMini": lambda shape: size(shape) + (shape[-1] if len(shape) >= 2 else 1),
    "Shampoo": lambda shape: size(shape) + squares(shape),  # with momentum
    "SOAP": lambda shape: 2 * size(shape) + (2 * squares(shape) if len(shape) >= 2 else 0),
    "Muon": size,
    "ScheduleFree": lambda shape: 2 * size(shape),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", METHODS)
def test_the_bytes_of_state_are_those_of_the_formula(name, dtype):
    cls, options = METHODS[name]
    params = start_parameters(dtype, cls)
    opt = cls(params.values(), **options)
    assert opt.state_bytes() == 0
    run_steps(opt, params, 1, 2)
    numbers = sum(NUMBERS_OF_STATE[name](p.data.shape) for p in params.values())
    assert opt.state_bytes() == numbers * np.dtype(dtype).itemsize


def test_plain_sgd_keeps_no_state():
    params = start_parameters()
    opt = SGD(params.values())
    run_steps(opt, params, 1, 2)
    assert opt.state_bytes() == 0


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
