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


def downloaded(file: str, sha256: str | None, address: str, size: int | None = None) -> Path:
    """The file of this name below `data_folder()`, fetched from `address` where it is missing or is another one.

    It appears under its name only when it is complete and has the sha256. Where nobody has published that (None), the
    sum of the first download is trusted: it is written beside the file, as NAME.sha256, and compared from then on.
    The `size` in bytes, where it is known, is compared when the file was downloaded.

    ValueError: it cannot be had; the message says what must lie where.
    """
    with needs("train"):
        import pooch

    path = data_folder() / file
    noted = path.with_name(f"{path.name}.sha256")
    known = sha256 or sum_of_first(path, noted)
    before = path.exists()
    # Some servers refuse Python's own name.
    agent = {"User-Agent": "Mozilla/5.0 (compatible; minilib)"}
    try:
        fetch = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), headers=agent)
        pooch.retrieve(address, known, fname=path.name, path=path.parent, downloader=fetch)
        if size is not None and (found := path.stat().st_size) != size:
            path.unlink()
            raise ValueError(f"what came has {found:,} bytes, not {size:,}")
        if known is None:
            noted.write_text(sha256_of(path) + "\n", encoding="utf-8")
        return path
    except (OSError, ValueError) as error:
        now = "is another file" if before else "is not there"
        which = f"sha256 {known}" if known else "its sha256 is not known, the first is trusted"
        if known and not sha256:
            which += f", as {noted.name} says of the first download"
        why = " ".join(str(error).split())
        raise ValueError(
            f"{path} {now}; put there what is at {address} ({which}), since it cannot be downloaded: {why}"
        ) from None


def sum_of_first(path: Path, noted: Path) -> str | None:
    """The sha256 that was noted when the file first came, or of a file that somebody has put there; None: neither."""
    if not noted.exists() and path.exists():
        noted.write_text(sha256_of(path) + "\n", encoding="utf-8")
    return noted.read_text(encoding="utf-8").strip() if noted.exists() else None


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
