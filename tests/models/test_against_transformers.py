"""With the same weights, logits, losses and gradients are those of the models in transformers, in float32."""

import pytest
import torch
import transformers

from minilib.models.bert import Bert, BertSize
from minilib.models.gpt2 import Gpt2, Gpt2Size
from minilib.models.hugging_face import to_ours
from minilib.models.t5 import T5, PositionBias, T5Size

V, T, B, K = 90, 24, 3, 5
SHAPE = {"layers": 2, "width": 32, "heads": 4, "vocabulary": V, "length": T}
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


def ids(*shape, high=V, seed=1):
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(seed))


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def gradients_are_the_same(ours, theirs):
    expected = to_ours(ours.size, {name: p.grad for name, p in theirs.named_parameters()})
    named = dict(ours.named_parameters())
    assert named.keys() == expected.keys()
    for name, p in named.items():
        torch.testing.assert_close(
            p.grad, expected[name], rtol=1e-5, atol=1e-5, msg=lambda m, name=name: f"{name}: {m}"
        )


def bert_config(**options):
    return transformers.BertConfig(
        vocab_size=V,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=T,
        pad_token_id=None,  # else row 0 of the token table gets no gradient, which is theirs and not published
        attn_implementation="eager",
        **options,
    )


def gpt2_config(**options):
    return transformers.GPT2Config(vocab_size=V, n_positions=T, n_embd=32, n_layer=2, n_head=4, **options)


def t5_config(**options):
    return transformers.T5Config(
        vocab_size=V,
        d_model=32,
        d_kv=8,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        **options,
    )


def bert_batch():
    """And the labels that transformers wants: -100 where nothing is predicted."""
    positions = torch.stack([torch.randperm(T, generator=torch.Generator().manual_seed(b))[:K] for b in range(B)])
    batch = {"tokens": ids(B, T), "positions": positions.sort().values, "targets": ids(B, K, seed=2)}
    return batch, torch.full((B, T), -100).scatter(1, batch["positions"], batch["targets"])


class TestBert:
    @pytest.fixture
    def pair(self):
        """With both heads."""
        ours, theirs = Bert(BertSize(**SHAPE, next_sentence=True)), transformers.BertForPreTraining(bert_config())
        return paired(ours, theirs)

    def test_logits_and_loss_of_hidden_tokens_are_the_same(self):
        theirs = transformers.BertForMaskedLM(bert_config())
        ours, theirs = paired(Bert(BertSize(**SHAPE)), theirs)
        batch, labels = bert_batch()
        out = theirs(batch["tokens"], labels=labels)
        close(ours.logits(batch), out.logits.take_along_dim(batch["positions"][:, :, None], dim=1))
        close(ours(batch).loss, out.loss)

    def test_loss_and_gradients_with_segments_and_next_sentence_are_the_same(self, pair):
        ours, theirs = pair
        batch, labels = bert_batch()
        batch |= {"segments": (torch.arange(T) > 9).long().expand(B, T), "next": torch.tensor([1, 0, 1])}
        out = theirs(
            batch["tokens"], token_type_ids=batch["segments"], labels=labels, next_sentence_label=batch["next"]
        )
        found = ours(batch)
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
        for same in (mask, mask.bool()):
            hidden = ours.hidden(tokens, segments, same)
            close(hidden, out.last_hidden_state)
            close(ours.pooled(hidden), out.pooler_output)

    def test_attention_maps_are_the_same(self, pair):
        ours, theirs = pair
        batch = {"tokens": ids(B, T), "segments": ids(B, T, high=2)}
        out = theirs(batch["tokens"], token_type_ids=batch["segments"], output_attentions=True)
        maps = ours.attention_maps(batch)
        assert maps.shape == (2, B, 4, T, T)
        close(maps, torch.stack(out.attentions))


class TestGpt2:
    def test_logits_loss_and_gradients_are_the_same(self):
        theirs = transformers.GPT2LMHeadModel(gpt2_config())
        ours, theirs = paired(Gpt2(Gpt2Size(**SHAPE)), theirs)
        batch = {"tokens": ids(B, T + 1)}
        # Theirs takes labels from the row itself and shifts them: the last token would be one too many to read.
        logits = theirs(batch["tokens"][:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch["tokens"][:, 1:].flatten())
        close(ours.logits(batch), logits)
        out = ours(batch)
        close(out.loss, loss)
        out.loss.backward()
        loss.backward()
        gradients_are_the_same(ours, theirs)

    def test_the_loss_is_that_which_transformers_takes_from_the_row_itself(self):
        theirs = transformers.GPT2LMHeadModel(gpt2_config())
        ours, theirs = paired(Gpt2(Gpt2Size(**SHAPE)), theirs)
        tokens = ids(B, T)
        close(ours({"tokens": tokens}).loss, theirs(tokens, labels=tokens).loss)


class TestT5:
    def test_logits_loss_and_gradients_are_the_same_at_all_distances(self):
        theirs = transformers.T5ForConditionalGeneration(t5_config())
        ours, theirs = paired(T5(T5Size(**SHAPE | {"length": LONG})), theirs)
        batch = {"tokens": ids(B, LONG), "targets": ids(B, LONG - 10, seed=2)}
        expected = theirs(batch["tokens"], labels=batch["targets"])
        close(ours.logits(batch), expected.logits)
        out = ours(batch)
        close(out.loss, expected.loss)
        out.loss.backward()
        expected.loss.backward()
        gradients_are_the_same(ours, theirs)

    @pytest.mark.parametrize("both_ways", [True, False])
    def test_every_distance_up_to_1023_is_in_the_same_range(self, both_ways):
        from transformers.models.t5.modeling_t5 import T5Attention

        ours = PositionBias(heads=1, both_ways=both_ways)
        with torch.no_grad():
            ours.table.weight.copy_(torch.arange(32.0)[:, None])
        place = torch.arange(1024)
        theirs = T5Attention._relative_position_bucket(place - place[:, None], bidirectional=both_ways)
        seen = torch.ones(1024, 1024, dtype=torch.bool) if both_ways else place <= place[:, None]
        assert torch.equal(ours(1024)[0, 0][seen], theirs[seen].float())


class TestDropout:
    """On a CPU both draw their masks in the order of the computation: the same seed drops the same numbers."""

    def same_in_training(self, ours, theirs, batch, logits):
        ours.train()
        theirs.train()
        torch.manual_seed(3)
        expected = logits(theirs)
        torch.manual_seed(3)
        close(ours.logits(batch), expected)
        assert (ours.eval().logits(batch) - expected).abs().max() > 0.1

    def test_bert_drops_where_transformers_does(self):
        config = bert_config(hidden_dropout_prob=0.2, attention_probs_dropout_prob=0.2)
        theirs = transformers.BertForMaskedLM(config)
        ours, theirs = paired(Bert(BertSize(**SHAPE, dropout=0.2)), theirs)
        batch = bert_batch()[0]
        chosen = batch["positions"][:, :, None]
        self.same_in_training(ours, theirs, batch, lambda m: m(batch["tokens"]).logits.take_along_dim(chosen, dim=1))

    def test_gpt2_drops_where_transformers_does(self):
        config = gpt2_config(attn_implementation="eager", resid_pdrop=0.2, embd_pdrop=0.2, attn_pdrop=0.2)
        theirs = transformers.GPT2LMHeadModel(config)
        ours, theirs = paired(Gpt2(Gpt2Size(**SHAPE, dropout=0.2)), theirs)
        batch = {"tokens": ids(B, T + 1)}
        self.same_in_training(ours, theirs, batch, lambda m: m(batch["tokens"][:, :-1]).logits)

    def test_t5_drops_where_transformers_does(self):
        theirs = transformers.T5ForConditionalGeneration(t5_config(attn_implementation="eager", dropout_rate=0.2))
        ours, theirs = paired(T5(T5Size(**SHAPE, dropout=0.2)), theirs)
        batch = {"tokens": ids(B, T), "targets": ids(B, 7, seed=2)}
        self.same_in_training(ours, theirs, batch, lambda m: m(batch["tokens"], labels=batch["targets"]).logits)
