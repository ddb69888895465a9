"""Records what packages that save memory hold: codes and scales, a basis, weights in bfloat16 and what is owed to them.

`make_fixtures.py` runs it in the environment of the torch packages; it writes (with --check: compares) one file for
each package in the folder `state`. The inputs are `recipe.one_tensor`'s. Nothing is compiled; the packages of GaLore
and APOLLO get an empty root, because theirs imports bitsandbytes.
"""

import importlib
import json
import sys
import types
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import recipe
import torch

torch.compile = lambda function, **_: function
for root in ("galore_torch", "apollo_torch"):
    module = types.ModuleType(root)
    module.__path__ = find_spec(root).submodule_search_locations
    sys.modules[root] = module

EVERY = 10  # steps from one basis to the next
LOW = {"rank": 2, "update_proj_gap": EVERY, "proj_type": "std"}
APOLLO, MINI = {"proj": "random", "scale_type": "channel", "scale": 1.0}, {"proj": "random", "scale_type": "tensor"}
# file -> (package, module, [(name, class, shape, dtype, steps, group, options)])
RUNS = {
    "torchao": ("torchao", "torchao.optim", [
        (f"{bits} bits", f"AdamW{bits}bit", (64, 64), torch.float32, 10, {}, {"lr": 2**-7, "weight_decay": 2**-3})
        for bits in (8, 4)
    ]),
    "galore": ("galore-torch", "galore_torch.adamw", [
        (name, "AdamW", shape, torch.float64, 30, LOW | {"scale": 0.25}, {"lr": 2**-7})
        for name, shape in (("tall", (6, 4)), ("wide", (4, 6)))
    ]),
    "apollo": ("apollo-torch", "apollo_torch.apollo", [
        ("tall", "AdamW", (6, 4), torch.float64, 30, LOW | APOLLO, {"lr": 2**-7}),
        ("wide", "AdamW", (4, 6), torch.float64, 30, LOW | APOLLO, {"lr": 2**-7}),
        ("mini", "AdamW", (6, 4), torch.float64, 30, LOW | MINI | {"rank": 1, "scale": 128.0}, {"lr": 2**-7}),
    ]),
    "optimi": ("torch-optimi", "optimi", [
        ("Kahan", "SGD", (6, 4), torch.bfloat16, 100, {}, {"lr": 2**-13, "kahan_sum": True, "foreach": False}),
    ]),
}  # fmt: skip


def held(package, state, t):
    """What is recorded of the state after step t."""
    if package == "torchao":
        return {
            name: {
                "codes": state[key].codes.numpy().ravel()[::16].tobytes().hex(),
                "scales": state[key].scale.tolist(),
            }
            for name, key in (("m", "exp_avg"), ("v", "exp_avg_sq"))
        }
    if package == "torch-optimi":
        return {"owed": state["kahan_comp"].float().ravel().tolist()} if t % 10 == 0 else {}
    return {"P": state["projector"].ortho_matrix.tolist()} if t % EVERY == 1 else {}


def recorded(package, optimizer, shape, dtype, steps, group, options):
    start, gradients = recipe.one_tensor(shape, steps)
    p = torch.nn.Parameter(torch.tensor(start, dtype=dtype))
    more = {"no_deprecation_warning": True} if package == "galore-torch" else {}
    opt, after = optimizer([{"params": [p], **group}], **options, **more), {}
    for t, g in enumerate(gradients, start=1):
        p.grad = torch.tensor(g + (dtype == torch.bfloat16), dtype=dtype)  # in 16 bits all go one way
        opt.step()
        after[t] = held(package, opt.state[p], t)
        if t % 10 == 0:
            every = 16 if package == "torchao" else 1
            after[t]["x"] = [float(f"{v:.13g}") for v in p.detach().double().ravel()[::every].tolist()]
    return {"shape": shape, "group": group, "options": options, "after": {t: kept for t, kept in after.items() if kept}}


def main(check):
    for file, (package, name, runs) in RUNS.items():
        module = importlib.import_module(name)
        versions = {"torch": torch.__version__.split("+")[0], "numpy": np.__version__, package: version(package)}
        content = {"reference": f"{package} {version(package)}, {name}", "versions": versions}
        content["runs"] = {run: recorded(package, getattr(module, cls), *rest) for run, cls, *rest in runs}
        path, text = Path(__file__).parent / "state" / f"{file}.json", json.dumps(content) + "\n"
        same = path.exists() and json.loads(path.read_text()) == json.loads(text)
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        print(f"{path.name}: {len(runs)} runs, {'as before' if same else 'CHANGED'}")


if __name__ == "__main__":
    main("--check" in sys.argv)
