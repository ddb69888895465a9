"""What every method here takes beside its own options: the defaults, the types, and the words for them.

`help(LAMB)` and the pages show the words with each method, since `Optimizer` appends them to its docstring.
"""

from typing import Literal, TypedDict

import torch

Rate = float | torch.Tensor  # a learning rate
Pair = tuple[float, float]

COMMON = {
    "max_grad_norm": None,
    "compile": None,
    "state_dtype": None,
    "on_nonfinite": "raise",
    "stochastic_rounding": False,
}


class Options(TypedDict, total=False):
    """Those that every method takes; the words are in `WORDS`."""

    max_grad_norm: float | None
    compile: bool | None
    state_dtype: torch.dtype | Literal["bfloat16", "uint8"] | None
    on_nonfinite: Literal["raise", "skip"]
    stochastic_rounding: bool


WORDS = """
    Options of every method; those of clipping, of bad gradients and of compiling are the same for all groups:
        max_grad_norm: scale all gradients so that their joint norm is at most this; None (default) does not.
        on_nonfinite: "raise" (default) changes nothing and names the parameter; where the host does not wait the next
            step does so when it begins (of a last step nothing is said; nor by a copy or a pickle of the optimizer,
            which forgets the check that is still to be read). "skip" changes nothing and counts the step in `skipped`,
            which is no part of `state_dict()`: in a new optimizer the count begins at 0.
        stochastic_rounding: write bfloat16 parameters rounded up or down at random, so that small updates survive in
            the mean. The randomness is a hash of value and step: equal on all replicas and after a restart.
        compile: True compiles the phases at the first step, which takes some seconds; False does not. None (default)
            compiles where that pays and works: from some 4 million entries on, on a CUDA card always. The log says so.
        state_dtype: the data type of the state that has the parameter's shape; row and column means keep theirs. None
            (default) is the parameter's, float32 if that has 16 bits. torch.bfloat16 takes two bytes a number;
            torch.uint8 one, from 4,096 numbers on and where the state is not sharded. A group keeps them by name,
            "bfloat16" and "uint8".

    Gradients are never written. At learning rate 0 no parameter changes. Groups may carry further keys, as schedulers'.

    ValueError: an unknown option or one out of range, no parameters, a parameter given twice or that is complex,
    parameters on several devices, a sparse gradient, one of another shape, or (see `on_nonfinite`) one that is not
    finite.
    TypeError: `params` are no tensors; torch says so.
    RuntimeError: compile=True on a machine on which `torch.compile` does not work; nothing has changed then.
    """
