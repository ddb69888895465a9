"""Corpora that come from elsewhere, copied once into the cache as train.jsonl and validation.jsonl.

WikiText-103 is unpacked into articles. A data set of the Hugging Face Hub is read as a stream with their library
`datasets`, which must be installed; it is not a part of this project. From then on both are files like others, and need
no network. Deliberately absent: a look whether the data set has changed since; remove its folder to copy it anew.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from minilib.data import data_folder
from minilib.data.catalogue import get
from minilib.data.download import appearing
from minilib.data.package_docs import VALIDATION_SHARE
from minilib.data.progress import Progress, Say, silent

WIKITEXT = "wikitext-103/wikitext-103-raw-v1.zip"
OWN = "its own part for validation"
HOW = "how.txt"
TITLE = re.compile("= (?!= ).* =")  # of an article; that of a section begins with = =
WIKITEXT_PARTS = {"wiki.train.raw": "train", "wiki.valid.raw": "validation"}


def copied(folder: Path, documents: Iterable[tuple[str, str]], how: str, say: Say) -> Path:
    """The folder with the texts of (part, text), and with `how`, which says how validation was chosen."""
    progress = Progress(say, f"copying to {folder}")
    with appearing(folder) as copy, ExitStack() as stack:
        copy.mkdir()
        (copy / HOW).write_text(how, encoding="utf-8")
        paths = {part: copy / f"{part}.jsonl" for part in ("train", "validation")}
        files = {part: stack.enter_context(open(path, "w", encoding="utf-8")) for part, path in paths.items()}
        for part, text in documents:
            files[part].write(json.dumps({"text": text}) + "\n")
            progress.add(len(text))
    return folder


def wikitext(say: Say = silent) -> Path:
    """The folder of WikiText-103, a document an article. ValueError: it cannot be downloaded, or is damaged."""
    folder = data_folder() / "wikitext-103" / "articles"
    return folder if folder.is_dir() else copied(folder, wikitext_articles(get(WIKITEXT)), OWN, say)


def wikitext_articles(path: Path) -> Iterator[tuple[str, str]]:
    """(part, article) of the archive; each of its lines is a paragraph, and an article begins with ` = Title = `."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if (part := WIKITEXT_PARTS.get(Path(member.filename).name)) is None:
                    continue
                article: list[str] = []
                with archive.open(member) as file:
                    for line in filter(None, map(str.strip, io.TextIOWrapper(file, encoding="utf-8"))):
                        if TITLE.fullmatch(line) and article:
                            yield part, "\n\n".join(article)
                            article = []
                        article.append(line)
                if article:
                    yield part, "\n\n".join(article)
    except (zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None


def from_hub(name: str, field: str, say: Say = silent) -> Path:
    """The folder of a data set of the Hub, "NAME" or "NAME:CONFIGURATION".

    Validation is its own part of that name, or every 20th document where it has none.

    ValueError: `datasets` is not installed, there is no such data set, or it has no training part or no such field.
    """
    folder = data_folder() / "hugging-face" / "--".join([name, field]).replace("/", "--").replace(":", "--")
    if folder.is_dir():
        return folder
    try:
        splits = load(*name.split(":", 1))
        how = OWN if "validation" in splits else f"every {VALIDATION_SHARE}th document"
        return copied(folder, split_documents(splits, field), how, say)
    except Exception as error:  # of many kinds, the network's among them
        raise ValueError(f"corpus = {name!r}: {' '.join(str(error).split())[:300]}") from None


def load(path: str, configuration: str | None = None) -> dict:
    """The parts of a data set of the Hub, as streams."""
    try:
        import datasets
    except ModuleNotFoundError:
        raise ValueError(
            "is no file or folder here; to read it from the Hugging Face Hub, the package 'datasets' must be installed:"
            " pip install datasets"
        ) from None
    splits = datasets.load_dataset(path, configuration, streaming=True)
    if "train" not in splits:
        raise ValueError(f"must have a part 'train', has {', '.join(map(str, splits))}")
    return splits


def split_documents(splits: dict, field: str) -> Iterator[tuple[str, str]]:
    own = "validation" in splits
    for part in ("train", "validation") if own else ("train",):
        for k, row in enumerate(splits[part], start=1):
            if not isinstance(row.get(field), str):
                raise ValueError(f"field = {field!r}: must be a text; the documents have {', '.join(row)}")
            yield "validation" if not own and k % VALIDATION_SHARE == 0 else part, row[field]
