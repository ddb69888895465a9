"""Everything that differs between devices: which is there, how to wait for it, what it can do.

CUDA, Apple's MPS and a TPU with `torch_tpu` answer to `torch.accelerator`. Seen to run: CPU, and a device of a test's
own that is called "tpu" (`tests/tpu`). Absent on purpose: several kinds of devices in one run, and several devices in
one process.
"""

import functools
import logging
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import torch
from torch import nn

from minilib.colab import has_tpu
from minilib.torch_optim import cannot_compile

TORCH_TPU = "torch_tpu serves a TPU, on Linux with x86-64 and with torch 2.11 to 2.15"
log = logging.getLogger(__name__)


def pick(name: str | None = None, number: int | None = None) -> torch.device:
    """The device of this process: the best that is there, or the one named "cpu", "cuda", "cuda:1", "mps", "tpu", ...

    On a machine with several cards the process keeps to its own, and nothing is put on another: that of its `number`
    on this machine, if it has one, else the one that the name says. The chip of a process `torch_tpu` chooses.
    Where nothing is named, and there is a device that PyTorch cannot use, the log says so, once.
    ValueError: there is no such device here.
    """
    if name is None:
        accelerator = torch.accelerator.current_accelerator(check_available=True)
        name = accelerator.type if accelerator is not None else "cpu"
        if accelerator is None and not number:
            say_unused()
    try:
        device = torch.device(name)
        if device.type == "cuda":
            device = torch.device("cuda", next((n for n in (number, device.index) if n is not None), 0))
            if device.index >= (count := torch.cuda.device_count()):
                raise RuntimeError(f"this machine has {count} card(s) for CUDA, counted from 0")
            torch.cuda.set_device(device)
        torch.empty((), device=device)
    except (ImportError, RuntimeError, AssertionError) as error:
        why = TORCH_TPU if name.split(":")[0] == "tpu" else str(error).splitlines()[0]
        raise ValueError(f"device {name!r} is not to be had here: {why}") from None
    return device


@functools.cache
def say_unused() -> None:
    if line := unused():
        log.warning("on the processor, although %s", line)


def unused() -> str:
    """Which device of this machine PyTorch cannot use, and why, in one line; "" where there is none."""
    if has_tpu():
        why = (
            "torch_tpu finds none that it can use" if find_spec("torch_tpu") else f"pip install torch_tpu ({TORCH_TPU})"
        )
        return f"this machine has a TPU: {why}"
    if shutil.which("nvidia-smi") or Path("/dev/nvidia0").exists():
        cuda = torch.version.cuda
        why = f"built for CUDA {cuda}, and finds none: is the driver older?" if cuda else "built without CUDA"
        return f"this machine has an NVIDIA card: torch {torch.__version__} is {why}"
    return ""


def wait(device: torch.device) -> None:
    """Until the device has done what it was asked for; before a clock is read."""
    if device.type != "cpu":
        torch.accelerator.synchronize()


def why_not_compiled(device: torch.device) -> str:
    """Why a model cannot be compiled for this device, in one line; "" where it can. For a TPU nothing is tried."""
    return "" if device.type == "tpu" else cannot_compile(device.type)


def compile_in_place(model: nn.Module, device: torch.device) -> None:
    """From here on the model's calls are compiled: by `torch_tpu` for a TPU, elsewhere by PyTorch's Inductor."""
    model.compile(backend="tpu" if device.type == "tpu" else "inductor")


def describe(device: torch.device) -> str:
    """The device's name, for records."""
    if device.type in ("cuda", "tpu"):
        return torch.get_device_module(device).get_device_name(device)
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
    if device.type == "tpu":
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
        del product  # not before it is there: a compiler may leave out what nobody holds
    return min(seconds[1:])


def recipe(device: torch.device) -> dict:
    """Fields of `Config` for a run on a large corpus: its defaults on a processor, a larger model and batch elsewhere.

    `Config(**recipe(device) | {"corpus": "c4-sample"})` is such a run: it reads 65 to 262 million tokens. The memory of
    a card for CUDA or of a chip of a TPU decides; where it cannot be known the log says so, and the recipe is that of
    the smallest. Sizes and rates are computed from operations and bytes, not tuned.
    """
    if device.type == "cpu":
        return {}
    fields = {"model": "bert-small", "length": 128, "batch_size": 256, "lr": 1e-3, "steps": 2_000}
    if device.type not in ("cuda", "tpu"):
        return fields | ({} if precision(device) == "bf16" else {"model": "bert-mini"})
    gib = memory(device) / 2**30
    fields["micro_batch"] = 64
    if device.type == "cuda":
        fields["compile"] = not cannot_compile("cuda")
    if gib >= 20:
        fields |= {"model": "bert-base", "batch_size": 512, "lr": 4e-4}
    return fields | ({"batch_size": 1024, "micro_batch": 256} if gib >= 70 else {})


def memory(device: torch.device) -> int:
    """Bytes of memory that a card or a chip has; 0 where they cannot be known, and then the log says so."""
    try:
        return torch.get_device_module(device).get_device_properties(device).total_memory
    except (AttributeError, RuntimeError) as error:  # torch_tpu knows the chips of its time by name
        log.warning("the memory of %s is not known (%s): the recipe is the smallest", device, error)
        return 0
