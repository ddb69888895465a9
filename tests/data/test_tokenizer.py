"""The tokenizers: the same in every process, made once, and without loss where that is promised."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import tokenizers
from tokenizers import normalizers

from minilib.data.corpora import Texts
from minilib.data.tokenizer import SPECIAL, get_tokenizer, of_tokens, read, train

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
class TestEveryKind:
    def test_special_tokens_come_first_and_only_they_are_marked_and_the_size_is_kept(self, kind):
        tokenizer = get_tokenizer(TEXTS, kind, 400)
        assert tokenizer.tokens[: tokenizer.special] == SPECIAL[kind]
        assert [tokenizer.tokens[i] for i in np.flatnonzero(tokenizer.is_special)] == SPECIAL[kind]
        assert len(set(tokenizer.tokens)) == len(tokenizer) == len(tokenizer.is_special) <= 400
        assert tokenizer.number[tokenizer.tokens[-1]] == len(tokenizer) - 1
        ids = tokenizer.encode("learn " + " ".join(SPECIAL[kind]))  # names of special tokens are ordinary text
        assert not {tokenizer.number[SPECIAL[kind][-1]], tokenizer.separator} & set(ids.tolist())

    def test_one_with_other_rules_and_other_numbers_is_read_and_keeps_them(self, kind):
        """As others trained it: here the special tokens come last, backwards, and texts are cut and filled up."""
        ours = get_tokenizer(TEXTS, kind, 400)
        names = [t for t in ours.tokens if t not in SPECIAL[kind]] + SPECIAL[kind][::-1]
        merges = json.loads(ours.content)["model"].get("merges", [])
        inner = of_tokens(kind, names, merges).inner
        inner.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase()])
        inner.enable_truncation(4)
        inner.enable_padding(length=9)
        theirs = read(inner.to_str())
        assert (theirs.kind, theirs.tokens) == (kind, names)
        assert [theirs.tokens[i] for i in np.flatnonzero(theirs.is_special)] == SPECIAL[kind][::-1]
        assert theirs.tokens[theirs.separator] == ours.tokens[ours.separator]
        assert [theirs.tokens[i] for i in theirs.sentinels] == [t for t in SPECIAL[kind] if "extra_id" in t]
        text = "The LARGEST step " + " ".join(SPECIAL[kind])
        assert len(theirs.encode(text)) > 9
        assert {theirs.tokens[i] for i in theirs.encode(text)} & set(SPECIAL[kind]) <= {"[UNK]"}
        assert theirs.decode(theirs.encode("LEARN learner")).strip() == "learn learner"
        assert theirs.content != ours.content

    def test_one_without_the_special_tokens_or_without_room_for_bytes_is_an_error(self, kind):
        tokens = [t for t in get_tokenizer(TEXTS, kind, 400).tokens if t != SPECIAL[kind][0]]
        inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({t: i for i, t in enumerate(tokens)}, unk_token="a"))
        with pytest.raises(ValueError, match=r"it has the special tokens of no kind \(bert: \[PAD\], .*; gpt2"):
            read(inner.to_str())
        least = 256 + len(SPECIAL[kind])
        with pytest.raises(ValueError, match=f"vocabulary = 255: must be at least {least} for {kind}"):
            get_tokenizer(TEXTS, kind, 255)

    def test_the_second_call_reads_what_the_first_one_trained_and_other_text_kind_or_size_is_another(self, kind, cache):
        first = get_tokenizer(TEXTS, kind, 400)
        (path,) = (cache / "pretrain").iterdir()
        written = path.stat().st_mtime_ns
        for texts in (TEXTS, TEXTS._replace(validation=[])):  # which does not matter
            assert get_tokenizer(texts, kind, 400).content == first.content
        assert path.stat().st_mtime_ns == written
        get_tokenizer(TEXTS, kind, 401)
        get_tokenizer(TEXTS._replace(train=DOCUMENTS[1:]), kind, 400)
        get_tokenizer(TEXTS, "t5" if kind == "gpt2" else "gpt2", 400)
        assert len(list(path.parent.iterdir())) == 4


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


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"kind": "gpt2", "tokens": ["<|endoftext|>"], "merges": []}'])
def test_a_text_that_is_no_tokenizer_is_an_error(text):
    with pytest.raises(ValueError, match="line 1 column"):
        read(text)


@pytest.mark.parametrize("kind", ["gpt2", "t5"])
def test_byte_level_tokens_lose_nothing_of_any_text(kind):
    tokenizer = get_tokenizer(TEXTS, kind, 400)
    for text in [*SENTENCES, "tabs\t and\n\n lines", "an unseen 漢字 and 🙂", " ", ""]:
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_wordpiece_lowers_case_strips_accents_and_knows_only_its_characters():
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    np.testing.assert_array_equal(tokenizer.encode("LEARNER Émile"), tokenizer.encode("learner emile"))
    assert tokenizer.decode(tokenizer.encode("Émile learned.")).replace(" .", ".") == "emile learned."
    assert tokenizer.encode("漢 learner").tolist() == [tokenizer.number["[UNK]"], *tokenizer.encode("learner")]


def test_continuations_are_the_marked_pieces_and_punctuation_has_none():
    tokenizer = get_tokenizer(TEXTS, "bert", 400)
    marked = {tokenizer.tokens[i] for i in np.flatnonzero(tokenizer.continuations())}
    assert marked == {t for t in tokenizer.tokens if t.startswith("##")}
    assert "##e" in marked
    assert not marked & {"##.", "##;", "##("}


def test_characters_take_at_most_half_of_a_vocabulary():
    text = "".join(chr(0x4E00 + i % 700) + " " + chr(0xE000 + i % 7) for i in range(7_000))  # 700 signs with blanks
    tokenizer = train([text, "learn " * 100], "bert", 301)["tokens"]
    assert sum(len(t.removeprefix("##")) == 1 for t in tokenizer) <= 148


def test_an_unknown_kind_is_an_error_that_lists_the_kinds():
    with pytest.raises(ValueError, match="kind = 'gpt': must be one of bert, gpt2, t5"):
        get_tokenizer(TEXTS, "gpt", 400)


def test_numbers_are_stored_in_16_bits_where_they_fit():
    names = ["<|endoftext|>", *map(str, range(2**16))]
    assert of_tokens("gpt2", names[:-1]).dtype == np.uint16
    assert of_tokens("gpt2", names).dtype == np.uint32
