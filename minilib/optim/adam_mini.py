"""Adam-mini (Zhang et al. 2024): AdamW with one second moment for a block of parameters.

A block is what one neuron, or one token of an embedding, owns: a slice of the weight along one axis. A vector is a
single block. Absent on purpose: finding the blocks by the names of the parameters, as the authors' package does (it
also takes one block a head for queries and keys, and plain Adam for biases: use `AdamW` for a group of those).
"""

from math import prod

from minilib.optim.adam import AdamW
from minilib.optim.base import Optimizer, ema


class AdamMini(AdamW):
    """AdamW, but `v` is the moving average of the block's mean of g².

    Args:
        lr, betas, eps, weight_decay: as in AdamW.
        axis: of the neurons or tokens, 0 or -1: there is one block for every index along it. 0 fits torch's linear
            weights (out, in) and embeddings, -1 fits `autodiff.Linear` (in, out). None: the array is one block.
    """

    look, passes = ("blue", "--"), "g r; x g m r, x m w"

    @staticmethod
    def state_size(shape, axis=0, **_):
        return prod(shape) + (shape[axis] if axis is not None and len(shape) > 1 else 1)

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, axis=0):
        Optimizer.__init__(self, params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, axis=axis)

    bias_correction = True

    def second_moment(self, g, s):
        """One number a block, in a shape that broadcasts to g's."""
        whole = g.ndim < 2 or self.axis is None
        block = tuple(range(g.ndim)) if whole else tuple(k for k in range(g.ndim) if k != self.axis % g.ndim)
        # v_t(B) = β₂ v_{t−1}(B) + (1 − β₂) · mean of g_t² over the block B
        return ema(s, "v", (g**2).mean(axis=block, keepdims=True), self.betas[1])
