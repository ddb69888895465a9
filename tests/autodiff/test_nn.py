"""Layers against torch.nn with the same weights, and a two-layer transformer that learns from the docstring corpus."""

import numpy as np
import pytest
import torch

from minilib import data
from minilib.autodiff import (
    MLP,
    Embedding,
    EncoderBlock,
    LayerNorm,
    Linear,
    Module,
    SelfAttention,
    Tensor,
    TransformerEncoder,
    cross_entropy,
)
from minilib.optim import Adam


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def compare(ours, theirs, pairs, x):
    """Copy our weights into torch's module; outputs and all gradients of a weighted sum must then agree.

    `pairs` holds (our parameter, torch's, whether torch keeps it transposed).
    """
    for p, q, transposed in pairs:
        q.data = torch.tensor(p.data.T.copy() if transposed else p.data)
    y, z = ours(x), theirs(torch.tensor(x))
    np.testing.assert_allclose(y.data, z.detach().numpy(), rtol=1e-8, atol=1e-10)
    weights = np.random.default_rng(1).normal(size=y.shape)
    (y * weights).sum().backward()
    (z * torch.tensor(weights)).sum().backward()
    for p, q, transposed in pairs:
        g = q.grad.numpy()
        np.testing.assert_allclose(p.grad, g.T if transposed else g, rtol=1e-8, atol=1e-10)


def test_linear_equals_torch(rng):
    ours, theirs = Linear(4, 3, rng), torch.nn.Linear(4, 3, dtype=torch.float64)
    compare(
        ours, theirs, [(ours.weight, theirs.weight, True), (ours.bias, theirs.bias, False)], rng.normal(size=(2, 5, 4))
    )


def test_embedding_equals_torch(rng):
    ours, theirs = Embedding(7, 3, rng), torch.nn.Embedding(7, 3, dtype=torch.float64)
    compare(ours, theirs, [(ours.weight, theirs.weight, False)], np.array([[0, 6, 6], [2, 0, 6]]))


def test_layer_norm_equals_torch(rng):
    ours, theirs = LayerNorm(6), torch.nn.LayerNorm(6, dtype=torch.float64)
    ours.gain.data[:], ours.bias.data[:] = rng.normal(size=6), rng.normal(size=6)
    compare(
        ours, theirs, [(ours.gain, theirs.weight, False), (ours.bias, theirs.bias, False)], rng.normal(size=(2, 3, 6))
    )


def test_self_attention_equals_torch(rng):
    ours = SelfAttention(8, 2, rng)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    parts = [ours.query, ours.key, ours.value]
    theirs.in_proj_weight.data = torch.tensor(np.concatenate([p.weight.data.T for p in parts]))
    theirs.in_proj_bias.data = torch.tensor(np.concatenate([p.bias.data for p in parts]))
    theirs.out_proj.weight.data = torch.tensor(ours.output.weight.data.T.copy())
    theirs.out_proj.bias.data = torch.tensor(ours.output.bias.data)
    x = rng.normal(size=(2, 5, 8))
    leaf, torch_leaf = Tensor(x), torch.tensor(x, requires_grad=True)
    y, (z, _) = ours(leaf), theirs(torch_leaf, torch_leaf, torch_leaf)
    np.testing.assert_allclose(y.data, z.detach().numpy(), rtol=1e-10, atol=1e-12)
    (y * y).sum().backward()
    (z * z).sum().backward()
    np.testing.assert_allclose(leaf.grad, torch_leaf.grad.numpy(), rtol=1e-8, atol=1e-10)
    grads = np.concatenate([p.weight.grad.T for p in parts])
    np.testing.assert_allclose(grads, theirs.in_proj_weight.grad.numpy(), rtol=1e-8, atol=1e-10)


def test_encoder_block_gradients_equal_central_differences(rng):
    block, x = EncoderBlock(4, 2, rng), rng.normal(size=(2, 3, 4))
    weights = rng.normal(size=x.shape)
    (block(x_leaf := Tensor(x)) * weights).sum().backward()
    h = 1e-6
    for p in [x_leaf, *block.parameters()]:
        direction = rng.normal(size=p.shape)
        start, sides = p.data.copy(), []
        for sign in (1, -1):
            p.data[...] = start + sign * h * direction
            sides.append(float((block(x_leaf) * weights).sum().data))
            p.data[...] = start
        assert (p.grad * direction).sum() == pytest.approx((sides[0] - sides[1]) / (2 * h), rel=1e-6, abs=1e-7)


def test_parameters_are_found_through_lists_and_modules_with_dotted_names(rng):
    model = TransformerEncoder(11, 5, 4, layers=2, heads=2, rng=rng)
    names = [name for name, _ in model.named_parameters()]
    assert names[0] == "tokens.weight"
    assert "blocks.1.attention.query.weight" in names
    assert "blocks.0.mlp.layers.1.bias" in names
    assert len(set(names)) == len(names) == len(model.parameters())
    # embeddings (11 + 5) 4; a block 4 (4 4 + 4) + 2 8 + (4 16 + 16 + 16 4 + 4); final norm 8; output bias 11
    assert model.num_parameters() == 64 + 2 * (80 + 16 + 148) + 8 + 11


def test_picked_positions_equal_the_same_rows_of_all_logits(rng):
    model = TransformerEncoder(11, 5, 4, layers=1, heads=2, rng=rng, dtype=np.float64)
    ids = rng.integers(0, 11, (3, 5))
    every, some = model(ids).data.reshape(15, 11), model(ids, positions=np.array([0, 7, 14])).data
    np.testing.assert_allclose(some, every[[0, 7, 14]], rtol=1e-12)


def test_bad_shapes_are_refused(rng):
    with pytest.raises(ValueError, match="width must be a multiple of heads, got width 6 and heads 4"):
        SelfAttention(6, 4, rng)
    with pytest.raises(ValueError, match="at most 5, got 6"):
        TransformerEncoder(11, 5, 4, 1, 2, rng)(np.zeros((1, 6), int))


def test_mlp_is_a_module_of_linear_layers(rng):
    model = MLP([3, 4, 2], rng)
    assert isinstance(model, Module)
    x = rng.normal(size=(5, 3))
    hidden = np.maximum(x @ model.layers[0].weight.data, 0)
    np.testing.assert_allclose(model(x).data, hidden @ model.layers[1].weight.data)


def test_a_two_layer_transformer_learns_masked_words_from_the_docstrings(rng):
    text = data.docstrings().train[:1_500_000]
    vocabulary = data.Vocabulary(text, 256)
    ids = data.chunks(vocabulary.encode(text), 16)
    counts = np.bincount(ids.ravel(), minlength=256) / ids.size
    unigram_entropy = -(counts[counts > 0] * np.log(counts[counts > 0])).sum()
    model = TransformerEncoder(256, 16, 64, layers=2, heads=2, rng=rng)
    opt = Adam(model.named_parameters(), lr=3e-3)
    losses = []
    for _ in range(400):
        batch = ids[rng.integers(0, len(ids), 64)].copy()
        positions = np.sort(rng.choice(batch.size, 150, replace=False))
        targets = batch.ravel()[positions]
        batch.ravel()[positions] = vocabulary.mask
        loss = cross_entropy(model(batch, positions), targets)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(float(loss.data))
    # Knowing only how often each word occurs costs the unigram entropy; context must bring the loss below it.
    assert np.mean(losses[-50:]) < unigram_entropy - 0.15
