"""The benchmarks at toy size: every method has its row, floors are those counted by hand, rows train on one loss."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch

from minilib import optim
from minilib.models.hugging_face import to_ours

BENCHMARKS, CPU = Path(__file__).parents[1] / "benchmarks", torch.device("cpu")


@pytest.fixture
def bench(monkeypatch):
    """`bench("gpu")` is that script, imported when a test asks for it."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return lambda name: import_module(f"benchmarks.{name}")


def printed(name, *words):
    """The lines that a script prints in a process of its own."""
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def rows(lines, width):
    """The rows of a table by their names, for which there are so many places."""
    return {line[:width].strip(): line[width:].split() for line in lines if not line.startswith("not run")}


def test_every_method_is_measured_and_the_floors_of_both_libraries_are_those_counted_by_hand(bench):
    # Adam reads x, g, m, v and writes x, m, v: 7 numbers of 4 bytes.
    by_hand = {"x -= lr g": 12, "momentum": 20, "AdamW": 28, "LARS": 28, "LAMB": 40, "Adafactor": 24, "CAME": 32}
    by_hand |= {"SM3": 12, "Lion": 20, "AdamMini": 24, "Shampoo": 16, "SOAP": 32, "Muon": 24, "ScheduleFree": 28}
    ours, of_torch = bench("numpy_optim"), bench("torch_optim")
    assert {cls for cls, _ in ours.METHODS.values()} == set(optim.METHODS.values())
    assert {name: ours.bytes_per_parameter(name) for name in by_hand} == by_hand
    assert all(of_torch.bytes_per_parameter(name) == by_hand[name] for name in of_torch.PASSES)
    # beside a matrix method the embedding and the vectors are AdamW's: 24 bytes for Muon's numbers, 28 for the others
    shapes = [(200, 16), (16, 48), (48,)]
    assert ours.floor("Muon", shapes) == 24 * 768 + 28 * 3248
    assert ours.floor("Lion", shapes) == 20 * (768 + 3248)


def test_numpys_table_has_a_row_a_method_and_the_right_bytes_of_state(bench):
    lines = printed("numpy_optim", "--toy", "--repeats", "2")
    assert lines[0].startswith("9,760 float32 parameters in 25 arrays, 2 rounds")
    table = rows(lines[2:], 13)
    assert list(table) == ["x -= lr g", *dict.fromkeys(["SGD", "momentum", *optim.METHODS])]
    # 9,760 numbers of 4 bytes, so often; Muon: 2 * 12 * 16² numbers in matrices once, the other 3,616 twice
    state = {"SGD": "0.00", "momentum": "0.04", "Adam": "0.08", "AMSGrad": "0.12", "Lion": "0.04"}
    state |= {"Muon": f"{4 * (6144 + 2 * 3616) / 1e6:.2f}"}
    assert {name: table[name][3] for name in state} == state


def test_torchs_parameters_are_those_of_bert_base_and_every_method_has_its_paths_and_its_peers(bench):
    of_torch = bench("torch_optim")
    shapes, methods = of_torch.shapes(None, None), of_torch.rows()
    assert (30522, 768) in shapes
    assert sum(shape.count(3072) for shape in shapes) == 12 * 3  # a bias and two matrices in each block
    for method in ("LAMB", "LARS", "Adafactor", "CAME"):
        assert {method, f"{method} uncompiled"} <= set(methods)
        assert [name for name in of_torch.PEERS if methods[name][0] == method]


def test_torchs_table_has_the_right_bytes_of_state():
    lines = printed("torch_optim", *"--rounds 1 --parameters 20000 --count 2 --threads 1".split())
    assert lines[0].startswith("20,000 float32 parameters in 2 tensors, 1 rounds")
    table = rows(lines[2:], 28)
    assert {"LAMB in place", "CAME uncompiled", "torch Adafactor, loop"} <= set(table)
    # 20,000 numbers of 4 bytes, once or twice; two matrices of 100 x 100 factored.
    state = {"LARS": 0.08, "LAMB": 0.16, "torch AdamW, fused": 0.16, "Adafactor": 0.0, "CAME": 0.08}
    assert {name: float(table[name][4]) for name in state} == state


def test_the_chapters_class_and_the_one_compiled_function_take_the_steps_of_lamb(bench):
    of_torch = bench("torch_optim")
    makers = [of_torch.torch_optim.LAMB, of_torch.chapters_class("InPlaceLAMB")]
    makers += [] if of_torch.torch_optim.cannot_compile() else [of_torch.OneFunction]
    ends = []
    for make in makers:
        torch.manual_seed(0)
        params = [torch.nn.Parameter(torch.randn(*shape)) for shape in ((6, 4), (5,))]
        opt = make(params)
        for k in range(3):
            for p in params:
                p.grad = torch.full_like(p, 0.1 * (k + 1))
            opt.step()
        ends.append(torch.cat([p.detach().flatten() for p in params]))
    for end in ends[1:]:
        torch.testing.assert_close(end, ends[0])


@pytest.fixture
def pretrain(bench):
    return bench("pretrain")


@pytest.fixture
def case(pretrain):
    return pretrain.Case("bert-tiny", 90, 16, 3)


def test_all_rows_of_pretraining_train_on_the_same_loss(pretrain, case):
    torch.manual_seed(0)
    models = {name: make(case) for name, make in pretrain.ROWS.items()}
    theirs, ours = models["HF"].model, models["ours"].model
    models["HF, masked"].model.load_state_dict(theirs.state_dict())
    ours.load_state_dict(to_ours(ours.size, dict(theirs.named_parameters())))
    batch = pretrain.draw(case, 0.3, CPU)
    assert batch["positions"].shape == (3, 5)
    losses, slopes = [model(**batch) for model in models.values()], []
    for model, loss in zip(models.values(), losses, strict=True):
        loss.backward()
        slopes.append(next(p for p in model.parameters() if p.shape == (90, 128)).grad)
        torch.testing.assert_close(loss, losses[0], rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(slopes[-1], slopes[0], rtol=1e-4, atol=1e-6)
    assert slopes[0].abs().sum() > 0


def test_a_step_changes_the_parameters_and_leaves_no_gradient(pretrain, case, monkeypatch):
    model = pretrain.Ours(case)
    monkeypatch.setitem(pretrain.ROWS, "ours", lambda case: model)
    step, parameters = pretrain.stepper("ours", case, pretrain.draw(case, 0.15, CPU), torch.float32, CPU)
    before = [p.detach().clone() for p in model.parameters()]
    step()
    assert parameters == sum(p.numel() for p in before)
    assert all(not torch.equal(p, old) for p, old in zip(model.parameters(), before, strict=True))
    assert all(p.grad is None for p in model.parameters())


def test_floor_and_ratios_are_those_computed_by_hand(pretrain, case):
    done = pretrain.measure(case, "fp32", 0.3, 1, CPU)
    token, head = 2 * (24 * 128**2 + 4 * 16 * 128), 2 * (128**2 + 128 * 90)
    assert done["floor"] * done["rate"] == pytest.approx(3 * 3 * (16 * token + 5 * head))
    assert {name: len(taken) for name, taken in done["seconds"].items()} == {"ours": 1, "HF": 1, "HF, masked": 1}
    summary = pretrain.summary(case, {"ours": [2.0, 1.0, 9.0], "HF": [4.0, 4.0, 4.0]}, 0.5)
    by_hand = {"over_hf": 2.0, "tokens_per_second": 3 * 16 / 2, "utilisation": 0.25}
    assert summary["ours"] == by_hand | {"low": 1500, "ms": 2000, "high": 5500}
    assert summary["HF"]["over_hf"] == 1.0


def test_the_table_of_pretraining_at_toy_size(pretrain, program):
    words = "--case bert-tiny 90 16 3 --rounds 1 --threads 1 --precision fp32 --device cpu"
    _, output, _ = program(pretrain, *words.split())
    table = rows(output.splitlines()[4:7], 20)
    assert {name: len(row) for name, row in table.items()} == {"ours": 5, "HF": 5, "HF, masked": 5}
    assert table["HF"][3] == "1.00"


def test_a_report_of_a_small_corpus_adds_up_and_leaves_nothing(bench, monkeypatch, tmp_path):
    tokenise = bench("tokenise")
    monkeypatch.setattr(tokenise, "source_words", lambda: [f"word{k % 37}." for k in range(999)])
    words = tokenise.make_corpus(tmp_path / "a.jsonl", 50_000)
    texts = [json.loads(line)["text"] for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert sum(len(text.split()) for text in texts) == words
    assert 50_000 <= (tmp_path / "a.jsonl").stat().st_size < 55_000
    report = " ".join(tokenise.report(0.0005, 300, str(tmp_path)).split("\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
    words = float(re.search(r"([\d.]+) million words", report)[1])
    tokens, a_word = map(float, re.search(r"tokens +([\d.]+) million, ([\d.]+) a word", report).groups())
    assert tokens - 0.05 <= a_word * (words + 0.05)  # both are printed with one digit
    assert tokens + 0.05 >= a_word * (words - 0.05)
    assert 2 <= float(re.search(r"([\d.]+) bytes a token", report)[1]) < 3


def test_fine_tuning_without_padding_has_a_row_a_model_and_its_bound():
    first, row = printed("finetune", "--rounds", "1", "--models", "bert-tiny")
    assert "8 batches of 32 texts, 1 rounds" in first
    assert re.fullmatch(r"packages +bert-tiny +[\d.]+ times as fast \[[\d.]+, [\d.]+\], 1\.\d\d at most", row)
