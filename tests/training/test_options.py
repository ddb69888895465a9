"""What is wrong with an option is said of the option as it is typed, also where a part of the library finds it, which
knows nothing of options."""

import dataclasses

import pytest

from minilib.training import __main__ as pretraining
from minilib.training import evaluate, export, finetune, generate, trainer
from minilib.training.config import Config
from tests.training.runs import words

PROGRAMS = {
    pretraining: Config,
    generate: generate.Question,
    evaluate: evaluate.Evaluation,
    finetune: finetune.Finetuning,
    export: export.Export,
}


def bad(f: dataclasses.Field) -> str:
    """What this field cannot be."""
    low, choices = f.metadata["low"], f.metadata["choices"]
    return "such" if choices or f.type is bool else "\udcff" if low is None or "str" in str(f.type) else str(low - 1)


@pytest.mark.parametrize("module", PROGRAMS, ids=lambda module: module.__name__.split(".")[-1])
def test_an_option_that_cannot_have_its_value_is_named_as_it_is_typed(module, program):
    for f in dataclasses.fields(PROGRAMS[module]):
        if f.name != "phases":
            typed = "--" + f.name.replace("_", "-")
            code, output, error = program(module, f"{typed}={bad(f)}")
            assert (code, output, error.count("\n")) == (2, "", 1)
            assert error.startswith(("error: ", "error: argument ")[f.type is bool] + typed), error


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("--mask-rate 0.01", "--mask-rate = 0.01: must choose from 1 to 15 of 16 tokens, chooses 0"),
        ("--mask-rate 0.9 --length 8", "--mask-rate = 0.9: must be at most 0.7"),
        ("--model t5-small --vocabulary 400 --length 3000 --validation CORPUS", "--length = 3000: rate = 0.15 and"),
        ("--length 100000", "--length = 100000: must be less"),
        ("--model gpt2 --length 100000", "--length = 100000: must be less"),
        ("--model t5-small --vocabulary 300", "--vocabulary = 300: must be at least 358 for t5"),
        ("--model bert-huge", "--model must be one of"),
        ("--width 39", "--heads must divide the width 39, got 2"),
        ("--micro-batch 3", "--micro-batch must divide the 8 rows"),
        ("--warmup 500", "--warmup must be less than the 8 steps"),
        ("--schedule wsd --cooldown 500", "--cooldown must be at most"),
        ("--optimizer sgd --beta1 0.9", "--beta1 must be left out"),
        ("--optimizer sgd --state-dtype uint8", "--state-dtype must be left out"),
        ("--model gpt2 --whole-words", "--whole-words must be left out"),
        ("--modern --next-sentence", "--next-sentence must be False"),
        ("--device tpu9", "--device 'tpu9' is not to be had here"),
        ("--compile --device cpu", "--compile = True: no compiler"),
        ("--corpus no/such/folder", "--corpus = 'no/such/folder': must be one of"),
        ("--validation none/here", "--validation = 'none/here': must hold at least one file"),
        ("--field body --corpus JSONL", "--field = 'body', is '{\"text\": \"one\"}' (it has text)"),
        ("--init-from none/here", "--init-from = 'none/here': must be the folder of a run"),
    ],
)
def test_what_turns_out_only_later_is_named_so_too(small, program, prose, tmp_path, monkeypatch, arguments, error):
    monkeypatch.setattr(trainer, "why_not_compiled", lambda device: f"no compiler for {device}")
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    arguments = arguments.replace("CORPUS", str(prose)).replace("JSONL", str(tmp_path / "a.jsonl"))
    code, _, line = program(pretraining, *words(small()), *arguments.split())
    assert code == 2
    assert line.count("\n") == 1
    assert error in line
    assert not small().folder.exists()
