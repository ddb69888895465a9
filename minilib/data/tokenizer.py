"""Tokenizers, trained on the corpus of the run.

Three kinds: "bert" cuts lower-cased words as WordPiece does (Devlin et al. 2019), "gpt2" is a byte-level BPE (Radford
et al. 2019), "t5" the same BPE with T5's special tokens (Raffel et al. 2020 use a unigram model over sentence pieces).
The library `tokenizers` trains and encodes. It joins the most frequent pair for all three; WordPiece as its authors
describe it (Schuster and Nakajima 2012) joins the pair that raises the likelihood most, and BERT's trainer is not
public. A tokenizer is trained once: it lies in `data_folder()/pretrain/`, under a name that says from what it was made,
and is checked by its sha256 when it is read. A trained model carries its tokenizer as `tokenizer.json`, the library's
own format, which transformers reads too; `read` reads it, and likewise that of a BERT, GPT-2 or T5 which others have
trained.

It is trained on the whole corpus, or on a sample of 200 million characters of a larger one: blocks of about 100,000
characters at equal distances. More text changes little in which words are frequent, and the sample fits into memory.

Deliberately absent: padding and truncation (rows are packed, see `packing`), and special tokens in raw text: "[MASK]"
in a text is two brackets and a word.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from minilib import needs
from minilib.data import data_folder
from minilib.data.corpora import Texts
from minilib.data.download import cached, digest
from minilib.data.files import characters, fingerprint, lines
from minilib.data.progress import Progress, Say, silent

with needs("train"):
    import tokenizers
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

# The special tokens of each kind. In a tokenizer that is trained here they have the first numbers, in this order.
SPECIAL = {
    "bert": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
    "gpt2": ["<|endoftext|>"],
    "t5": ["<pad>", "</s>", *(f"<extra_id_{k}>" for k in range(100))],
}
SEPARATOR = {"bert": "[SEP]", "gpt2": "<|endoftext|>", "t5": "</s>"}  # ends a document
# How the special tokens go around one text, and two, where they are asked for (here they are not: see `packing`).
AROUND = {"bert": ("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"), "t5": ("$A </s>", "$A </s> $B </s>")}
CONTINUES = "##"  # how a WordPiece begins that carries on a word
SAMPLE, BLOCK = 200_000_000, 100_000  # characters of the corpus that a tokenizer is trained on, and of one block


class Tokenizer:
    """A tokenizer that was trained here, or by others.

    Attributes:
        kind: "bert", "gpt2" or "t5".
        inner: of the library `tokenizers`. It takes the names of special tokens in a text for ordinary text.
        tokens: in the order of their numbers; number: token -> its number.
        is_special: (V,) bool, which tokens are special.
        special: how many of them there are. They have the first numbers if it was trained here; by others, any.
        separator, sentinels: numbers of the token that ends a document, and of T5's <extra_id_0>, <extra_id_1>, ...
        dtype: of stored numbers, uint16 where they fit.
        content: the text of its tokenizer.json. Equal tokenizers have equal ones.

    ValueError: the numbers of its tokens have gaps.
    """

    def __init__(self, kind: str, inner: tokenizers.Tokenizer) -> None:
        self.kind, self.inner, self.number = kind, inner, inner.get_vocab()
        inner.encode_special_tokens = True
        inner.no_truncation()
        inner.no_padding()
        self.tokens = sorted(self.number, key=self.number.get)
        if self.number[self.tokens[-1]] != len(self.tokens) - 1:
            raise ValueError(f"its {len(self.tokens)} tokens have numbers up to {self.number[self.tokens[-1]]}")
        added = {token.content for token in inner.get_added_tokens_decoder().values() if token.special}
        special = added | set(SPECIAL[kind])
        self.is_special = np.array([token in special for token in self.tokens])
        self.special = int(self.is_special.sum())
        self.separator = self.number[SEPARATOR[kind]]
        self.sentinels = np.array([self.number[token] for token in SPECIAL[kind] if token.startswith("<extra_id_")])
        self.dtype = np.uint16 if len(self.tokens) <= 2**16 else np.uint32
        self.content = inner.to_str()

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> np.ndarray:
        """(n,) int64, without special tokens but for [UNK]."""
        return np.array(self.inner.encode(text, add_special_tokens=False).ids, dtype=np.int64)

    def encode_all(self, texts: list[str]) -> list[list[int]]:
        """The numbers of each text, as of `encode`; several at once are faster."""
        return [encoding.ids for encoding in self.inner.encode_batch_fast(texts, add_special_tokens=False)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these numbers, special tokens shown; BERT's has lost case, accents and line ends."""
        return self.inner.decode([int(i) for i in ids], skip_special_tokens=False)

    def continuations(self) -> np.ndarray:
        """(V,) bool: which tokens carry on a word (WordPiece only)."""
        return np.array([t.startswith(CONTINUES) for t in self.tokens]) & ~self.is_special


def read(text: str) -> Tokenizer:
    """The tokenizer with this tokenizer.json, from here or from elsewhere.

    ValueError: it is none, or has not the special tokens of BERT, GPT-2 or T5.
    """
    try:
        inner = tokenizers.Tokenizer.from_str(text)
    except Exception as error:  # the library has no narrower one
        raise ValueError(error) from None
    known = inner.get_vocab()
    for kind, special in SPECIAL.items():
        if all(token in known for token in special):
            return Tokenizer(kind, inner)
    names = "; ".join(f"{kind}: {', '.join(special[:5])}" for kind, special in SPECIAL.items())
    raise ValueError(f"it has the special tokens of no kind ({names})")


def of_tokens(kind: str, tokens: list[str], merges: Iterable = ()) -> Tokenizer:
    """The tokenizer of a kind with these tokens, in the order of their numbers, and joins of pairs (not BERT's).

    Its tokenizer.json says everything: others read there that a text is put between [CLS] and [SEP], or ended by </s>.
    """
    number = {token: i for i, token in enumerate(tokens)}
    bert = kind == "bert"
    model = models.WordPiece(number, unk_token="[UNK]") if bert else models.BPE(number, [(a, b) for a, b in merges])
    tokenizer = untrained(kind, model)
    tokenizer.add_special_tokens(SPECIAL[kind])
    if kind in AROUND:
        one, two = AROUND[kind]
        used = [(token, number[token]) for token in SPECIAL[kind] if token in one]
        tokenizer.post_processor = processors.TemplateProcessing(single=one, pair=two, special_tokens=used)
    return Tokenizer(kind, tokenizer)


def untrained(kind: str, model) -> tokenizers.Tokenizer:
    tokenizer = tokenizers.Tokenizer(model)
    if kind == "bert":
        tokenizer.normalizer = normalizers.BertNormalizer()
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece(prefix=CONTINUES)
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def get_tokenizer(texts: Texts, kind: str, vocabulary: int, say: Say = silent) -> Tokenizer:
    """The tokenizer of that kind with at most `vocabulary` tokens, trained on `texts.train` or read from the cache.

    A short text gives fewer tokens: pairs that occur once are not joined. A long one is sampled, see `sample`.

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
    return of_tokens(kind, **cached(path, lambda: train(texts.train, kind, vocabulary, say)))


def train(documents: Iterable[str], kind: str, vocabulary: int, say: Say = silent) -> dict:
    """`tokens` in the order of their numbers and `merges` of a tokenizer; the same in every process.

    The library's WordPiece trainer is not: it numbers the single "##" characters in the order of a hash table, and
    the numbers break ties between equally frequent pairs. So they are handed to it in alphabetical order, as if they
    were special tokens, whose numbers it takes as they come.
    """
    options = {"vocab_size": vocabulary, "min_frequency": 2, "show_progress": False}
    text = sample(documents, say)  # short strings: less memory
    if kind == "bert":
        model, letters = untrained(kind, models.WordPiece(unk_token="[UNK]")), alphabet(text, vocabulary)
        inside = [c for c in letters if len(model.pre_tokenizer.pre_tokenize_str("a" + c)) == 1]  # no punctuation
        special = SPECIAL[kind] + [CONTINUES + c for c in inside]
        options |= {"initial_alphabet": letters, "limit_alphabet": len(letters)}
        trainer = trainers.WordPieceTrainer(special_tokens=special, continuing_subword_prefix=CONTINUES, **options)
    else:
        model, letters = untrained(kind, models.BPE()), sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(special_tokens=SPECIAL[kind], initial_alphabet=letters, **options)
    model.train_from_iterator(text, trainer)
    number = model.get_vocab()
    merges = [] if kind == "bert" else json.loads(model.to_str())["model"]["merges"]
    return {"tokens": sorted(number, key=number.get), "merges": merges}


def distance(documents: Iterable[str]) -> int:
    """One block in so many is in the sample: 1 where all of them are."""
    return max(1, -(-characters(documents) // SAMPLE))


def sample(documents: Iterable[str], say: Say = silent) -> list[str]:
    """The lines that a tokenizer is trained on: all, or those of blocks at equal distances."""
    every, chosen, seen = distance(documents), [], 0
    progress = Progress(say, "choosing a sample for the tokenizer", characters(documents))
    for _, line in lines(documents):
        if seen // BLOCK % every == 0:
            chosen.append(line)
        seen += len(line)
        progress.add(len(line))
    if seen > SAMPLE // 10:
        say(f"training a tokenizer on {sum(map(len, chosen)) / 1e6:,.0f} of {seen / 1e6:,.0f} million characters")
    return chosen


def alphabet(text: Iterable[str], vocabulary: int) -> list[str]:
    """The characters that WordPiece may use, in order: the most frequent ones, so that they take half at most."""
    raw, counts = Counter(), Counter()
    for line in text:
        raw.update(line)
    normal = untrained("bert", models.WordPiece(unk_token="[UNK]")).normalizer
    for character, count in raw.items():
        for plain in normal.normalize_str(character):
            counts[plain] += count
    frequent = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))
    return sorted(frequent[: (vocabulary - len(SPECIAL["bert"])) // 4])
