"""Records 50 steps of public LARS, LAMB and CAME implementations as JSON files beside this script.

    python tests/references/make_fixtures.py

makes a throw-away environment, installs the packages there (they are no dependency of the book), runs them in
float64 on the inputs of `recipe.py` and writes one file a package and method. Needs a network and about a minute.

Each run holds the package's settings (`theirs`), the settings of `minilib.optim` under which both are the same
method (`ours`; `ours_vectors` for what has fewer than two dimensions), and the parameters after every fifth step.
Absent on purpose: settings for which a package computes something else than the paper, such as timm's default
clipping of the global norm, timm's plain steps where the decay is zero, or pytorch_optimizer's decay outside the
trust ratio.
"""

import importlib
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
PACKAGES = {"timm": "1.0.31", "pytorch_optimizer": "4.1.0", "came-pytorch": "0.1.3"}

# file -> (package, module, class, minilib class, runs); a run is theirs, ours, and what differs for ours on vectors
TIMM_LAMB = {"max_grad_norm": None, "always_adapt": True}
TIMM_LARS = {"eps": 0.0, "always_adapt": True}
PO_LAMB = {"weight_decouple": False, "adam_debias": True, "eps": 1e-12}
PO_OURS = {"bias_correction": False, "eps": 1e-12, "phi": [0.0, 10.0]}
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
}  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        pip = [python, "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "numpy", f"torch=={TORCH}"], check=True)
        # --no-deps: timm asks for torchvision, which its optimizers do not use.
        subprocess.run([*pip, "--no-deps", *(f"{p}=={v}" for p, v in PACKAGES.items())], check=True)
        subprocess.run([python, __file__, "--record"], check=True)


def record():
    """Runs inside the environment: writes every file."""
    import numpy as np
    import recipe
    import torch

    # The roots of timm and timm.optim import models and torchvision: empty ones in their place.
    site = Path(torch.__file__).parents[1]
    for name in ("timm", "timm.optim"):
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [str(site.joinpath(*name.split(".")))]

    for file, (package, module, cls, minilib_class, runs) in RUNS.items():
        optimizer = getattr(importlib.import_module(module), cls)
        recorded = {}
        for run, (theirs, ours, *ours_vectors) in runs.items():
            params = {n: torch.nn.Parameter(torch.tensor(x)) for n, x in recipe.start().items()}
            assert all(p.dtype == torch.float64 for p in params.values())
            opt = optimizer(list(params.values()), **theirs)
            trajectory = {}
            for t, gradient in enumerate(recipe.gradients(), start=1):
                for name, p in params.items():
                    p.grad = torch.tensor(gradient[name])
                opt.step()
                if t % recipe.EVERY == 0:
                    trajectory[t] = {n: _rounded(p.detach().numpy()) for n, p in params.items()}
            recorded[run] = {
                "theirs": theirs,
                "ours": ours,
                "ours_vectors": ours_vectors[0] if ours_vectors else {},
                "trajectory": trajectory,
            }
        content = {
            "reference": f"{package} {PACKAGES[package]}, {module}.{cls}",
            "versions": {"torch": TORCH, "numpy": np.__version__, package: PACKAGES[package]},
            "optimizer": minilib_class,
            "dtype": "float64, rounded to 13 significant digits",
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
    record() if sys.argv[1:] == ["--record"] else main()
