"""Real data: images, English prose, your own text files, with no download; and what can be downloaded.

    x_train, y_train, x_test, y_test = digits()    # 1,797 scanned digits
    docs = docstrings()                            # English prose of the installed packages
    vocabulary = Vocabulary(docs.train, 4096)
    batches = chunks(vocabulary.encode(docs.train), 64)

One idea a file: `images`, `corpus` (where the prose is found), `prose` (what counts as prose),
`download`, `text`; `catalogue` lists what can be downloaded, and `novels` and
`python -m minilib.datasets.fetch NAME` fetch it.  Only NumPy is imported here.  What is downloaded
lies beside the cached corpus, in `data_folder()/<name>/`.
"""

from minilib.datasets.corpus import Docstrings, docstrings
from minilib.datasets.download import data_folder
from minilib.datasets.images import Digits, Photographs, cifar10, digits
from minilib.datasets.text import Vocabulary, chunks, text_folder, words

__all__ = [
    "Digits",
    "Docstrings",
    "Photographs",
    "Vocabulary",
    "chunks",
    "cifar10",
    "data_folder",
    "digits",
    "docstrings",
    "text_folder",
    "words",
]
