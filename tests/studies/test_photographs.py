"""CIFAR-10: the official files plane by plane, and a copy in JPEG where there is one."""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from studies import photographs


def records(count):
    draw = np.random.default_rng(count)
    return np.hstack([draw.integers(0, 10, (count, 1)), draw.integers(0, 256, (count, 3072))]).astype(np.uint8)


def test_the_official_files_are_read_plane_by_plane(monkeypatch, tmp_path):
    parts = {f"data_batch_{k}.bin": records(k) for k in range(1, 6)} | {"test_batch.bin": records(7)}
    files = [(f"cifar-10-batches-bin/{name}", parts[name].tobytes()) for name in sorted(parts, reverse=True)]
    path = tmp_path / "cifar-10-binary.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    monkeypatch.setattr(photographs, "downloaded", lambda name, *_: tmp_path / Path(name).name)
    found = photographs.cifar10()
    assert (found.x_train.shape, found.x_test.shape, found.source) == ((15, 3, 32, 32), (7, 3, 32, 32), "official")
    assert found.y_train.tolist() == [int(row[0]) for k in range(1, 6) for row in parts[f"data_batch_{k}.bin"]]
    record = parts["data_batch_2.bin"][0]
    assert found.x_train[1, 2, 3, 4] == record[1 + 2 * 1024 + 3 * 32 + 4]


def test_a_copy_in_jpeg_is_taken_where_the_cache_has_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MINILIB_DATA", str(tmp_path))
    (tmp_path / "cifar10").mkdir()
    colours, jpegs = [(250, 10, 10), (10, 250, 10), (10, 10, 250)], []
    for colour in colours:
        Image.new("RGB", (32, 32), colour).save(buffer := io.BytesIO(), "JPEG", quality=95)
        jpegs.append(buffer.getvalue())
    about = {"jpeg": np.frombuffer(b"".join(jpegs), np.uint8), "offsets": np.cumsum([0, *map(len, jpegs)])}
    for part in ("train", "test"):
        np.savez(tmp_path / "cifar10" / f"{part}.npz", **about, labels=np.array([3, 1, 2], np.uint8))
    found = photographs.cifar10()
    assert (found.source, found.y_test.tolist(), found.x_train.dtype) == ("JPEG copy", [3, 1, 2], np.uint8)
    assert found.x_train.mean(axis=(2, 3)) == pytest.approx(np.array(colours), abs=4)
    (tmp_path / "cifar10" / "test.npz").write_bytes(b"no")
    with pytest.raises(ValueError, match="test.npz cannot be read"):
        photographs.cifar10()
