"""From the jobs of a step to buckets: views of large parameters, stacks of small ones of one shape."""

import math

import torch

from minilib.torch_optim.phases import Bucket
from minilib.torch_optim.sharding import local


def make_buckets(opt, jobs: list, check, compiles: bool):
    """Yields a `Bucket` for every large parameter, and one for each stack of small ones.

    They are made one by one: a stack is still in the cache when its phases run.
    """
    alike, whole = {}, torch.compiler.is_compiling()
    for i, job in enumerate(jobs):
        t = opt.state[job.p]["step"]
        t = "on the device" if check.step_mask is not None else t.item()
        kind = (job.number, job.p.dtype, t)
        small = job.g.numel() < opt.sizes_on(job.g.device).small and not whole
        shapes = (tuple(job.p.shape), tuple(job.g.shape), job.shards)
        alike.setdefault(kind, {}).setdefault(shapes if small else i, []).append(job)
    for (*_, t), stacks in alike.items():
        together = [job for stack in stacks.values() for job in stack]
        numbers = _numbers(opt, together, t, check, compiles)
        first = 0
        for stack in stacks.values():
            size = max(1, opt.sizes_on(stack[0].g.device).stack // max(1, stack[0].g.numel()))
            for k in range(0, len(stack), size):
                few = stack[k : k + size]
                yield _bucket(opt, few, {name: _of(v, first, len(few)) for name, v in numbers.items()}, compiles)
                first += len(few)


def _numbers(opt, jobs, t, check, compiles):
    """The numbers of a step, the same for all jobs, or one for each where t is on the device."""
    group, p = jobs[0].group, jobs[0].p
    step = opt.state[p]["step"]
    if check.step_mask is not None:  # a skipped first step has t = 0, and nothing may be divided by zero even then
        t = torch.stack([opt.state[job.p]["step"] for job in jobs]).clamp(min=1)
    lr = group["lr"]
    if isinstance(lr, torch.Tensor) and check.step_mask is None:
        lr = lr.item()
    rates, fixed = opt.numbers(group | {"lr": lr}, t)
    if check.step_mask is not None:
        rates = {name: value * check.step_mask for name, value in rates.items()}
    seed = t if group["stochastic_rounding"] and p.dtype == torch.bfloat16 else None
    numbers = rates | fixed | {"clip": check.scale, "step_mask": check.step_mask, "seed": seed}
    floats = [name for name, value in numbers.items() if isinstance(value, float)]
    if compiles:  # as tensors, so that another value does not compile the phases again
        values = torch.tensor([numbers[name] for name in floats], dtype=step.dtype).to(p.device, non_blocking=True)
        numbers |= dict(zip(floats, values.unbind(), strict=True))
    return {n: v.to(step.dtype) if isinstance(v, torch.Tensor) and n != "step_mask" else v for n, v in numbers.items()}


def _of(number, first, count):
    """Of a number that each job has, those of a bucket."""
    each = isinstance(number, torch.Tensor) and number.ndim == 1
    return number[first : first + count] if each else number


def _bucket(opt, jobs, numbers, compiles):
    group, shape = jobs[0].group, tuple(jobs[0].p.shape)
    dims = opt.dims(shape, group)
    states = [opt.state[job.p] for job in jobs]
    tensors = {"x": [local(job.p) for job in jobs], "g": [_laid_out(job.g, local(job.p)) for job in jobs]}
    tensors |= {name: [local(s[name]) for s in states] for name in states[0] if name != "step"}
    many = len(jobs) > 1
    stacks = {name: torch.stack(ts) if many else ts[0].unsqueeze(0) for name, ts in tensors.items()}
    copied = [(tensors[name], stacks[name].unbind()) for name in stacks if many and name != "g"]
    written = [pair for ours, parts in copied for pair in zip(ours, parts, strict=True)]
    strides = stacks["x"].stride()[1:]
    order = sorted(range(len(shape)), key=lambda k: (k == dims[1], k == dims[0]) if dims else -strides[k])
    views = {name: t.permute(0, *(1 + k for k in order)) for name, t in stacks.items()}
    own = opt.sizes_on(stacks["x"].device)
    compiled = compiles and stacks["x"].numel() >= max(1, own.call)
    if dims is None and all(t.is_contiguous() for t in views.values()):  # a vector or a matrix, the same for all shapes
        count, last = len(jobs), views["x"].shape[-1] if shape else 1
        rows = math.prod(views["x"].shape[1:-1])
        size = (count, -1) if compiled and opt.as_vectors else (count, rows, last)
        views = {name: t.view(size) if t.numel() else t.reshape(count, rows, last) for name, t in views.items()}
    x, g = views.pop("x"), views.pop("g")
    numbers = {n: v.view(-1, *(1,) * (x.ndim - 1)) if torch.is_tensor(v) and v.ndim else v for n, v in numbers.items()}
    sizes = {"entries": math.prod(shape)}
    if dims:
        sizes |= {"rows": shape[dims[0]], "columns": shape[dims[1]]}
    if compiled:
        dtype = next(iter(views.values())).dtype
        sizes = {name: torch.tensor(float(size), dtype=dtype) for name, size in sizes.items()}
    shards = tuple((over, 1 + order.index(dim)) for over, dim in jobs[0].shards)
    numbers |= sizes | {"rows_cut": any(dim == x.ndim - 2 for _, dim in shards)}
    return Bucket(opt.phases_of(shape, dims), x, g, views, numbers, shards, compiled, own.piece, written)


def _laid_out(g, x):
    """A gradient with the strides of its parameter: compiled code that reads two orders at once has crashed."""
    return g if g.stride() == x.stride() else torch.empty_like(x, dtype=g.dtype).copy_(g)
