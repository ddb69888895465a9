"""What a model has to predict: masked tokens, the next token, dropped spans, and whether two segments belong together.

Everything random about a sample is a function of a seed and of the sample's number: not of its batch, its process or
what was drawn before. A generator with a counter (Philox; Salmon et al. 2011) gives that at the price of an ordinary
one. Samples of one batch have consecutive numbers, of which `first` is the first. All shapes are fixed by the settings.

Sources: Devlin et al. 2019 (masks, pairs), Cui et al. 2021 (whole words), Raffel et al. 2020 (spans).
Deliberately absent: padding, and pairs of whole sentences (segments are cut where the row asks for it).
"""

import numpy as np

from minilib.data.tokenizer import Tokenizer

MASK_SHARE, RANDOM_SHARE = 0.8, 0.1  # of the chosen tokens; the rest stays as it is
MASKS, SPANS, PAIRS = range(3)  # what is drawn: each has a stream of its own


def uniforms(seed: int, purpose: int, first: int, count: int, width: int) -> np.ndarray:
    """(count, width) uniform on [0, 1): row i is a function of seed, purpose and the sample's number first + i."""
    blocks = -(-width // 4)  # one value of the counter gives four numbers
    bits = np.random.Philox(key=(purpose << 64) + seed, counter=first * blocks)
    return np.random.Generator(bits).random((count, 4 * blocks))[:, :width]


def smallest(scores: np.ndarray, k: int) -> np.ndarray:
    """(B, k) where the k smallest scores of each row are, in the order of the row; of equal ones the first."""
    return np.sort(np.argsort(scores, axis=1, kind="stable")[:, :k], axis=1)


# ---- Masked tokens (BERT) --------------------------------------------------------------------------------------------


def masked_count(length: int, rate: float) -> int:
    """K, the number of tokens that are predicted in each row. ValueError: the rate gives none or all."""
    k = round(rate * length)
    if not 0 < k < length:
        raise ValueError(f"rate = {rate}: must choose from 1 to {length - 1} of {length} tokens, chooses {k}")
    return k


def mask_tokens(
    tokens: np.ndarray, first: int, *, is_special: np.ndarray, mask: int, rate: float, seed: int, continues=None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose K ordinary tokens of each row: 80 % become [MASK], 10 % a random ordinary token, 10 % stay.

    Args:
        tokens: (B, T) numbers, of the samples `first`, `first` + 1, ...
        is_special: (vocabulary,) bool, which tokens are special: never chosen, never drawn.
        rate: K = round(rate * T), exactly.
        continues: (vocabulary,) which tokens carry on a word: words are then chosen whole, but for the last, which may
            be cut. By default each token is on its own.

    Returns tokens (B, T), positions (B, K) in rising order, targets (B, K), all int64.

    ValueError: a row has fewer than K ordinary tokens.
    """
    (b, t), k = tokens.shape, masked_count(tokens.shape[1], rate)
    tokens = tokens.astype(np.int64)
    closed, ordinary = is_special[tokens], np.flatnonzero(~is_special)
    if (fewest := t - closed.sum(axis=1).max()) < k:
        raise ValueError(f"rate = {rate}: must be at most {fewest / t:.3f}, as a row has only {fewest} ordinary tokens")

    scores, action, other = np.split(uniforms(seed, MASKS, first, b, t + 2 * k), [t, t + k], axis=1)
    if continues is not None:
        # All pieces of a word share the score of its first piece (of what stands before it, where the row cuts a word).
        starts = np.where(continues[tokens], 0, np.arange(t))
        scores = np.take_along_axis(scores, np.maximum.accumulate(starts, axis=1), axis=1)
    positions = smallest(np.where(closed, 2.0, scores), k)
    targets = np.take_along_axis(tokens, positions, axis=1)

    drawn = ordinary[(other * len(ordinary)).astype(np.int64)]
    put = np.where(action < MASK_SHARE, mask, np.where(action < MASK_SHARE + RANDOM_SHARE, drawn, targets))
    np.put_along_axis(tokens, positions, put, axis=1)
    return tokens, positions, targets


def pair_rows(rows: np.ndarray, index: np.ndarray, first: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two segments a row, [CLS] A [SEP] B [SEP]: A begins row `index`; B goes on there, or comes from another row.

    A is between a quarter and three quarters of the row, and the row's last token makes room for the inner [SEP].

    Args:
        rows: (N, T) all rows, each [CLS] ... [SEP], of which `index` (B,) are the samples `first`, `first` + 1, ...

    Returns tokens (B, T); segments (B, T), 1 for B and the [SEP] after it; next (B,), 0 where B goes on and 1 where it
    comes from elsewhere, as in BERT's code. All int64.

    ValueError: fewer than two rows, or rows shorter than 8 tokens.
    """
    n, t = rows.shape
    if n < 2 or t < 8:
        raise ValueError(f"rows has shape {rows.shape}: must be at least two rows of 8 tokens")
    place, coin, row = uniforms(seed, PAIRS, first, len(index), 3).T
    elsewhere = coin < 0.5
    other = np.where(elsewhere, (index + 1 + (row * (n - 1)).astype(np.int64)) % n, index)
    cut = t // 4 + (place * (t // 2)).astype(np.int64)  # where the inner [SEP] goes
    here, there = rows[index].astype(np.int64), rows[other].astype(np.int64)
    at, cut = np.arange(t), cut[:, None]
    # What came from `cut` on moves one place to the right; the row's own [SEP] stays.
    moved = np.concatenate([there[:, :1], there[:, :-2], there[:, -1:]], axis=1)
    tokens = np.where(at < cut, here, np.where(at == cut, here[:, -1:], moved))
    return tokens, (at > cut).astype(np.int64), elsewhere.astype(np.int64)


# ---- Dropped spans (T5) ----------------------------------------------------------------------------------------------


def span_counts(length: int, rate: float, mean: float) -> tuple[int, int]:
    """(n, m): of a row of `length` tokens n are dropped, in m spans; `mean` is about their mean length.

    ValueError: the settings drop nothing, too much to keep spans apart, or need more than the 100 sentinels.
    """
    n = round(rate * length)
    m = max(1, round(n / mean))
    if not 1 <= m <= min(n, length - n, 100):
        raise ValueError(
            f"rate = {rate} and mean = {mean} drop {n} of {length} tokens in {m} spans: must be at least one token and"
            f" at most 100 spans, with a kept token before each"
        )
    return n, m


def corrupt_spans(
    tokens: np.ndarray, first: int, *, sentinels: np.ndarray, end: int, rate: float, mean: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Replace spans by sentinels, and ask for the spans: `a b c d e` gives `a <0> d <1> </s>` and `<0> b c <1> e </s>`.

    As in T5's code: lengths of spans are uniform over all ways to cut n tokens into m pieces, those of what is kept
    too, and a row begins with a kept token and ends with a dropped one.

    Args:
        tokens: (B, T) numbers, of the samples `first`, `first` + 1, ...
        sentinels: (100,) their numbers, in the order in which they are used.
        end: number of the token that ends both sequences.

    Returns corrupted tokens (B, T - n + m + 1) and targets (B, n + m + 1), both int64, with n and m of `span_counts`.
    """
    (b, t), (n, m) = tokens.shape, span_counts(tokens.shape[1], rate, mean)
    tokens = tokens.astype(np.int64)
    keep, drop = np.split(uniforms(seed, SPANS, first, b, t - 2), [t - n - 1], axis=1)
    lengths = np.stack([pieces(keep, m), pieces(drop, m)], axis=2).reshape(b, 2 * m)  # kept, dropped, kept, ...
    # Which of the 2 m pieces each token is in.
    starts = np.zeros((b, t), dtype=np.int64)
    np.put_along_axis(starts, np.cumsum(lengths, axis=1)[:, :-1], 1, axis=1)
    piece = np.cumsum(starts, axis=1)
    starts[:, 0] = 1
    dropped = piece % 2 == 1
    marked = np.where(starts == 1, sentinels[piece // 2], tokens)  # each piece's first token gives way to its sentinel
    ends = np.full((b, 1), end)

    def without(gone):
        """The tokens outside the pieces `gone`, and a sentinel for each of those."""
        return np.where(gone, marked, tokens)[~gone | (starts == 1)].reshape(b, -1)

    return np.hstack([without(dropped), ends]), np.hstack([without(~dropped), ends])


def pieces(scores: np.ndarray, m: int) -> np.ndarray:
    """(B, m) positive lengths with the sum n, uniform over all such, from (B, n - 1) random scores of the cuts."""
    b, n = len(scores), scores.shape[1] + 1
    cuts = smallest(scores, m - 1) + 1
    return np.diff(np.hstack([np.zeros((b, 1), dtype=np.int64), cuts, np.full((b, 1), n)]), axis=1)


# ---- Objectives: (rows, index, first, seed) -> batch -----------------------------------------------------------------


def masked(tokenizer: Tokenizer, rate: float, whole_words: bool = False, pairs: bool = False):
    """BERT's objective: tokens, positions, targets (, segments, next). ValueError: the tokenizer is of another kind."""
    check_kind(tokenizer, "bert")
    settings = {"is_special": tokenizer.is_special, "mask": tokenizer.number["[MASK]"], "rate": rate}
    settings["continues"] = tokenizer.continuations() if whole_words else None

    def batch(rows, index, first, seed):
        tokens, *extra = pair_rows(rows, index, first, seed) if pairs else (rows[index],)
        chosen = mask_tokens(tokens, first, seed=seed, **settings)
        return dict(zip(("tokens", "positions", "targets", "segments", "next"), [*chosen, *extra], strict=False))

    return batch


def causal(rows, index, first, seed) -> dict:
    """GPT's objective: rows of T + 1 tokens as they are."""
    return {"tokens": rows[index].astype(np.int64)}


def spans(tokenizer: Tokenizer, rate: float = 0.15, mean: float = 3.0):
    """T5's objective: tokens (corrupted) and targets. ValueError: the tokenizer is of another kind."""
    check_kind(tokenizer, "t5")
    settings = {"sentinels": tokenizer.sentinels, "end": tokenizer.separator, "rate": rate, "mean": mean}

    def batch(rows, index, first, seed):
        return dict(zip(("tokens", "targets"), corrupt_spans(rows[index], first, seed=seed, **settings), strict=True))

    return batch


def check_kind(tokenizer: Tokenizer, kind: str) -> None:
    if tokenizer.kind != kind:
        raise ValueError(f"kind = {tokenizer.kind!r} of the tokenizer: must be {kind!r} for this objective")
