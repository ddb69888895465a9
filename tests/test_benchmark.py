"""The benchmark at toy size: every optimizer has a row, and the floors are those counted by hand."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from minilib import optim

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "numpy_optim.py"


@pytest.fixture(scope="module")
def bench() -> dict:
    """The names that the script defines."""
    return runpy.run_path(str(SCRIPT))


def test_every_optimizer_is_measured(bench):
    assert {cls for cls, _ in bench["METHODS"].values()} == set(optim.METHODS.values())
    assert set(bench["PASSES"]) == {"x -= lr g", *bench["METHODS"]}


def test_the_floors_are_those_counted_by_hand(bench):
    # Adam reads x, g, m, v and writes x, m, v: 7 numbers of 4 bytes.
    by_hand = {"x -= lr g": 12, "momentum": 20, "Adam": 28, "LARS": 28, "LAMB": 40, "Adafactor": 24, "CAME": 32}
    by_hand |= {"SM3": 12, "Lion": 20, "AdamMini": 24, "Shampoo": 16, "SOAP": 32, "Muon": 24, "ScheduleFree": 28}
    assert {name: bench["bytes_per_parameter"](name) for name in by_hand} == by_hand


def test_beside_a_matrix_method_the_embedding_and_the_vectors_are_adamws(bench):
    shapes = [(200, 16), (16, 48), (48,)]
    # 24 bytes for Muon's 768 numbers, 28 for the other 3,248; Lion takes all.
    assert bench["floor"]("Muon", shapes) == 24 * 768 + 28 * 3248
    assert bench["floor"]("Lion", shapes) == 20 * (768 + 3248)


def test_the_real_size_is_ten_million_parameters(bench):
    shapes = bench["transformer"](256, 10, 8192)
    # Embedding 8192 * 256; a block has 12 w² weights, 9 w biases and 4 w in two layer norms.
    assert sum(a * (b[0] if b else 1) for a, *b in shapes) == 8192 * 256 + 10 * (12 * 256**2 + 13 * 256)


def test_the_table_has_a_row_a_method_and_the_right_bytes_of_state(bench):
    command = [sys.executable, str(SCRIPT), "--toy", "--repeats", "2"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert lines[0].startswith("9,760 float32 parameters in 25 arrays, 2 rounds")
    rows = {line[:13].strip(): line[13:].split() for line in lines[2:]}
    assert list(rows) == list(bench["PASSES"])
    assert all(float(row[0]) >= 0 and float(row[2]) > 0 for row in rows.values())
    # 9,760 numbers of 4 bytes, so often; Muon: 2 * 12 * 16² numbers in matrices once, the other 3,616 twice
    state = {"SGD": "0.00", "momentum": "0.04", "Adam": "0.08", "AMSGrad": "0.12", "Lion": "0.04"}
    state |= {"Muon": f"{4 * (6144 + 2 * 3616) / 1e6:.2f}"}
    assert {name: rows[name][3] for name in state} == state
