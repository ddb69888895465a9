"""Sharded parameters step together: a phase over all of them, then one message that completes their sums."""

from minilib.torch_optim.phases import ALL, run
from minilib.torch_optim.sharding import all_reduce


def run_together(buckets: list) -> None:
    """All phases of sharded buckets, in step: the number of messages is that of the phases, not of the parameters."""
    for k in range(max([0, *(len(bucket.phases) for bucket in buckets)])):
        at_work = [bucket for bucket in buckets if k < len(bucket.phases)]
        for bucket in at_work:
            run(bucket, bucket.phases[k : k + 1])
        all_reduce([pair for bucket in at_work for pair in _partial(bucket)])
    for bucket in buckets:
        bucket.put_back()


def _partial(bucket):
    """The sums of a bucket that are partial, as (tensor, process groups)."""
    for value, over in (pair for pair in bucket.sums if isinstance(pair, tuple)):
        groups = [group for group, dim in bucket.shards if over is ALL or dim == over % bucket.x.ndim]
        if groups:
            yield value, groups
