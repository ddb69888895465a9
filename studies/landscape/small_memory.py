"""What does a byte of state buy? Eighteen methods on masked words under equal tuning, and a saboteur.

Words, width 64, batch 256, 500 steps, warm-up over a tenth of them, then linear decay; no weight decay; beta2 = 0.99 in
Adam and its kin, as fits runs this short, and new bases every 50 steps for the same reason; all else as published.
Methods of low rank and Muon take the matrices of the block, the rest goes to AdamW with the same rate; embeddings are
coded in 8 and 4 bits like every tensor of 4,096 numbers.

Every method gets seven learning rates: five by factors of 2, moved until the best is inside, and one half an octave
below and above the best. Two tuning seeds choose by the loss on validation words. Sixteen fresh seeds are judged by the
loss on test words. Bytes are those of the arrays that the optimizer holds after the last step. What is claimed, and
with which power, stands in studies/designs.md. About 80 minutes of one core.
"""

from functools import partial

import numpy as np

from minilib import optim
from minilib.data import docstrings
from minilib.experiments.tasks import train
from minilib.schedules import polynomial, warmup
from studies.command import NUMPY, start
from studies.methods import APOLLO, AdamW4bit, AdamW8bit, APOLLOMini, CAME8bit, Corrected, GaLore, Naive8bit
from studies.rates import search_octaves
from studies.study import Study
from studies.tasks import scored
from studies.variants import WithoutConfidence

SIZES = {
    "laptop": {
        "width": 64,
        "batch": 256,
        "steps": 500,
        "count": 5,
        "moves": 6,
        "tuning_seeds": (100, 101),
        "seeds": tuple(range(16)),
        "together": 4,  # fresh seeds in one job
    },
    "toy": {"width": 32, "batch": 8, "steps": 2, "count": 1, "moves": 0, "tuning_seeds": (100,), "seeds": (0,)},
}
FAR = "AdamW", "AdamW 8-bit", "AdamW 4-bit"  # whose longest moves are told
BETAS, CAMES, EVERY, SHARE = (0.9, 0.99), (0.9, 0.99, 0.999), 50, 4


def halves(named):
    """The matrices of the block; the rest."""
    hidden = [(n, p) for n, p in named if p.data.ndim == 2 and n.startswith("blocks")]
    return hidden, [(n, p) for n, p in named if not any(p is q for _, q in hidden)]


def adamw(named, lr, kind=optim.AdamW):
    return kind(named, lr, BETAS, weight_decay=0.0)


def came(named, lr, kind=optim.CAME):
    return kind(named, lr, CAMES)


def with_adamw(named, lr, make):
    hidden, others = halves(named)
    return optim.together(make(hidden, lr), adamw(others, lr))


def low_rank(named, lr, kind, share=None):
    width = min(named[0][1].data.shape)
    return kind(named, lr, BETAS, rank=width // share if share else 1, every=EVERY)


def adam_mini(named, lr):
    tables = [(n, p) for n, p in named if n.startswith(("tokens", "positions"))]
    others = [(n, p) for n, p in named if not n.startswith(("tokens", "positions"))]
    return optim.AdamMini([{"params": tables, "axis": 0}, {"params": others, "axis": -1}], lr, BETAS)


def muon(named, lr):
    return optim.Muon(named, lr, adjust_lr_fn="match_rms_adamw", weight_decay=0.0)


# method -> the middle of its first five rates, and how it is made of named parameters and a rate
METHODS = {
    "Nesterov": (0.2, lambda named, lr: optim.SGD(named, lr, momentum=0.9, nesterov=True)),
    "AdamW": (0.02, adamw),
    "AdamW 8-bit": (0.02, partial(adamw, kind=AdamW8bit)),
    "AdamW 4-bit": (0.02, partial(adamw, kind=AdamW4bit)),
    "LAMB": (
        0.02,
        lambda named, lr: optim.LAMB(optim.parameter_groups(named, 0.0, layer_adaptation=False), lr, BETAS),
    ),
    "Adafactor": (0.02, lambda named, lr: optim.Adafactor(named, lr, relative_step=False)),
    "Algorithm 1": (0.02, partial(came, kind=WithoutConfidence)),
    "CAME": (0.005, came),
    "CAME corrected": (0.01, partial(came, kind=Corrected)),
    "CAME 8-bit": (0.005, partial(came, kind=CAME8bit)),
    "Adam-mini": (0.02, adam_mini),
    "Lion": (0.001, lambda named, lr: optim.Lion(named, lr)),
    "Muon": (0.02, partial(with_adamw, make=muon)),
    "SOAP": (0.02, lambda named, lr: optim.SOAP(named, lr, weight_decay=0.0)),
    "GaLore": (0.02, partial(with_adamw, make=partial(low_rank, kind=GaLore, share=SHARE))),
    "APOLLO": (0.02, partial(with_adamw, make=partial(low_rank, kind=APOLLO, share=SHARE))),
    "APOLLO-Mini": (0.02, partial(with_adamw, make=partial(low_rank, kind=APOLLOMini))),
    "SM3": (0.2, lambda named, lr: optim.SM3(named, lr)),
    "naive 8-bit": (0.02, partial(adamw, kind=Naive8bit)),
}


def schedule(steps, t):
    return warmup(t, steps // 10) * polynomial(t, steps)


def one(width, batch, steps, method, lr, seed):
    """[validation loss, test loss, bytes of state a parameter]; 99 for the losses of a run that diverged."""
    kept = []

    def make(named):
        kept.append((METHODS[method][1](named, lr), sum(p.data.size for _, p in named)))
        return kept[0][0]

    judge = scored("words", width=width)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        run = train(judge, make, steps, batch, seed, partial(schedule, steps))
        scores = [99.0, 99.0] if run.diverged else judge.scores(run.model)
    scores = [min(99.0, float(s)) if np.isfinite(s) else 99.0 for s in scores]
    return [*scores, kept[0][0].state_bytes() / kept[0][1]]


def longest(width, batch, steps, method, lr, seed):
    """The longest move of an entry in any step of that run, in learning rates."""
    found = [0.0]

    def make(named):
        opt = METHODS[method][1](named, lr)
        arrays, step = [p.data for _, p in named], opt.step

        def watched():
            before = [a.copy() for a in arrays]
            step()
            if rate := opt.param_groups[0]["lr"]:
                found[0] = max(
                    found[0], *(float(np.abs(a - b).max()) / rate for a, b in zip(arrays, before, strict=True))
                )

        opt.step = watched
        return opt

    train(scored("words", width=width), make, steps, batch, seed, partial(schedule, steps))
    return found[0]


def main(asked):
    plan = asked.plan
    middles = {name: middle for name, (middle, _) in METHODS.items()}
    config = {"betas": BETAS, "cames": CAMES, "every": EVERY, "share": SHARE, "middles": middles}
    study = Study("small-memory", config | vars(plan), asked=asked)

    def scores(asked_for, seeds):
        """(method, rate) -> what `one` returns for each of the seeds, which one job runs."""
        keys = {(method, lr): f"{method} {lr:.8g} {' '.join(map(str, seeds))}" for method, lr in asked_for}

        def job(method, lr):
            return [one(plan.width, plan.batch, plan.steps, method, lr, seed) for seed in seeds]

        done = study.run((key, partial(job, *case)) for case, key in keys.items())
        return {case: done[key] for case, key in keys.items()}

    tuned, chosen, moves = search_octaves(scores, middles, plan)
    fresh = {name: [] for name in METHODS}
    for k in range(0, len(plan.seeds), plan.together):
        for (name, _), found in scores(chosen.items(), plan.seeds[k : k + plan.together]).items():
            fresh[name] += found
    # told without a verdict: how far an entry moves at once where the whole state is coded
    far = {name: {f"longest {name} {seed}": (name, chosen[name], seed) for seed in plan.seeds} for name in FAR}
    settings = plan.width, plan.batch, plan.steps
    done = study.run((key, partial(longest, *settings, *case)) for some in far.values() for key, case in some.items())
    curve, results = [], {"unigram": scored("words", width=plan.width).unigram_entropy()}
    results["longest"] = {name: [done[key] for key in some] for name, some in far.items()}
    for name, lr in chosen.items():
        rates = sorted(rate for method, rate in tuned if method == name)
        results[name] = {
            "lr": lr,
            "rates": rates,
            "tuning": [float(np.mean([s[0] for s in tuned[name, rate]])) for rate in rates],
            "moves": moves[name],
            "test": [s[1] for s in fresh[name]],
            "bytes": fresh[name][0][2],
        }
        runs = [(rate, seed, s) for rate in rates for seed, s in zip(plan.tuning_seeds, tuned[name, rate], strict=True)]
        runs += [(lr, seed, s) for seed, s in zip(plan.seeds, fresh[name], strict=True)]
        curve += [
            {"optimizer": name, "lr": rate, "seed": seed, "validation": round(s[0], 5), "test": round(s[1], 5)}
            for rate, seed, s in runs
        ]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
