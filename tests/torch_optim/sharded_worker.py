"""What each of several processes does: set up gloo, run the cases in order, write down what came out."""

import json
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from tests.torch_optim import sharded_cases as sharded

PATHS = {"loop": {}, "foreach": {"foreach": True}}


def cases(world, folder):
    """Name -> function of the meshes, in the order in which they run."""
    found = {}
    if world == 4:
        for method in sharded.METHODS:
            for layout in sharded.ALL_LAYOUTS:
                for path, options in PATHS.items():
                    mesh = "line" if layout in sharded.LAYOUTS else "grid"
                    found[f"{method}, {layout}, {path}"] = lambda meshes, m=method, a=mesh, w=layout, o=options: (
                        sharded.compare(m, meshes[a], w, path=o)
                    )
    return found


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
    for name, case in cases(world, folder).items():
        begin = time.monotonic()
        try:
            table[name] = case(meshes)
        except Exception as e:
            e.add_note(f"in case {name!r} on process {rank} of {world}")
            raise
        table[name]["seconds"] = time.monotonic() - begin
    Path(folder, f"{rank} of {world}.json").write_text(json.dumps(table))
    dist.destroy_process_group()
