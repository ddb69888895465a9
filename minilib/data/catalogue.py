"""What can be downloaded: where it lies, its sum, its size, its licence.

Each file has a name below `data_folder()`, and `get` downloads it where it is missing. Nobody has published the sha256
of a shard of C4; GitHub packs the novels anew when it is asked for them, so the sum of their texts is compared
(`novels`).

Deliberately absent: mirrors. A file that was got elsewhere may be put under its name by hand.
"""

from pathlib import Path
from typing import NamedTuple

from minilib.data.download import downloaded

NOVELS = "https://github.com/computationalstylistics/100_english_novels/archive/"
SST2 = (
    "https://raw.githubusercontent.com/clairett/pytorch-sentiment-classification/"
    "457ffd83de90a9d6d472d8ffc31bbffe40a8b236/data/SST2/"
)
C4 = "https://huggingface.co/datasets/allenai/c4/resolve/1ddc917116b730e1859edef32896ec5c16be51d0/en/"


class DataSet(NamedTuple):
    """Files of one origin. Name below `data_folder()` -> where the file is, and its sha256 or None."""

    about: str
    licence: str
    files: dict[str, tuple[str, str | None]]


CATALOGUE = {
    "novels": DataSet(
        "100 English novels by 33 authors, 14 million words, 78 MB of text",
        "public domain",
        {"novels/100_english_novels.tar.xz": (f"{NOVELS}143e601875d70e195f2cc5ebd8b034609271194d.tar.gz", None)},
    ),
    "wikitext-103": DataSet(
        "28,475 good and featured articles of the English Wikipedia, 103 million words (Merity et al. 2016), 192 MB,"
        " raw version: words and punctuation are parted by blanks, and a hyphen is ' @-@ '",
        "CC BY-SA 3.0",
        {
            "wikitext-103/wikitext-103-raw-v1.zip": (
                "https://wikitext.smerity.com/wikitext-103-raw-v1.zip",
                "91c00ae287f0d699e18605c84afc9e45c192bc6b7797ff8837e5474655a33794",
            )
        },
    ),
    "c4-sample": DataSet(
        "the first of the 1,024 shards of C4, English web pages of April 2019 (Raffel et al. 2020), about 356,000",
        "ODC-BY 1.0, and the terms of Common Crawl",
        {"c4-sample/c4-train.00000-of-01024.jsonl.gz": (f"{C4}c4-train.00000-of-01024.json.gz", None)},
    ),
    "sst2": DataSet(
        "Stanford Sentiment Treebank, sentences with two labels (Socher et al. 2013), 0.8 MB",
        "as released by Stanford for research",
        {
            "sst2/train.tsv": (SST2 + "train.tsv", "ec192f833a64da08f475488a77b0d0b47db47acd0f458bd18433fc793b569920"),
            "sst2/dev.tsv": (SST2 + "dev.tsv", "eddea6b39e601dd4e7a672b53cc40fdf6019fa80522f351206c24340ca5d9359"),
        },
    ),
}


def get(file: str) -> Path:
    """The file of a data set, by its name below `data_folder()`. ValueError: it cannot be had."""
    ((address, sha256),) = (data_set.files[file] for data_set in CATALOGUE.values() if file in data_set.files)
    return downloaded(file, sha256, address)
