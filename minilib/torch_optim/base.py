"""What the optimizers share: torch's contract, and a step from the gradients to the parameters.

A subclass says what it remembers (`start`) and how one parameter takes a step (`update`). `update` is a generator: it
sweeps over the parameter, yields the sums that the sweep took, gets them back complete (over all processes that hold
a part of the parameter) and goes on. So the same lines serve plain and sharded tensors, and the sums of all parameters
travel together. The parts of a step are in `gradients`, `buckets` and `rounds`.
"""

from contextlib import nullcontext

import torch

from minilib.torch_optim.buckets import works
from minilib.torch_optim.checks import (
    TORCH_RANGES,
    check_iterable,
    check_joint,
    check_option,
    check_parameters,
    plain,
)
from minilib.torch_optim.compiler import cannot_compile
from minilib.torch_optim.gradients import inspect, jobs
from minilib.torch_optim.loading import check_state, restore
from minilib.torch_optim.rounds import advance
from minilib.torch_optim.sharding import local
from minilib.torch_optim.work import Work, fused

__all__ = ["COMMON", "SMALL", "Optimizer"]

SMALL = 2**14  # entries: what is smaller is left to foreach where the path is fused

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
            everything as it was and counts the step in `skipped`. The same for all groups. Where the host does not
            wait (`capturable`) "raise" is an assertion on the device, which names nothing.
        stochastic_rounding: write bfloat16 parameters rounded up or down at random, so that small updates survive in
            the mean. The randomness is a hash of value and step: equal on all replicas and after a restart.
        capturable: keep step numbers on the device and never wait for it. Always so inside `torch.compile`. The same
            for all groups.
        foreach, fused: which path runs, see `path`.

    Statistics are float32 for 16-bit parameters. Gradients are never written.

    Raises:
        ValueError: an unknown option or one out of range, no parameters, a parameter given twice or that is complex,
            a sparse gradient, one of another shape, or (see `on_nonfinite`) one that is not finite.
        RuntimeError: fused, on a machine on which `torch.compile` does not work; nothing has changed then.
    """

    ranges = TORCH_RANGES

    def __init__(self, params, own: dict, options: dict):
        defaults = own | COMMON | options
        if unknown := set(options) - set(COMMON):
            raise ValueError(f"unknown option {min(unknown)!r}: may be one of {sorted(own | COMMON)}")
        self.defaults = defaults
        self.check(defaults)
        params = check_iterable("params", params)
        if not params:
            raise ValueError("params is empty: an optimizer needs at least one parameter")
        self._ratios, self._counts = {}, {"skipped": 0}  # `torch.compile` writes into containers only
        super().__init__(params, plain(defaults))

    def start(self, shape: tuple, dims: tuple | None) -> dict:
        """The state of a parameter of this shape: name -> shape; `dims` are those that are factored."""
        raise NotImplementedError(f"{type(self).__name__} must write start(shape, dims)")

    def update(self, w: Work):
        """One step of one parameter: yields lists of (sum, dimension summed over), and is sent the complete sums.

        It may also yield a generator that does so, and is sent what that returns.
        """
        raise NotImplementedError(f"{type(self).__name__} must write update(w)")

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
            raise ValueError(f"a group must be a dict with the key 'params', got {group!r}")
        if unknown := set(group) - {"params", "param_names"} - set(self.defaults):
            raise ValueError(f"unknown option {min(unknown, key=str)!r}: may be one of {sorted(self.defaults)}")
        options = self.defaults | group
        self.check(options)
        check_joint([*self.param_groups, options])
        params = check_parameters(len(self.param_groups), group["params"])
        tensors = [p for other in self.param_groups for p in other["params"]]
        tensors += [p[1] if isinstance(p, tuple) else p for p in params]
        if len({id(p) for p in tensors}) != len(tensors):
            raise ValueError("a parameter appears twice: each must be in exactly one group, once")
        super().add_param_group(plain(group) | {"params": params})

    @torch.no_grad()
    def step(self, closure=None):
        """Update every parameter that has a gradient; returns what `closure`, if given, returns."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        todo = self._jobs()
        if todo:
            found = inspect(todo)
            bad = found.bad or self._update(todo, found)
            if bad is not None and bad.group["on_nonfinite"] == "raise":
                raise ValueError(f"the gradient of {bad.name} is nan, infinite, or too large to be squared")
            if bad is not None:
                self._counts["skipped"] += 1
            elif found.ok is not None:
                self._count(found.ok)
        return loss

    def path(self, group: dict, p: torch.Tensor) -> str:
        """What runs for parameter `p` of a group: "fused", "foreach" or "loop".

        As the group says; where it says nothing, the loop on a CPU and foreach elsewhere. Fused compiles kernels at
        the first step and needs a C++ compiler on a CPU, Triton on a GPU; without them (see `cannot_compile`) it fails,
        it does not fall back. Only parameters of fewer than 16,384 entries, for which a call costs more than the work,
        are left to foreach. Inside `torch.compile` all paths are the same: the compiler sees every parameter.
        """
        if group["fused"]:
            return "fused" if p.numel() >= SMALL or torch.compiler.is_compiling() else "foreach"
        return "foreach" if group["foreach"] or (group["foreach"] is None and p.device.type != "cpu") else "loop"

    def trust_ratios(self) -> dict:
        """The ratios of the last step, parameter -> 0-dim tensor or number, on the device: nothing waits for it."""
        return dict(self._ratios)

    @property
    def skipped(self):
        """How many steps on_nonfinite="skip" has left out; a 0-dim tensor where the host does not know."""
        count = self._counts["skipped"]
        return count.clone() if isinstance(count, torch.Tensor) else count

    def state_bytes(self) -> int:
        """Bytes of all state tensors on this process, step counters left out."""
        tensors = (local(v) for s in self.state.values() for k, v in s.items() if k != "step")
        return sum(t.numel() * t.element_size() for t in tensors)

    def _jobs(self):
        for group in self.param_groups:
            self.check(group)
        check_joint(self.param_groups)
        return jobs(self.param_groups)

    def _update(self, todo, found):
        """Returns a job whose gradient is not finite, and has changed nothing then."""
        new = [job.p for job in todo if not self.state[job.p]]
        ready = works(self, todo, found)
        compiles = any(w.run is fused for w in ready)
        if compiles and (reason := cannot_compile(todo[0].p.device.type)):
            self._undo(todo, new)
            raise RuntimeError(f"fused=True: {reason}. Without it the same steps are taken, uncompiled")
        with torch._dynamo.config.patch(recompile_limit=64) if compiles else nullcontext():
            bad = advance(ready, self.update)
        if bad is None:
            return None
        self._undo(todo, new)
        return next(job for job in todo if job.p is bad)

    def _undo(self, todo, new):
        """What a step has begun before its first kernel: the counts of steps, and the state of new parameters."""
        torch._foreach_sub_([self.state[job.p]["step"] for job in todo], 1)
        for p in new:
            del self.state[p]

    def _count(self, ok):
        """Count a skipped step without waiting for the device; in place, so that the replay of a graph counts too."""
        if not isinstance(self._counts["skipped"], torch.Tensor):
            self._counts["skipped"] = torch.full((), self._counts["skipped"], dtype=torch.int64, device=ok.device)
        self._counts["skipped"].add_(ok == 0)

    def load_state_dict(self, state_dict: dict) -> None:
        """Continue exactly where `state_dict()` was taken; float32 statistics of 16-bit parameters stay float32.

        Raises:
            ValueError: groups, options or state are not those of this optimizer; nothing is changed then.
        """
        final = []

        def look(_, saved):  # after the hooks of others, which may have changed what is loaded
            check_state(self, saved)
            final.append(saved)

        handle = self.register_load_state_dict_pre_hook(look)
        try:
            super().load_state_dict(state_dict)
        finally:
            handle.remove()
        restore(self, final[0])

    def __getstate__(self):
        return super().__getstate__() | {"_counts": self._counts}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.defaults.pop("differentiable", None)  # torch adds it, but no method here has it
        self._ratios = {}
