"""State in one byte a number, and in a quarter of the rank, on the small GPT-2 of four million tokens.

Model, tokens, batch, schedule and seeds are those of `gpt2-optimizers`, whose AdamW and CAME, with float32 state and
rates chosen there, are what is compared with; one run of each is made again here and must have its recorded losses.
AdamW and CAME in bytes take those rates as they are. GaLore, on the matrices of the blocks at a quarter of the width
with new bases every 200 steps, gets three rates and more where the best is at an edge, with the first seed. "linear" is
AdamW whose codes are equal steps of the number: it must lose. What is claimed stands in studies/designs.md. An hour and
a quarter of one core.
"""

import json
from functools import partial
from unittest import mock

import torch

from minilib import optim
from minilib.autodiff import Tensor
from minilib.data import docstrings
from minilib.torch_optim import narrow
from minilib.training import optimizers, trainer
from studies.command import start
from studies.methods import GaLore
from studies.pretraining import GPT2, TOY_GPT2, losses
from studies.rates import best_rate
from studies.study import Study

KEPT = {"adamw": 0.016, "came": 0.002}  # chosen by `gpt2-optimizers`
BYTES = {"adamw-bytes": "adamw", "came-bytes": "came", "linear": "adamw"}
SIZES = {
    "laptop": GPT2 | {"batch": 128, "rates": [0.008, 0.016, 0.032], "rank": 16, "every": 200},
    "toy": TOY_GPT2 | {"batch": 2, "rates": [0.016], "rank": 4, "every": 2},
}


class LowRank(torch.optim.Optimizer):
    """`studies.methods.GaLore` for the matrices of the blocks and AdamW for the rest, in NumPy on torch's memory.

    Its state is not in `state_dict`: a run that was killed begins anew.
    """

    def __init__(self, groups, lr, rank, every, on_nonfinite="skip"):
        super().__init__(groups, {"lr": lr})
        self.twins, hidden, rest = [], [], []
        for group in self.param_groups:
            for name, p in zip(group["param_names"], group["params"], strict=True):
                twin = Tensor(p.detach().numpy())
                self.twins.append((p, twin, group["weight_decay"]))
                self.state[p]["step"] = torch.tensor(0.0)  # torch asks a state that is empty for a step
                (hidden if p.ndim == 2 and name.startswith("blocks") else rest).append(twin)
        low = GaLore(hidden, rank=rank, every=every)
        self.numpy = optim.together(low, optim.AdamW(rest, weight_decay=0.0))

    def state_bytes(self):
        return self.numpy.state_bytes()

    def step(self, closure=None):
        lr = self.param_groups[0]["lr"]
        for group in self.numpy.param_groups:
            group["lr"] = lr
        for p, twin, decay in self.twins:
            twin.grad = p.grad.numpy()
            twin.data *= 1 - lr * decay
        self.numpy.step()


def equal_steps(x, scale, seed, dtype):
    """In place of `narrow.rounded`: codes that are equal steps of the number, rounded to the nearest."""
    return (x / scale * torch.iinfo(dtype).max).round().to(dtype)


def bytes_a_parameter(opt) -> float:
    return opt.state_bytes() / sum(p.numel() for group in opt.param_groups for p in group["params"])


def one(asked, folder, name, lr, seed):
    """Tokens and validation loss at 16 places, and bytes of state a parameter (0 for a method of `KEPT`)."""
    plan = asked.plan
    run = {"model": "gpt2", "batch_size": plan.batch, "tokens": plan.tokens, "optimizer": name, "lr": lr, "seed": seed}
    if name in BYTES:
        run |= {"optimizer": BYTES[name], "state_dtype": "uint8"}
    parts = {"rounded": equal_steps, "spread": lambda share: share} if name == "linear" else {"BLOCK": narrow.BLOCK}
    low = (LowRank, {"rank": plan.rank, "every": plan.every})
    made = []  # the optimizer stays at hand to be weighed
    with (
        mock.patch.multiple(narrow, **parts),
        mock.patch.dict(optimizers.METHODS, {"galore": low}),
        mock.patch.dict(optimizers.NUMBERS, {"galore": ()}),
        mock.patch.object(trainer, "optimizer", lambda *a, **b: made.append(optimizers.optimizer(*a, **b)) or made[-1]),
    ):
        rows = losses(asked, folder, 16, **plan.bench | run)
    return [rows, 0.0 if name in KEPT else bytes_a_parameter(made[-1])]


def main(asked):
    plan = asked.plan
    torch.set_num_threads(1)
    study = Study("gpt2-bytes", {"kept": KEPT, **vars(plan)}, asked=asked)
    tuning_seed, *seeds = plan.seeds

    def job(name, lr, seed=tuning_seed):
        key = json.dumps([name, lr, seed])
        return key, partial(one, asked, study.scratch / f"{name}-{lr}-{seed}", name, lr, seed)

    def found(name, lr, seed):
        return study.run([job(name, lr, seed)])[job(name, lr, seed)[0]]

    # the recorded runs once more, and what takes their rates
    study.run(job(name, KEPT[name], seeds[0]) for name in KEPT)
    bytes_ = {"adamw-bytes": KEPT["adamw"], "came-bytes": KEPT["came"]}
    study.run(job(name, lr, seed) for seed in seeds for name, lr in bytes_.items())
    best = best_rate(study, lambda lr: found("galore", lr, tuning_seed)[0][-1][1], plan.rates)
    rates = bytes_ | {"galore": best, "linear": KEPT["adamw"]}
    study.run(job(name, lr, seed) for name, lr in rates.items() for seed in seeds)
    results, curve = {"again": {name: found(name, lr, seeds[0])[0][-1][1] for name, lr in KEPT.items()}}, []
    for name, lr in rates.items():
        ends = [found(name, lr, seed) for seed in seeds]
        results[name] = {"lr": lr, "test": [rows[-1][1] for rows, _ in ends], "bytes": ends[0][1]}
    for key, (rows, _) in study.saved["jobs"].items():
        row = dict(zip(("optimizer", "rate", "seed"), json.loads(key), strict=True))
        curve += [row | {"tokens": tokens, "loss": loss} for tokens, loss in rows]
    study.record(curve, results, docstrings())


if __name__ == "__main__":
    start(main, SIZES, "one of its methods is written in NumPy")
