"""From parameters to `Work`: their state is begun, and those that are alike are put into buckets that step together."""

import torch

from minilib.torch_optim.gradients import blind
from minilib.torch_optim.many import Many
from minilib.torch_optim.sharding import local, zeros
from minilib.torch_optim.work import Work, fused, loop, whole

FEW = 4  # parameters of one shape that a fused call takes at once
RUN = {"loop": loop, "foreach": whole, "fused": fused, "compiled": whole}


def wide(dtype: torch.dtype) -> torch.dtype:
    """The data type of the statistics of a parameter."""
    return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype


def begin(opt, group: dict, p: torch.Tensor) -> dict:
    """The state of a parameter that gets its first gradient."""
    # The step number is read in every step: on the host, unless the host must not read it.
    device = p.device if group["capturable"] or p.device.type not in ("cpu", "cuda") else "cpu"
    shape = tuple(p.shape)
    moments = opt.start(shape, opt.dims(shape, group))
    step = torch.zeros((), dtype=wide(p.dtype), device=device)
    return {"step": step} | {name: zeros(p, size, wide(p.dtype)) for name, size in moments.items()}


def works(opt, jobs: list, found) -> list:
    """One `Work` a parameter, or one for each bucket of alike parameters where the path is foreach or fused."""
    for job in jobs:
        if not opt.state[job.p]:
            opt.state[job.p] = begin(opt, job.group, job.p)
    steps = [opt.state[job.p]["step"] for job in jobs]
    torch._foreach_add_(steps, 1 if found.ok is None else [found.ok] * len(steps))
    buckets = {}
    for k, job in enumerate(jobs):
        t = steps[k] if blind(job.group) else steps[k].item()
        path = "compiled" if torch.compiler.is_compiling() else opt.path(job.group, job.p)
        dims = opt.dims(tuple(job.p.shape), job.group)
        alike = (job.number, job.p.device, job.p.dtype, dims, job.cuts, None if isinstance(t, torch.Tensor) else t)
        key = {"foreach": alike, "fused": (*alike, job.p.shape)}.get(path, k)
        buckets.setdefault((path, key), []).append((job, t))
    out = []
    for (path, _), bucket in buckets.items():
        size = FEW if path == "fused" else len(bucket)
        out += [_work(opt, path, bucket[i : i + size], found) for i in range(0, len(bucket), size)]
    return out


def _work(opt, path, bucket, found):
    jobs, steps = zip(*bucket, strict=True)
    group, _, p, _, cuts, _ = jobs[0]
    shapes, states = [tuple(job.p.shape) for job in jobs], [opt.state[job.p] for job in jobs]
    many = path in ("foreach", "fused")

    def join(tensors):
        tensors = [t if t.ndim else t.view(1) for t in map(local, tensors)]
        return Many(tensors) if many else tensors[0]

    t = steps[0]
    if isinstance(t, torch.Tensor) and many:
        t = Many(steps)
    scale = found.scale
    if group["maximize"]:
        scale = -1.0 if scale is None else -scale
    return Work(
        x=join(job.p for job in jobs),
        g=join(job.g for job in jobs),
        s={name: join(s[name] for s in states) for name in states[0] if name != "step"},
        group=group,
        dims=opt.dims(shapes[0], group),
        sizes=shapes if many else shapes[0],
        dtype=wide(p.dtype),
        t=t,
        ok=found.ok,
        unchecked=found.unchecked,
        scale=scale,
        seed=t if group["stochastic_rounding"] and p.dtype == torch.bfloat16 else None,
        cuts=cuts,
        params=[job.p for job in jobs],
        ratios=opt._ratios,
        run=RUN[path],
    )
