"""From a text to batches: corpora, tokenizer, packed rows, objectives, and which rows are in which batch."""
