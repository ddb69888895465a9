"""The objectives: exact counts, the published shares, and the same draws however samples are batched.

Frequencies are compared with their expectation in units of the standard deviation that independent draws have. The
seeds are fixed, so that a test gives the same result each time; 5 deviations leave a wrong rule no chance.
"""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from minilib.data import objectives
from minilib.data.objectives import corrupt_spans, mask_tokens, pair_rows, span_counts
from minilib.data.tokenizer import SPECIAL, of_tokens

V, T, B = 205, 40, 4_000
CLS, SEP, MASK, ORDINARY = 2, 3, 4, 5
BERT = {"is_special": np.arange(V) < ORDINARY, "mask": MASK, "rate": 0.15, "seed": 1}
K = 6  # 15 % of 40
N = 50  # rows that pairs are made of
CONTINUES = np.arange(V) >= 100  # in the test of whole words, tokens from 100 on carry on a word
T5 = {"sentinels": np.arange(2, 102), "end": 1, "rate": 0.15, "mean": 3.0, "seed": 1}


def text(count=B, length=T, seed=0):
    """Rows [CLS] ... [SEP] of random ordinary tokens, with a [SEP] at a place of its own in each."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(ORDINARY, V, (count, length)).astype(np.uint16)
    rows[:, 0], rows[:, -1] = CLS, SEP
    rows[np.arange(count), draw.integers(1, length - 1, count)] = SEP
    return rows


def deviations(count, trials, share):
    """How far counts are from trials * share, in standard deviations of a binomial."""
    return np.abs(count - trials * share) / np.sqrt(trials * share * (1 - share))


@pytest.mark.parametrize("numbers", [[0, 1, CLS, SEP, MASK], [0, 100, 101, 102, 103]])  # as in bert-base-uncased
def test_six_ordinary_tokens_a_row_are_chosen_eight_in_ten_masked_one_random_and_all_else_stays(numbers):
    special, mask = np.isin(np.arange(V), numbers), numbers[-1]
    ordinary = np.flatnonzero(~special)
    rows = np.random.default_rng(0).choice(ordinary, (B, T))
    rows[:, 0], rows[:, -1] = numbers[2:4]
    tokens, positions, targets = mask_tokens(rows, 0, **BERT | {"is_special": special, "mask": mask})
    assert (np.diff(positions, axis=1) > 0).all()
    np.testing.assert_array_equal(targets, np.take_along_axis(rows, positions, axis=1))
    put = np.take_along_axis(tokens, positions, axis=1)
    np.put_along_axis(tokens, positions, targets, axis=1)
    np.testing.assert_array_equal(tokens, rows)
    places = np.bincount(positions.ravel(), minlength=T)
    assert places[0] == places[-1] == 0
    assert deviations(places[1:-1], B, K / (T - 2)).max() < 5
    same = 1 / len(ordinary)  # a random token may be the true one
    assert deviations((put == mask).sum(), B * K, 0.8) < 5
    assert deviations((put == targets).sum(), B * K, 0.1 + 0.1 * same) < 5
    drawn = np.bincount(put[(put != mask) & (put != targets)], minlength=V)
    assert set(np.flatnonzero(drawn)) == set(ordinary)
    assert deviations(drawn[ordinary], drawn.sum(), same).max() < 5
    # each on its own: the variance of a variance, of B nearly normal numbers, is 2 / B of its square
    assert abs((put == mask).sum(axis=1).var() / (K * 0.8 * 0.2) - 1) < 5 * np.sqrt(2 / B)


def test_a_row_that_has_just_enough_ordinary_tokens_gives_them_all():
    rows = np.full((3, T), SEP)
    rows[:, 10 : 10 + K] = ORDINARY
    np.testing.assert_array_equal(mask_tokens(rows, 0, **BERT)[1], [range(10, 10 + K)] * 3)
    rows[1, 10] = SEP
    with pytest.raises(ValueError, match="rate = 0.15: must be at most 0.125, as a row has only 5 ordinary tokens"):
        mask_tokens(rows, 0, **BERT)


def test_of_whole_words_at_most_one_is_cut_and_the_first_is_as_likely_as_the_last():
    rows, cuts, ends = text(), set(), np.zeros(2)
    _, positions, _ = mask_tokens(rows, 0, **BERT | {"rate": 0.3}, continues=CONTINUES)
    assert positions.shape == (B, 12)
    assert (np.diff(positions, axis=1) > 0).all()
    for row, chosen in zip(rows, positions.tolist(), strict=True):
        words = []
        for at in np.flatnonzero(row >= ORDINARY):
            if row[at - 1] < ORDINARY or not CONTINUES[row[at]]:
                words.append([])
            words[-1].append(at)
        parts = [(word, [at for at in word if at in chosen]) for word in words]
        cut = [(word, part) for word, part in parts if part and part != word]
        assert all(part == word[: len(part)] for word, part in cut)  # its first pieces are chosen
        cuts.add(len(cut))
        ends += words[0][0] in chosen, words[-1][0] in chosen
    assert cuts == {0, 1}
    assert abs(ends[0] - ends[1]) / np.sqrt(2 * B * 0.3 * 0.7) < 5


def restored(tokens, targets, marks):
    """The row again: each sentinel gives way to what its targets say."""
    spans = {}
    assert tokens[-1] == targets[-1] == T5["end"]
    for token in targets[:-1]:
        if token in marks:
            spans[token] = span = []
        else:
            span.append(token)
    assert list(spans) == [t for t in tokens if t in marks] == marks[: len(spans)]
    assert all(spans.values())
    return [t for token in tokens[:-1] for t in spans.get(token, [token])]


@pytest.mark.parametrize(
    ("length", "rate", "mean", "sizes"),
    [(40, 0.15, 3.0, (37, 9)), (64, 0.5, 1.0, (65, 65)), (9, 0.1, 3.0, (10, 3)), (568, 0.15, 3.0, (512, 114))],
)
@pytest.mark.parametrize("marks", [range(2, 102), range(32_099, 31_999, -1)])  # the second as published
def test_sentinels_and_targets_together_are_the_row(length, rate, mean, sizes, marks):
    rows = np.random.default_rng(0).integers(102, 999, (50, length))
    both = corrupt_spans(rows, 0, **T5 | {"rate": rate, "mean": mean, "sentinels": np.array(marks)})
    assert tuple(array.shape[1] for array in both) == sizes
    for row, tokens, targets in zip(rows.tolist(), *(array.tolist() for array in both), strict=True):
        assert restored(tokens, targets, list(marks)) == row
        assert (tokens[0], targets[-2]) == (row[0], row[-1])


def test_spans_are_uniform_over_all_ways_to_cut():
    # Of 8 tokens 3 are dropped in 2 spans: the ways are 2 for the dropped ones times 4 for the kept ones.
    tokens, _ = corrupt_spans(np.tile(np.arange(102, 110), (B, 1)), 0, **T5 | {"rate": 3 / 8, "mean": 1.5})
    ways = Counter(map(tuple, tokens.tolist()))
    cuts = product(range(103, 107), (1, 2))  # where the first span begins, and how long it is
    assert set(ways) == {(*range(102, at), 2, *range(at + n, 107 + n), 3, 1) for at, n in cuts}
    assert deviations(np.array(list(ways.values())), B, 1 / 8).max() < 5


def test_pairs_are_two_segments_of_which_half_of_the_second_come_from_any_other_row():
    rows = 100 + np.arange(N)[:, None] * T + np.arange(T)  # a token says its row and place
    rows[:, 0], rows[:, -1] = CLS, SEP
    index = np.random.default_rng(0).integers(0, N, B)
    tokens, segments, elsewhere = pair_rows(rows, index, 0, 1)
    other, cuts = (tokens[:, -2] - 100) // T, []
    for i, j, row, segment in zip(index, other, tokens, segments, strict=True):
        cut, end = np.flatnonzero(row == SEP)
        assert row.tolist() == [*rows[i, :cut], SEP, *rows[j, cut : T - 2], SEP]
        assert (segment.tolist(), end) == ([0] * (cut + 1) + [1] * (T - 1 - cut), T - 1)
        cuts.append(cut)
    np.testing.assert_array_equal(elsewhere, other != index)
    assert deviations(elsewhere.sum(), B, 0.5) < 5
    steps = np.bincount((other - index)[elsewhere == 1] % N, minlength=N)
    assert deviations(steps[1:], elsewhere.sum(), 1 / (N - 1)).max() < 5
    assert deviations(np.bincount(cuts, minlength=30)[10:30], B, 1 / 20).max() < 5  # a quarter to three quarters


TOKENS = [f"{mark}{i}" for i in range(100) for mark in ("a", "##")]
FOR_BERT, FOR_T5 = (of_tokens(kind, SPECIAL[kind] + TOKENS) for kind in ("bert", "t5"))
MASKED = {"tokens": (8, T), "positions": (8, K), "targets": (8, K)}
OBJECTIVES = {
    "masked": (objectives.masked(FOR_BERT, 0.15), MASKED),
    "whole words": (objectives.masked(FOR_BERT, 0.15, whole_words=True), MASKED),
    "pairs": (objectives.masked(FOR_BERT, 0.15, pairs=True), MASKED | {"segments": (8, T), "next": (8,)}),
    "causal": (objectives.causal, {"tokens": (8, T)}),
    "spans": (objectives.spans(FOR_T5), {"tokens": (8, T - K + 3), "targets": (8, K + 3)}),  # 6 tokens, in 2 spans
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_sample_is_the_same_in_every_batch_and_another_under_another_number_or_seed(name):
    objective, shapes = OBJECTIVES[name]
    rows, index, first = text(90), np.random.default_rng(1).permutation(90)[:8], 1_000_003
    whole = objective(rows, index, first, 7)
    assert {key: array.shape for key, array in whole.items()} == shapes
    assert {array.dtype for array in whole.values()} == {np.dtype(np.int64)}
    for cuts in ([1], [3, 5], range(1, 8)):
        starts = [first, *(first + cut for cut in cuts)]
        parts = [objective(rows, i, at, 7) for i, at in zip(np.split(index, cuts), starts, strict=True)]
        for key, array in whole.items():
            np.testing.assert_array_equal(np.concatenate([part[key] for part in parts]), array)
    for other in ((first + 8, 7), (first, 8)):
        assert name == "causal" or (objective(rows, index, *other)["tokens"] != whole["tokens"]).any(axis=1).all()


NO_ROOM = "drop .* must be at least one token and at most 100 spans"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: objectives.masked_count(T, 0.01), "rate = 0.01: must choose from 1 to 39 of 40 tokens, chooses 0"),
        (lambda: objectives.masked_count(T, 1.0), "rate = 1.0: must choose from 1 to 39 of 40 tokens, chooses 40"),
        (lambda: span_counts(40, 0.001, 3.0), NO_ROOM),
        (lambda: span_counts(40, 0.99, 1.0), NO_ROOM),
        (lambda: span_counts(40, 0.5, 0.4), NO_ROOM),
        (lambda: span_counts(1_010, 0.2, 2.0), NO_ROOM),
        (lambda: pair_rows(np.zeros((1, 40), int), np.zeros(1, int), 0, 1), "must be at least two rows of 8 tokens"),
        (lambda: pair_rows(np.zeros((9, 7), int), np.zeros(1, int), 0, 1), "must be at least two rows of 8 tokens"),
        (lambda: objectives.masked(FOR_T5, 0.15), "kind = 't5' of the tokenizer: must be 'bert'"),
        (lambda: objectives.spans(FOR_BERT), "kind = 'bert' of the tokenizer: must be 't5'"),
    ],
)
def test_settings_that_leave_no_room_and_another_kind_of_tokenizer_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
