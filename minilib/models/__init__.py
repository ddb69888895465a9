"""BERT, GPT-2 and T5 from scratch in PyTorch, and a small residual network for images."""

from minilib import needs

with needs("torch"):
    import torch  # noqa: F401
