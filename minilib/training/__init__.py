"""The loop that trains the models: `python -m minilib.training` pretrains; fine-tuning beside it."""

from minilib import needs

with needs("train"):
    import safetensors  # noqa: F401
    import tokenizers  # noqa: F401
    import torch  # noqa: F401
