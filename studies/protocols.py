"""What several studies share: their command line, and, so that records can be compared, tasks, variants, tuning.

Nothing is built or read when this is imported. A function that trains in PyTorch imports it then, so that the studies
in NumPy do without.
"""

import argparse
import json
import math
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from minilib.autodiff import cross_entropy
from minilib.data import docstrings
from minilib.experiments.tasks import DigitsTask, WordsTask, train
from minilib.optim import CAME, LAMB, LARS, SGD, AdamW, clip_grad_norm, parameter_groups
from minilib.optim.base import ema
from minilib.schedules import polynomial, warmup
from studies.study import USUAL, Study, StudyArgs, settings

# ---- The command line of a study -------------------------------------------------------------------------------------

NUMPY = "this study is written in NumPy"  # why a study runs on the CPU alone


def start(main: Callable[[StudyArgs], None], sizes: dict[str, dict], cpu_only: str | None = None) -> None:
    """Run `main` at the size and on the device that the command line names; exit 2 with one line if they cannot be had.

    Args:
        sizes: size -> settings: all of them for "laptop", for another size those that are different there.
        cpu_only: why the study runs on the CPU alone; None for a study in PyTorch that runs on any device.
    """
    module = main.__globals__["__spec__"].name
    parser = argparse.ArgumentParser(prog=f"python -m {module}", allow_abbrev=False)
    parser.add_argument("--size", default="laptop", help=f"one of {', '.join(sizes)}; laptop makes the book's record")
    usual = ", ".join(f"{USUAL[size]} for {size}" for size in sizes)
    parser.add_argument("--device", help=f"cpu, cuda, mps, tpu; by default {usual}")
    parser.add_argument("--spread", type=int, default=0, metavar="N", help="N jobs at once: Slurm's, or processes here")
    typed = parser.parse_args()
    try:
        asked = ask(sizes, typed.size, typed.device, cpu_only, shlex.join(["python", "-m", module, *sys.argv[1:]]))
        if typed.spread < 0:
            raise ValueError(f"spread must be at least 1 job at a time, or 0, got {typed.spread}")
        asked = replace(asked, spread=typed.spread)
    except ValueError as error:
        parser.exit(2, f"error: {error}\n")
    main(asked)


def ask(sizes: dict, size: str, device: str | None = None, cpu_only: str | None = None, command: str = "") -> StudyArgs:
    """What `start` hands to `main`.

    A study trains in float32, so that every machine can repeat it; where a size has the setting "precision", in that:
    "bf16", or "fastest", which is what is fastest on the device.

    Raises:
        ValueError: the study has no such size, or the device is not there or not for this study.
    """
    plan = settings(sizes, size)
    device = device or USUAL[size]
    if cpu_only and device != "cpu":
        raise ValueError(f"device must be cpu, got {device!r}: {cpu_only}")
    wanted = getattr(plan, "precision", "fp32")
    if device == "cpu" and wanted != "fastest":
        return StudyArgs(size, device, plan, wanted, command=command)
    from minilib.training.device import describe, pick, precision

    place = pick(device)
    machine = None if place.type == "cpu" else describe(place)
    return StudyArgs(size, device, plan, precision(place) if wanted == "fastest" else wanted, machine, command)


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


@cache
def photographs(train: int, test: int, pool: int, device: str) -> dict:
    """CIFAR-10 in the parts "train", "validation" and "test": images (N, 3, 32/pool, 32/pool) and classes (N,).

    Read once in a process: a study that is spread hands no images to its jobs. Of the training images `train` are
    trained on and 5,000 (or `test`, if that is less) set apart for validation. The images are averaged over squares of
    `pool` pixels, then each channel has mean 0 and standard deviation 1 over the training images.
    """
    import torch

    from minilib.training.device import pick
    from studies.photographs import cifar10

    photos = cifar10()
    order = np.random.default_rng(0).permutation(len(photos.y_train))
    index = {"train": order[:train], "validation": order[-min(5000, test) :]}
    cut = {part: (photos.x_train[rows], photos.y_train[rows]) for part, rows in index.items()}
    cut["test"] = (photos.x_test[:test], photos.y_test[:test])

    def tensors(images, classes):
        pictures = torch.nn.functional.avg_pool2d(torch.tensor(images).float(), pool)
        return pictures, torch.tensor(classes).long()

    parts = {part: tensors(*both) for part, both in cut.items()}
    mean, deviation = (f(parts["train"][0], dim=(0, 2, 3), keepdim=True) for f in (torch.mean, torch.std))
    place = pick(device)
    return {part: ((x - mean).div(deviation).to(place), y.to(place)) for part, (x, y) in parts.items()}


# CIFAR-10 at a quarter of its pixels for a small residual network, and its toy size.
PHOTOGRAPHS = {"train": 45_000, "test": 10_000, "pool": 2, "epochs": 10, "widths": (8, 16, 32)}
# Fewer than 8 channels in the order `channels_last` crash on processors without AVX-512: oneDNN writes past their ends.
TOY_PHOTOGRAPHS = {"train": 64, "test": 64, "pool": 4, "epochs": 1, "widths": (8, 16)}
SETTLED = 10_000  # images that give the batch norms their means and variances


def fit_photographs(plan, device: str, part: str, name: str, batch: int, lr: float, decay: float, seed: int) -> list:
    """Train a small residual network with a method; warm-up over a fifth of the steps, then linear decay.

    Returns the last training loss, and loss and accuracy on the images of `part`; (99, 99, 0.1) when the run diverged.
    """
    import torch

    from minilib.models.resnet import ResNet, evaluate, fit, settle
    from minilib.training.optimizers import optimizer

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    parts = photographs(plan.train, plan.test, plan.pool, device)
    images, classes = parts["train"]
    # this order of the numbers in memory halves the time of a step on a processor
    model = ResNet(channels=3, widths=plan.widths).to(images.device, memory_format=torch.channels_last)
    opt = optimizer(name, model, lr, decay, images.device)

    def schedule(step, steps):
        return warmup(step, steps // 5) * polynomial(step, steps)

    last = fit(model, opt, images, classes, batch, plan.epochs, schedule, seed)[-1]
    settle(model, images[:SETTLED])
    loss, accuracy = evaluate(model, *parts[part])
    diverged = not math.isfinite(last + loss)
    return [99.0, 99.0, 0.1] if diverged else [round(v, 5) for v in (last, loss, accuracy)]


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


# ---- Four methods, four knobs ----------------------------------------------------------------------------------------

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


# ---- The best of several rates ---------------------------------------------------------------------------------------


def inside(study: Study, rates: list[float], losses, who: str) -> float:
    """The rate with the lowest loss.

    Raises:
        ValueError: it is at an edge of the grid. At size "toy" it may be.
    """
    k = int(np.argmin(losses))
    if k in (0, len(rates) - 1) and not study.toy:
        raise ValueError(f"the best rate of {who} is {rates[k]:.4g}, at the edge of its grid: extend it")
    return rates[k]


def best_between(loss: Callable[[float], float], rates: Sequence[float], factor: float = 2.0, most: int = 12) -> float:
    """The rate whose loss is lowest, with a neighbour on either side that was tried and is not lower.

    While the best is the lowest or the highest that was tried, one more is tried beyond it. Deliberately absent:
    searches over several settings at once, and early stopping; a run that diverged counts as the worst.

    Args:
        loss: rate -> loss; infinite (or 99) for a run that diverged. It is called once for each rate.
        rates: the first ones to try, `factor` apart.
        factor: between neighbours.
        most: rates to try before giving up.

    ValueError: no rates, or the best is still at an edge after `most` of them.
    """
    if not rates:
        raise ValueError("rates must hold at least one learning rate, got none")
    losses = {rate: loss(rate) for rate in sorted(rates)}
    while True:
        low, high, best = min(losses), max(losses), min(losses, key=losses.get)
        if low < best < high:
            return best
        if len(losses) >= most:
            raise ValueError(f"the best rate is {best:g}, at the edge of the {len(losses)} that were tried")
        beyond = high * factor if best == high else low / factor
        losses[beyond] = loss(beyond)


def widened(grid: list[float], losses, factor: float, most: int = 12) -> list[float]:
    """The grid with one more rate, of three digits, beyond its best one if that is at an edge; else as it is.

    For searches that go on in rounds, so that several grids share the cores.

    ValueError: the best is still at an edge, and the grid has `most` rates.
    """
    best = int(np.argmin(losses))
    if 0 < best < len(grid) - 1:
        return grid
    if len(grid) >= most:
        raise ValueError(f"the best rate is {grid[best]:g}, at the edge of the {len(grid)} that were tried")
    return [three_digits(grid[0] / factor), *grid] if best == 0 else [*grid, three_digits(grid[-1] * factor)]


def three_digits(rate: float) -> float:
    return float(f"{rate:.3g}")


def best_rate(study: Study, loss: Callable[[float], float], rates: list[float]) -> float:
    """`best_between`; at size "toy" the best of these rates, and no other is tried."""
    return min(rates, key=loss) if study.toy else best_between(loss, rates)


# ---- Octaves of rates, moved until the best is inside, and half an octave to both sides of it ------------------------


def search_octaves(scores: Callable, middles: dict[str, float], plan: SimpleNamespace) -> tuple[dict, dict, dict]:
    """Choose a rate for every method by the loss on validation words.

    Args:
        scores: (pairs of a method and a rate, seeds) -> {pair: for each seed a list, the validation loss first}.
        middles: method -> the middle of its first rates.
        plan: `count` rates, a factor 2 apart; at most so many `moves` of them by one; `tuning_seeds`.

    Returns: {(method, rate): what `scores` found}, {method: the best rate}, {method: how often its rates were moved}.
    """
    tuned, moves, at_edge = {}, dict.fromkeys(middles, 0), list(middles)
    grids = {name: [m * 2.0 ** (j - plan.count // 2) for j in range(plan.count)] for name, m in middles.items()}

    def best(name):
        means = {lr: np.mean([s[0] for s in found]) for (method, lr), found in tuned.items() if method == name}
        return min(means, key=means.get)

    while at_edge:
        tuned |= scores([(name, lr) for name in at_edge for lr in grids[name]], plan.tuning_seeds)
        factors = {name: {grids[name][0]: 0.5, grids[name][-1]: 2.0}.get(best(name)) for name in at_edge}
        at_edge = [name for name in at_edge if factors[name] and moves[name] < plan.moves]
        for name in at_edge:  # the best rate is at the edge: move the grid by one
            grids[name], moves[name] = [lr * factors[name] for lr in grids[name]], moves[name] + 1
    tuned |= scores([(name, best(name) * 2.0**k) for name in middles for k in (-0.5, 0.5)], plan.tuning_seeds)
    return tuned, {name: best(name) for name in middles}, moves


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
# Models at the other sizes: of almost nothing, on a short text; and of four layers of width 256 with BERT's published
# vocabulary.
SHORT_TEXT = str(Path(__file__).parents[1] / "LICENSE-text.txt")
TOY_MODEL = {"corpus": SHORT_TEXT, "vocabulary": 400, "layers": 1, "width": 16, "length": 16, "evaluate_rows": 16}
GPU_MODEL = {"vocabulary": 30_522, "layers": 4, "width": 256, "length": 128, "evaluate_rows": 1024}
# Whole runs of them: 2 steps, and 50 million tokens. That is some thirty passes over the docstrings.
TOY_RUN = TOY_MODEL | {"batch_size": 4, "steps": 2, "evaluate_every": 1, "log_every": 1}
GPU_RUN = GPU_MODEL | {"batch_size": 256, "tokens": 50_000_000, "lr": 1e-3}
THREE_MODELS = {
    "tokens": 500_000,
    "models": ("bert-tiny", "gpt2", "t5-small"),
    "batches": (32, 256),
    "base": 32,
    "seeds": (0, 1, 2),
    "bench": SMALL_BERT | {"evaluate_rows": 512},  # settings of all runs
}
# A GPT-2 that leaves the plateau within a quarter of a million tokens; the first seed tunes (studies/README.md).
GPT2 = {
    "tokens": 4_000_000,
    "models": ("gpt2",),
    "base": 64,
    "seeds": (100, 0, 1, 2, 3, 4),
    "bench": {"vocabulary": 2048, "layers": 2, "width": 64, "length": 32, "evaluate_rows": 1024},
}
TOY_GPT2 = {"tokens": 64, "batches": (2,), "base": 2, "seeds": (100, 0), "bench": TOY_MODEL}
GPU_GPT2 = {"tokens": 50_000_000, "bench": GPU_MODEL | {"micro_batch": 256}, "precision": "fastest"}
TOY_THREE_MODELS = {"tokens": 64, "batches": (2,), "base": 2, "seeds": (0,), "bench": TOY_MODEL}
GPU_THREE_MODELS = {
    "tokens": 20_000_000,
    "batches": (64, 512),
    "base": 64,
    "bench": GPU_MODEL | {"evaluate_rows": 512, "micro_batch": 256},
    "precision": "fastest",
}


def pretrain(asked: StudyArgs, folder: Path, **changes) -> list:
    """The rows of a run's curve at which it validated, and its results. It goes on where it was killed."""
    from minilib.training import trainer
    from minilib.training.config import Config
    from minilib.training.run_dir import read_curve

    config = Config(precision=asked.precision, device=asked.device, out=str(folder), **changes)
    results = trainer.train(config, quiet=True)
    rows = [{k: float(row[k]) for k in CURVE} for row in read_curve(folder)]
    return [[row for row in rows if row["validation_loss"] == row["validation_loss"]], results]


def losses(asked: StudyArgs, folder: Path, validations: int = 8, **settings) -> list[list[float]]:
    """Tokens and validation loss at (about) so many validations of a run with these settings, the last one last.

    A run that diverged has one row: 0 and 99. One that is killed begins anew, unless the settings have `save_every`.
    """
    from minilib.training.config import Config
    from minilib.training.trainer import Diverged

    often = max(1, sum(phase.steps for phase in Config(**settings).plan) // validations)
    try:
        rows, _ = pretrain(asked, folder, evaluate_every=often, log_every=often, **{"save_every": 10**6} | settings)
    except Diverged:
        return [[0, 99.0]]
    return [[row["tokens"], round(row["validation_loss"], 4)] for row in rows]


def counting(model: str, vocabulary: int, length: int, evaluate_rows: int, corpus: str = "docstrings", **_) -> dict:
    """What tables of tokens, pairs and triples lose on the rows on which a run with these settings is validated.

    For a GPT-2 on its tokens. For a T5 on what its decoder is to write, each token after the one or two before it, with
    the training text cut into spans once; its table sees nothing of the encoder's text.

    Raises:
        ValueError: another model. A BERT's rival looks at both sides ("BERT from scratch").
    """
    from minilib.data import corpora, objectives
    from minilib.data.loader import evaluation
    from minilib.data.packing import packed_rows
    from minilib.data.tokenizer import get_tokenizer
    from studies.ngrams import next_token_losses

    kind = model.split("-")[0]
    if kind not in ("gpt2", "t5"):
        raise ValueError(f"model must be a GPT-2 or a T5, got {model!r}")
    texts = corpora.corpus(corpus)
    tokenizer = get_tokenizer(texts, kind, vocabulary)
    objective = objectives.causal if kind == "gpt2" else objectives.spans(tokenizer)
    longer = length + 1 if kind == "gpt2" else length
    train, held_out = (packed_rows(texts, part, tokenizer, longer) for part in ("train", "validation"))
    (judged,) = evaluation(held_out, objective, evaluate_rows, evaluate_rows)
    learned = objective(train, np.arange(len(train)), 0, 0)
    if kind == "gpt2":
        rows = learned["tokens"], judged["tokens"].numpy()
    else:  # the first token is to be written, too
        written = learned["targets"], judged["targets"].numpy()
        rows = (np.pad(targets, ((0, 0), (1, 0)), constant_values=tokenizer.separator) for targets in written)
    return next_token_losses(*rows, len(tokenizer))


def autocast(asked: StudyArgs):
    """The context of a forward pass in the precision that was asked for."""
    import torch

    kind, half = asked.device.split(":")[0], {"bf16": torch.bfloat16, "fp16": torch.float16}.get(asked.precision)
    return torch.autocast(kind, half, enabled=half is not None)


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

    return {case: best_rate(study, partial(loss, case), rates) for case, rates in first.items()}


def compare_models(study: Study) -> None:
    """Tune every method on every model and batch of the plan with one seed, repeat with the others, and record.

    The plan has what THREE_MODELS has, and `rates` by method. Only the seeds after the first have chosen nothing. With
    `rule_from`, a batch of the plan, they also run at the rates that the rule of the root carries from there; with
    `again`, the case, rate and seed of a run that another study has recorded, that run is made once more.
    Where there is one model, a GPT-2 or a T5, what tables that count lose on the same rows is recorded beside the runs.
    """
    asked, plan = study.asked, study.asked.plan

    def job(case, lr, seed=plan.seeds[0]):
        (model, batch, optimizer), key = case, json.dumps([*case, lr, seed])
        folder = study.scratch / "-".join(map(str, json.loads(key)))
        changes = {"model": model, "batch_size": batch, "optimizer": optimizer, "lr": lr, "seed": seed}
        return key, lambda: losses(asked, folder, 16, **plan.bench | changes | {"tokens": plan.tokens})

    cases = [(model, batch, name) for model in plan.models for batch in plan.batches for name in plan.rates]
    chosen = tune(study, job, {case: scaled(plan.rates[case[2]], case[1], plan.base) for case in cases})
    study.run([job(case, chosen[case], seed) for seed in plan.seeds[1:] for case in cases])
    results = {"chosen": {" ".join(map(str, case)): lr for case, lr in chosen.items()}}
    if base := getattr(plan, "rule_from", None):
        ruled = {case: scaled([chosen[case[0], base, case[2]]], case[1], base)[0] for case in cases}
        study.run([job(case, ruled[case], seed) for seed in plan.seeds[1:] for case in cases])
        results["ruled"] = {" ".join(map(str, case)): lr for case, lr in ruled.items()}
    if set(plan.models) <= {"gpt2", "t5-small"} and len(plan.models) == 1:
        results |= study.run([("counting", lambda: counting(plan.models[0], **plan.bench))])
    if again := getattr(plan, "again", None):
        results["again"] = study.run([("again", job(*again)[1])])["again"][-1][1]
    curve = []
    for key, points in study.saved["jobs"].items():
        if key not in ("counting", "again"):
            row = dict(zip(("model", "batch", "optimizer", "rate", "seed"), json.loads(key), strict=True))
            curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in points]
    kept = {name: results[name] for name in ("chosen", "ruled", "again", "counting") if name in results}
    study.record(curve, kept, docstrings())
