"""Which LAMB took these steps? Two or three recorded steps, or an optimizer, and the name of the method comes out.

Public code under the name LAMB differs in seven choices (`CHOICES`). `which_lamb` takes every step with every
combination of them, and keeps the combinations that land where the record says. What all of them agree on is decided;
a choice that the kept ones make differently is undetermined; `FORMS` are the combinations that are known to be in use.
Their sources are steps of the packages themselves, recorded in `tests/references`; of Apex, AlgoPerf and bitsandbytes
on a GPU, their code. Appendix C of the book explains each choice.

    print(which_lamb(optimizer))                                    # makes its own steps; yours does not move
    print(which_lamb(Steps(weights, gradients, lr=0.02)))           # steps that you recorded
    python -m minilib.analysis.which_lamb steps.npz                 # the same from a file, see `Steps.load`

Absent on purpose: an l2 penalty in the gradient, AMSGrad, sharded layers, and steps from the middle of a run: the
moving averages must start at zero in the first step.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from textwrap import fill
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from minilib.optim.checks import check_option, is_number

Layers = dict[str, np.ndarray]

CHOICES = {
    "bias correction": ("both averages", "none", "the learning rate, by 1 - beta1^t"),
    "epsilon": ("outside the root", "inside the root", "outside the root, and in the ratio"),
    "ratio": ("free", "norm of the weights in phi", "at most 1", "at most 1, direction uncorrected"),
    "clip of the joint gradient": ("none", "built in"),
    "decay": ("inside the ratio", "outside, before the step", "outside, after the step"),
    "ratio skipped": ("never", "where the decay is 0", "for vectors", "for vectors, and their decay", "everywhere"),
    "layer of zeros": ("takes Adam's step", "never moves"),
}


class Variant(NamedTuple):
    """One value of every choice; the defaults are the paper's."""

    correction: str = "both averages"
    epsilon: str = "outside the root"
    ratio: str = "free"
    clip: str = "none"
    decay: str = "inside the ratio"
    skipped: str = "never"
    zeros: str = "takes Adam's step"


class Form(NamedTuple):
    """A method that is in use: its choices, who computes it, and the presets of `minilib.torch_optim.LAMB` that do."""

    variant: Variant
    used_by: str
    presets: tuple[str, ...] = ()


_CLIPPED = Variant(clip="built in")
_SIZE_IN_PHI = Variant(ratio="norm of the weights in phi", epsilon="outside the root, and in the ratio")
_ONE_SIDED = Variant(ratio="at most 1", decay="outside, after the step", zeros="never moves")
FORMS = {
    "paper": Form(
        Variant(),
        "optax, TensorFlow Addons, AlgoPerf; timm with max_grad_norm=None, always_adapt=True",
        ("paper", "optax", "tf-addons"),
    ),
    "uncorrected": Form(
        Variant(correction="none"),
        "the paper's first versions; timm with max_grad_norm=None, always_adapt=True, bias_correction=False",
    ),
    "timm, Apex": Form(_CLIPPED._replace(skipped="where the decay is 0"), "timm and Apex by default", ("timm", "apex")),
    "nvlamb": Form(_CLIPPED, "Apex with use_nvlamb=True, timm with always_adapt=True", ("nvlamb",)),
    "pytorch_optimizer": Form(
        _SIZE_IN_PHI._replace(correction="the learning rate, by 1 - beta1^t", decay="outside, before the step"),
        "pytorch_optimizer by default",
    ),
    "pytorch_optimizer, coupled": Form(
        _SIZE_IN_PHI._replace(correction="none"), "pytorch_optimizer with weight_decouple=False, adam_debias=True"
    ),
    "coupled, eps once": Form(
        Variant(correction="none", ratio="norm of the weights in phi"),
        "like pytorch_optimizer with weight_decouple=False, adam_debias=True, but without epsilon in the ratio",
        ("pytorch_optimizer",),
    ),
    "bitsandbytes, GPU": Form(_ONE_SIDED, "bitsandbytes on a GPU"),
    "bitsandbytes, CPU": Form(_ONE_SIDED._replace(ratio="at most 1, direction uncorrected"), "bitsandbytes on a CPU"),
    "AdamW": Form(Variant(skipped="everywhere"), "no LAMB at all: a ratio of 1 for every layer"),
}


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


@dataclass
class Verdict:
    """What `which_lamb` found. `print` it, or read the fields.

    forms: names in `FORMS` of the methods that fit: none of these, or several that the steps cannot tell apart.
    choices: for each of `CHOICES` the values that fit; empty where no combination at all fits.
    closest, deviation: the form with the smallest deviation, in shares of a layer's step; mean of layers and steps.
    largest, step, layer: its largest deviation, and where that is.
    """

    forms: tuple[str, ...]
    choices: dict[str, tuple[str, ...]]
    closest: str
    deviation: float
    largest: float
    step: int
    layer: str

    def __str__(self):
        near = f"closest is {self.closest}, off by {self.deviation:.2g} of a step in the mean and "
        near += f"{self.largest:.2g} in step {self.step} of {self.layer}"
        if not self.choices:
            return _lines(f"None of these, nor any other combination of their choices; {near}.")
        named = [_lines(f"{name}: {FORMS[name].used_by}") for name in self.forms]
        if not self.forms:
            named = [_lines(f"None of these; {near}. What fits:")]
        elif len(self.forms) > 1:
            named = [f"Undetermined between {len(self.forms)} that these steps cannot tell apart:", *named]
        for choice, fits in self.choices.items():
            several = "leaves no trace" if len(fits) == len(CHOICES[choice]) else f"undetermined: {', or '.join(fits)}"
            named.append(_lines(f"  {choice:<27} {fits[0] if len(fits) == 1 else several}", 30))
        return "\n".join(named)


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


def _unit(given: list[Layers]) -> float:
    """One unit in the last place of the shortest floats among the weights, relative."""
    arrays = [np.asarray(x) for layers in given for x in layers.values()]
    with np.errstate(over="ignore"):
        if all(np.array_equal(x, x.astype(np.float32)) for x in arrays):  # float64 may be float32 that was stored so
            arrays.append(np.zeros(1, np.float32))
    return float(max(np.finfo(x.dtype).eps for x in arrays))


def _lines(text: str, indent: int = 2) -> str:
    return fill(text, 72, subsequent_indent=" " * indent, break_on_hyphens=False)


def which_lamb(subject, phi=(0.0, 10.0), max_grad_norm=1.0, rtol: float | None = None) -> Verdict:
    """Which variants of LAMB take these steps?

    Args:
        subject: `Steps`, or an optimizer (see `probe`).
        phi: the bounds on the norm of the weights that are tried beside none.
        max_grad_norm: the bound on the norm of all gradients that is tried beside none.
        rtol: a variant fits that never differs by more than this share of a layer's largest weight; by default 1e-10
            for float64, and 16 units in the last place for shorter floats, also where they were stored as float64.

    ValueError: no recorded weight moves; and see `Steps` and `probe`.
    """
    steps = subject if isinstance(subject, Steps) else probe(subject)
    check_option("phi", phi)
    if not is_number(max_grad_norm) or not max_grad_norm > 0:
        raise ValueError(f"max_grad_norm must be a number > 0, got {max_grad_norm!r}")
    given = [w for w in steps.weights if w is not None]
    if all(np.array_equal(w[name], x) for w in given for name, x in given[0].items()):
        raise ValueError("weights must move, and all recorded ones are equal: record copies, p.detach().clone()")
    if rtol is None:
        rtol = max(1e-10, 16 * _unit(given))
    alive = [Variant(*values) for values in product(*CHOICES.values())]
    off_by: dict[str, list[tuple[float, int, str]]] = {form: [] for form in FORMS}
    for name, layer in _layers(steps, phi, max_grad_norm):
        alive = [v for v in alive if all(off <= rtol * size for _, off, size, _ in layer.follow(v))]
        for form, offs in off_by.items():
            offs += [(share, t, name) for t, _, _, share in layer.follow(FORMS[form].variant)]
    columns = zip(CHOICES, zip(*alive, strict=True), strict=True) if alive else ()
    choices = {choice: tuple(v for v in CHOICES[choice] if v in column) for choice, column in columns}
    mean = {form: float(np.mean([share for share, _, _ in offs])) for form, offs in off_by.items()}
    closest = min(mean, key=mean.get)
    forms = tuple(name for name, form in FORMS.items() if form.variant in alive)
    return Verdict(forms, choices, closest, mean[closest], *max(off_by[closest]))


def deviations(variant: Variant, steps: Steps, phi=(0.0, 10.0), max_grad_norm=1.0) -> dict[tuple[int, str], float]:
    """How far a variant is from the recorded steps: (step, layer) -> largest difference in shares of the step.

    A step is the largest move of an entry since the last record, of the variant or of the record, whichever is longer.
    """
    layers = _layers(steps, phi, max_grad_norm)
    return {(t, name): share for name, layer in layers for t, _, _, share in layer.follow(variant)}


def _layers(steps: Steps, phi, max_grad_norm) -> Iterator[tuple[str, "_Layer"]]:
    """The layers with their names, the smallest first."""
    norms = [np.sqrt(sum(np.sum(np.square(v, dtype=float)) for v in g.values())) for g in steps.gradients]
    shares = {"none": [1.0] * len(norms), "built in": [1 / max(1.0, n / max_grad_norm) for n in norms]}
    for name in sorted(steps.weight_decay, key=lambda name: np.size(steps.weights[0][name])):
        yield name, _Layer(name, steps, shares, phi)


class _Layer:
    """One layer of the record, and Adam's directions for it."""

    def __init__(self, name: str, steps: Steps, shares: dict, phi: tuple[float, float]):
        self.lr, (self.beta1, self.beta2), self.eps = steps.lr, steps.betas, steps.eps
        self.weight_decay, self.phi = steps.weight_decay[name], phi
        self.x = [None if w is None else np.asarray(w[name], dtype=float) for w in steps.weights]
        self.r = {}
        for clip, factors in shares.items():
            m = v = np.zeros_like(self.x[0])
            for t, (factor, g) in enumerate(zip(factors, steps.gradients, strict=True), start=1):
                g = factor * np.asarray(g[name], dtype=float)
                m = self.beta1 * m + (1 - self.beta1) * g
                v = self.beta2 * v + (1 - self.beta2) * g**2
                for correction in CHOICES["bias correction"]:
                    both = correction == "both averages"
                    m_hat, v_hat = (m / (1 - self.beta1**t), v / (1 - self.beta2**t)) if both else (m, v)
                    outside, inside = m_hat / (np.sqrt(v_hat) + self.eps), m_hat / np.sqrt(v_hat + self.eps)
                    for epsilon in CHOICES["epsilon"]:
                        r = inside if epsilon == "inside the root" else outside
                        self.r.setdefault((clip, correction, epsilon), []).append(r)

    def follow(self, variant: Variant) -> Iterator[tuple[int, float, float, float]]:
        """After each recorded step: its number, the largest difference and weight, the difference in shares of it."""
        x, before = self.x[0], self.x[0]
        directions = self.r[variant.clip, variant.correction, variant.epsilon]
        for t, (r, there) in enumerate(zip(directions, self.x[1:], strict=True), start=1):
            x = self.step(variant, x, r, t)
            if there is not None:
                moved = max(abs(there - before).max(), abs(x - before).max())
                off, size = abs(there - x).max(), max(abs(there).max(), abs(before).max())
                yield t, off, size, float(off / moved) if moved else 0.0
                x = before = there  # goes on from the record

    def step(self, variant: Variant, x: np.ndarray, r: np.ndarray, t: int) -> np.ndarray:
        """Where step t leads from `x`, with Adam's direction `r`."""
        exempt = variant.skipped == "for vectors, and their decay" and x.ndim < 2
        lr, decay = self.lr, 0.0 if exempt else self.weight_decay
        after = lr * decay * x if variant.decay == "outside, after the step" else 0.0
        if variant.decay == "outside, before the step":
            x = x - lr * decay * x
        u = r + decay * x if variant.decay == "inside the ratio" else r
        if variant.correction.startswith("the learning rate"):
            lr = lr / (1 - self.beta1**t)
        return x - lr * self.ratio(variant, x, u, t) * u - after

    def ratio(self, variant: Variant, x: np.ndarray, u: np.ndarray, t: int) -> float:
        vector = variant.skipped.startswith("for vectors") and x.ndim < 2
        undecayed = variant.skipped == "where the decay is 0" and self.weight_decay == 0
        if vector or undecayed or variant.skipped == "everywhere":
            return 1.0
        size, norm = np.sqrt(np.vdot(x, x)), np.sqrt(np.vdot(u, u))
        if variant.ratio == "norm of the weights in phi":
            size = min(max(size, self.phi[0]), self.phi[1])
        if variant.ratio.endswith("direction uncorrected"):
            norm *= (1 - self.beta1**t) / np.sqrt(1 - self.beta2**t)
        if size == 0 and variant.zeros == "never moves":
            return 0.0
        if size == 0 or norm == 0:
            return 1.0
        ratio = size / (norm + self.eps * variant.epsilon.endswith("in the ratio"))
        return min(1.0, ratio) if variant.ratio.startswith("at most 1") else ratio


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


if __name__ == "__main__":
    try:
        if len(sys.argv) != 2:
            raise ValueError("usage: python -m minilib.analysis.which_lamb steps.npz")
        print(which_lamb(Steps.load(sys.argv[1])))
    except (ValueError, OSError) as error:
        print(f"error: {': '.join([*sys.argv[1:2], str(getattr(error, 'strerror', error))])}", file=sys.stderr)
        sys.exit(2)
