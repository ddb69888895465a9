"""What several studies share, so that their records can be compared: tasks, variants of methods, ways to tune and run.

Nothing is built or read when this is imported. A function that trains in PyTorch imports it then, so that the studies
in NumPy do without.
"""

import json
import math
from collections.abc import Callable
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minilib.autodiff import cross_entropy
from minilib.datasets import docstrings
from minilib.experiments.study import Study
from minilib.experiments.tasks import DigitsTask, WordsTask, train
from minilib.experiments.tuning import best_rate
from minilib.optim import CAME, LAMB, AdamW, clip_grad_norm, parameter_groups
from minilib.optim.base import ema
from minilib.schedules import polynomial, warmup

# ---- Tasks -----------------------------------------------------------------------------------------------------------


@cache
def digits(**shape) -> DigitsTask:
    """The task of this shape, built once."""
    return DigitsTask(**shape)


@cache
def words(**shape) -> WordsTask:
    """The task of this shape, built once."""
    return WordsTask(**shape)


@cache
def scored(name: str, **shape):
    """`Digits` or `Words`, which have examples that tuning never sees, built once."""
    return {"digits": Digits, "words": Words}[name](**shape)


class Digits(DigitsTask):
    """Digits; the images that training never sees are dealt out to validation and test in turn."""

    def scores(self, model):
        """Mean cross-entropy (validation, test)."""
        halves = [(self.x_test[k::2], self.y_test[k::2]) for k in (0, 1)]
        return [float(cross_entropy(model(x), y).data) for x, y in halves]


class Words(WordsTask):
    """Masked words; 1,024 chunks of files that training never sees for validation, the next 1,024 for test."""

    def scores(self, model):
        """Mean cross-entropy (validation, test)."""
        halves = [slice(0, 1024), slice(1024, 2048)]
        return [float(self.masked_loss(model, self.ids_test[h], self.hidden_test[h]).data) for h in halves]


# ---- Masked words: seven rates on one seed, five fresh seeds ---------------------------------------------------------

WORDS = {"steps": {64: 1200, 512: 600}, "tuning_seed": 100, "seeds": (0, 1, 2, 3, 4)}  # steps by batch


def compare_on_words(study: Study, methods: dict[str, Callable], rates: dict[str, list[float]]) -> None:
    """Tune every method at both batch sizes on one seed, run the best rate on fresh seeds, and record.

    Args:
        methods: name -> function (named parameters, lr) -> optimizer.
        rates: name -> rates, the best of which must not be at an edge.
    """
    curve, results = [], {"unigram": words().unigram_entropy()}
    for batch, steps in WORDS["steps"].items():
        for method, grid in rates.items():
            case = f"{(batch, method)}"

            def losses(lrs, seeds, case=case, make=methods[method], batch=batch, steps=steps):
                keys = {f"{case} {lr} {seed}": (lr, seed) for lr in lrs for seed in seeds}
                done = study.run((k, lambda at=at: words_run(make, *at, batch, steps)) for k, at in keys.items())
                return [done[key] for key in keys]

            tuned = [loss for loss, _ in losses(grid, [WORDS["tuning_seed"]])]
            best = grid[int(np.argmin(tuned))]
            if best in (grid[0], grid[-1]):
                raise ValueError(f"the best rate of {method} at {batch} is {best}, at the edge of its grid: extend it")
            fresh = losses([best], WORDS["seeds"])
            results[f"{batch}, {method}"] = {"lr": best, "tuning": tuned, "test": [loss for loss, _ in fresh]}
            ends = (np.arange(40) + 1) * steps // 40
            for seed, (_, means) in zip(WORDS["seeds"], fresh, strict=True):
                row = {"batch": batch, "optimizer": method, "seed": seed}
                curve += [row | {"step": int(s), "loss": v} for s, v in zip(ends, means, strict=True)]
    study.record(curve, results, docstrings())


def words_run(make: Callable, lr: float, seed: int, batch: int, steps: int) -> list:
    """Test loss at the end (99 when the run diverged) and the training losses, averaged over 40 stretches."""

    def schedule(t):
        return warmup(t, steps // 10) * polynomial(t, steps)

    run = train(words(), lambda named: make(named, lr), steps, batch, seed, schedule)
    if run.diverged:
        return [99.0, [99.0] * 40]
    with np.errstate(over="ignore", invalid="ignore"):
        return [words().test_loss(run.model), run.losses.reshape(40, -1).mean(axis=1).round(4).tolist()]


# ---- Variants of methods ---------------------------------------------------------------------------------------------


class WithoutConfidence(CAME):
    """Algorithm 1 of the CAME paper: Adafactor's clipped direction, averaged; nothing is divided by the instability."""

    def update(self, x, g, s):
        # m_t = β₁ m_{t−1} + (1 − β₁) û_t,  θ ← θ − η m_t
        x -= self.lr * ema(s, "m", self.clipped_direction(g, s, self.betas[1]), self.betas[0])


class Knobs(LAMB):
    """LAMB with the norm of the ratio, and the place of the decay, as class attributes."""

    order, decay_inside, clip = 2, True, math.inf

    def step(self):
        if self.clip < math.inf:
            clip_grad_norm([p for group in self.param_groups for p in group["params"]], self.clip)
        super().step()

    def update(self, x, g, s):
        r = self.direction(g, s)
        u = r + self.weight_decay * x if self.decay_inside else r
        size, norm = (np.linalg.norm(a.ravel(), self.order) for a in (x, u))
        size = min(max(size, self.phi[0]), self.phi[1])
        ratio = size / norm if self.layer_adaptation and size > 0 and norm > 0 else 1.0
        if not self.decay_inside:
            x -= self.lr * self.weight_decay * x
        x -= self.lr * ratio * u


def knobs(**attributes):
    return type("Knobs", (Knobs,), attributes)


class Variant(NamedTuple):
    """One knob of LAMB turned: the class, its options, whether the rate warms up, and the first rate to try."""

    kind: type
    options: dict
    warm_up: bool
    first: float


LAMB_VARIANTS = {
    "LAMB": Variant(Knobs, {}, True, 0.00125),
    "phi: at most 1": Variant(Knobs, {"phi": (0.0, 1.0)}, True, 0.0025),
    "phi: constant 1": Variant(Knobs, {"phi": (1.0, 1.0 + 1e-9)}, True, 0.005),
    "no warm-up": Variant(Knobs, {}, False, 0.00125),
    "no bias correction": Variant(Knobs, {"bias_correction": False}, True, 0.00125),
    "neither": Variant(Knobs, {"bias_correction": False}, False, 0.00125),
    "no decay": Variant(Knobs, {"weight_decay": 0.0}, True, 0.00125),
    "decay 1 inside": Variant(Knobs, {"weight_decay": 1.0}, True, 0.00125),
    "decay 1 outside": Variant(knobs(decay_inside=False), {"weight_decay": 1.0}, True, 0.00125),
    "nothing excluded": Variant(Knobs, {"all": True}, True, 0.00125),
    "1-norm": Variant(knobs(order=1), {}, True, 0.00125),
    "max-norm": Variant(knobs(order=math.inf), {}, True, 0.00125),
    "global clip 1": Variant(knobs(clip=1.0), {}, True, 0.00125),
    "AdamW": Variant(AdamW, {}, True, 0.0003125),
}


def lamb_variant(name: str, named, lr: float):
    """The optimizer of this name in `LAMB_VARIANTS` for these named parameters."""
    kind, options = LAMB_VARIANTS[name].kind, {"weight_decay": 0.01} | LAMB_VARIANTS[name].options
    decay, every = options.pop("weight_decay"), options.pop("all", False)
    exclude = {} if kind is AdamW or every else {"layer_adaptation": False}
    return kind(parameter_groups(named, decay, **exclude), lr=lr, **options)


# ---- Equal tuning of models in PyTorch -------------------------------------------------------------------------------

CURVE = ("step", "tokens", "loss", "validation_loss", "validation_accuracy", "grad_norm", "lr")
SMALL_BERT = {"vocabulary": 2048, "layers": 2, "width": 64, "length": 32, "tokens": 600_000, "evaluate_rows": 1024}
THREE_MODELS = {
    "tokens": 500_000,
    "models": ("bert-tiny", "gpt2", "t5-small"),
    "batches": (32, 256),
    "base": 32,
    "seeds": (0, 1, 2),
}


def pretrain(folder: Path, **changes) -> list:
    """The rows of a run's curve at which it validated, and its results. It goes on where it was killed."""
    from minilib.training import trainer
    from minilib.training.config import Config
    from minilib.training.run_dir import read_curve

    config = Config(precision="fp32", device="cpu", out=str(folder), **changes)
    results = trainer.train(config, quiet=True)
    rows = [{k: float(row[k]) for k in CURVE} for row in read_curve(folder)]
    return [[row for row in rows if row["validation_loss"] == row["validation_loss"]], results]


def losses(folder: Path, validations: int = 8, **changes) -> list[list[float]]:
    """Tokens and validation loss at (about) so many validations of a run of SMALL_BERT with changes, the last one last.

    A run that diverged has one row: 0 and 99.
    """
    from minilib.training.config import Config
    from minilib.training.trainer import Diverged

    settings = SMALL_BERT | changes
    often = max(1, sum(phase.steps for phase in Config(**settings).plan) // validations)
    try:
        rows, _ = pretrain(folder, **settings, evaluate_every=often, log_every=often, save_every=10**6)
    except Diverged:
        return [[0, 99.0]]
    return [[row["tokens"], round(row["validation_loss"], 4)] for row in rows]


def scaled(rates: list[float], batch: int, base: int) -> list[float]:
    """Rates for the batch `base` times the root of the batch, to three digits."""
    return [float(f"{lr * sqrt(batch / base):.3g}") for lr in rates]


def tune(study: Study, job: Callable, first: dict) -> dict:
    """The best rate of every case (`best_rate`), by the last loss of its run.

    Args:
        job: (case, lr) -> (key, function) for `study`; the function returns rows (tokens, loss) as `losses` does.
        first: case -> the rates to begin with.
    """
    study.run([job(case, lr) for case, rates in first.items() for lr in rates])

    def loss(case, lr):
        key, function = job(case, lr)
        return study.run([(key, function)])[key][-1][1]

    return {case: best_rate(partial(loss, case), rates) for case, rates in first.items()}


def compare_models(study: Study, rates: dict[str, list[float]]) -> None:
    """Tune every method on every model and batch of THREE_MODELS with one seed, repeat with two more, and record."""
    plan = THREE_MODELS

    def job(case, lr, seed=plan["seeds"][0]):
        (model, batch, optimizer), key = case, json.dumps([*case, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": model, "batch_size": batch, "optimizer": optimizer, "lr": lr, "seed": seed}
        return key, lambda: losses(folder, 16, tokens=plan["tokens"], evaluate_rows=512, **changes)

    cases = [(model, batch, name) for model in plan["models"] for batch in plan["batches"] for name in rates]
    chosen = tune(study, job, {case: scaled(rates[case[2]], case[1], plan["base"]) for case in cases})
    study.run([job(case, chosen[case], seed) for case in cases for seed in plan["seeds"][1:]])
    curve = []
    for key, points in study.saved["jobs"].items():
        row = dict(zip(("model", "batch", "optimizer", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    study.record(curve, {"chosen": {" ".join(map(str, case)): lr for case, lr in chosen.items()}}, docstrings())
