"""Floating-point operations of a training step, counted by torch as it runs it on tensors that hold nothing."""

import copy

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def per_row(model: nn.Module, batch: dict) -> float:
    """Of the forward and backward pass of one row; `batch` is any batch of the model's. Products of matrices only.

    What is recomputed to save memory is counted too.
    """
    empty = copy.deepcopy(model).to("meta")
    rows = {name: torch.empty_like(t, device="meta") for name, t in batch.items()}
    with FlopCounterMode(display=False) as count:
        empty(rows).loss.backward()
    return count.get_total_flops() / len(next(iter(rows.values())))
