"""A trained model from the disk, its export, and a run that begins with its weights."""

import dataclasses
import json
import shutil

import pytest
import torch
from safetensors import SafetensorError

from minilib.models import registry
from minilib.training import checkpoint, export, model_folder, trainer
from minilib.training.config import Config
from minilib.training.run_dir import read_curve
from tests.training.runs import check_refused, trained


def test_an_export_in_bfloat16_has_half_the_bytes_and_is_loaded_alike(complete_run, tmp_path):
    config, _ = complete_run
    out = export.save(config.folder, tmp_path / "small" / "model", "bf16")
    files = {"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors", "run-config.json"}
    assert {path.name for path in out.iterdir()} == files
    full, half = export.load(config.folder), export.load(out)
    assert half.config == dataclasses.replace(full.config, out=None)
    assert str(tmp_path) not in "".join((out / name).read_text() for name in files if name.endswith("json"))
    assert half.tokenizer.content == full.tokenizer.content
    parameters = sum(p.numel() for p in full.model.parameters())
    assert (out / "model.safetensors").stat().st_size < 2 * parameters + 8_192
    assert (out / "model.safetensors").stat().st_mode == (out / "config.json").stat().st_mode
    for name, t in half.model.state_dict().items():
        assert t.dtype == torch.float32
        assert torch.equal(t, full.model.state_dict()[name].bfloat16().float())
    with pytest.raises(ValueError, match="must be a new folder, and is there already"):
        export.save(config.folder, out)


@pytest.mark.parametrize("full", [OSError(28, "No space left on device"), SafetensorError("I/O error: No space left")])
def test_a_full_disk_is_said_with_the_folder_and_nothing_is_left(complete_run, tmp_path, monkeypatch, full):
    def write(folder, *_):
        (folder / "config.json").write_text("{}")
        raise full

    monkeypatch.setattr(model_folder, "write", write)
    with pytest.raises(OSError, match=f"{tmp_path}/out could not be written: .*No space left"):
        export.save(complete_run[0].folder, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_loaded_is_named(complete_run, tmp_path):
    with pytest.raises(ValueError, match="nothing is no run and no exported model: must have run-config.json and"):
        export.load(tmp_path / "nothing")
    folder = shutil.copytree(complete_run[0].folder, tmp_path / "run")

    changed = json.loads((folder / "run-config.json").read_text()) | {"model": "bert-mini"}
    (folder / "run-config.json").write_text(json.dumps(changed))
    with pytest.raises(ValueError, match=r"are of another model: blocks.0.* is \(128,\) there and \(256,\) here"):
        export.load(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="the tokenizer .*tokenizer.json cannot be read"):
        export.load(folder)
    shutil.rmtree(folder / "checkpoints")
    with pytest.raises(ValueError, match="run has no checkpoint that is whole"):
        export.load(folder)


def test_one_checkpoint_of_a_run_is_loaded_exported_and_begun_with(small, tmp_path):
    config = trained(small(steps=8))
    early = config.folder / "checkpoints" / "step-00000004"
    model, tokenizer, its_config = export.load(early)
    kept = checkpoint.load(early).model
    assert all(torch.equal(t, kept[name]) for name, t in model.state_dict().items())
    assert not torch.equal(kept["bias"], export.load(config.folder).model.state_dict()["bias"])
    assert its_config == config
    assert len(tokenizer) == len(model.bias)
    out = export.save(early, tmp_path / "early")
    assert torch.equal(export.load(out).model.bias, model.bias)
    warm = trained(small(steps=1, lr=1e-9, init_from=str(early), out=str(tmp_path / "warm")))
    assert torch.allclose(export.load(warm.folder).model.bias, model.bias, atol=1e-7)
    min(early.glob("*.safetensors")).write_bytes(b"damaged")
    with pytest.raises(ValueError, match="step-00000004/model.*safetensors does not fit its checksum"):
        export.load(early)


def test_a_run_begins_with_the_weights_and_the_tokenizer_of_another(small, prose, tmp_path):
    cold = small(steps=40, lr=5e-3, save_every=40, evaluate_every=40)
    before = trainer.train(cold, quiet=True)["validation_loss"]
    first = read_curve(cold.folder)[0]["loss"]
    assert before < first - 1
    one = tmp_path / "one"  # another corpus
    one.mkdir()
    shutil.copy(prose / "0.txt", one)
    out = export.save(cold.folder, tmp_path / "export")
    given = {"steps": 2, "log_every": 1, "lr": 1e-5, "corpus": str(one)}
    for k, folder in enumerate((cold.folder, out)):
        warm = trained(small(**given, init_from=str(folder), out=str(tmp_path / f"warm{k}")))
        assert export.load(warm.folder).tokenizer.content == export.load(cold.folder).tokenizer.content
        rows = read_curve(warm.folder)
        assert rows[0]["step"] == 1
        assert abs(rows[0]["loss"] - before) < 0.5


@pytest.fixture(scope="module")
def cold(together):
    config = trained(together("cold", steps=1))
    return config


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert-mini"}, "the weights in .*cold are of another model"),
        ({"length": 32}, "length = 32: must be at most 16, the positions of .*cold"),
        ({"vocabulary": 400}, r"vocabulary = 400: init_from = .*cold.* has a tokenizer of \d+; leave `vocabulary` out"),
        ({"model": "gpt2"}, "init_from = .*cold.* has a bert tokenizer: model = 'gpt2' needs that of a gpt2"),
        ({"next_sentence": True}, "next.bias is absent there"),
        ({"init_from": "nowhere"}, "init_from = 'nowhere': must be the folder of a run"),
    ],
)
def test_weights_of_another_shape_are_refused_and_nothing_is_left(small, cold, changes, message):
    check_refused(small(**{"init_from": str(cold.folder)} | changes), message)


def test_a_run_does_not_go_on_with_another_tokenizer(small, prose, tmp_path):
    corpus = shutil.copytree(prose, tmp_path / "corpus")
    config = trained(small(corpus=str(corpus)))
    (corpus / "0.txt").write_text("Something else stands here.\n\nAnd nothing more, which is a pity.")
    with pytest.raises(ValueError, match="has a run with another tokenizer: the corpus"):
        trained(config)


def test_layers_and_width_make_another_shape_of_a_named_model():
    for changes, expected in (({"layers": 3, "width": 256}, (3, 256, 4)), ({}, (2, 128, 2))):
        size = export.build(Config(model="bert-tiny", **changes), 500).size
        assert (size.layers, size.width, size.heads) == expected
    for name, known in registry.SIZES.items():  # the rule for heads is that of the published sizes
        assert export.shape(Config(model=name, width=known.width))["heads"] == known.heads
