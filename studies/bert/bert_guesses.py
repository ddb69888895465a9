"""What four rivals guess for a hidden token: frequencies, a table of pairs, the default run of BERT, and a longer one.

The default run of `minilib.training` with seed 0 is made again (its last loss is recorded), and its model kept; the
other BERT is that of the record `bert-long`. Each held-out row has one hidden token, drawn by lot. What is shown to
readers are the first `shown` of those rows, in an order drawn by lot, whose hidden token is a whole word of three
letters at least, in the middle of the row, with no unknown token near it: nothing else chooses them. In float32, three
minutes of one core. Deliberately absent: seeds. Nothing is compared, so no method is better for what is seen here.
"""

import numpy as np
import torch

from minilib.data import corpora, docstrings
from minilib.data.packing import packed_rows
from minilib.experiments import records
from minilib.training import export
from studies.command import start
from studies.pretraining import GPU_RUN, TOY_RUN, pretrain
from studies.study import Study

SIZES = {
    "laptop": {"bench": {}, "shown": 8, "side": 14, "length": 64},
    "toy": {"bench": TOY_RUN, "shown": 2, "side": 4, "length": 16},
    "gpu": {"bench": GPU_RUN, "length": 128, "precision": "fastest"},
}
TOP = 5  # guesses that are kept


def holes(rows: np.ndarray, tokenizer, seed: int) -> np.ndarray:
    """(N,) the place of one ordinary token in each row."""
    score = np.random.default_rng(seed).random(rows.shape)
    score[tokenizer.is_special[rows]] = 2.0
    return score.argmin(axis=1)


def is_word(tokens: list[str], at: int, side: int) -> bool:
    """Is the token at that place one to show?"""
    near = tokens[max(0, at - side) : at + side + 1]
    whole = tokens[at].isalpha() and len(tokens[at]) >= 3 and not tokens[at + 1].startswith("##")
    return whole and side < at < len(tokens) - side - 1 and "[UNK]" not in near


def counted(train: np.ndarray, tokenizer, before: np.ndarray, after: np.ndarray) -> dict:
    """(N, V) log-probabilities by the frequencies alone, and by pairs, as the chapter has them."""
    size, train = len(tokenizer), np.asarray(train, dtype=np.int64)
    pairs = np.bincount((train[:, :-1] * size + train[:, 1:]).ravel(), minlength=size**2).reshape(size, size)
    frequency = np.bincount(train.ravel(), minlength=size) + 0.1
    frequency[tokenizer.is_special] = 0
    frequency = frequency / frequency.sum()

    def beside(counts):
        total = counts.sum(-1, keepdims=True)
        spread = 0.75 * (counts > 0).sum(-1, keepdims=True) * frequency
        return np.where(total > 0, (np.maximum(counts - 0.75, 0) + spread) / np.maximum(total, 1), frequency)

    p = beside(pairs[before]) * beside(pairs.T[after]) / np.maximum(frequency, 1e-12)
    p[:, tokenizer.is_special] = 0
    both = {"frequencies": np.tile(frequency, (len(before), 1)), "pairs": p / p.sum(-1, keepdims=True)}
    return {name: np.log(p + 1e-30) for name, p in both.items()}


@torch.no_grad()
def read(model, tokens: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(N, V) log-probabilities of a BERT."""
    batch = {"tokens": torch.from_numpy(tokens), "positions": torch.from_numpy(at[:, None])}
    return model.logits(batch)[:, 0].log_softmax(-1).numpy()


def main(asked):
    plan = asked.plan
    study = Study("bert-guesses", {k: v for k, v in vars(plan).items() if k != "precision"}, asked=asked)
    folder = study.scratch
    curve, ended = study.run([("run", lambda: pretrain(asked, folder, seed=0, **plan.bench))])["run"]
    small = export.load(folder)
    tokenizer, texts = small.tokenizer, corpora.corpus(plan.bench.get("corpus", "docstrings"))
    models = {"default run": small.model}
    if asked.size == "laptop":
        long = export.load(records.folder("bert-long") / "model")
        if long.tokenizer.content != tokenizer.content:
            raise ValueError("the record bert-long is of another text: make it first")
        models["long run"] = long.model
    train, held_out = (packed_rows(texts, part, tokenizer, plan.length) for part in ("train", "validation"))
    rows = np.asarray(held_out, dtype=np.int64)
    at, row = holes(rows, tokenizer, 0), np.arange(len(rows))
    targets = rows[row, at]
    hidden = rows.copy()
    hidden[row, at] = tokenizer.number["[MASK]"]
    log_p = counted(train, tokenizer, rows[row, at - 1], rows[row, at + 1])
    log_p |= {name: read(model, hidden, at) for name, model in models.items()}

    words = [[tokenizer.tokens[i] for i in some] for some in rows]
    by_lot = np.random.default_rng(1).permutation(len(rows))
    chosen = [int(i) for i in by_lot if is_word(words[i], at[i], plan.side)][: plan.shown]
    shown = []
    for i in chosen:
        window = slice(at[i] - plan.side, at[i]), slice(at[i] + 1, at[i] + 1 + plan.side)
        before, after = (tokenizer.decode(rows[i][part]) for part in window)
        guesses = {}
        for name, log in log_p.items():
            best = np.argsort(-log[i], kind="stable")[:TOP]
            top = [[tokenizer.tokens[k], round(float(np.exp(log[i][k])), 4)] for k in best]
            guesses[name] = {"top": top, "truth": round(float(np.exp(log[i][targets[i]])), 6)}
        shown.append({"before": before, "after": after, "truth": tokenizer.tokens[targets[i]], "guesses": guesses})
    losses = {name: round(float(-log[row, targets].mean()), 4) for name, log in log_p.items()}
    right = {name: round(float((log.argmax(-1) == targets).mean()), 4) for name, log in log_p.items()}
    results = {"holes": len(rows), "loss": losses, "right": right, "shown": shown}
    study.record(curve, results | {"validation_loss": ended["validation_loss"]}, docstrings())


if __name__ == "__main__":
    start(main, SIZES)
