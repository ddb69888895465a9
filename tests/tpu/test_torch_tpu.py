"""`torch_tpu` where there is no TPU: it is loaded and changes nothing; who asks for a TPU gets one line."""

import subprocess
import sys
from importlib.metadata import entry_points

import pytest
import torch

from minilib.torch_optim import LAMB
from minilib.training import device


def test_it_is_loaded_with_torch_and_changes_nothing():
    assert "torch_tpu" in {point.name for point in entry_points(group="torch.backends")}
    assert "torch_tpu" in sys.modules
    assert not torch.accelerator.is_available()
    assert device.pick() == torch.device("cpu")
    p = torch.nn.Parameter(torch.ones(2, 3))
    p.grad = torch.ones(2, 3)
    LAMB([p], lr=0.5).step()
    assert torch.allclose(p, torch.full((2, 3), 0.5))


def test_a_wish_for_a_tpu_is_refused_in_one_line(tmp_path):
    with pytest.raises(
        ValueError, match="^device 'tpu' is not to be had here: torch_tpu serves a TPU, on Linux .*2.15$"
    ):
        device.pick("tpu")
    command = [sys.executable, "-m", "minilib.training", "--device", "tpu", "--out", tmp_path / "run"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("error: device 'tpu' is not to be had here: torch_tpu serves a TPU")
