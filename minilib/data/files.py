"""Documents in files, read from the disk each time that they are gone through: a corpus may be larger than the memory.

A .txt file is one document, whose paragraphs are parted by blank lines. In a .jsonl file, which may be packed with gzip
(.jsonl.gz), each line is a document. Nothing else is read: in a folder it is left out, alone it is refused.

A corpus is read through once to count its documents and to take the sum of its text. The counts are kept in the cache
under the names, sizes and times of the files, so that the other processes of a run, and later runs, need not read. In
memory are 100,000 characters of a .txt file, or one line of a .jsonl file. So a paragraph that is longer is taken as
several, cut at line ends or blanks; where there is no blank, anywhere.

Deliberately absent: reading a file from the middle. What is held out stands at the end of each file, and all before it
is read and skipped.
"""

import gzip
import hashlib
import io
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from minilib.data import data_folder
from minilib.data.download import cached, digest
from minilib.data.package_docs import VALIDATION_SHARE
from minilib.data.progress import Progress, Say, silent

KINDS = (".txt", ".jsonl", ".jsonl.gz")
LONGEST, AT_ONCE = 100_000, 50_000  # characters of a paragraph, about, and of a line that is not read in parts
# Halves of a character, as where \\ud83d is all that is left of an emoji; no UTF-8 has them.
HALVES = re.compile("[\ud800-\udfff]")


class File(NamedTuple):
    """A file that was read through."""

    path: Path
    stamp: tuple[int, int]  # its size and its time, before that
    sha256: str  # of its text
    documents: int
    paragraphs: int
    characters: int

    @property
    def units(self) -> int:
        """What it is cut by: paragraphs where it is one document, else documents."""
        return self.paragraphs if self.documents == 1 else self.documents

    def check(self) -> None:
        """ValueError: the file is another one than when it was counted."""
        if stamp(self.path) != self.stamp:
            raise ValueError(f"{self.path} was changed while it was read: start again when it is complete")


class Documents:
    """The documents in some parts of files. `for document in documents` reads the files.

    Args:
        cuts: (file, first, last), whose units first, ..., last - 1 belong to it.
        field: that has the text in a line of .jsonl.

    Attributes:
        characters: in all of them, about.
        fingerprint: the same for the same text cut in the same way, wherever the files lie.
    """

    def __init__(self, cuts: list[tuple[File, int, int]], field: str) -> None:
        self.cuts, self.field = [(file, first, last) for file, first, last in cuts if first < last], field
        self.characters = sum(file.characters * (last - first) // file.units for file, first, last in self.cuts)
        self.fingerprint = digest({"cuts": [[file.sha256, first, last] for file, first, last in self.cuts]})

    def __add__(self, other: "Documents | list") -> "Documents":
        """These documents, and then the others; an empty list has none."""
        return Documents([*self.cuts, *other.cuts], self.field) if other else self

    def __iter__(self) -> Iterator[str]:
        return (text for text, _ in pieces(self, None))

    def lines(self) -> Iterator[tuple[tuple[int, int], str]]:
        """(which document, paragraph) of every paragraph. ValueError: a file was changed."""
        for k, (file, first, last) in enumerate(self.cuts):
            file.check()
            for i, (number, line) in enumerate(read(file.path, self.field)):
                unit = i if file.documents == 1 else number
                if unit >= last:
                    break
                if unit >= first:
                    yield (k, number), line
            file.check()


def fingerprint(documents: Iterable[str]) -> str:
    """The sha256 of some documents and of where each ends."""
    if isinstance(documents, Documents):
        return documents.fingerprint
    sha256 = hashlib.sha256()
    for document in documents:
        sha256.update(document.encode())
        sha256.update(b"\0")
    return sha256.hexdigest()


def characters(documents: Iterable[str]) -> int:
    """In all of them, about."""
    return documents.characters if isinstance(documents, Documents) else sum(map(len, documents))


def lines(documents: Iterable[str]) -> Iterator[tuple[object, str]]:
    """(which document, line) of every line of some documents."""
    if isinstance(documents, Documents):
        return documents.lines()
    return ((k, line) for k, document in enumerate(documents) for line in document.split("\n"))


def pieces(documents: Iterable[str], most: int | None) -> Iterator[tuple[str, bool]]:
    """(text, whether its document ends with it): documents, those longer than `most` characters in several pieces.

    A piece ends with a line end between two characters that are not blank. The tokenizers here never join what stands
    on both sides of one, so that the pieces have the tokens of the whole.
    """
    held, size, now = [], 0, None
    for which, line in lines(documents):
        if held and which != now:
            yield "\n".join(held), True
            held, size = [], 0
        elif most is not None and size >= most and held[-1][-1:].strip() and line[:1].strip():
            yield "\n".join(held) + "\n", False
            held, size = [], 0
        held.append(line)
        size, now = size + len(line), which
    if held:
        yield "\n".join(held), True


# ---- One file --------------------------------------------------------------------------------------------------------


def read(path: Path, field: str) -> Iterator[tuple[int, str]]:
    """(number of the document, paragraph) of every paragraph of a file. ValueError: it cannot be read so."""
    try:
        with opened(path) as packed:
            documents, number = [io.TextIOWrapper(packed, encoding="utf-8-sig")], 0
            if path.name.lower().removesuffix(".gz").endswith(".jsonl"):
                lines = enumerate(documents[0], 1)
                documents = (io.StringIO(text_in(line.rstrip(), field, path, k)) for k, line in lines)
            for document in documents:
                empty = True
                for paragraph in paragraphs(short_lines(document), LONGEST):
                    yield number, paragraph
                    empty = False
                number += not empty
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}, line {undecodable(path)}: must be UTF-8 text ({error.reason})") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} must be a whole file packed with gzip ({error})") from None


def opened(path: Path) -> BinaryIO:
    return (gzip.open if path.name.lower().endswith(".gz") else open)(path, "rb")


def undecodable(path: Path) -> int | None:
    """The number of the first line that is not UTF-8."""
    with opened(path) as file:
        for k, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return k


def text_in(line: str, field: str, path: Path, number: int) -> str:
    """The text in a line of .jsonl, none in an empty one. Half a character becomes U+FFFD. ValueError: it has none."""
    try:
        # Python reads no int of more than 4,300 digits, and what stands in other fields does not matter here.
        document = json.loads(line, parse_int=lambda digits: int(digits[:99])) if line else {field: ""}
        return HALVES.sub("\ufffd", document[field])
    except KeyError:
        names = " ".join(", ".join(document).split())  # on one line
        reason = f"it has {names[:200] or 'none'}"
    except (ValueError, TypeError, RecursionError) as error:
        reason = str(error)
    what = f"must be an object with a text under field = {field!r}, is {line[:80]!r} ({reason})"
    raise ValueError(f"{path}, line {number}: {what}")


def short_lines(file: TextIO) -> Iterator[str]:
    """The lines of a file; those longer than `AT_ONCE` in parts, which end with a blank where there is one."""
    rest = ""
    while part := file.readline(AT_ONCE):
        line, rest = rest + part, ""
        if len(part) == AT_ONCE and part[-1] != "\n":
            end = max(line.rfind(" "), line.rfind("\t")) + 1 or len(line)
            line, rest = line[:end], line[end:]
        yield line
    if rest:
        yield rest


def paragraphs(lines: Iterable[str], longest: float = math.inf) -> Iterator[str]:
    """Paragraphs, each on one line: blank lines part them, other white space is one blank.

    One ends, too, with the line in which it reaches `longest` characters.
    """
    held, size = [], 0
    for line in lines:
        words = line.split()
        if words:
            held.append(" ".join(words))
            size += len(held[-1]) + 1
        if held and (not words or size >= longest):
            yield " ".join(held)
            held, size = [], 0
    if held:
        yield " ".join(held)


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file: when they are the same, its content is taken to be the same."""
    now = path.stat()
    return now.st_size, now.st_mtime_ns


# ---- Many files ------------------------------------------------------------------------------------------------------


def counted(path: Path, what: str, field: str, say: Say) -> list[File]:
    """The files of `KINDS` at or below a path, in the order of their names. ValueError: as for `files_at`.

    They are read, or what was counted comes from the cache, where it lies under their names, sizes and times.
    """
    paths = files_at(path, what, say)
    stamps = [stamp(path) for path in paths]
    which = [(str(path.resolve()), *there) for path, there in zip(paths, stamps, strict=True)]
    name = digest({"files": which, "field": field, "rules": Path(__file__).read_text(encoding="utf-8")})[:16]
    progress = Progress(say, "reading the files")
    record = data_folder() / "pretrain" / f"files-{name}.json"
    counts = cached(record, lambda: {"files": [count(path, field, progress) for path in paths]})["files"]
    return [File(path, there, **own) for path, there, own in zip(paths, stamps, counts, strict=True)]


def files_at(path: Path, what: str, say: Say) -> list[Path]:
    """The files of `KINDS` at or below a path, in the order of their names; `say` is told what else lies there.

    ValueError: there are none; or the path is a file of another ending, or neither a file nor a folder.
    """
    if path.is_file():
        if not path.name.lower().endswith(KINDS):
            raise ValueError(
                f"{what} = {str(path)!r}: must end in .txt (plain text), .jsonl or .jsonl.gz (a document a line), or be"
                " a folder of such files"
            )
        return [path]
    if path.exists() and not path.is_dir():
        raise ValueError(f"{what} = {str(path)!r}: must be a file or a folder, is a pipe, a socket or a device")
    below = sorted(p for p in path.rglob("*") if not p.is_dir())
    # A link to nothing is not left out: reading it says what is wrong.
    paths = [p for p in below if p.name.lower().endswith(KINDS) and (p.is_file() or not p.exists())]
    if others := sorted({*below} - {*paths}):
        which = f"{len(others):,} that are no file of {', '.join(KINDS)}"
        say(f"left out of {path}: {which}, such as {others[0].relative_to(path)}")
    if not paths:
        raise ValueError(f"{what} = {str(path)!r}: must hold at least one file of {', '.join(KINDS)}")
    return paths


def count(path: Path, field: str, progress: Progress) -> dict:
    """What a `File` says of one file, from its `sha256` on."""
    sums, sha256, last = {"documents": 0, "paragraphs": 0, "characters": 0}, hashlib.sha256(), -1
    for number, paragraph in read(path, field):
        sha256.update(f"\0{paragraph}\n".encode() if number != last else f"{paragraph}\n".encode())
        sums["documents"] += number != last
        sums["paragraphs"] += 1
        sums["characters"] += len(paragraph)
        progress.add(len(paragraph))
        last = number
    return sums | {"sha256": sha256.hexdigest()}


def whole(path: str, field: str, what: str, say: Say = silent) -> Documents:
    """All documents of a file or folder."""
    return Documents([(file, 0, file.units) for file in counted(Path(path), what, field, say)], field)


def last_twentieths(corpus: str, field: str, say: Say = silent) -> tuple[Documents, Documents]:
    """Training and validation documents of a file or folder: of each file the last twentieth is held out.

    Of a file that is one document these are paragraphs, else documents. What a short file is too short to give the
    next one gives more. ValueError: fewer than two paragraphs.
    """
    files = counted(Path(corpus), "corpus", field, say)
    if sum(file.paragraphs for file in files) < 2:
        raise ValueError(f"corpus = {corpus!r}: must hold at least two paragraphs (parted by a blank line)")
    kept, owed = [], 0.0  # units of each file
    for file in files:
        owed += file.units / VALIDATION_SHARE
        given = min(int(owed), file.units)
        owed -= given
        kept.append(file.units - given)
    if kept == [file.units for file in files]:  # too little text: the last document, or its last paragraph
        last = max(k for k, file in enumerate(files) if file.documents)
        alone = sum(file.documents for file in files) == 1
        kept[last] = 0 if files[last].documents == 1 and not alone else kept[last] - 1
    cuts = list(zip(files, kept, strict=True))
    train = Documents([(file, 0, n) for file, n in cuts], field)
    return train, Documents([(file, n, file.units) for file, n in cuts], field)
