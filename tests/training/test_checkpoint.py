"""Checkpoints: complete or absent, checked, two kept."""

import os
import threading

import pytest
import torch
from torch.distributed.checkpoint import HuggingFaceStorageWriter

from minilib.training import checkpoint

WEIGHTS = {"w": torch.arange(12.0).view(3, 4), "half": torch.ones(3, dtype=torch.bfloat16)}
MOMENTS = {"state.w.m": torch.full((3, 4), 0.1), "state.w.step": torch.tensor(7.0)}


def save(folder, step, **more):
    return checkpoint.begin(folder, step, WEIGHTS, MOMENTS, {"step": step, "seconds": 1.25}, **more).result()


def steps(folder):
    return [int(path.name[5:]) for path in checkpoint.complete(folder)]


def test_what_is_saved_comes_back_bit_for_bit(tmp_path):
    loaded = checkpoint.load(save(tmp_path, 7))
    for ours, theirs in ((loaded.model, WEIGHTS), (loaded.optimizer, MOMENTS)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[k], theirs[k]) and ours[k].dtype == theirs[k].dtype for k in theirs)
    assert loaded.state == {"step": 7, "seconds": 1.25}


def test_the_newest_two_are_kept_or_more_and_the_best_one(tmp_path):
    assert checkpoint.newest(tmp_path / "none") is None
    for step in (1, 2, 10, 300):
        save(tmp_path, step)
    assert steps(tmp_path) == [10, 300]
    assert checkpoint.newest(tmp_path).state["step"] == 300
    for step in (301, 302, 303):
        save(tmp_path, step, keep=3, spared={10})
    assert steps(tmp_path) == [10, 301, 302, 303]


@pytest.mark.parametrize("name", ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["torn", "flipped", "gone"])
def test_a_damaged_one_is_refused_by_name_and_the_one_before_is_used(tmp_path, name, damage, capsys):
    save(tmp_path, 1)
    path = save(tmp_path, 2) / name
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle] ^= 1
    path.write_bytes(content if damage == "flipped" else content[:middle])
    if damage == "gone":
        path.unlink()
    with pytest.raises(ValueError, match="step-00000002" if damage == "gone" else f"step-00000002.*{name}"):
        checkpoint.load(path.parent)
    assert checkpoint.newest(tmp_path).state["step"] == 1
    assert "step-00000002" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"model.safetensors": 1}', "\x00"])
def test_damaged_sums_are_a_damaged_checkpoint(tmp_path, content, capsys):
    save(tmp_path, 1)
    (save(tmp_path, 2) / checkpoint.SUMS).write_text(content)
    assert checkpoint.newest(tmp_path).state["step"] == 1
    (warning,) = capsys.readouterr().err.splitlines()
    assert "step-00000002" in warning
    assert warning.endswith("; step-00000001 is used")


def test_other_peoples_folders_are_neither_read_nor_removed(tmp_path):
    names = ["step-00000001-keep", "step-1", "step-00000009.txt", "steps", "step-00000003.old"]
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    for step in (1, 2, 3, 4):
        save(tmp_path, step)
    assert {path.name for path in tmp_path.iterdir()} == {*names, "step-00000003", "step-00000004"}
    assert checkpoint.newest(tmp_path).state["step"] == 4


def test_the_tensors_may_change_while_they_are_written(tmp_path, monkeypatch):
    begun, may_write, write_data = threading.Event(), threading.Event(), HuggingFaceStorageWriter.write_data

    def slowly(*args):
        begun.set()
        assert may_write.wait(10)
        return write_data(*args)

    monkeypatch.setattr(HuggingFaceStorageWriter, "write_data", slowly)
    weights = {"w": torch.zeros(3)}
    path = checkpoint.begin(tmp_path, 1, weights, {}, {"step": 1})
    assert begun.wait(10)
    weights["w"] += 1
    assert checkpoint.complete(tmp_path) == []
    may_write.set()
    assert checkpoint.load(path.result()).model["w"].tolist() == [0, 0, 0]


def test_whoever_may_read_the_folder_may_read_the_weights(tmp_path):
    path = save(tmp_path, 1)
    assert len({file.stat().st_mode for file in path.iterdir()}) == 1


def test_one_that_was_being_written_is_not_seen(tmp_path):
    save(tmp_path, 1)
    half = tmp_path / "step-00000009.part"  # of a later step than the one that follows
    half.mkdir()
    (half / "state.json").write_text("{}")
    assert checkpoint.newest(tmp_path).state["step"] == 1
    save(tmp_path, 2)
    assert not half.exists()
    assert checkpoint.newest(tmp_path).state["step"] == 2


def test_a_full_disk_leaves_the_checkpoints_that_were_there(tmp_path, monkeypatch):
    save(tmp_path, 1)

    def full(*_, **__):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(HuggingFaceStorageWriter, "write_data", full)
    with pytest.raises(OSError, match="checkpoint .*step-00000002 could not be written: .*No space left"):
        save(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]
    assert checkpoint.newest(tmp_path).state["step"] == 1
