"""What is read in pretraining: prose by name, or your own folder; a twentieth of it is held out for validation.

`docstrings` needs no download and is the same wherever the locked packages are (`records.same_corpus`). `novels` are
100 English novels in the public domain (about 14 million words; github.com/computationalstylistics/100_english_novels)
where the cache folder has them.

Deliberately absent: shuffling (the loader does it), and languages: nothing here knows about English.
"""

import hashlib
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from minilib.datasets import data_folder, docstrings, text_folder
from minilib.datasets.corpus import VALIDATION_SHARE, split

NOVELS = "novels/100_english_novels.tar.xz"  # below data_folder()
NOVELS_SHA256 = "277f4e686b460d8d44d0c01e7a7d40eba763da2d06d87e0dbbae58f052a466d9"
NOVELS_SOURCE = "the folder corpus/ of github.com/computationalstylistics/100_english_novels"
BLANK_LINES = re.compile(r"\n\s*\n")


class Texts(NamedTuple):
    """Documents: strings whose lines are paragraphs, in a fixed order."""

    name: str
    train: list[str]
    validation: list[str]  # from other files than `train`, where there are enough files


def corpus(name: str) -> Texts:
    """The corpus "docstrings" (a document is a paragraph), "novels" (a novel), or a folder of .txt files (a file).

    Raises:
        ValueError: no corpus and no folder of that name; a folder without text; the novels are not in the cache.
    """
    if name == "docstrings":
        docs = docstrings()
        return Texts(name, docs.train.split("\n\n"), docs.validation.split("\n\n"))
    if name == "novels":
        return Texts(name, *parts(novels(), name))
    if not Path(name).is_dir():
        raise ValueError(f"corpus = {name!r}: must be 'docstrings', 'novels' or a folder of .txt files that exists")
    return Texts(str(name), *parts(text_folder(name), name))


def parts(files: dict[str, str], corpus: str) -> tuple[list[str], list[str]]:
    """Training and validation documents of some files (name -> text).

    About a twentieth of the files is held out, by their names alone, as in `minilib.datasets.corpus`. Where that would
    leave one of the two parts empty, as with a single file, each file gives the last twentieth of its paragraphs.
    ValueError: fewer than two paragraphs.
    """
    documents = {name: lines for name in sorted(files) if (lines := paragraphs(files[name]))}
    train = [lines for name, lines in documents.items() if split(name) == "train"]
    held = [lines for name, lines in documents.items() if split(name) == "validation"]
    if not train or not held:
        cuts = [(lines, len(lines) - max(1, len(lines) // VALIDATION_SHARE)) for lines in documents.values()]
        # A file of one paragraph has nothing to give.
        train = [lines[: cut or 1] for lines, cut in cuts]
        held = [lines[cut:] for lines, cut in cuts if cut]
    if not held:
        raise ValueError(f"corpus = {corpus!r}: must hold at least one file of two paragraphs (parted by a blank line)")
    return ["\n".join(lines) for lines in train], ["\n".join(lines) for lines in held]


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line: blank lines part them, other white space is one blank."""
    lines = (" ".join(part.split()) for part in BLANK_LINES.split(text))
    return [line for line in lines if line]


def novels() -> dict[str, str]:
    """File name -> text of the 100 novels. ValueError: the archive is not in the cache, or is not the known one."""
    path = data_folder() / NOVELS
    if not path.is_file():
        raise ValueError(
            f"corpus = 'novels': must be in the cache as {path}, and is not; you may also give the path of"
            f" {NOVELS_SOURCE} on this machine, or take corpus = 'docstrings'"
        )
    # Not `downloaded`: no address has this archive, it is packed by hand.
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    if sha256 != NOVELS_SHA256:
        raise ValueError(f"corpus = 'novels': {path} has sha256 {sha256}, must be {NOVELS_SHA256}")
    with tarfile.open(path) as archive:
        members = [member for member in archive if member.isfile()]
        return {Path(m.name).name: archive.extractfile(m).read().decode("utf-8-sig") for m in members}


def fingerprint(documents: Iterable[str]) -> str:
    """The sha256 of some documents and of where each ends."""
    sha256 = hashlib.sha256()
    for document in documents:
        sha256.update(document.encode())
        sha256.update(b"\0")
    return sha256.hexdigest()
