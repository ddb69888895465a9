"""A trained PyTorch model in fewer bytes: pruned, quantised, and stored in exactly the bytes that are counted.

    masks = prune(model, 0.6)                    # zero the smallest 60 % of the weights
    with keep_pruned(model, masks):              # and keep them at zero
        train(model)
    stored = store(model, bits=6, masks=masks)   # a tensor, a Quantized or a Sparse for each parameter
    total_bytes(stored)
    save(stored, "small.safetensors")
    load_into(model, load("small.safetensors"))

Source: Li et al. 2020. Absent on purpose: arithmetic on the codes themselves (a model computes in float32 once it is
loaded, so that it is smaller and not faster), training through the rounding, and entropy coding.
"""

from minilib import needs

with needs("train"):
    from minilib.compress.pruning import SPARSITIES, keep_pruned, matrices, prune
    from minilib.compress.quantized import Quantized, pack, quantize, unpack
    from minilib.compress.sparse import Sparse, sparsify
    from minilib.compress.stored import load, load_into, save, store, total_bytes

__all__ = [
    "SPARSITIES",
    "Quantized",
    "Sparse",
    "keep_pruned",
    "load",
    "load_into",
    "matrices",
    "pack",
    "prune",
    "quantize",
    "save",
    "sparsify",
    "store",
    "total_bytes",
    "unpack",
]
