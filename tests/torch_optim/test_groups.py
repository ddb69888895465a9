"""`parameter_groups`: what decays, what is left out of decay and adaptation."""

import math

import pytest
import torch
from torch import nn

from minilib.torch_optim import LAMB, parameter_groups

MATRICES, OTHERS = ["tokens.weight", "conv.weight"], ["gain", "conv.bias", "norm.weight", "norm.bias", "out.bias"]


class Model(nn.Module):
    """An embedding whose weight is also the output's, a kernel, a norm, biases, a scalar, and what is frozen."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(7, 4)
        self.conv = nn.Conv1d(4, 4, 3)
        self.norm = nn.LayerNorm(4)
        self.out = nn.Linear(4, 7)
        self.out.weight = self.tokens.weight
        self.gain = nn.Parameter(torch.tensor(1.0))
        self.frozen = nn.Linear(4, 4).requires_grad_(False)


def test_matrices_decay_what_has_fewer_dimensions_does_not_shared_ones_appear_once_and_frozen_ones_never():
    model = Model()
    decay, rest = parameter_groups(model, 0.1, layer_adaptation=False)
    params = dict(model.named_parameters())
    assert decay == {"params": [(name, params[name]) for name in MATRICES], "weight_decay": 0.1}
    others = [(name, params[name]) for name in OTHERS]
    assert rest == {"params": others, "weight_decay": 0.0, "layer_adaptation": False}


def test_the_optimizer_keeps_names_and_options_of_the_groups():
    opt = LAMB(parameter_groups(Model(), 0.1, layer_adaptation=False, lr=0.5), lr=0.25)
    names = "param_names", "weight_decay", "layer_adaptation", "lr"
    found = [tuple(group[name] for name in names) for group in opt.param_groups]
    assert found == [(MATRICES, 0.1, True, 0.25), (OTHERS, 0.0, False, 0.5)]


@pytest.mark.parametrize(
    ("model", "decays"), [(nn.Linear(2, 2, bias=False), [0.1]), (nn.LayerNorm(2), [0.0]), (nn.ReLU(), [])], ids=repr
)
def test_a_group_that_would_be_empty_is_left_out(model, decays):
    assert [group["weight_decay"] for group in parameter_groups(model, 0.1)] == decays


@pytest.mark.parametrize("weight_decay", [-0.1, math.nan, math.inf, "0.1", None], ids=repr)
def test_a_bad_weight_decay_is_refused(weight_decay):
    with pytest.raises(ValueError, match=f"weight_decay must be a finite number >= 0, got {weight_decay!r}"):
        parameter_groups(nn.Linear(2, 2), weight_decay)


def test_exclusions_that_would_replace_the_parameters_are_refused_and_unknown_ones_by_the_optimizer():
    with pytest.raises(ValueError, match="exclude must be options of the second group, got 'params'"):
        parameter_groups(Model(), 0.1, params=[])
    with pytest.raises(ValueError, match="unknown option 'layer_adaption' of group 1: did you mean 'layer_adaptation'"):
        LAMB(parameter_groups(Model(), 0.1, layer_adaption=False))


def test_parameters_that_are_not_made_yet_are_refused():
    with pytest.raises(ValueError, match="weight has no shape yet: run the model once"):
        parameter_groups(nn.LazyLinear(3), 0.1)
