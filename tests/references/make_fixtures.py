"""Records 50 steps of public optimizers as JSON files beside this script.

    python3.11 tests/references/make_fixtures.py [--check]

makes a throw-away environment for each framework, installs the packages there (they are no dependency of the book),
runs them in float64 (bitsandbytes: float32) on the inputs of `recipe.py` and writes one file a package and method;
with --check it writes nothing and says which files would change. Needs a network, some minutes, and a Python for which
TensorFlow 2.15 exists (3.9 to 3.11).

Each run holds the package's settings (`theirs`), the settings of `minilib.optim` under which both are the same
method (`ours`; `ours_vectors` for what has fewer than two dimensions; `ours_axes`: the order of axes in which ours
must see a tensor), and the parameters after every fifth step.
"""

import importlib
import json
import re
import subprocess
import sys
import tempfile
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
    "lion-pytorch": ("torch", "0.2.5", []),
    "adam-mini": ("torch", "1.1.1", []),
    "schedulefree": ("torch", "1.4.1", []),
    "torchao": ("torch", "0.18.0", []),
    "galore-torch": ("torch", "1.0", []),
    "apollo-torch": ("torch", "1.0.3", []),
    "torch-optimi": ("torch", "0.3.3", []),
    "transformers": ("torch", "5.23.0", ["transformers==5.23.0"]),
    "optax": ("optax", "0.2.8", ["jax==0.10.2", "absl-py", "typing-extensions"]),
    "tensorflow-addons": ("tensorflow", "0.23.0", ["tensorflow-cpu==2.15.1", "numpy<2", "typeguard<3", "packaging"]),
}

# SOAP's first basis is the eigenvectors of one gradient's g gᵀ. For the 6 x 4 matrix two eigenvalues are zero, and what
# basis of their plane a library returns is a matter of rounding: a trajectory that no other machine need follow.
UNDETERMINED = {"soap_pytorch_optimizer": ("matrix",)}


def main(options):
    for framework in ("torch", "optax", "tensorflow"):
        ours = {name: rest for name, (of, *rest) in PACKAGES.items() if of == framework}
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = Path(folder, "bin", "python")
            pip = [python, "-m", "pip", "install", "--quiet"]
            subprocess.run([*pip, *(p for _, needs in ours.values() for p in needs)], check=True)
            # --no-deps: timm asks for torchvision, which its optimizers do not use.
            subprocess.run([*pip, "--no-deps", *(f"{p}=={v}" for p, (v, _) in ours.items())], check=True)
            subprocess.run([python, __file__, "--record", framework, *options], check=True)
            if framework == "torch":
                subprocess.run([python, HERE / "on_state.py", *options], check=True)


def record(framework, check):
    """Runs inside the environment: every file of one framework, written or compared."""
    import numpy as np
    import recipe
    import runs

    steps = importlib.import_module(f"on_{framework}").steps
    library = {"optax": "jax"}.get(framework, framework)
    versions = {library: importlib.import_module(library).__version__.split("+")[0], "numpy": np.__version__}
    for file, (package, module, cls, minilib_class, some) in runs.RUNS.items():
        of, version, _ = PACKAGES[package]
        if of != framework:
            continue
        optimizer = getattr(importlib.import_module(module), cls)
        dtype = "float32" if package == "bitsandbytes" else "float64"
        recorded = {}
        for run, (theirs, ours, ours_vectors, ours_axes) in some.items():
            trajectory = {}
            for t, params in enumerate(steps(package, optimizer, theirs), start=1):
                assert all(x.dtype == dtype for x in params.values())
                if t % recipe.EVERY == 0:
                    left = UNDETERMINED.get(file, ())
                    trajectory[t] = {n: _rounded(x) for n, x in params.items() if n not in left}
            recorded[run] = {"theirs": theirs, "ours": ours, "ours_vectors": ours_vectors}
            recorded[run] |= {"ours_axes": ours_axes} if ours_axes else {}
            recorded[run]["trajectory"] = trajectory
        content = {
            "reference": f"{package} {version}, {module}.{cls}",
            "versions": {**versions, package: version},
            "optimizer": minilib_class,
            "dtype": f"{dtype}, rounded to 13 significant digits",
            "inputs": {"seed": recipe.SEED, "shapes": recipe.SHAPES, "sha256": recipe.digest()},
            "runs": recorded,
        }
        path, text = HERE / f"{file}.json", _compact(json.dumps(content, indent=1)) + "\n"
        same = path.exists() and json.loads(path.read_text()) == json.loads(text)
        if not check:
            path.write_text(text)
        print(f"{path.name}: {len(recorded)} runs, {'as before' if same else 'CHANGED'}")


def _compact(text):
    """Innermost lists on one line each: a tensor a line."""
    return re.sub(r"\[([^\[\]]*)\]", lambda m: "[" + " ".join(m[1].split()) + "]", text)


def _rounded(x):
    return [float(f"{v:.13g}") for v in x.ravel()]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        # Inside the environment this folder is on the path, so recipe.py and the others are found.
        record(sys.argv[2], check="--check" in sys.argv)
    elif sys.argv[1:] in ([], ["--check"]):
        main(sys.argv[1:])
    else:
        sys.exit(f"unknown arguments {sys.argv[1:]}: none, or --check")
