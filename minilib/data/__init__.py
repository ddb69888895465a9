"""From texts and images to batches: digits, English prose, your own text, and what can be downloaded.

    x_train, y_train, x_test, y_test = digits()    # 1,797 scanned digits
    docs = docstrings()                            # English prose of the installed packages
    vocabulary = Vocabulary(docs.train, 4096)
    batches = chunks(vocabulary.encode(docs.train), 64)

What stands here needs NumPy and no download: `images`, `text`, `package_docs` (where the prose is found) and `prose`
(what counts as prose). `catalogue` lists what can be downloaded; `novels`, `hub_datasets` and
`python -m minilib.data.fetch NAME` fetch it. What is downloaded or made lies in `data_folder()/<name>/` (`download`).

Pretraining takes a corpus by its name (`corpora`) or from your files (`files`), trains a `tokenizer`, packs rows
(`packing`), makes something of them to guess (`objectives`) and batches (`loader`). `classification` has texts with
labels. These need the extra `train`, and are imported by their own names.
"""

from minilib.data.download import data_folder
from minilib.data.images import Digits, digits
from minilib.data.package_docs import Docstrings, docstrings
from minilib.data.text import Vocabulary, chunks, words

__all__ = [
    "Digits",
    "Docstrings",
    "Vocabulary",
    "chunks",
    "data_folder",
    "digits",
    "docstrings",
    "words",
]
