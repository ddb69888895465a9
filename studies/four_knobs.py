"""Four methods, each with four knobs, tuned at random points and judged on seeds that chose nothing."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.optim import LAMB, LARS, SGD, AdamW
from minilib.schedules import polynomial, warmup
from studies.study import Study
from studies.tasks import scored

# case -> (task, batch size, steps, batch losses in the running mean that is compared with a target)
CASES = {
    "digits, small": ("digits", 32, 300, 10),
    "digits, big": ("digits", 512, 100, 10),
    "words, small": ("words", 32, 800, 50),
    "words, big": ("words", 256, 500, 20),
}
TRUST, BETA2 = 0.02, 0.99
# method -> the least and the largest learning rate; 2.5 decades each
RATES = {"Nesterov": (0.01, 3.2), "AdamW": (1e-3, 0.32), "LARS": (0.03, 10.0), "LAMB": (1e-3, 0.32)}
# the same for all: 1 - beta1 (momentum), share of the steps for warm-up, weight decay; log-uniform but the second
SHARED = {"1-beta1": (0.01, 0.5), "warmup": (0.0, 0.3), "decay": (1e-5, 1e-1)}


def halton(trials: int, scramble: int) -> np.ndarray:
    """So many Halton points of the unit cube (trials, 4); each scramble is another design."""
    from scipy.stats import qmc

    return qmc.Halton(d=4, scramble=True, rng=scramble).random(trials)


def trial_at(method: str, u) -> dict[str, float]:
    """The hyperparameters of the method at the point u of the unit cube."""
    spaces = {"lr": RATES[method], **SHARED}
    values = {}
    for (name, (low, high)), share in zip(spaces.items(), u, strict=True):
        log = name != "warmup"
        values[name] = float(low * (high / low) ** share if log else low + (high - low) * share)
    return values


def tuned_with(method: str, h: dict[str, float]):
    """Named parameters -> optimizer; vectors (biases, norms) get no decay and no trust ratio."""

    def make(named):
        vectors = {"params": [(n, p) for n, p in named if p.data.ndim == 1], "weight_decay": 0.0}
        matrices = {"params": [(n, p) for n, p in named if p.data.ndim > 1]}
        lr, beta1, decay = h["lr"], 1 - h["1-beta1"], h["decay"]
        if method == "Nesterov":
            return SGD([matrices, vectors], lr=lr, momentum=beta1, weight_decay=decay, nesterov=True)
        if method == "AdamW":
            return AdamW([matrices, vectors], lr=lr, betas=(beta1, BETA2), weight_decay=decay)
        groups = [matrices, vectors | {"layer_adaptation": False}]
        if method == "LARS":
            return LARS(groups, lr=lr, momentum=beta1, weight_decay=decay, trust_coefficient=TRUST)
        return LAMB(groups, lr=lr, betas=(beta1, BETA2), weight_decay=decay)

    return make


def one_trial(case: tuple, method: str, h: dict[str, float], seed: int) -> list:
    """[validation loss, test loss, running mean of the batch losses]; 99 for a run that diverged."""
    name, batch, steps, window = case

    def schedule(t):
        return warmup(t, round(h["warmup"] * steps)) * polynomial(t, steps)

    run = train(scored(name), tuned_with(method, h), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, 99.0, [99.0] * (steps - window + 1)]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = [s if np.isfinite(s) else 99.0 for s in np.minimum(99.0, scored(name).scores(run.model))]
    smooth = np.convolve(run.losses, np.ones(window) / window, "valid")
    return [*map(float, scores), np.minimum(smooth, 99.0).round(4).tolist()]


def search(case: tuple, method: str, trials: list[dict[str, float]], tuning_seed: int, fresh: Sequence[int]) -> dict:
    """One search: the validation losses of all trials on one seed, the best trial, its scores on fresh seeds."""
    tuning = [one_trial(case, method, h, tuning_seed)[0] for h in trials]
    best = int(np.argmin(tuning))
    again = [one_trial(case, method, trials[best], seed)[:2] for seed in fresh]
    return {"tuning": np.round(tuning, 5).tolist(), "best": best, "fresh": np.round(again, 5).tolist()}


def repeat_searches(study: Study) -> None:
    """The whole search again and again, each time with another design, another tuning seed and other fresh seeds.

    The plan has `cases`; `searches`: case -> how often; `trials`; `fresh`: seeds a search; `knobs`: "four knobs" (all
    that the point of the design says) or "rate only" (its first coordinate, and for the rest what `fixed` says).
    """
    plan = study.asked.plan

    def trials(k, method, knobs):
        points = [trial_at(method, u) for u in halton(plan.trials, 200 + k)]
        return points if knobs == "four knobs" else [{"lr": h["lr"]} | plan.fixed[method] for h in points]

    rounds = [(case, k) for k in range(max(plan.searches.values())) for case in plan.searches]
    asked = [at for at in product(rounds, plan.knobs, RATES) if at[0][1] < plan.searches[at[0][0]]]
    cases = {f"{case} {k} {knobs} {method}": (case, k, knobs, method) for (case, k), knobs, method in asked}
    seeds = {k: [3000 + 10 * k + j for j in range(plan.fresh)] for _, k in rounds}

    def job(case, k, knobs, method):
        return search(plan.cases[case], method, trials(k, method, knobs), 2000 + k, seeds[k])

    found = study.run((key, partial(job, *at)) for key, at in cases.items())
    rows = []
    for key, (case, k, knobs, method) in cases.items():
        chosen = {name: round(v, 6) for name, v in trials(k, method, knobs)[found[key]["best"]].items()}
        for seed, (validation, test) in zip(seeds[k], found[key]["fresh"], strict=True):
            row = {"case": case.replace(",", ""), "search": k, "knobs": knobs, "optimizer": method} | chosen
            rows.append(row | {"seed": seed, "validation": validation, "test": test})
    corpus = docstrings() if any(name == "words" for name, *_ in plan.cases.values()) else None
    study.record(rows, {"tuning": {key: found[key]["tuning"] for key in cases}}, corpus)
