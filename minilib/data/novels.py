"""100 English novels in the public domain: 14 million words by 33 authors.

They come from the folder corpus/ of github.com/computationalstylistics/100_english_novels at one commit, which GitHub
does not always pack into the same bytes. So it is the texts whose sum is known and checked, however they were packed.
"""

import tarfile
from pathlib import Path

from minilib.data.catalogue import CATALOGUE, get
from minilib.data.files import fingerprint

SHA256 = "3e90b638ca6d17a7399acdff7c1c7035f8bc747c22998c3843760480cfc558ac"  # of names and texts, sorted


def novels() -> dict[str, str]:
    """File name -> text of the 100 novels, downloaded where they are not in the cache.

    They have no byte order mark, and one kind of line end. ValueError: they cannot be had, or these are other texts.
    """
    (archive,) = CATALOGUE["novels"].files
    path = get(archive)
    try:
        texts = read(path)
        if (sha256 := fingerprint(part for name in sorted(texts) for part in (name, texts[name]))) != SHA256:
            raise ValueError(f"the sha256 of its names and texts is {sha256}, must be {SHA256}")
        return texts
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        raise ValueError(f"{path} must be an archive of the known novels; remove it to fetch it: {error}") from None


def read(path: Path) -> dict[str, str]:
    """The texts in an archive that holds nothing else, or in the folder corpus/ of the repository's."""
    with tarfile.open(path) as archive:
        members = [m for m in archive if m.isfile() and m.name.endswith(".txt")]
        inside = [m for m in members if Path(m.name).parent.name == "corpus"]
        packed = {Path(m.name).name: archive.extractfile(m).read() for m in inside or members}
    return {name: data.decode("utf-8-sig").replace("\r\n", "\n") for name, data in packed.items()}
