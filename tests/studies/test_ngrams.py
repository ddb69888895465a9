"""Tables that count: by hand on four tokens, probabilities that sum to one, and what must be refused."""

import numpy as np
import pytest

from studies.ngrams import next_token_losses


def test_the_losses_are_those_of_a_count_by_hand():
    train, held_out = np.array([[0, 1, 2], [0, 1, 3]]), np.array([[0, 1, 2]])
    frequency = (np.array([2, 2, 1, 1]) + 0.1) / 6.4
    after_0 = (2 - 0.75 + 0.75 * 1 * frequency[1]) / 2  # 0 was followed by 1 twice, by one kind of token
    after_1 = (1 - 0.75 + 0.75 * 2 * frequency[2]) / 2  # 1 by 2 and by 3
    after_01 = (1 - 0.75 + 0.75 * 2 * after_1) / 2
    losses = next_token_losses(train, held_out, 4)
    assert losses["unigram"] == pytest.approx(-np.log([frequency[1], frequency[2]]).mean())
    assert losses["pairs"] == pytest.approx(-np.log([after_0, after_1]).mean())
    assert losses["triples"] == pytest.approx(-np.log([after_0, after_01]).mean())


def test_the_chances_of_all_tokens_sum_to_one():
    """A discount that gives up more or less than it hands on is caught here."""
    rng = np.random.default_rng(0)
    train = rng.integers(6, size=(40, 7))
    for context in ((0, 1), (5, 5)):
        sums = dict.fromkeys(("unigram", "pairs", "triples"), 0.0)
        for token in range(6):
            # Rows of three: two losses, of which the first is the same for all; twice the mean less it is the second's.
            two = next_token_losses(train, np.array([[*context, token]]), 6)
            one = next_token_losses(train, np.array([context]), 6)
            for name in sums:
                sums[name] += np.exp(-(2 * two[name] - one[name]))
        assert sums == pytest.approx(dict.fromkeys(sums, 1.0))


def test_a_context_that_was_never_seen_falls_back_on_the_shorter_table():
    train = np.array([[0, 1], [0, 1]])
    losses = next_token_losses(train, np.array([[1, 0]]), 3)
    assert losses["pairs"] == losses["triples"] == losses["unigram"]


@pytest.mark.parametrize(
    ("train", "words"),
    [
        (np.zeros(3, dtype=int), "train has shape"),
        (np.zeros((0, 3), dtype=int), "train has shape"),
        (np.zeros((3, 1), dtype=int), "train has shape"),
        (np.full((3, 3), 4), "tokens from 4 to 4: must be 0 to 3"),
    ],
)
def test_bad_rows_are_refused_by_name(train, words):
    with pytest.raises(ValueError, match=words):
        next_token_losses(train, np.zeros((1, 3), dtype=int), 4)
