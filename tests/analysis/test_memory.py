"""Predicted bytes against real ones, of torch's optimizers (minilib's: tests/optim/test_state.py).

What autograd saves is measured by the chapter on memory, whose cells ask for the very bytes, and for whole models in
test_planner.py.
"""

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from minilib import torch_optim
from minilib.analysis.memory import KEPT, PRECISIONS, Transformer, packages, state_bytes, state_numbers, training_bytes
from minilib.autodiff import TransformerEncoder

SHAPES = [(6, 4), (4, 6), (1, 5), (7,), (), (3, 2, 3, 3)]
TINY = {"vocabulary": 50, "max_length": 24, "width": 16, "layers": 3, "heads": 4}
BERT_BASE = Transformer(30522, 512, 768, 12, 12, segments=2, head=True)


def test_the_description_has_the_names_and_shapes_of_the_network():
    network = TransformerEncoder(**TINY, rng=np.random.default_rng(0))
    assert Transformer(**TINY).shapes() == {name: p.data.shape for name, p in network.named_parameters()}


def test_bert_base_has_its_known_number_of_parameters():
    """109,482,240 with a pooler (768 x 768 and a bias) in the place of the head (the same, a norm, a bias a word)."""
    assert BERT_BASE.parameters() - 2 * 768 - 30522 == 109_482_240


@pytest.mark.parametrize(
    ("name", "cls", "options"),
    [
        ("SGD", torch.optim.SGD, {}),
        ("Momentum", torch.optim.SGD, {"momentum": 0.9}),
        ("Adagrad", torch.optim.Adagrad, {}),
        ("RMSProp", torch.optim.RMSprop, {}),
        ("Adam", torch.optim.Adam, {}),
        ("AdamW", torch.optim.AdamW, {}),
        ("AMSGrad", torch.optim.Adam, {"amsgrad": True}),
        ("Adafactor", torch.optim.Adafactor, {}),
        ("Muon", torch.optim.Muon, {}),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_torch_keeps_the_predicted_bytes_and_four_for_each_step_counter(name, cls, options, dtype):
    shapes = [s for s in SHAPES if len(s) == 2] if name == "Muon" else SHAPES
    params = [nn.Parameter(torch.ones(shape, dtype=dtype)) for shape in shapes]
    for p in params:
        p.grad = torch.full_like(p, 0.1)
    opt = cls(params, **options)
    opt.step()
    held = Counter()
    for key, value in (pair for state in opt.state.values() for pair in state.items()):
        if torch.is_tensor(value):
            held[key == "step"] += value.untyped_storage().nbytes()
    assert held[False] == state_numbers(shapes, name) * dtype.itemsize
    assert held[False] == state_bytes(shapes, name, "fp32" if dtype == torch.float32 else "pure bf16", "torch 2.13.0")
    assert held[True] in (0, 4 * len(shapes))


OURS = {"minilib": None, "minilib, state_dtype bfloat16": torch.bfloat16, "minilib, state_dtype uint8": torch.uint8}


@pytest.mark.parametrize(("package", "name"), [(package, name) for package in OURS for name in KEPT[package][0]])
@pytest.mark.parametrize("precision", ["fp32", "pure bf16"])
def test_our_classes_for_torch_keep_the_predicted_bytes(package, name, precision):
    """Factored over the last two dimensions, as the formula has it. 4,095 numbers are too few for codes."""
    dtype = torch.float32 if precision == "fp32" else torch.bfloat16
    shapes = [*SHAPES, (65, 63), (64, 64), (64, 65), (5000,)]
    params = [nn.Parameter(torch.ones(shape, dtype=dtype)) for shape in shapes]
    for p in params:
        p.grad = torch.full_like(p, 0.1)
    factor = {"factor": "last"} if name in ("Adafactor", "CAME") else {}
    opt = getattr(torch_optim, name)(params, state_dtype=OURS[package], **factor)
    opt.step()
    assert opt.state_bytes() == state_bytes(shapes, name, precision, package)


# Bytes of state for each number of a 512 x 1024 matrix in bfloat16, measured with `pip download --no-deps` beside torch
# 2.13.0 on 26 November 2026; of bitsandbytes without its maps, two tables of 256 numbers for all parameters.
SEEN = {
    ("CAME", "came-pytorch 0.1.3"): 4.0234375,
    ("CAME", "pytorch_optimizer 4.1.0"): 2.01171875,
    ("LAMB", "pytorch_optimizer 4.1.0"): 4.0,
    ("LARS", "pytorch_optimizer 4.1.0"): 2.0,
    ("Adafactor", "transformers 5.23.0"): 0.01171875,
    ("AdamW", "bitsandbytes 0.50.2"): 2.03125,
    ("LAMB", "bitsandbytes 0.50.2"): 2.03125,
    ("Lion", "bitsandbytes 0.50.2"): 1.015625,
}


def test_of_packages_that_are_not_installed_here_the_prediction_is_what_was_measured():
    predicted = {pair: state_bytes([(512, 1024)], pair[0], "pure bf16", pair[1]) / 2**19 for pair in SEEN}
    assert predicted == SEEN
    tested = {"torch 2.13.0", *OURS}
    assert {(n, package) for package in KEPT if package not in tested for n in KEPT[package][0]} == set(SEEN)
    assert packages("CAME")[0] == "minilib"


def test_bytes_a_parameter_of_the_four_precisions():
    """Adam: 4 + 4 + 8, 2 + 2 + 4 + 8, 2 + 2 + 4, and 2 + 2 + 4 + 2 with a scale for each block of 256."""
    totals = [sum(training_bytes([(4096, 1)], "Adam", p).values()) for p in PRECISIONS]
    assert totals == [4096 * 16, 4096 * 16, 4096 * 8, 4096 * 10 + 2 * 16 * 4]


def test_where_parameters_have_names_muon_leaves_the_embeddings_to_adamw():
    assert state_numbers({"tokens.weight": (50, 4), "blocks.0.mlp": (4, 8), "norm": (4,)}, "Muon") == 400 + 32 + 8
    assert state_numbers([(50, 4), (4, 8), (4,)], "Muon") == 200 + 32 + 8


def test_the_shares_of_zero_by_hand():
    """Ten numbers on four devices: three each; Adam's twenty numbers of state: five each."""
    whole_and_shares = {"parameters": (20, 6), "gradients": (20, 6), "master weights": (40, 12)}
    whole_and_shares |= {"optimizer state": (80, 20)}
    first = {"parameters": 3, "gradients": 2, "master weights": 1, "optimizer state": 1}  # stage that cuts it
    for stage in range(4):
        expected = {kind: both[stage >= first[kind]] for kind, both in whole_and_shares.items()}
        assert training_bytes([(10,)], "Adam", "bf16 + fp32 master", 4, stage) == expected


@given(st.integers(1, 10**6), st.integers(1, 5000), st.sampled_from(list(PRECISIONS)))
def test_sharing_more_never_takes_more_and_all_shares_together_hold_everything(d, devices, precision):
    stages = [sum(training_bytes([(d,)], "CAME", precision, devices, z).values()) for z in range(4)]
    assert sorted(stages, reverse=True) == stages
    assert devices * stages[3] >= stages[0]


def test_a_block_without_stored_attention_weights_is_linear_in_the_length():
    for flash in (True, False):
        one, two = (sum(Transformer(**TINY).block(2, s, dropout=True, flash=flash).values()) for s in (64, 128))
        assert (two == 2 * one) == flash


def test_a_block_in_16_bits_with_dropout_is_the_formula_of_korthikanti_and_others():
    """s b h (34 + 5 a s / h), and the statistics of the norms, which they leave out."""
    b, s, h, a = 4, 512, 768, 12
    saved = BERT_BASE.block(b, s, e=2, dropout=True)
    assert sum(saved.values()) - saved["statistics of the two norms"] == s * b * h * (34 + 5 * a * s / h)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("Adamm",), "optimizer must be one of .*'Adam'.* got 'Adamm'"),
        (("Adam", "fp8"), "precision must be one of .*'fp32'.* got 'fp8'"),
        (("Adam", "fp32", 8, 4), "stage must be 0, 1, 2 or 3 and devices at least 1, got 4 and 8"),
        (("Adam", "fp32", 0, 1), "got 1 and 0"),
        (("CAME", "fp32", 1, 0, "torch"), "package of CAME must be one of .*'came-pytorch 0.1.3'.*, got 'torch'"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        training_bytes([(2, 3)], *arguments)
