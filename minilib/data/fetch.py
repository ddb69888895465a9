"""`python -m minilib.data.fetch NAME`: download a data set; without a name, or with --list, say what there is.

Everything lies below `data_folder()`: the folder that MINILIB_DATA names, else `minilib` in the user's cache folder.
What is there and has the known sum is not downloaded again. Exit codes: 0 it is there, 2 it cannot be had.
"""

import argparse
import sys

from minilib import program
from minilib.data.catalogue import CATALOGUE, get
from minilib.data.download import data_folder


def listing() -> str:
    """Two lines for each data set: what it is, and its licence."""
    lines = []
    for name, (about, licence, _) in CATALOGUE.items():
        lines += [f"{name:<13}{about}", f"{'':13}{licence}"]
    return "\n".join([*lines, f"They go to {data_folder()}"])


def fetch(name: str) -> list[str]:
    """The files of a data set, downloaded where they are missing. ValueError: they cannot be had, or there is none."""
    if name not in CATALOGUE:
        raise ValueError(f"name = {name!r}: must be one of {', '.join(CATALOGUE)}")
    return [str(get(file)) for file in CATALOGUE[name].files]


def main() -> int:
    parser = argparse.ArgumentParser("python -m minilib.data.fetch", description="Download a data set.")
    parser.add_argument("name", nargs="?", help="of the data set")
    parser.add_argument("--list", action="store_true", help="say what there is")
    args = parser.parse_args()
    return program(lambda: listing() if args.list or args.name is None else "\n".join(fetch(args.name)))


if __name__ == "__main__":
    sys.exit(main())
