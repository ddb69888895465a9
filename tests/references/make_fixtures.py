"""Records 50 steps of public LARS, LAMB and CAME implementations as JSON files beside this script.

    python3.11 tests/references/make_fixtures.py

makes a throw-away environment for each framework, installs the packages there (they are no dependency of the book),
runs them in float64 (bitsandbytes: float32) on the inputs of `recipe.py` and writes one file a package and method.
Needs a network, some minutes, and a Python for which TensorFlow 2.15 exists (3.9 to 3.11).

Each run holds the package's settings (`theirs`), the settings of `minilib.optim` under which both are the same
method (`ours`; `ours_vectors` for what has fewer than two dimensions), and the parameters after every fifth step.
Three files hold settings for which a package computes something else than the paper, mostly its defaults; their
`optimizer` is no class of minilib but a form that chapter 7 and `tests/optim/test_lamb.py` write down: `AsShipped`
(clips the global norm, plain steps where the decay is zero), `Outside` (decay outside the ratio) and `OneSidedOnCPU`
(a ratio of at most 1).
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
# package -> (framework, version, what else to install); numpy 1 for the old TensorFlow
PACKAGES = {
    "timm": ("torch", "1.0.31", ["numpy", f"torch=={TORCH}"]),
    "pytorch_optimizer": ("torch", "4.1.0", []),
    "came-pytorch": ("torch", "0.1.3", []),
    "bitsandbytes": ("torch", "0.50.2", ["packaging"]),
    "optax": ("optax", "0.2.8", ["jax==0.10.2", "absl-py", "typing-extensions"]),
    "tensorflow-addons": ("tensorflow", "0.23.0", ["tensorflow-cpu==2.15.1", "numpy<2", "typeguard<3", "packaging"]),
}

# file -> (package, module, class, minilib class, runs); a run is theirs, ours, and what differs for ours on vectors
TIMM_LAMB = {"max_grad_norm": None, "always_adapt": True}
TIMM_LARS = {"eps": 0.0, "always_adapt": True}
PO_LAMB = {"weight_decouple": False, "adam_debias": True, "eps": 1e-12}
PO_OURS = {"bias_correction": False, "eps": 1e-12, "phi": [0.0, 10.0]}
# Keras keeps the settings in float32 whatever the parameters are, so all of them are exact there.
TFA_BETAS = {"beta_1": 7 / 8, "beta_2": 127 / 128}
TFA_OURS = {"betas": [7 / 8, 127 / 128]}
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
    "lamb_optax": ("optax", "optax", "lamb", "LAMB", {
        "paper": (
            {"learning_rate": 0.02, "weight_decay": 0.01},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "no decay, other betas, small eps": (
            {"learning_rate": 0.05, "b1": 0.7, "b2": 0.95, "eps": 1e-8, "weight_decay": 0.0},
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 1e-8, "weight_decay": 0.0},
        ),
    }),
    "lamb_tensorflow_addons": ("tensorflow-addons", "tensorflow_addons.optimizers", "LAMB", "LAMB", {
        "paper": (
            {"learning_rate": 1 / 64, "weight_decay": 1 / 128, **TFA_BETAS},
            {"lr": 1 / 64, "weight_decay": 1 / 128, **TFA_OURS},
        ),
        "no decay": (
            {"learning_rate": 1 / 16, "weight_decay": 0.0, **TFA_BETAS},
            {"lr": 1 / 16, "weight_decay": 0.0, **TFA_OURS},
        ),
    }),
    "lamb_timm_defaults": ("timm", "timm.optim.lamb", "Lamb", "AsShipped", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "defaults, no decay": (
            {"lr": 0.02, "weight_decay": 0.0},
            {"lr": 0.02, "weight_decay": 0.0},
        ),
    }),
    "lamb_pytorch_optimizer_defaults": ("pytorch_optimizer", "pytorch_optimizer", "Lamb", "Outside", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "weight_decay": 0.0},
        ),
        "decay": (
            {"lr": 0.1, "weight_decay": 0.2},
            {"lr": 0.1, "weight_decay": 0.2},
        ),
    }),
    "lamb_bitsandbytes": ("bitsandbytes", "bitsandbytes.optim", "LAMB", "OneSidedOnCPU", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "eps": 1e-8, "weight_decay": 0.0},
        ),
        "decay": (
            {"lr": 0.05, "weight_decay": 1.0},
            {"lr": 0.05, "eps": 1e-8, "weight_decay": 1.0},
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
}  # fmt: skip


def main():
    for framework in ("torch", "optax", "tensorflow"):
        ours = {name: rest for name, (of, *rest) in PACKAGES.items() if of == framework}
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = Path(folder, "bin", "python")
            pip = [python, "-m", "pip", "install", "--quiet"]
            subprocess.run([*pip, *(p for _, needs in ours.values() for p in needs)], check=True)
            # --no-deps: timm asks for torchvision, which its optimizers do not use.
            subprocess.run([*pip, "--no-deps", *(f"{p}=={v}" for p, (v, _) in ours.items())], check=True)
            subprocess.run([python, __file__, "--record", framework], check=True)


def run_torch(optimizer, theirs, package):
    """Parameters after every step, as arrays by name."""
    import torch

    dtype = torch.float32 if package == "bitsandbytes" else torch.float64
    params = {n: torch.nn.Parameter(torch.tensor(x, dtype=dtype)) for n, x in recipe.start().items()}
    opt = optimizer(list(params.values()), **theirs)
    for gradient in recipe.gradients():
        for name, p in params.items():
            p.grad = torch.tensor(gradient[name], dtype=dtype)
        opt.step()
        yield {n: p.detach().numpy() for n, p in params.items()}


def run_optax(optimizer, theirs, _):
    import jax
    import optax

    jax.config.update("jax_enable_x64", True)
    params = {n: jax.numpy.asarray(x) for n, x in recipe.start().items()}
    opt = optimizer(**theirs)
    state = opt.init(params)
    for gradient in recipe.gradients():
        updates, state = opt.update(gradient, state, params)
        params = optax.apply_updates(params, updates)
        yield {n: np.asarray(p) for n, p in params.items()}


def run_tensorflow(optimizer, theirs, _):
    import tensorflow as tf

    params = {n: tf.Variable(x, dtype=tf.float64) for n, x in recipe.start().items()}
    opt = optimizer(**theirs)
    for gradient in recipe.gradients():
        opt.apply_gradients((tf.constant(gradient[n]), p) for n, p in params.items())
        yield {n: p.numpy() for n, p in params.items()}


def record(framework):
    """Runs inside the environment: writes every file of one framework."""
    if framework == "torch":
        # The roots of timm and timm.optim import models and torchvision: empty ones in their place.
        site = Path(importlib.util.find_spec("torch").origin).parents[1]
        for name in ("timm", "timm.optim"):
            sys.modules[name] = types.ModuleType(name)
            sys.modules[name].__path__ = [str(site.joinpath(*name.split(".")))]
    library = {"optax": "jax"}.get(framework, framework)
    versions = {library: importlib.import_module(library).__version__.split("+")[0], "numpy": np.__version__}

    for file, (package, module, cls, minilib_class, runs) in RUNS.items():
        of, version, _ = PACKAGES[package]
        if of != framework:
            continue
        optimizer = getattr(importlib.import_module(module), cls)
        recorded = {}
        for run, (theirs, ours, *ours_vectors) in runs.items():
            trajectory = {}
            for t, params in enumerate(globals()[f"run_{framework}"](optimizer, theirs, package), start=1):
                dtypes = {str(x.dtype) for x in params.values()}
                assert dtypes == {"float32" if package == "bitsandbytes" else "float64"}
                if t % recipe.EVERY == 0:
                    trajectory[t] = {n: _rounded(x) for n, x in params.items()}
            recorded[run] = {
                "theirs": theirs,
                "ours": ours,
                "ours_vectors": ours_vectors[0] if ours_vectors else {},
                "trajectory": trajectory,
            }
        content = {
            "reference": f"{package} {version}, {module}.{cls}",
            "versions": {**versions, package: version},
            "optimizer": minilib_class,
            "dtype": f"{dtypes.pop()}, rounded to 13 significant digits",
            "inputs": {"seed": recipe.SEED, "shapes": recipe.SHAPES, "sha256": recipe.digest()},
            "runs": recorded,
        }
        (HERE / f"{file}.json").write_text(_compact(json.dumps(content, indent=1)) + "\n")
        print(f"wrote {file}.json: {len(recorded)} runs")


def _compact(text):
    """Innermost lists on one line each: a tensor a line."""
    return re.sub(r"\[([^\[\]]*)\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)


def _rounded(x):
    return [float(f"{v:.13g}") for v in x.ravel()]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        # NumPy is there only inside the environment, where this folder is on the path too.
        import numpy as np
        import recipe

        record(sys.argv[2])
    else:
        main()
