"""Operations of a training step, counted by hand: a product of (m, k) with (k, n) is 2 m k n."""

import torch

from minilib.analysis import flops
from minilib.models import registry


def test_a_row_of_bert_costs_what_the_products_in_it_cost():
    length, chosen, width, vocabulary, layers = 16, 5, 128, 300, 2
    model = registry.model("bert-tiny", vocabulary=vocabulary, length=length)
    some = {
        name: torch.zeros(3, n, dtype=torch.int64) for name, n in (("tokens", 16), ("positions", 5), ("targets", 5))
    }
    token = layers * (
        24 * width**2 + 4 * length * width
    )  # four matrices and two of four times the size; scores, mixing
    head = 2 * (width**2 + width * vocabulary)
    assert flops.per_row(model, some) == 3 * (length * token + chosen * head)  # backward is twice forward


def test_what_is_recomputed_is_counted_too():
    some = {name: torch.zeros(1, 8, dtype=torch.int64) for name in ("tokens", "positions", "targets")}
    plain, again = (
        flops.per_row(registry.model("bert-tiny", vocabulary=64, length=8, checkpoint_activations=on), some)
        for on in (False, True)
    )
    assert again - plain == 8 * 2 * (24 * 128**2 + 4 * 8 * 128)  # the forward pass of the blocks
