"""What can be downloaded: where it lies, its sum, its size, its licence.

Each file has a name below `data_folder()`, and `get` downloads it where it is missing. Nobody has published the sha256
of a shard of C4; GitHub packs the novels anew when it is asked for them, so the sum of their texts is compared
(`novels`).

Deliberately absent: mirrors. A file that was got elsewhere may be put under its name by hand.
"""

from pathlib import Path
from typing import NamedTuple

from minilib.data.download import downloaded

SST2 = (
    "https://raw.githubusercontent.com/clairett/pytorch-sentiment-classification/"
    "457ffd83de90a9d6d472d8ffc31bbffe40a8b236/data/SST2/"
)
MULTI30K = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/"
NOVELS = "https://github.com/computationalstylistics/100_english_novels/archive/"
C4 = "https://huggingface.co/datasets/allenai/c4/resolve/1ddc917116b730e1859edef32896ec5c16be51d0/en/"


class Source(NamedTuple):
    """A file: where it is, its sha256 and its size in bytes, if they are known."""

    address: str
    sha256: str | None = None
    size: int | None = None


class DataSet(NamedTuple):
    """Files of one origin, by their names below `data_folder()`."""

    about: str
    licence: str
    files: dict[str, Source]


def files(folder: str, base: str, *known: tuple[str, int, str]) -> dict[str, Source]:
    """Files of a folder, of which each `known` has its name, its size and its sha256."""
    return {f"{folder}/{name}": Source(base + name, sha256, size) for name, size, sha256 in known}


CATALOGUE = {
    "novels": DataSet(
        "100 English novels by 33 authors, 14 million words, 78 MB of text",
        "public domain",
        {"novels/100_english_novels.tar.xz": Source(f"{NOVELS}143e601875d70e195f2cc5ebd8b034609271194d.tar.gz")},
    ),
    "wikitext-103": DataSet(
        "28,475 good and featured articles of the English Wikipedia, 103 million words (Merity et al. 2016), raw"
        " version: words and punctuation are parted by blanks, and a hyphen is ' @-@ '",
        "CC BY-SA 3.0",
        files("wikitext-103", "https://wikitext.smerity.com/", (
            "wikitext-103-raw-v1.zip", 191_984_949, "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794"
        )),
    ),
    "c4-sample": DataSet(
        "the first of the 1,024 shards of C4, English web pages of April 2019 (Raffel et al. 2020), about 356,000",
        "ODC-BY 1.0, and the terms of Common Crawl",
        {"c4-sample/c4-train.00000-of-01024.jsonl.gz": Source(f"{C4}c4-train.00000-of-01024.json.gz")},
    ),
    "sst2": DataSet(
        "Stanford Sentiment Treebank, sentences with two labels (Socher et al. 2013)",
        "as released by Stanford for research",
        files(
            "sst2", SST2,
            ("train.tsv", 720_259, "ec192f833a64da08f475488a77b0d0b47db47acd0f458bd18433fc793b569920"),
            ("dev.tsv", 92_057, "eddea6b39e601dd4e7a672b53cc40fdf6019fa80522f351206c24340ca5d9359"),
        ),
    ),
    "multi30k": DataSet(
        "captions of pictures in English and German (Elliott et al. 2016)",
        "CC BY-NC-SA 4.0",
        files(
            "multi30k", MULTI30K,
            ("train.de.gz", 637_044, "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6"),
            ("train.en.gz", 568_929, "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f"),
            ("val.de.gz", 24_681, "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a"),
            ("val.en.gz", 21_650, "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28"),
            ("test_2016_flickr.de.gz", 22_890, "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8"),
            ("test_2016_flickr.en.gz", 21_077, "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"),
        ),
    ),
    "cifar10": DataSet(
        "60,000 photographs of 32x32 pixels in ten classes (Krizhevsky 2009)",
        "none stated; for research",
        files("cifar10", "https://www.cs.toronto.edu/~kriz/", (
            "cifar-10-binary.tar.gz", 170_052_171, "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"
        )),
    ),
}  # fmt: skip


def get(file: str) -> Path:
    """The file of a data set, by its name below `data_folder()`. ValueError: it cannot be had."""
    (source,) = (data_set.files[file] for data_set in CATALOGUE.values() if file in data_set.files)
    return downloaded(file, source.sha256, source.address)
