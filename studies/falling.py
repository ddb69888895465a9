"""Learning rates that fall, or do not, each at the best of its own rates; runs that are extended; wrong lengths.

`studies/designs.md`, "Schedules and averages", says what is asked. All arms of a method have the same seeds, batches
and warm-up, over a twentieth of the steps that were planned for. Absent on purpose: verdicts, which the chapter asks.
"""

from functools import partial

import numpy as np

from minilib.data import docstrings
from minilib.optim import LAMB, SGD, AdamW, parameter_groups
from minilib.schedules import constant, cosine, polynomial, warmup, wsd
from studies.rates import best_rate
from studies.study import Study
from studies.tasks import scored

LAST = 4  # cooldown and average take the last quarter
# arm -> step, planned steps -> multiplier of the rate
ARMS = {
    "constant": lambda t, T: constant(t),
    "average": lambda t, T: constant(t),
    "inverse": lambda t, T: 1 / (1 + 10 * t / T),
    "cosine": cosine,
    "linear": polynomial,
    "wsd": lambda t, T: wsd(t, T, T // LAST),
    "rising": lambda t, T: (t + 1) / T,
}
METHODS = {
    "SGD": lambda named, lr: SGD(named, lr, momentum=0.9),
    "AdamW": lambda named, lr: AdamW(named, lr, (0.9, 0.99), weight_decay=0.01),
    "LAMB": lambda named, lr: LAMB(parameter_groups(named, 0.01, layer_adaptation=False), lr, (0.9, 0.99)),
}
POINTS = 20  # of a curve


def objective(plan, model):
    """The training loss: of all digits, or of the first chunks of words."""
    task = scored(plan.task)
    rows = slice(None) if plan.task == "digits" else slice(plan.rows)
    return float(task.loss(model, rows).data)


def capped(losses):
    return [round(float(np.nan_to_num(np.minimum(99.0, loss), nan=99.0)), 5) for loss in losses]


def run(plan, method, lr, seed, multiplier, steps, marks, average=False, curve=False):
    """Train for `steps` steps at the rate `lr * multiplier(step)`.

    Returns: "scores": for each step in `marks`, the validation and the held-out loss then; with `average` of the mean
    of the weights of the last quarter (one mark, the end). "curve": the training loss at `POINTS` equal distances.
    """
    task, rng = scored(plan.task), np.random.default_rng(seed)
    model = task.model(rng)
    params = model.parameters()
    opt = METHODS[method](list(model.named_parameters()), lr)
    sums, scores, losses = [np.zeros_like(p.data, float) for p in params], {}, []
    with np.errstate(over="ignore", invalid="ignore"):
        for step in range(steps):
            loss = task.loss(model, rng.permutation(task.n)[: plan.batch])
            opt.zero_grad()
            loss.backward()
            if not all(np.isfinite(np.vdot(a, a)) for a in [loss.data, *(p.grad for p in params)]):
                return {"scores": [[99.0, 99.0]] * len(marks), "curve": [99.0] * (POINTS * curve)}
            opt.lr = lr * multiplier(step)
            opt.step()
            done = step + 1
            if average and done > steps - steps // LAST:
                for total, p in zip(sums, params, strict=True):
                    total += p.data
            if curve and done % (steps // POINTS) == 0 and not average:
                losses.append(objective(plan, model))
            if done in marks:
                if average:
                    for total, p in zip(sums, params, strict=True):
                        p.data[...] = total / (steps // LAST)
                scores[done] = capped(task.scores(model))
        if curve and average:
            losses = [objective(plan, model)] * POINTS
    return {"scores": [scores[mark] for mark in marks], "curve": capped(losses)}


def one(plan, method, arm, lr, seed, planned, stopped, curve=False):
    """`run` with the arm's schedule for `planned` steps and its warm-up, until `stopped`."""

    def multiplier(t):
        return warmup(t, planned // POINTS) * ARMS[arm](t, planned)

    return run(plan, method, lr, seed, multiplier, stopped, [stopped], arm == "average", curve)


def lengthened(plan, method, arm, lr, seed):
    """Runs whose length changed, [validation, held out]: see `designs.md`; the warm-up is that of the first plan."""
    T, last = plan.steps, plan.steps // LAST

    def trained(multiplier, steps, *marks):
        warmed = lambda t: warmup(t, T // POINTS) * multiplier(t)  # noqa: E731
        return run(plan, method, lr, seed, warmed, steps, marks)["scores"]

    if arm == "wsd":
        longer = 2 * T - last  # the first cooldown is paid for
        twice, branched = trained(lambda t: wsd(t, longer, longer // LAST), longer, T, longer)
        extended = {"branched": branched}
    else:
        twice, planned = trained(lambda t: ARMS[arm](t, 2 * T), 2 * T, T, 2 * T)
        extended = {"planned for 2 T": planned}
        if arm == "cosine":
            again = trained(lambda t: cosine(t if t < T else t - T, T), 2 * T, 2 * T)
            extended |= {"started again": again[0]}
    half = trained(lambda t: ARMS[arm](t, T // 2), T // 2, T // 2)
    return extended | {"plan twice as long": twice, "plan half as long": half[0]}


def compare_schedules(study: Study) -> None:
    """Tune every arm of every method, judge it, change its length where the plan asks, and record."""
    plan, rows, results = study.asked.plan, [], {}
    for method, middles in plan.rates.items():
        results[method] = {"rates": {}, "held out": {}, "tuning": {}, "length": {}}
        for arm, middle in middles.items():
            tuning = results[method]["tuning"][arm] = {}

            def loss(lr, at=(method, arm), tuning=tuning):
                keys = {f"{at} {lr:g} {s}": s for s in plan.tuning_seeds}
                jobs = ((key, partial(one, plan, *at, lr, s, plan.steps, plan.steps)) for key, s in keys.items())
                done = study.run(jobs)
                tuning[f"{lr:g}"] = round(float(np.mean([done[key]["scores"][-1][0] for key in keys])), 5)
                return tuning[f"{lr:g}"]

            lr = results[method]["rates"][arm] = best_rate(study, loss, [middle / 2, middle, middle * 2])
            keys = {f"{(method, arm)} judged {s}": s for s in plan.seeds}
            done = study.run(
                (key, partial(one, plan, method, arm, lr, s, plan.steps, plan.steps, curve=True))
                for key, s in keys.items()
            )
            results[method]["held out"][arm] = {s: done[key]["scores"][-1][1] for key, s in keys.items()}
            for key, seed in keys.items():
                row = {"optimizer": method, "schedule": arm, "lr": lr, "seed": seed}
                points = range(plan.steps // POINTS, plan.steps + 1, plan.steps // POINTS)
                rows += [row | {"step": t, "loss": v} for t, v in zip(points, done[key]["curve"], strict=False)]
        for arm in plan.lengths.get(method, ()):
            lr = results[method]["rates"][arm]
            keys = {f"{(method, arm)} length {s}": s for s in plan.seeds}
            done = study.run((key, partial(lengthened, plan, method, arm, lr, s)) for key, s in keys.items())
            for name in done[next(iter(keys))]:
                ends = {s: done[key][name][1] for key, s in keys.items()}
                results[method]["length"][f"{arm}, {name}"] = ends
    study.record(rows, results, docstrings() if plan.task == "words" else None)
