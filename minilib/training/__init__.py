"""The loop that trains the models: `python -m minilib.training` pretrains; fine-tuning and translation beside it."""
