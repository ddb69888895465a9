"""minilib: the small library that the book builds up, chapter by chapter.

Rooms, in the order in which they may import each other: `tensor` (autodiff), `nn`, `problems`, `datasets`,
`schedules`, `optim`, `proofs`, `plots`. They need NumPy; what else a room needs, an extra of the package brings:
`torch` the optimizers in PyTorch, `train` the training of models, `book` the figures and the digits.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__version__ = "0.1.0"


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around imports: a package that is missing is named, with the extra that brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        line = f"{error}; the extra {extra!r} brings it: pip install '.[{extra}]' in the folder of the book"
        raise ModuleNotFoundError(line, name=error.name) from None
