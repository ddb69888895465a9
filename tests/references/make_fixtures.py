"""Records 50 steps of public implementations of what torch does not have, as JSON files beside this script.

    python tests/references/make_fixtures.py

makes a throw-away environment, installs the packages there (they are no dependency of the book), runs them in
float64 on the inputs of `recipe.py` and writes one file a package and method. Needs a network and a few minutes.

Each run holds the package's settings (`theirs`), the settings of `minilib.optim` under which both are the same
method (`ours`; `ours_vectors` for what has fewer than two dimensions; `ours_axes`: the order of axes in which ours
must see a tensor, since packages factor different ones), and the parameters after every fifth step.
Absent on purpose: settings for which a package computes something else than the paper, such as timm's default
clipping of the global norm, timm's plain steps where the decay is zero, or pytorch_optimizer's decay outside the
trust ratio.

Three packages need a hand (see `reference`): adam-mini finds its blocks by the names of the parameters and wants
matrices; schedulefree must be told that training begins; and pytorch_optimizer's SOAP does its QR decomposition in
float32, which would leave six digits to compare.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import types
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
TORCH = "2.13.0"
PACKAGES = {
    "timm": "1.0.31",
    "pytorch_optimizer": "4.1.0",
    "came-pytorch": "0.1.3",
    "lion-pytorch": "0.2.5",
    "adam-mini": "1.1.1",
    "schedulefree": "1.4.1",
}
DEPENDENT = {"transformers": "5.23.0", "optax": "0.2.8", "jax": "0.10.2"}  # installed with what they need

# file -> (package, module, class, minilib class, runs); a run is theirs, ours, what differs for ours on vectors, axes
TIMM_LAMB = {"max_grad_norm": None, "always_adapt": True}
TIMM_LARS = {"eps": 0.0, "always_adapt": True}
PO_LAMB = {"weight_decouple": False, "adam_debias": True, "eps": 1e-12}
PO_OURS = {"bias_correction": False, "eps": 1e-12, "phi": [0.0, 10.0]}
OPTAX_FACTOR = {"min_dim_size_to_factor": 1}
SOAP_BETAS = {"lr": 0.02, "betas": [0.9, 0.8], "eps": 1e-13, "weight_decay": 0.0}
RUNS = {
    "lars_timm": ("timm", "timm.optim.lars", "Lars", "LARS", {
        "paper": (
            {"lr": 2.0, "momentum": 0.9, "weight_decay": 0.01, "trust_coeff": 0.01, **TIMM_LARS},
            {"lr": 2.0, "momentum": 0.9, "weight_decay": 0.01, "trust_coefficient": 0.01},
        ),
        "no decay, no momentum": (
            {"lr": 1.0, "momentum": 0.0, "weight_decay": 0.0, "trust_coeff": 0.05, **TIMM_LARS},
            {"lr": 1.0, "momentum": 0.0, "weight_decay": 0.0, "trust_coefficient": 0.05},
        ),
    }),
    "lars_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "LARS", "LARS", {
        "vectors excluded": (
            {"lr": 0.5, "momentum": 0.8, "weight_decay": 0.1, "trust_coefficient": 0.02},
            {"lr": 0.5, "momentum": 0.8, "weight_decay": 0.1, "trust_coefficient": 0.02},
            {"layer_adaptation": False, "weight_decay": 0.0},
        ),
    }),
    "lamb_timm": ("timm", "timm.optim.lamb", "Lamb", "LAMB", {
        "paper": (
            {"lr": 0.02, "weight_decay": 0.01, **TIMM_LAMB},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "no decay, other betas, large eps": (
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 0.1, "weight_decay": 0.0, **TIMM_LAMB},
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 0.1, "weight_decay": 0.0},
        ),
        "no bias correction, large decay": (
            {"lr": 0.02, "bias_correction": False, "weight_decay": 0.5, **TIMM_LAMB},
            {"lr": 0.02, "bias_correction": False, "weight_decay": 0.5},
        ),
    }),
    "lamb_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "Lamb", "LAMB", {
        "no bias correction, norm clipped at 10": (
            {"lr": 0.1, "weight_decay": 0.2, **PO_LAMB},
            {"lr": 0.1, "weight_decay": 0.2, **PO_OURS},
        ),
    }),
    "came_came_pytorch": ("came-pytorch", "came_pytorch", "CAME", "CAME", {
        "paper": (
            {"lr": 0.01},
            {"lr": 0.01},
        ),
        "decay, other betas, clipping at 0.5": (
            {"lr": 0.02, "betas": [0.8, 0.95, 0.99], "eps": [1e-12, 1e-6], "clip_threshold": 0.5, "weight_decay": 0.1},
            {"lr": 0.02, "betas": [0.8, 0.95, 0.99], "eps": [1e-12, 1e-6], "d": 0.5, "weight_decay": 0.1},
        ),
    }),
    "came_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "CAME", "CAME", {
        "decay": (
            {"lr": 0.01, "weight_decay": 0.1},
            {"lr": 0.01, "weight_decay": 0.1},
        ),
    }),
    "sm3_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "SM3", "SM3", {
        "no momentum": ({"lr": 0.1}, {"lr": 0.1}),
        "momentum": ({"lr": 0.3, "momentum": 0.9}, {"lr": 0.3, "momentum": 0.9}),
    }),
    "lion_lion_pytorch": ("lion-pytorch", "lion_pytorch", "Lion", "Lion", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.01, "betas": [0.95, 0.98], "weight_decay": 1.0},
            {"lr": 0.01, "betas": [0.95, 0.98], "weight_decay": 1.0},
        ),
    }),
    "adam_mini_adam_mini": ("adam-mini", "adam_mini", "Adam_mini", "AdamMini", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.02, "betas": [0.8, 0.95], "eps": 1e-3, "weight_decay": 0.1},
            {"lr": 0.02, "betas": [0.8, 0.95], "eps": 1e-3, "weight_decay": 0.1},
            {"weight_decay": 0.0},
        ),
    }),
    "shampoo_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "Shampoo", "Shampoo", {
        "paper": ({"lr": 0.1, "matrix_eps": 1e-4}, {"lr": 0.1, "eps": 1e-4}),
        "decay, large eps": (
            {"lr": 0.3, "matrix_eps": 0.5, "weight_decay": 0.1},
            {"lr": 0.3, "eps": 0.5, "weight_decay": 0.1},
        ),
    }),
    "soap_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer.optimizer.soap", "SOAP", "SOAP", {
        "refresh every step": (
            {**SOAP_BETAS, "precondition_frequency": 1},
            {**SOAP_BETAS, "precondition_frequency": 1},
        ),
        "refresh every seven steps": (
            {**SOAP_BETAS, "precondition_frequency": 7},
            {**SOAP_BETAS, "precondition_frequency": 7},
        ),
    }),
    "schedule_free_schedulefree": ("schedulefree", "schedulefree", "AdamWScheduleFree", "ScheduleFree", {
        "paper": ({"lr": 0.01, "foreach": False}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.02, "betas": [0.95, 0.9], "eps": 1e-3, "weight_decay": 0.1, "foreach": False},
            {"lr": 0.02, "betas": [0.95, 0.9], "eps": 1e-3, "weight_decay": 0.1},
        ),
    }),
    "schedule_free_reference": (
        "schedulefree", "schedulefree.adamw_schedulefree_reference", "AdamWScheduleFreeReference", "ScheduleFree", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
    }),
    "adafactor_transformers": ("transformers", "transformers.optimization", "Adafactor", "Adafactor", {
        "paper": ({}, {}),
        "fixed rate, decay, clipping at 0.5": (
            {"lr": 0.02, "relative_step": False, "scale_parameter": False, "weight_decay": 0.3, "clip_threshold": 0.5},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3, "d": 0.5},
        ),
    }),
    "adafactor_timm": ("timm", "timm.optim.adafactor", "Adafactor", "Adafactor", {
        "paper, kernels by their first two axes": (
            {"min_dim_size_to_factor": 0},
            {},
            {},
            {"kernel": [2, 3, 0, 1]},
        ),
        "fixed rate, decay, other exponent": (
            {"lr": 0.02, "weight_decay": 0.3, "decay_rate": -0.5, "min_dim_size_to_factor": 0},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3, "beta2_decay": -0.5},
            {},
            {"kernel": [2, 3, 0, 1]},
        ),
    }),
    "adafactor_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "AdaFactor", "Adafactor", {
        "paper": (
            {"betas": [None, 0.999]},
            {},
        ),
        "fixed rate, decay": (
            {"lr": 0.02, "betas": [None, 0.999], "relative_step": False, "scale_parameter": False, "weight_decay": 0.3},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3},
        ),
    }),
    # optax has no relative step: a rate below 1/sqrt(50) is one that the paper's minimum never touches in 50 steps.
    "adafactor_optax": ("optax", "optax", "adafactor", "Adafactor", {
        "rate relative to the size, kernels by their largest axes": (
            {"learning_rate": 0.05, **OPTAX_FACTOR},
            {"lr": 0.05},
            {},
            {"kernel": [1, 3, 0, 2]},
        ),
        "fixed rate, decay not times the rate": (
            {"learning_rate": 0.02, "multiply_by_parameter_scale": False, "weight_decay_rate": 0.006, **OPTAX_FACTOR},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3},
            {},
            {"kernel": [1, 3, 0, 2]},
        ),
    }),
}  # fmt: skip

# SOAP's first basis is the eigenvectors of one gradient's g gᵀ. For the 6 x 4 matrix two eigenvalues are zero, and what
# basis of their plane a library returns is a matter of rounding: a trajectory that no other machine need follow.
UNDETERMINED = {"soap_pytorch_optimizer": ("matrix",)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        pip = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "numpy", f"torch=={TORCH}", *(f"{p}=={v}" for p, v in DEPENDENT.items())], check=True)
        # --no-deps: timm asks for torchvision, which its optimizers do not use.
        subprocess.run([*pip, "--no-deps", *(f"{p}=={v}" for p, v in PACKAGES.items())], check=True)
        subprocess.run([python, __file__, "--record"], check=True)


def record():
    """Runs inside the environment: writes every file."""
    import numpy as np
    import recipe
    import transformers.optimization  # noqa: F401  before timm's root is replaced: it looks for timm

    # The roots of timm and timm.optim import models and torchvision: empty ones in their place.
    site = Path(importlib.util.find_spec("timm").origin).parents[1]
    for name in ("timm", "timm.optim"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(site.joinpath(*name.split(".")))]

    for file, (package, module, cls, minilib_class, runs) in RUNS.items():
        optimizer = getattr(importlib.import_module(module), cls)
        steps = _optax_steps if package == "optax" else _torch_steps
        recorded = {}
        for run, (theirs, ours, *others) in runs.items():
            trajectory = {
                t: {n: _rounded(x) for n, x in params.items() if n not in UNDETERMINED.get(file, ())}
                for t, params in enumerate(steps(package, optimizer, theirs), start=1)
                if t % recipe.EVERY == 0
            }
            ours_vectors, ours_axes = [*others, {}, {}][:2]
            recorded[run] = {"theirs": theirs, "ours": ours, "ours_vectors": ours_vectors}
            recorded[run] |= {"ours_axes": ours_axes} if ours_axes else {}
            recorded[run]["trajectory"] = trajectory
        versions = {"torch": TORCH, **PACKAGES, **DEPENDENT}
        used = ("jax", "optax") if package == "optax" else ("torch", package)
        content = {
            "reference": f"{package} {versions[package]}, {module}.{cls}",
            "versions": {used[0]: versions[used[0]], "numpy": np.__version__, package: versions[package]},
            "optimizer": minilib_class,
            "dtype": "float64, rounded to 13 significant digits",
            "inputs": {"seed": recipe.SEED, "shapes": recipe.SHAPES, "sha256": recipe.digest()},
            "runs": recorded,
        }
        (HERE / f"{file}.json").write_text(_compact(json.dumps(content, indent=1)) + "\n")
        print(f"wrote {file}.json: {len(recorded)} runs")


def reference(package, optimizer, params, theirs):
    """The package's optimizer, and the parameters as it wants them."""
    import torch

    if package == "adam-mini":
        # One block for an index of the first axis, as in ours: "mlp". The package takes matrices, so the kernel is one.
        kinds = {"matrix": "mlp", "zeros": "mlp", "kernel": "mlp", "vector": "norm", "scalar": "norm"}
        shaped = {n: p.detach().reshape(len(p), -1) if kinds[n] == "mlp" else p.detach() for n, p in params.items()}
        params = {n: torch.nn.Parameter(p.clone()) for n, p in shaped.items()}
        named = [(f"{kinds[n]}.{n}", p) for n, p in params.items()]
        return optimizer(named, verbose=False, **theirs), params
    if optimizer.__name__ == "SOAP":
        module = sys.modules[optimizer.__module__]
        module.torch = types.SimpleNamespace(**{**vars(torch), "float32": torch.float64})
    opt = optimizer(list(params.values()), **theirs)
    if package == "schedulefree":
        opt.train()
    return opt, params


def _torch_steps(package, optimizer, options):
    """All parameters after every step of a torch optimizer, as arrays."""
    import recipe
    import torch

    params = {n: torch.nn.Parameter(torch.tensor(x)) for n, x in recipe.start().items()}
    assert all(p.dtype == torch.float64 for p in params.values())
    opt, params = reference(package, optimizer, params, options)
    for gradient in recipe.gradients():
        for name, p in params.items():
            p.grad = torch.tensor(gradient[name]).reshape(p.shape)
        opt.step()
        yield {n: p.detach().numpy() for n, p in params.items()}


def _optax_steps(package, optimizer, options):
    """The same for an optax transformation."""
    import jax
    import numpy as np
    import optax
    import recipe

    jax.config.update("jax_enable_x64", True)
    params = {n: jax.numpy.asarray(x) for n, x in recipe.start().items()}
    opt = optimizer(**options)
    state = opt.init(params)
    for gradient in recipe.gradients():
        updates, state = opt.update({n: jax.numpy.asarray(g) for n, g in gradient.items()}, state, params)
        params = optax.apply_updates(params, updates)
        assert all(p.dtype == np.float64 for p in params.values())
        yield {n: np.asarray(p) for n, p in params.items()}


def _compact(text):
    """Innermost lists on one line each: a tensor a line."""
    return re.sub(r"\[([^\[\]]*)\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)


def _rounded(x):
    return [float(f"{v:.13g}") for v in x.ravel()]


if __name__ == "__main__":
    record() if sys.argv[1:] == ["--record"] else main()
