"""The device of these tests: a CUDA card where there is one, else the processor, on which every line is tried."""

import os

import pytest
import torch

from minilib.training import device as devices
from tests.training.conftest import data, prose, small, together

__all__ = ["data", "prose", "small", "together"]


@pytest.fixture(scope="session")
def device() -> torch.device:
    """`MINILIB_DEVICE`, or what there is."""
    return devices.pick(os.environ.get("MINILIB_DEVICE", "cuda" if torch.cuda.is_available() else "cpu"))


@pytest.fixture
def on_card(device) -> None:
    """Skips a test that is about CUDA alone."""
    if device.type != "cuda":
        pytest.skip(f"about CUDA; the device is {device.type}")


@pytest.fixture
def exact_products():
    """Products of float32 in float32, not TF32, for the length of a test."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    yield
    torch.set_float32_matmul_precision(before)
