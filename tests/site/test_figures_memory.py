"""The figures that move on the page of memory: the study's codes and roundings, and the bytes of minilib."""

import numpy as np
import pytest

from minilib.analysis import memory
from minilib.analysis.memory import Transformer, training_bytes
from minilib.optim import SGD
from studies import methods
from tests.optim.helpers import Parameter
from tests.proofs.page_sides import Page

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
    found = js("changed", c)
    for name, change in changes.items():
        assert found[name] == pytest.approx(sum(needed(c | change)), rel=1e-12)


def test_the_answers_about_two_models(numbers):
    js, GiB = numbers("what-fits"), 2**30
    found = js("changed", START)
    assert round(sum(js("needed", START)) / GiB, 1) == 14.5
    assert min(found, key=found.get) == "recompute blocks"
    assert round(found["recompute blocks"] / GiB, 1) == 5.9
    seven = START | {"h": 4096, "layers": 32, "texts": 1}
    assert [name for name, total in js("changed", seven).items() if total < 0.8 * 24 * GiB] == ["8 devices, stage 3"]
    assert sum(js("needed", seven | {"numbers": "bf16 alone"})[:2]) > 24 * GiB
