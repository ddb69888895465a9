"""The pretraining benchmark at toy size: all rows train on the same loss, and the floor is that counted by hand."""

import runpy
import sys
from pathlib import Path

import pytest
import torch

from minilib.models.hugging_face import to_ours

PATH = Path(__file__).parents[1] / "benchmarks" / "pretrain.py"
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def bench():
    return runpy.run_path(str(PATH))


@pytest.fixture
def case(bench):
    return bench["Case"]("bert-tiny", 90, 16, 3)


def test_all_rows_train_on_the_same_loss(bench, case):
    torch.manual_seed(0)
    rows = {name: make(case) for name, make in bench["ROWS"].items()}
    theirs = rows["HF"].model
    rows["HF, masked"].model.load_state_dict(theirs.state_dict())
    ours = rows["ours"].model
    ours.load_state_dict(to_ours(ours.size, dict(theirs.named_parameters())))
    batch = bench["draw"](case, 0.3, CPU)
    assert batch["positions"].shape == (3, 5)
    losses = {name: model(**batch) for name, model in rows.items()}
    for loss in losses.values():
        loss.backward()
        torch.testing.assert_close(loss, losses["ours"], rtol=1e-5, atol=1e-6)
    slopes = [next(p for p in model.parameters() if p.shape == (90, 128)).grad for model in rows.values()]
    assert slopes[0].abs().sum() > 0
    for slope in slopes:
        torch.testing.assert_close(slope, slopes[0], rtol=1e-4, atol=1e-6)


def test_a_step_changes_the_parameters_and_leaves_no_gradient(bench, case, monkeypatch):
    model = bench["Ours"](case)
    monkeypatch.setitem(bench["ROWS"], "ours", lambda case: model)
    step, parameters = bench["stepper"]("ours", case, bench["draw"](case, 0.15, CPU), torch.float32, CPU)
    before = [p.detach().clone() for p in model.parameters()]
    step()
    assert parameters == sum(p.numel() for p in before)
    assert all(not torch.equal(p, old) for p, old in zip(model.parameters(), before, strict=True))
    assert all(p.grad is None for p in model.parameters())


def test_floor_and_ratios_are_those_computed_by_hand(bench, case):
    done = bench["measure"](case, "fp32", 0.3, 1, CPU)
    token, head = 2 * (24 * 128**2 + 4 * 16 * 128), 2 * (128**2 + 128 * 90)
    assert done["floor"] * done["rate"] == pytest.approx(3 * 3 * (16 * token + 5 * head))
    assert {name: len(taken) for name, taken in done["seconds"].items()} == {"ours": 1, "HF": 1, "HF, masked": 1}
    summary = bench["summary"](case, {"ours": [2.0, 1.0, 9.0], "HF": [4.0, 4.0, 4.0]}, 0.5)
    by_hand = {"over_hf": 2.0, "tokens_per_second": 3 * 16 / 2, "utilisation": 0.25}
    by_hand |= {"low": 1500, "ms": 2000, "high": 5500}
    assert {key: summary["ours"][key] for key in by_hand} == by_hand
    assert summary["HF"]["over_hf"] == 1.0


def test_models_of_different_size_are_not_compared(bench, case, monkeypatch):
    monkeypatch.setitem(bench["ROWS"], "HF", lambda case: bench["Theirs"](case._replace(vocabulary=91)))
    with pytest.raises(AssertionError, match="the models differ"):
        bench["measure"](case, "fp32", 0.3, 1, CPU)


def test_the_table_at_toy_size(bench, monkeypatch, capsys):
    command = [str(PATH), "--case", "bert-tiny", "90", "16", "3", "--rounds", "1", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", [*command, "--precision", "fp32", "--device", "cpu"])
    bench["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("cpu, 1 threads, torch ")
    assert lines[0].endswith("15% masked, 1 rounds")
    tables, head = (90 + 16 + 2) * 128 + 2 * 128, 128**2 + 128 + 2 * 128 + 90
    block = 4 * (128**2 + 128) + 2 * 4 * 128**2 + 5 * 128 + 2 * 2 * 128
    about = "bert-tiny, vocabulary 90, 3 rows of 16 tokens, fp32:"
    assert lines[2].startswith(f"{about} {tables + 2 * block + head:,} parameters, products at ")
    rows = {line[:20].strip(): line[20:].split() for line in lines[4:7]}
    assert list(rows) == ["ours", "HF", "HF, masked"]
    assert all(len(row) == 5 for row in rows.values())
    assert rows["HF"][3] == "1.00"
