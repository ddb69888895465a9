"""The steps that are compared: recorded by you, read from a file, or taken by another optimizer of the same class."""

import inspect
import re
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from minilib.optim.checks import check_option

Layers = dict[str, np.ndarray]


@dataclass
class Steps:
    """The first steps of a run.

    Args:
        weights: before step 1, after step 1, after step 2, ...: a dict from a layer's name to its array each time, or
            None where nothing was recorded. All layers that the optimizer has, else a clip cannot be told.
        gradients: of step 1, of step 2, ..., as the optimizer got them: after a clip of yours, before one of its own.
        lr, betas, eps, weight_decay: what you believe was set; `weight_decay` may be a dict by layer.

    ValueError: numbers of steps, names or shapes that do not go together, layers that are no dict or no array, entries
    that are not finite, a number out of range.
    """

    weights: list[Layers | None]
    gradients: list[Layers]
    lr: float
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-6
    weight_decay: float | Layers = field(default=0.0)

    def __post_init__(self):
        for kind, times, may_be in (("weights", self.weights, dict | None), ("gradients", self.gradients, dict)):
            if not isinstance(times, list) or not all(isinstance(layers, may_be) for layers in times):
                raise ValueError(f"{kind} must be a list of dicts from a layer's name to its array, got {times!r:.60}")
        given = sum(layers is not None for layers in self.weights)
        if len(self.weights) != len(self.gradients) + 1 or given < 2 or not self.weights[0]:
            raise ValueError(
                "weights must be those before step 1 and after each step (None where not recorded), at least one "
                f"after: got {given} recorded of {len(self.weights)}, and {len(self.gradients)} gradients"
            )
        first = self.weights[0]
        self.weights = [None if layers is None else _arrays("weights", layers, first) for layers in self.weights]
        self.gradients = [_arrays("gradients", layers, first) for layers in self.gradients]
        if not isinstance(self.weight_decay, dict):
            self.weight_decay = dict.fromkeys(first, self.weight_decay)
        if set(self.weight_decay) != set(first):
            raise ValueError(f"weight_decay must be one number, or one for each layer, got {self.weight_decay}")
        options = [("lr", self.lr), ("betas", self.betas), ("eps", self.eps)]
        for option, value in options + [("weight_decay", v) for v in self.weight_decay.values()]:
            check_option(option, value)
        if not self.lr > 0:
            raise ValueError(f"lr must be > 0, or nothing moves, got {self.lr!r}")

    @classmethod
    def load(cls, path: str) -> "Steps":
        """From an .npz with `x0/name`, `x1/name`, ... (weights), `g1/name`, ... (gradients) and `lr`.

        Where they are not the defaults: `betas`, `eps`, `weight_decay`, or `weight_decay/name` for every layer.

        ValueError: no .npz, a key is none of these, or `lr` is missing; and see `Steps`. OSError: no such file.
        """
        with open(path, "rb") as file:
            try:
                loaded = np.load(file)
                arrays = {key: loaded[key] for key in loaded.files}
            except Exception as reason:  # of zip, zlib, pickle and NumPy, in their own words
                raise ValueError("it is no .npz file of arrays, or it is broken: write it with np.savez") from reason
        known = re.compile(r"[xg]\d+/.+|weight_decay/.+|lr|betas|eps|weight_decay")
        if "lr" not in arrays or not all(known.fullmatch(key) for key in arrays):
            raise ValueError(f"the keys must be x0/name, x1/name, g1/name, ..., lr, ...: got {sorted(arrays)}")

        def layers(head):
            return {key.split("/", 1)[1]: v for key, v in arrays.items() if key.startswith(f"{head}/")}

        times = [int(key[1:].split("/")[0]) for key in arrays if re.match(r"[xg]\d", key)]
        weights = [layers(f"x{t}") or None for t in range(max(times, default=0) + 1)]
        options = {key: v.tolist() for key, v in arrays.items() if "/" not in key}
        if decays := layers("weight_decay"):
            options["weight_decay"] = {name: v.item() for name, v in decays.items()}
        if "betas" in options:
            options["betas"] = tuple(options["betas"])
        return cls(weights, [layers(f"g{t}") for t in range(1, len(weights))], **options)


def _arrays(kind: str, layers: Layers, like: Layers) -> Layers:
    """Layers as arrays. ValueError: they are not finite floats with the names and shapes of `like`."""
    if set(layers) != set(like):
        raise ValueError(f"{kind} must have the layers {sorted(like)} each time, got {sorted(layers)}")
    arrays = {}
    for name, layer in layers.items():
        try:
            x = arrays[name] = np.asarray(layer)
        except (RuntimeError, TypeError) as reason:  # a tensor that needs gradients, or has a dtype that NumPy has not
            raise ValueError(f"{kind} of {name} must be an array, as p.detach().cpu().numpy() is: {reason}") from reason
        shape = tuple(np.shape(like[name]))
        if x.shape != shape or x.dtype.kind != "f" or not np.isfinite(x).all():
            raise ValueError(f"{kind} of {name} must be finite floats of shape {shape}, got {x!r:.60}")
    return arrays


def probe(optimizer, dtype: str = "float64") -> Steps:
    """Three steps of another optimizer of this class with these options, on six small layers; yours does not move.

    Each layer is there to show something: `faint` has gradients of about epsilon, `bias` is a vector, `undecayed` has
    no decay. The gradients' joint norm is far above 1 at first and below 1 at last.

    Args:
        optimizer: of torch, or of `minilib.optim`: with `param_groups` whose options are those of its constructor.
        dtype: of the layers; bitsandbytes knows "float32" only, in which more stays undetermined.

    ValueError: it is no such optimizer, has no betas and eps, or cannot be made again from its options.
    """
    kind = type(optimizer).__name__
    groups = getattr(optimizer, "param_groups", None)
    if not groups or not hasattr(optimizer, "step"):
        raise ValueError(f"the subject must be Steps, or an optimizer with param_groups and step, got one {kind}")
    known = {n: v for n, v in vars(optimizer).items() if not n.startswith("_")} | optimizer.defaults | groups[0]
    if "betas" not in known or "eps" not in known:
        raise ValueError(f"{kind} has no betas and eps, so it is no LAMB: it has {sorted(optimizer.defaults)}")
    accepts = inspect.signature(type(optimizer)).parameters
    if any(p.kind is p.VAR_KEYWORD for p in accepts.values()):
        accepts = {**accepts, **optimizer.defaults}
    options = {n: v for n, v in known.items() if n in accepts and n != "params"}
    like = groups[0]["params"][0]
    rng = np.random.default_rng(0)
    norms = {"large": 20.0, "small": 0.5, "zeros": 0.0, "faint": 3.0, "bias": 2.0, "undecayed": 6.0}
    layers = {}
    for name, norm in norms.items():
        x = rng.normal(size=(4,) if name == "bias" else (4, 3))
        layers[name] = _parameter(like, (x * norm / np.linalg.norm(x)).astype(dtype))
    decays = {name: 0.0 if name == "undecayed" else 0.1 for name in norms}
    decayed = [layers[name] for name in norms if decays[name]]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": [layers["undecayed"]], "weight_decay": 0.0}]
    try:
        own = type(optimizer)(groups, **options | {"lr": 0.1, "weight_decay": 0.1})
        weights, gradients = [_values(layers)], []
        for scale in (8.0, 2.0, 0.02):
            draws = {name: scale * rng.normal(size=weights[0][name].shape) for name in norms}
            draws["faint"] *= 1e-5
            gradients.append({name: g.astype(dtype) for name, g in draws.items()})
            for name, layer in layers.items():
                layer.grad = _parameter(like, gradients[-1][name]).data
            own.step()
            weights.append(_values(layers))
    except Exception as reason:
        raise ValueError(f"cannot probe {kind}, record steps of yours instead: {reason}") from reason
    return Steps(weights, gradients, 0.1, tuple(known["betas"]), known["eps"], decays)


def _parameter(like, x: np.ndarray):
    """A parameter of the kind of `like`, a torch tensor or an object with .data and .grad, with the values of `x`."""
    if isinstance(getattr(like, "data", None), np.ndarray):
        return SimpleNamespace(data=x.copy(), grad=None)
    tensor = like.detach().cpu()  # never an import of torch
    return getattr(tensor, {"float64": "double", "float32": "float"}[str(x.dtype)])().new_tensor(x).requires_grad_()


def _values(layers: dict) -> Layers:
    return {name: np.asarray(p.data).copy() for name, p in layers.items()}
