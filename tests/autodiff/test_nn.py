"""Layers against torch.nn with the same weights; that the encoder learns is tested with the tasks."""

import numpy as np
import pytest
import torch

from minilib.autodiff import MLP, Embedding, LayerNorm, Linear, SelfAttention, Tensor, TransformerEncoder


@pytest.fixture
def rng():
    return np.random.default_rng(0)


RNG = np.random.default_rng(2)
IDS = np.array([[0, 6, 6], [2, 0, 6]])
# ours, torch's, how ours call the parameters that torch calls weight and bias, and what goes in
LAYERS = {
    "linear": (Linear(4, 3, RNG), torch.nn.Linear(4, 3), ("weight", "bias"), RNG.normal(size=(2, 5, 4))),
    "embedding": (Embedding(7, 3, RNG), torch.nn.Embedding(7, 3), ("weight",), IDS),
    "layer norm": (LayerNorm(6), torch.nn.LayerNorm(6), ("gain", "bias"), RNG.normal(size=(2, 3, 6))),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_and_its_gradients_equal_torchs(name, rng):
    ours, theirs, names, x = LAYERS[name]
    theirs.double()
    pairs = [(getattr(ours, own), getattr(theirs, its)) for own, its in zip(names, ("weight", "bias"), strict=False)]
    turn = np.transpose if name == "linear" else np.asarray  # torch's weight is the transpose
    for p, q in pairs:
        p.data[:] = rng.normal(size=p.shape)
        q.data = torch.tensor(turn(p.data).copy())
    y, z = ours(x), theirs(torch.tensor(x))
    np.testing.assert_allclose(y.data, z.detach().numpy(), rtol=1e-8, atol=1e-10)
    weights = rng.normal(size=y.shape)
    (y * weights).sum().backward()
    (z * torch.tensor(weights)).sum().backward()
    for p, q in pairs:
        np.testing.assert_allclose(turn(p.grad), q.grad.numpy(), rtol=1e-8, atol=1e-10)


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


def test_gradients_of_an_encoder_of_two_blocks_equal_central_differences(rng):
    model = TransformerEncoder(7, 3, 4, layers=2, heads=2, rng=rng, dtype=np.float64)
    ids, weights = rng.integers(0, 7, (2, 3)), rng.normal(size=(2, 3, 7))
    (model(ids) * weights).sum().backward()
    h = 1e-6
    for p in model.parameters():
        direction = rng.normal(size=p.shape)
        start, sides = p.data.copy(), []
        for sign in (1, -1):
            p.data[...] = start + sign * h * direction
            sides.append(float((model(ids) * weights).sum().data))
            p.data[...] = start
        assert (p.grad * direction).sum() == pytest.approx((sides[0] - sides[1]) / (2 * h), rel=1e-6, abs=1e-7)


def test_parameters_are_found_through_lists_and_modules_with_dotted_names(rng):
    model = TransformerEncoder(11, 5, 4, layers=2, heads=2, rng=rng)
    names = [name for name, _ in model.named_parameters()]
    assert names[0] == "tokens.weight"
    assert {"blocks.1.attention.query.weight", "blocks.0.mlp.layers.1.bias"} <= set(names)
    assert len(set(names)) == len(names) == len(model.parameters())
    # embeddings (11 + 5) 4; a block 4 (4 4 + 4) + 2 8 + (4 16 + 16 + 16 4 + 4); final norm 8; output bias 11
    assert model.num_parameters() == 64 + 2 * (80 + 16 + 148) + 8 + 11


def test_picked_positions_equal_the_same_rows_of_all_logits(rng):
    model = TransformerEncoder(11, 5, 4, layers=1, heads=2, rng=rng, dtype=np.float64)
    ids, picked = rng.integers(0, 11, (3, 5)), np.array([0, 7, 14])
    np.testing.assert_allclose(model(ids, picked).data, model(ids).data.reshape(15, 11)[picked], rtol=1e-12)


def test_bad_shapes_are_refused(rng):
    with pytest.raises(ValueError, match="width must be a multiple of heads, got width 6 and heads 4"):
        SelfAttention(6, 4, rng)
    with pytest.raises(ValueError, match="at most 5, got 6"):
        TransformerEncoder(11, 5, 4, 1, 2, rng)(np.zeros((1, 6), int))


def test_mlp_is_linear_layers_with_an_activation_between_them(rng):
    model, x = MLP([3, 4, 2], rng), rng.normal(size=(5, 3))
    hidden = np.maximum(x @ model.layers[0].weight.data, 0)
    np.testing.assert_allclose(model(x).data, hidden @ model.layers[1].weight.data)
