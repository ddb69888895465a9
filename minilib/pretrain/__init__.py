"""BERT, GPT-2 and T5 from scratch in PyTorch, and the engine that trains them: `python -m minilib.pretrain`."""

from minilib import needs

with needs("train"):
    import safetensors  # noqa: F401
    import tokenizers  # noqa: F401
    import torch  # noqa: F401
