"""Every step is taken with every combination of the choices, and kept are those that land where the record says.

What all of the kept ones agree on is decided; a choice that they make differently is undetermined.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from textwrap import fill

import numpy as np

from minilib.optim.checks import check_option, is_number
from studies.which_lamb.forms import CHOICES, FORMS, Variant
from studies.which_lamb.steps import Layers, Steps, probe


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


def _lines(text: str, indent: int = 2) -> str:
    return fill(text, 72, subsequent_indent=" " * indent, break_on_hyphens=False)


def _unit(given: list[Layers]) -> float:
    """One unit in the last place of the shortest floats among the weights, relative."""
    arrays = [np.asarray(x) for layers in given for x in layers.values()]
    with np.errstate(over="ignore"):
        if all(np.array_equal(x, x.astype(np.float32)) for x in arrays):  # float64 may be float32 that was stored so
            arrays.append(np.zeros(1, np.float32))
    return float(max(np.finfo(x.dtype).eps for x in arrays))


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
