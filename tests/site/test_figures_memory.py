"""The figures that move about memory and PyTorch: the codes and roundings of studies, bytes of minilib, counts."""

import ast

import numpy as np
import pytest
import torch

from minilib import optim
from minilib.analysis import memory
from minilib.analysis.memory import Transformer, training_bytes
from minilib.optim import SGD
from minilib.torch_optim.phases import random_bits, round_stochastically
from studies import methods
from tests.optim.helpers import Parameter
from tests.proofs.page_sides import Page, bound, nodes
from tools.pages import stills

LEVELS = {"equal": methods.NAIVE["v"], "decades": methods.EIGHT["v"], "four": methods.FOUR["v"]}

PRECISIONS = {"float32": "fp32", "bf16 and a master copy": "bf16 + fp32 master", "bf16 alone": "pure bf16"}

PACKAGES = {"AdamW, 8 bits": ("AdamW", "bitsandbytes 0.50.2"), "CAME": ("CAME", "minilib")}

START = {"h": 1024, "layers": 24, "length": 512, "texts": 8, "optimizer": "AdamW", "numbers": "float32"}

START |= {"kept": "all kept", "devices": "1, stage 0"}

SETTINGS = [
    {},
    {"h": 128, "layers": 2, "optimizer": "AdamW, 8 bits", "kept": "fused", "numbers": "bf16 and a master copy"},
    {"h": 2560, "layers": 48, "optimizer": "CAME", "numbers": "bf16 alone", "devices": "8, stage 1", "texts": 1},
    {"optimizer": "Adafactor", "kept": "recomputed", "numbers": "bf16 alone", "devices": "8, stage 2"},
    {"h": 8192, "layers": 80, "kept": "fused and recomputed", "devices": "64, stage 3", "length": 4096},
    {"optimizer": "Momentum", "h": 64, "layers": 1, "length": 8},
    {"optimizer": "SGD"},
]


@pytest.mark.parametrize("kind", LEVELS)
@pytest.mark.parametrize("block", [8, 32])
@pytest.mark.parametrize("size", [1, 10, 3000])
def test_what_a_block_reads_back_are_the_codes_of_the_study(numbers, kind, block, size):
    js, levels = numbers("outlier-block"), LEVELS[kind]
    assert js("levels", kind) == pytest.approx(levels, rel=1e-12)
    for signed, decades in ((True, 7), (True, 3)):
        assert js("dynamic", signed, decades) == pytest.approx(methods.dynamic_levels(signed, decades), rel=1e-12)
    g = js("gradients", size)
    v = np.float32(g**2)
    read = methods.decode(*methods.encode(v, levels, block), levels).ravel()
    assert js("stored", g**2, kind, block) == pytest.approx(read, rel=1e-12)
    steps = g / (np.sqrt(read.astype(float)) + 1e-8)
    assert js("longest", size, kind, block) == pytest.approx(steps.max(), rel=1e-12)


def test_a_twenty_third_of_the_outlier_is_lost_with_equal_levels(numbers):
    js = numbers("outlier-block")
    for share, lost in ((1 / 22, False), (1 / 23, True)):
        assert (js("stored", [1.0, share**2], "equal", 2)[1] == 0) == lost
    for share, lost in ((1 / 2400, False), (1 / 2600, True)):
        assert (js("stored", [1.0, share**2], "decades", 2)[1] == 0) == lost


class Kahan(methods.Kahan, SGD):
    pass


class Rest(methods.Rest, SGD):
    pass


class Nearest(SGD):
    def update(self, x, g, s):
        super().update(x, g, s)
        x[...] = methods.from_bf16(methods.to_bf16(x))


@pytest.mark.parametrize("steps", [10, 127, 128, 1000, 5000])
@pytest.mark.parametrize(("kind", "cls"), [("nearest", Nearest), ("Kahan", Kahan), ("rest", Rest)])
def test_a_weight_walks_as_with_the_studys_classes(numbers, kind, cls, steps):
    js, p = numbers("four-roundings"), Parameter(np.ones(1), dtype=np.float32)
    opt = cls([p], lr=0.25 / steps)
    for _ in range(steps):
        p.grad = np.ones(1, np.float32)
        opt.step()
    assert js("walk", kind, steps)[1] == p.data[0]
    assert js("share", kind, steps) == pytest.approx((1 - p.data[0]) / 0.25, abs=1e-12)


def test_a_walk_stops_where_the_answer_says(numbers):
    js = numbers("four-roundings")
    for kind, last, first in (("nearest", 127, 128), ("rest", 16_200, 16_300), ("Kahan", 32_767, 32_768)):
        assert js("share", kind, last) > 0.8
        assert js("share", kind, first) == 0
    assert all(0.5 < js("share", "random", steps) < 1.5 for steps in (10, 1000, 100_000))


@pytest.mark.parametrize("optimizer", ["SGD", "Adafactor", "CAME", "AdamW"])
@pytest.mark.parametrize(("b", "s", "recompute"), [(1, 32, False), (16, 128, True), (64, 16, False)])
def test_the_mountain_is_the_chapters(numbers, optimizer, b, s, recompute):
    js, page = numbers("step-memory"), Page("memory", d=Transformer(2000, 128, 128, 6, 4).parameters())
    assert js("stateNumbers", optimizer) == memory.state_numbers(page["small"].shapes(), optimizer)
    moments = page["moments"](b, s, optimizer, recompute)
    assert js("moments", b, s, optimizer, recompute) == pytest.approx(np.array(moments), rel=1e-12)
    assert js("peak", b, s, optimizer, recompute) == pytest.approx(max(moments, key=sum), rel=1e-12)


def needed(c):
    """Bytes on one device, of five kinds."""
    model = Transformer(32000, c["length"], c["h"], c["layers"], max(1, round(c["h"] / 64)))
    name, package = PACKAGES.get(c["optimizer"], (c["optimizer"], None))
    devices, stage = map(int, c["devices"].split(", stage "))
    precision = PRECISIONS[c["numbers"]]
    parts = training_bytes(model.shapes(), name, precision, devices, stage, package)
    options = {"flash": "fused" in c["kept"], "recompute": "recomputed" in c["kept"]}
    e, tokens = memory.PRECISIONS[precision].activations, c["texts"] * c["length"]
    return [*parts.values(), model.activations(c["texts"], c["length"], tokens, e, **options)]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_calculator_counts_as_minilib_does(numbers, setting):
    js, c = numbers("what-fits"), START | setting
    assert js("needed", c) == pytest.approx(needed(c), rel=1e-12)
    changes = {"AdamW, 8 bits": {"optimizer": "AdamW, 8 bits"}, "8 devices, stage 3": {"devices": "8, stage 3"}}
    totals = js("changed", c)
    for name, change in changes.items():
        assert totals[name] == pytest.approx(sum(needed(c | change)), rel=1e-12)


def test_the_answers_about_two_models(numbers):
    js, GiB = numbers("what-fits"), 2**30
    totals = js("changed", START)
    assert round(sum(js("needed", START)) / GiB, 1) == 14.5
    assert min(totals, key=totals.get) == "recompute blocks"
    assert round(totals["recompute blocks"] / GiB, 1) == 5.9
    seven = START | {"h": 4096, "layers": 32, "texts": 1}
    assert [name for name, total in js("changed", seven).items() if total < 0.8 * 24 * GiB] == ["8 devices, stage 3"]
    assert sum(js("needed", seven | {"numbers": "bf16 alone"})[:2]) > 24 * GiB


NAMES = {"torch", "StorageWeakRef", "TorchDispatchMode", "PlainLAMB", "InPlaceLAMB", "ListLAMB", "Traffic", "Made"}

NAMES |= {"operands", "tensors_in", "size_of", "traffic"}

PAGE: dict = {}  # what the chapter calls so, as plain names: they count thousands of calls

for statement, around in nodes("torch"):
    if not around and NAMES & {*bound(statement)}:
        exec(compile(ast.Module([statement], []), "the chapter", "exec"), PAGE)

WAYS = {"np becomes torch": "PlainLAMB", "in place": "InPlaceLAMB"}


def floor(method):
    """Bytes of a step in float32, as the class says what it reads and writes."""
    words = [part.split() for step in optim.METHODS[method].passes.split(";") for part in step.split(",")]
    return 4 * sum(len(w) - 1 for w in words)


def test_the_bytes_of_the_lines_are_counted_and_two_sweeps_are_the_floor(numbers):
    js = numbers("lamb-lines")
    for way, cls in WAYS.items():
        counted = PAGE["traffic"](PAGE[cls], [(512, 512)] * 2)[0]
        assert js("total", way) == round(counted)
        assert sum(js("bytes", way)) == js("total", way)
    assert js("floor", "LAMB") == js("total", "two sweeps") == js("total", "two sweeps, u stored") == floor("LAMB")
    assert js("floor", "AdamW") == floor("AdamW")
    each = js("bytes", "np becomes torch")
    assert (each.argmax(), each.max()) == (4, 48)  # the line of u


@pytest.mark.parametrize(("way", "cls"), [("loop", "InPlaceLAMB"), ("lists", "ListLAMB")])
def test_calls_and_bytes_are_those_that_the_chapter_counts(numbers, way, cls):
    js = numbers("calls-or-bytes")
    for tensors in (1, 3, 20):
        moved, calls, held = PAGE["traffic"](PAGE[cls], [(256, 256)] * tensors, steps=2)
        assert js("calls", way, tensors) == calls
        assert js("bytesOf", way) == round(moved)
        assert js("temporary", way, tensors, tensors * 256**2) == pytest.approx(held, rel=0.01)


def test_a_step_is_its_calls_and_its_bytes(numbers):
    js = numbers("calls-or-bytes")
    assert js("bytesOf", "sweeps") == floor("LAMB") + 4  # the check
    for way in ("loop", "lists", "sweeps"):
        seconds = js("seconds", way, 200, 1e8, 5, 2000)
        assert seconds == pytest.approx([5e-6 * js("calls", way, 200), js("bytesOf", way) * 1e8 / 2e12], rel=1e-12)


def test_what_the_answer_says_of_a_hundred_million_parameters(numbers):
    js = numbers("calls-or-bytes")
    slow, fast = ({w: js("seconds", w, 200, 1e8, 5, rate) for w in ("loop", "lists", "sweeps")} for rate in (20, 2000))
    assert slow["loop"] == pytest.approx([0.02, 0.58])
    assert fast["loop"][0] / sum(fast["loop"]) == pytest.approx(0.77, abs=0.03)
    assert sum(fast["loop"]) / sum(fast["lists"]) == pytest.approx(4.3, abs=0.3)
    assert sum(fast["sweeps"]) == pytest.approx(0.0042, abs=0.0002)
    assert js("temporary", "lists", 200, 1e8) == 4e8
    gains = [sum(js("seconds", "sweeps", k, 1e8, 5, 2000)) - sum(fast["lists"]) for k in (300, 400)]
    assert gains[0] < 0 < gains[1]


def test_live_rounds_to_sixteen_bits_as_torch_does_and_at_random_by_the_number_that_is_drawn(browser):
    a = np.random.default_rng(0).normal(size=300) * 2.0 ** np.arange(-40, 20).repeat(5)
    halves = (np.arange(50, dtype=np.uint32) << 16 | 0x3F808000).view(np.float32)
    smallest = np.float32([0, -0.0, 2.0**-149, -1e-40])
    x = np.concatenate([np.float32(a), halves, -halves, smallest])
    adds = np.random.default_rng(1).integers(65_536, size=x.size, dtype=np.uint32)
    adds[:2] = 0, 65_535
    page = stills.open_figure(browser, "stuck-average")
    near = page.evaluate("xs => xs.map((x) => Live.bfloat16(x))", x.tolist())
    drawn = page.evaluate("([xs, adds]) => xs.map((x, i) => Live.bfloat16(x, adds[i]))", [x.tolist(), adds.tolist()])
    page.close()
    assert near == torch.from_numpy(x).bfloat16().tolist()
    assert drawn == ((x.view(np.uint32) + adds) & 0xFFFF0000).view(np.float32).tolist()


def kept(kind, squares, weight):
    """The average that the figure draws, by NumPy's float32 and the study's rounding."""
    v, w, path = np.float32(1), np.float32(weight), [1.0]
    for g2 in np.float32(squares):
        v = np.float32(v + np.float32(w * np.float32(g2 - v)))
        v = methods.from_bf16(methods.to_bf16(v)) if kind == "nearest" else v
        path.append(float(v))
    return path


@pytest.mark.parametrize("weight", [0.1, 0.01, 0.001])
def test_an_average_in_sixteen_bits_goes_as_numpys_does(numbers, weight):
    js, noise = numbers("stuck-average"), np.random.default_rng(0).normal(size=300) ** 2
    for kind in ("float32", "nearest"):
        for squares in (noise, np.full(300, 3.0), np.zeros(300)):
            assert js("average", kind, squares.tolist(), weight) == pytest.approx(
                kept(kind, squares, weight), rel=1e-12
            )


def test_where_the_answer_says_that_an_average_ends(numbers):
    js, noise = numbers("stuck-average"), (np.random.default_rng(1).normal(size=5000) ** 2).tolist()
    assert js("ends", "nearest", [3.0] * 5000, 0.001) == js("ends", "nearest", [0.0] * 5000, 0.001) == 1
    assert 1.5 < js("ends", "nearest", noise, 0.001) < 2
    for squares, end in (([3.0] * 5000, 3), ([0.0] * 5000, 0), (noise, 1)):
        assert js("ends", "random", squares, 0.001) == pytest.approx(end, abs=0.2)


def test_weights_are_rounded_as_the_library_rounds_them(numbers):
    js, x = numbers("rounded-cloud"), torch.randn(50, generator=torch.manual_seed(0))
    for step in (1, 7, 200):
        ours, bits = round_stochastically(x, torch.tensor(step)), random_bits(x, torch.tensor(step))
        for value, rounded, add in zip(x.tolist(), ours.tolist(), bits.tolist(), strict=True):
            assert (js("hash", value, step), js("rounded", value, step)) == (add, rounded)


@pytest.mark.parametrize("lr", [5e-5, 5e-4])
def test_a_walk_is_the_librarys_and_scatters_as_the_proposition_says(numbers, lr):
    js = numbers("rounded-cloud")
    begun = torch.tensor([js("start", i) for i in range(300)]).bfloat16().float()
    x = begun.clone()
    for t in range(1, 201):
        x = round_stochastically(x - torch.tensor(lr), torch.tensor(t))
    last = js("walks", "random", lr, False)[200]
    assert np.array_equal(last, (begun.double() - x.double()).numpy())
    assert (js("walks", "nearest", lr, False)[200] == 0).all()
    last = js("walks", "random", lr, True)[200]
    assert last.mean() == pytest.approx(200 * lr, abs=4 * js("foretold", lr, 200, True) / 300**0.5)
    assert last.std() == pytest.approx(js("foretold", lr, 200, True), rel=0.2)
    gap, draws = 2**-7, np.random.default_rng(0).normal(size=10**6)
    assert js("foretold", lr, 200, False) == pytest.approx((200 * lr * (gap - lr)) ** 0.5, rel=1e-12)
    moved = lr * (1 + draws)
    assert js("foretold", lr, 200, True) ** 2 / 200 == pytest.approx(
        (abs(moved) * (gap - abs(moved))).mean() + moved.var(), rel=0.01
    )
