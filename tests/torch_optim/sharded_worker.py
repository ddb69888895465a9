"""What each of several processes does: set up gloo, run the cases in order, write down what came out."""

import json
from datetime import timedelta
from functools import partial
from itertools import product
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh

from minilib import torch_optim
from minilib.torch_optim.phases import Sizes
from tests.torch_optim import sharded_training as training
from tests.torch_optim.sharded_cases import (
    GRID_LAYOUTS,
    LAYOUTS,
    METHODS,
    bad_gradient,
    compare,
    compiled,
    conversations,
    everything,
    other_gradients,
    refused,
)

CHUNKS = Sizes(small=0, chunk=8)
FORMS = [name for name in METHODS if name in torch_optim.__all__]  # one a class; the others are its variants
MESHES = {"line": [*LAYOUTS, "plain"], "grid": [*GRID_LAYOUTS, "plain"]}
BOTH = ("rows", "rows and columns")  # a layout of the line, one of the grid
OPTIONS = {
    "clipped": {"max_grad_norm": 1.0},
    "no waiting": {"host_waits": False, "max_grad_norm": 1.0},
    "no waiting, skip": {"host_waits": False, "on_nonfinite": "skip"},
}
NARROW = {
    "bfloat16 state": {"state_dtype": torch.bfloat16},
    "bytes, too few": {"state_dtype": torch.uint8},  # for a scale: they stay wide
}
BAD = {"raise": {}, "skip": {"on_nonfinite": "skip"}} | {
    name: OPTIONS[name] for name in ("clipped", "no waiting, skip")
}


def mesh_of(layout):
    return "line" if layout in LAYOUTS else "grid"


def dealt_layouts(*lists):
    """All combinations of the given lists, each with one of the two layouts in turn."""
    return [(*chosen, BOTH[k % 2]) for k, chosen in enumerate(product(*lists))]


def cases_of_four():
    """Name -> (mesh, function of the mesh). The kind of the case comes before the colon."""
    found = {}
    for method in METHODS:
        for mesh, layouts in MESHES.items():
            run = partial(compare, method, cells=everything(layouts), sizes=CHUNKS)
            found[f"compare: {method}, {mesh}, chunks"] = mesh, run
        for layout in BOTH:
            for copies in (1, 5):
                run = partial(conversations, method, layout=layout, copies=copies)
                found[f"conversations: {method}, {layout}, {copies}"] = mesh_of(layout), run
    for method, layout in dealt_layouts(FORMS):
        run = partial(compare, method, cells=everything([layout]), sizes=None)
        found[f"compare: {method}, {layout}, stacks"] = mesh_of(layout), run
    # How a bad gradient is found, what the options do and how a gradient is laid out anew does not depend on the cut.
    for method, name, layout in dealt_layouts(("LARS", "LAMB", "Adafactor"), BAD):
        run = partial(bad_gradient, method, layout=layout, **BAD[name])
        found[f"bad gradient: {method}, {layout}, {name}"] = mesh_of(layout), run
    for method, name, layout in dealt_layouts(("LAMB", "CAME"), OPTIONS):
        run = partial(compare, method, cells=everything([layout]), **OPTIONS[name])
        found[f"compare: {method}, {layout}, {name}"] = mesh_of(layout), run
    for name, method, layout in dealt_layouts(NARROW, FORMS):
        run = partial(compare, method, cells=everything([layout, "plain"]), sizes=CHUNKS, **NARROW[name])
        found[f"compare: {method}, {layout}, {name}"] = mesh_of(layout), run
    for layout in BOTH:
        found[f"bytes: LAMB, {layout}"] = mesh_of(layout), partial(refused, "LAMB", layout=layout)
    for kind, layout in product(("replicated", "partial"), BOTH):
        run = partial(other_gradients, "CAME", layout=layout, of_the_gradient=kind)
        found[f"gradient: CAME, {layout}, {kind}"] = mesh_of(layout), run
    for method in training.RATES:
        found[f"training: {method}, grid"] = "grid", partial(training.fully_sharded, method)
        found[f"save: {method}"] = "line", partial(training.save, method)
    return found


def cases_of_two():
    found = {}
    for method in FORMS:
        run = partial(compare, method, cells=everything(["rows"]), dtype=torch.float32)
        found[f"compare: {method}, rows, float32"] = "line", run
    for method in training.RATES:
        for dtype in (torch.float32, torch.float64) if method == "LAMB" else (torch.float64,):
            run = partial(training.fully_sharded, method, dtype=dtype, max_grad_norm=1.0)
            found[f"training: {method}, {dtype}"] = "line", run
        found[f"load: {method}"] = "line", partial(training.load, method)
    for method in ("LAMB", "CAME"):
        run = partial(training.fully_sharded, method, state_dtype=torch.bfloat16)
        found[f"training: {method}, bfloat16 state"] = "line", run
    for method in ("LAMB", "Adafactor"):
        found[f"compiled: {method}"] = "line", partial(compiled, method)
    found["compiled: LAMB, bfloat16 state"] = "line", partial(compiled, "LAMB", state_dtype=torch.bfloat16)
    return found


CASES = {2: cases_of_two(), 4: cases_of_four()}


def of_kind(world, kind):
    """The names of all cases of a kind."""
    return [name for name in CASES[world] if name.startswith(f"{kind}: ")]


def work(rank, world, folder):
    """The entry of a process."""
    torch.set_num_threads(1)
    folder = Path(folder)
    store = f"file://{folder}/store of {world}"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=world, timeout=timedelta(seconds=60))
    meshes = {"line": init_device_mesh("cpu", (world,), mesh_dim_names=("line",))}
    if world == 4:
        meshes["grid"] = init_device_mesh("cpu", (2, 2), mesh_dim_names=("outer", "inner"))
    table = {}
    for name, (mesh, case) in CASES[world].items():
        (folder / f"{rank} of {world} is at").write_text(name)
        more = {"folder": folder} if name.startswith(("save", "load")) else {}
        table[name] = case(mesh=meshes[mesh], **more)
    (folder / f"{rank} of {world}.json").write_text(json.dumps(table))
    dist.destroy_process_group()
