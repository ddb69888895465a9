"""Documents in files, read from the disk each time that they are gone through: a corpus may be larger than the memory.

A .txt file is one document, whose paragraphs are parted by blank lines. In a .jsonl file, which may be packed with gzip
(.jsonl.gz), each line is a document. A corpus is read through once to count its documents and to take the sum of its
text. The counts are kept in the cache under the names, sizes and times of the files, so that the other processes of a
run, and later runs, need not read. In memory are 100,000 characters of a .txt file, or one line of a .jsonl file. So a
paragraph that is longer is taken as several, cut at line ends or blanks; where there is no blank, anywhere.

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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO

from minilib.data import data_folder
from minilib.data.download import cached, digest
from minilib.data.package_docs import VALIDATION_SHARE
from minilib.data.progress import Progress, silent

KINDS = (".txt", ".jsonl", ".jsonl.gz")
LONGEST, AT_ONCE = 100_000, 50_000  # characters of a paragraph, about, and of a line that is not read in parts
HALVES = re.compile(
    "[\ud800-\udfff]"
)  # of a character, as where \\ud83d is all that is left of an emoji; no UTF-8 has them


class Cut(NamedTuple):
    """The units first, ..., last - 1 of a file. Of a file with one document these are paragraphs, else documents."""

    path: Path
    stamp: tuple[int, int]  # its size and its time, when it was counted
    sha256: str  # of its text
    single: bool  # it has one document
    first: int
    last: int
    characters: int  # about so many

    def check(self) -> None:
        """ValueError: the file is another one than when it was counted."""
        if stamp(self.path) != self.stamp:
            raise ValueError(f"{self.path} was changed while it was read: start again when it is complete")


class Documents:
    """The documents in some parts of files. `for document in documents` reads the files.

    Attributes:
        characters: in all of them, about.
        fingerprint: the same for the same text cut in the same way, wherever the files lie.
    """

    def __init__(self, cuts: list[Cut], field: str) -> None:
        self.cuts, self.field = [cut for cut in cuts if cut.first < cut.last], field
        self.characters = sum(cut.characters for cut in self.cuts)
        self.fingerprint = digest({"cuts": [[c.sha256, c.first, c.last] for c in self.cuts]})

    def __add__(self, other: "Documents | list") -> "Documents":
        """These documents, and then the others; an empty list has none."""
        return Documents([*self.cuts, *other.cuts], self.field) if other else self

    def __iter__(self) -> Iterator[str]:
        return (text for text, _ in pieces(self, None))

    def lines(self) -> Iterator[tuple[tuple[int, int], str]]:
        """(which document, paragraph) of every paragraph. ValueError: a file was changed."""
        for k, cut in enumerate(self.cuts):
            cut.check()
            for i, (number, line) in enumerate(read(cut.path, self.field)):
                unit = i if cut.single else number
                if unit >= cut.last:
                    break
                if unit >= cut.first:
                    yield (k, number), line
            cut.check()


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
            file = io.TextIOWrapper(packed, encoding="utf-8-sig")
            if not path.name.lower().removesuffix(".gz").endswith(".jsonl"):
                for paragraph in paragraphs(short_lines(file), LONGEST):
                    yield 0, paragraph
                return
            number = 0
            for k, line in enumerate(file, 1):
                empty = True
                for paragraph in paragraphs(short_lines(io.StringIO(text_in(line.rstrip(), field, path, k))), LONGEST):
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
    why = ""
    try:
        told = json.loads(line, parse_int=number_in) if line else {field: ""}
        if isinstance(told, dict) and isinstance(told.get(field), str):
            return HALVES.sub("\ufffd", told[field])
        why = f"{field} is {told[field]!r:.40}" if field in told else f"it has {', '.join(told) or 'nothing'}"
    except json.JSONDecodeError as error:
        why = f"{error.msg}, column {error.colno}"
    except RecursionError:
        why = "it is nested too deeply"
    except TypeError:
        why = "it is no object"
    raise ValueError(f"{path}, line {number}: must be an object with the text {field!r} ({why:.200})")


def number_in(digits: str) -> float:
    """Python reads no int of more than 4,300 digits; what stands in other fields does not matter here."""
    return int(digits) if len(digits) < 4_000 else math.inf


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


def text_files(path: Path, what: str) -> list[Path]:
    """The files of `KINDS` at or below a path, in the order of their names. ValueError: there are none."""
    below = (p for p in path.rglob("*") if p.name.lower().endswith(KINDS) and not p.is_dir())
    found = [path] if path.is_file() else sorted(below)
    if not found:
        raise ValueError(f"{what} = {str(path)!r}: must hold at least one file of {', '.join(KINDS)}")
    return found


def counted(files: list[Path], field: str, say: Callable[[str], None] = silent) -> list[dict]:
    """Of each file: `documents`, `paragraphs`, `characters`, the sha256 of its text, and its stamp before it was read.

    They are read, or come from the cache, where they lie under names, sizes and times of the files.
    """
    stamps = [stamp(file) for file in files]
    which = [(str(file.resolve()), *there) for file, there in zip(files, stamps, strict=True)]
    name = digest({"files": which, "field": field, "rules": Path(__file__).read_text(encoding="utf-8")})[:16]
    progress = Progress(say, "reading the files")
    made = cached(
        data_folder() / "pretrain" / f"files-{name}.json",
        lambda: {"files": [count(file, field, progress) for file in files]},
    )
    return [found | {"stamp": there} for found, there in zip(made["files"], stamps, strict=True)]


def count(path: Path, field: str, progress: Progress) -> dict:
    """What `counted` says of one file."""
    found, sha256, last = {"documents": 0, "paragraphs": 0, "characters": 0}, hashlib.sha256(), -1
    for number, paragraph in read(path, field):
        sha256.update(f"\0{paragraph}\n".encode() if number != last else f"{paragraph}\n".encode())
        found["documents"] += number != last
        found["paragraphs"] += 1
        found["characters"] += len(paragraph)
        progress.add(len(paragraph))
        last = number
    return found | {"sha256": sha256.hexdigest()}


def whole(path: str, field: str, what: str, say: Callable[[str], None] = silent) -> Documents:
    """All documents of a file or folder. ValueError: there is no file of text."""
    files = text_files(Path(path), what)
    return Documents([cut(f, c, 0, units(c)) for f, c in zip(files, counted(files, field, say), strict=True)], field)


def last_twentieths(corpus: str, field: str, say: Callable[[str], None] = silent) -> tuple[Documents, Documents]:
    """Training and validation documents of a file or folder: of each file the last twentieth is held out.

    Of a file that is one document these are paragraphs, else documents. What a short file is too short to give the
    next one gives more. ValueError: fewer than two paragraphs.
    """
    files = text_files(Path(corpus), "corpus")
    counts = counted(files, field, say)
    kept, owed = [], 0.0  # units of each file
    for found in counts:
        owed += units(found) / VALIDATION_SHARE
        given = min(int(owed), units(found))
        owed -= given
        kept.append(units(found) - given)
    if kept == [units(found) for found in counts]:  # too little text: the last document, or its last paragraph
        full = [k for k, found in enumerate(counts) if found["documents"]]
        if sum(found["documents"] for found in counts) > 1:
            kept[full[-1]] = 0 if counts[full[-1]]["documents"] == 1 else kept[full[-1]] - 1
        elif full and counts[full[-1]]["paragraphs"] > 1:
            kept[full[-1]] -= 1
        else:
            raise ValueError(f"corpus = {corpus!r}: must hold at least two paragraphs (parted by a blank line)")
    cuts = list(zip(files, counts, kept, strict=True))
    train = Documents([cut(file, found, 0, n) for file, found, n in cuts], field)
    return train, Documents([cut(file, found, n, units(found)) for file, found, n in cuts], field)


def units(found: dict) -> int:
    """Of a file: paragraphs where it is one document, else documents."""
    return found["paragraphs"] if found["documents"] == 1 else found["documents"]


def cut(file: Path, found: dict, first: int, last: int) -> Cut:
    """The units first, ..., last - 1 of a file that was counted."""
    share = found["characters"] * (last - first) // max(1, units(found))
    return Cut(file, found["stamp"], found["sha256"], found["documents"] == 1, first, last, share)
