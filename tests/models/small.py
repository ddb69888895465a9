"""The sizes of small models of each family, and a batch for each."""

import torch

V, T, B, K = 90, 24, 3, 5  # tokens that there are, a row's, rows, hidden tokens of a row
SHAPE = {"layers": 2, "width": 32, "heads": 4, "vocabulary": V, "length": T}


def ids(*shape, high=V, seed=1):
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(seed))


POSITIONS = torch.stack([torch.randperm(T, generator=torch.Generator().manual_seed(b))[:K] for b in range(B)])
BATCHES = {
    "bert": {"tokens": ids(B, T), "positions": POSITIONS, "targets": ids(B, K, seed=2)},
    "gpt2": {"tokens": ids(B, T)},
    "t5": {"tokens": ids(B, T), "targets": ids(B, 7, seed=2)},
}
