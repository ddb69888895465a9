"""The cache folder: files that are downloaded or made once, and checked by their sha256 ever after.

The layout is `data_folder()/<name>/...`, one folder a data set.
Deliberately absent: eviction and locks (two processes may make the same file at the same time; the
last one wins, and both wrote the same bytes).
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from minilib import needs


def data_folder() -> Path:
    """`$MINILIB_DATA` where it is set, else `minilib` in the user's cache folder."""
    if folder := os.environ.get("MINILIB_DATA"):
        return Path(folder).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "minilib"


def downloaded(file: str, sha256: str, address: str) -> Path:
    """The file of this name below `data_folder()`, fetched from `address` where it is missing or is another one.

    ValueError: it cannot be had; the message says what must lie where.
    """
    with needs("train"):
        import pooch

    path = data_folder() / file
    try:
        return Path(pooch.retrieve(address, sha256, fname=path.name, path=path.parent))
    except (OSError, ValueError) as error:
        now = "is another file" if path.exists() else "is not there"
        raise ValueError(
            f"{path} {now}; put there what is at {address} (sha256 {sha256}), since it cannot be downloaded: {error}"
        ) from None


def cached(path: Path, make: Callable[[], dict]) -> dict:
    """What `make()` returns, kept in the JSON file `path`.

    A file that cannot be read or whose sha256 does not fit its content is made anew.
    The file appears under its name only when it is complete.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["sha256"] == digest(record["content"]):
            return record["content"]
    except (OSError, ValueError, KeyError, TypeError):
        pass  # missing, cut short, or not ours
    content = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        temporary.write_text(json.dumps({"sha256": digest(content), "content": content}), encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return content


def digest(content: dict) -> str:
    """The sha256 of a JSON-able value, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
