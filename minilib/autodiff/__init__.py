"""Reverse-mode differentiation over NumPy arrays (`tensor`), and layers built on it (`nn`)."""

from minilib.autodiff.nn import (
    MLP,
    Embedding,
    EncoderBlock,
    LayerNorm,
    Linear,
    Module,
    SelfAttention,
    TransformerEncoder,
)
from minilib.autodiff.tensor import Tensor, cross_entropy, log_softmax, softmax

__all__ = [
    "MLP",
    "Embedding",
    "EncoderBlock",
    "LayerNorm",
    "Linear",
    "Module",
    "SelfAttention",
    "Tensor",
    "TransformerEncoder",
    "cross_entropy",
    "log_softmax",
    "softmax",
]
