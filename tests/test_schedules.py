"""Schedules at their ends and middles, and what they refuse."""

import pytest

from minilib import schedules


def test_polynomial_and_cosine_fall_from_one_to_zero_and_stay_there():
    assert [schedules.polynomial(t, 10, power=2) for t in (0, 5, 10, 99)] == [1.0, 0.25, 0.0, 0.0]
    assert [schedules.cosine(t, 10) for t in (0, 5, 10, 99)] == pytest.approx([1, 0.5, 0, 0], abs=1e-15)


def test_warmup_rises_from_one_share_to_one():
    assert [schedules.warmup(t, 4) for t in range(6)] == [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]
    assert schedules.warmup(0, 0) == schedules.constant(0) == 1.0


def test_wsd_stays_at_one_and_falls_with_a_root_in_the_end():
    assert [schedules.wsd(t, 10, 4) for t in (0, 6, 7, 10, 99)] == [1, 1, 0.5, 0, 0]
    assert schedules.wsd(9, 10, 0) == schedules.wsd(5, 99, 4) == 1


def test_scaling_rules_are_the_root_and_the_ratio_of_the_batches():
    assert (schedules.sqrt_scaling(1024, 256), schedules.linear_scaling(1024, 256)) == (2.0, 4.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: schedules.polynomial(0, 0), "total must be at least 1 step, got 0"),
        (lambda: schedules.polynomial(0, 5, power=0), "power must be a number > 0, got 0"),
        (lambda: schedules.cosine(0, -1), "total must be at least 1 step, got -1"),
        (lambda: schedules.wsd(0, 5, 6), "cooldown must be 0 to 5 steps, got 6"),
        (lambda: schedules.warmup(0, -1), "steps must be >= 0, got -1"),
        (lambda: schedules.sqrt_scaling(0, 256), "batch must be at least 1, got 0"),
        (lambda: schedules.linear_scaling(256, 0), "base_batch must be at least 1, got 0"),
    ],
)
def test_impossible_settings_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
