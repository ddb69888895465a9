"""Every recorded public run, the presets and the NumPy relatives are named; what cannot be told is not; bad input."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from minilib.optim import LAMB, SGD, AdamW
from minilib.torch_optim import LAMB as TorchLAMB
from studies.which_lamb import CHOICES, FORMS, Steps, Variant, deviations, probe, which_lamb
from tests.optim.helpers import REFERENCES, Parameter
from tests.optim.test_lamb import AsShipped, OneSidedOnCPU, Outside
from tests.references import recipe

CLIP = "clip of the joint gradient"
COUPLED = {"pytorch_optimizer, coupled", "coupled, eps once"}  # eps is 1e-12 in that record
EXPECTED = {
    ("lamb_bitsandbytes", "defaults"): {"bitsandbytes, CPU"},
    ("lamb_bitsandbytes", "decay"): {"bitsandbytes, CPU"},
    ("lamb_optax", "paper"): {"paper"},
    ("lamb_optax", "no decay, other betas, small eps"): {"paper"},
    ("lamb_pytorch_optimizer", "no bias correction, norm clipped at 10"): COUPLED,
    ("lamb_pytorch_optimizer_defaults", "defaults"): {"pytorch_optimizer"},
    ("lamb_pytorch_optimizer_defaults", "decay"): {"pytorch_optimizer"},
    ("lamb_tensorflow_addons", "paper"): {"paper"},
    ("lamb_tensorflow_addons", "no decay"): {"paper"},
    ("lamb_timm", "paper"): {"paper"},
    ("lamb_timm", "no decay, other betas, large eps"): {"paper"},
    ("lamb_timm", "no bias correction, large decay"): {"uncorrected", "coupled, eps once"},  # no norm passes 10
    # with a decay of 0.01 everywhere nobody sees what happens where there is none
    ("lamb_timm_defaults", "defaults"): {"timm, Apex", "nvlamb"},
    ("lamb_timm_defaults", "defaults, no decay"): {"timm, Apex"},
}
RUNS = {(path.stem, run) for path in REFERENCES.glob("lamb_*.json") for run in json.loads(path.read_text())["runs"]}
PRESETS = {preset: name for name, form in FORMS.items() for preset in form.presets}


def recorded(file, run, steps):
    """A recorded public run: weights after every fifth step, with the settings in our names."""
    content = json.loads((REFERENCES / f"{file}.json").read_text())
    assert content["inputs"]["sha256"] == recipe.digest()
    dtype, ours = content["dtype"].split(",")[0], content["runs"][run]["ours"]
    weights = [recipe.start()] + [content["runs"][run]["trajectory"].get(str(t)) for t in range(1, steps + 1)]
    weights = [w and {n: np.reshape(w[n], s).astype(dtype) for n, s in recipe.SHAPES.items()} for w in weights]
    settings = {name: ours[name] for name in ("lr", "eps", "weight_decay") if name in ours}
    settings |= {"betas": tuple(ours["betas"])} if "betas" in ours else {}
    return Steps(weights, recipe.gradients()[:steps], **settings)


def parameters():
    return [Parameter(np.ones((2, 2)))]


@pytest.mark.parametrize(("file", "run"), sorted(RUNS))
def test_a_recorded_public_run_is_named_and_ten_steps_of_it_never_exclude_the_right_name(file, run):
    found = which_lamb(recorded(file, run, recipe.STEPS))
    assert set(found.forms) == EXPECTED[file, run]
    assert found.closest in found.forms
    assert set(which_lamb(recorded(file, run, 10)).forms) >= EXPECTED[file, run]


@pytest.mark.parametrize("preset", TorchLAMB.presets)
@pytest.mark.parametrize("settings", [{}, {"betas": (0.7, 0.95), "eps": 1e-8, "weight_decay": 0.0}])
def test_a_torch_optimizer_is_named_by_its_own_probing_steps_and_does_not_move(preset, settings):
    parameter = torch.nn.Parameter(torch.ones(3, 2))
    optimizer = TorchLAMB([parameter], lr=1e-3, **(TorchLAMB.preset(preset) | settings))
    found = which_lamb(optimizer)
    assert found.forms == (PRESETS[preset],)
    assert all(len(fits) == 1 for fits in found.choices.values()), found
    assert torch.equal(parameter, torch.ones(3, 2))
    assert not optimizer.state


class Decoupled(Outside):
    def __init__(self, params, **options):
        options.pop("bias_correction", None)
        super().__init__(params, **options)


class OneSided(LAMB):
    """bitsandbytes on a GPU, as it was read."""

    def update(self, x, g, s):
        r = self.direction(g, s)
        size, norm = np.linalg.norm(x), np.linalg.norm(r)
        x -= self.lr * self.weight_decay * x
        x -= self.lr * (size / norm if norm > size else 1.0) * r


class UncutVectors(LAMB):
    """The ratio is left out for vectors, the decay is not."""

    def update(self, x, g, s):
        if x.ndim > 1:
            super().update(x, g, s)
        else:
            x -= self.lr * (self.direction(g, s) + self.weight_decay * x)


class EpsilonInside(LAMB):
    def direction(self, g, s):
        super().direction(g, s)  # which renews both averages
        m_hat, v_hat = (s[name] / (1 - beta ** s["step"]) for name, beta in zip("mv", self.betas, strict=True))
        return m_hat / np.sqrt(v_hat + self.eps)


class TooLong(LAMB):
    """A step of 1.25, from which a share of 1/5 is missing."""

    def update(self, x, g, s):
        before = x.copy()
        super().update(x, g, s)
        x += 0.25 * (x - before)


@pytest.mark.parametrize(
    ("optimizer", "form", "changed"),
    [
        (LAMB(parameters()), "paper", {}),
        (AsShipped(parameters()), "timm, Apex", None),
        (Decoupled(parameters()), "pytorch_optimizer", None),
        (OneSided(parameters()), "bitsandbytes, GPU", None),
        (OneSidedOnCPU(parameters()), "bitsandbytes, CPU", None),
        (AdamW(parameters(), eps=1e-6), "AdamW", None),
        (torch.optim.AdamW([torch.ones(2, requires_grad=True)], eps=1e-6), "AdamW", None),
        (LAMB(parameters(), bias_correction=False), "uncorrected", {"correction": "none"}),
        (LAMB(parameters(), phi=(0.0, 10.0)), None, {"ratio": "norm of the weights in phi"}),
        (UncutVectors(parameters()), None, {"skipped": "for vectors"}),
        (EpsilonInside(parameters()), None, {"epsilon": "inside the root"}),
    ],
)
def test_a_relative_is_named_and_one_choice_that_nobody_makes_is_described(optimizer, form, changed):
    found = which_lamb(optimizer)
    said = " ".join(str(found).split())
    assert found.forms == ((form,) if form else ())
    if changed is not None:
        variant = Variant()._replace(**changed)
        assert found.choices == {choice: (value,) for choice, value in zip(CHOICES, variant, strict=True)}
    assert form in said if form else said.startswith("None of these; closest is ") and {*changed.values()} & {*variant}
    assert not optimizer.state


def test_what_is_no_lamb_is_none_of_these_with_the_share_of_a_step_that_is_off():
    found = which_lamb(TooLong(parameters()))
    assert (found.forms, found.choices, found.closest) == ((), {}, "paper")
    assert (found.deviation, found.largest) == pytest.approx((0.2, 0.2), rel=1e-9)
    assert "nor any other combination" in str(found)
    off = deviations(Variant(skipped="for vectors"), probe(LAMB(parameters())))
    assert {layer for (_, layer), share in off.items() if share > 1e-10} == {"bias"}
    assert {t for t, _ in off} == {1, 2, 3}


def test_what_the_steps_do_not_show_is_undetermined():
    # the first direction is that of signs: a common factor of the gradients shows by epsilon alone
    steps = probe(LAMB(parameters(), eps=1e-30))
    given = (steps.lr, steps.betas, steps.eps, steps.weight_decay)
    first = which_lamb(Steps(steps.weights[:2], steps.gradients[:1], *given))
    assert first.choices[CLIP] == CHOICES[CLIP]
    assert str(first).startswith("Undetermined between 2 that")
    assert which_lamb(steps).choices[CLIP] == ("none",)
    for layers in (*steps.weights, *steps.gradients, steps.weight_decay):
        del layers["zeros"]
    assert which_lamb(steps).choices["layer of zeros"] == CHOICES["layer of zeros"]
    assert "leaves no trace" in str(which_lamb(steps))
    found = which_lamb(probe(LAMB(parameters(), eps=1e-12), dtype="float32"))  # too short for a small epsilon
    assert found.choices["epsilon"] != ("outside the root",)
    assert "paper" in found.forms


def test_the_bounds_that_are_tried_can_be_named():
    optimizer = TorchLAMB([torch.ones(2, requires_grad=True)], max_grad_norm=3.0, phi=(1.0, 4.0))
    assert which_lamb(optimizer).forms == ()
    found = which_lamb(optimizer, phi=(1.0, 4.0), max_grad_norm=3.0)
    assert (found.choices[CLIP], found.choices["ratio"]) == (("built in",), ("norm of the weights in phi",))


def in_torch(count, record):
    """A float32 run of the paper's LAMB on three layers, recorded layer by layer with `record`."""
    maker = torch.Generator().manual_seed(0)
    layers = {name: torch.randn(4, 3, generator=maker).requires_grad_() for name in ("a", "b", "c")}
    optimizer = TorchLAMB(layers.values(), lr=0.01, weight_decay=0.1)
    weights, gradients = [{name: record(p) for name, p in layers.items()}], []
    for _ in range(count):
        for p in layers.values():
            p.grad = torch.randn(4, 3, generator=maker)
        gradients.append({name: record(p.grad) for name, p in layers.items()})
        optimizer.step()
        weights.append({name: record(p) for name, p in layers.items()})
    return Steps(weights, gradients, lr=0.01, weight_decay=0.1)


def test_steps_in_float32_are_named_however_they_were_stored_and_without_a_copy_refused():
    copies = [lambda p: p.detach().numpy().copy(), lambda p: p.detach().clone()]
    longer = [lambda p: p.detach().double().numpy(), lambda p: np.array(p.tolist())]
    found = [which_lamb(in_torch(3, record)) for record in copies + longer]
    assert "paper" in found[0].forms
    assert {str(one) for one in found} == {str(found[0])}
    with pytest.raises(ValueError, match=r"weights must move, .* record copies, p\.detach\(\)\.clone\(\)"):
        which_lamb(in_torch(2, lambda p: p.detach().numpy()))


X = {"w": np.ones(2)}
NAN, WHOLE, SHORT = {"w": np.array([1, np.nan])}, {"w": np.ones(2, int)}, torch.ones(2, dtype=torch.bfloat16)
LISTS = "must be a list of dicts from a layer's name to its array, got"


@pytest.mark.parametrize(
    ("weights", "gradients", "options", "said"),
    [
        ([X], [], {}, "got 1 recorded of 1, and 0 gradients"),
        ([X, X], [X, X], {}, "got 2 recorded of 2, and 2 gradients"),
        ([None, X], [X], {}, "weights must be those before step 1"),
        ([X, {"v": np.ones(2)}], [X], {}, "weights must have the layers ['w'] each time, got ['v']"),
        ([[1.0], [2.0]], [[1.0]], {}, f"weights {LISTS} [[1.0], [2.0]]"),
        ([X, X], [{}], {}, "gradients must have the layers ['w'] each time, got []"),
        ([X, X], [{"w": np.ones(3)}], {}, "gradients of w must be finite floats of shape (2,)"),
        ([X, NAN], [X], {}, "weights of w must be finite floats"),
        ([X, X], [WHOLE], {}, "gradients of w must be finite floats"),
        ([{"w": torch.ones(2).requires_grad_()}] * 2, [X], {}, "weights of w must be an array, as p.detach().cpu()"),
        ([{"w": SHORT}] * 2, [X], {}, "weights of w must be an array, as p.detach().cpu()"),
        ([X, X], [X], {"lr": 0.0}, "lr must be > 0"),
        ([X, X], [X], {"betas": (0.9, 1.0)}, "betas must be"),
        ([X, X], [X], {"weight_decay": {"v": 0.0}}, "weight_decay must be one number, or one for each layer"),
    ],
)
def test_steps_that_do_not_go_together_and_settings_out_of_range_are_refused(weights, gradients, options, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Steps(weights, gradients, **{"lr": 0.1} | options)


class Hidden(LAMB):
    def __init__(self, params, secret, **options):
        super().__init__(params, **options)


@pytest.mark.parametrize(
    ("subject", "bounds", "said"),
    [
        (3, {}, "must be Steps, or an optimizer with param_groups and step, got one int"),
        (SGD([Parameter(np.ones(2))], lr=0.1), {}, "SGD has no betas and eps, so it is no LAMB"),
        (Hidden(parameters(), "s"), {}, "cannot probe Hidden, record steps of yours instead: .*secret"),
        (Steps([X, X], [X], lr=0.1), {"phi": (3, 1)}, "phi must be"),
        (Steps([X, X], [X], lr=0.1), {"max_grad_norm": 0.0}, "max_grad_norm must be"),
    ],
)
def test_a_subject_that_cannot_be_probed_and_bounds_that_are_none_are_refused(subject, bounds, said):
    with pytest.raises(ValueError, match=said):
        which_lamb(subject, **bounds)


def npz(path, **changes):
    steps = probe(LAMB(parameters()))
    keys = {f"x{t}/{name}": x for t, layers in enumerate(steps.weights) for name, x in layers.items()}
    keys |= {f"g{t}/{name}": g for t, layers in enumerate(steps.gradients, 1) for name, g in layers.items()}
    keys |= {f"weight_decay/{name}": v for name, v in steps.weight_decay.items()}
    np.savez(path, **(keys | {"lr": steps.lr, "betas": steps.betas, "eps": steps.eps} | changes))


def test_the_command_line_names_the_method_or_says_in_one_line_why_not(tmp_path):
    npz(tmp_path / "steps.npz")
    npz(tmp_path / "zero.npz", lr=0.0)
    npz(tmp_path / "more.npz", momentum=0.9)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "steps.npz").read_bytes()[:999])
    expected = {
        "steps.npz": (0, "paper: .*", ""),
        "": (2, "", "usage: python -m studies.which_lamb steps.npz"),
        "zero.npz": (2, "", "zero.npz: lr must be > 0, or nothing moves, got 0.0"),
        "more.npz": (2, "", "more.npz: the keys must be x0/name, .*'momentum'.*"),
        "cut.npz": (2, "", "cut.npz: it is no .npz file of arrays, or it is broken: write it with np.savez"),
        "missing.npz": (2, "", "missing.npz: No such file or directory"),
    }
    for file, (code, out, error) in expected.items():
        files = [str(tmp_path / file)] if file else []
        done = subprocess.run([sys.executable, "-m", "studies.which_lamb", *files], capture_output=True, text=True)
        assert done.returncode == code, file
        assert re.fullmatch(out, done.stdout, re.DOTALL)
        assert re.fullmatch(f"error: .*{error}\n" if error else "", done.stderr)
