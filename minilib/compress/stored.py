"""A model as what a disk holds: matrices pruned, quantised, or both, everything else in float32; and back again.

Matrices are the tables of embeddings too; biases and the gains of norms stay as they are. What is counted is what is
stored: codes in whole bytes, the places of the weights that are left, scales and minima. A file has a header besides,
of less than 300 bytes a tensor. Absent on purpose: buffers, which no model of this book has, and the configuration of
the model.
"""

import json
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from minilib.compress.pruning import check_masks, matrices
from minilib.compress.quantized import BITS, Quantized, check_format, quantize
from minilib.compress.sparse import Sparse, sparsify

Stored = dict[str, Tensor | Quantized | Sparse]


def store(model: nn.Module, bits: int = 32, per: str = "tensor", masks: dict[str, Tensor] | None = None) -> Stored:
    """What each parameter takes, by name: a copy; one that the model uses twice is stored once.

    Args:
        bits: a weight of a matrix, 2 to 8, or 32 for float32.
        per: "tensor" or "channel", as for `quantize`.
        masks: of `prune`: every matrix is stored as Sparse, also where that takes more bytes.

    ValueError: bits or per is none of these; masks are of another model, or prune a weight that is not zero; a weight
    to be quantised is not finite.
    """
    check_format(bits, per, (*BITS, 32))
    if masks is not None:
        check_masks(model, masks)
    stored, quantised = {}, matrices(model)
    for name, p in model.named_parameters():
        try:
            if name in quantised and masks is not None:
                stored[name] = sparsify(p, masks[name], bits, per)
            elif name in quantised and bits != 32:
                stored[name] = quantize(p, bits, per)
            else:
                stored[name] = p.detach().cpu().float().clone()
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return stored


def total_bytes(stored: Stored) -> int:
    """Bytes of all that is stored, without names and shapes."""
    return sum(t.nbytes for t in stored.values())


@torch.no_grad()
def load_into(model: nn.Module, stored: Stored) -> None:
    """Give the model the weights that are stored.

    ValueError: names or shapes are not those of the model; the first is named, and nothing is changed.
    """
    parameters = dict(model.named_parameters())
    ours = {name: tuple(p.shape) for name, p in parameters.items()}
    theirs = {name: tuple(t.shape) for name, t in stored.items()}
    if wrong := sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)):
        there, here = theirs.get(wrong[0], "absent"), ours.get(wrong[0], "absent")
        raise ValueError(f"what is stored is of another model: {wrong[0]} is {there} there and {here} here")
    for name, t in stored.items():
        parameters[name].copy_(t.dequantize() if isinstance(t, Quantized) else t.to_dense())


def save(stored: Stored, path: str | Path) -> None:
    """Write one file of safetensors; `load` gives back exactly the same."""
    tensors = {}
    notes = {name: _take_apart(name, t, tensors) for name, t in stored.items()}
    save_file(tensors, path, {"stored": json.dumps(notes)})


def load(path: str | Path) -> Stored:
    """Read what `save` wrote. ValueError: there is no such file, or it is another one, or broken."""
    try:
        with safe_open(path, "pt") as file:
            notes = json.loads((file.metadata() or {})["stored"])
            return {name: _put_together(name, note, file) for name, note in notes.items()}
    except KeyError:
        raise ValueError(f"{path} was not written by minilib.compress.save") from None
    except (OSError, SafetensorError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def _take_apart(name: str, t: Tensor | Quantized | Sparse, tensors: dict[str, Tensor]) -> dict:
    """Add the tensors of `t`; returns what else there is to know of it."""
    if isinstance(t, Sparse):
        tensors[f"{name}.gaps"] = t.gaps
        return {"width": t.width, "shape": t.shape, "values": _take_apart(f"{name}.values", t.values, tensors)}
    if isinstance(t, Quantized):
        tensors |= {f"{name}.codes": t.codes, f"{name}.scale": t.scale, f"{name}.minimum": t.minimum}
        return {"bits": t.bits, "shape": t.shape}
    tensors[name] = t
    return {}


def _put_together(name: str, note: dict, file) -> Tensor | Quantized | Sparse:
    """The way back."""
    if "width" in note:
        values = _put_together(f"{name}.values", note["values"], file)
        return Sparse(file.get_tensor(f"{name}.gaps"), values, note["width"], tuple(note["shape"]))
    if "bits" in note:
        tensors = (file.get_tensor(f"{name}.{part}") for part in ("codes", "scale", "minimum"))
        return Quantized(*tensors, note["bits"], tuple(note["shape"]))
    return file.get_tensor(name)
