"""What the optimizers share: torch's contract, and a step from the gradients to the parameters.

A subclass says what it remembers (`state_shapes`), the numbers of a step (`numbers`) and its phases, which `execute.py`
runs.
"""

import inspect
import logging
import math
from collections.abc import Callable

import torch
from torch.optim.optimizer import ParamsT

from minilib import optim
from minilib.optim.checks import check_option
from minilib.torch_optim.buckets import make_buckets
from minilib.torch_optim.checks import (
    TORCH_RANGES,
    check_form,
    check_group,
    check_joint,
    check_known,
    check_rates,
    check_state,
    in_order,
    plain,
    saved_state,
)
from minilib.torch_optim.compiler import cannot_compile
from minilib.torch_optim.execute import run_together
from minilib.torch_optim.gradients import nonfinite_check, params_with_grad
from minilib.torch_optim.narrow import narrow_zeros
from minilib.torch_optim.options import COMMON, WORDS, Options
from minilib.torch_optim.phases import CPU, GPU, Sizes, statistics_dtype
from minilib.torch_optim.sharding import local, zeros

log = logging.getLogger(__name__)


def correction(beta: float, t):
    """1 - beta^t: what a moving average that started at zero is divided by. `t` is a number or a tensor."""
    if isinstance(t, torch.Tensor):
        return -torch.expm1(t * math.log(max(beta, 1e-300)))
    return 1 - beta**t


def parameter_groups(model: torch.nn.Module, weight_decay: float, **exclude) -> list[dict]:
    """Two groups for any optimizer here or in torch: `LAMB(parameter_groups(model, 0.01, layer_adaptation=False))`.

    Those of `minilib.optim.parameter_groups`, each in the order of the model; embeddings are matrices. Parameters that
    need no gradient are in neither, shared ones appear once. The names become `group["param_names"]`.

    ValueError: `weight_decay` is out of range, a lazy parameter is not made yet, or `exclude` has the key "params".
    """
    check_option("weight_decay", weight_decay)
    if "params" in exclude:
        raise ValueError("exclude must be options of the second group, got 'params'")
    named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
    if unmade := [name for name, p in named if torch.nn.parameter.is_lazy(p)]:
        raise ValueError(f"{unmade[0]} has no shape yet: run the model once before its parameters are grouped")
    return optim.parameter_groups(named, weight_decay, **exclude)


class Optimizer(torch.optim.Optimizer):
    """Base class of LARS, LAMB, Adafactor and CAME, on the contract of `torch.optim.Optimizer`.

    A subclass writes `state_shapes`, `numbers` and `phases`; its docstring gets what follows appended.
    """

    ranges = TORCH_RANGES
    presets: dict[str, dict] = {}
    sizes: Sizes | None = None  # those of the device
    # False: the host never waits for the device and keeps step numbers there, as it is off the CPU in any case.
    host_waits = True
    # As what compiled phases see a parameter that is not factored: a vector is written and summed in one loop; what is
    # only summed is faster by the rows of a matrix.
    as_vectors = True

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.__doc__:
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__)}\n\n{inspect.cleandoc(WORDS)}"

    def __init__(self, params: ParamsT, own: dict, options: Options):
        # `own` are the options of the method, or all arguments of its `__init__`, as `locals()` has them.
        own = {name: value for name, value in own.items() if name not in ("self", "params", "options", "__class__")}
        check_known(options, own | COMMON)
        self.defaults = own | COMMON | options
        self.check(self.defaults)
        self._counts = {"skipped": 0}  # `torch.compile` writes into containers only
        self._pending, self._said = [], ""
        super().__init__(in_order(params), plain(self.defaults))

    @classmethod
    def preset(cls, name: str) -> dict:
        """The options of one form of this method: `LAMB(params, lr=1e-3, **LAMB.preset("timm"))`.

        It says which method is meant, not how it is tuned: lr, betas, momentum, d and weight_decay are yours. To change
        one of its options write `**(LAMB.preset("timm") | {"max_grad_norm": 2.0})`. The versions are timm 1.0.31, optax
        0.2.8, pytorch_optimizer 4.1.0, tensorflow-addons 0.23.0, transformers 5.23.0 and came-pytorch 0.1.3; Apex's
        FusedLAMB and MLPerf's LARS as last published, from their source. ValueError for an unknown name.
        """
        if name not in cls.presets:
            raise ValueError(f"no preset {name!r} of {cls.__name__}: may be one of {sorted(cls.presets)}")
        return dict(cls.presets[name])

    def state_shapes(self, shape: tuple, dims: tuple | None) -> dict:
        """The state of a parameter of this shape: name -> shape; `dims` are those that are factored."""
        raise NotImplementedError(f"{type(self).__name__} must write state_shapes(shape, dims)")

    def numbers(self, group: dict, t) -> tuple[dict, dict]:
        """The numbers of step t: those that are 0 where the step is skipped, and all others.

        `t` counts from 1; it is a tensor where the host does not know it.
        """
        raise NotImplementedError(f"{type(self).__name__} must write numbers(group, t)")

    def phases_of(self, shape: tuple, dims: tuple | None) -> tuple:
        """The functions that a step runs over a parameter of this shape, in order."""
        return self.phases

    def dims(self, shape: tuple, group: dict) -> tuple | None:
        """Which two dimensions are factored; none, unless a subclass factors."""
        return None

    def sizes_on(self, device: torch.device) -> Sizes:
        """How large stacks and pieces are on a device."""
        return self.sizes or (CPU if device.type == "cpu" else GPU)

    def check(self, options: dict) -> None:
        """Raises ValueError when an option is out of range."""
        for name in self.defaults:
            check_option(name, options[name], self.ranges)

    def add_param_group(self, group: dict) -> None:
        """Add parameters with options of their own; options not named keep the optimizer's defaults."""
        params = check_group(len(self.param_groups), group, self.defaults)
        options = self.defaults | group
        self.check(options)
        check_rates([options])
        check_joint([*self.param_groups, options])
        super().add_param_group(plain(group) | {"params": params})

    @torch.no_grad()
    def step(self, closure: Callable | None = None):  # type: ignore[override]
        """Update every parameter that has a gradient; returns what `closure`, if given, returns."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            self.check(group)
        check_joint(self.param_groups)
        while self._pending:
            self._refuse(self._pending.pop()())
        params = params_with_grad(self.param_groups)
        if params and params[0].g.is_meta:
            raise ValueError(f"{params[0].name} is on meta, where there are no numbers: give the model some first")
        if params:
            on_cpu = params[0].g.device.type == "cpu"
            compiles = self._compiles(params)
            check, pending = nonfinite_check(params, self.host_waits and on_cpu and not torch.compiler.is_compiling())
            if pending:
                self._pending.append(pending)
            if check.bad is None:
                self._update(params, check, compiles)
            elif params[0].group["on_nonfinite"] == "raise":
                self._refuse(check.bad)
            else:
                self._counts["skipped"] += 1
        return loss

    def _refuse(self, name):
        if name is not None:
            raise ValueError(f"the gradient of {name} is nan, infinite, or too large to be squared")

    def _update(self, params, check, compiles):
        mask = check.step_mask
        for param in params:
            if not self.state[param.p]:
                self.state[param.p] = self.init_state(param.group, param.p)
        steps = [self.state[param.p]["step"] for param in params]
        torch._foreach_add_(steps, 1 if mask is None else [mask] * len(steps))
        cut = []
        for bucket in make_buckets(self, params, check, compiles):
            if bucket.shards:
                cut.append(bucket)
            else:
                run_together([bucket])
        run_together(cut)
        if mask is not None and params[0].group["on_nonfinite"] == "skip":
            count = self._counts["skipped"]
            if not isinstance(count, torch.Tensor):
                count = self._counts["skipped"] = torch.full((), count, dtype=torch.int64, device=mask.device)
            count.add_(mask == 0)  # in place, without waiting: the replay of a graph counts too

    def _compiles(self, params):
        """Are the phases compiled? As the option says, else where it pays and works. The log says it once."""
        wanted, device = params[0].group["compile"], params[0].g.device.type
        if wanted is False or torch.compiler.is_compiling():
            return False
        entries = sum(param.g.numel() for param in params)
        pays = device in ("cpu", "cuda") and entries >= self.sizes_on(params[0].g.device).compile
        if wanted is None and not pays:
            return False
        reason = cannot_compile(device)
        if reason and wanted:
            raise RuntimeError(f"compile=True: {reason}. Without it the same steps are taken, uncompiled")
        works = "compiled: the first step takes some seconds (compile=False does not)"
        how = f"not compiled: {reason}" if reason else works
        if self._said != how:
            self._said = how
            log.warning("%s is %s", type(self).__name__, how)
        return not reason

    def init_state(self, group: dict, p: torch.Tensor) -> dict:
        """The state of a parameter that gets its first gradient: name -> tensor, and the number of steps."""
        shape, dtype = tuple(p.shape), statistics_dtype(p.dtype)
        moments = self.state_shapes(shape, self.dims(shape, group))
        state = {"step": torch.zeros((), dtype=dtype, device=p.device)}
        for name, size in moments.items():
            state |= narrow_zeros(p, name, size, group["state_dtype"]) or {name: zeros(p, size, dtype)}
        return state

    @property
    def skipped(self):
        """How many steps on_nonfinite="skip" has left out; a 0-dim tensor where the host does not know."""
        count = self._counts["skipped"]
        return count.clone() if isinstance(count, torch.Tensor) else count

    def state_bytes(self) -> int:
        """Bytes of all state tensors on this process, step counters left out."""
        return sum(local(t).nbytes for state in self.state.values() for name, t in state.items() if name != "step")

    def load_state_dict(self, state_dict: dict) -> None:
        """Continue exactly where `state_dict()` was taken; float32 statistics of 16-bit parameters stay float32.

        The state of a method that remembers the same is taken, too: LAMB goes on with the moments of torch's AdamW.
        Options that `state_dict` lacks stay as they are.

        ValueError: groups, options or state cannot be those of this optimizer, or a number of the state is not finite;
        nothing is changed then.
        """
        if not isinstance(state_dict, dict):
            check_form(state_dict)
        loaded = {}

        def check(_, saved):  # after the hooks of others, which may have changed what is loaded
            loaded.update(check_state(self, saved))
            return loaded

        def restore(_):  # before theirs
            for group, p, saved in saved_state(self, loaded):
                fresh = self.init_state(group, p)
                for name, t in fresh.items():
                    t.copy_(torch.as_tensor(saved[name]))
                self.state[p] = fresh

        before = self.register_load_state_dict_pre_hook(check)
        after = self.register_load_state_dict_post_hook(restore, prepend=True)
        try:
            super().load_state_dict(state_dict)
        finally:
            before.remove()
            after.remove()

    def __getstate__(self):
        return super().__getstate__() | {"_counts": self._counts}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.defaults.pop("differentiable", None)  # torch adds it, but no method here has it
        self._pending, self._said = [], ""
