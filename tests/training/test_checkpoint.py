"""Checkpoints: complete or absent, checked, two kept."""

import os

import pytest
import torch

from minilib.training import checkpoint

WEIGHTS = {"w": torch.arange(12.0).view(3, 4), "half": torch.ones(3, dtype=torch.bfloat16)}
MOMENTS = {"state.w.m": torch.full((3, 4), 0.1), "state.w.step": torch.tensor(7.0)}


def save(folder, step):
    return checkpoint.save(folder, step, WEIGHTS, MOMENTS, {"step": step, "seconds": 1.25})


def test_what_is_saved_comes_back_bit_for_bit(tmp_path):
    loaded = checkpoint.load(save(tmp_path, 7))
    for ours, theirs in ((loaded.model, WEIGHTS), (loaded.optimizer, MOMENTS)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[k], theirs[k]) and ours[k].dtype == theirs[k].dtype for k in theirs)
    assert loaded.state == {"step": 7, "seconds": 1.25}


def test_the_newest_two_are_kept(tmp_path):
    for step in (1, 2, 10, 300):
        save(tmp_path, step)
    assert [path.name for path in checkpoint.complete(tmp_path)] == ["step-00000010", "step-00000300"]
    assert checkpoint.newest(tmp_path).state["step"] == 300


def test_nothing_is_found_where_nothing_was_saved(tmp_path):
    assert checkpoint.newest(tmp_path / "none") is None


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("damage", ["torn", "flipped", "gone"])
def test_a_damaged_one_is_refused_by_name_and_the_one_before_is_used(tmp_path, name, damage, capsys):
    save(tmp_path, 1)
    path = save(tmp_path, 2) / name
    content = path.read_bytes()
    if damage == "gone":
        path.unlink()
    else:
        middle = len(content) // 2
        path.write_bytes(
            content[:middle]
            if damage == "torn"
            else content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
        )
    with pytest.raises(ValueError, match=f"step-00000002.*{name}" if damage != "gone" else "step-00000002"):
        checkpoint.load(path.parent)
    assert checkpoint.newest(tmp_path).state["step"] == 1
    assert "step-00000002" in capsys.readouterr().err


def test_one_that_was_being_written_is_not_seen(tmp_path):
    save(tmp_path, 1)
    half = tmp_path / "step-00000002.part"
    half.mkdir()
    (half / "state.json").write_text("{}")
    assert checkpoint.newest(tmp_path).state["step"] == 1
    save(tmp_path, 2)
    assert not half.exists()
    assert checkpoint.newest(tmp_path).state["step"] == 2


def test_a_full_disk_leaves_the_checkpoints_that_were_there(tmp_path, monkeypatch):
    save(tmp_path, 1)

    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(OSError, match="No space left"):
        save(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]
    assert checkpoint.newest(tmp_path).state["step"] == 1
