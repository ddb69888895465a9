"""Compiles a function of tensors with PyTorch's compiler, and says where that does not work.

The function is traced for tensors of unknown sizes and handed to Inductor, which writes C++ for a CPU and Triton for a
GPU. `torch.compile` does the same and then, at every call, asks anew whether the arguments are still of the kind that
was compiled, which takes longer than the work on a small parameter. Here that question is put once for each layout.
Deliberately absent: a list of compilers and versions that should work. Trying is shorter, and it is true.
"""

import functools

import torch


def build(function, tensors: list, options: dict):
    """`function(*tensors)`, compiled, and a test whether other tensors of the same kind can be given to it."""
    from torch._dynamo.source import ConstantSource  # the compiler takes seconds to import: only where it is used
    from torch._inductor import compile as compile_graph
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    sizes = ShapeEnv(duck_shape=False)  # two sizes that are equal here need not be so the next time
    mode, fakes = FakeTensorMode(shape_env=sizes), []
    for i, t in enumerate(tensors):
        unknown = StatelessSymbolicContext(dynamic_sizes=[DimDynamic.DYNAMIC] * t.ndim)
        fakes.append(mode.from_tensor(t, source=ConstantSource(f"a{i}"), symbolic_context=unknown))
    with mode:
        graph = make_fx(function)(*fakes)
    return compile_graph(graph, fakes, options), functools.partial(sizes.evaluate_guards_for_args, fakes)


class Compiled:
    """A function of tensors that is compiled for every kind of tensors that comes."""

    def __init__(self, function, **options):
        self.function, self.options, self.variants = function, options, []

    def variant(self, tensors: list):
        """The compiled function for tensors of these sizes and strides."""
        # what compiled code takes for granted: types, devices, numbers of dimensions, and which sizes are 0 or 1
        ours = [(t.dtype, t.device, tuple(min(size, 2) for size in t.shape)) for t in tensors]
        for made_for, call, fits in self.variants:
            if made_for == ours and fits(tensors):
                return call
        call, fits = build(self.function, tensors, self.options)
        self.variants.append((ours, call, fits))
        return call


@functools.cache
def cannot_compile(device: str = "cpu") -> str:
    """Why compiling does not work for tensors on this kind of device, in one line; "" where it does.

    It needs a C++ compiler for a CPU and Triton for a GPU, and neither comes with PyTorch everywhere. The first call
    compiles something tiny, which takes some seconds; the answer is kept as long as the process lives.
    """

    def norm(x):
        return (x * x).sum().sqrt()

    try:
        ones = torch.ones(64, device=device)
        with torch.no_grad():
            found = Compiled(norm).variant([ones])(ones).item()
        return "" if found == 8 else f"torch.compile computes wrong numbers here: {found} for 8"
    except Exception as error:  # the compilers of PyTorch raise whatever they meet
        return f"torch.compile does not work here: {short(error)}"


def short(error: Exception) -> str:
    """The lines of a compiler's error that say what is wrong, as one: PyTorch puts its own words around them."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not (line.startswith("backend=") and line.endswith("raised:"))]
    said = next((line for line in lines[1:] if "error: " in line), "")  # by the C++ compiler itself
    return (lines[0] + f" ({said})" * bool(said)) if lines else type(error).__name__
