"""Runs of `minilib.training` that several studies share: their settings, their losses, and one comparison of methods.

Nothing is built or read when this is imported; what trains in PyTorch imports it then.
"""

import json
from pathlib import Path

import numpy as np

from minilib.data import docstrings
from studies.rates import scaled, tune
from studies.study import Study, StudyArgs

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
# A GPT-2 that leaves the plateau within a quarter of a million tokens; the first seed tunes (studies/designs.md).
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
