"""A trained model from the disk, its export, and a run that begins with its weights."""

import dataclasses
import json
import shutil

import pytest
import torch

from minilib.models import registry
from minilib.training import export, trainer
from minilib.training.config import Config
from minilib.training.run_dir import read_curve
from tests.training.test_trainer import weights


def guesses(model):
    tokens = torch.arange(5, 21)[None].repeat(2, 1)
    with torch.no_grad():
        return model.logits({"tokens": tokens, "positions": torch.tensor([[1, 5], [2, 3]])})


def test_a_run_is_loaded_as_it_was_trained(complete_run):
    config, _ = complete_run
    model, tokenizer, its_config = export.load(config.folder)
    assert its_config == config
    assert len(tokenizer) == len(model.bias)
    assert tokenizer.decode(tokenizer.encode("the old king sees a dog .")) == "the old king sees a dog."
    assert not model.training
    kept = weights(config)
    assert all(torch.equal(t, kept[name]) for name, t in model.state_dict().items())


def test_an_export_has_three_files_and_half_the_bytes_and_is_loaded_alike(complete_run, tmp_path):
    config, _ = complete_run
    out = export.save(config.folder, tmp_path / "small" / "model")
    assert {path.name for path in out.iterdir()} == {"config.json", "tokenizer.json", "weights.safetensors"}
    full, half = export.load(config.folder), export.load(out)
    assert half.config == dataclasses.replace(full.config, out=None)
    assert str(tmp_path) not in (out / "config.json").read_text()
    assert half.tokenizer.content == full.tokenizer.content
    parameters = sum(p.numel() for p in full.model.parameters())
    assert (out / "weights.safetensors").stat().st_size < 2 * parameters + 8_192
    for name, t in half.model.state_dict().items():
        assert t.dtype == torch.float32
        assert torch.equal(t, full.model.state_dict()[name].bfloat16().float())
    # bfloat16 has 8 bits: a relative error of 1/256 in each weight
    a, b = guesses(full.model), guesses(half.model)
    assert (a - b).norm() < 2**-8 * a.norm()
    with pytest.raises(ValueError, match="must be a new folder, and is there already"):
        export.save(config.folder, out)


@pytest.mark.parametrize("model", ["gpt2", "t5-small"])
def test_the_other_models_are_loaded_and_exported_too(small, model, monkeypatch, tmp_path):
    tiny, size = {"layers": 2, "width": 32, "heads": 2}, registry.size
    monkeypatch.setattr(registry, "size", lambda name, **changes: size(name, **tiny | changes))
    config = small(model=model, vocabulary=400, steps=2)
    trainer.train(config, quiet=True)
    half = export.load(export.save(config.folder, tmp_path / "model")).model.state_dict()
    assert all(torch.equal(t.bfloat16().float(), half[name]) for name, t in weights(config).items())


def test_what_cannot_be_loaded_is_named(complete_run, tmp_path):
    with pytest.raises(ValueError, match="the configuration .*nothing/config.json cannot be read"):
        export.load(tmp_path / "nothing")
    folder = shutil.copytree(complete_run[0].folder, tmp_path / "run")
    out = export.save(folder, tmp_path / "model")

    changed = json.loads((out / "config.json").read_text()) | {"model": "bert-mini"}
    (folder / "config.json").write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=r"are of another model: blocks.0.* is \(128,\) there and \(256,\) here"):
        export.load(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="the tokenizer .*tokenizer.json cannot be read"):
        export.load(folder)
    whole = (out / "weights.safetensors").read_bytes()
    (out / "weights.safetensors").write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="the weights .* cannot be read"):
        export.load(out)
    (out / "weights.safetensors").unlink()
    with pytest.raises(ValueError, match="has neither weights.safetensors nor a checkpoint that is whole"):
        export.load(out)


def test_a_run_begins_with_the_weights_and_the_tokenizer_of_another(small, prose, tmp_path):
    cold = small(steps=40, lr=5e-3, save_every=40, evaluate_every=40)
    before = trainer.train(cold, quiet=True)["validation_loss"]
    first = read_curve(cold.folder)[0]["loss"]
    assert before < first - 1
    one = tmp_path / "one"
    one.mkdir()
    (one / "a.txt").write_text((prose / "0.txt").read_text(encoding="utf-8"), encoding="utf-8")  # another corpus
    out = export.save(cold.folder, tmp_path / "export")
    for k, folder in enumerate((cold.folder, out)):
        warm = small(
            steps=2, log_every=1, lr=1e-5, corpus=str(one), init_from=str(folder), out=str(tmp_path / f"warm{k}")
        )
        trainer.train(warm, quiet=True)
        assert export.load(warm.folder).tokenizer.content == export.load(cold.folder).tokenizer.content
        rows = read_curve(warm.folder)
        assert rows[0]["step"] == 1
        assert abs(rows[0]["loss"] - before) < 0.5


@pytest.fixture(scope="module")
def cold(together):
    config = together("cold", steps=1)
    trainer.train(config, quiet=True)
    return config


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert-mini"}, "the weights in .*cold are of another model"),
        ({"length": 32}, r"positions.weight is \(16, 128\) there and \(32, 128\) here"),
        (
            {"vocabulary": 400},
            "init_from = .*cold.* has a bert tokenizer of vocabulary 320; .*vocabulary = 400 need another",
        ),
        ({"model": "gpt2"}, "init_from = .*cold.* has a bert tokenizer of vocabulary 320; model = 'gpt2'"),
        ({"init_from": "nowhere"}, "the tokenizer nowhere/tokenizer.json cannot be read"),
    ],
)
def test_weights_of_another_shape_are_refused_and_nothing_is_left(small, cold, changes, message):
    warm = small(**{"init_from": str(cold.folder)} | changes)
    with pytest.raises(ValueError, match=message):
        trainer.train(warm, quiet=True)
    assert not warm.folder.exists()


def test_a_run_does_not_go_on_with_another_tokenizer(small, prose, tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for path in prose.iterdir():
        (corpus / path.name).write_bytes(path.read_bytes())
    config = small(corpus=str(corpus))
    trainer.train(config, quiet=True)
    (corpus / "0.txt").write_text("Something else stands here.\n\nAnd nothing more, which is a pity.")
    with pytest.raises(ValueError, match="has a run with another tokenizer: the corpus"):
        trainer.train(config, quiet=True)


def test_layers_and_width_make_another_shape_of_a_named_model():
    config = Config(model="bert-tiny", layers=3, width=256)
    size = export.build(config, 500).size
    assert (size.layers, size.width, size.heads) == (3, 256, 4)
    named = export.build(Config(model="bert-tiny"), 500).size
    assert (named.layers, named.width, named.heads) == (2, 128, 2)
    for name, known in registry.SIZES.items():  # the rule for heads is that of the published sizes
        assert export.shape(Config(model=name, width=known.width))["heads"] == known.heads
    with pytest.raises(ValueError, match="heads must divide the width 37, got 2"):
        export.shape(Config(width=37))
