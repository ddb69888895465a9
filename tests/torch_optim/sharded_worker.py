"""What each of several processes does: set up gloo, run the cases in order, write down what came out."""

import json
import time
from datetime import timedelta
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from tests.torch_optim.sharded_cases import ALL_LAYOUTS, METHODS, compare
from tests.torch_optim.sharded_specials import bad_gradient, conversations, other_gradients

PATHS = {"loop": {}, "foreach": {"foreach": True}}
MIXED = {"line": ["rows", "columns", "replicated", "plain"], "grid": [*ALL_LAYOUTS][3:] + ["plain"]}
OPTIONS = {
    "clipped": {"max_grad_norm": 1.0},
    "capturable": {"capturable": True, "max_grad_norm": 1.0},
    "capturable skip": {"capturable": True, "on_nonfinite": "skip", "maximize": True},
}
BAD = {
    "raise": {},
    "skip": {"on_nonfinite": "skip"},
    "clipped": {"max_grad_norm": 1.0},
    "capturable skip": {"capturable": True, "on_nonfinite": "skip"},
}


def mesh_of(layout):
    return "line" if len(ALL_LAYOUTS[layout]) == 1 else "grid"


def cases_of_four():
    """Name -> (function, mesh, the arguments after the mesh)."""
    found = {}
    for method in METHODS:
        for layout in ALL_LAYOUTS:
            for path, options in PATHS.items():
                run = partial(compare, method, layout=layout, path=options)
                found[f"{method}, {layout}, {path}"] = mesh_of(layout), run
        for mesh, layouts in MIXED.items():
            run = partial(compare, method, layout=layouts, path=PATHS["foreach"])
            found[f"{method}, all layouts of the {mesh}"] = mesh, run
        for layout in ("rows", "rows and columns", "columns and rows", "replicas of rows"):
            for name, options in BAD.items():
                run = partial(bad_gradient, method, layout=layout, bad=float("nan"), **options)
                found[f"bad gradient: {method}, {layout}, {name}"] = mesh_of(layout), run
        for layout in ("rows", "rows and columns"):
            for copies in (1, 5):
                run = partial(conversations, method, layout=layout, copies=copies)
                found[f"conversations: {method}, {layout}, {copies}"] = mesh_of(layout), run
    for method in ("LAMB", "CAME"):
        for layout in ("rows", "rows and columns"):
            for name, options in OPTIONS.items():
                for path, which in PATHS.items():
                    run = partial(compare, method, layout=layout, options=options, path=which)
                    found[f"{method}, {name}, {layout}, {path}"] = mesh_of(layout), run
            for kind in ("replicated", "partial"):
                run = partial(other_gradients, method, layout=layout, of_the_gradient=kind)
                found[f"gradient {kind}: {method}, {layout}"] = mesh_of(layout), run
    return found


def cases_of_two():
    found = {}
    for method in METHODS:
        run = partial(compare, method, layout="rows", dtype=torch.float32)
        found[f"{method}, rows, float32"] = "line", run
    return found


CASES = {2: cases_of_two(), 4: cases_of_four()}


def work(rank, world, folder):
    """The entry of a process."""
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store{world}", rank=rank, world_size=world, timeout=timedelta(seconds=30)
    )
    meshes = {"line": init_device_mesh("cpu", (world,), mesh_dim_names=("line",))}
    if world == 4:
        meshes["grid"] = init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))
    table = {}
    for name, (mesh, case) in CASES[world].items():
        Path(folder, f"{rank} of {world} is at").write_text(name)
        begin = time.monotonic()
        table[name] = case(mesh=meshes[mesh])
        table[name]["seconds"] = time.monotonic() - begin
    Path(folder, f"{rank} of {world}.json").write_text(json.dumps(table))
    dist.destroy_process_group()
