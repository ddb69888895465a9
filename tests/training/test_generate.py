"""Asking a trained model, from the command line and in Python."""

import math
import re
from pathlib import Path

import pytest

from minilib.training import evaluate, export, finetune, generate, trainer
from minilib.training.evaluate import Evaluation
from minilib.training.generate import Question
from minilib.training.run_dir import read_results
from tests.training.runs import make_models_tiny


@pytest.fixture(scope="module")
def trained(together):
    """A run of each family, a few hundred steps on very regular prose."""
    settings = {"steps": 300, "length": 24, "batch_size": 32, "lr": 5e-3, "evaluate_every": 300, "save_every": 300}
    with pytest.MonkeyPatch.context() as patch:
        make_models_tiny(patch)
        folders = {}
        for model, vocabulary in (("bert-tiny", 320), ("gpt2", 320), ("t5-small", 400)):
            config = together(model, model=model, vocabulary=vocabulary, **settings)
            trainer.train(config, quiet=True)
            folders[model.split("-")[0]] = str(config.folder)
        yield folders


def test_gpt2_continues_and_the_prompt_stays_as_it_was(trained):
    text = generate.generate(Question(run=trained["gpt2"], prompt="the cat sees a", tokens=8))
    assert text.startswith("the cat sees a dog")
    assert len(text) > len("the cat sees a dog")


def test_how_likely_gpt2_and_t5_found_what_they_wrote_is_said(trained):
    for family, prompt in (("gpt2", "the cat sees a"), ("t5", "the cat sees [MASK] dog.")):
        lines = []
        for options in ({"tokens": 6}, {"tokens": 6, "temperature": 50.0, "top": 300}):
            generate.generate(Question(run=trained[family], prompt=prompt, **options), lines.append)
        shares = [float(re.fullmatch(r"\d tokens, each with a probability of (.*)% \(geom.*", s)[1]) for s in lines]
        assert shares[0] > 30 > 10 > shares[1]  # what is likeliest, and what is drawn from nearly all


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


@pytest.mark.parametrize(
    ("family", "prompt", "message"),
    [
        ("bert", "no gap", r"prompt must have 1 to 99 \[MASK\] for bert to fill, got 'no gap'"),
        ("bert", "[MASK] " + 40 * "word ", "prompt must have at most 24 tokens for this model"),
        ("t5", 100 * "[MASK] ", r"prompt must have 1 to 99 \[MASK\] for t5 to fill, got '\[MASK\]"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_named(trained, family, prompt, message):
    with pytest.raises(ValueError, match=message):
        generate.generate(Question(run=trained[family], prompt=prompt))


def test_evaluation_is_the_validation_of_the_run(trained):
    for family, folder in trained.items():
        numbers = evaluate.evaluate(Evaluation(run=folder, rows=8, device="cpu"))
        results = read_results(Path(folder))
        assert numbers["loss"] == pytest.approx(results["validation_loss"], rel=1e-5), family
        assert numbers["accuracy"] == pytest.approx(results["validation_accuracy"], rel=1e-5)
        assert numbers["unigram_entropy"] == results["unigram_entropy"]
        assert numbers["loss"] < numbers["unigram_entropy"]


def test_other_text_is_evaluated_whole(trained, tmp_path):
    (tmp_path / "a.txt").write_text("zebras quarrel loudly beneath frozen umbrellas. " * 40)
    strange = evaluate.evaluate(Evaluation(run=trained["gpt2"], text=str(tmp_path), device="cpu"))
    usual = evaluate.evaluate(Evaluation(run=trained["gpt2"], device="cpu"))
    assert strange["loss"] > 2 * usual["loss"]
    assert math.isfinite(strange["loss"])


NO_RUN = "none is no run and no exported model: must have run-config.json and checkpoints, or config.json"


@pytest.mark.parametrize(
    ("module", "words", "line"),
    [
        (generate, ["--run", "none"], NO_RUN),
        (evaluate, ["--run", "none"], NO_RUN),
        (finetune, ["--run", "none", "--seeds", "2"], NO_RUN),
        (generate, ["--seed", "9" * 20], f"--seed must be from 0 to 9223372036854775807, got {'9' * 20}"),
        (export, ["--out", ""], "--out must not be empty"),
    ],
)
def test_what_no_command_can_take_is_said_in_one_line(module, words, line, program):
    assert program(module, *words) == (2, "", f"error: {line}\n")


def test_the_commands_print_what_they_found_and_what_is_exported_answers_as_the_run_does(trained, program, tmp_path):
    run, out = trained["bert"], str(tmp_path / "bert")
    assert program(export, "--run", run, "--out", out) == (0, f"exported to {out}\n", "")
    for folder in (run, out):  # each mask is filled with one token
        arguments = ["--run", folder, "--prompt", "my [MASK] likes the old king at [MASK]."]
        code, output, errors = program(generate, *arguments)
        text, *masks = output.splitlines()
        assert (code, text, errors) == (0, "my friend likes the old king at home.", "")
        for number, (word, line) in enumerate(zip(["friend", "home"], masks, strict=True), 1):
            guesses = re.fullmatch(rf"\[MASK\] {number}: {word} (.*)%(?:, \S+ (.*)%){{4}}", line)
            shares = [float(share) for share in re.findall(r"([\d.]+)%", line)]
            assert guesses
            assert shares == sorted(shares, reverse=True)
            assert shares[0] > 50
            assert sum(shares) < 100.3
    code, output, _ = program(evaluate, "--run", run, "--rows", 8, "--device", "cpu")
    assert (code, output[:5]) == (0, "loss ")
    code, _, error = program(export, "--run", run, "--out", out)
    assert code == 2
    assert "must be a new folder" in error
