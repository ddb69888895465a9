"""The configuration: defaults, the command line, TOML, and what is refused."""

import dataclasses
import re

import pytest

from minilib.training.config import ABSENT, ELSEWHERE, Config, parse
from minilib.training.finetune import Finetuning
from minilib.training.generate import Question


def test_no_argument_at_all_is_the_default_run():
    assert parse([]) == Config()


def test_every_field_but_the_phases_is_an_argument_with_help(capsys):
    with pytest.raises(SystemExit) as stop:
        parse(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for f in dataclasses.fields(Config):
        assert f.metadata["help"]
        assert (f"--{f.name.replace('_', '-')}" in text) == (f.name != "phases")


def test_arguments_are_read_in_the_type_of_their_field():
    config = parse("--lr 0.01 --steps 20 --whole-words --no-compile --clip none --micro-batch 8 --out x".split())
    assert (config.lr, config.steps, config.whole_words, config.compile) == (0.01, 20, True, False)
    assert (config.clip, config.micro_batch, str(config.folder)) == (None, 8, "x")


def test_an_argument_is_not_guessed_from_its_beginning(capsys):
    with pytest.raises(SystemExit) as stop:
        parse(["--step", "20"])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("error: there is no option --step: did you mean --steps?")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("--learning-rate 0.1", "there is no option --learning-rate: here it is --lr"),
        ("--max_steps=9", "there is no option --max_steps=9: here it is --steps"),
        ("--optimiser lamb", "there is no option --optimiser: did you mean --optimizer?"),
        ("--adam-beta2 0.98", "there is no option --adam-beta2: here it is --beta2"),
        ("--early_stopping_patience 3", "there is no option --early_stopping_patience: here it is --patience"),
        ("--batch_size 8", "there is no option --batch_size: here it is --batch-size"),
        ("--training.steps 100", "there is no option --training.steps: here it is --steps"),
        ("--optimizer.lr=3e-4", "there is no option --optimizer.lr=3e-4: here it is --lr"),
        ("--optimizer.name AdamW", "there is no option --optimizer.name: here it is --optimizer"),
        ("--training.local_batch_size 8", "there is no option --training.local_batch_size: here it is --micro-batch"),
        ("--validation.steps 10", "there is no option --validation.steps: here it is --evaluate-rows"),
        ("--dataset_name wikitext", "there is no option --dataset_name: here it is --corpus"),
        ("--num_attention_heads 12", "there is no option --num_attention_heads: here it is --heads"),
        ("--n_head=12", "there is no option --n_head=12: here it is --heads"),
        ("--decay_lr=True", "there is no option --decay_lr=True: here it is --schedule"),
        ("--no_cuda", "there is no option --no_cuda: here it is --device"),
        ("--fsdp full_shard", "there is no option --fsdp: here it is --parallel"),
        (
            "--num_train_epochs 3",
            "there is no option --num_train_epochs: a run is measured in steps: give --steps or --tokens",
        ),
        (
            "--intermediate_size 3072",
            "there is no option --intermediate_size: the feed-forward part is always 4 times as wide as --width",
        ),
        (
            "--lr_decay_iters=5000",
            "there is no option --lr_decay_iters=5000: the rate falls until the last of the --steps, in the way of "
            "--schedule, to --min-lr",
        ),
        ("--tf32", "there is no option --tf32: float32 is multiplied as TF32 on every card that can"),
        (
            "--report_to wandb",
            "there is no option --report_to: each run keeps curve.csv and TensorBoard's file in --out, and reports to "
            "nobody",
        ),
        (
            "--parallelism.tensor_parallel_degree 2",
            "there is no option --parallelism.tensor_parallel_degree: a layer is worked through on one device: "
            "--parallel is ddp or fsdp, and no other way",
        ),
        ("--tpu-cores 8", "unrecognized argument --tpu-cores"),
        ("--lr much", "argument --lr: invalid float value: 'much'"),
    ],
)
def test_what_is_no_option_is_answered_in_one_line(words, answer, capsys):
    with pytest.raises(SystemExit) as stop:
        parse(words.split())
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"error: {answer} (--help lists the options)\n"


def options_of(kind) -> set[str]:
    return {f.name.replace("_", "-") for f in dataclasses.fields(kind)}


def test_every_name_that_is_known_from_elsewhere_leads_to_an_option():
    options = options_of(Config)
    assert set(ELSEWHERE.values()) <= options | options_of(Finetuning)
    assert not set(ELSEWHERE) & options
    for name in ELSEWHERE | ABSENT:
        assert name == name.lower().replace("_", "-")  # as it is looked up


def test_what_does_not_exist_is_no_option_and_its_answer_is_one_line_about_options_that_do():
    options = options_of(Config)
    assert not set(ABSENT) & options
    for name, answer in ABSENT.items():
        assert "\n" not in answer
        assert set(re.findall(r"--([\w-]+)", answer)) <= options, name


@pytest.mark.parametrize(
    ("kind", "word", "answer"),
    [
        (Finetuning, "--num_train_epochs", "here it is --epochs"),
        (Finetuning, "--learning_rate", "here it is --lr"),
        (Question, "--max_steps", "unrecognized argument --max_steps"),  # and not: here it is --steps
        (Question, "--epochs", "unrecognized argument --epochs"),
    ],
)
def test_other_programs_name_only_options_that_they_have(kind, word, answer, capsys):
    with pytest.raises(SystemExit):
        parse([word, "3"], kind)
    assert answer in capsys.readouterr().err


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
    (phase,) = Config(tokens=640_000, batch_size=100, length=64).plan
    assert phase.steps == 100


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lr": -1.0}, "lr must be at least 0.0, got -1.0"),
        ({"lr": float("nan")}, "lr must be finite, got nan"),
        ({"steps": 0}, "steps must be at least 1, got 0"),
        ({"steps": 1.5}, "steps must be int, got 1.5"),
        ({"optimizer": "adam"}, "optimizer must be one of sgd, adamw, .* got 'adam'"),
        ({"mask_rate": 0.95}, "mask_rate must be from 0.01 to 0.9, got 0.95"),
        ({"compile": 1}, "compile must be bool, got 1"),
        ({"phases": ({"step": 3},)}, "unknown field 'step'"),
        ({"warmup": 5000, "steps": 40}, "warmup must be less than the 40 steps, got 5000"),
        ({"phases": ({"steps": 0},)}, "steps must be at least 1, got 0"),
        ({"beta1": 1.0}, "beta1 must be from 0.0 to 0.999999, got 1.0"),
        ({"beta1": 0.9, "optimizer": "sgd"}, "beta1 must be left out, got 0.9: sgd has none of beta1, beta2, eps"),
        ({"beta2": 0.9, "optimizer": "lars"}, "beta2 must be left out, got 0.9: lars has eps"),
        ({"eps": 1e-6, "optimizer": "came"}, "eps must be left out, got 1e-06: came has beta1, beta2"),
        ({"min_lr": 0.1, "lr": 0.01}, "min_lr must be at most the lr 0.01, got 0.1"),
        ({"min_lr": 1e-4, "schedule": "constant"}, "min_lr must be 0 where the schedule is constant, got 0.0001"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"phases": ({"steps": 5},), "tokens": 100}, "tokens is for runs of one phase"),
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
