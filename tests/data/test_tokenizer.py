"""The tokenizers: the same in every process, made once, and without loss where that is promised."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers

from minilib.data import tokenizer as module
from minilib.data.corpora import Texts
from minilib.data.tokenizer import SPECIAL, get_tokenizer, of_tokens, read, sample, train

SENTENCES = [
    "The smallest batch is the one that fits; the largest is the one that pays.",
    "A learner learns: learning, learnt, unlearned; batches batched, batching and unbatched.",
    "Émile said: “naïve optimisers optimise naïvely” (twice!).",
    "Steps are stepped, stepping; a stepwise learner takes the largest step that fits.",
]
DOCUMENTS = [f"{a}\n{b} {i}." for i, (a, b) in enumerate((a, b) for a in SENTENCES for b in SENTENCES)]
TEXTS = Texts("test", DOCUMENTS, ["Nothing of the kind."])


pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize("kind", SPECIAL)
def test_special_tokens_come_first_and_in_a_text_they_are_ordinary(kind):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    assert tokenizer.tokens[: tokenizer.special] == SPECIAL[kind]
    assert [tokenizer.tokens[i] for i in np.flatnonzero(tokenizer.is_special)] == SPECIAL[kind]
    assert len(set(tokenizer.tokens)) == len(tokenizer) <= 400
    ids = tokenizer.encode("learn " + " ".join(SPECIAL[kind]))
    assert not {tokenizer.number[SPECIAL[kind][-1]], tokenizer.separator} & set(ids.tolist())


@pytest.mark.parametrize("kind", SPECIAL)
def test_one_that_others_have_trained_is_read_and_keeps_its_rules_and_numbers(kind):
    """Here the special tokens come last, backwards, and texts are cut and filled up."""
    ours = get_tokenizer(TEXTS, kind, 400)
    names = [t for t in ours.tokens if t not in SPECIAL[kind]] + SPECIAL[kind][::-1]
    inner = of_tokens(kind, names, json.loads(ours.content)["model"].get("merges", [])).inner
    inner.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()])
    inner.enable_truncation(4)
    inner.enable_padding(length=9)
    theirs = read(inner.to_str())
    assert (theirs.kind, theirs.tokens) == (kind, names)
    assert [theirs.tokens[i] for i in np.flatnonzero(theirs.is_special)] == SPECIAL[kind][::-1]
    assert theirs.tokens[theirs.separator] == ours.tokens[ours.separator]
    assert [theirs.tokens[i] for i in theirs.sentinels] == [t for t in SPECIAL[kind] if "extra_id" in t]
    ids = theirs.encode("The LARGEST step " + " ".join(SPECIAL[kind]))
    assert len(ids) > 9
    assert {theirs.tokens[i] for i in ids} & set(SPECIAL[kind]) <= {"[UNK]"}
    assert theirs.decode(theirs.encode("LEARN learner")).strip() == "learn learner"


@pytest.mark.parametrize("kind", SPECIAL)
def test_it_is_trained_once_and_anew_for_other_text_another_kind_or_size(kind, cache):
    def trained():
        return len(list((cache / "pretrain").iterdir()))

    first = get_tokenizer(TEXTS, kind, 400)
    assert get_tokenizer(TEXTS._replace(validation=[]), kind, 400).content == first.content
    assert trained() == 1
    get_tokenizer(TEXTS, kind, 401)
    get_tokenizer(TEXTS._replace(train=DOCUMENTS[1:]), kind, 400)
    get_tokenizer(TEXTS, "t5" if kind == "gpt2" else "gpt2", 400)
    assert trained() == 4


def test_two_processes_with_other_hash_seeds_and_threads_train_the_same():
    code = (
        "import json, sys; from minilib.data.tokenizer import train; texts = json.load(sys.stdin);"
        "print(json.dumps([train(texts, kind, 400) for kind in sys.argv[1:]]))"
    )
    how = {"args": [sys.executable, "-c", code, *SPECIAL], "input": json.dumps(DOCUMENTS), "text": True}
    trained = json.dumps([train(DOCUMENTS, kind, 400) for kind in SPECIAL])
    for changes in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "TOKENIZERS_PARALLELISM": "false"}):
        done = subprocess.run(**how, env=os.environ | changes, capture_output=True, check=True)
        assert done.stdout.strip() == trained


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_byte_level_tokens_lose_nothing_of_any_text(kind):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    for text in [*SENTENCES, "tabs\t and\n\n lines", "an unseen 漢字 and 🙂", " ", ""]:
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_wordpiece_lowers_case_strips_accents_and_marks_what_carries_on_a_word():
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    assert tokenizer.decode(tokenizer.encode("LEARNER Émile.")).replace(" .", ".") == "learner emile."
    assert tokenizer.encode("漢 learner").tolist() == [tokenizer.number["[UNK]"], *tokenizer.encode("learner")]
    marked = {tokenizer.tokens[i] for i in np.flatnonzero(tokenizer.continuations())}
    assert "##e" in marked == {t for t in tokenizer.tokens if t.startswith("##")}
    assert not marked & {"##.", "##;", "##("}
    signs = "".join(chr(0x4E00 + i % 700) + " " + chr(0xE000 + i % 7) for i in range(7_000))  # at most half of it
    assert sum(len(t.removeprefix("##")) == 1 for t in train([signs, "learn " * 100], "bert", 301)["tokens"]) <= 148


@pytest.mark.parametrize("size", [300, 700, 1100, 5000])
def test_of_a_long_text_blocks_at_equal_distances_are_the_sample(monkeypatch, size):
    monkeypatch.setattr(module, "SAMPLE", size)
    monkeypatch.setattr(module, "BLOCK", 100)
    said, every = [], -(-2999 // size)
    chosen = [int(line) for line in sample(["\n".join(f"{k:09}" for k in range(300))], said.append)]
    assert chosen == [k for k in range(300) if 9 * k // 100 % every == 0]
    assert said == ["training a tokenizer on 0 of 0 million characters"]


def one_without(kind):
    tokens = {t: i for i, t in enumerate(SPECIAL[kind][1:])}
    return Tokenizer(models.WordLevel(tokens, unk_token="a")).to_str()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda text=text: read(text), "line 1 column") for text in ("", "{}", "[]", '{"kind": "gpt2"}')),
        *((lambda kind=kind: read(one_without(kind)), r"has the special tokens of no kind \(bert") for kind in SPECIAL),
        (lambda: get_tokenizer(TEXTS, "gpt", 400), "kind = 'gpt': must be one of bert, gpt2, t5"),
        (lambda: get_tokenizer(TEXTS, "bert", 260), "vocabulary = 260: must be at least 261 for bert"),
        (lambda: get_tokenizer(TEXTS, "t5", 357), "vocabulary = 357: must be at least 358 for t5"),
    ],
)
def test_what_is_no_tokenizer_and_what_cannot_be_trained_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_numbers_are_stored_in_16_bits_where_they_fit():
    names = ["<|endoftext|>", *map(str, range(2**16))]
    assert [of_tokens("gpt2", some).dtype for some in (names[:-1], names)] == [np.uint16, np.uint32]
