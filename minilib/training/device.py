"""Everything that differs between devices: which is there, how to wait for it, what it can do.

CUDA, Apple's MPS and a TPU with `torch_tpu` answer to `torch.accelerator`; a TPU with `torch_xla` does not, and wants
`sync()` once a step. Seen to run: CPU, and XLA's CPU device (`make test-xla`). Absent on purpose: several kinds of
devices in one run.
"""

import functools
import importlib.util
import sys
from time import perf_counter
from types import ModuleType

import torch

from minilib.torch_optim import cannot_compile


def pick(name: str | None = None, number: int | None = None) -> torch.device:
    """The device of this process: the best that is there, or the one named "cpu", "cuda", "cuda:1", "mps", "xla", ...

    On a machine with several cards the process keeps to its own, and nothing is put on another: that of its `number`
    on this machine, if it has one, else the one that the name says.
    XLA must be picked before the first backward pass of the process: PyTorch counts the devices then (seen with 2.9).
    ValueError: there is no such device here.
    """
    if name is None:
        accelerator = torch.accelerator.current_accelerator(check_available=True)
        name = accelerator.type if accelerator is not None else "xla" if _on_tpu() else "cpu"
    try:
        if name == "xla":
            if _xla("runtime").global_runtime_device_count() > 1:
                _xla("runtime").use_spmd()  # one program, one process: the chips look like a single device
            return _xla().device()
        device = torch.device(name)
        if device.type == "cuda":
            device = torch.device("cuda", next((n for n in (number, device.index) if n is not None), 0))
            if device.index >= (count := torch.cuda.device_count()):
                raise RuntimeError(f"this machine has {count} card(s) for CUDA, counted from 0")
            torch.cuda.set_device(device)
        torch.empty((), device=device)
    except (ImportError, RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} is not to be had here: {str(error).splitlines()[0]}") from None
    return device


def _xla(part: str = "") -> ModuleType:
    """torch_xla or a part of it, which is imported where it is needed: it is there for TPUs alone."""
    return importlib.import_module(f"torch_xla.{part}".rstrip("."))


def _on_tpu() -> bool:
    there = importlib.util.find_spec("torch_xla") is not None
    return there and _xla("core.xla_model").xla_device_hw(_xla().device()) == "TPU"


def sync(device: torch.device) -> None:
    """Once a step: XLA compiles and runs what was written down since the last time. Nothing elsewhere."""
    if device.type == "xla":
        _xla().sync()


def wait(device: torch.device) -> None:
    """Until the device has done what it was asked for; before a clock is read."""
    if device.type == "xla":
        _xla().sync()
        _xla("core.xla_model").wait_device_ops()  # `sync(wait=True)` returns when the work has been handed out
    elif device.type != "cpu":
        torch.accelerator.synchronize()


def put(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    """A tensor of a batch on the device; on several chips of a TPU each has its share of the rows, if they divide."""
    tensor = tensor.to(device, non_blocking=True)
    if (chips := _chips(device)) > 1 and len(tensor) % chips == 0:
        spmd = _xla("distributed.spmd")
        mesh = spmd.Mesh(range(chips), (chips,), ("rows",))
        spmd.mark_sharding(tensor, mesh, ("rows", *(None,) * (tensor.ndim - 1)))
    return tensor


def _chips(device: torch.device) -> int:
    """How many chips of a TPU look like this device."""
    many = device.type == "xla" and _xla("runtime").is_spmd()
    return _xla("runtime").global_runtime_device_count() if many else 1


def describe(device: torch.device) -> str:
    """The device's name, for records."""
    if (chips := _chips(device)) > 1:
        return f"{device.type}, {chips} chips"
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type}, {torch.get_num_threads()} threads" if device.type == "cpu" else device.type


def peak_bytes(device: torch.device) -> int:
    """The most memory that was in use so far: the device's, on a CPU that of the whole process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        import psutil

        return psutil.Process().memory_info().peak_wset
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else 1024 * size


@functools.cache
def precision(device: torch.device) -> str:
    """ "bf16" where the device multiplies bfloat16 at least 1.5 times as fast as float32, else "fp32"; measured.

    On CUDA "fp16" where that holds for float16 only, as on the cards of the T4's time.
    A processor without an instruction for bfloat16 is many times slower with it (recorded in `speed-ladder`). A TPU is
    not asked: it multiplies float32 in bfloat16 too, unless told not to, and would seem to gain nothing.
    """
    if device.type == "xla" and _on_tpu():
        return "bf16"
    enough = 1.5 * matmul_rate(device, torch.float32)
    if matmul_rate(device, torch.bfloat16) >= enough:
        return "bf16"
    return "fp16" if device.type == "cuda" and matmul_rate(device, torch.float16) >= enough else "fp32"


@functools.cache
def matmul_rate(device: torch.device, dtype: torch.dtype, size: int | None = None) -> float:
    """Floating-point operations a second of a large square product, the best of some: what utilisation is against.

    It has `size` rows; if not given, as many of 256, 512, ..., 8192 as take 20 ms.
    """
    sizes = [size] if size else [256, 512, 1024, 2048, 4096, 8192]
    for n in sizes:
        seconds = _seconds(device, dtype, n)
        if seconds >= 0.02:
            break
    return 2 * n**3 / seconds


def _seconds(device: torch.device, dtype: torch.dtype, n: int) -> float:
    """The shortest of some products; the first, which may compile, does not count. A run's random numbers stay."""
    own = torch.Generator().manual_seed(0)
    a, b = (torch.randn(n, n, generator=own).to(device, dtype) for _ in range(2))
    seconds = []
    while len(seconds) < 2 or (len(seconds) < 6 and sum(seconds) < 1):
        wait(device)
        start = perf_counter()
        product = a @ b
        wait(device)
        seconds.append(perf_counter() - start)
        del product  # not before it is there: XLA leaves out what nobody holds
    return min(seconds[1:])


def recipe(device: torch.device) -> dict:
    """Fields of `Config` for a run on a large corpus: its defaults on a processor, a larger model and batch elsewhere.

    `Config(**recipe(device) | {"corpus": "c4-sample"})` is such a run: it reads 65 to 262 million tokens. On a CUDA
    card the memory decides. Sizes and rates are computed from operations and bytes, not tuned.
    """
    if device.type == "cpu":
        return {}
    fields = {"model": "bert-small", "length": 128, "batch_size": 256, "lr": 1e-3, "steps": 2_000}
    if device.type != "cuda":
        return fields | ({} if precision(device) == "bf16" else {"model": "bert-mini"})
    gib = torch.cuda.get_device_properties(device).total_memory / 2**30
    fields |= {"micro_batch": 64, "compile": not cannot_compile("cuda")}
    if gib >= 20:
        fields |= {"model": "bert-base", "batch_size": 512, "lr": 4e-4}
    return fields | ({"batch_size": 1024, "micro_batch": 256} if gib >= 70 else {})


def seed(device: torch.device, number: int) -> None:
    """Start all random numbers of the device, and of the CPU, at `number`."""
    torch.manual_seed(number)
    if device.type == "xla":
        _xla().manual_seed(number)
