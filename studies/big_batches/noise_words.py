"""The noise scale along the training of a tiny transformer on masked words, from the parts of its own batches.

Batches of 256 chunks in eight parts of 32: the squared norm of a part's gradient and of the whole batch's gradient,
at every step, with Adam at a constant rate after a short warm-up. One seed. Larger: steps, part. About three minutes.
"""

import numpy as np

from minilib.data import docstrings
from minilib.experiments.tasks import WordsTask
from minilib.optim import Adam
from minilib.schedules import warmup
from studies.command import NUMPY, start
from studies.study import Study

SIZES = {"laptop": {"steps": 3000, "parts": 8, "part": 32, "lr": 5e-3, "seed": 0}, "toy": {"steps": 2}}


def main(asked):
    plan = asked.plan
    study = Study("noise-words", vars(plan), asked=asked)

    def run():
        task, rng = WordsTask(), np.random.default_rng(plan.seed)
        model = task.model(rng)
        opt, rows = Adam(model.parameters(), lr=plan.lr), []
        for step in range(plan.steps):
            parts, losses = [], []
            for part in np.split(rng.permutation(task.n)[: plan.parts * plan.part], plan.parts):
                opt.zero_grad()
                loss = task.loss(model, part)
                loss.backward()
                losses.append(float(loss.data))
                parts.append([p.grad for p in model.parameters()])
            mean = [np.mean(same, axis=0) for same in zip(*parts, strict=True)]
            small = np.mean([sum(float((g**2).sum()) for g in part) for part in parts])
            big = sum(float((g**2).sum()) for g in mean)
            rows.append([step, np.mean(losses), small, big])
            for p, g in zip(model.parameters(), mean, strict=True):
                p.grad = g
            opt.lr = plan.lr * warmup(step, 50)
            opt.step()
        return {"rows": rows, "test": task.test_loss(model), "unigram": task.unigram_entropy()}

    done = study.run([("run", run)])["run"]
    curve = [
        {"step": int(s), "loss": round(loss, 4), "small": float(f"{small:.6g}"), "big": float(f"{big:.6g}")}
        for s, loss, small, big in done["rows"]
    ]
    study.record(curve, {"test": done["test"], "unigram": done["unigram"]}, docstrings())


if __name__ == "__main__":
    start(main, SIZES, NUMPY)
