"""The figures that move on the page of many machines: their numbers beside the chapter's code and the planner's."""

from math import ceil

import numpy as np
import pytest

from minilib.analysis import planner
from minilib.analysis.cards import CARDS, Card
from minilib.analysis.jobs import NAMED, Job, Machines, Model
from tests.proofs.page_sides import Page

STEP = {"cards": 64, "batch": 4096, "pieces": 8, "wire": 25e9, "latency": 1e-5, "rate": 0.4 * 312e12}
RUN = {"card": "a100-40", "model": "BERT-Large", "optimizer": "AdamW", "parallel": "DDP", "again": False, "cards": 8}
RUN |= {"nodes": 1, "network": 25e9, "batch": 256, "share": 0.4, "latency": 1e-5}
RUNS = [
    {},
    {"nodes": 2, "network": 1.25e9},
    {"parallel": "FSDP", "nodes": 2, "optimizer": "LAMB"},
    {"model": "GPT-2, 4 billion", "parallel": "FSDP"},
    {"model": "GPT-2, 4 billion", "parallel": "HSDP", "nodes": 4, "network": 6e9, "batch": 1024},
    {"parallel": "HSDP", "cards": 1, "nodes": 8},
    {"model": "GPT-2, 4 billion", "parallel": "FSDP", "again": True, "card": "h100", "nodes": 4, "share": 0.55},
    {"model": "GPT-2, 0.35 billion", "card": "t4 (fp16)", "cards": 4, "optimizer": "SGD"},
    {"model": "BERT-base", "card": "rtx-4090", "cards": 1, "again": True},
    {"card": "l4", "cards": 2, "nodes": 32, "network": 3e9, "batch": 65536},
    {"card": "tpu-v6e", "cards": 256, "batch": 4096},
]


@pytest.mark.parametrize("change", [{}, {"pieces": 1, "wire": 1e9}, {"cards": 1024}, {"cards": 1}, {"batch": 65536}])
def test_the_timeline_is_the_chapters_and_what_is_on_the_wire_is_the_planners(numbers, change):
    js, c = numbers("what-hides"), STEP | change
    model, t = NAMED["bert-large"], js("timeline", c)
    assert js("size").tolist() == [model.parameters(), model.operations(128)]
    forward, backward, sent, step = Page("many_machines")["timeline"](**c)
    assert [t["forward"], t["backward"], t["step"]] == pytest.approx([forward, backward, step], rel=1e-12)
    assert np.ravel(t["sent"]) == pytest.approx(np.ravel(sent), rel=1e-12)
    pieces = ceil(4 * model.parameters() / planner.BUCKET)  # as many as DDP makes
    on_wire = sum(end - start for start, end in js("timeline", c | {"pieces": pieces})["sent"])
    card = Card("toy", {"bf16": c["rate"]}, 1.0, link=c["wire"], together=1024)
    p = planner.plan(Job(model, c["batch"], 128, steps=1), Machines(card, 1.0, c["cards"], latency=c["latency"]))
    assert on_wire == pytest.approx(p.terms["messages, bytes"] + p.terms["messages, rounds"], rel=1e-12)
    assert t["forward"] + t["backward"] == pytest.approx(p.terms["products"], rel=1e-12)
    alone = js("timeline", c | {"cards": 1})["step"]
    assert js("faster", c) == pytest.approx(alone / t["step"], rel=1e-12)


@pytest.mark.parametrize("n", [2, 4, 8])
@pytest.mark.parametrize("way", ["chief", "tree", "doubling", "ring"])
def test_every_round_delivers_what_the_chapters_wire_delivers(numbers, way, n):
    js, page = numbers("ring-steps"), Page("many_machines")
    film = []

    class Filmed(page["Names"]):
        def round(self, messages, add):
            super().round(messages, add)
            film.append((self.held.sum(axis=-1), self.sent.copy(), self.got.copy()))

    page[way](Filmed(n, n))
    assert len(js("rounds", way, n)) == len(film)
    for r, (counts, sent, got) in enumerate(film, start=1):
        s = js("state", way, n, r)
        assert [[bin(x).count("1") for x in row] for row in s["held"]] == counts.tolist()
        assert (s["sent"], s["got"]) == (sent.tolist(), got.tolist())


@pytest.mark.parametrize("n", [2, 4, 64, 1024])
def test_the_price_of_a_sum_is_that_of_the_chapters_table(numbers, n):
    js, page = numbers("ring-or-tree"), Page("many_machines")
    for m, alpha, beta in ((100.0, 1e-5, 1e-10), (1e8, 3e-4, 2e-9)):
        for way in ("tree", "doubling", "ring"):
            price = np.array([alpha, beta]) @ page["bill"](way, n, m)
            assert js("seconds", way, n, m, alpha, beta) == pytest.approx(price, rel=1e-12)
        at = js("crossing", n, alpha, beta)
        assert (at is None or at == float("inf")) == (n == 2)
        if n > 2:
            both = [js("seconds", way, n, at, alpha, beta) for way in ("doubling", "ring")]
            assert both[0] == pytest.approx(both[1], rel=1e-12)


def planned(c, models):
    family, layers, width, vocabulary, longest, length = models[c["model"]]
    job = Job(
        Model(family, layers, width, vocabulary, longest), c["batch"], length, steps=1, optimizer=c["optimizer"],
        precision="fp16" if "t4" in c["card"] else "bf16", parallel=c["parallel"].lower(), recompute=c["again"],
    )  # fmt: skip
    card = CARDS[c["card"].split()[0]]
    return planner.plan(job, Machines(card, c["share"], c["cards"], c["nodes"], c["network"], c["latency"]))


@pytest.mark.parametrize("change", RUNS)
def test_the_plan_is_the_planners(numbers, change):
    js, c = numbers("plan-a-run"), RUN | change
    ours, p = js("plan", c), planned(c, js("models"))
    assert ours["terms"] == pytest.approx(list(p.terms.values()), rel=1e-12)
    assert [ours["step"], ours["sent"], ours["micro"]] == pytest.approx([p.step, p.sent, p.micro_batch], rel=1e-12)
    kinds = "parameters", "gradients", "optimizer state", ("16-bit copies", "gathered parameters"), "activations"
    held = [sum(p.memory.get(k, 0) for k in ([kind] if isinstance(kind, str) else kind)) for kind in kinds]
    assert ours["held"] == pytest.approx(held, rel=1e-12)
    for name, other in (("twice the nodes", {"nodes": 2 * c["nodes"]}), ("twice the batch", {"batch": 2 * c["batch"]})):
        change_of, q = js("changes", c)[name], planned(c | other, js("models"))
        assert change_of == {"seconds": pytest.approx(q.step * c["batch"] / q.job.batch, rel=1e-12), "fits": q.fits}


def test_the_cards_are_the_librarys(numbers):
    for name, row in numbers("plan-a-run")("cards").items():
        card = CARDS[name.split()[0]]
        rate = card.rate("fp16" if "t4" in name else "bf16")
        assert row == [rate, card.bandwidth, card.memory, card.link, card.together]
