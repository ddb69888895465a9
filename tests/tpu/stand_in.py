"""A device called "tpu" where there is none: its numbers lie on the processor, and what the host reads is counted.

PyTorch takes it for an accelerator: `torch.accelerator` names it, modules are moved to it, and who mixes its tensors
with the processor's gets an error. Absent: compiling, collectives, autocast (which changes nothing here), and time.
"""

from collections import Counter
from types import SimpleNamespace

import torch
from torch.utils import backend_registration
from torch.utils._python_dispatch import return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

aten = torch.ops.aten
# What a device cannot do without telling the host a number: `.item()`, shapes that hang on values, a copy to the host.
READS = {aten._local_scalar_dense, aten.nonzero, aten.masked_select, aten.equal, aten._unique2}
counts = Counter()
chip = SimpleNamespace(name="TPU v5e", total_memory=None)
library = torch.library.Library("_", "IMPL")  # lives as long as the process


class OnTpu(torch.Tensor):
    """A tensor of the device, whose numbers are in `raw`."""

    @staticmethod
    def __new__(cls, raw):
        like = {"strides": raw.stride(), "dtype": raw.dtype, "device": "tpu:0", "storage_offset": raw.storage_offset()}
        return torch.Tensor._make_wrapper_subclass(cls, raw.size(), **like)

    def __init__(self, raw):
        self.raw = raw

    def tolist(self):
        counts["reads"] += 1
        return self.raw.tolist()

    def __repr__(self):
        return f"OnTpu({tuple(self.shape)}, {self.dtype})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs, packet = kwargs or {}, func.overloadpacket
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        if packet is not aten.copy_ and any(t.ndim and not isinstance(t, OnTpu) for t in tensors):
            raise RuntimeError(f"{func}: tensors on tpu and cpu")
        goes = kwargs.get("device") or tensors[0].device  # where the result lies
        if packet in READS or goes.type == "cpu":
            counts["reads"] += 1
        out = func(*tree_map(raw, args), **tree_map(raw, kwargs))
        if packet is aten.copy_:
            return args[0]
        return out if goes.type != "tpu" else return_and_correct_aliasing(func, args, kwargs, tree_map(wrap, out))


def raw(value):
    """What the processor computes with."""
    if isinstance(value, torch.device) and value.type == "tpu":
        return torch.device("cpu")
    return value.raw if isinstance(value, OnTpu) else value


def wrap(value):
    return OnTpu(value) if isinstance(value, torch.Tensor) and not isinstance(value, OnTpu) else value


def make(func, *args, **kwargs):
    """What asks for a new tensor on the device."""
    return tree_map(wrap, func(*args, **tree_map(raw, kwargs)))


def install() -> None:
    """From here on there is one device "tpu" in this process, for good."""

    class Module(backend_registration._DummyBackendModule):
        def get_device_name(self, device=None):
            return chip.name

        def get_device_properties(self, device=None):
            if chip.total_memory is None:
                raise RuntimeError(f"unrecognized {chip.name}")
            return chip

        def get_amp_supported_dtype(self):
            return [torch.bfloat16]

        def manual_seed_all(self, seed):
            counts["seeds"] += 1

    backend_registration._setup_privateuseone_for_python_backend("tpu", Module())
    torch.accelerator.synchronize = lambda *_: counts.update(waits=1)  # a device made in Python has none
    library.fallback(make, "PrivateUse1")
