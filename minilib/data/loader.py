"""Which rows are in which batch: a function of the step, so that nothing has to be remembered to go on.

Samples are numbered through all epochs. Epoch e goes through the rows in an order that is drawn from (seed, e), and
step s takes the samples s * batch_size to (s + 1) * batch_size - 1, a contiguous share for each process, cut into
micro-batches. So a batch does not depend on how many processes share it, and a run that stopped goes on with the
batches that it would have seen: there is no state to save.

The order of an epoch takes 4 bytes a row in each process: 140 MB for 35 million rows, which is 4.5 billion tokens in
rows of 128. Two are held while a batch is of two epochs.

Deliberately absent: worker processes and prefetching. A batch of 256 rows of 128 tokens takes a few milliseconds.
"""

from collections.abc import Callable, Iterator

import numpy as np

from minilib import needs

with needs("train"):
    import torch

EVALUATION_SEED = 2**64 - 1  # validation has the same masks in every run


class Loader:
    """`loader.batch(step, i)` is micro-batch i of that step: a dict of int64 tensors, pinned where CUDA is used.

    Args:
        rows: (N, length) numbers, as from `packed_rows`.
        objective: (rows, index, first, seed) -> dict of arrays, see `objectives`.
        batch_size: rows of a step, over all `world_size` processes, of which this is number `rank`.
        seed: of the order of the rows and of all that the objective draws.
        micro: rows of a micro-batch, by default all that this process has.

    ValueError: `batch_size` cannot be divided so.
    """

    def __init__(
        self, rows: np.ndarray, objective: Callable, batch_size: int, seed: int, rank=0, world_size=1, micro=None
    ) -> None:
        if batch_size % (unit := world_size * (micro or 1)):
            raise ValueError(
                f"batch_size = {batch_size}: must be a multiple of {unit}, for {world_size} processes with"
                f" micro-batches of {micro or 1} rows, such as {-(-batch_size // unit) * unit}"
            )
        self.rows, self.objective, self.batch_size, self.seed = rows, objective, batch_size, seed
        self.micro = micro or batch_size // world_size
        self.micros = batch_size // (world_size * self.micro)
        self.offset = rank * (batch_size // world_size)  # of this process's share of the batch
        self.orders: dict[int, np.ndarray] = {}  # of the epochs in use

    def batch(self, step: int, i: int = 0) -> dict[str, torch.Tensor]:
        """Micro-batch `i`, from 0 to `micros` - 1, of this process in step `step`."""
        first = self.offset + step * self.batch_size + i * self.micro
        return tensors(self.objective(self.rows, self.index(first, self.micro), first, self.seed))

    def index(self, first: int, count: int) -> np.ndarray:
        """(count,) the rows of the samples from number `first` on."""
        epoch, place = np.divmod(np.arange(first, first + count), len(self.rows))
        epochs = range(epoch[0], epoch[-1] + 1)
        self.orders = {e: self.orders[e] if e in self.orders else self.order(e) for e in epochs}
        return np.concatenate([self.orders[e][place[epoch == e]] for e in epochs]).astype(np.int64)

    def order(self, epoch: int) -> np.ndarray:
        """(N,) the order of the rows in an epoch."""
        numbers = np.arange(len(self.rows), dtype=np.uint32)
        np.random.default_rng([self.seed, epoch]).shuffle(numbers)
        return numbers


def evaluation(
    rows: np.ndarray, objective: Callable, batch_size: int, limit: int | None = None, rank=0, world_size=1
) -> Iterator[dict[str, torch.Tensor]]:
    """The batches of a validation for this process: the same samples, with the same masks, whenever it is called.

    Every row is taken once, or `limit` rows at equal distances. All processes have the same number of batches, as
    collective operations want it. Batches have at most `batch_size` rows over all processes and differ by a row at
    most: weigh a batch's mean by its rows. ValueError: fewer rows than processes.
    """
    n = min(limit or len(rows), len(rows))
    if n < world_size:
        raise ValueError(f"{n} rows of validation: must be at least {world_size}, one for each process")
    # Batches of each process. Where one row a process does not come out even, some get a second row.
    count = min(-(-n // (batch_size // world_size * world_size)), n // world_size)
    index = np.arange(n) * len(rows) // n
    share = np.array_split(np.arange(n), count * world_size)[rank * count : (rank + 1) * count]
    return (tensors(objective(rows, index[s], int(s[0]), EVALUATION_SEED)) for s in share)


def tensors(batch: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """The arrays as tensors, in pinned memory where CUDA is used: a copy to the device need not be waited for."""
    on_host = {name: torch.from_numpy(array) for name, array in batch.items()}
    return {name: t.pin_memory() for name, t in on_host.items()} if torch.cuda.is_available() else on_host
