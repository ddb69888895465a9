"""Asking a trained model, from the command line and in Python."""

import math
import sys
from pathlib import Path

import pytest
import torch

from minilib.models import registry
from minilib.training import evaluate, export, generate, trainer
from minilib.training.evaluate import Evaluation
from minilib.training.generate import Question
from minilib.training.run_dir import read_results

TINY = {"layers": 2, "width": 32, "heads": 2}


@pytest.fixture(scope="module")
def trained(prose, data, together):
    """A run of each family, a few hundred steps on very regular prose."""
    with pytest.MonkeyPatch.context() as patch:
        size = registry.size
        patch.setattr(registry, "size", lambda name, **changes: size(name, **TINY | changes))
        folders = {}
        for model, vocabulary in (("bert-tiny", 320), ("gpt2", 320), ("t5-small", 400)):
            settings = {"batch_size": 32, "lr": 5e-3, "evaluate_every": 300, "save_every": 300}
            config = together(model, model=model, vocabulary=vocabulary, steps=300, length=24, **settings)
            trainer.train(config, quiet=True)
            folders[model.split("-")[0]] = str(config.folder)
        yield folders


def test_bert_fills_each_mask_with_one_token(trained):
    text = generate.generate(Question(run=trained["bert"], prompt="my [MASK] likes the old king at [MASK]."))
    assert text == "my friend likes the old king at home."


def test_gpt2_continues_and_the_prompt_stays_as_it_was(trained):
    text = generate.generate(Question(run=trained["gpt2"], prompt="the cat sees a", tokens=8))
    assert text.startswith("the cat sees a dog")
    assert len(text) > len("the cat sees a dog")


def test_t5_fills_gaps_of_any_number_of_words(trained):
    prompt = "the cat sees [MASK] dog. a dog [MASK] home."
    text = generate.generate(Question(run=trained["t5"], prompt=prompt))
    assert text.startswith("the cat sees")
    assert " dog. a dog" in text
    assert "extra_id" not in text


def test_what_is_drawn_depends_on_the_seed_alone(trained):
    def ask(seed, **options):
        question = Question(run=trained["gpt2"], prompt="the cat", temperature=1.0, seed=seed, **options)
        return generate.generate(question)

    assert ask(1) == ask(1)
    assert len({ask(seed) for seed in range(5)}) > 1
    assert ask(1, top=1) == generate.generate(Question(run=trained["gpt2"], prompt="the cat"))


def test_the_rows_of_probabilities_are_those_of_the_loss(trained):
    """The next token after a prompt is the likeliest under the model's own `logits`, which drop the last token."""
    model, tokenizer, _ = export.load(trained["gpt2"])
    ids = tokenizer.encode("the cat sees a").tolist()
    with torch.no_grad():
        logits = model.logits({"tokens": torch.tensor([[*ids, 0]])})[0, -1]
    text = generate.generate(Question(run=trained["gpt2"], prompt="the cat sees a", tokens=1))
    assert text == "the cat sees a" + tokenizer.decode([int(logits.argmax())])


@pytest.mark.parametrize(
    ("family", "prompt", "message"),
    [
        ("bert", "no gap", r"prompt must have a \[MASK\] for bert to fill, got 'no gap'"),
        ("bert", "[MASK] " + 40 * "word ", "prompt must have at most 24 tokens for this model"),
        ("t5", 100 * "[MASK] ", r"prompt must have at most 99 \[MASK\], got 100"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_named(trained, family, prompt, message):
    with pytest.raises(ValueError, match=message):
        generate.generate(Question(run=trained[family], prompt=prompt))


def test_evaluation_is_the_validation_of_the_run(trained):
    for family, folder in trained.items():
        found = evaluate.evaluate(Evaluation(run=folder, rows=8, device="cpu"))
        results = read_results(Path(folder))
        assert found["loss"] == pytest.approx(results["validation_loss"], rel=1e-5), family
        assert found["accuracy"] == pytest.approx(results["validation_accuracy"], rel=1e-5)
        assert found["unigram_entropy"] == results["unigram_entropy"]
        assert found["loss"] < found["unigram_entropy"]


def test_other_text_is_evaluated_whole(trained, tmp_path):
    (tmp_path / "a.txt").write_text("zebras quarrel loudly beneath frozen umbrellas. " * 40)
    strange = evaluate.evaluate(Evaluation(run=trained["gpt2"], text=str(tmp_path), device="cpu"))
    usual = evaluate.evaluate(Evaluation(run=trained["gpt2"], device="cpu"))
    assert strange["loss"] > 2 * usual["loss"]
    assert math.isfinite(strange["loss"])


@pytest.mark.parametrize("program", [generate, evaluate])
def test_a_folder_without_a_run_is_said_in_one_line(program, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(sys, "argv", ["it", "--run", str(tmp_path / "none")])
    assert program.main() == 2
    assert "none is no run and no exported model: must have run-config.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "words", "line"),
    [
        (generate, ["--seed", "9" * 20], f"seed must be from 0 to 9223372036854775807, got {'9' * 20}"),
        (generate, ["--prompt", "the [MASK] \udcff"], r"prompt must be text in UTF-8, got 'the [MASK] \udcff'"),
        (generate, ["--run", ""], "run must not be empty"),
        (evaluate, ["--text", ""], "text must not be empty"),
        (export, ["--out", ""], "out must not be empty"),
    ],
)
def test_what_no_command_can_take_is_said_in_one_line(program, words, line, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["it", *words])
    assert program.main() == 2
    assert capsys.readouterr().err == f"error: {line}\n"


def test_the_commands_print_what_they_found(trained, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["it", "--run", trained["bert"], "--prompt", "my [MASK] sees a dog."])
    assert generate.main() == 0
    assert capsys.readouterr().out == "my friend sees a dog.\n"
    monkeypatch.setattr(sys, "argv", ["it", "--run", trained["bert"], "--rows", "8", "--device", "cpu"])
    assert evaluate.main() == 0
    assert capsys.readouterr().out.startswith("loss ")


def test_what_is_exported_answers_as_the_run_does(trained, monkeypatch, capsys, tmp_path):
    out = str(tmp_path / "bert")
    monkeypatch.setattr(sys, "argv", ["it", "--run", trained["bert"], "--out", out])
    assert export.main() == 0
    assert capsys.readouterr().out == f"exported to {out}\n"
    prompt = "my [MASK] likes the old king at [MASK]."
    answers = {generate.generate(Question(run=run, prompt=prompt)) for run in (trained["bert"], out)}
    assert answers == {"my friend likes the old king at home."}
    assert export.main() == 2
    assert "must be a new folder" in capsys.readouterr().err
