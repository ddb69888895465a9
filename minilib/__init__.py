"""minilib: the small library that the book builds up, chapter by chapter.

    optim, torch_optim, schedules       the methods, in NumPy and in PyTorch
    autodiff, theory, analysis          networks in NumPy; the steps of proofs, evaluated and attacked; costs planned
    data, models, training              texts and images, BERT and its kin, the loop that trains them
    compress                            a trained model in fewer bytes
    experiments, plots                  what the book's comparisons share

Which may import which stands in `pyproject.toml`. Only `torch_optim`, `models`, `training`, `compress`,
`data.loader`, `data.classification` and `analysis.flops` need PyTorch. The methods in NumPy need NumPy alone; what else
a part needs an extra of the package brings: `torch` the optimizers in PyTorch, `train` the training of models, `book`
the figures and the digits.
"""

import sys
from collections.abc import Callable, Iterator
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


def program(work: Callable[[], str | None]) -> int:
    """The exit code of a command line that does `work` and prints what it returns.

    0: it is done; 2: it was asked for wrongly, or a file failed (ValueError, OSError), which is said in one line.
    """
    try:
        if (said := work()) is not None:
            print(said)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0
