"""Steps to a loss on words at batches of 16 to 1,024 rows: AdamW, LAMB and Muon, each with its own settings.

At a batch of 128 each method chooses beta2 (of three), then decay (of two), each with the rate that is best for it; at
the other batches the rate alone, an octave apart, from the best one at the neighbouring batch. One seed chooses, by
steps to the target on 512 unseen chunks of words; five others are judged on another 512. A constant rate after a
warm-up of twenty steps. A run that tunes is cut when it has taken a quarter more steps than the best so far. Muon takes
the matrices of the block, AdamW with the same rate and beta2 the rest; biases and gains have no decay, and in LAMB no
ratio. The arm that must lose is AdamW at an eighth of its best rate, 128 rows. Larger: seeds, batches, the target.
About thirty minutes on one core.
"""

from math import log

import numpy as np

from minilib import optim
from minilib.data import docstrings
from minilib.schedules import warmup
from studies.command import NUMPY, start
from studies.rates import best_rate
from studies.study import Study
from studies.tasks import words

SIZES = {
    "laptop": {
        "batches": (128, 16, 1024),
        "target": 2.7,
        "limits": {"16": 6000, "128": 2400, "1024": 1200},
        "beta2": (0.99, 0.9, 0.999),
        "decay": (0.0, 0.1),
        "tuning_seed": 100,
        "seeds": (0, 1, 2, 3, 4),
        "loser": (128, 8),
    },
    "toy": {
        "batches": (16, 32),
        "target": 4.8,
        "limits": {"16": 2, "32": 2},
        "beta2": (0.99,),
        "decay": (0.0,),
        "seeds": (0,),
        "loser": (32, 8),
    },
}
MIDDLE = {"AdamW": 0.01, "LAMB": 0.01, "Muon": 0.01}  # the first rates at the first batch
CHUNKS = 512  # of words that training never sees: the first judge the tuning, those from 1,024 on the fresh seeds


def optimizer(method: str, named: list, lr: float, beta2: float, decay: float):
    if method == "LAMB":
        return optim.LAMB(optim.parameter_groups(named, decay, layer_adaptation=False), lr, betas=(0.9, beta2))
    hidden = [(n, p) for n, p in named if method == "Muon" and p.data.ndim == 2 and n.startswith("blocks")]
    inside = {n for n, _ in hidden}
    rest = optim.parameter_groups([(n, p) for n, p in named if n not in inside], decay)
    adamw = optim.AdamW(rest, lr, betas=(0.9, beta2))
    if not hidden:
        return adamw
    return optim.together(optim.Muon(hidden, lr, weight_decay=decay, adjust_lr_fn="match_rms_adamw"), adamw)


def steps_to(plan, method: str, beta2: float, decay: float, lr: float, batch: int, seed: int, limit: float):
    """Steps to the target, a fraction between two looks; None for a run that does not arrive within the limit."""
    task, rng = words(), np.random.default_rng(seed)
    first = 0 if seed == plan.tuning_seed else 1024
    judge = slice(first, first + CHUNKS)
    model = task.model(rng)
    opt = optimizer(method, list(model.named_parameters()), lr, beta2, decay)
    rates = [group["lr"] for group in opt.param_groups]
    before, at, look = None, 0, 1
    for step in range(int(limit)):
        chosen = rng.permutation(task.n)[:batch]
        with np.errstate(over="ignore", invalid="ignore"):
            loss = task.loss(model, chosen)
            opt.zero_grad()
            loss.backward()
            if not all(np.isfinite(np.vdot(a, a)) for a in [loss.data, *(p.grad for p in model.parameters())]):
                return None
        for group, rate in zip(opt.param_groups, rates, strict=True):
            group["lr"] = rate * warmup(step, 20)
        opt.step()
        if step + 1 == look:
            now = float(task.masked_loss(model, task.ids_test[judge], task.hidden_test[judge]).data)
            if now <= plan.target:
                share = 1.0 if before is None else log(before / plan.target) / log(before / now)
                return round(at + share * (look - at), 2)
            before, at, look = now, look, max(look + 1, int(1.04 * look)) if look >= 40 else 40
    return None


def main(asked):
    plan = asked.plan
    study, curve, chosen = Study("norm-batches", {"middle": MIDDLE, **vars(plan)}, asked=asked), [], {}
    tuned, fresh = [], {}

    def job(method, beta2, decay, lr, batch, seed, limit):
        key = f"{method}, {beta2:g}, {decay:g}, {lr:.6g}, {batch}, {seed}"
        args = (plan, method, beta2, decay, lr, batch, seed, min(limit, plan.limits[str(batch)]))
        return study.run([(key, lambda: steps_to(*args))])[key]

    def search(method, beta2, decay, batch, rates, least=float("inf")):
        """(fewest steps, its rate); runs are cut at a quarter more than the fewest so far."""
        found = {}

        def steps(lr):
            best = min([least, *found.values()])
            taken = job(method, beta2, decay, lr, batch, plan.tuning_seed, 1.25 * best + 40)
            found[lr] = float("inf") if taken is None else taken
            tuned.append([method, beta2, decay, lr, batch, taken])
            return found[lr]

        steps(rates[len(rates) // 2])
        lr = best_rate(study, lambda r: found[r] if r in found else steps(r), rates)
        return found[lr], lr

    for method, middle in MIDDLE.items():
        base, rates = plan.batches[0], [middle * 2.0**k for k in (-1, 0, 1)]
        options = []
        for beta2 in plan.beta2:
            least = min([float("inf"), *(o[0] for o in options)])
            options.append((*search(method, beta2, plan.decay[0], base, rates, least * 1.5), beta2, plan.decay[0]))
        best = min(options)
        for decay in plan.decay[1:]:
            around = [best[1] * 2.0**k for k in (-1, 0, 1)]
            options.append((*search(method, best[2], decay, base, around, best[0] * 1.5), best[2], decay))
        _, lr, beta2, decay = min(options)
        lrs = {base: lr}
        for batch in sorted(plan.batches, key=lambda b: abs(log(b / base))):
            if batch != base:
                near = min(lrs, key=lambda b, batch=batch: abs(log(b / batch)))
                around = [lrs[near] * 2.0**k for k in (-1, 0, 1)]
                lrs[batch] = search(method, beta2, decay, batch, around)[1]
        chosen[method] = {"beta2": beta2, "decay": decay, "lr": {str(b): lrs[b] for b in sorted(lrs)}}
    runs = [(m, b, chosen[m]["lr"][str(b)], m) for m in MIDDLE for b in sorted(plan.batches)]
    at, part = plan.loser
    runs.append(("AdamW", at, chosen["AdamW"]["lr"][str(at)] / part, "loser"))
    for method, batch, lr, name in runs:
        for seed in plan.seeds:
            c = chosen[method]
            taken = job(method, c["beta2"], c["decay"], lr, batch, seed, plan.limits[str(batch)])
            steps = plan.limits[str(batch)] if taken is None else taken
            fresh.setdefault(f"{name}, {batch}", []).append(steps)
            row = {"method": name, "batch": batch, "lr": lr, "seed": seed, "steps": steps}
            curve.append(row | {"arrived": int(taken is not None)})
    study.record(curve, {"chosen": chosen, "steps": fresh, "tuned": tuned}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
