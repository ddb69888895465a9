"""Equal tuning: what the records of Part IV hold, whose first seed chose the learning rate of each case.

The rule of the choice is `studies.rates.best_between`: a rate that has been beaten on neither side.
"""

from typing import NamedTuple

from minilib.experiments.records import Record


class Tuned(NamedTuple):
    """The runs of one case of a record.

    Attributes:
        rate: the learning rate that the study chose, or that its rule gives.
        tried: rate -> last loss, of the seed that chose it; 99 for a run that diverged.
        curves: seed -> the points (tokens, loss) of its run at that rate, for the seeds that chose nothing.
    """

    rate: float
    tried: dict[float, float]
    curves: dict[int, list[tuple[float, float]]]

    @property
    def last(self) -> dict[int, float]:
        """seed -> last loss, for the seeds that chose nothing."""
        return {seed: points[-1][1] for seed, points in self.curves.items()}


def tuned(record: Record, rates: str = "chosen") -> dict[tuple | str, Tuned]:
    """case -> its runs, of a record whose first seed tuned and whose others judge.

    A case is what the columns of the curve other than rate, seed, tokens and loss say, such as ("gpt2", 128, "lamb");
    where there is one such column it stands for itself.

    Args:
        rates: which of the record's results has the rate of every case: those that were "chosen", or, where a study
            also ran the rates of a rule, "ruled".

    ValueError: the record has no such rates, or none for one of its cases.
    """
    chosen, tuning = record.run["results"].get(rates), record.run["config"].get("seeds", [None])[0]
    if not chosen:
        raise ValueError(f"run {record.run['name']!r} has no rates that were {rates}")
    columns = [name for name in record.curve[0] if name not in ("rate", "seed", "tokens", "loss")]
    points = {}
    for row in record.curve:
        case = tuple(int(v) if isinstance(v := row[name], float) else v for name in columns)
        points.setdefault((case, row["rate"], int(row["seed"])), []).append((row["tokens"], row["loss"]))
    cases = {}
    for case in dict.fromkeys(case for case, *_ in points):
        if (rate := chosen.get(" ".join(map(str, case)))) is None:
            raise ValueError(f"run {record.run['name']!r} has no rate for {case}; there are {list(chosen)}")
        own = {(lr, seed): curve for (of, lr, seed), curve in points.items() if of == case}
        tried = {lr: own[lr, seed][-1][1] for lr, seed in sorted(own) if seed == tuning}
        curves = {seed: curve for (lr, seed), curve in own.items() if lr == rate and seed != tuning}
        cases[case if len(case) > 1 else case[0]] = Tuned(rate, tried, curves)
    return cases
