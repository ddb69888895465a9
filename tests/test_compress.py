"""Quantised, pruned and stored weights: the error bound, exact counts and bytes, and the way back from the disk."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from safetensors.torch import save_file
from torch import nn

from minilib.compress import (
    SPARSITIES,
    keep_pruned,
    load,
    load_into,
    matrices,
    pack,
    prune,
    quantize,
    save,
    sparsify,
    store,
    total_bytes,
    unpack,
)
from minilib.models import registry
from minilib.torch_optim import CAME, LAMB, Adafactor

BITS = st.integers(2, 8)
WEIGHTS = arrays(np.float32, array_shapes(min_dims=2, max_dims=2), elements=st.floats(-(2.0**70), 2.0**70, width=32))


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def small_model(seed=0):
    """A table that is tied to the output, two layers and a norm: 20 x 6 + 6 x 11 + 11 x 6 weights in matrices."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Embedding(20, 6), nn.Linear(6, 11), nn.LayerNorm(11), nn.Linear(11, 6), nn.Linear(6, 20))
    model[4].weight = model[0].weight
    return model


def not_finite(model):
    model[3].weight.data[0, 0] = math.nan
    return model


def weights(model):
    return {name: p.detach().clone() for name, p in model.named_parameters()}


def train(model, opt, steps=3):
    for k in range(steps):
        tokens = torch.arange(20).roll(k)
        F.cross_entropy(model(tokens), tokens.roll(1)).backward()
        opt.step()
        opt.zero_grad()


# Quantisation


@given(st.integers(1, 8).flatmap(lambda b: st.tuples(st.lists(st.integers(0, 2**b - 1), max_size=40), st.just(b))))
def test_packed_codes_take_their_bits_and_come_back(drawn):
    codes, bits = torch.tensor(drawn[0], dtype=torch.uint8), drawn[1]
    packed = pack(codes, bits)
    assert packed.nbytes == math.ceil(len(codes) * bits / 8)
    assert torch.equal(unpack(packed, bits, len(codes)), codes)


def test_codes_lie_in_the_bytes_one_after_the_other():
    # 6-bit codes 1, 2, 3 with the lowest bit first: 100000 010000 110000, in bytes 10000001 00001100 00
    assert pack(torch.tensor([1, 2, 3], dtype=torch.uint8), 6).tolist() == [0b10000001, 0b00110000, 0]
    assert pack(torch.tensor([1, 2, 3], dtype=torch.uint8), 4).tolist() == [0x21, 0x03]


@pytest.mark.parametrize(("bits", "codes"), [(4, 18), (6, 27), (8, 35)])
def test_bytes_of_an_odd_matrix_are_those_counted_by_hand(bits, codes):
    w = draw(5, 7)  # 35 codes: 140, 210 and 280 bits
    assert quantize(w, bits).nbytes == codes + 4 + 4
    assert quantize(w, bits, "channel").nbytes == codes + 5 * (4 + 4)


@given(WEIGHTS, BITS, st.sampled_from(["tensor", "channel"]))
@example(np.array([[0, 1e-43]], np.float32), 8, "tensor")  # float32 has no number near 1e-43 / 255
def test_the_error_is_at_most_half_a_step(w, bits, per):
    w = torch.from_numpy(w)
    quantized = quantize(w, bits, per)
    back = quantized.dequantize()
    assert back.dtype == torch.float32
    assert back.shape == w.shape
    # 2^-24 |ŵ| (and half of the least positive float32) is what rounding to float32 adds
    rounding = back.double().abs() * 2.0**-24 + 2.0**-150
    scale = quantized.scale.double().expand(len(w))[:, None]
    assert ((w.double() - back.double()).abs() <= scale / 2 * (1 + 1e-9) + rounding).all()


@pytest.mark.parametrize("bits", range(2, 9))
def test_the_bound_is_attained(bits):
    top = 2**bits - 1  # the step is 1, and 0.5 is as far from a code as a weight can be
    quantized = quantize(torch.tensor([0.0, 0.5, 1.0, top]), bits)
    assert float(quantized.scale) == 1.0
    assert (quantized.dequantize() - torch.tensor([0.0, 0.5, 1.0, top])).abs().tolist() == [0.0, 0.5, 0.0, 0.0]


@given(WEIGHTS, BITS)
def test_a_channel_is_quantised_as_a_tensor_of_its_own(w, bits):
    w = torch.from_numpy(w)
    each = [quantize(row, bits) for row in w]
    by_channel = quantize(w, bits, "channel")
    assert torch.equal(by_channel.scale, torch.cat([one.scale for one in each]))
    assert torch.equal(by_channel.dequantize(), torch.stack([one.dequantize() for one in each]))


@pytest.mark.parametrize("w", [torch.zeros(3, 5), torch.full((3, 5), -0.1), torch.zeros(0, 4), torch.tensor([[1e-45]])])
@pytest.mark.parametrize("per", ["tensor", "channel"])
def test_constants_zeros_and_nothing_are_exact(w, per):
    assert torch.equal(quantize(w, 3, per).dequantize(), w)


# Pruning


@pytest.mark.parametrize("sparsity", [0, 0.15, 0.5, 0.9, 0.99])
def test_exactly_the_wanted_number_is_pruned_and_it_is_the_smallest(sparsity):
    model = small_model()
    before = weights(model)
    masks = prune(model, sparsity)
    left, gone = (torch.cat([before[n][m == keep].abs() for n, m in masks.items()]) for keep in (True, False))
    assert len(gone) == round(sparsity * (120 + 66 + 66))
    assert not len(gone) or gone.max() <= left.min()
    for name, p in model.named_parameters():
        assert torch.equal(p, before[name] * masks[name] if name in masks else before[name])


def test_a_matrix_alone_loses_its_share():
    pruned = {}
    for scope in ("matrix", "global"):
        model = small_model()
        model[1].weight.data /= 1000  # it goes before all others where matrices are compared
        pruned[scope] = {name: int((~mask).sum()) for name, mask in prune(model, 0.5, scope).items()}
    assert pruned["matrix"] == {"0.weight": 60, "1.weight": 33, "3.weight": 33}
    assert pruned["global"]["1.weight"] == 66
    assert sum(pruned["global"].values()) == 126


def test_of_equal_weights_the_wanted_number_is_pruned():
    model = nn.Linear(10, 10)
    nn.init.ones_(model.weight)
    assert prune(model, 0.37)["weight"].flatten().tolist() == [False] * 37 + [True] * 63


@pytest.mark.parametrize("scope", ["global", "matrix"])
def test_what_is_pruned_stays_pruned_from_15_to_90_percent(scope):
    model, masks = small_model(), None
    opt = torch.optim.AdamW(model.parameters(), lr=0.05)  # its momentum is older than the masks
    train(model, opt)
    for sparsity in SPARSITIES:
        before, masks = masks, prune(model, sparsity, scope, masks)
        assert before is None or all((before[name] | ~mask).all() for name, mask in masks.items())
        assert 1 - sum(int(m.sum()) for m in masks.values()) / 252 == pytest.approx(sparsity, abs=1.5 / 252)
        with keep_pruned(model, masks):
            train(model, opt)
        assert all((p[~masks[name]] == 0).all() for name, p in matrices(model).items())


def test_a_weight_that_is_zero_does_not_take_the_place_of_a_pruned_one():
    model = nn.Linear(4, 1)
    model.weight.data = torch.tensor([[3.0, 2.0, 1.0, 4.0]])
    masks = prune(model, 0.25)
    model.weight.data[0, 0] = 0.0  # it was trained to zero, and stands first
    assert prune(model, 0.25, masks=masks)["weight"].tolist() == [[True, True, False, True]]
    assert prune(model, 0.5, masks=masks)["weight"].tolist() == [[False, True, False, True]]


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (torch.optim.AdamW, {"weight_decay": 0.1}),
        (torch.optim.AdamW, {"weight_decay": 0.1, "fused": True}),
        (torch.optim.SGD, {"weight_decay": 0.1, "momentum": 0.9, "nesterov": True}),
        (LAMB, {"weight_decay": 0.1}),
        (Adafactor, {"relative_step": False}),
        (CAME, {}),
    ],
)
def test_pruned_weights_stay_exactly_zero_under_momentum_and_decay(cls, options):
    model = small_model()
    opt = cls(model.parameters(), lr=0.05, **options)
    train(model, opt)
    masks, matrix = prune(model, 0.5), matrices(model)
    before = weights(model)
    with keep_pruned(model, masks):
        train(model, opt, steps=5)
        assert all((matrix[name][~mask] == 0).all() for name, mask in masks.items())
        assert all((matrix[name][mask] != before[name][mask]).all() for name, mask in masks.items())
        F.cross_entropy(model(torch.arange(20)), torch.arange(20)).backward()
        assert all((matrix[name].grad[~mask] == 0).all() for name, mask in masks.items())
        assert any((matrix[name].grad[mask] != 0).any() for name, mask in masks.items())
    opt.zero_grad()
    train(model, opt, steps=1)  # and not a step longer
    assert any((matrix[name][~mask] != 0).any() for name, mask in masks.items())


def test_weights_that_do_not_learn_are_kept_pruned_too():
    model = small_model()
    model[1].requires_grad_(False)
    masks = prune(model, 0.5)
    nn.init.ones_(model[3].weight)
    with keep_pruned(model, masks):
        assert torch.equal(model[3].weight, masks["3.weight"].float())  # from the beginning
        train(model, torch.optim.AdamW(model.parameters()))
    assert all((p[~masks[name]] == 0).all() for name, p in matrices(model).items())


def test_wrong_input_to_pruning_is_refused_and_nothing_changes():
    model = small_model()
    masks, before = prune(model, 0.3), weights(model)
    calls = [
        (lambda s=s: prune(model, s), f"sparsity must be at least 0 and less than 1, got {s!r}")
        for s in (1.0, -0.1, math.nan, "half", None)
    ]
    for call, message in [
        *calls,
        (lambda: prune(model, 0.5, "layer"), r"scope must be one of \('global', 'matrix'\), got 'layer'"),
        (lambda: prune(model, 0.2, masks=masks), "sparsity must be at least that of masks, 0.3016, got 0.2"),
        (lambda: prune(model, 0.5, masks={}), r"masks\['0.weight'\] is absent, and in the model it is"),
        (lambda: prune(model, 0.5, masks=masks | {"x": masks["0.weight"]}), r"masks\['x'\] .* no matrix"),
        (lambda: keep_pruned(nn.Linear(3, 3), masks).__enter__(), r"masks\['0.weight'\]"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())
    with pytest.raises(ValueError, match="3.weight must be finite"):
        prune(not_finite(model), 0.5)


# Sparse storage


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=30)), st.sampled_from([2, 5, 8, 32]))
def test_a_sparse_matrix_comes_back_with_its_zeros(mask, bits):
    mask = torch.from_numpy(mask)
    w = torch.where(mask, draw(*mask.shape), 0.0)
    sparse = sparsify(w, mask, bits)
    assert torch.equal(sparse.places(), mask.flatten().nonzero()[:, 0])
    back = sparse.to_dense()
    assert (back[~mask] == 0).all()
    assert torch.equal(back[mask], w[mask] if bits == 32 else quantize(w[mask], bits).dequantize())
    assert bits != 32 or sparse.values.nbytes == 4 * mask.sum()


def test_by_channel_the_weights_that_are_left_have_the_steps_of_their_rows():
    w = draw(6, 40) * torch.logspace(-2, 1, 6)[:, None]
    mask = draw(6, 40, seed=1) > 0
    mask[2] = mask[5] = False  # rows without weights, one of them the last
    w[~mask] = 0.0
    stored = sparsify(w, mask, 5, "channel")
    back = stored.to_dense()
    assert stored.values.scale[2] == stored.values.minimum[2] == 0
    for row, keep, got in zip(w, mask, back, strict=True):
        assert (got[~keep] == 0).all()
        assert torch.equal(got[keep], quantize(row[keep], 5).dequantize())


def test_gaps_by_hand():
    # 2 pruned, a weight, a weight, 4 pruned, a weight, 1 pruned
    mask = torch.tensor([[0, 0, 1, 1, 0, 0, 0, 0, 1, 0]]).bool()
    sparse = sparsify(mask.float(), mask)
    # 1 bit: 110 0 11110, 9 bits. 2 bits: 2 0 3 1, 8 bits. 3 bits: 2 0 4, 9 bits.
    assert sparse.width == 2
    assert sparse.gaps.tolist() == [2 + 0 * 4 + 3 * 16 + 1 * 64]
    assert sparse.nbytes == 1 + 3 * 4


def places(p, b):
    return b * p / (1 - (1 - p) ** (2**b - 1))


@pytest.mark.parametrize("density", [0.85, 0.7, 0.55, 0.4, 0.3, 0.25, 0.1, 0.01])
def test_places_need_the_bits_of_the_formula(density):
    mask = torch.rand(500, 400, generator=torch.Generator().manual_seed(1)) < density
    sparse = sparsify(torch.zeros(500, 400), mask)
    bits = 8 * sparse.gaps.nbytes / 200_000
    assert bits == pytest.approx(places(density, sparse.width), rel=0.02)
    entropy = -density * math.log2(density) - (1 - density) * math.log2(1 - density)
    assert 0.98 * entropy < bits < 1.02 * min(places(density, b) for b in range(1, 9))


# Whole models


def test_float32_is_stored_exactly_and_a_tied_table_once():
    model, other = small_model(), small_model(seed=1)
    stored = store(model)
    assert total_bytes(stored) == 4 * (120 + 66 + 11 + 22 + 66 + 6 + 20)
    load_into(other, stored)
    assert all(torch.equal(p, other.get_parameter(name)) for name, p in model.named_parameters())
    assert other[4].weight is other[0].weight
    before = weights(other)
    nn.init.zeros_(model[0].weight)  # what is stored is a copy
    load_into(other, stored)
    assert all(torch.equal(p, before[name]) for name, p in other.named_parameters())


FORMATS = [(bits, per) for bits in (32, 8, 6, 3, 2) for per in ("tensor", "channel")]


@pytest.mark.parametrize("pruned", [False, True])
@pytest.mark.parametrize(("bits", "per"), FORMATS)
def test_a_model_comes_back_from_the_disk_as_it_was_stored(tmp_path, bits, per, pruned):
    model = small_model()
    masks = prune(model, 0.6) if pruned else None
    stored = store(model, bits, per, masks)
    save(stored, tmp_path / "small.safetensors")
    again = load(tmp_path / "small.safetensors")
    assert list(again) == list(stored)
    assert total_bytes(again) == total_bytes(stored)
    one, two = small_model(seed=1), small_model(seed=2)
    load_into(one, stored)
    load_into(two, again)
    for name, p in model.named_parameters():
        assert torch.equal(one.get_parameter(name), two.get_parameter(name))
        if name not in matrices(model) or bits == 32:
            assert torch.equal(one.get_parameter(name), p)
    if pruned:
        assert all((one.get_parameter(name)[~mask] == 0).all() for name, mask in masks.items())


def test_bert_tiny_takes_the_bytes_counted_by_hand_also_in_a_file(tmp_path):
    torch.manual_seed(0)
    model = registry.model("bert-tiny", vocabulary=4096, length=128)
    # token, position and segment tables; 4 + 8 square matrices in each of 2 blocks; the head
    entries = 128 * (4096 + 128 + 2) + 2 * 12 * 128**2 + 128**2
    rows = 4096 + 128 + 2 + 2 * (4 * 128 + 512 + 128) + 128
    vectors = sum(p.numel() for p in model.parameters()) - entries
    assert total_bytes(store(model)) == 4 * (entries + vectors)
    for bits in (4, 6, 8):
        assert total_bytes(store(model, bits)) == bits * entries / 8 + 8 * 16 + 4 * vectors
        assert total_bytes(store(model, bits, "channel")) == bits * entries / 8 + 8 * rows + 4 * vectors
    for stored in (store(model), store(model, 6), store(model, 6, masks=prune(model, 0.6))):
        save(stored, tmp_path / "small.safetensors")
        size = (tmp_path / "small.safetensors").stat().st_size
        assert total_bytes(stored) < size < total_bytes(stored) + 300 * len(stored)


W = torch.tensor([[1.0, 0.0]])
ALL_BITS = r"bits must be one of \(2, .*, 8, 32\), got"
NOT_FINITE = (math.nan, math.inf, -math.inf)
REFUSED = [
    *((lambda b=b: quantize(W, b), rf"bits must be one of \(2, .*8\), got {b}") for b in (1, 9, 32, 4.0, True, None)),
    (lambda: quantize(W, 4, "row"), r"per must be one of \('tensor', 'channel'\), got 'row'"),
    *((lambda x=x: quantize(torch.tensor([[1.0, x]]), 4), "w must be finite, has 1 entries") for x in NOT_FINITE),
    (lambda: sparsify(W, W), r"mask must be bool of shape \(1, 2\), got torch.float32 of \(1, 2\)"),
    (lambda: sparsify(W, torch.tensor([[False, True]])), "mask must prune zeros only, but 1 of the weights"),
    (lambda: sparsify(W, W.bool(), 16), f"{ALL_BITS} 16"),
    (lambda: store(small_model(), 9), f"{ALL_BITS} 9"),
    (lambda: store(small_model(), per="row"), r"per must be one of .* got 'row'"),
    (lambda: store(small_model(), masks=prune(small_model(), 0.5)), "0.weight: mask must prune zeros only"),
    (lambda: store(not_finite(small_model()), 4), "3.weight: w must be finite, has 1 entries"),
    (lambda: store(small_model(), masks={}), r"masks\['0.weight'\] is absent"),
    (
        lambda: load_into(nn.Linear(3, 3), store(small_model())),
        r"another model: 0.weight is \(20, 6\) there and absent here",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_wrong_input_to_storage_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_file_that_is_not_ours_is_refused(tmp_path):
    path = tmp_path / "other.safetensors"
    with pytest.raises(ValueError, match="other.safetensors cannot be read"):
        load(path)
    save_file({"w": torch.ones(2)}, path)
    with pytest.raises(ValueError, match="was not written by minilib.compress.save"):
        load(path)
    save(store(small_model(), 4), path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match="other.safetensors cannot be read"):
        load(path)
