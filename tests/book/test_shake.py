"""Imitated machines: the noise is small and fair, assertions give away their margins, and what differs is reported."""

import ast
import json
import os
import subprocess
import sys

import margins
import numpy as np
import pytest
import torch
from nbformat.v4 import new_output
from small_books import cell, git, write_chapter

from tools.chapter import notebooks
from tools.check import machines, one_chapter, shake


def python(code, **variables):
    """What a Python on an imitated machine prints."""
    env = os.environ | {"PYTHONPATH": str(machines.IMITATION)} | variables
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


PROGRAM = """
import json, sitecustomize
import numpy as np
import torch
from sklearn.datasets import load_digits
from minilib.autodiff import Embedding, Linear

draws = {}
rng, again = np.random.default_rng(3), np.random.default_rng(3)
draws["numpy"] = [*rng.normal(size=50), rng.uniform(), *rng.random(5), *rng.standard_normal(4).tolist()]
draws["integers"] = rng.integers(9, size=4).tolist()
draws["same"] = bool(np.array_equal(again.normal(size=50), draws["numpy"][:50]))
torch.manual_seed(0)
draws["torch"] = torch.randn(40).tolist() + torch.empty(40).uniform_().tolist()

bits = np.random.default_rng(0).normal(size=10_000).astype(np.float32).view(np.uint32).astype(np.uint64)
with np.errstate(over="ignore"):
    draws["coins"] = [sitecustomize.coin(bits, seed << 40).tolist() for seed in range(1, 7)]

x = load_digits().data
draws["digits"] = [float((x == 0).mean()), float(abs(x - x.round()).max())]

rng = np.random.default_rng(0)
layers = Linear(4, 3, rng, dtype=np.float32), Embedding(5, 4, rng, dtype=np.float32)
draws["layers"] = [w for layer in layers for w in layer.weight.data.ravel().tolist()]

first = {"weight": torch.arange(1, 1001).view(20, 50) / 7}
first["weight"][0] = 0
states = [first]
for _ in range(2):
    model = torch.nn.Linear(50, 20, bias=False)
    model.load_state_dict(states[-1])
    states.append({name: p.clone() for name, p in model.state_dict().items()})
draws["loaded"] = [state["weight"].tolist() for state in states]
print(json.dumps(draws))
"""


@pytest.fixture(scope="module")
def draws():
    """What the program draws without noise and with two noises."""
    return [json.loads(python(PROGRAM, ULP=seed)) for seed in ("", "1", "2")]


def test_the_noise_moves_every_draw_by_one_unit_in_the_last_place_and_alike_for_alike(draws):
    for kind, dtype in (("numpy", np.float64), ("torch", np.float32)):
        a, b, c = (np.array(run[kind], dtype) for run in draws)
        assert (np.abs(b - a) == np.spacing(np.minimum(np.abs(a), np.abs(b)))).all()
        assert 0.3 < ((b > a) == (c > a)).mean() < 0.7  # two noises agree by chance only
    assert draws[0]["integers"] == draws[1]["integers"]
    assert draws[1]["same"]


def test_no_noise_is_like_another_or_its_opposite(draws):
    coins = np.array(draws[0]["coins"])
    agree = [(coins[a] == coins[b]).mean() for a in range(6) for b in range(a)]
    assert 0.47 < min(agree) <= max(agree) < 0.53
    assert 0.47 < coins.mean(1).min() <= coins.mean(1).max() < 0.53


def test_zeros_and_integers_are_not_moved_and_grey_levels_and_weights_in_single_precision_are(draws):
    (zeros, plain), (still, moved) = draws[0]["digits"], draws[1]["digits"]
    assert zeros == still
    assert plain == 0 < moved < 1e-14
    assert all(a != b for a, b in zip(draws[0]["layers"], draws[1]["layers"], strict=True))


def test_a_loaded_weight_moves_by_its_last_bit_at_most_and_when_saved_and_loaded_again_not_at_all(draws):
    assert draws[0]["loaded"][2] == draws[0]["loaded"][0]
    one, other = (np.array(noisy["loaded"], np.float32) for noisy in draws[1:])
    for before, after, again in (one, other):
        assert (np.abs(after - before) <= np.spacing(np.abs(before)) * (before != 0)).all()
        assert 0.4 < (after[1:] != before[1:]).mean() < 0.6
        assert (again == after).all()
    assert 0.4 < (one[1] == other[1])[1:].mean() < 0.6  # two noises agree by chance only


def test_without_a_network_this_machine_can_still_be_reached_and_no_other():
    code = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError as error:
    print(error)
"""
    assert "there is no network to 192.0.2.1" in python(code, OFFLINE="1")


def slacks(source, **names):
    """What is noted when a cell of this source runs."""
    margins.slacks.clear()
    tree = margins.Comparisons().visit(ast.parse(source))
    exec(compile(tree, "cell", "exec"), {"_margins": margins, "np": np} | names)
    return {key.removeprefix("cell 1: "): value for key, value in json.loads(margins.take()).items()}


@pytest.mark.parametrize(
    ("source", "slack"),
    [
        ("assert 1 < 3", [2]),
        ("assert 5 >= 3", [2]),
        ("assert 1 < 2 < 5", [1, 3]),
        ("assert all(x < 4 for x in (1, 3))", [1]),
        ("assert any(x < 4 for x in (1, 3, 9))", [3]),
        ("assert (np.array([1, 2]) < 4).all()", [2]),
        ("assert np.allclose(1.0, 1.25, atol=1, rtol=0)", [0.75]),
        ("for x in (1, 2):\n    assert x < 4, 'words'", [2]),
        ("def f(x):\n    assert x < 4\nf(3)", [1]),
        ("assert 1 == 1\nassert 'a' < 'b'\nassert 1 in [1]\nassert not 2 < 1\nassert 2 < 1 or True", []),
        ("assert (1 < 2) == (3 < 4)", []),
    ],
)
def test_the_slack_of_a_comparison_is_its_distance_from_failing(source, slack):
    assert [*slacks(source).values()] == slack


@pytest.mark.parametrize("test", ["x < 1.25", "torch.isclose(x, torch.tensor(1.25), atol=0.5, rtol=0)"])
def test_a_tensor_with_a_graph_has_its_slack(test):
    assert [*slacks(f"assert {test}", torch=torch, x=torch.tensor(1.0, requires_grad=True)).values()] == [0.25]


@pytest.mark.parametrize("source", ["assert 3 < 1", "assert 1 < 3 < 2", "assert all(x < 2 for x in (1, 3))"])
def test_an_assertion_that_fails_still_fails(source):
    with pytest.raises(AssertionError):
        slacks(source)


def output(kind, **fields):
    """A cell with one output of this kind."""
    executed = cell("1")
    executed.outputs = [new_output(kind, **fields)]
    return executed


def streams(*pairs):
    executed = cell("1")
    executed.outputs = [new_output("stream", name=name, text=text) for name, text in pairs]
    return executed


ONE, TWO = (output("display_data", data={"image/png": data}) for data in ("iVBOR", "iVBOS"))
LEFT, TURNED, WRONG = (
    output("display_data", data={"application/vnd.a+json": data})
    for data in ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}, {"a": "1", "b": "3"})
)
FAILED = output("error", ename="E", evalue="", traceback=[])
MIXED = streams(("stdout", "a"), ("stderr", "compiled"), ("stdout", "b"))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (cell("1", "a"), cell("1", "a"), "same"),
        (ONE, TWO, "printed"),
        (LEFT, TURNED, "same"),
        (LEFT, WRONG, "other"),
        (cell("1", "a"), cell("1", "b"), "other"),
        (cell("1", "a"), cell("1", "Left out here: a"), "without"),
        (cell("1", "a"), FAILED, "failed"),
        # Between which prints a message to stderr comes makes no difference.
        (MIXED, streams(("stderr", "compiled"), ("stdout", "ab")), "same"),
        (MIXED, streams(("stdout", "ab")), "other"),
        (MIXED, streams(("stderr", "compiled"), ("stdout", "ba")), "other"),
    ],
)
def test_a_cell_comes_out_the_same_printed_alike_other_or_failed(old, new, kind):
    assert one_chapter.outcome(old, new) == kind


def result(machine, slack=2.0, kind="same", compared=True):
    row = {"cell": 1, "head": "'x'", "outcome": kind, "compared": compared}
    return machine, {"chapter": "01_a", "seconds": 1.0, "cells": [row], "slacks": {"cell 1: a < b": slack}}


def noises(*slacks):
    return [result(f"noise-{n}", float(slack)) for n, slack in enumerate(slacks, start=1)]


@pytest.mark.parametrize(
    ("results", "faults"),
    [
        (noises(1, 2, 3, 4, 5), ["margin 1.9 (3 with spread 1.6, at least 1): a cell 1: a < b"]),
        (noises(1, 2, 3, 4), []),  # too few to know a spread
        (noises(-1, -2, -3, -4, -5), []),  # the assertion held all the same
        (noises(11, 12, 13, 14, 15), []),
        ([result("old", kind="failed")], ["old: 01_a cell 1 'x' failed"]),
        ([result("old", kind="other")], ["old: 01_a cell 1 'x' other"]),
        ([result("old", kind="other", compared=False)], []),
        # A machine without a compiler may leave something out, and other packages may print otherwise.
        ([result("old", kind="without"), result("colab", kind="other")], []),
        ([result("noise-1", kind="without")], ["noise-1: 01_a cell 1 'x' without"]),
        ([result("colab", kind="failed")], ["colab: 01_a cell 1 'x' failed"]),
    ],
)
def test_a_claim_within_three_spreads_of_failing_and_what_fails_or_differs_are_faults(results, faults):
    assert shake.violations(results) == faults


def test_a_chapter_that_hangs_on_the_last_digit_is_caught(small_book):
    code = "import numpy as np\n\nx = np.random.default_rng(0).normal()\nprint(x > 0)\nprint(f'{x:.17g}')\nassert x < 9"
    write_chapter(small_book, code=code)
    notebooks.run(small_book / "notebooks" / "01_a.md")
    for machine, outcome in (("elsewhere", "same"), ("noise-1", "other")):
        result = shake.shake(small_book, "01_a", machine)
        assert [row["outcome"] for row in result["cells"]] == [outcome]
    assert list(result["slacks"]) == ["cell 1: x < 9"]
    assert "cell 1 'import numpy as np' other" in shake.lines_of(result, "noise-1")
    # what was run is gone on with, as long as the chapter stands as it did
    assert [machine for machine, _ in shake.stored(small_book)] == ["elsewhere", "noise-1"]
    assert [shake.ended(result, "noise-1", [("01_a", at)]) for at in ("noise-1", "old")] == [True, False]
    broken = result | {"cells": [row | {"outcome": "failed"} for row in result["cells"]]}
    assert not shake.ended(broken, "noise-1", [("01_a", "noise-1")])
    write_chapter(small_book, code=f"{code}\nprint(1)")
    notebooks.run(small_book / "notebooks" / "01_a.md")
    assert shake.stored(small_book) == []


def test_another_python_gets_its_environment_once_and_again_when_its_packages_change(tmp_path, capsys, monkeypatch):
    version = "{}.{}".format(*sys.version_info)
    wanted = tmp_path / "tests" / "colab" / "requirements.txt"
    wanted.parent.mkdir(parents=True)
    for text, times in (("", 1), ("", 0), ("# one line more", 1)):
        wanted.write_text(text)
        python = machines.environment(version, tmp_path)
        assert subprocess.run([python, "-c", ""]).returncode == 0
        assert capsys.readouterr().out.count("making .venv-colab") == times
    monkeypatch.setattr(machines, "other_python", {"3.13": "", "3.12": "a", "3.11": "b"}.get)
    assert machines.nearest_python("3.13") == "a"  # an older one takes its place


def test_a_chapter_that_is_opened_alone_can_fetch_the_book_as_it_stands(small_book):
    module = small_book / "minilib" / "__init__.py"
    module.write_text('__version__ = "2.5.1"\n')
    for words in ("init -q", "add .", "commit -q -m A"):
        git(small_book, *words.split())
    for change in ("", "WORD = 'not committed'\n"):
        module.write_text(module.read_text() + change)
        os.utime(module, (0, 0))  # an unchanged file of another age made `git stash create` fail, now and then
        with machines.prepared(machines.Machine("", alone=True), small_book) as place:
            fetched = small_book / "_build" / f"fetched {len(change)}"
            address = place.variables["BOOK_ADDRESS"]
            subprocess.run(["git", "clone", "-q", "-b", "v2.5.1", address, fetched], check=True)
            assert str(small_book) not in place.variables["PYTHONPATH"]
            assert [*place.folder[0].iterdir()] == []
        assert (fetched / "minilib" / "__init__.py").read_text() == module.read_text()
