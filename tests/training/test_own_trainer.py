"""The page "In your own trainer": its programs train and go on, rates are those of records, verdicts those printed."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest
import torch

from minilib.experiments import records
from tools.chapter import chapters, notebooks
from tools.pages import verdict_page

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "configs" / "own_trainer"
PAGE = (ROOT / "book" / "own_trainer.md").read_text(encoding="utf-8")
# A program, and the package that it needs. Those of packages that are not in the lock are run where somebody has them.
NEEDS = {"plain": "torch", "transformers_trainer": "transformers", "with_accelerate": "accelerate"}
ELSEWHERE = {"with_lightning": "lightning", "with_torchtitan": "torchtitan"}
HERE = NEEDS | {name: package for name, package in ELSEWHERE.items() if importlib.util.find_spec(package)}


@pytest.fixture
def program(monkeypatch):
    """A program of the folder by its name."""
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module


@pytest.mark.parametrize("name", HERE)
def test_a_program_learns_and_one_that_was_stopped_ends_as_if_it_had_not_been(name, program, tmp_path):
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    for folder in (whole, stopped):
        folder.mkdir()
    train = program(name).train
    unbroken, losses = train(whole, 100)
    assert losses[0] > 2.3  # about log(11): it knows nothing
    assert max(losses[-10:]) < 0.1
    train(stopped, 50)
    assert any(stopped.iterdir())
    resumed, _ = train(stopped, 100)
    assert all(map(torch.equal, unbroken.parameters(), resumed.parameters()))


def test_the_page_shows_every_program():
    assert {path.stem for path in FOLDER.glob("*.py")} == {*NEEDS, *ELSEWHERE, "tiny"}
    assert set(re.findall(r"own_trainer/(\w+)\.py", PAGE)) == {*NEEDS, *ELSEWHERE, "tiny"}


# The lines of the table: model and batch, record, how its tuned rates are called there.
BELOW, TUNED, HALF = "bert-below", "gpt2-optimizers", "gpt2-half-octaves"
LINES = [
    *((f"BERT, {rows} rows", BELOW, f"{rows} {{}}") for rows in (8, 64)),
    ("BERT as published, 32 rows", "bert-optimizers", "{}"),
    *((f"GPT-2, {rows} rows", HALF, f"{rows} {{}}") for rows in (16, 64)),
    ("GPT-2, 128 rows", TUNED, "gpt2 128 {}"),
    *((f"GPT-2, {rows:,} rows", HALF, f"{rows} {{}}") for rows in (256, 1024)),
    ("T5, 32 rows", "t5-optimizers", "t5-small 32 {}"),
    *((f"{rows:,}", "cifar-batches", f"{{}} {rows}") for rows in (128, 1024, 8192)),
]
METHODS = "lamb adafactor adafactor-momentum came came-corrected".split()


def rates(record: str, called: str) -> dict:
    """The tuned rates of a record by method; Nesterov and Adafactor on GPT-2 were tuned in a record of their own."""
    chosen = records.load(record).run["results"]["chosen"]
    if record == TUNED:
        chosen |= records.load("gpt2-losers").run["results"]["chosen"]
    return {name: chosen[called.format(name)] for name in ("adamw", "lars", *METHODS) if called.format(name) in chosen}


def line(said: str, record: str, called: str) -> str:
    """A line of the table: AdamW's rate, and the others over it."""
    found = rates(record, called)
    columns = ("lamb", "lars") if "lars" in found else METHODS
    over = [found[name] / found["adamw"] if name in found else 0 for name in columns]
    told = [f"{x:.0f}" if x > 99 else f"{x:.2g}" if x else "–" for x in over]
    return f"| {' | '.join([said, format(found['adamw'], 'g'), *told])} |"


@pytest.mark.parametrize("one", LINES, ids=lambda one: one[0])
def test_a_line_of_rates_is_that_of_the_record(one):
    assert line(*one) in PAGE


def test_beta2_moves_the_rates_as_the_page_says():
    found = {}
    for name, record in (("adamw", "bert-corners"), ("lamb", "bert-corners-lamb")):
        results = records.load(record).run["results"]
        assert results["best"][0] == 0.95
        found[name] = next(one["rate"] for one in results["corners"] if one["corner"] == results["best"])
    assert f"{found['adamw']:g} for AdamW and {found['lamb']:g} for LAMB" in PAGE


# What the page says of a comparison | the chapter | its claim | the verdict.
CLAIMS = """\
lower by 0.035 nats | bert | LAMB: lower with β2 0.95 than 0.999 | confirmed
lower by 0.044 nats | bert | LAMB below AdamW, best of five for each | confirmed
by 0.016 nats on GPT-2 | came_at_work | GPT-2: corrected CAME below CAME | confirmed
0.267 on T5 | came_at_work | T5: corrected CAME below CAME | confirmed
0.058 on BERT with 8 rows | bert | 8 rows: corrected CAME below CAME | confirmed
0.194 with 64 | bert | 64 rows: corrected CAME below CAME | confirmed
AdamW in bfloat16 and in bytes, CAME in bfloat16: confirmed | torch | AdamW bfloat16 as float32 | confirmed
AdamW in bfloat16 and in bytes, CAME in bfloat16: confirmed | torch | AdamW bytes as float32 | confirmed
AdamW in bfloat16 and in bytes, CAME in bfloat16: confirmed | torch | CAME bfloat16 as float32 | confirmed
CAME in bytes: not resolved | torch | CAME bytes as float32 | not resolved
128 photographs a step it ends above momentum | bert_in_76_minutes | LARS below Nesterov, 128 images | contradicted
with 8,192 below | bert_in_76_minutes | LARS below Nesterov, 8,192 images | confirmed
"""


@pytest.mark.parametrize("claim", CLAIMS.splitlines())
def test_a_verdict_that_the_page_tells_is_the_one_that_the_chapter_printed(claim):
    told, chapter, asked, verdict = claim.split(" | ")
    assert told in " ".join(PAGE.split())
    tables = verdict_page.of_chapter(chapters.read(notebooks.pair(notebooks.find(chapter))))
    printed = [row for table in tables for row in table.lines() if row[0] == asked]
    assert [row[1] for row in printed] == [verdict]
    gaps = re.findall(r"0\.\d{3}", told)
    assert gaps in ([], [f"{float(row[2]):.3f}" for row in printed])
