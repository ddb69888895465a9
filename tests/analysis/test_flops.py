"""Operations of a training step, counted by hand: a product of (m, k) with (k, n) is 2 m k n."""

import torch

from minilib.analysis import flops
from minilib.models import registry


def batch(rows, **lengths):
    return {name: torch.zeros(rows, n, dtype=torch.int64) for name, n in lengths.items()}


def test_a_row_of_bert_costs_what_the_products_in_it_cost():
    length, chosen, width, vocabulary, layers = 16, 5, 128, 300, 2
    model = registry.model("bert-tiny", vocabulary=vocabulary, length=length)
    token = layers * (24 * width**2 + 4 * length * width)  # four matrices, two of four times the size; scores, mixing
    head = 2 * (width**2 + width * vocabulary)
    found = flops.per_row(model, batch(3, tokens=length, positions=chosen, targets=chosen))
    assert found == 3 * (length * token + chosen * head)  # backward is twice forward


def test_what_is_recomputed_is_counted_too():
    models = [registry.model("bert-tiny", vocabulary=64, length=8, checkpoint_activations=on) for on in (False, True)]
    plain, again = (flops.per_row(model, batch(1, tokens=8, positions=8, targets=8)) for model in models)
    assert again - plain == 8 * 2 * (24 * 128**2 + 4 * 8 * 128)  # the forward pass of the blocks
