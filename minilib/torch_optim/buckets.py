"""From the gradients of a step to buckets: views of large parameters, stacks of small ones of one shape.

How a layout is viewed and what was compiled for it is worked out once (`arranged`); the views themselves are made in
every step, so that nothing here keeps a tensor that its owner has replaced or moved to another device.
"""

import functools
import math

import torch

from minilib.torch_optim.narrow import widened, write
from minilib.torch_optim.phases import Bucket
from minilib.torch_optim.sharding import local


def make_buckets(opt, params: list, check, compiles: bool):
    """Yields a `Bucket` for every large parameter, and one for each stack of small ones.

    They are made one by one: a stack is still in the cache when its phases run.
    """
    alike, whole = {}, torch.compiler.is_compiling()
    sizes = opt.sizes_on(params[0].g.device)
    for i, param in enumerate(params):
        t = "on the device" if check.step_mask is not None else opt.state[param.p]["step"].item()
        small = param.g.numel() < sizes.small and not whole
        kept = tuple(s.dtype for s in opt.state[param.p].values())  # state_dtype may be another for a later one
        shapes = (param.p.shape, param.g.shape, param.shards, kept) if small else i
        alike.setdefault((param.number, param.p.dtype, t), {}).setdefault(shapes, []).append(param)
    for (*_, t), stacks in alike.items():
        together = [param for stack in stacks.values() for param in stack]
        numbers = _numbers(opt, together, t, check)
        packed = _packed(numbers, together, opt.state[together[0].p]["step"].dtype) if compiles else None
        first = 0
        for stack in stacks.values():
            size = max(1, sizes.stack // max(1, stack[0].g.numel()))
            for k in range(0, len(stack), size):
                few = stack[k : k + size]
                compiled = compiles and len(few) * few[0].g.numel() >= max(1, sizes.call)
                compiled = compiled and (sizes.stacks or len(few) == 1)
                mine = slice(first, first + len(few))
                yield _bucket(opt, few, sizes.chunk, numbers, mine, packed if compiled else None)
                first += len(few)


def _numbers(opt, params, t, check):
    """The numbers of a step, the same for all parameters, or one for each where t is on the device."""
    group, p = params[0].group, params[0].p
    dtype = opt.state[p]["step"].dtype
    if check.step_mask is not None:  # a skipped first step has t = 0, and nothing may be divided by zero even then
        t = torch.stack([opt.state[param.p]["step"] for param in params]).clamp(min=1)
    lr = group["lr"]
    if isinstance(lr, torch.Tensor) and check.step_mask is None:
        lr = lr.item()
    rates, fixed = opt.numbers(group | {"lr": lr}, t)
    if check.step_mask is not None:
        rates = {name: value * check.step_mask for name, value in rates.items()}
    seed = t if group["stochastic_rounding"] and p.dtype == torch.bfloat16 else None
    numbers = rates | fixed | {"clip": check.scale, "step_mask": check.step_mask, "seed": seed}
    return {n: v.to(dtype) if isinstance(v, torch.Tensor) and n != "step_mask" else v for n, v in numbers.items()}


def _packed(numbers, params, dtype):
    """What is compiled in, as (name, value); the names of numbers, which may be others in the next step; a tensor of
    these, (1, numbers) or with a row for each parameter.
    """
    names = [n for n, v in numbers.items() if isinstance(v, (int, float, torch.Tensor)) and not isinstance(v, bool)]
    names, static = tuple(names), tuple((name, value) for name, value in numbers.items() if name not in names)
    values, device = [numbers[name] for name in names], params[0].g.device
    if not any(isinstance(v, torch.Tensor) for v in values):
        return static, names, torch.tensor([values], dtype=dtype).to(device, non_blocking=True)
    values = [v if isinstance(v, torch.Tensor) else torch.full((), v, dtype=dtype, device=device) for v in values]
    return static, names, torch.stack([v.to(dtype).expand(len(params)) for v in values], 1)


def _bucket(opt, params, chunk, numbers, mine, packed):
    """The bucket of parameters of one shape: `mine` of those that have `numbers`, `packed` where it is compiled."""
    shape = tuple(params[0].p.shape)
    dims = opt.dims(shape, params[0].group)
    phases = opt.phases_of(shape, dims)
    stacks, back = _stacked(opt, params, packed is not None)
    flat = packed is not None and opt.as_vectors
    if torch.compiler.is_compiling():
        (views, order), calls = views_of(stacks, shape, dims, flat), {}
    else:
        views, order, calls = _seen_before(stacks, params[0], dims, flat, (phases, packed and packed[:2]))
    x, g = views.pop("x"), views.pop("g")
    shards = tuple((over, 1 + order.index(dim)) for over, dim in params[0].shards)
    sizes = {"entries": math.prod(shape)} | ({"rows": shape[dims[0]], "columns": shape[dims[1]]} if dims else {})
    numbers, packed = _numbers_of(x.ndim, sizes, numbers, mine, packed, calls)
    numbers["rows_cut"] = any(dim == x.ndim - 2 for _, dim in shards)
    return Bucket(phases, x, g, views, numbers, packed, calls, shards, chunk, back)


def _stacked(opt, params, compiled):
    """Parameters ("x"), gradients ("g") and state by name, each in one tensor, and functions that write copies back."""
    states = [opt.state[param.p] for param in params]
    xs = [local(param.p).detach() for param in params]
    names = [name for name in states[0] if name != "step" and not name.endswith("_scale")]
    narrow = [name for name in names if states[0][name].dtype != states[0]["step"].dtype]  # kept in fewer bits
    tensors = {"x": xs, "g": [_laid_out(param.g, x) for param, x in zip(params, xs, strict=True)]}
    tensors |= {name: [local(s[name]) for s in states] for name in names if name not in narrow}
    tensors |= {n: [_laid_out(widened(s, n), x) for s, x in zip(states, xs, strict=True)] for n in narrow}
    many, back = len(params) > 1, []
    stacks = {name: torch.stack(ts) if many else ts[0] for name, ts in tensors.items()}
    for name, stack in stacks.items():
        parts = stack.unbind() if many else (stack,)
        if name in narrow:
            back += [functools.partial(write, s, name, t, compiled) for s, t in zip(states, parts, strict=True)]
        elif many and name != "g":
            back.append(functools.partial(torch._foreach_copy_, tensors[name], parts))
    return stacks, back


def _seen_before(stacks, param, dims, flat, kind):
    """`views_of` these stacks, by what was worked out for others of this layout, and what was compiled for these."""
    layout = tuple((name, t.shape, t.stride()) for name, t in stacks.items())
    cut, dtypes = tuple(dim for _, dim in param.shards), tuple(t.dtype for t in stacks.values())
    key = *kind, cut, dtypes, stacks["x"].device
    seen, order, calls = arranged(layout, tuple(param.p.shape), dims, flat, key)
    return {name: t.as_strided(*seen[name]) for name, t in stacks.items()}, order, calls


def _numbers_of(ndim, sizes, numbers, mine, packed, calls):
    """The numbers of a bucket, its sizes among them: as phases read them, and as compiled code gets them, or None."""
    if not packed:
        each = {n: v[mine] for n, v in numbers.items() if isinstance(v, torch.Tensor) and v.ndim}
        return numbers | {n: v.view(-1, *(1,) * (ndim - 1)) for n, v in each.items()} | sizes, None
    static, names, values = packed
    values = values[mine] if values.shape[0] > 1 else values
    if "sizes" not in calls:
        calls["sizes"] = torch.tensor(list(sizes.values()), dtype=values.dtype, device=values.device)
    return dict(static), ((*sizes, *names), calls["sizes"], values)


def views_of(stacks, shape, dims, flat):
    """Every tensor as phases see it, `(k, ...)`, and the order of the parameter's dimensions in it."""
    if stacks["x"].ndim == len(shape):  # of one parameter
        stacks = {name: t.unsqueeze(0) for name, t in stacks.items()}
    strides = stacks["x"].stride()[1:]
    order = sorted(range(len(shape)), key=lambda k: (k == dims[1], k == dims[0]) if dims else -strides[k])
    views = {name: t.permute(0, *(1 + k for k in order)) for name, t in stacks.items()}
    if dims is None and all(t.is_contiguous() for t in views.values()):  # a vector or a matrix, the same for all shapes
        x = views["x"]
        rows, last = math.prod(x.shape[1:-1]), x.shape[-1] if shape else 1
        size = (x.shape[0], -1) if flat else (x.shape[0], rows, last)
        views = {name: t.view(size) if t.numel() else t.reshape(x.shape[0], rows, last) for name, t in views.items()}
    return views, order


@functools.cache
def arranged(layout, shape, dims, flat, key):
    """Of tensors laid out like this: (size, stride) of the views, their order, and what is compiled for them."""
    stacks = {name: torch.empty_strided(size, stride, device="meta") for name, size, stride in layout}
    views, order = views_of(stacks, shape, dims, flat)
    return {name: (t.shape, t.stride()) for name, t in views.items()}, order, {}


def _laid_out(g, x):
    """A gradient with the strides of its parameter: compiled code that reads two orders at once has crashed."""
    return g if g.stride() == x.stride() else torch.empty_like(x, dtype=g.dtype).copy_(g)
