"""Fifty steps beside torch, and beside the recorded steps of public implementations."""

import numpy as np
import pytest
import torch

from minilib import optim
from tests.optim.helpers import RECORDED, assert_matches_reference, error_to_torch, reference_runs
from tests.references.runs import RUNS

ADAM = [
    {},
    {"lr": 0.1, "weight_decay": 0.3},
    {"lr": 0.1, "betas": (0.5, 0.8), "eps": 0.1, "weight_decay": 0.1},
    {"lr": 0.05, "betas": (0.0, 0.9)},
    {"lr": 0.05, "betas": (0.95, 0.9)},
]
ADAFACTOR = {"lr": 1e-2, "eps": (1e-30, 1e-3)}
TORCH = {
    "SGD": [
        {},
        {"lr": 0.1, "weight_decay": 0.3},
        {"lr": 0.05, "momentum": 0.9},
        {"lr": 0.05, "momentum": 0.5, "weight_decay": 0.1},
        {"lr": 0.05, "momentum": 0.9, "nesterov": True},
        {"lr": 0.02, "momentum": 0.7, "weight_decay": 0.2, "nesterov": True},
    ],
    "Adagrad": [{}, {"lr": 0.3}, {"lr": 0.1, "eps": 0.5, "weight_decay": 0.2}],
    "RMSProp": [{}, {"lr": 0.1, "alpha": 0.5}, {"lr": 0.1, "alpha": 0.9, "eps": 0.5, "weight_decay": 0.2}],
    "Adam": ADAM,
    "AdamW": ADAM,
    "AMSGrad": ADAM,
    "Adafactor": [
        ADAFACTOR,
        ADAFACTOR | {"lr": 0.5},
        ADAFACTOR | {"lr": 0.1, "beta2_decay": -0.5, "d": 1.5, "weight_decay": 0.1},
        {"lr": 0.1, "beta2_decay": -1.0, "d": 2.0, "eps": (1e-30, 0.5)},
    ],
}


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, rows in TORCH.items() for options in rows], ids=str
)
def test_a_method_that_torch_has_follows_torch(name, options):
    theirs = getattr(torch.optim, {"RMSProp": "RMSprop", "AMSGrad": "Adam"}.get(name, name))
    more = {"amsgrad": True} if name == "AMSGrad" else {}
    assert error_to_torch(optim.METHODS[name], options, theirs, options | more) <= 1e-10


def test_the_inputs_tell_amsgrad_from_adam():
    assert error_to_torch(optim.AMSGrad, {"betas": (0.9, 0.9)}, torch.optim.Adam, {"betas": (0.9, 0.9)}) > 1e-3


@pytest.mark.parametrize(("content", "run"), [case for name in optim.METHODS for case in reference_runs(name)])
def test_a_method_follows_public_implementations(content, run):
    # optax rounds 1 - t^-c to float32, also where everything else is float64; SOAP's record leaves one parameter out,
    # Muon's the three that are no matrices
    rounded = content["optimizer"] == "Adafactor" and "optax" in content["reference"]
    left_out = {"SOAP": 1, "Muon": 3}.get(content["optimizer"], 0)
    params = assert_matches_reference(content, run, 2e-6 if rounded else 1e-10, left_out=left_out)
    if "phi" in content["runs"][run]["ours"]:
        assert max(np.linalg.norm(p.data) for p in params.values()) > 10, "the bound on the norm never mattered"


def test_every_run_that_is_named_is_recorded():
    named = {file: (optimizer, set(some)) for file, (_, _, _, optimizer, some) in RUNS.items()}
    assert {file: (content["optimizer"], set(content["runs"])) for file, content in RECORDED.items()} == named
