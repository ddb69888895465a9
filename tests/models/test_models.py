"""What holds for the models by themselves; that they are the published ones is in test_against_transformers.py."""

import math
from collections import Counter

import pytest
import torch
from torch import nn

from minilib.models.bert import Bert, BertSize
from minilib.models.gpt2 import Gpt2, Gpt2Size
from minilib.models.layers import score, sinusoids
from minilib.models.registry import model as named
from minilib.models.t5 import T5, PositionBias, T5Size
from tests.models.small import BATCHES, SHAPE, B, K, T, V, ids

FAMILIES = {"bert": (Bert, BertSize), "gpt2": (Gpt2, Gpt2Size), "t5": (T5, T5Size)}
every_family = pytest.mark.parametrize("family", FAMILIES)


def build(family, seed=0, **changes):
    torch.manual_seed(seed)
    make, size = FAMILIES[family]
    return make(size(**SHAPE | changes))


WITH_BOTH = BATCHES["bert"] | {"segments": ids(B, T, high=2), "next": torch.tensor([0, 1, 1])}


def gradients(model, batch):
    """The loss, and all gradients by name; a parameter without one is None."""
    model.zero_grad()
    loss = model(batch).loss
    loss.backward()
    return loss.detach(), {name: p.grad for name, p in model.named_parameters()}


class TestLoss:
    @pytest.mark.parametrize(("dtype", "rtol"), [(torch.float32, 1e-5), (torch.bfloat16, 1e-2)])
    @pytest.mark.parametrize("spread", [0.1, 10.0, 1e4])
    def test_loss_and_gradient_are_those_of_torch_scored_in_32_bits(self, dtype, rtol, spread):
        draw = torch.Generator().manual_seed(0)
        ours = (spread * torch.randn(6, 7, V, generator=draw)).to(dtype).requires_grad_()
        theirs, targets = ours.detach().float().requires_grad_(), ids(6, 7)
        out = score(ours, targets)
        expected = nn.functional.cross_entropy(theirs.flatten(0, 1), targets.flatten())
        assert out.loss.dtype == out.correct.dtype == torch.float32
        torch.testing.assert_close(out.loss, expected)
        (3 * out.loss).backward()
        (3 * expected).backward()
        assert ours.grad.dtype == dtype
        torch.testing.assert_close(ours.grad, theirs.grad.to(dtype), atol=1e-9, rtol=rtol)

    def test_the_share_of_right_guesses_is_that_of_the_largest_logits(self):
        logits = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5], [0.2, 0.5, 0.3]])
        assert score(logits, torch.tensor([0, 2, 2, 1])).correct == 0.75

    def test_what_the_loss_cannot_do_is_refused(self):
        logits = torch.randn(4, V, requires_grad=True)
        loss = score(logits, ids(4)).loss
        loss.backward(retain_graph=True)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        loss = torch.ones((), requires_grad=True) * score(logits, ids(4)).loss
        (slope,) = torch.autograd.grad(loss, logits, create_graph=True)
        with pytest.raises(RuntimeError, match="once_differentiable"):
            slope.sum().backward()


class TestWeights:
    @every_family
    def test_initialise_after_the_same_seed_gives_the_weights_of_a_new_model(self, family):
        model, new = build(family), build(family, seed=7)
        for p in model.parameters():
            nn.init.constant_(p, math.nan)
        torch.manual_seed(7)
        new.initialise()
        torch.manual_seed(7)
        model.initialise()
        assert all(torch.equal(p, new.get_parameter(name)) for name, p in model.named_parameters())

    @pytest.mark.parametrize(
        ("name", "deviations"),
        [
            ("bert-tiny", {"tokens": 0.02, "positions": 0.02, "query": 0.02, "output": 0.02, "down": 0.02, "0": 0.02}),
            ("gpt2", {"tokens": 0.02, "positions": 0.01, "query": 0.02, "up": 0.02, "output": 0.01, "down": 0.01}),
            (
                "t5-small",
                {"tokens": 1.0, "query": (128 * 64) ** -0.5, "key": 128**-0.5, "value": 128**-0.5}
                | {"output": 128**-0.5, "up": 128**-0.5, "down": 512**-0.5, "table": 128**-0.5},
            ),
        ],
    )
    def test_weights_are_drawn_with_the_published_deviations(self, name, deviations):
        torch.manual_seed(0)
        more = {"published_weights": True} if name == "bert-tiny" else {}
        model = named(name, layers=2, width=128, heads=2, vocabulary=500, length=100, **more)
        seen = Counter()
        for full, p in model.named_parameters():
            kind = full.split(".")[-2] if "." in full else full
            if kind in deviations and p.ndim == 2:
                seen[kind] += 1
                noise = 6 * deviations[kind] / math.sqrt(2 * p.numel())
                assert p.std().item() == pytest.approx(deviations[kind], abs=noise), full
                assert abs(p.mean().item()) < 6 * deviations[kind] / math.sqrt(p.numel()), full
            elif p.ndim == 1:
                assert torch.equal(p, torch.full_like(p, float(full.endswith("weight")))), full
        assert seen.keys() == deviations.keys()

    @pytest.mark.parametrize(("width", "deviation"), [(768, 0.02), (192, 0.04)])
    def test_berts_own_weights_keep_the_published_deviation_at_the_width_of_bert_base(self, width, deviation):
        torch.manual_seed(0)
        model = named("bert-tiny", layers=1, width=width, heads=2, vocabulary=500, length=100)
        assert model.blocks[0].attention.query.weight.std().item() == pytest.approx(deviation, rel=0.02)
        assert model.tokens.weight.std().item() == pytest.approx(deviation, rel=0.02)
        assert model.positions.weight.square().mean().sqrt().item() == pytest.approx(deviation, rel=1e-5)

    def test_the_position_table_begins_as_waves_whose_products_depend_on_the_distance_alone(self):
        table = sinusoids(50, 32)
        products = table @ table.T
        for k in range(50):
            along = products.diagonal(k)
            assert torch.allclose(along, along[0].expand_as(along), atol=1e-4)
        assert products[0, 1] > products[0, 5] > 0


def test_the_head_runs_on_the_chosen_positions_only():
    model, seen = build("bert"), []
    model.head.register_forward_hook(lambda module, inputs, out: seen.append(out.shape))
    model(BATCHES["bert"])
    assert seen == [(B, K, 32)]


@pytest.mark.parametrize(("family", "eps"), [("bert", 1e-12), ("gpt2", 1e-5), ("t5", 1e-6)])
def test_epsilon_is_the_published_one_in_every_norm(family, eps):
    norms = [m for m in build(family).modules() if isinstance(m, (nn.LayerNorm, nn.RMSNorm))]
    # two or three a block in one or two stacks, and one more at an end of each; BERT's head has another
    assert len(norms) == {"bert": 2 * 2 + 2, "gpt2": 2 * 2 + 1, "t5": 2 * 2 + 2 * 3 + 2}[family]
    assert {norm.eps for norm in norms} == {eps}


class TestHowItRuns:
    @every_family
    @pytest.mark.parametrize("dropout", [0.0, 0.3])
    def test_recomputed_activations_give_the_same_loss_and_gradients(self, family, dropout):
        results, passes = [], Counter()
        for recompute in (False, True):
            model = build(family, dropout=dropout, checkpoint_activations=recompute)
            model.blocks[0].register_forward_pre_hook(lambda *_, key=recompute: passes.update([key]))
            torch.manual_seed(5)
            results.append(gradients(model, BATCHES[family]))
        assert passes == {False: 1, True: 2}
        torch.testing.assert_close(*results, rtol=0, atol=0)

    @every_family
    def test_bf16_autocast_is_near_float32(self, family):
        model, batch = build(family), BATCHES[family]
        loss, grads = gradients(model, batch)
        with torch.autocast("cpu", torch.bfloat16):
            assert model.logits(batch).dtype == torch.bfloat16
            near, rough = gradients(model, batch)
        assert near.dtype == torch.float32
        assert near.item() == pytest.approx(loss.item(), rel=0.01)
        assert not torch.equal(near, loss)
        exact, approximate = (torch.cat([g.flatten() for g in all.values()]) for all in (grads, rough))
        # bfloat16 rounds by up to 1/256, and a signal is rounded some thirty times on its way there and back: T5's
        # gradients, whose table is not small, are off by 3 %.
        assert (exact - approximate).norm() < 0.05 * exact.norm()

    # All families recompute in the same lines: one goes without.
    @pytest.mark.parametrize(("name", "recompute"), [("bert-tiny", True), ("gpt2", False), ("t5-small", True)])
    def test_loss_and_gradients_compile_into_one_graph(self, name, recompute):
        torch._dynamo.reset()
        torch.manual_seed(0)
        small = {"vocabulary": V, "length": T, "checkpoint_activations": recompute}
        model = named(name, **small, **({} if name == "bert-tiny" else {"layers": 2, "width": 32, "heads": 4}))
        batch = BATCHES[name.split("-")[0]]
        plain = gradients(model, batch)
        model.compile(fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(gradients(model, batch), plain, rtol=1e-4, atol=1e-6)

    def test_no_number_is_read_back_from_the_device(self):
        runs = [(build(family), BATCHES[family]) for family in FAMILIES]
        runs.append((build("bert", next_sentence=True), WITH_BOTH))
        for model, batch in runs:  # on the meta device are no numbers
            loss = model.to("meta")({name: t.to("meta") for name, t in batch.items()}).loss
            loss.backward()
            assert loss.is_meta

    @pytest.mark.parametrize("both_ways", [True, False])
    def test_t5s_bias_lies_in_memory_as_cudas_fused_attention_wants_it(self, both_ways):
        bias = PositionBias(3, both_ways)(7)
        assert bias.shape == (1, 3, 7, 7)
        for dtype in (torch.float32, torch.bfloat16):  # the second is what autocast makes of it
            assert bias.to(dtype).stride(-1) == 1  # "GPU backends require ...", says sdp_utils_cpp.h of PyTorch


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("bert", {"tokens": ids(B, T + 1)}, "tokens must have at most 24 tokens a row.*got 25"),
        ("bert", {"tokens": None}, r"tokens must be torch.int64 of shape \(any, any\), got NoneType"),
        ("bert", {"tokens": ids(T)}, r"tokens must be .* of shape \(any, any\), got torch.int64 of shape \(24,\)"),
        ("bert", {"tokens": ids(B, T).float()}, "tokens must be torch.int64.* got torch.float32"),
        ("bert", {"tokens": ids(B, 0)}, r"tokens must be .* got shape \(3, 0\)"),
        ("bert", {"positions": ids(B + 1, K)}, r"positions must be .* of shape \(3, any\), got shape \(4, 5\)"),
        ("bert", {"targets": ids(B, K + 1)}, r"targets must be .* of shape \(3, 5\), got shape \(3, 6\)"),
        ("bert", {"segments": ids(B, T - 1)}, r"segments must be .* of shape \(3, 24\), got shape \(3, 23\)"),
        ("bert", {"next": ids(B)}, "no pooler and no next-sentence head: build it with next_sentence=True"),
        ("gpt2", {"tokens": ids(B, T + 2)}, "tokens to guess from must have at most 24 tokens a row.*got 25"),
        ("gpt2", {"tokens": ids(B, 1)}, r"tokens to guess from must be .* got shape \(3, 0\)"),
        ("gpt2", {"tokens": ids(B, T, 1)}, r"tokens must be .* of shape \(any, any\)"),
        ("t5", {"tokens": ids(B, T + 1)}, "tokens must have at most 24 tokens a row.*got 25"),
        ("t5", {"targets": ids(B, T + 1)}, "targets must have at most 24 tokens a row.*got 25"),
        ("t5", {"targets": ids(B - 1, 7)}, r"targets must be .* of shape \(3, any\), got shape \(2, 7\)"),
    ],
)
def test_a_wrong_batch_is_named_with_what_it_may_be(family, changes, message):
    with pytest.raises(ValueError, match=message):
        build(family)(BATCHES[family] | changes)


@pytest.mark.parametrize("changes", [{}, {"modern": True}, {"checkpoint_activations": True}])
def test_padding_is_neither_seen_nor_computed(changes):
    model, tokens = build("bert", **changes).double(), ids(3, 9)
    lengths, computed = (9, 4, 1), []
    model.blocks[0].feed_forward.register_forward_hook(lambda part, x, y: computed.append(tuple(y.shape)))
    mask = torch.arange(9) < torch.tensor(lengths)[:, None]
    model.hidden(tokens, mask=mask)[mask].square().sum().backward()
    assert set(computed) == {(sum(lengths), SHAPE["width"])}
    together = {name: p.grad for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    one_by_one = [model.hidden(row[None, :n]) for row, n in zip(tokens, lengths, strict=True)]
    sum(hidden.square().sum() for hidden in one_by_one).backward()
    for name, p in model.named_parameters():
        if name in together:
            torch.testing.assert_close(p.grad, together[name], rtol=1e-10, atol=1e-12)
    found = model.hidden(tokens, mask=mask)
    for row, n, alone in zip(found, lengths, one_by_one, strict=True):
        torch.testing.assert_close(row[:n], alone[0], rtol=1e-10, atol=1e-12)


def test_next_has_one_entry_a_row_and_a_mask_the_shape_of_the_tokens():
    model, tokens = build("bert", next_sentence=True), ids(B, T)
    with pytest.raises(ValueError, match=r"next must be torch.int64 of shape \(3\), got shape \(4,\)"):
        model(WITH_BOTH | {"next": ids(B + 1, high=2)})
    with pytest.raises(ValueError, match=r"mask must be torch.int64 or torch.bool of shape \(3, 24\)"):
        model.hidden(tokens, mask=torch.ones(T, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"mask must be torch.int64 or torch.bool .* got torch.float32"):
        model.hidden(tokens, mask=torch.ones(B, T))
