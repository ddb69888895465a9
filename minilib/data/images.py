"""The scanned digits that ship with scikit-learn.

Source: E. Alpaydin and C. Kaynak (1998), "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository
(its test set), as distributed in `sklearn.datasets.load_digits`.

Deliberately absent: standardisation (pixels in [0, 1] need none) and shuffling (the caller's random generator does it).
"""

from typing import NamedTuple

import numpy as np

from minilib import needs


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
