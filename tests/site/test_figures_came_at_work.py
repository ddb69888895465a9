"""The figures that move where CAME is at work: the records, the book's rule, the trainer's rate, minilib's bytes."""

import numpy as np
import pytest
from scipy.stats import t as student

from minilib.analysis.memory import PRECISIONS, Transformer, training_bytes
from minilib.experiments import records
from minilib.experiments.verdicts import compare
from minilib.training.config import Config, Phase
from minilib.training.trainer import learning_rate

WORDS = {"adamw": "AdamW", "lamb": "LAMB", "adafactor-momentum": "Adafactor + momentum", "adafactor": "Adafactor"}
WORDS |= {"came": "CAME", "came-corrected": "CAME, corrected", "sgd": "Nesterov"}
RUNS = {"GPT-2": ("gpt2-optimizers", "gpt2-losers"), "T5": ("t5-optimizers",)}
LAST = {}  # model -> method -> rate -> seed -> the last loss
CHOSEN = {}
for model, names in RUNS.items():
    for record in map(records.load, names):
        CHOSEN.setdefault(model, {}).update(
            {key.split()[-1]: rate for key, rate in record.run["results"]["chosen"].items()}
        )
        for r in record.curve:
            of = LAST.setdefault(model, {}).setdefault(r["optimizer"], {}).setdefault(r["rate"], {})
            of[int(r["seed"])] = round(r["loss"], 4)
BELOW = records.load("bert-below").run
for r in records.load("bert-below").curve:
    rows = f"{r['batch']:.0f}"
    if r["budget"] == BELOW["results"]["budget"][rows]:  # a pilot may have another
        of = LAST.setdefault(f"BERT, {rows} rows", {}).setdefault(r["optimizer"], {}).setdefault(r["rate"], {})
        of[int(r["seed"])] = round(r["loss"], 4)
for case, rate in BELOW["results"]["chosen"].items():
    rows, name = case.split()
    CHOSEN.setdefault(f"BERT, {rows} rows", {})[name] = rate
TUNING = 100


def test_the_pairs_are_those_of_the_records_and_judged_by_the_books_rule(numbers):
    js = numbers("pick-a-pair")
    for model, runs in js("record").items():
        if model.startswith("BERT"):  # judged on rows that chose nothing
            rows = model.split()[1]
            ends = {name: BELOW["results"]["test"][f"{rows} {name}"] for name in CHOSEN[model] if name != "sgd"}
            told = {WORDS[name]: [round(v, 4) for v in of.values()] for name, of in ends.items()}
        else:
            ends = {name: LAST[model][name][rate] for name, rate in CHOSEN[model].items()}
            told = {WORDS[name]: [of[s] for s in sorted(of) if s != TUNING] for name, of in ends.items()}
        assert {name: list(losses) for name, losses in runs.items()} == told
        for ours, theirs, seeds, margin in (("CAME", "AdamW", 5, 0.05), ("CAME, corrected", "CAME", 3, 0.3)):
            a, b = (dict(enumerate(told[name][:seeds])) for name in (ours, theirs))
            c, found = compare(a, b, within=margin), js("paired", told[ours], told[theirs], seeds)
            assert [found["mean"], found["low"], found["high"]] == pytest.approx(
                [c.difference, c.low, c.high], rel=1e-9
            )
            assert js("equal", found, margin) == c.verdict
            assert js("lower", found) == compare(a, b).verdict
    for df in (1, 2, 3, 4):
        half = js("paired", [0.0] * (df + 1), [-1.0] + [0.0] * df, df + 1)
        share = student.ppf(0.975, df) * np.std([-1.0] + [0.0] * df, ddof=1) / np.sqrt(df + 1)
        assert half["high"] - half["mean"] == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("beta3", [0.9, 0.999, 0.9999])
def test_the_hidden_rate_is_that_of_the_proposition(numbers, beta3):
    js, rest = numbers("hidden-rate"), 1 - beta3
    at = np.arange(1, 4001)
    exact = 1 / np.sqrt(1 - beta3**at)
    for t in (1, 40, 977, 3906):
        assert js("multiplier", rest, t) == pytest.approx(exact[t - 1], rel=1e-11)
        assert js("mean", rest, t) == pytest.approx(exact[:t].mean(), rel=1e-11)
    first = js("within", rest, 0.1)
    assert js("multiplier", rest, first) <= 1.1 < js("multiplier", rest, first - 1)


def test_the_rates_of_a_run_are_those_of_the_trainer_and_the_runs_those_of_the_records(numbers):
    js = numbers("match-the-rate")
    for model, shown in js("record").items():
        steps = int(shown["steps"])
        decay = {"warmup": 0.1, "schedule": "linear"} if model.startswith("BERT") else {}
        assert decay.items() <= BELOW["config"]["bench"].items()
        config = Config(steps=steps, **decay)
        phase = Phase(steps, config.length, config.batch_size, config.lr, config.warmup)
        for t in (1, 2, steps // 5, steps // 2, steps):
            plan = learning_rate(config, phase, t - 1) / config.lr
            assert js("planned", shown, t) == pytest.approx(plan, rel=1e-12)
            assert js("vector", 0.002, shown, t) == pytest.approx(0.002 * plan, rel=1e-12)
            assert js("matrix", 0.002, shown, t) == pytest.approx(0.002 * plan / np.sqrt(1 - 0.9999**t), rel=1e-11)
        for kind, name in (("published", "came"), ("corrected", "came-corrected")):
            tried = {rate: of[TUNING] for rate, of in LAST[model][name].items() if TUNING in of}
            assert dict(map(list, shown[kind])) == tried
        found, ratio = js("ratios", model, 0.001), 0.001 / CHOSEN[model]["came-corrected"]
        ends = [ratio / np.sqrt(1 - 0.9999**t) for t in (1, steps)]
        assert [found["first"], found["last"], found["vectors"]] == pytest.approx([*ends, ratio], rel=1e-11)
    for name, model in (("gpt2-optimizers", "GPT-2"), ("t5-optimizers", "T5")):
        config = records.load(name).run["config"]
        a_step = config["bench"]["length"] * config["batches"][0]
        assert js("record")[model]["steps"] == round(config["tokens"] / a_step)
    for rows, tokens in BELOW["results"]["budget"].items():
        a_step = int(rows) * BELOW["config"]["bench"]["length"]
        assert js("record")[f"BERT, {rows} rows"]["steps"] == round(tokens / a_step)


SHAPES = {"BERT-base": (768, 12, 12), "BERT-Large": (1024, 24, 16), "BERT of 4 billion": (2560, 48, 40)}
NUMBERS = {
    "float32": ("fp32", "came-pytorch 0.1.3"),
    "bfloat16, float32 master": ("bf16 + fp32 master", "came-pytorch 0.1.3"),
    "bfloat16 alone, authors' CAME": ("pure bf16", "came-pytorch 0.1.3"),
    "bfloat16 alone, CAME in bfloat16": ("pure bf16", "minilib, state_dtype bfloat16"),
}


@pytest.mark.parametrize("model", SHAPES)
def test_the_bills_are_those_of_minilib(numbers, model):
    js, (h, layers, heads) = numbers("share-saved"), SHAPES[model]
    own = Transformer(30_522, 512, h, layers, heads, segments=2, head=True)
    assert js("parameters", model) == own.parameters()
    for precision, (kind, package) in NUMBERS.items():
        for rows, again in ((1, False), (32, True)):
            live = own.activations(rows, 512, 80 * rows, PRECISIONS[kind].activations, recompute=again)
            whole = {}
            for method, of in (("AdamW", "torch 2.13.0"), ("CAME", package)):
                parts = training_bytes(own.shapes(), method, kind, package=of)
                state = parts.pop("optimizer state")
                assert js("bill", model, precision, rows, again, method) == pytest.approx(
                    [sum(parts.values()), state, live], rel=1e-12
                )
                whole[method] = sum(parts.values()) + state + live
            saved = 1 - whole["CAME"] / whole["AdamW"]
            assert js("saved", model, precision, rows, again) == pytest.approx(saved, abs=1e-12)
