"""BERT, GPT-2 and T5 from scratch in PyTorch, and a small residual network for images."""
