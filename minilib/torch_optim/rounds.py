"""The generators `update` of all parameters, advanced: sums are completed for all together, and checked once."""

import torch

from minilib.torch_optim.many import Many
from minilib.torch_optim.sharding import all_reduce


def advance(works: list, update) -> torch.Tensor | None:
    """Run `update` for all; returns a parameter whose gradient is not finite, and has changed nothing then."""
    rounds = [(w, [update(w)], None) for w in works]
    if works[0].unchecked or any(w.cuts for w in works):
        rounds = _round(rounds)
    if works[0].unchecked:
        telling = [(p, v) for w, _, sums in rounds for p, v in zip(w.params, _each(sums[-1]), strict=True)]
        if not _all_finite([v for _, v in telling]):
            return next(p for p, v in telling if not v.isfinite())
    # What is on this process alone runs to its end, one after the other; the others go on together.
    for w, running, sums in rounds:
        while not w.cuts and (partial := _next(running, sums)) is not None:
            sums = [value for value, _ in partial]
    rounds = [(w, running, sums) for w, running, sums in rounds if w.cuts]
    while rounds:
        rounds = _round(rounds)
    return None


def _round(rounds):
    """Everything one round on, and the partial sums of all completed together."""
    asked = [(w, running, _next(running, sums)) for w, running, sums in rounds]
    asked = [(w, running, partial) for w, running, partial in asked if partial is not None]
    all_reduce([pair for w, _, partial in asked for pair in w.over_processes(partial)])
    return [(w, running, [value for value, _ in partial]) for w, running, partial in asked]


def _each(value):
    """A sum as a list with one entry for each parameter of the bucket."""
    return value.list if isinstance(value, Many) else [value]


def _all_finite(numbers):
    """Waits once for each device, not once for each of the 0-dim tensors."""
    kinds = {}
    for v in numbers:
        kinds.setdefault((v.device, v.dtype), []).append(v)
    return all(torch.stack(alike).isfinite().all() for alike in kinds.values())


def _next(running, sent):
    """The next partial sums, or None at the end; `running` is a stack of generators, the last one called by the others.

    In place of `yield from`, into which `torch.compile` cannot send, and `args` in place of `value` for its sake too.
    """
    while running:
        try:
            asked = running[-1].send(sent)
        except StopIteration as end:
            running.pop()
            sent = end.args[0] if end.args else None
        else:
            if isinstance(asked, list):
                return asked
            running.append(asked)
            sent = None
    return None
