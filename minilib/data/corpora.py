"""What is read in pretraining: prose by name, or your own files; a twentieth of it is held out for validation.

`docstrings` needs no download and is the same wherever the locked packages are (`records.same_corpus`). `novels` are
100 English novels in the public domain (14 million words), `wikitext-103` articles of the English Wikipedia (103
million), `c4-sample` 356,000 English web pages; they are downloaded once, see `minilib.data.catalogue`.
Text in files is not held in memory, see `files`.

Deliberately absent: shuffling (the loader does it), and languages: nothing here knows about English.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from minilib.data import docstrings, files, hub_datasets
from minilib.data.catalogue import get
from minilib.data.novels import novels
from minilib.data.package_docs import VALIDATION_SHARE
from minilib.data.progress import Say, silent

NAMES = ("docstrings", "novels", "wikitext-103", "c4-sample")
HUB = re.compile(r"[\w-][\w.-]*/[\w.-]+(:[\w.-]+)?")
C4 = "c4-sample/c4-train.00000-of-01024.jsonl.gz"


class Texts(NamedTuple):
    """Documents: strings whose lines are paragraphs, in a fixed order; those of files are `files.Documents`."""

    name: str
    train: Iterable[str]
    validation: Iterable[str]
    how: str = ""  # the second was chosen

    @property
    def fingerprint(self) -> str:
        """The same for the same two parts."""
        return hashlib.sha256(" ".join(map(files.fingerprint, (self.train, self.validation))).encode()).hexdigest()


def corpus(name: str, validation: str | None = None, field: str = "text", say: Say = silent) -> Texts:
    """The corpus "docstrings" (a document is a paragraph), "novels" (a novel), "wikitext-103", "c4-sample", or another.

    Your own text is a file, or a folder with all that lies below it: .txt files, each a document, and .jsonl files,
    also packed with gzip, each line a document that has its text under the name `field`. Every file gives a twentieth
    for validation. Any other "OWNER/NAME", "OWNER/NAME:CONFIGURATION" or "hf:NAME" is a data set of the Hugging Face
    Hub, see `hub_datasets.from_hub`.

    `validation` is the path of other text that is held out in place of a part of the corpus.

    ValueError: no corpus and no text of that name, or none in it; a file that cannot be read or downloaded.
    """
    if name == "docstrings":
        docs = docstrings(say=say)
        texts = Texts(name, docs.train.split("\n\n"), docs.validation.split("\n\n"), "a twentieth of the files")
    elif name == "novels":
        texts = Texts(name, *parts(novels()), "the last twentieth of each novel")
    elif (folder := elsewhere(name, field, say)) is not None:
        how = (folder / hub_datasets.HOW).read_text(encoding="utf-8")
        both = [files.whole(str(folder / f"{part}.jsonl"), "text", "corpus", say) for part in ("train", "validation")]
        texts = Texts(name, *both, how)
    else:
        path = str(get(C4)) if name == "c4-sample" else name
        if validation is None:
            texts = Texts(name, *files.last_twentieths(path, field, say), "the last twentieth of each file")
        else:
            texts = Texts(name, files.whole(path, field, "corpus", say), [])
    if validation is not None:
        held = files.whole(validation, field, "validation", say)
        train = texts.train + texts.validation  # of files: nothing but training, or a copy's own part
        if not files.characters(held) or not files.characters(train):
            raise ValueError(f"validation = {validation!r}: it and the corpus must have a paragraph each")
        texts = Texts(name, train, held, validation)
    return texts


def elsewhere(name: str, field: str, say: Say) -> Path | None:
    """The folder with the copy of a corpus that is no file here; None: it is one. ValueError: it is neither."""
    if name == "wikitext-103":
        return hub_datasets.wikitext(say)
    if name.startswith("hf:"):
        return hub_datasets.from_hub(name.removeprefix("hf:"), field, say)
    if name == "c4-sample" or (name and Path(name).exists()):
        return None
    if HUB.fullmatch(name):
        return hub_datasets.from_hub(name, field, say)
    raise ValueError(
        f"corpus = {name!r}: must be one of {', '.join(map(repr, NAMES))}, a file or folder of text that exists, or a"
        " data set of the Hugging Face Hub (OWNER/NAME)"
    )


def parts(novels: dict[str, str]) -> tuple[list[str], list[str]]:
    """Training and validation documents of some files (name -> text): of each the last twentieth of its characters.

    The cut is at the last line end before that: 12 of the novels have no blank line, and are one paragraph each.
    """
    both = [], []
    for name in sorted(novels):
        text = novels[name]
        cut = text.rfind("\n", 0, len(text) * (VALIDATION_SHARE - 1) // VALIDATION_SHARE) + 1
        for part, own in zip(both, (text[:cut], text[cut:]), strict=True):
            if document := "\n".join(files.paragraphs(own.split("\n"))):
                part.append(document)
    return both
