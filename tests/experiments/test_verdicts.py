"""The rule for verdicts: its arithmetic against scipy's tests, and its rates of error on simulated losses."""

import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, ttest_ind, ttest_rel

from minilib.experiments.verdicts import compare, family, print_verdicts

OURS, THEIRS = {0: 2.0, 1: 2.2, 2: 2.1}, {0: 2.5, 1: 2.6, 2: 2.65}


def seeded(losses):
    return dict(enumerate(losses))


def at(gain):
    """Three paired seeds, of which ours is lower by this much."""
    return compare(seeded(np.zeros(3)), seeded(gain + np.array([-0.05, 0.0, 0.05])))


class TestInterval:
    def test_paired_is_the_paired_t_test_and_seeds_are_matched_by_name(self):
        shuffled = {seed: THEIRS[seed] for seed in (2, 0, 1)}
        found = compare(OURS, shuffled)
        known = ttest_rel(list(THEIRS.values()), list(OURS.values()))
        assert found.paired
        assert (found.low, found.high) == pytest.approx(tuple(known.confidence_interval(0.95)))
        assert found.p == pytest.approx(known.pvalue)

    def test_other_seeds_are_compared_by_welch(self):
        found = compare({5: 2.0, 6: 2.2, 7: 2.1, 8: 2.3}, THEIRS, level=0.9)
        known = ttest_ind(list(THEIRS.values()), [2.0, 2.2, 2.1, 2.3], equal_var=False)
        assert not found.paired
        assert found.seeds == (4, 3)
        assert (found.low, found.high) == pytest.approx(tuple(known.confidence_interval(0.9)))
        assert found.p == pytest.approx(known.pvalue)
        assert found.df == pytest.approx(known.df)

    def test_tuning_seeds_take_no_part(self):
        assert compare(OURS | {9: -50.0}, THEIRS | {9: 60.0}, tuning=[9]) == compare(OURS, THEIRS)
        only = compare(OURS, THEIRS, tuning=[0, 1, 2])
        assert (only.verdict, only.seeds) == ("not resolved", (0, 0))

    @pytest.mark.parametrize("arguments", [{}, {"smallest": 0.2}, {"within": 0.3}, {"within": 2.0}])
    def test_p_is_the_error_rate_at_which_the_verdict_changes(self, arguments):
        p = compare(OURS, THEIRS, **arguments).p
        assert compare(OURS, THEIRS, **arguments, level=1 - 1.001 * p).verdict != "not resolved"
        assert compare(OURS, THEIRS, **arguments, level=1 - 0.999 * p).verdict == "not resolved"


class TestVerdict:
    @pytest.mark.parametrize(
        ("gain", "arguments", "verdict"),
        [
            (1.0, {}, "confirmed"),
            (-1.0, {}, "contradicted"),
            (0.01, {}, "not resolved"),
            (1.0, {"smallest": 0.5}, "confirmed"),
            (1.0, {"smallest": 1.01}, "not resolved"),
            (1.0, {"smallest": 2.0}, "contradicted"),  # lower, but by less than was claimed
            (0.01, {"within": 0.5}, "confirmed"),
            (0.01, {"within": 0.02}, "not resolved"),  # a tie is no confirmation
            (1.0, {"within": 0.5}, "contradicted"),
            (-1.0, {"within": 0.5}, "contradicted"),
        ],
    )
    def test_of_a_claim(self, gain, arguments, verdict):
        ours = [1.0, 1.1, 0.9, 1.05]
        theirs = np.array([1.02, 1.08, 0.93, 1.02]) + gain  # the differences scatter by 0.03
        found = compare(seeded(ours), seeded(theirs), **arguments)
        assert found.verdict == verdict
        assert str(found).startswith(f"{verdict}: ")

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [
            ({0: 1.0}, {0: 2.0}),
            ({0: 1.0}, {1: 2.0, 2: 2.1, 3: 2.2}),
            ({}, THEIRS),
            ({0: 1.0, 1: 1.0}, {0: 2.0, 1: 2.0}),
            ({0: 0.1, 1: 0.3}, {0: 0.2, 1: 0.4}),  # the same difference but for rounding
        ],
    )
    def test_no_scatter_no_verdict(self, ours, theirs):
        for arguments in ({}, {"within": 10.0}):
            found = compare(ours, theirs, **arguments)
            assert found.verdict == "not resolved"
            assert (found.low, found.high, found.p, found.seen) == (-math.inf, math.inf, 1, math.inf)
            assert "no interval" in str(found)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"level": 1.0}, "level must be between 0 and 1, got 1.0"),
            ({"level": math.nan}, "level must be"),
            ({"smallest": -0.1}, "smallest must be finite and at least 0, got -0.1"),
            ({"within": 0.0}, "within must be positive"),
            ({"within": 1.0, "smallest": 1.0}, "without smallest"),
            ({"theirs": {0: 1.0, 1: math.nan}}, "theirs must have finite losses only, got nan of seed 1"),
            (
                {"theirs": {0: math.inf, 1: 2.0}, "tuning": [0]},
                "theirs must have finite losses only, got inf of seed 0",
            ),
            ({"theirs": {3: 1.0, 4: 1.0}, "paired": True}, r"same seeds on both sides, got \[0, 1, 2\] and \[3, 4\]"),
            ({"theirs": {0: [1.0]}}, "two and more examples for each seed"),
            ({"theirs": {0: np.ones(4), 1: np.ones(5)}}, "the same test examples"),
            ({"theirs": {0: np.ones(4), 1: np.ones(4)}}, "the same test examples"),
        ],
    )
    def test_bad_input(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            compare(**{"ours": OURS, "theirs": THEIRS} | arguments)


def rates(draw, seeds, count=1500, **arguments):
    """How often claims are confirmed and contradicted; `draw(rng, seeds)` returns the losses of both."""
    rng, verdicts = np.random.default_rng(0), Counter()
    for _ in range(count):
        verdicts[compare(*map(seeded, draw(rng, seeds)), **arguments).verdict] += 1
    return verdicts["confirmed"] / count, verdicts["contradicted"] / count


def normal(gain=0.0, common=0.5):
    """Losses that share half of their luck and scatter by 1; ours is lower by `gain`."""

    def draw(rng, seeds):
        luck = math.sqrt(common) * rng.normal(size=seeds) + math.sqrt(1 - common) * rng.normal(size=(2, seeds))
        return luck[0] - gain, luck[1]

    return draw


def heavy_tails(rng, seeds):
    return rng.standard_t(3, size=(2, seeds))


def theirs_fails_at_times(rng, seeds):
    """One run in five ends 5 higher: as good on average, but five seeds often show no such run."""
    return 0.3 * rng.normal(size=seeds), 0.3 * rng.normal(size=seeds) + 5 * (rng.random(seeds) < 0.2) - 1


def allowed(rate, count=1500):
    """From where to where a share of `count` scatters that is `rate` on average, but for one case in a thousand."""
    return tuple(binom.ppf([0.0005, 0.9995], count, rate) / count)


def test_an_interval_is_near_an_edge_that_its_end_almost_touches_on_either_side():
    one = compare(*({k: np.float64(v) for k, v in side.items()} for side in (OURS, THEIRS)))
    for share, near in ((0.05, True), (-0.05, True), (0.2, False), (-0.2, False)):
        assert replace(one, claim=(one.low - share * one.half, math.inf)).near is near
        assert replace(one, claim=(-10.0, one.high + share * one.half)).near is near
    assert not compare({0: 1.0}, {0: 2.0}).near


class TestErrorRates:
    """A rule that left out a factor, a degree of freedom or a tail would leave these ranges."""

    @pytest.mark.parametrize(
        ("draw", "seeds", "paired", "least", "most"),
        [
            *((normal(), seeds, True, *allowed(0.05)) for seeds in (3, 5, 10)),
            # Welch's degrees of freedom are estimated, on the careful side at 3 seeds.
            *((normal(common=0), n, False, *allowed(rate)) for n, rate in ((3, 0.035), (5, 0.045), (10, 0.05))),
            (normal(common=0.9), 5, False, 0.0, 0.005),  # common luck that is not paired: blind, not rash
            (heavy_tails, 5, True, 0.01, 0.05),
            (heavy_tails, 5, False, 0.01, 0.05),
            (theirs_fails_at_times, 5, True, 0.2, 0.4),  # what deceives it
        ],
    )
    def test_so_many_ties_are_decided(self, draw, seeds, paired, least, most):
        assert least <= sum(rates(draw, seeds, paired=paired)) <= most

    @pytest.mark.parametrize("seeds", [3, 10])
    def test_at_the_edge_of_equality_both_verdicts_are_rare(self, seeds):
        assert max(rates(normal(gain=1.0), seeds, within=1.0)) <= allowed(0.025)[1]

    @pytest.mark.parametrize("seeds", [3, 5, 10])
    def test_power_is_eighty_per_cent_at_what_could_have_been_seen(self, seeds):
        losses = [*map(seeded, normal()(np.random.default_rng(0), seeds))]
        # at the true scatter: of these differences it is 1
        lower, equal = (c.seen / c.error / math.sqrt(seeds) for c in (compare(*losses), compare(*losses, within=1.0)))
        least, most = allowed(0.8)
        assert least <= rates(normal(gain=lower), seeds)[0] <= most
        assert 0.2 < rates(normal(gain=lower / 2), seeds)[0] < 0.5
        assert rates(normal(gain=2 * lower), seeds)[0] > 0.98
        assert least <= rates(normal(), seeds, within=equal)[0] <= most


class TestFamily:
    def test_levels_are_holms(self):
        single = {"clear": at(5.0), "faint": at(0.12), "none": at(0.0), "wide": at(1.0)}
        corrected = family(single)
        assert list(corrected) == list(single)
        levels = {"clear": 1 - 0.05 / 4, "wide": 1 - 0.05 / 3, "faint": 1 - 0.05 / 2, "none": 0.975}
        assert {name: c.level for name, c in corrected.items()} == pytest.approx(levels)
        assert {name for name, c in corrected.items() if c.verdict == "confirmed"} == {"clear", "wide"}
        assert {corrected[name].verdict for name in ("faint", "none")} == {"not resolved"}

    def test_the_first_that_does_not_stand_ends_it(self):
        # At 1 - 0.05 / 2 the first falls; the second would have stood at 0.95 alone.
        single = {"a": at(0.15), "b": at(0.14)}
        assert {c.verdict for c in single.values()} == {"confirmed"}
        assert {c.verdict for c in family(single).values()} == {"not resolved"}

    def test_one_without_an_interval_counts_and_is_not_resolved_and_all_have_one_level(self):
        corrected = family({"a": compare(OURS, THEIRS), "b": compare({0: 1.0}, {0: 2.0})})
        assert corrected["a"].level == pytest.approx(0.975)
        assert corrected["b"].verdict == "not resolved"
        assert family({}) == {}
        with pytest.raises(ValueError, match=r"must have one level, got \[0.9, 0.95\]"):
            family({"a": compare(OURS, THEIRS), "b": compare(OURS, THEIRS, level=0.9)})

    def test_a_wrong_verdict_among_all_pairs_of_methods_is_rare(self):
        # Two pairs of equal methods, one pair slightly better: false alarms and wrong directions together.
        gains, rng, count, alone, together = np.array([0, 0, 0.3, 0.3]), np.random.default_rng(0), 400, 0, 0
        for _ in range(count):
            losses = rng.normal(size=(4, 5)) - gains[:, None]
            pairs = {(i, j): compare(seeded(losses[i]), seeded(losses[j])) for i in range(4) for j in range(i)}
            right = {(i, j): {"not resolved"} | ({"confirmed"} if gains[i] > gains[j] else set()) for i, j in pairs}
            alone += any(c.verdict not in right[pair] for pair, c in pairs.items())
            together += any(c.verdict not in right[pair] for pair, c in family(pairs).items())
        assert together / count <= allowed(0.05, count)[1] < alone / count


def test_the_test_sample_makes_the_interval_wider():
    """Difficult and easy examples; a method has its own luck with each, whatever the seed, and with each seed."""
    rng = np.random.default_rng(0)
    luck = rng.normal(size=50) + rng.normal(size=(2, 1, 50)) + 0.1 * rng.normal(size=(2, 5, 1))
    ours, theirs = luck + rng.normal(size=(2, 5, 50))
    means = compare(seeded(ours.mean(axis=1)), seeded(theirs.mean(axis=1)))
    found = compare(seeded(ours), seeded(theirs))
    assert (means.examples, found.examples) == (0, 50)
    assert found.difference == pytest.approx(means.difference)
    sample = (theirs - ours).mean(axis=0).var(ddof=1) / 50
    assert found.error == pytest.approx(math.sqrt(means.error**2 + sample), rel=0.03)  # 1000 draws
    assert means.df == pytest.approx(4)
    assert 4 < found.df < 53


def printed(found, capsys, what="log loss lower by"):
    print_verdicts(found, what)
    return capsys.readouterr().out.splitlines()


def test_the_table_has_a_line_for_each_comparison_and_one_for_what_they_share(capsys):
    found = {"lower": compare(OURS, THEIRS), "equal": compare(OURS, THEIRS, within=0.1)}
    found["one"] = compare({0: 1.0}, {1: 2.0})
    head, lower, equal, one, shared = printed(found, capsys)
    assert head.split() == ["log", "loss", "lower", "verdict", "by", "interval", "can", "see"]
    assert printed(found, capsys, "alpha - 1")[0].split()[3:5] == ["verdict", "value"]
    assert lower.split()[1] == "confirmed"
    assert lower.split()[-1] == f"{found['lower'].seen:.2g}"
    assert equal.split()[1] == "contradicted"
    assert one.split()[1:] == ["not", "resolved", "1.000", "none", "none"]
    assert shared == "3 paired seeds or 1 against 1 seeds; intervals at 95 %; equal: within 0.1"


def test_a_notebook_keeps_the_table_as_data_rounded_as_it_is_printed(capsys, left):
    claims = {within: compare(OURS, THEIRS, within=within) for within in (0.1, 5.0)}
    for means, runs in (("", ()), ("ours, less theirs", ("one", "two"))):
        print_verdicts(family(claims), "nats lower by", means=means, runs=runs)
        _, *lines, shared = capsys.readouterr().out.splitlines()
        media, table = left.pop()
        assert media == "application/vnd.minilib.verdicts+json"
        rows = table.pop("rows")
        assert [row.pop("near") for row in rows] == [False, False]
        assert [row.pop("p") for row in rows] == [float(f"{c.p:.3g}") for c in claims.values()]
        assert [row.pop("leans") for row in rows] == ["contradicted", "confirmed"]
        assert [[*map(str, row.values())] for row in rows] == [re.split("  +", line) for line in lines]
        given = {"what": "nats lower", "by": "by", "means": means, "runs": [*runs]}
        assert table == given | {"shared": shared, "widest": "97.5"}
    assert left == []


def test_the_table_rounds_to_two_digits_of_half_the_interval(capsys):
    for scale, shown in ((1.0, "1.00"), (100.0, "100"), (0.01, "0.0100")):
        ours = {seed: scale * (9 + luck) for seed, luck in enumerate((0.0, 0.05, -0.05))}
        lower = printed({"lower": compare(ours, dict.fromkeys(ours, 10 * scale))}, capsys)[1]
        assert lower.split()[2] == shown


def test_the_table_of_a_family_has_its_lowest_and_its_highest_level_and_every_margin(capsys):
    claims = {within: compare(OURS, THEIRS, within=within) for within in (0.1, 0.2, 5.0)}
    head, *lines, shared = printed(family(claims), capsys)
    assert head.split()[-1] == "within"
    assert [line.split()[-1] for line in lines] == ["0.1", "0.2", "5"]
    levels = [100 * c.level for c in family(claims).values()]
    assert shared == f"3 paired seeds; intervals at {min(levels):.4g} % to {max(levels):.4g} %"
