"""What differs between devices is decided by what they do, not by their names."""

import pytest
import torch

from minilib.training import device
from minilib.training.config import Config

CPU = torch.device("cpu")


@pytest.mark.parametrize(("gain", "expected"), [(2.0, "bf16"), (1.2, "fp32"), (0.01, "fp32")])
def test_bfloat16_is_taken_where_it_is_clearly_faster(monkeypatch, gain, expected):
    device.precision.cache_clear()
    monkeypatch.setattr(device, "matmul_rate", lambda place, dtype: gain if dtype == torch.bfloat16 else 1.0)
    assert device.precision(CPU) == expected
    device.precision.cache_clear()


def test_the_rate_of_a_product_is_one_that_a_processor_can_have():
    rate = device.matmul_rate(CPU, torch.float32, 256)
    assert 1e8 < rate < 1e15


def test_an_unknown_device_is_refused_by_name():
    with pytest.raises(ValueError, match="device 'tpu9' is not to be had here"):
        device.pick("tpu9")


def test_a_slow_product_is_not_timed_for_long(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(device, "perf_counter", lambda: next(clock))
    device.matmul_rate.cache_clear()
    assert device.matmul_rate(CPU, torch.float32, 8) == 2 * 8**3  # a second each
    assert next(clock) == 4  # two products, a clock read before and after each
    device.matmul_rate.cache_clear()


@pytest.mark.parametrize(("kind", "fast", "model"), [("cpu", "bf16", "bert-tiny"), ("cuda", "fp32", "bert-mini"),
                                                     ("xla", "bf16", "bert-small")])  # fmt: skip
def test_a_recipe_fits_the_device_and_is_a_configuration(monkeypatch, kind, fast, model):
    monkeypatch.setattr(device, "precision", lambda place: fast)
    config = Config(**device.recipe(torch.device(kind)))
    assert config.model == model
    assert (config == Config()) == (kind == "cpu")
