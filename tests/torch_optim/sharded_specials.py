"""Cases beside the plain comparison: bad gradients, gradients laid out otherwise, how often processes talk."""

from unittest import mock

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate

from tests.torch_optim.sharded_cases import beside, cut, error, gradients, make, placements, start

FEW = {"matrix": (8, 6), "uneven": (7, 5), "vector": (7,), "kernel": (5, 6, 3, 2), "short": (1, 5)}
F64 = torch.float64


def pair(method, mesh, layout, shapes, **options):
    """The same parameters sharded and whole, each with an optimizer: ((params, optimizer), (params, optimizer))."""
    values = start(F64, shapes)
    ours = {n: torch.nn.Parameter(cut(x, mesh, placements(layout, x.ndim))) for n, x in values.items()}
    theirs = {n: torch.nn.Parameter(x.clone()) for n, x in values.items()}
    return [(params, make(method, params, **options)) for params in (ours, theirs)]


def differences(ours, theirs):
    """Parameters and states of the two runs."""
    (params, opt), (expected, reference) = ours, theirs
    worst = {n: error(p, expected[n]) for n, p in params.items()}
    for n, p in params.items():
        worst |= {(n, k): error(v, reference.state[expected[n]][k]) for k, v in opt.state[p].items()}
        assert all(beside(v, p) for k, v in opt.state[p].items() if k != "step"), n
    return max(worst.values())


def bad_gradient(method, mesh, layout, bad, shapes=FEW, **options):
    """Three steps, in the second of which one entry, of the first process only, is `bad`: what each process did."""
    both = pair(method, mesh, layout, shapes, **options)
    raised, changed = [], []
    for t in (1, 2, 3):
        values = gradients(t, F64, shapes)
        if t == 2:
            values["uneven"][0, 0] = bad
        for params, opt in both:
            for n, g in values.items():
                params[n].grad = cut(g, mesh, placements(layout, g.ndim)) if opt is both[0][1] else g
            before = snapshot(params, opt)
            try:
                opt.step()
            except ValueError as e:
                raised.append(f"step {t}: {e}")
            if t == 2:
                changed.append(any(not torch.equal(a, b) for a, b in zip(before, snapshot(params, opt), strict=True)))
    return {
        "raised": raised,
        "changed": changed,
        "skipped": [int(opt.skipped) for _, opt in both],
        "difference": differences(*both),
    }


def snapshot(params, opt):
    """Copies of what a step may change: the local parts of parameters and states."""
    tensors = list(params.values()) + [v for p in params.values() for v in opt.state[p].values()]
    return [(t.to_local() if isinstance(t, DTensor) else t).detach().clone() for t in tensors]


def other_gradients(method, mesh, layout, of_the_gradient):
    """Gradients that lie otherwise than their parameters: "replicated", or "partial" sums over the processes."""
    both = pair(method, mesh, layout, FEW)
    whole = [Replicate()] * mesh.ndim
    for t in (1, 2, 3):
        for n, g in gradients(t, F64, FEW).items():
            both[1][0][n].grad = g
            if of_the_gradient == "replicated":
                g = cut(g, mesh, whole)
            else:  # the processes hold shares of the gradient that add up to it
                share = (mesh.get_rank() + 1) / sum(range(1, mesh.size() + 1))
                g = DTensor.from_local(g * share, mesh, [Partial()] * mesh.ndim, run_check=False)
            both[0][0][n].grad = g
        for _, opt in both:
            opt.step()
    return {"difference": differences(*both)}


def conversations(method, mesh, layout, copies, **options):
    """How often a step calls all_reduce, with so many copies of a few parameters of all kinds."""
    shapes = {f"{name} {k}": shape for k in range(copies) for name, shape in FEW.items()}
    (params, opt), _ = pair(method, mesh, layout, shapes, **options)
    counts = []
    for t in (1, 2):
        for n, g in gradients(t, F64, shapes).items():
            params[n].grad = cut(g, mesh, placements(layout, g.ndim))
        with mock.patch("torch.distributed.all_reduce", wraps=torch.distributed.all_reduce) as spy:
            opt.step()
        counts.append(spy.call_count)
    return {"counts": counts}
