"""The configuration: defaults, the command line, TOML, and what is refused."""

import dataclasses
import re
from pathlib import Path

import pytest

from minilib.training.config import ELSEWHERE, Config, parse
from minilib.training.finetune import Finetuning
from minilib.training.generate import Question

ROOT = Path(__file__).resolve().parents[2]


def test_arguments_are_read_in_the_type_of_their_field():
    assert parse([]) == Config()
    config = parse("--lr 0.01 --steps 20 --whole-words --no-compile --clip none --micro-batch 8 --out x".split())
    assert (config.lr, config.steps, config.whole_words, config.compile) == (0.01, 20, True, False)
    assert (config.clip, config.micro_batch, str(config.folder)) == (None, 8, "x")


@pytest.mark.parametrize(
    ("kind", "words", "answer"),
    [
        (Config, "--step 20", "there is no option --step: did you mean --steps?"),  # and is not guessed
        (Config, "--learning-rate 0.1", "there is no option --learning-rate: here it is --lr"),
        (Config, "--max_steps=9", "there is no option --max_steps=9: did you mean --steps?"),
        (Config, "--batch_size 8", "there is no option --batch_size: here it is --batch-size"),
        (Config, "--optimizer.lr=3e-4", "there is no option --optimizer.lr=3e-4: here it is --lr"),
        (Config, "--dataset wikitext", "there is no option --dataset: here it is --corpus"),
        (Config, "--per_device_train_batch_size 8", "there is no option {}: here it is --micro-batch"),
        (Config, "--num_train_epochs 3", "there is no option --num_train_epochs: here it is --steps or --tokens"),
        (Config, "--warmup_ratio 0.1", "there is no option --warmup_ratio: did you mean --warmup?"),
        (Config, "--max_seq_length=128", "there is no option --max_seq_length=128: did you mean --length?"),
        (Config, "--tpu-cores 8", "unrecognized argument --tpu-cores"),
        (Config, "--lr much", "argument --lr: invalid float value: 'much'"),
        (Finetuning, "--num_train_epochs 3", "there is no option --num_train_epochs: here it is --epochs"),
        (Finetuning, "--learning_rate 3", "there is no option --learning_rate: here it is --lr"),
        (Question, "--max_steps 3", "unrecognized argument --max_steps"),  # and not: here it is --steps
        (Config, "--save_steps 9", "there is no option --save_steps: here it is --save-every"),  # and not --steps
        (Config, "--epochs 3", "there is no option --epochs: here it is --steps or --tokens"),
        (Question, "--epochs 3", "unrecognized argument --epochs"),
        (Question, "--num_train_epochs 3", "unrecognized argument --num_train_epochs"),
    ],
)
def test_what_is_no_option_is_answered_in_one_line(kind, words, answer, capsys):
    with pytest.raises(SystemExit) as stop:
        parse(words.split(), kind)
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"error: {answer.format(words.split()[0])} (--help lists the options)\n"


def test_every_name_that_is_known_from_elsewhere_leads_to_an_option():
    options = [{f.name.replace("_", "-") for f in dataclasses.fields(kind)} for kind in (Config, Finetuning)]
    assert {here for names in ELSEWHERE.values() for here in re.split(r"[ |]", names)} <= set.union(*options)
    assert not set(ELSEWHERE) & set.intersection(*options)


def test_every_setting_is_used_where_readers_meet_it():
    """By a chapter, a study, a file of configs/, a benchmark or the manual, among those that speak of the training."""
    files = [*ROOT.glob("notebooks/*.md"), *ROOT.glob("studies/**/*.py"), *ROOT.glob("benchmarks/*.py")]
    files += [*ROOT.glob("configs/*.toml"), ROOT / "book" / "training.md"]
    texts = [text for text in (file.read_text(encoding="utf-8") for file in files) if "minilib.training" in text]
    assert len(texts) > 10

    def used(name: str) -> bool:
        option = name.replace("_", "-")
        return any(re.search(rf"--(no-)?{option}\b|\b{name} ?=|\"{name}\":|config\.{name}\b", text) for text in texts)

    assert [f.name for f in dataclasses.fields(Config) if not used(f.name)] == []


def test_a_file_sets_fields_and_arguments_win(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('model = "bert-mini"\nlr = 1\nsteps = 7\n')
    config = parse(["--config", str(file), "--steps", "9"])
    assert (config.model, config.lr, config.steps) == ("bert-mini", 1.0, 9)


def test_phases_take_what_they_leave_out_from_the_run(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(
        "batch_size = 48\nlr = 0.004\nwarmup = 0.1\n[[phases]]\nsteps = 90\nlength = 32\nwarmup = 0.3\n"
        "[[phases]]\nsteps = 10\nlength = 128\nbatch_size = 16\nlr = 0.002\n"
    )
    first, second = parse(["--config", str(file)]).plan
    assert (first.steps, first.length, first.batch_size, first.lr, first.warmup) == (90, 32, 48, 0.004, 0.3)
    assert (second.steps, second.length, second.batch_size, second.lr, second.warmup) == (10, 128, 16, 0.002, 0.1)


def test_a_run_may_be_measured_in_tokens():
    assert [phase.steps for phase in Config(tokens=640_000, batch_size=100, length=64).plan] == [100]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lr": float("nan")}, "lr must be finite, got nan"),
        ({"steps": 1.5}, "steps must be int, got 1.5"),
        ({"mask_rate": 0.95}, "mask_rate must be from 0.01 to 0.9, got 0.95"),
        ({"compile": 1}, "compile must be bool, got 1"),
        ({"phases": ({"step": 3},)}, "unknown field 'step'"),
        ({"phases": (3,)}, r"phases must be tables, each under \[\[phases\]\], got \[3\]"),
        ({"phases": {"steps": 3}}, r"phases must be tables, each under \[\[phases\]\], got {'steps': 3}"),
        ({"model": "gpt2", "modern": True}, "modern must be left out: it is for BERT, and the model is gpt2"),
        ({"model": "t5", "next_sentence": True}, "next_sentence must be left out: it is for BERT"),
        ({"schedule": "wsd", "cooldown": 0.9}, "cooldown must be at most the 1040 steps after the warm-up, got 0.9"),
        ({"phases": ({"steps": 0},)}, "steps must be at least 1, got 0"),
        ({"seed": 2**63}, "seed must be from 0 to 9223372036854775807, got 9223372036854775808"),
        ({"phases": ({"steps": 5},), "tokens": 100}, "tokens must be left out: it is for runs of one phase"),
    ],
)
def test_a_field_that_is_out_of_range_is_named(fields, message):
    with pytest.raises(ValueError, match=message):
        Config(**fields)


@pytest.mark.parametrize(
    ("text", "message"),
    [("lr = ", "cannot be read"), ("rate = 1\n", "unknown field 'rate'"), (None, "cannot be read")],
)
def test_a_file_that_is_no_configuration_is_named(tmp_path, text, message):
    file = tmp_path / "bad.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ValueError, match=f"bad.toml.* {message}"):
        parse(["--config", str(file)])
