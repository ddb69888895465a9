"""Everything that differs between devices: which is there, how to wait for it, what it can do.

CUDA, Apple's MPS and a TPU with `torch_tpu` answer to `torch.accelerator`; a TPU with `torch_xla` does not, and wants
`sync()` once a step. Seen to run: CPU, and XLA's CPU device (`make test-xla`). Absent on purpose: several kinds of
devices in one run.
"""

import functools
import importlib.util
import resource
import sys
from time import perf_counter

import torch


def pick(name: str | None = None) -> torch.device:
    """The device of this process: the best that is there, or the one named "cpu", "cuda", "mps", "xla", ...

    XLA must be picked before the first backward pass of the process: PyTorch counts the devices then (seen with 2.9).

    Raises:
        ValueError: there is no such device here.
    """
    if name is None:
        accelerator = torch.accelerator.current_accelerator(check_available=True)
        name = accelerator.type if accelerator is not None else "xla" if _on_tpu() else "cpu"
    try:
        if name == "xla":
            import torch_xla

            return torch_xla.device()
        device = torch.device(name)
        torch.empty((), device=device)
    except (ImportError, RuntimeError, AssertionError) as error:
        raise ValueError(f"device {name!r} is not to be had here: {str(error).splitlines()[0]}") from None
    return device


def _on_tpu() -> bool:
    if importlib.util.find_spec("torch_xla") is None:
        return False
    import torch_xla
    import torch_xla.core.xla_model as xm

    return xm.xla_device_hw(torch_xla.device()) == "TPU"


def sync(device: torch.device) -> None:
    """Once a step: XLA compiles and runs what was written down since the last time. Nothing elsewhere."""
    if device.type == "xla":
        import torch_xla

        torch_xla.sync()


def wait(device: torch.device) -> None:
    """Until the device has done what it was asked for; before a clock is read."""
    if device.type == "xla":
        import torch_xla
        import torch_xla.core.xla_model as xm

        torch_xla.sync()
        xm.wait_device_ops()  # `sync(wait=True)` returns when the work has been handed out
    elif device.type != "cpu":
        torch.accelerator.synchronize()


def describe(device: torch.device) -> str:
    """The device's name, for records."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type}, {torch.get_num_threads()} threads" if device.type == "cpu" else device.type


def peak_bytes(device: torch.device) -> int:
    """The most memory that was in use so far: the device's, on a CPU that of the whole process."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else 1024 * size


@functools.cache
def precision(device: torch.device) -> str:
    """ "bf16" where the device multiplies bfloat16 at least 1.5 times as fast as float32, else "fp32"; measured.

    Processors without an instruction for bfloat16 are up to a hundred times slower with it. A TPU is not asked: it
    multiplies float32 in bfloat16 too, unless told not to, and would seem to gain nothing.
    """
    if device.type == "xla" and _on_tpu():
        return "bf16"
    return "bf16" if matmul_rate(device, torch.bfloat16) >= 1.5 * matmul_rate(device, torch.float32) else "fp32"


@functools.cache
def matmul_rate(device: torch.device, dtype: torch.dtype, size: int | None = None) -> float:
    """Floating-point operations a second of a large square product, the best of some: what utilisation is against.

    The matrices have `size` rows: if not given, the first of 256, 512, ..., 8192 whose product takes 20 ms.
    """
    n = size or 256
    seconds = _seconds(device, dtype, n)
    while size is None and seconds < 0.02 and n < 8192:
        n *= 2
        seconds = _seconds(device, dtype, n)
    return 2 * n**3 / seconds


def _seconds(device: torch.device, dtype: torch.dtype, n: int) -> float:
    """The shortest time of a product of two matrices with n rows; the first, which may compile, does not count."""
    a, b = (torch.randn(n, n, device=device, dtype=dtype) for _ in range(2))
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
    """Fields of `Config` for a run of some minutes: its defaults on a processor, a larger model and batch elsewhere.

    `Config(**recipe(device) | {"optimizer": "lamb"})` changes one. Sizes of the GPU and TPU runs are computed from the
    operations of a token, not tuned.
    """
    if device.type == "cpu":
        return {}
    model = "bert-small" if precision(device) == "bf16" else "bert-mini"
    return {"model": model, "length": 128, "batch_size": 256, "lr": 1e-3, "steps": 2_000}


def seed(device: torch.device, number: int) -> None:
    """Start all random numbers of the device, and of the CPU, at `number`."""
    torch.manual_seed(number)
    if device.type == "xla":
        import torch_xla

        torch_xla.manual_seed(number)
