"""The PyTorch benchmark at toy size: the floors are those counted by hand, and every row has its columns."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(BENCHMARKS))
    yield runpy.run_path(str(BENCHMARKS / "torch_optim.py"))
    sys.path.remove(str(BENCHMARKS))


def test_the_floors_are_those_counted_by_hand(bench):
    by_hand = {"AdamW": 28, "LARS": 28, "LAMB": 40, "Adafactor": 24, "CAME": 32}
    assert {name: bench["bytes_per_parameter"](name) for name in by_hand} == by_hand


def test_the_parameters_are_those_of_bert_base(bench):
    shapes = bench["shapes"](None, None)
    assert (30522, 768) in shapes
    assert sum(shape.count(3072) for shape in shapes) == 12 * 3  # a bias and two matrices in each block
    assert bench["shapes"](1000, 10) == [(10, 10)] * 10


def test_every_method_has_its_paths_and_its_peers(bench):
    table = bench["rows"]()
    for method in ("LAMB", "LARS", "Adafactor", "CAME"):
        assert {method, f"{method} uncompiled"} <= set(table)
        assert [name for name in bench["PEERS"] if table[name][0] == method]


def test_the_table_at_toy_size():
    command = [sys.executable, str(BENCHMARKS / "torch_optim.py"), "--rounds", "1"]
    command += ["--parameters", "20000", "--count", "2", "--threads", "1"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines[0].startswith("20,000 float32 parameters in 2 tensors, 1 rounds")
    rows = {line[:28].strip(): line[28:].split() for line in lines[2:] if not line.startswith("not run")}
    assert {"torch AdamW, fused", "LAMB", "LAMB in place", "CAME uncompiled", "torch Adafactor, loop"} <= set(rows)
    assert all(len(row) == 8 for row in rows.values())
    # 20,000 numbers of 4 bytes, once or twice; two matrices of 100 x 100 factored.
    state = {"LARS": 0.08, "LAMB": 0.16, "torch AdamW, fused": 0.16, "Adafactor": 0.0, "CAME": 0.08}
    assert {name: float(rows[name][4]) for name in state} == state


def test_the_chapters_class_is_lamb(bench):
    """What is timed as the chapter's own class takes the library's steps, and so does the one compiled function."""
    torch.manual_seed(0)
    start = [torch.randn(6, 4), torch.randn(5)]
    makers = [bench["torch_optim"].LAMB, bench["chapters_class"]("InPlaceLAMB")]
    if not bench["torch_optim"].cannot_compile():
        makers.append(bench["OneFunction"])
    ends = []
    for make in makers:
        params = [torch.nn.Parameter(x.clone()) for x in start]
        opt = make(params)
        for k in range(3):
            for p in params:
                p.grad = torch.full_like(p, 0.1 * (k + 1))
            opt.step()
        ends.append(torch.cat([p.detach().flatten() for p in params]))
    for end in ends[1:]:
        torch.testing.assert_close(end, ends[0])
