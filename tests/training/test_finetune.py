"""Fine-tuning: it learns, it is the same each time, padding changes nothing, and wrong input gets one line."""

import json
import math
from itertools import product

import numpy as np
import pytest
import torch

from minilib.data.classification import ClassificationData, Part
from minilib.experiments.records import FIELDS
from minilib.training import export, finetune
from minilib.training.finetune import Classifier, Finetuning, fresh
from tests.training.conftest import WHERE, WHO
from tests.training.runs import make_models_tiny, trained


@pytest.fixture(scope="module")
def run(together):
    """A pretrained run, of which only the tokenizer and the shape matter here."""
    config = trained(together("run", length=32, steps=2))
    return config.folder


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The label is where it happens; the sentences are of different lengths."""
    folder, draw = tmp_path_factory.mktemp("in") / "places", np.random.default_rng(1)
    folder.mkdir()
    for part, count in (("train", 160), ("validation", 60)):
        rows = ["sentence\tlabel"]
        for a, b, c, more in draw.integers(0, (4, 4, 3, 3), (count, 4)):
            rows.append(f"{WHO[a]} {'sees and ' * more}likes {WHO[b]} {WHERE[c]}.\t{WHERE[c].split()[-1]}")
        (folder / f"{part}.tsv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture
def settings(run, places, tmp_path):
    """`settings(**changes)`: a few steps, into a folder of their own."""
    given = {"run": str(run), "task": str(places), "out": str(tmp_path / "out"), "lr": 3e-3, "epochs": 3}
    return lambda **changes: Finetuning(**given | changes)


def test_it_beats_the_majority_and_leaves_a_record(settings, tmp_path):
    results = finetune.finetune(settings(seeds=2, from_scratch=True), quiet=True)
    assert results["labels"] == ["garden", "home", "river"]
    assert results["texts"] == [160, 60]
    assert results["majority"] < 0.5
    for weights in ("pretrained", "scratch"):
        result = results[weights]
        assert min(result["accuracy"]) > 0.9
        assert result["mean"] == pytest.approx(sum(result["accuracy"]) / 2)
        assert result["std"] == pytest.approx(abs(np.subtract(*result["accuracy"])) / math.sqrt(2))
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record.keys() == set(FIELDS)
    assert record["results"] == results
    head, *rows = (line.split(",") for line in (tmp_path / "out" / "curve.csv").read_text().splitlines())
    assert head == ["weights", "seed", "epoch", "loss", "accuracy"]
    assert [tuple(row[:3]) for row in rows] == list(product(("pretrained", "scratch"), "01", "123"))
    last = [float(row[4]) for row in rows if row[2] == "3"]
    assert last == results["pretrained"]["accuracy"] + results["scratch"]["accuracy"]


def test_the_same_seed_gives_the_same_and_another_does_not(settings, tmp_path):
    short = settings(texts=64, epochs=1, dropout=0.2, seeds=2)
    results = finetune.finetune(short, quiet=True)
    curve = (tmp_path / "out" / "curve.csv").read_text()
    assert finetune.finetune(short, quiet=True) == results
    assert (tmp_path / "out" / "curve.csv").read_text() == curve
    first, second = (line.split(",")[3] for line in curve.splitlines()[1:])
    assert first != second
    assert results["texts"] == [64, 60]


def test_the_new_layer_of_a_seed_is_the_same_on_pretrained_and_on_random_weights(settings, run):
    trained = export.load(run)
    a, b, c = (fresh(settings(), trained, 3, pretrained, torch.device("cpu"), number)
               for pretrained, number in ((True, 1), (False, 1), (False, 2)))  # fmt: skip
    assert torch.equal(a.output.weight, b.output.weight)
    assert not torch.equal(b.output.weight, c.output.weight)
    assert torch.equal(a.bert.tokens.weight, trained.model.tokens.weight)
    assert not torch.equal(a.bert.tokens.weight, b.bert.tokens.weight)


def test_padding_and_the_rest_of_the_batch_do_not_change_a_row(run):
    model, tokenizer, _ = export.load(run)
    torch.manual_seed(0)
    classifier = Classifier(model, 3, 0.0).eval()
    texts = ["the cat sees a dog.", "a dog.", "my friend follows the old king on the road to the sea and hears a dog."]
    rows = ClassificationData(Part(texts, [0, 1, 2]), tokenizer, 32)
    tokens, mask, _ = rows.batch(np.array([0, 1, 2]))
    with torch.no_grad():
        together = classifier(tokens, mask)
        for i in range(3):
            n = len(rows.rows[i])
            alone = classifier(torch.from_numpy(rows.rows[i])[None], torch.ones(1, n, dtype=torch.bool))
            assert torch.allclose(alone[0], together[i], atol=1e-6)
        changed = torch.where(mask, tokens, 7)
        assert torch.equal(classifier(changed, mask), together)
        assert not torch.allclose(classifier(tokens, torch.ones_like(mask)), together, atol=1e-3)


def test_every_parameter_that_is_left_has_a_gradient(run):
    classifier = Classifier(export.load(run).model, 3, 0.0)
    classifier(torch.arange(8)[None], torch.ones(1, 8, dtype=torch.bool)).sum().backward()
    without = {name for name, p in classifier.named_parameters() if p.grad is None}
    assert without == {name for name, p in classifier.named_parameters() if not p.requires_grad}
    assert {name.split(".")[1] for name in without} == {"head", "bias"}


def test_training_that_ends_in_nan_says_so_and_writes_nothing(settings, monkeypatch, tmp_path):
    monkeypatch.setattr(finetune.F, "cross_entropy", lambda logits, targets: logits.sum() * math.nan)
    with pytest.raises(ValueError, match="lr = 0.003: must be less, the loss became nan in epoch 1"):
        finetune.finetune(settings(texts=32), quiet=True)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"warmup": 3.0}, "warmup must be from 0.0 to 1.0, got 3.0"),
        ({"task": "no/such"}, "task = 'no/such': must be"),
        ({"device": "tpu9"}, "tpu9"),
        ({}, "for one process: start it without torchrun"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_is_left(settings, changes, message, tmp_path, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "1" if changes else "2")
    with pytest.raises(ValueError, match=message):
        finetune.finetune(settings(**changes), quiet=True)
    assert not (tmp_path / "out").exists()


def test_another_optimizer_learns_too(settings):
    results = finetune.finetune(settings(optimizer="lamb", lr=1e-2), quiet=True)
    assert results["pretrained"]["accuracy"][0] > results["majority"] + 0.2


def test_another_model_than_bert_is_refused(settings, small, monkeypatch):
    make_models_tiny(monkeypatch)
    config = trained(small(model="gpt2", vocabulary=400, steps=1))
    with pytest.raises(ValueError, match="run = .*: must be of a BERT, is of a gpt2"):
        finetune.finetune(settings(run=str(config.folder)), quiet=True)


def test_the_command_line_prints_seeds_mean_and_spread(run, places, tmp_path, program):
    words = ["--run", run, "--task", places, "--texts", "32", "--epochs", "1", "--seeds", "2"]
    code, output, _ = program(finetune, *words, "--out", tmp_path / "out")
    recorded = json.loads((tmp_path / "out" / "run.json").read_text())["results"]["pretrained"]
    assert code == 0
    assert output.splitlines() == [
        "places: 3 labels, 32 texts for training and 60 for validation, where the most frequent label has 30.0%",
        *(f"pretrained, seed {k}: {a:.1%}" for k, a in enumerate(recorded["accuracy"])),
        f"pretrained: {recorded['mean']:.1%} ± {recorded['std']:.1%} over 2 seeds",
        f"done: everything is in {tmp_path / 'out'}",
    ]
