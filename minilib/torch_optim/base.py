"""What the optimizers share: torch's contract, checks, the choice of a path, sums over processes.

A subclass says what it remembers (`start`) and how one parameter takes a step (`update`). `update` is a generator: it
sweeps over the parameter, yields the sums that the sweep took, gets them back complete (over all processes that hold
a part of the parameter) and goes on. So the same lines serve plain and sharded tensors, and the sums of all parameters
travel together.
"""

from contextlib import nullcontext

import torch

from minilib.torch_optim.checks import TORCH_RANGES, check_gradient, check_option, check_parameter
from minilib.torch_optim.many import Many
from minilib.torch_optim.sharding import all_reduce, cuts, local, local_gradient, zeros
from minilib.torch_optim.work import Work, fused, loop, whole

SMALL = 2**14  # entries: what is smaller is left to foreach where the path is fused
FEW = 4  # parameters of one shape that a fused call takes at once

COMMON = {
    "max_grad_norm": None,
    "maximize": False,
    "on_nonfinite": "raise",
    "stochastic_rounding": False,
    "capturable": False,
    "foreach": None,
    "fused": None,
}


class Optimizer(torch.optim.Optimizer):
    """Base class. `params` is what `torch.optim` takes: tensors, (name, tensor) pairs, or groups with own options.

    Options of every method, each also for a group unless it says otherwise:
        max_grad_norm: scale all gradients so that their joint norm is at most this; None (default) does not. The same
            for all groups.
        maximize: go up instead of down.
        on_nonfinite: "raise" (default) stops before anything has changed and names the parameter; "skip" leaves
            everything as it was and counts the step in `skipped`. The same for all groups.
        stochastic_rounding: write bfloat16 parameters rounded up or down at random, so that small updates survive in
            the mean. The randomness is a hash of value and step: equal on all replicas and after a restart.
        capturable: keep step numbers on the device and never wait for it. Always so inside `torch.compile`.
        foreach, fused: which path runs, see `path`.

    Statistics are float32 for 16-bit parameters. Gradients are never written.

    Raises:
        ValueError: an unknown option or one out of range, no parameters, a parameter given twice or that is complex,
            a sparse gradient, one of another shape, or (see `on_nonfinite`) one that is not finite.
    """

    ranges = TORCH_RANGES
    skipped = 0  # steps that on_nonfinite="skip" left out; a 0-dim tensor where the host does not know

    def __init__(self, params, own: dict, options: dict):
        unknown = set(options) - set(COMMON)
        if unknown:
            allowed = sorted(own | COMMON)
            raise ValueError(f"unknown option {sorted(unknown)[0]!r}: may be one of {allowed}")
        self._ratios = {}
        super().__init__(params, own | COMMON | options)

    def start(self, shape: tuple, dims: tuple | None) -> dict:
        """The state of a parameter of this shape: name -> shape; `dims` are those that are factored."""
        raise NotImplementedError

    def update(self, w: Work):
        """One step of one parameter; yields lists of (sum, dimension summed over), and is sent the complete sums."""
        raise NotImplementedError

    def dims(self, shape: tuple, group: dict) -> tuple | None:
        """Which two dimensions are factored; none, unless a subclass factors."""
        return None

    def check(self, options: dict) -> None:
        """Raises ValueError when an option is out of range."""
        for name in self.defaults:
            check_option(name, options[name], self.ranges)
        if options["foreach"] and options["fused"]:
            raise ValueError("foreach and fused must not both be True")

    def add_param_group(self, group: dict) -> None:
        """Add parameters with options of their own; options not named keep the optimizer's defaults."""
        if not isinstance(group, dict) or "params" not in group:
            raise ValueError(f"a group must be a dict with the key 'params', got {type(group).__name__}")
        unknown = set(group) - {"params", "param_names"} - set(self.defaults)
        if unknown:
            raise ValueError(f"unknown option {sorted(unknown)[0]!r}: may be one of {sorted(self.defaults)}")
        self.check({**self.defaults, **group})
        params = group["params"]
        params = [params] if isinstance(params, torch.Tensor) else list(params)
        for i, p in enumerate(params):
            check_parameter(f"parameter {i} of group {len(self.param_groups)}", p[1] if isinstance(p, tuple) else p)
        ids = {id(p) for g in self.param_groups for p in g["params"]}
        for p in (p[1] if isinstance(p, tuple) else p for p in params):
            if id(p) in ids:
                raise ValueError("a parameter appears twice: each must be in exactly one group, once")
            ids.add(id(p))
        super().add_param_group(group | {"params": params})

    @torch.no_grad()
    def step(self, closure=None):
        """Update every parameter that has a gradient; returns what `closure`, if given, returns."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        todo = self._with_gradients()
        if todo:
            new = [p for _, _, p, _ in todo if not self.state[p]]
            works = self._works(todo, *self._inspect(todo))
            with (
                torch._dynamo.config.patch(recompile_limit=64) if any(w.run is fused for w in works) else nullcontext()
            ):
                bad = self._advance(works)
            if bad is not None:
                self._forget(todo, new)
                if todo[0][0]["on_nonfinite"] == "raise":
                    name = next(name for _, name, p, _ in todo if p is bad)
                    raise ValueError(f"the gradient of {name} is nan, infinite, or too large to be squared")
                self.skipped += 1
        return loss

    def path(self, group: dict, p: torch.Tensor) -> str:
        """ "fused", "foreach" or "loop": what runs for parameter `p` of a group.

        As the group says; where it says nothing, the loop on a CPU and foreach elsewhere. Fused compiles kernels at
        the first step and needs a C++ compiler on a CPU, Triton on a GPU; without them it fails, it does not fall
        back. Only parameters of fewer than 16,384 entries, for which a call costs more than the work, are left to
        foreach. Inside `torch.compile` all paths are the same: the compiler sees every parameter.
        """
        if group["fused"]:
            return "fused" if p.numel() >= SMALL or torch.compiler.is_compiling() else "foreach"
        return "foreach" if group["foreach"] or (group["foreach"] is None and p.device.type != "cpu") else "loop"

    def trust_ratios(self) -> dict:
        """The ratios of the last step, parameter -> 0-dim tensor or number, on the device: nothing waits for it."""
        return dict(self._ratios)

    def state_bytes(self) -> int:
        """Bytes of all state tensors on this process, step counters left out."""
        tensors = (local(v) for s in self.state.values() for k, v in s.items() if k != "step")
        return sum(t.numel() * t.element_size() for t in tensors)

    def _with_gradients(self):
        """(group, name, parameter, local gradient) of all that are updated."""
        todo = []
        for k, group in enumerate(self.param_groups):
            self.check(group)
            for name in ("max_grad_norm", "on_nonfinite"):
                if group[name] != self.param_groups[0][name]:
                    raise ValueError(f"{name} must be the same in all groups, got {group[name]!r} in group {k}")
            names = group.get("param_names") or range(len(group["params"]))
            for name, p in zip(names, group["params"], strict=True):
                if p.grad is not None:
                    name = name if isinstance(name, str) else f"parameter {name} of group {k}"
                    check_gradient(name, p)
                    todo.append((group, name, p, local_gradient(p)))
        return todo

    def _inspect(self, todo):
        """(scale, ok, whether the check is still to be made): a sweep over all gradients, where it is needed first."""
        group = todo[0][0]
        clip, raises, blind = group["max_grad_norm"], group["on_nonfinite"] == "raise", self._blind(group)
        if clip is None and not blind:
            return None, None, True
        total = torch.stack(self._squares(todo)).sum()
        if not blind:  # what is not finite is found again, and named, later
            norm = total.sqrt().item()
            return (clip / norm if norm > clip else None), None, True
        ok = total.isfinite()
        scale = None if clip is None else (clip / total.sqrt()).clamp(max=1.0)
        if raises:
            torch._assert_async(ok, "a gradient is not finite")
            return scale, None, False
        self.skipped = self.skipped + (~ok).long()
        return scale, ok.to(total.dtype), False

    def _squares(self, todo):
        """The squared norm of every gradient, complete."""
        kinds = {}
        for i, (*_, g) in enumerate(todo):
            kinds.setdefault((g.device, g.dtype), []).append(i)
        squares = [None] * len(todo)
        for (_, dtype), where in kinds.items():
            wide = torch.float64 if dtype == torch.float64 else torch.float32
            norms = torch._foreach_norm([todo[i][3] for i in where], 2, dtype=wide)
            for i, norm in zip(where, norms, strict=True):
                squares[i] = norm * norm
        partial = [(s, [group for group, _ in cuts(p)]) for s, (_, _, p, _) in zip(squares, todo, strict=True)]
        all_reduce([pair for pair in partial if pair[1]])
        return squares

    def _blind(self, group):
        """Is the host not to wait for the device?"""
        return group["capturable"] or torch.compiler.is_compiling()

    def _works(self, todo, scale, ok, unchecked):
        """One `Work` a parameter, or one for each bucket of alike parameters where the path is foreach."""
        steps, buckets = [], {}
        for group, _, p, _ in todo:
            if not self.state[p]:
                self._begin(group, p)
            steps.append(self.state[p]["step"])
        torch._foreach_add_(steps, 1) if ok is None else torch._foreach_add_(steps, ok)
        for k, (group, _, p, g) in enumerate(todo):
            s, dims, cut = self.state[p], self.dims(tuple(p.shape), group), cuts(p)
            t = steps[k] if self._blind(group) else steps[k].item()
            path = self.path(group, p) if not torch.compiler.is_compiling() else "compiled"
            alike = p.device, p.dtype, dims, cut, None if isinstance(t, torch.Tensor) else t
            same = {"foreach": (id(group), *alike), "fused": (id(group), g.shape, *alike)}
            buckets.setdefault((path, same.get(path, k)), []).append((group, p, g, s, dims, cut, t, path))
        works = []
        for (path, _), bucket in buckets.items():
            size = FEW if path == "fused" else len(bucket)
            works += [bucket[i : i + size] for i in range(0, len(bucket), size)]
        return [self._work(bucket, scale, ok, unchecked) for bucket in works]

    def _work(self, bucket, scale, ok, unchecked):
        group, p, _, _, dims, cut, t, path = bucket[0]
        join = Many if path in ("foreach", "fused") else lambda tensors: next(iter(tensors))
        names = [name for name in self.state[p] if name != "step"]
        if isinstance(t, torch.Tensor):
            t = join(t for *_, t, _ in bucket)
        if group["maximize"]:
            scale = -1.0 if scale is None else -scale
        return Work(
            x=join(torch.atleast_1d(local(p)) for _, p, *_ in bucket),
            g=join(torch.atleast_1d(g) for _, _, g, *_ in bucket),
            s={name: join(torch.atleast_1d(local(s[name])) for _, _, _, s, *_ in bucket) for name in names},
            group=group,
            dims=dims,
            sizes=[tuple(p.shape) for _, p, *_ in bucket] if join is Many else tuple(p.shape),
            dtype=_wide(p.dtype),
            t=t,
            ok=ok,
            unchecked=unchecked,
            scale=scale,
            seed=t if group["stochastic_rounding"] and p.dtype == torch.bfloat16 else None,
            cuts=cut,
            params=[p for _, p, *_ in bucket],
            ratios=self._ratios,
            run={"loop": loop, "foreach": whole, "fused": fused, "compiled": whole}[path],
        )

    def _begin(self, group, p):
        """The state of a parameter that gets its first gradient."""
        s = self.state[p]
        device = p.device if group["capturable"] or p.device.type not in ("cpu", "cuda") else "cpu"
        s["step"] = torch.zeros((), dtype=_wide(p.dtype), device=device)
        shapes = self.start(tuple(p.shape), self.dims(tuple(p.shape), group))
        s.update({name: zeros(p, shape, _wide(p.dtype)) for name, shape in shapes.items()})

    def _advance(self, works):
        """Run `update` for all; returns a parameter whose gradient is not finite, and has changed nothing then."""
        rounds = [(w, self.update(w), None) for w in works]
        if works[0].unchecked or any(w.cuts for w in works):
            rounds = self._round(rounds)
        if works[0].unchecked:
            first = [(p, v) for w, _, sums in rounds for k, p in enumerate(w.params) for v in _each(sums, k)]
            if not torch.stack([v.sum().to("cpu", torch.float64) for _, v in first]).sum().isfinite():
                return next(p for p, v in first if not v.sum().isfinite())
        for w, update, sums in rounds:
            while not w.cuts and (partial := _next(update, sums)) is not None:
                sums = [value for value, _ in partial]
        rounds = [(w, update, sums) for w, update, sums in rounds if w.cuts]
        while rounds:
            rounds = self._round(rounds)
        return None

    def _round(self, rounds):
        """Every generator one round on, and the partial sums of all completed together."""
        asked = [(w, update, _next(update, sums)) for w, update, sums in rounds]
        asked = [(w, update, partial) for w, update, partial in asked if partial is not None]
        all_reduce([pair for w, _, partial in asked for pair in w.over_processes(partial)])
        return [(w, update, [value for value, _ in partial]) for w, update, partial in asked]

    def _forget(self, todo, new):
        """Undo the beginning of a step that must not happen."""
        torch._foreach_sub_([self.state[p]["step"] for _, _, p, _ in todo], 1)
        for p in new:
            del self.state[p]

    def load_state_dict(self, state_dict: dict) -> None:
        """Continue exactly where `state_dict()` was taken; float32 statistics of 16-bit parameters stay float32."""
        super().load_state_dict(state_dict)
        old = [i for group in state_dict["param_groups"] for i in group["params"]]
        new = [p for group in self.param_groups for p in group["params"]]
        for i, p in zip(old, new, strict=True):
            for name, value in state_dict["state"].get(i, {}).items():
                if p.dtype != _wide(p.dtype) and name != "step":
                    self.state[p][name] = value.detach().clone().to(p.device)

    def __setstate__(self, state):
        super().__setstate__(state)
        self._ratios = {}


def _each(sums, k):
    """Those of the sums that belong to parameter number k of a bucket."""
    return [value.list[k] if isinstance(value, Many) else value for value in sums]


def _next(update, sums):
    try:
        return update.send(sums)
    except StopIteration:
        return None


def _wide(dtype):
    """The data type of the statistics."""
    return torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype


def smaller(a, b):
    """The smaller of two numbers, either of which may be a 0-dim tensor (or `Many` of them)."""
    if isinstance(b, (float, int)):
        a, b = b, a
    if isinstance(a, (float, int)):
        return min(a, b) if isinstance(b, (float, int)) else b.clamp(max=a)
    return b.minimum(a) if isinstance(b, Many) else a.minimum(b)
