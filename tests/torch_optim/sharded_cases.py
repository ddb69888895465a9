"""Runs of the optimizers on parameters cut over processes, compared with the same runs on whole parameters.

Everything here runs in the processes that `conftest.py` starts; a case returns numbers and short texts.
"""

import functools
import math
from unittest import mock

import torch
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard

from minilib import torch_optim
from minilib.torch_optim import execute
from minilib.torch_optim.phases import Sizes

STEPS = 10

METHODS = {
    "LARS": ("LARS", {"lr": 0.5, "weight_decay": 0.1, "trust_coefficient": 0.1}),
    "LARS joint norm": ("LARS", {"lr": 0.5, "trust_coefficient": 0.1, "joint_norm": True}),
    "LARS without layers": (
        "LARS",
        {"lr": 0.01, "weight_decay": 0.1, "layer_adaptation": False, "state_dtype": torch.bfloat16},
    ),
    "LARS2020": ("LARS2020", {"lr": 0.1, "weight_decay": 0.1}),
    "LAMB": ("LAMB", {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1}),
    "Adafactor": ("Adafactor", {"lr": 0.1, "weight_decay": 0.1}),
    "Adafactor fixed rate": ("Adafactor", {"lr": 0.1, "relative_step": False, "factor": "last"}),
    "CAME": ("CAME", {"lr": 0.1, "betas": (0.8, 0.9, 0.99), "weight_decay": 0.1, "factor": "first"}),
    "CAME corrected": ("CAME", {"lr": 0.1, "betas": (0.8, 0.9, 0.99), "correct_confidence": True}),
}

# For 2 and 4 processes: even cuts and uneven ones, dimensions shorter than the number of processes.
SHAPES = {
    "matrix": (8, 6),
    "uneven": (7, 5),
    "short": (3, 9),
    "row": (1, 6),
    "column": (6, 1),
    "vector": (7,),
    "single": (1,),
    "scalar": (),
    "kernel": (5, 6, 3, 2),
    "one matrix": (1, 5, 4),
    "zeros": (6, 3),
    "empty": (0, 3),
}
FEW = {"matrix": (8, 6), "uneven": (7, 5), "vector": (7,), "kernel": (5, 6, 3, 2), "short": (1, 5)}

# Dimensions of the tensor that each dimension of the mesh cuts, None for none.
LAYOUTS = {"rows": (0,), "columns": (1,), "replicated": (None,)}
GRID_LAYOUTS = {
    "rows and columns": (0, 1),
    "columns and rows": (1, 0),
    "replicas of rows": (None, 0),
    "rows cut twice": (0, 0),
    "third dimension": (2, None),
}
ALL_LAYOUTS = LAYOUTS | GRID_LAYOUTS


def placements(layout, ndim):
    """A dimension that the tensor does not have is not cut; the layout "plain" is none, for what is no DTensor."""
    if layout == "plain":
        return None
    return [Replicate() if dim is None or dim >= ndim else Shard(dim) for dim in ALL_LAYOUTS[layout]]


def start(cells, dtype):
    torch.manual_seed(1)
    values = {name: torch.randn(shape, dtype=torch.float64) for name, (shape, _) in cells.items()}
    return {name: (0 * x if name.startswith("zeros") else x).to(dtype) for name, x in values.items()}


def gradients(t, cells, dtype):
    """Of step t; large at first, and zero in step 7."""
    torch.manual_seed(100 + t)
    size = 0.0 if t == 7 else 4.0 if t < 5 else 1.0
    return {name: (size * torch.randn(s, dtype=torch.float64)).to(dtype) for name, (s, _) in cells.items()}


def cut(t, mesh, where):
    """A DTensor of a tensor that every process has; the tensor itself where `where` is None."""
    if where is None:
        return t
    whole = DTensor.from_local(t, mesh, [Replicate()] * mesh.ndim, run_check=False)
    return whole.redistribute(placements=where)


def laid_out(values, mesh, cells):
    return {name: cut(t, mesh, placements(cells[name][1], t.ndim)) for name, t in values.items()}


@functools.cache
def cut_gradients(mesh, cells, dtype):
    """The gradients of all steps, for all methods: none of them writes a gradient."""
    return [laid_out(gradients(t, dict(cells), dtype), mesh, dict(cells)) for t in range(1, STEPS + 1)]


def make(method, params, host_waits=True, **more):
    cls, options = METHODS[method]
    opt = getattr(torch_optim, cls)(list(params.items()), **(options | more))
    opt.host_waits = host_waits
    return opt


def pair(method, mesh, cells, dtype=torch.float64, **options):
    """The same parameters sharded and whole, each with an optimizer: ((params, optimizer), (params, optimizer))."""
    values = start(cells, dtype)
    both = [{n: torch.nn.Parameter(x.clone()) for n, x in v.items()} for v in (laid_out(values, mesh, cells), values)]
    return [(params, make(method, params, **options)) for params in both]


def set_gradients(both, *values):
    for (params, _), own in zip(both, values, strict=True):
        for n, g in own.items():
            params[n].grad = g


def everything(layouts, shapes=SHAPES):
    """Name -> (shape, layout), for `pair`: every shape in each of the layouts."""
    return {f"{name}, {layout}": (shape, layout) for layout in layouts for name, shape in shapes.items()}


def compare(method, mesh, cells, dtype=torch.float64, sizes=None, **options):
    """Ten steps of one optimizer for all of `cells`, sharded, with other sizes, and whole: `differences`."""
    both = pair(method, mesh, cells, dtype, **options)
    both[0][1].sizes = sizes
    for t, ours in enumerate(cut_gradients(mesh, tuple(cells.items()), dtype), start=1):
        set_gradients(both, ours, gradients(t, cells, dtype))
        for _, opt in both:
            opt.step()
    return differences(*both)


def differences(ours, theirs):
    """The largest relative difference of two runs, in parameters and states, and where; infinite for a wrong layout."""
    (params, opt), (expected, reference) = ours, theirs
    found = {n: error(p, expected[n]) for n, p in params.items()}
    for n, p in params.items():
        for k, v in opt.state[p].items():
            fits = k == "step" or beside(v, p)
            found[f"{k} of {n}"] = error(v, reference.state[expected[n]][k]) if fits else math.inf
    worst = max(found, key=found.get)
    return {"difference": found[worst], "worst": worst}


def error(ours, expected):
    """The largest difference on this process, relative to the largest entry; infinite for other shapes and for nan."""
    ours, expected = ours.detach(), expected.detach()
    if ours.shape != expected.shape:
        return math.inf
    size = expected.abs().max() if expected.numel() else 0.0
    if isinstance(ours, DTensor):
        ours, expected = ours.to_local(), cut(expected, ours.device_mesh, ours.placements).to_local()
    if ours.shape != expected.shape:
        return math.inf
    worst = (ours - expected).abs().max() / (size or 1.0) if ours.numel() else torch.zeros(())
    return float(worst.nan_to_num(math.inf))


def beside(v, p):
    """Does this process hold just that part of state `v` that belongs to its part of `p`?"""
    if not isinstance(p, DTensor):
        return not isinstance(v, DTensor)
    mine = zip(v.to_local().shape, p.to_local().shape, v.shape, p.shape, strict=True)
    return all(have == (cut if size == whole else 1) for have, cut, size, whole in mine)


def compiled(method, mesh, **options):
    """Compiled phases. On the first process two parameters have parts of one shape, on the second they have not.

    Of "thin" and "low" the second process holds nothing. The whole ones, of the usual sizes, are too small to compile.
    """
    cells = {
        "even": ((128, 130), "rows"),
        "uneven": ((127, 130), "rows"),
        "thin": ((20000, 1), "columns"),
        "low": ((1, 20000), "rows"),
    }
    found = compare(method, mesh, cells, sizes=Sizes(call=2**12), compile=True, **options)
    assert execute.compiled.cache_info().currsize, "nothing was compiled"
    return found


def bad_gradient(method, mesh, layout, **options):
    """Three steps, in the second of which one entry, of the first process only, is nan: what each process did."""
    cells = everything([layout], FEW)
    both = pair(method, mesh, cells, **options)
    raised, changed = [], []
    for t in (1, 2, 3):
        values = gradients(t, cells, torch.float64)
        if t == 2:
            values[f"uneven, {layout}"][0, 0] = math.nan
        set_gradients(both, laid_out(values, mesh, cells), values)
        for params, opt in both:
            before = snapshot(params, opt)
            try:
                opt.step()
            except ValueError as e:
                raised.append(f"step {t}: {e}")
            if t == 2:
                changed.append(any(not torch.equal(a, b) for a, b in zip(before, snapshot(params, opt), strict=True)))
    skipped = [int(opt.skipped) for _, opt in both]
    return {"raised": raised, "changed": changed, "skipped": skipped} | differences(*both)


def snapshot(params, opt):
    """Copies of what a step may change: the local parts of parameters and states."""
    tensors = list(params.values()) + [v for p in params.values() for v in opt.state[p].values()]
    return [(t.to_local() if isinstance(t, DTensor) else t).detach().clone() for t in tensors]


def refused(method, mesh, layout):
    """What a step with codes for a sharded parameter raises, and loading codes; does either change anything?"""
    cells = {"large": ((64, 64), layout)}
    ((params, opt), (whole, reference)), raised, same = pair(method, mesh, cells, state_dtype=torch.uint8), [], []
    values = gradients(1, cells, torch.float64)
    set_gradients([(params, opt), (whole, reference)], laid_out(values, mesh, cells), values)
    reference.step()
    other = make(method, params)
    other.step()
    for each, act in ((opt, opt.step), (other, lambda: other.load_state_dict(reference.state_dict()))):
        before, options = snapshot(params, each), dict(each.param_groups[0])
        try:
            act()
        except ValueError as e:
            raised.append(str(e))
        kept = all(torch.equal(a, b) for a, b in zip(before, snapshot(params, each), strict=True))
        same.append(kept and options == each.param_groups[0])
    return {"raised": raised, "same": same}


def other_gradients(method, mesh, layout, of_the_gradient):
    """Gradients that lie otherwise than their parameters: "replicated", or "partial" sums over the processes."""
    cells = everything([layout], FEW)
    both = pair(method, mesh, cells)
    share = (mesh.get_rank() + 1) / sum(range(1, mesh.size() + 1))  # the processes' shares add up to the gradient
    for t in (1, 2, 3):
        values = gradients(t, cells, torch.float64)
        if of_the_gradient == "replicated":
            ours = {n: cut(g, mesh, [Replicate()] * mesh.ndim) for n, g in values.items()}
        else:
            partial = [Partial()] * mesh.ndim
            ours = {n: DTensor.from_local(g * share, mesh, partial, run_check=False) for n, g in values.items()}
        set_gradients(both, ours, values)
        for _, opt in both:
            opt.step()
    return differences(*both)


def conversations(method, mesh, layout, copies):
    """How often a step calls all_reduce, with so many copies of a few parameters of all kinds."""
    cells = everything([layout], {f"{name} {k}": shape for k in range(copies) for name, shape in FEW.items()})
    both, counts = pair(method, mesh, cells), []
    for t in (1, 2):
        values = gradients(t, cells, torch.float64)
        set_gradients(both, laid_out(values, mesh, cells), values)
        with mock.patch("torch.distributed.all_reduce", wraps=torch.distributed.all_reduce) as spy:
            both[0][1].step()
        counts.append(spy.call_count)
    return {"counts": counts}
