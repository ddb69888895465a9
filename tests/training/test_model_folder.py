"""Folders that transformers wrote are read here, and folders that are written here are read by transformers."""

import json
import shutil
import sys

import numpy as np
import pytest
import tokenizers
import torch
import transformers
from tokenizers import models, normalizers, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM, AutoTokenizer

from minilib.data.tokenizer import SPECIAL
from minilib.training import evaluate, export, finetune, generate, trainer
from minilib.training.evaluate import Evaluation
from minilib.training.finetune import Finetuning
from minilib.training.generate import Question
from minilib.training.run_dir import read_curve
from tests.training.runs import trained

SIZE = {"layers": 2, "width": 32, "heads": 4}
AUTO = {"bert": AutoModelForMaskedLM, "gpt2": AutoModelForCausalLM, "t5": AutoModelForSeq2SeqLM}
MODEL = {"bert": "bert-tiny", "gpt2": "gpt2", "t5": "t5-small"}
TEXTS = ["The old king sees a dog.", "", "  Émile's [MASK] <extra_id_3> </s> <|endoftext|> the\n\nsea "]


@pytest.fixture(scope="module")
def lines(prose):
    return [line for path in sorted(prose.iterdir()) for line in path.read_text(encoding="utf-8").split("\n\n")]


# ---- Folders with the layout of bert-base-uncased, gpt2 and t5-small -------------------------------------------------


def wordpiece(lines):
    """[PAD] is 0, the other special tokens stand in the middle, and there are names that nobody uses."""
    inner = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    inner.normalizer, inner.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    names = ["[PAD]", *(f"[unused{k}]" for k in range(30)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    inner.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=200, special_tokens=names))
    number = inner.get_vocab()
    return transformers.BertTokenizer(vocab={token: number[token] for token in sorted(number, key=number.get)})


def bytes_pairs(lines):
    """The only special token is the last."""
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    letters = pre_tokenizers.ByteLevel.alphabet()
    inner.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=320, initial_alphabet=letters, special_tokens=[]))
    model = json.loads(inner.to_str())["model"]
    vocab = model["vocab"] | {"<|endoftext|>": len(model["vocab"])}
    return transformers.GPT2Tokenizer(vocab=vocab, merges=[tuple(pair) for pair in model["merges"]])


def unigram(lines):
    """<pad>, </s> and <unk> come first, and the sentinels last, the last of them first."""
    inner = tokenizers.Tokenizer(models.Unigram())
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    how = {"special_tokens": ["<pad>", "</s>", "<unk>"], "unk_token": "<unk>", "show_progress": False}
    inner.train_from_iterator(lines, trainers.UnigramTrainer(vocab_size=120, **how))
    pieces = json.loads(inner.to_str())["model"]["vocab"] + [(f"<extra_id_{k}>", 0.0) for k in reversed(range(100))]
    return transformers.T5Tokenizer(vocab=[tuple(piece) for piece in pieces])


def theirs(family, tokenizer):
    """A model of transformers with weights that no layer could confuse, and more entries than the tokenizer has."""
    torch.manual_seed(0)
    end = tokenizer.eos_token_id
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "initializer_range": 0.2}
    make, more = {
        "bert": (transformers.BertForPreTraining, size | {"intermediate_size": 128, "max_position_embeddings": 48}),
        "gpt2": (transformers.GPT2LMHeadModel, size | {"n_positions": 48, "bos_token_id": end, "eos_token_id": end}),
        "t5": (
            transformers.T5ForConditionalGeneration,
            {"d_model": 32, "num_layers": 2, "num_heads": 4, "d_kv": 8, "d_ff": 128, "decoder_start_token_id": 0},
        ),
    }[family]
    model = make(make.config_class(vocab_size=len(tokenizer) + 8, **more))
    with torch.no_grad():
        for p in model.parameters():
            p += 0.05 * torch.randn(p.shape)
    return model.eval()


@pytest.fixture(scope="module")
def folders(lines, tmp_path_factory):
    """One of each family, written by transformers."""
    paths = {}
    for family, train in (("bert", wordpiece), ("gpt2", bytes_pairs), ("t5", unigram)):
        tokenizer = train(lines)
        paths[family] = tmp_path_factory.mktemp("theirs") / family
        theirs(family, tokenizer).save_pretrained(paths[family])
        tokenizer.save_pretrained(paths[family])
    return paths


def check_same_logits(ours, other, high):
    """Of both models, on random tokens; where ours guesses."""
    generator = torch.Generator().manual_seed(1)
    tokens, targets = (torch.randint(high, (3, n), generator=generator) for n in (16, 5))
    more, given = {
        "Bert": ({"positions": torch.arange(16).expand(3, 16)}, {}),
        "Gpt2": ({}, {}),
        "T5": ({"targets": targets}, {"labels": targets}),
    }[type(ours).__name__]
    read = torch.cat([tokens, tokens[:, :1]], 1) if type(ours).__name__ == "Gpt2" else tokens  # it drops the last
    with torch.no_grad():
        outputs = other(tokens, **given)
        check_close(ours.logits({"tokens": read} | more), outputs.get("logits", outputs.get("prediction_logits")))


def check_close(ours, other):
    assert (ours - other).norm() < 1e-5 * other.norm()


def begun_with(folders, family):
    """Settings of a run that begins with such a model."""
    return {"model": MODEL[family], **SIZE, "vocabulary": 4096, "init_from": str(folders[family])}


# ---- From transformers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", AUTO)
class TestTheirs:
    def test_it_is_loaded_with_the_same_logits_and_the_same_tokens(self, folders, family):
        model, tokenizer, config = export.load(folders[family])
        assert config is None
        assert (tokenizer.kind, model.training) == (family, False)
        assert (model.size.layers, model.size.width, model.size.heads) == (2, 32, 4)
        head = transformers.BertForPreTraining if family == "bert" else AUTO[family]
        check_same_logits(model, head.from_pretrained(folders[family]), len(tokenizer))
        other = AutoTokenizer.from_pretrained(folders[family])
        for text in TEXTS:
            if "[MASK]" not in text:  # where it is, theirs reads special tokens in a text, and ours reads text
                assert tokenizer.encode(text).tolist() == other.encode(text, add_special_tokens=False)
        named = {tokenizer.tokens[i] for i in np.flatnonzero(tokenizer.is_special)}
        assert named == set(other.all_special_tokens)
        assert tokenizer.tokens[0] not in SPECIAL[family] or not tokenizer.is_special[: tokenizer.special].all()

    def test_a_run_goes_on_from_it_with_shorter_rows(self, small, folders, family):
        given = {"steps": 30, "log_every": 1, "lr": 3e-3, "evaluate_every": 30, "save_every": 30}
        start = small(**begun_with(folders, family), **given)
        results = trainer.train(start, quiet=True)
        assert results["validation_loss"] < read_curve(start.folder)[0]["loss"] - 0.5
        before, after = export.load(folders[family]), export.load(start.folder)
        assert after.tokenizer.content == before.tokenizer.content
        assert after.model.size.vocabulary == before.model.size.vocabulary  # more than there are tokens
        if family != "t5":  # whose length is no parameter
            assert after.model.size.length == before.model.size.length == 48
        assert trainer.train(start, quiet=True) == results  # complete: nothing is done

    def test_the_loss_of_text_is_the_same_before_and_after_an_export(self, folders, family, prose, tmp_path):
        given = {"text": str(prose / "0.txt"), "device": "cpu", "rows": 16}
        out = export.save(folders[family], tmp_path / "again")
        assert not (out / "run-config.json").exists()
        first, second = (evaluate.evaluate(Evaluation(run=str(run), **given)) for run in (folders[family], out))
        assert first == second
        assert evaluate.evaluate(Evaluation(run=str(out), **given, length=12))["loss"] != first["loss"]
        with pytest.raises(ValueError, match=r"length = 1000: must be at most \d+ for this model"):
            evaluate.evaluate(Evaluation(run=str(out), **given, length=1000))
        with pytest.raises(ValueError, match="does not say on what it was trained: give a --text"):
            evaluate.evaluate(Evaluation(run=str(out)))

    def test_it_is_asked(self, folders, family):
        tokenizer = export.load(folders[family]).tokenizer
        text = generate.generate(Question(run=str(folders[family]), prompt="my [MASK] sees a dog", tokens=5))
        names = [name for name in SPECIAL[family] if name != "[MASK]" or family == "bert"]
        assert not any(name in text for name in names)
        assert len(tokenizer.encode(text)) >= 5


def test_bert_is_fine_tuned(folders, tmp_path):
    task = tmp_path / "task"
    task.mkdir()
    for part in ("train", "validation"):
        rows = ["sentence\tlabel", *(f"the {'king' if k % 2 else 'dog'} sees me\t{k % 2}" for k in range(40))]
        (task / f"{part}.tsv").write_text("\n".join(rows), encoding="utf-8")
    settings = Finetuning(run=str(folders["bert"]), task=str(task), out=str(tmp_path / "out"), epochs=20)
    results = finetune.finetune(settings, quiet=True)
    assert results["pretrained"]["mean"] > 0.9


def test_a_bert_with_the_second_head_keeps_it_where_it_is_used(small, folders):
    both = trained(small(**begun_with(folders, "bert"), steps=2, next_sentence=True))
    assert export.load(both.folder).model.size.next_sentence


@pytest.mark.parametrize(
    ("family", "file", "text", "message"),
    [
        ("bert", "config.json", {"hidden_act": "relu"}, "json: hidden_act = 'relu': must be 'gelu' for our bert"),
        ("bert", "config.json", {"num_hidden_layers": 1}, "are of another model: bert.encoder.layer.1.* here"),
        ("bert", "config.json", "[]", r"config.json cannot be read: must be an object, is \[\]"),
        ("bert", "tokenizer.json", "{}", "the tokenizer .*tokenizer.json cannot be read"),
        ("bert", "tokenizer.json", None, "has no tokenizer.json: load and save its tokenizer once"),
        ("gpt2", "model.safetensors", "", "the weights .*model.safetensors cannot be read"),
        ("gpt2", "model.safetensors", None, "the weights .*model.safetensors cannot be read: No such file"),
    ],
)
def test_what_cannot_be_loaded_is_named_in_one_line(folders, tmp_path, family, file, text, message):
    folder = shutil.copytree(folders[family], tmp_path / "folder")
    if isinstance(text, dict):
        text = json.dumps(json.loads((folder / file).read_text()) | text)
    (folder / file).unlink() if text is None else (folder / file).write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        export.load(folder)
    assert "\n" not in str(error.value)


def test_a_model_that_has_to_be_unpickled_and_another_tokenizer_are_refused(folders, tmp_path):
    folder = shutil.copytree(folders["bert"], tmp_path / "folder")
    shutil.copy(folders["gpt2"] / "tokenizer.json", folder)
    with pytest.raises(ValueError, match=r"has .* tokens of kind gpt2: must have at most the \d+ of the model, a bert"):
        export.load(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"has pytorch_model.bin, which is not read here: .*save_pretrained"):
        export.load(folder)


def test_a_run_does_not_begin_where_a_model_is(small, folders, tmp_path):
    folder = shutil.copytree(folders["bert"], tmp_path / "folder")
    with pytest.raises(ValueError, match="folder has a model, and no run: give another --out"):
        trained(small(out=str(folder)))


# ---- To transformers -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(together):
    """A run of each family."""
    settings = {**SIZE, "steps": 2, "vocabulary": 400}
    return {family: trained(together(f"out-{family}", model=MODEL[family], **settings)) for family in AUTO}


@pytest.fixture
def warnings(monkeypatch):
    """What transformers warns of."""
    lines = []
    for level in ("warning", "warning_once", "error"):
        for name in ("modeling_utils", "tokenization_utils_base", "generation.utils", "configuration_utils"):
            logger = sys.modules[f"transformers.{name}"].logger
            monkeypatch.setattr(logger, level, lambda *text, **_: lines.append(text))
    return lines


@pytest.mark.parametrize("family", AUTO)
class TestOurs:
    def test_transformers_loads_it_with_the_same_logits_and_tokens(self, runs, family, tmp_path, warnings):
        out = export.save(runs[family].folder, tmp_path / "out")
        ours = export.load(runs[family].folder)
        other, info = AUTO[family].from_pretrained(out, output_loading_info=True)
        assert not any(info.values()), info
        assert other.dtype == torch.float32
        check_same_logits(ours.model, other, len(ours.tokenizer))
        tokenizer = AutoTokenizer.from_pretrained(out)
        assert len(tokenizer) == len(ours.tokenizer) == other.config.vocab_size
        assert tokenizer.model_max_length == 16
        assert set(tokenizer.all_special_tokens) == set(SPECIAL[family])
        number, last = ours.tokenizer.number, SPECIAL[family][-1]
        before, after = {"bert": (["[CLS]"], ["[SEP]"]), "gpt2": ([], []), "t5": ([], ["</s>"])}[family]
        for text in ("The old king sees a dog.", "Émile", "a 漢 🙂", ""):
            expected = [*map(number.get, before), *ours.tokenizer.encode(text), *map(number.get, after)]
            assert tokenizer(text)["input_ids"] == expected
        assert number[last] in tokenizer(f"the {last} dog")["input_ids"]
        assert ("token_type_ids" in tokenizer("a")) == (family == "bert")
        assert tokenizer(["a dog", "a"], padding=True)["attention_mask"][1][-1] == 0
        if family != "bert":
            given = tokenizer("the old king", return_tensors="pt")
            other.generate(**given, max_new_tokens=3, do_sample=False)
        assert warnings == []

    def test_it_comes_back_as_it_was(self, runs, family, tmp_path):
        out = export.save(runs[family].folder, tmp_path / "deep" / "out")
        run, back = export.load(runs[family].folder), export.load(out)
        assert back.tokenizer.content == run.tokenizer.content
        assert back.model.size == run.model.size
        assert all(torch.equal(t, run.model.state_dict()[name]) for name, t in back.model.state_dict().items())
        losses = [evaluate.evaluate(Evaluation(run=str(f), rows=8, device="cpu")) for f in (runs[family].folder, out)]
        assert losses[0] == losses[1]


def test_a_pair_of_texts_has_two_segments(runs, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(export.save(runs["bert"].folder, tmp_path / "out"))
    pair = tokenizer("a dog", "the king")
    tokens, segments = tokenizer.convert_ids_to_tokens(pair["input_ids"]), pair["token_type_ids"]
    assert tokens[0] == "[CLS]"
    assert (tokens.count("[CLS]"), tokens.count("[SEP]")) == (1, 2)
    assert (segments[0], segments[-1]) == (0, 1)
