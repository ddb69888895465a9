"""What the five programs beside this file train: a BERT of two layers with random weights, and rows drawn here.

A row is one token again and again, and a quarter of its places are hidden: who looks at the others can say what stands
there, who does not pays log(11). So nothing is downloaded, and a loss below that has learnt to look.
"""

import torch
from transformers import BertConfig, BertForMaskedLM

TOKENS, LENGTH = 11, 16


def model() -> BertForMaskedLM:
    """The same random weights each time."""
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    shape |= {"initializer_range": 0.1, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    return BertForMaskedLM(BertConfig(vocab_size=TOKENS + 1, max_position_embeddings=LENGTH, **shape))


def rows(count: int) -> list[dict]:
    """Rows of tokens and labels, each a dict, as collators take them; -100 stands where nothing is asked."""
    draw = torch.Generator().manual_seed(0)
    tokens = torch.randint(TOKENS, (count, 1), generator=draw).repeat(1, LENGTH)
    hidden = torch.rand(tokens.shape, generator=draw) < 0.25
    shown, labels = tokens.masked_fill(hidden, TOKENS), tokens.masked_fill(~hidden, -100)
    return [{"input_ids": x, "labels": y} for x, y in zip(shown, labels, strict=True)]
