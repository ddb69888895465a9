"""The cache folder: files that are downloaded or made once, and checked by their sha256 ever after.

The layout is `data_folder()/<name>/...`, one folder a data set. Deliberately absent: eviction and locks (two processes
may make the same file at the same time; the last one wins, and both wrote the same bytes).
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from minilib import needs


def data_folder() -> Path:
    """`$MINILIB_DATA` where it is set, else `minilib` in the user's cache folder."""
    if folder := os.environ.get("MINILIB_DATA"):
        return Path(folder).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minilib"


def downloaded(file: str, sha256: str | None, address: str) -> Path:
    """The file of this name below `data_folder()`, fetched from `address` where it is missing or has another sha256.

    It appears under its name only when it is complete and has the sha256. Where nobody has published that (None), what
    is there is taken. ValueError: it cannot be had; the message says what must lie where.
    """
    with needs("train"):
        import pooch

    path = data_folder() / file
    now = "is another file" if path.exists() else "is not there"
    # Some servers refuse Python's own name.
    agent = {"User-Agent": "Mozilla/5.0 (compatible; minilib)"}
    try:
        fetch = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), headers=agent)
        return Path(pooch.retrieve(address, sha256, fname=path.name, path=path.parent, downloader=fetch))
    except (OSError, ValueError) as error:
        why = " ".join(str(error).split())
        raise ValueError(
            f"{path} {now}; put there what is at {address} (sha256 {sha256 or 'not known'}), since it cannot be"
            f" downloaded: {why}"
        ) from None


def cached(path: Path, make: Callable[[], dict]) -> dict:
    """What `make()` returns, kept in the JSON file `path`.

    A file that cannot be read or whose sha256 does not fit its content is made anew.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["sha256"] == digest(record["content"]):
            return record["content"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing, cut short, or not ours
    content = make()
    write_json(path, {"sha256": digest(content), "content": content})
    return content


def write_json(path: Path, content: dict) -> None:
    """Write all of a file or nothing."""
    with appearing(path) as part:
        part.write_text(json.dumps(content), encoding="utf-8")


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """Where to write the file or folder `path`, which gets its name when all is there: at the end of the context.

    An error, or an interrupt, leaves nothing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, path)
    finally:
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        part.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(content: dict) -> str:
    """The sha256 of a JSON-able value, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
