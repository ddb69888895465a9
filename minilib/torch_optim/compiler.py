"""Does `torch.compile` work on this machine? Asked once, by compiling something tiny.

It needs a C++ compiler for a CPU and Triton for a GPU, and neither comes with PyTorch everywhere. Who compiles on the
side, as a chapter does, asks first and says what is left out; an optimizer with `fused=True` asks when it has failed.
Deliberately absent: a list of compilers and versions that should work. Trying is shorter, and it is true.
"""

import functools

import torch


@functools.cache
def cannot_compile(device: str = "cpu") -> str:
    """Why `torch.compile` does not work for tensors on this kind of device, in one line; "" where it does.

    The first call compiles, which takes some seconds; the answer is kept as long as the process lives.
    """

    def norm(x):
        return (x * x).sum().sqrt()

    try:
        norm_of_ones = torch.compile(norm, fullgraph=True, dynamic=True)(torch.ones(64, device=device))
        return "" if norm_of_ones.item() == 8 else f"torch.compile computes wrong numbers here: {norm_of_ones} for 8"
    except Exception as error:  # the compilers of PyTorch raise whatever they meet
        return f"torch.compile does not work here: {short(error)}"


def short(error: Exception) -> str:
    """The lines of a compiler's error that say what is wrong, as one: PyTorch puts its own words around them."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not (line.startswith("backend=") and line.endswith("raised:"))]
    said = next((line for line in lines[1:] if "error: " in line), "")  # by the C++ compiler itself
    return (lines[0] + f" ({said})" * bool(said)) if lines else type(error).__name__
