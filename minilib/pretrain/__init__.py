"""BERT, GPT-2 and T5 from scratch in PyTorch, and the engine that trains them: `python -m minilib.pretrain`."""
