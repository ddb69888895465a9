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
CONTINUES = np.arange(V) >= 100  # in tests of whole words, tokens from 100 on carry on a word
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


@pytest.fixture(scope="module")
def masks():
    return text(), *mask_tokens(text(), 0, **BERT)


class TestMasks:
    def test_special_tokens_may_have_any_numbers(self):
        """As in bert-base-uncased, where [CLS] is 101: what is special is neither chosen nor drawn."""
        special = np.isin(np.arange(V), [0, 100, 101, 102, 103])
        rows = np.random.default_rng(0).choice(np.flatnonzero(~special), (B, T))
        rows[:, 0], rows[:, -1] = 101, 102
        tokens, positions, targets = mask_tokens(rows, 0, **BERT | {"is_special": special, "mask": 103})
        assert not special[targets].any()
        put = np.take_along_axis(tokens, positions, axis=1)
        drawn = put[(put != 103) & (put != targets)]
        assert not special[drawn].any()
        assert set(drawn) == set(np.flatnonzero(~special))

    def test_every_row_has_exactly_k_positions_in_order_none_of_them_special_and_nothing_else_changes(self, masks):
        rows, tokens, positions, targets = masks
        assert positions.shape == (B, K)
        assert (np.diff(positions, axis=1) > 0).all()
        assert (targets >= ORDINARY).all()
        np.testing.assert_array_equal(targets, np.take_along_axis(rows, positions, axis=1))
        assert tokens.dtype == positions.dtype == targets.dtype == np.int64
        restored = tokens.copy()
        np.put_along_axis(restored, positions, targets, axis=1)
        np.testing.assert_array_equal(restored, rows)

    def test_eight_in_ten_are_masked_one_is_random_one_stays(self, masks):
        _, tokens, positions, targets = masks
        put = np.take_along_axis(tokens, positions, axis=1)
        same = 1 / (V - ORDINARY)  # a random token may be the true one
        assert deviations((put == MASK).sum(), B * K, 0.8) < 5
        assert deviations((put == targets).sum(), B * K, 0.1 + 0.1 * same) < 5
        assert deviations(((put != MASK) & (put != targets)).sum(), B * K, 0.1 - 0.1 * same) < 5

    def test_the_fate_of_a_token_is_independent_of_the_others_in_its_row(self, masks):
        masked = (masks[1] == MASK).sum(axis=1)
        # The variance of a variance, of B nearly normal numbers, is 2 / B of its square.
        assert abs(masked.var() / (K * 0.8 * 0.2) - 1) < 5 * np.sqrt(2 / B)

    def test_positions_are_uniform(self):
        rows = text()
        rows[:, 1:-1] = ORDINARY  # no [SEP] within
        _, positions, _ = mask_tokens(rows, 0, **BERT)
        counts = np.bincount(positions.ravel(), minlength=T)
        assert counts[0] == counts[-1] == 0
        assert deviations(counts[1:-1], B, K / (T - 2)).max() < 5

    def test_random_tokens_are_uniform_over_the_ordinary_ones(self):
        tokens, positions, _ = mask_tokens(np.full((B, T), ORDINARY), 0, **BERT | {"rate": 0.5})
        counts = np.bincount(np.take_along_axis(tokens, positions, axis=1).ravel(), minlength=V)
        assert counts[:MASK].sum() == 0
        assert len(counts) == V
        assert deviations(counts[ORDINARY + 1 :], B * T // 2, 0.1 / (V - ORDINARY)).max() < 5

    def test_another_epoch_or_seed_masks_other_places_and_the_same_number_the_same(self, masks):
        rows, _, positions, _ = masks
        for changes in ({"first": B}, {"first": 0, "seed": 2}):
            _, others, _ = mask_tokens(rows, **BERT | changes)
            assert (others == positions).all(axis=1).mean() < 0.01
        np.testing.assert_array_equal(mask_tokens(rows, 0, **BERT)[1], positions)

    def test_a_row_that_has_just_enough_ordinary_tokens_gives_them_all(self):
        rows = np.full((3, T), SEP)
        rows[:, 10 : 10 + K] = ORDINARY
        np.testing.assert_array_equal(mask_tokens(rows, 0, **BERT)[1], [range(10, 10 + K)] * 3)
        rows[1, 10] = SEP
        with pytest.raises(ValueError, match="rate = 0.15: must be at most 0.125, as a row has only 5 ordinary tokens"):
            mask_tokens(rows, 0, **BERT)

    @pytest.mark.parametrize("rate", [0.0, 0.01, 1.0])
    def test_a_rate_that_chooses_none_or_all_is_an_error(self, rate):
        with pytest.raises(ValueError, match=f"rate = {rate}: must choose from 1 to 39 of 40 tokens"):
            mask_tokens(text(1), 0, **BERT | {"rate": rate})


@pytest.fixture(scope="module")
def whole():
    rows = text()
    _, positions, _ = mask_tokens(rows, 0, **BERT | {"rate": 0.3}, continues=CONTINUES)
    words = []  # of each row: the positions of each of its words
    for row in rows:
        words.append([])
        for at in np.flatnonzero(row >= ORDINARY):
            if row[at - 1] < ORDINARY or not CONTINUES[row[at]]:
                words[-1].append([])
            words[-1][-1].append(at)
    return words, positions


class TestWholeWords:
    def test_the_count_is_exact_and_at_most_one_word_is_cut(self, whole):
        words, positions = whole
        assert positions.shape == (B, 12)
        assert (np.diff(positions, axis=1) > 0).all()
        cuts = []
        for of_row, chosen in zip(words, positions, strict=True):
            parts = [(word, [at for at in word if at in chosen]) for word in of_row]
            cut = [(word, part) for word, part in parts if part and part != word]
            assert all(part == word[: len(part)] for word, part in cut)  # its first pieces are chosen
            cuts.append(len(cut))
        assert max(cuts) == 1
        assert 0 in cuts

    def test_words_are_equally_likely_wherever_they_stand(self, whole):
        words, positions = whole
        first = [chosen[0] == of_row[0][0] for of_row, chosen in zip(words, positions, strict=True)]
        last = [of_row[-1][0] in chosen for of_row, chosen in zip(words, positions.tolist(), strict=True)]
        assert abs(sum(first) - sum(last)) / np.sqrt(2 * B * 0.3 * 0.7) < 5


class TestSpans:
    def restored(self, tokens, targets):
        """The row again: each sentinel gives way to what its targets say."""
        marks, spans = T5["sentinels"].tolist(), {}
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
        ("length", "rate", "mean"), [(40, 0.15, 3.0), (64, 0.5, 1.0), (9, 0.1, 3.0), (33, 0.8, 5.0)]
    )
    def test_sentinels_and_targets_together_are_the_row(self, length, rate, mean):
        rows = np.random.default_rng(0).integers(102, 999, (200, length))
        tokens, targets = corrupt_spans(rows, 0, **T5 | {"rate": rate, "mean": mean})
        n, m = round(rate * length), max(1, round(round(rate * length) / mean))
        assert (tokens.shape[1], targets.shape[1]) == (length - n + m + 1, n + m + 1)
        assert tokens.dtype == targets.dtype == np.int64
        for row, t, g in zip(rows.tolist(), tokens.tolist(), targets.tolist(), strict=True):
            assert self.restored(t, g) == row
        assert (tokens[:, 0] == rows[:, 0]).all()
        assert (targets[:, -2] == rows[:, -1]).all()

    def test_sentinels_may_have_any_numbers_as_those_of_the_published_tokenizer(self):
        """There <extra_id_0> has the last number, 32,099, and the others those before it."""
        rows = np.random.default_rng(0).integers(200, 999, (50, 40))
        ours, theirs = np.arange(2, 102), np.arange(32_099, 31_999, -1)
        both = (corrupt_spans(rows, 0, **T5 | {"sentinels": marks}) for marks in (ours, theirs))
        for a, b in zip(*both, strict=True):
            marks = np.isin(a, ours)
            np.testing.assert_array_equal(marks, np.isin(b, theirs))
            np.testing.assert_array_equal(a[~marks], b[~marks])
            np.testing.assert_array_equal(theirs[a[marks] - 2], b[marks])

    def test_shapes_are_those_of_the_published_run(self):
        rows = np.random.default_rng(0).integers(102, 999, (2, 568))
        assert [array.shape for array in corrupt_spans(rows, 0, **T5)] == [(2, 512), (2, 114)]

    def test_lengths_are_uniform_over_all_ways_to_cut(self):
        # Of 8 tokens 3 are dropped in 2 spans: the ways are 2 for the dropped ones times 4 for the kept ones.
        tokens, _ = corrupt_spans(np.tile(np.arange(102, 110), (B, 1)), 0, **T5 | {"rate": 3 / 8, "mean": 1.5})
        ways = Counter(map(tuple, tokens.tolist()))
        cuts = product(range(103, 107), (1, 2))  # where the first span begins, and how long it is
        assert set(ways) == {(*range(102, at), 2, *range(at + n, 107 + n), 3, 1) for at, n in cuts}
        assert deviations(np.array(list(ways.values())), B, 1 / 8).max() < 5

    @pytest.mark.parametrize(
        ("length", "rate", "mean"), [(40, 0.001, 3.0), (40, 0.99, 1.0), (40, 0.5, 0.4), (1_010, 0.2, 2.0)]
    )
    def test_settings_that_leave_no_room_or_no_sentinel_are_an_error(self, length, rate, mean):
        said = f"rate = {rate} and mean = {mean} drop .* must be at least one token and at most 100 spans"
        with pytest.raises(ValueError, match=said):
            span_counts(length, rate, mean)


@pytest.fixture(scope="module")
def pairs():
    rows = 100 + np.arange(N)[:, None] * T + np.arange(T)  # a token says its row and place
    rows[:, 0], rows[:, -1] = CLS, SEP
    index = np.random.default_rng(0).integers(0, N, B)
    return rows, index, *pair_rows(rows, index, 0, 1)


class TestPairs:
    def test_two_segments_each_ended_by_sep_fill_the_row(self, pairs):
        rows, index, tokens, segments, _ = pairs
        seps = [np.flatnonzero(row == SEP).tolist() for row in tokens]
        assert {len(s) for s in seps} == {2}
        for i, row, segment, (cut, end) in zip(index, tokens, segments, seps, strict=True):
            assert end == T - 1
            assert row[:cut].tolist() == rows[i, :cut].tolist()
            other = (row[cut + 1] - 100) // T
            assert row[cut + 1 : -1].tolist() == rows[other, cut : T - 2].tolist()
            assert segment.tolist() == [0] * (cut + 1) + [1] * (T - 1 - cut)

    def test_half_of_the_second_segments_go_on_and_half_come_from_any_other_row(self, pairs):
        _, index, tokens, _, elsewhere = pairs
        other = (tokens[:, -2] - 100) // T
        np.testing.assert_array_equal(elsewhere, other != index)
        assert deviations(elsewhere.sum(), B, 0.5) < 5
        steps = np.bincount((other - index)[elsewhere == 1] % N, minlength=N)
        assert steps[0] == 0
        assert deviations(steps[1:], elsewhere.sum(), 1 / (N - 1)).max() < 5

    def test_the_first_segment_is_of_any_length_from_a_quarter_to_three_quarters(self, pairs):
        cuts = np.bincount((pairs[3] == 0).sum(axis=1) - 1, minlength=T)
        assert np.flatnonzero(cuts).tolist() == list(range(10, 30))
        assert deviations(cuts[10:30], B, 1 / 20).max() < 5

    def test_the_shortest_rows_have_two_segments(self):
        rows = np.tile([CLS, 10, 11, 12, 13, 14, 15, SEP], (9, 1))
        tokens, segments, _ = pair_rows(rows, np.zeros(500, dtype=int), 0, 1)
        assert {tuple(row.tolist()) for row in segments} == {(0,) * n + (1,) * (8 - n) for n in (3, 4, 5, 6)}
        assert ((tokens == SEP).sum(axis=1) == 2).all()

    @pytest.mark.parametrize("shape", [(1, 40), (9, 7)])
    def test_too_few_rows_or_tokens_are_an_error(self, shape):
        with pytest.raises(ValueError, match="must be at least two rows of 8 tokens"):
            pair_rows(np.zeros(shape, dtype=int), np.zeros(1, dtype=int), 0, 1)


TOKENS = [f"{mark}{i}" for i in range(100) for mark in ("a", "##")]
FOR_BERT, FOR_T5 = (of_tokens(kind, SPECIAL[kind] + TOKENS) for kind in ("bert", "t5"))
OBJECTIVES = {
    "masked": objectives.masked(FOR_BERT, 0.15),
    "whole words": objectives.masked(FOR_BERT, 0.3, whole_words=True),
    "pairs": objectives.masked(FOR_BERT, 0.15, pairs=True),
    "causal": objectives.causal,
    "spans": objectives.spans(FOR_T5),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_sample_is_the_same_in_every_batch(name):
    rows, index, first = text(90), np.random.default_rng(1).permutation(90)[:64], 1_000_003
    whole = OBJECTIVES[name](rows, index, first, 7)
    for cuts in ([1], [13, 40], range(1, 64)):
        starts = [first, *(first + cut for cut in cuts)]
        parts = [OBJECTIVES[name](rows, i, at, 7) for i, at in zip(np.split(index, cuts), starts, strict=True)]
        for key, array in whole.items():
            np.testing.assert_array_equal(np.concatenate([part[key] for part in parts]), array)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_batches_have_the_promised_arrays(name):
    batch = OBJECTIVES[name](text(90), np.arange(8), 0, 7)
    k = 12 if name == "whole words" else K
    spans = {"tokens": (8, T - K + 3), "targets": (8, K + 3)}  # 6 tokens are dropped, in 2 spans
    masked = {"tokens": (8, T), "positions": (8, k), "targets": (8, k)}
    pairs = masked | {"segments": (8, T), "next": (8,)}
    expected = {"causal": {"tokens": (8, T)}, "spans": spans, "pairs": pairs}.get(name, masked)
    assert {key: array.shape for key, array in batch.items()} == expected
    assert {array.dtype for array in batch.values()} == {np.dtype(np.int64)}


def test_each_seed_purpose_and_number_has_draws_of_its_own():
    settings = [(seed, purpose, first) for seed in (0, 1) for purpose in range(3) for first in (0, 1)]
    draws = [objectives.uniforms(*setting, 1, 6) for setting in settings]
    assert len(np.unique(draws)) == 12 * 6


def test_a_tokenizer_of_another_kind_is_an_error():
    with pytest.raises(ValueError, match="kind = 't5' of the tokenizer: must be 'bert'"):
        objectives.masked(FOR_T5, 0.15)
    with pytest.raises(ValueError, match="kind = 'bert' of the tokenizer: must be 't5'"):
        objectives.spans(FOR_BERT)
