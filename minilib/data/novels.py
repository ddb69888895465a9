"""100 English novels in the public domain: 14 million words by 33 authors.

They come from the folder corpus/ of github.com/computationalstylistics/100_english_novels at one commit. GitHub packs
the repository when it is asked for, and not always into the same bytes. So it is the texts whose sum is known and
checked, however the archive was packed: by GitHub, or by hand.
"""

import tarfile
from pathlib import Path

from minilib import needs
from minilib.data.download import appearing, data_folder
from minilib.data.files import fingerprint

COMMIT = "143e601875d70e195f2cc5ebd8b034609271194d"
ADDRESS = f"https://github.com/computationalstylistics/100_english_novels/archive/{COMMIT}.tar.gz"
SHA256 = "3e90b638ca6d17a7399acdff7c1c7035f8bc747c22998c3843760480cfc558ac"  # of names and texts, sorted
ARCHIVE = "novels/100_english_novels.tar.xz"  # below data_folder(); the download's is packed with gzip, and as good


def novels() -> dict[str, str]:
    """File name -> text of the 100 novels, downloaded where they are not in the cache.

    ValueError: they cannot be had, or what is in the cache are other texts.
    """
    path = data_folder() / ARCHIVE
    try:
        if path.is_file():
            return known(path, path)
        with needs("train"):
            import pooch

        with appearing(path) as part:
            return known(pooch.retrieve(ADDRESS, None, fname=part.name, path=part.parent), ADDRESS)
    except (OSError, EOFError, tarfile.TarError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} must be there and readable; put there what is at {ADDRESS}, or another archive of its 100 novels"
            f" (the sha256 of names and texts is {SHA256}): {' '.join(str(error).split())}"
        ) from None


def known(path: Path | str, where: Path | str) -> dict[str, str]:
    """The texts in an archive that holds nothing else, or in the folder corpus/ of the repository's.

    They have no byte order mark, and one kind of line end. ValueError: they are not the known novels.
    """
    with tarfile.open(path) as archive:
        members = [m for m in archive if m.isfile() and m.name.endswith(".txt")]
        inside = [m for m in members if Path(m.name).parent.name == "corpus"]
        packed = {Path(m.name).name: archive.extractfile(m).read() for m in inside or members}
    texts = {name: data.decode("utf-8-sig").replace("\r\n", "\n") for name, data in packed.items()}
    if (sha256 := fingerprint(part for name in sorted(texts) for part in (name, texts[name]))) != SHA256:
        raise ValueError(f"{where} has other texts than the known novels (sha256 {sha256}, must be {SHA256})")
    return texts
