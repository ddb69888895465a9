"""Tokenizers, trained on the corpus of the run.

Three kinds, each as published: "bert" is a lower-cased WordPiece (Devlin et al. 2019), "gpt2" a byte-level BPE (Radford
et al. 2019), "t5" the same BPE with T5's special tokens (Raffel et al. 2020 use a unigram model over sentence pieces).
The library `tokenizers` trains and encodes. A tokenizer is trained once: it lies in `data_folder()/pretrain/`, under a
name that says from what it was made, and is checked by its sha256 when it is read. `inner.to_str()` is the library's
own format, which a trained model carries as `tokenizer.json`; `read` reads it.

Deliberately absent: padding and truncation (rows are packed, see `packing`), and special tokens in raw text: "[MASK]"
in a text is two brackets and a word.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from minilib.datasets import data_folder
from minilib.datasets.download import cached, digest
from minilib.training.data.corpora import Texts, fingerprint

# The special tokens of each kind: they have the first numbers, in this order.
SPECIAL = {
    "bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "gpt2": ["<|endoftext|>"],
    "t5": ["<pad>", "</s>", *(f"<extra_id_{k}>" for k in range(100))],
}
SEPARATOR = {"bert": "[SEP]", "gpt2": "<|endoftext|>", "t5": "</s>"}  # ends a document
CONTINUES = "##"  # how a WordPiece begins that carries on a word


class Tokenizer:
    """A trained tokenizer. `Tokenizer(**other.content)` is an equal one; `content` goes into JSON.

    Attributes:
        number: token -> its number.
        special: how many special tokens there are: they have the numbers below it.
        separator: number of the token that ends a document.
        dtype: of stored numbers, uint16 where they fit.
    """

    def __init__(self, kind: str, tokens: list[str], merges: list[list[str]]) -> None:
        self.content = {"kind": kind, "tokens": tokens, "merges": merges}
        self.kind, self.tokens = kind, tokens
        self.number = {token: i for i, token in enumerate(tokens)}
        self.special = len(SPECIAL[kind])
        self.separator = self.number[SEPARATOR[kind]]
        self.dtype = np.uint16 if len(tokens) <= 2**16 else np.uint32
        if kind == "bert":
            self.inner = untrained(kind, models.WordPiece(self.number, unk_token="[UNK]"))
        else:
            self.inner = untrained(kind, models.BPE(self.number, [(a, b) for a, b in merges]))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> np.ndarray:
        """(n,) int64, without special tokens but for [UNK]."""
        return np.array(self.inner.encode(text).ids, dtype=np.int64)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these numbers, special tokens shown; BERT's has lost case, accents and line ends."""
        return self.inner.decode([int(i) for i in ids], skip_special_tokens=False)

    def continuations(self) -> np.ndarray:
        """(V,) bool: which tokens carry on a word (WordPiece only)."""
        return np.array([t.startswith(CONTINUES) and i >= self.special for i, t in enumerate(self.tokens)])


def read(text: str) -> Tokenizer:
    """The tokenizer whose `inner.to_str()` this text is. ValueError: it is another's, or no tokenizer at all."""
    try:
        inner = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library has no narrower one
        raise ValueError(error) from None
    number, model = inner.get_vocab(), json.loads(inner.to_str())["model"]
    tokens = sorted(number, key=number.get)
    for kind, special in SPECIAL.items():
        if tokens[: len(special)] == special:
            tokenizer = Tokenizer(kind, tokens, model.get("merges", []))
            if tokenizer.inner.to_str() == inner.to_str():
                return tokenizer
    raise ValueError(f"it splits texts by other rules than {', '.join(SPECIAL)} do here")


def untrained(kind: str, model) -> tokenizers.Tokenizer:
    """What the kinds do before and after `model`."""
    made = tokenizers.Tokenizer(model)
    if kind == "bert":
        made.normalizer = normalizers.BertNormalizer(lowercase=True)
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.decoder = decoders.WordPiece(prefix=CONTINUES)
    else:
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
    return made


def get_tokenizer(texts: Texts, kind: str, vocabulary: int) -> Tokenizer:
    """The tokenizer of that kind with at most `vocabulary` tokens, trained on `texts.train` or read from the cache.

    A short text gives fewer tokens: pairs that occur once are not joined.

    Raises:
        ValueError: no such kind, or fewer tokens than special tokens and 256 bytes.
    """
    if kind not in SPECIAL:
        raise ValueError(f"kind = {kind!r}: must be one of {', '.join(SPECIAL)}")
    if vocabulary < (least := len(SPECIAL[kind]) + 256):
        raise ValueError(f"vocabulary = {vocabulary}: must be at least {least} for {kind}")
    made_from = {"texts": fingerprint(texts.train), "kind": kind, "vocabulary": vocabulary}
    # Beside the arguments, this file and the library decide.
    made_from |= {"rules": Path(__file__).read_text(encoding="utf-8"), "tokenizers": tokenizers.__version__}
    path = data_folder() / "pretrain" / f"tokenizer-{kind}-{digest(made_from)[:16]}.json"
    return Tokenizer(kind, **cached(path, lambda: train(texts.train, kind, vocabulary)))


def train(documents: list[str], kind: str, vocabulary: int) -> dict:
    """`tokens` in the order of their numbers and `merges` of a tokenizer; the same in every process.

    The library's WordPiece trainer is not: it numbers the single "##" characters in the order of a hash table, and
    the numbers break ties between equally frequent pairs. So they are handed to it in alphabetical order, as if they
    were special tokens, whose numbers it takes as they come.
    """
    options = {"vocab_size": vocabulary, "min_frequency": 2, "show_progress": False}
    if kind == "bert":
        model, letters = untrained(kind, models.WordPiece(unk_token="[UNK]")), alphabet(documents, vocabulary)
        inside = [c for c in letters if len(model.pre_tokenizer.pre_tokenize_str("a" + c)) == 1]  # no punctuation
        special = SPECIAL[kind] + [CONTINUES + c for c in inside]
        options |= {"initial_alphabet": letters, "limit_alphabet": len(letters)}
        trainer = trainers.WordPieceTrainer(special_tokens=special, continuing_subword_prefix=CONTINUES, **options)
    else:
        model, letters = untrained(kind, models.BPE()), sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(special_tokens=SPECIAL[kind], initial_alphabet=letters, **options)
    lines = (line for document in documents for line in document.split("\n"))  # short strings: less memory
    model.train_from_iterator(lines, trainer)
    number = model.get_vocab()
    merges = [] if kind == "bert" else json.loads(model.to_str())["model"]["merges"]
    return {"tokens": sorted(number, key=number.get), "merges": merges}


def alphabet(documents: list[str], vocabulary: int) -> list[str]:
    """The characters that WordPiece may use, in order: the most frequent ones, so that they take half at most."""
    raw, counts = Counter(), Counter()
    for document in documents:
        raw.update(document)
    normal = untrained("bert", models.WordPiece(unk_token="[UNK]")).normalizer
    for character, count in raw.items():
        for plain in normal.normalize_str(character):
            counts[plain] += count
    frequent = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))
    return sorted(frequent[: (vocabulary - len(SPECIAL["bert"])) // 4])
