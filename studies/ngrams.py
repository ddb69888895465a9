"""The rivals that count: tables of single tokens, pairs and triples, and what they lose on held-out rows.

A loss of a language model means little without one: what does a table reach that is counted in seconds? Each table
falls back on the shorter one by absolute discounting: every count gives up 0.75, and what is given up goes to what the
shorter table expects (Ney, Essen and Kneser 1994 tell why; their better lower tables are deliberately absent, and so
are tables of four tokens and more).
"""

import numpy as np

DISCOUNT = 0.75


def next_token_losses(train: np.ndarray, held_out: np.ndarray, vocabulary: int) -> dict[str, float]:
    """Mean loss in nats of guessing each token of `held_out` (M, T) but the first of a row, counted on `train` (N, T).

    "unigram" looks at nothing, "pairs" at the token before, "triples" at the two before, where a row has two. Memory
    is some 50 bytes for each token of `train`.

    Raises:
        ValueError: not two-dimensional, rows shorter than 2, no rows, or a token outside of the vocabulary.
    """
    train, held_out = (np.asarray(rows) for rows in (train, held_out))
    for name, rows in (("train", train), ("held_out", held_out)):
        if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2:
            raise ValueError(f"{name} has shape {rows.shape}: must be rows of two tokens or more")
        if not 0 <= rows.min() <= rows.max() < vocabulary:
            raise ValueError(f"{name} has tokens from {rows.min()} to {rows.max()}: must be 0 to {vocabulary - 1}")
    train, held_out = train.astype(np.int64), held_out.astype(np.int64)
    counts = np.bincount(train.ravel(), minlength=vocabulary) + 0.1  # no token is impossible
    unigram = (counts / counts.sum())[held_out[:, 1:]]
    # A context is one number: a for the token before, a V + b for the two before.
    pairs = discounted(train[:, :-1], train[:, 1:], held_out[:, :-1], held_out[:, 1:], unigram, vocabulary)
    before = train[:, :-2] * vocabulary + train[:, 1:-1], held_out[:, :-2] * vocabulary + held_out[:, 1:-1]
    triples = pairs.copy()  # the second token of a row has one token before it
    triples[:, 1:] = discounted(before[0], train[:, 2:], before[1], held_out[:, 2:], pairs[:, 1:], vocabulary)
    tables = {"unigram": unigram, "pairs": pairs, "triples": triples}
    return {name: float(-np.log(p).mean()) for name, p in tables.items()}


def discounted(contexts, tokens, asked, answers, shorter, vocabulary: int) -> np.ndarray:
    """The chance of each of `answers` after each of `asked`, counted from `tokens` after `contexts`.

    Where a context was never seen it is `shorter`, the chance that the shorter table gives.
    """
    keys, counts = np.unique(contexts.ravel() * vocabulary + tokens.ravel(), return_counts=True)
    seen, first, kinds = np.unique(keys // vocabulary, return_index=True, return_counts=True)
    totals = np.add.reduceat(counts, first) if len(counts) else counts

    def look_up(where, values, what):
        if not len(where):
            return np.zeros(what.shape, dtype=np.int64)
        place = np.searchsorted(where, what).clip(max=len(where) - 1)
        return np.where(where[place] == what, values[place], 0)

    total, kind = look_up(seen, totals, asked), look_up(seen, kinds, asked)
    count = look_up(keys, counts, asked * vocabulary + answers)
    given_up = DISCOUNT * kind * shorter
    return np.where(total > 0, (np.maximum(count - DISCOUNT, 0) + given_up) / np.maximum(total, 1), shorter)
