"""With the same weights, logits, losses and gradients are those of the models in transformers, in float32."""

import pytest
import torch
import transformers
from transformers.models.t5.modeling_t5 import T5Attention

from minilib.models.bert import Bert, BertSize
from minilib.models.gpt2 import Gpt2, Gpt2Size
from minilib.models.hugging_face import to_ours
from minilib.models.t5 import T5, PositionBias, T5Size
from tests.models.small import BATCHES, SHAPE, B, T, V, ids

LONG = 160  # T5: so that the farthest distances, from 128 on, occur


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def paired(ours, theirs):
    """Both models with the same weights, drawn so that no norm, bias or head is the neutral one of a fresh model."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in theirs.parameters():
            p += 0.1 * torch.randn(p.shape, generator=generator)
    ours.load_state_dict(to_ours(ours.size, dict(theirs.named_parameters())))
    return ours.eval(), theirs.eval()


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def gradients_are_the_same(ours, theirs):
    expected = {name: p.grad for name, p in theirs.named_parameters()}
    expected = of_modern(expected) if getattr(ours.size, "modern", False) else to_ours(ours.size, expected)
    named = dict(ours.named_parameters())
    assert named.keys() == expected.keys()
    for name, p in named.items():
        assert torch.allclose(p.grad, expected[name], rtol=1e-5, atol=1e-5), name


def bert(head=transformers.BertForMaskedLM, dropout=0.0, **options):
    """Ours and theirs, with the same weights."""
    config = transformers.BertConfig(
        vocab_size=V, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        max_position_embeddings=T, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout,
        pad_token_id=None,  # else row 0 of the token table gets no gradient, which is theirs and not published
        attn_implementation="eager",
    )  # fmt: skip
    return paired(Bert(BertSize(**SHAPE, dropout=dropout, **options)), head(config))


def modern_bert():
    """Theirs with attention to the whole row in every layer."""
    config = transformers.ModernBertConfig(
        vocab_size=V, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=80,
        max_position_embeddings=T, pad_token_id=None, layer_types=["full_attention"] * 2, attn_implementation="eager",
    )  # fmt: skip
    theirs, ours = transformers.ModernBertForMaskedLM(config), Bert(BertSize(**SHAPE, modern=True))
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for p in theirs.parameters():
            p += 0.1 * torch.randn(p.shape, generator=generator)
    ours.load_state_dict(of_modern(dict(theirs.named_parameters())))
    return ours.eval(), theirs.eval()


MODERN = {"model.embeddings.tok_embeddings": "tokens", "model.embeddings.norm": "norm", "model.final_norm": "last"}
MODERN |= {"head.dense": "head.0", "head.norm": "head.2", "attn.Wo": "attention.output", "attn_norm": "norm1"}
MODERN |= {"model.layers": "blocks", "mlp.Wo": "feed_forward.down", "mlp_norm": "norm2", "decoder.bias": "bias"}
JOINED = {"attn.Wqkv": ("query", "key", "value"), "mlp.Wi": ("up", "gate")}


def of_modern(theirs):
    """ModernBERT's tensors under our names."""
    ours = {}
    for name, t in theirs.items():
        for old, parts in JOINED.items():
            if old in name:
                place = name.replace(old, "attention.{}" if "attn" in old else "feed_forward.{}")
                ours |= {place.format(part): third for part, third in zip(parts, t.chunk(len(parts)), strict=True)}
                break
        else:
            ours[name] = t
    for old, new in MODERN.items():
        ours = {name.replace(old, new): t for name, t in ours.items()}
    return ours


def gpt2(dropout=0.0):
    drops = {"resid_pdrop": dropout, "embd_pdrop": dropout, "attn_pdrop": dropout}
    config = transformers.GPT2Config(
        vocab_size=V, n_positions=T, n_embd=32, n_layer=2, n_head=4, attn_implementation="eager", **drops
    )
    return paired(Gpt2(Gpt2Size(**SHAPE, dropout=dropout)), transformers.GPT2LMHeadModel(config))


def t5(dropout=0.0):
    config = transformers.T5Config(
        vocab_size=V, d_model=32, d_kv=8, d_ff=128, num_layers=2, num_heads=4, decoder_start_token_id=0,
        dropout_rate=dropout, attn_implementation="eager",
    )  # fmt: skip
    ours = T5(T5Size(**SHAPE | {"length": LONG}, dropout=dropout))
    return paired(ours, transformers.T5ForConditionalGeneration(config))


MASKED, CAUSAL = BATCHES["bert"], BATCHES["gpt2"]
SPANS = {"tokens": ids(B, LONG), "targets": ids(B, LONG - 10, seed=2)}
LABELS = torch.full((B, T), -100).scatter(1, MASKED["positions"], MASKED["targets"])  # -100: nothing is predicted


def of_bert(theirs):
    out = theirs(MASKED["tokens"], labels=LABELS)
    return out.logits.take_along_dim(MASKED["positions"][:, :, None], dim=1), out.loss


def of_gpt2(theirs):
    # It takes labels from the row itself and shifts them.
    return theirs(CAUSAL["tokens"][:, :-1]).logits, theirs(CAUSAL["tokens"], labels=CAUSAL["tokens"]).loss


def of_t5(theirs):
    out = theirs(SPANS["tokens"], labels=SPANS["targets"])
    return out.logits, out.loss


MODERN_CASE = {"modern bert": (modern_bert, MASKED, of_bert)}
FAMILIES = {"bert": (bert, MASKED, of_bert), "gpt2": (gpt2, CAUSAL, of_gpt2), "t5": (t5, SPANS, of_t5)}


@pytest.mark.parametrize("family", FAMILIES | MODERN_CASE)
def test_logits_loss_and_gradients_are_the_same(family):
    make, batch, of_theirs = (FAMILIES | MODERN_CASE)[family]
    ours, theirs = make()
    logits, loss = of_theirs(theirs)
    close(ours.logits(batch), logits)
    found = ours(batch)
    close(found.loss, loss)
    found.loss.backward()
    loss.backward()
    gradients_are_the_same(ours, theirs)


@pytest.mark.parametrize("family", FAMILIES)
def test_ours_drops_where_transformers_does_and_only_in_training(family):
    """On a CPU both draw their masks in the order of the computation: the same seed drops the same numbers."""
    make, batch, of_theirs = FAMILIES[family]
    ours, theirs = (model.train() for model in make(dropout=0.2))
    torch.manual_seed(3)
    expected, _ = of_theirs(theirs)
    torch.manual_seed(3)
    close(ours.logits(batch), expected)
    assert (ours.logits(batch) - expected).abs().max() > 0.1  # drawn anew
    plain, _ = make()
    plain.load_state_dict(ours.state_dict())
    assert torch.equal(ours.eval().logits(batch), plain.logits(batch))


class TestBertWithBothHeads:
    @pytest.fixture
    def pair(self):
        return bert(transformers.BertForPreTraining, next_sentence=True)

    def test_loss_and_gradients_with_segments_and_next_sentence_are_the_same(self, pair):
        ours, theirs = pair
        batch = MASKED | {"segments": (torch.arange(T) > 9).long().expand(B, T), "next": torch.tensor([1, 0, 1])}
        more = {"token_type_ids": batch["segments"], "next_sentence_label": batch["next"]}
        out, found = theirs(batch["tokens"], labels=LABELS, **more), ours(batch)
        close(found.loss, out.loss)
        guesses = out.prediction_logits.argmax(-1).gather(1, batch["positions"])
        assert found.correct == (guesses == batch["targets"]).float().mean()  # of the tokens, not of the sentences
        found.loss.backward()
        out.loss.backward()
        gradients_are_the_same(ours, theirs)

    def test_hidden_states_and_pooled_with_segments_and_padding_are_the_same(self, pair):
        ours, theirs = pair
        tokens, segments = ids(B, T), ids(B, T, high=2)
        mask = (torch.arange(T) < torch.tensor([[T], [7], [1]])).long()
        out = theirs.bert(tokens, attention_mask=mask, token_type_ids=segments)
        seen = mask.bool()
        for same in (mask, seen):
            hidden = ours.hidden(tokens, segments, same)
            close(hidden[seen], out.last_hidden_state[seen])
            close(ours.pooled(hidden), out.pooler_output)

    def test_attention_maps_are_the_same(self, pair):
        ours, theirs = pair
        batch = {"tokens": ids(B, T), "segments": ids(B, T, high=2)}
        out = theirs(batch["tokens"], token_type_ids=batch["segments"], output_attentions=True)
        close(ours.attention_maps(batch), torch.stack(out.attentions))


@pytest.mark.parametrize("both_ways", [True, False])
def test_every_distance_up_to_1023_is_in_t5s_range(both_ways):
    ours = PositionBias(heads=1, both_ways=both_ways)
    with torch.no_grad():
        ours.table.weight.copy_(torch.arange(32.0)[:, None])
    place = torch.arange(1024)
    theirs = T5Attention._relative_position_bucket(place - place[:, None], bidirectional=both_ways)
    seen = torch.ones(1024, 1024, dtype=torch.bool) if both_ways else place <= place[:, None]
    assert torch.equal(ours(1024)[0, 0][seen], theirs[seen].float())
