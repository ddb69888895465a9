"""One rule for every comparison in the book: a difference, its interval, and one of three verdicts.

A claim about two methods is a range of differences: "ours is lower by more than 0.1" is everything above 0.1, "they are
equal within 0.1" is everything from -0.1 to 0.1. The data give an interval for the difference. The claim is

    confirmed      where the whole interval lies inside the claimed range,
    contradicted   where the whole interval lies outside of it,
    not resolved   otherwise: neither shown nor refuted, which is not "equal".

Whatever the claim, the verdict is wrong only where the interval misses the true difference. The interval is Student's
t over the seeds: of the paired differences where both methods ran with the same seeds, else Welch's. Two claims follow
the usual tests at an error rate of 1 - level: the first is the two-sided t test, the second is stricter than TOST,
whose interval has the level 2 level - 1. `family` corrects many verdicts at once (Holm 1979).

On simulated losses (tests/experiments/test_verdicts.py) a tie is taken for a difference in 5 % of cases with 3, 5 and
10 paired seeds, and in 3 to 5 % with unpaired ones; heavy tails on both sides make that less. What deceives the rule is
a method that fails now and then: where one run in five ends far off, five seeds often show no such run, and a tie is
decided in 30 % of cases. So look at the dots, too.

What is counted: the seeds; and the test sample, where the losses of the single test examples are handed in. What is
not: the search. The verdict is about the settings that it chose. Tuning, validation and test data must be three sets,
and seeds by which a setting was chosen (`tuning`) take no part. To count the search too, repeat it for every seed.
Deliberately absent: tests of ranks (with three seeds they can show nothing at 5 %), and drawing seeds anew (a bootstrap
of three seeds is too narrow).
"""

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from minilib import needs
from minilib.pages import leave, print_table

with needs("book"):
    from scipy.optimize import brentq
    from scipy.stats import bootstrap, chi2, norm, t

POWER = 0.8  # with which `seen` would have been resolved
Losses = Mapping[Hashable, float | np.ndarray]  # seed -> a loss, or the losses of the test examples


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes:
        difference: how much lower our mean loss is, in units of the loss; negative where ours is higher.
        error: the standard error of `difference`; nan where it is unknown.
        df: its degrees of freedom; 0 where the error is unknown.
        claim: the claimed range of differences, such as (0, inf).
        level: of the interval.
        seeds: how many of ours and of theirs took part.
        paired: were they compared seed by seed?
        examples: test examples that the error counts; 0 where the verdict holds for this test sample only.
    """

    difference: float
    error: float
    df: float
    claim: tuple[float, float]
    level: float
    seeds: tuple[int, int]
    paired: bool
    examples: int

    @property
    def low(self) -> float:
        """The lower end of the interval; -inf where the error is unknown."""
        return self.difference - self.half if self.df else -math.inf

    @property
    def high(self) -> float:
        """The upper end of the interval; inf where the error is unknown."""
        return self.difference + self.half if self.df else math.inf

    @property
    def half(self) -> float:
        """Half the length of the interval."""
        return self.error * float(t.ppf((1 + self.level) / 2, self.df)) if self.df else math.inf

    @property
    def verdict(self) -> str:
        """'confirmed', 'contradicted' or 'not resolved'."""
        least, most = self.claim
        if least < self.low and self.high < most:
            return "confirmed"
        if self.high < least or most < self.low:
            return "contradicted"
        return "not resolved"

    @property
    def near(self) -> bool:
        """Does the interval end within a tenth of `half` from an edge of the claim? Other seeds may judge otherwise."""
        edges = [edge for edge in self.claim if math.isfinite(edge)]
        far = min(abs(end - edge) for end in (self.low, self.high) for edge in edges)
        return bool(self.df and far < self.half / 10)

    @property
    def p(self) -> float:
        """The smallest 1 - level at which the claim would be resolved: 1 where no interval can resolve it."""
        if not self.df:
            return 1.0
        edges = [abs(self.difference - edge) / self.error for edge in self.claim if math.isfinite(edge)]
        return float(2 * t.sf(min(edges), self.df))

    @property
    def seen(self) -> float:
        """Which difference could have been seen, judged by the scatter at hand; inf where the error is unknown.

        Of the claim "lower by more than smallest": how far beyond `smallest` a true difference has to lie to be
        confirmed in 80 % of such comparisons. Of "equal within": the smallest `within` for which methods that are
        truly equal would be confirmed to be so in 80 %.
        """
        if not self.df:
            return math.inf
        edges = sum(map(math.isfinite, self.claim))
        far = float(t.ppf((1 + self.level) / 2, self.df))
        # estimated / true scatter, evenly likely
        scatter = np.sqrt(chi2.ppf((np.arange(2000) + 0.5) / 2000, self.df) / self.df)

        def power(shift: float) -> float:  # of an interval that misses each edge with the chance norm.cdf
            return np.maximum(0, 1 - edges * norm.sf(shift - far * scatter)).mean()

        return self.error * brentq(lambda shift: power(shift) - POWER, 0, 10 + 10 * far)

    def __str__(self) -> str:
        """Such as 'confirmed: 0.31 [0.25, 0.37] at 95 %, 5 paired seeds; 0.09 could have been seen'."""
        ours, theirs = self.seeds
        seeds = f"{ours} paired seeds" if self.paired else f"{ours} against {theirs} seeds"
        if not self.df:
            return f"{self.verdict}: {self.difference:.3g}, no interval from {seeds}"
        sample = f" and {self.examples} test examples" if self.examples else ""
        interval = f"{self.difference:.3g} [{self.low:.3g}, {self.high:.3g}] at {100 * self.level:.4g} %"
        return f"{self.verdict}: {interval}, {seeds}{sample}; {self.seen:.2g} could have been seen"


def compare(
    ours: Losses,
    theirs: Losses,
    *,
    smallest: float = 0.0,
    within: float | None = None,
    paired: bool | None = None,
    level: float = 0.95,
    tuning: Collection[Hashable] = (),
) -> Comparison:
    """Is our loss lower than theirs by more than `smallest`, or, with `within`, are the two equal within that?

    Fewer than two seeds on a side, or differences without any scatter, say nothing about chance: not resolved. (Runs
    that are equal to the bit need no test; say that they are.)
    With 2 to 5 seeds the intervals are wide, because the scatter itself is hardly known; `seen` says how wide.
    Losses that scatter by a share of themselves are better compared as logarithms, decided before looking: then a
    difference of 0.1 means ten per cent, roughly. For scores of which more is better exchange the two.

    Args:
        ours, theirs: seed -> mean test loss, or -> the losses of the test examples (n,), the same examples in the same
            order in all runs. Then the error counts the test sample, too: variances add up, and the share of the
            sample is a bootstrap over the examples, of the difference that is averaged over seeds.
        smallest: what "lower" has to exceed, in units of the loss.
        within: half the width of what counts as equal; it takes the place of `smallest`.
        paired: seed by seed; by default wherever both have the same seeds.
        level: of the interval.
        tuning: seeds by which a setting was chosen; they are left out on both sides.

    ValueError: a loss is not finite (a run that diverged has no loss to average: report it as such), the examples
    differ in number, `paired` with different seeds, or an argument is out of its range.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    if within is not None and not (0 < within < math.inf and smallest == 0):
        raise ValueError(f"within must be positive and stand without smallest, got {within} and {smallest}")
    if not 0 <= smallest < math.inf:
        raise ValueError(f"smallest must be finite and at least 0, got {smallest}")
    sides = {"ours": ours, "theirs": theirs}
    a, b = ({seed: _loss(name, seed, loss) for seed, loss in losses.items()} for name, losses in sides.items())
    if len({loss.shape for loss in (*a.values(), *b.values())}) > 1:
        raise ValueError("every run must have one loss, or the losses of the same test examples")
    a, b = ({seed: loss for seed, loss in losses.items() if seed not in tuning} for losses in (a, b))
    same = a.keys() == b.keys()
    if paired and not same:
        raise ValueError(f"paired needs the same seeds on both sides, got {list(a)} and {list(b)}")
    paired = same if paired is None else paired
    claim = (smallest, math.inf) if within is None else (-within, within)
    seeds = (len(a), len(b))
    if 0 in seeds:
        return Comparison(math.nan, math.nan, 0, claim, level, seeds, paired, 0)

    means = [np.array([np.mean(losses[seed]) for seed in losses]) for losses in (a, b)]
    if paired:
        means = [np.array([np.mean(b[seed]) - np.mean(a[seed]) for seed in a])]
        difference, parts = means[0].mean(), []
    else:
        difference, parts = means[1].mean() - means[0].mean(), []
    if min(seeds) > 1:
        parts = [(m.var(ddof=1) / m.size, m.size - 1) for m in means]  # variance, degrees of freedom
    if not sum(variance for variance, _ in parts) > (1e-12 * max(np.abs(m).max() for m in means)) ** 2:
        return Comparison(float(difference), math.nan, 0, claim, level, seeds, paired, 0)

    single = sum(b.values()) / len(b) - sum(a.values()) / len(a)  # a number, or one difference an example
    if examples := single.size if single.ndim else 0:
        drawn = bootstrap((single,), np.mean, n_resamples=1000, batch=100, method="basic", rng=np.random.default_rng(0))
        parts.append((drawn.standard_error**2, examples - 1))
    variance = sum(v for v, _ in parts)
    df = variance**2 / sum(v**2 / f for v, f in parts)  # Welch and Satterthwaite
    return Comparison(float(difference), math.sqrt(variance), float(df), claim, level, seeds, paired, examples)


def family(comparisons: Mapping[Hashable, Comparison]) -> dict[Hashable, Comparison]:
    """The same comparisons, with intervals so wide that *one* wrong verdict among them all is as rare as 1 - level.

    Holm's way (1979): of m comparisons the clearest, with the smallest `p`, must stand at the level 1 - (1 - level)/m,
    the next at 1 - (1 - level)/(m - 1), and so on; the first that does not stand gives its level to all that follow.
    This limits false alarms among ties where each comparison alone keeps its level (skew breaks both); that no verdict
    about a difference points the wrong way is proved for independent ones (Shaffer 1980; Finner 1999), else simulated.

    ValueError: the levels differ.
    """
    levels = {c.level for c in comparisons.values()}
    if len(levels) > 1:
        raise ValueError(f"the comparisons of a family must have one level, got {sorted(levels)}")
    corrected, stands = {}, True
    for done, name in enumerate(sorted(comparisons, key=lambda name: comparisons[name].p)):
        if stands:
            level = 1 - (1 - comparisons[name].level) / (len(comparisons) - done)
        corrected[name] = replace(comparisons[name], level=level)
        stands = stands and corrected[name].verdict != "not resolved"
    return {name: corrected[name] for name in comparisons}


def print_verdicts(
    comparisons: Mapping[str, Comparison], what: str = "ours is lower by", *, means: str = "", runs: Sequence[str] = ()
) -> None:
    """A line each: the verdict, the difference, its interval, what could have been seen; then what the lines share.

    A name says what is claimed: "LAMB below AdamW, 64 rows". The last line has the seeds, the level of the intervals
    (from the lowest to the highest in a family), and the margin where equality is claimed. Differences are rounded to
    two digits of half their interval. Where the claims of equality have several margins, each has its own in a column.
    A notebook keeps the table as data, too, for the page that lists every verdict of the book, and with each line
    whether its interval ends `near` an edge, and what it takes to judge it beside the claims of other tables.

    Args:
        comparisons: by the words that name them.
        what: is compared, such as "log loss lower by": "by" heads the column of differences, the rest all lines.
        means: what the differences are, in words, where `what` is too short to say it; not printed.
        runs: the names of the recorded runs whose losses were compared; not printed.
    """
    words, by = (what.removesuffix(" by"), "by") if what.endswith(" by") else (what, "value")
    every = comparisons.values()
    margins = sorted({c.claim[1] for c in every if math.isfinite(c.claim[1])})
    rows = [{"claim": name, **_as_text(c)} for name, c in comparisons.items()]
    heads = [words, "verdict", by, "interval", "can see"]
    if len(margins) > 1:
        heads.append("within")
        for row, c in zip(rows, every, strict=True):
            row["within"] = f"{c.claim[1]:.3g}" if c.claim[1] in margins else ""
    print_table([tuple(row.values()) for row in rows], heads)
    levels = sorted({c.level for c in every})
    shared = _shared(every, levels, margins)
    print(shared)
    rows = [row | {"near": c.near, **_alone(c)} for row, c in zip(rows, every, strict=True)]
    table = {"what": words, "by": by, "rows": rows, "shared": shared, "widest": f"{100 * max(levels, default=0):.4g}"}
    leave("verdicts", table | {"means": means, "runs": [*runs]})


def _as_text(c: Comparison) -> dict[str, str]:
    """A comparison as the table has it, column by column."""
    digits = max(0, 1 - math.floor(math.log10(c.half))) if c.df else 3
    return {
        "verdict": c.verdict,
        "by": f"{c.difference:.{digits}f}",
        "interval": f"[{c.low:.{digits}f}, {c.high:.{digits}f}]" if c.df else "none",
        "seen": f"{c.seen:.2g}" if c.df else "none",
    }


def _alone(c: Comparison) -> dict[str, float | str]:
    """The claim's `p`, and the verdict to which it `leans`: its own where an interval resolves it."""
    return {"p": float(f"{c.p:.3g}"), "leans": replace(c, level=0.0).verdict}


def _shared(comparisons: Collection[Comparison], levels: list[float], margins: list[float]) -> str:
    """What all lines of a table share: the seeds, the levels, and the margin where there is one."""
    seeds = dict.fromkeys(
        f"{c.seeds[0]} paired seeds" if c.paired else f"{c.seeds[0]} against {c.seeds[1]} seeds" for c in comparisons
    )
    percent = dict.fromkeys(f"{100 * level:.4g} %" for level in levels)
    parts = [" or ".join(seeds), "intervals at " + " to ".join([*percent][:: max(1, len(percent) - 1)])]
    return "; ".join(parts + [f"equal: within {margin:.3g}" for margin in margins if len(margins) == 1])


def _loss(name: str, seed: Hashable, loss: float | np.ndarray) -> np.ndarray:
    """As an array; ValueError where it cannot be a loss."""
    values = np.asarray(loss, dtype=float)
    if values.ndim > 1 or values.size == 0 or (values.ndim and values.size < 2):
        raise ValueError(f"{name} must have a number or two and more examples for each seed, got {loss} of seed {seed}")
    if not np.isfinite(values).all():
        wrong = values[~np.isfinite(values)].flat[0]
        raise ValueError(f"{name} must have finite losses only, got {wrong} of seed {seed}")
    return values
