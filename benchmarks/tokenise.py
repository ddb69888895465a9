"""Makes a corpus of some gigabytes, prepares it as a run does, and prints what that took.

    python benchmarks/tokenise.py --gigabytes 2        or, in seconds,        --gigabytes 0.01

The corpus is made of runs of eight words at random places of the novels (of the docstrings, where those are not in the
cache), so that its words are English and their order is new. It is one .jsonl file with documents of about 500 words.
Corpus and rows lie in a temporary folder, which is removed at the end; `--folder` says where, as it needs about twice
the size of the corpus.

Two processes of a run are measured, one after the other: the first reads, trains the tokenizer and writes the rows; the
second finds all of that. "memory" is the highest resident size of the process, with the libraries that it has loaded.
"3.3 billion words" is the corpus of BERT, in proportion to what was measured: the time grows with the text, but for
that of training the tokenizer, which is counted once. Absent on purpose: the time that it takes to get such a corpus.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

BERT_WORDS = 3.3e9
RUN, WORDS, PARAGRAPH = 8, 500, 120  # words of a run, of a document, and of a paragraph


def source_words() -> list[str]:
    """The words of the novels, or of the docstrings."""
    from minilib.data.corpora import corpus

    try:
        texts = corpus("novels")
    except ValueError:
        texts = corpus("docstrings")
    return " ".join(texts.train).split()


def make_corpus(path: Path, size: int) -> int:
    """Write documents until the file has so many bytes; returns how many words they have."""
    source, draw, words = source_words(), np.random.default_rng(0), 0
    with open(path, "w", encoding="utf-8") as file:
        while file.tell() < size:
            for starts in draw.integers(0, len(source) - RUN, (1000, WORDS // RUN)).tolist():
                runs = [" ".join(source[s : s + RUN]) for s in starts]
                step = PARAGRAPH // RUN
                text = "\n\n".join(" ".join(runs[k : k + step]) for k in range(0, len(runs), step))
                file.write(json.dumps({"text": text}) + "\n")
                words += RUN * len(runs)
                if file.tell() >= size:
                    break
    return words


def prepare(corpus: str, vocabulary: int) -> dict:
    """What a process of a run does before its first step, with the seconds and the memory that it took."""
    import torch

    from minilib.data import tokenizer
    from minilib.training.batches import Data
    from minilib.training.config import Config
    from minilib.training.distributed import DistEnv

    trained, train = [0.0], tokenizer.train

    def timed(*arguments):
        began = perf_counter()
        made = train(*arguments)
        trained[0] = perf_counter() - began
        return made

    tokenizer.train = timed
    before, began, worked = peak_memory(), perf_counter(), process_time()
    config = Config(model="bert-tiny", corpus=corpus, vocabulary=vocabulary, length=128)
    data = Data(config, DistEnv(0, 1, torch.device("cpu")), [32], lambda text: print(text, file=sys.stderr))
    seconds = perf_counter() - began
    found = {
        "seconds": seconds,
        "processor": process_time() - worked,
        "training": trained[0],
        "before": before,
        "memory": peak_memory(),
    }
    return found | {"tokens": sum(data.sizes), "entries": len(data.tokenizer)}


def peak_memory() -> int:
    """The highest resident size of this process, bytes. Linux only."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024


def in_a_process(corpus: Path, vocabulary: int, cache: Path) -> dict:
    """What `prepare` found in a process of its own with this cache folder."""
    import minilib

    environment = {"MINILIB_DATA": str(cache), "PYTHONPATH": str(Path(minilib.__file__).parents[1])}
    command = [sys.executable, __file__, "--prepare", str(corpus), "--vocabulary", str(vocabulary)]
    done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def report(gigabytes: float, vocabulary: int, folder: str | None) -> str:
    """Make, measure, remove; returns what is to be printed."""
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        corpus, cache = Path(temporary) / "corpus.jsonl", Path(temporary) / "cache"
        words = make_corpus(corpus, int(gigabytes * 1e9))
        text = corpus.stat().st_size
        first, second = (in_a_process(corpus, vocabulary, cache) for _ in range(2))
        disk = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    times = BERT_WORDS / words
    tokens, encoding = first["tokens"], first["seconds"] - first["training"]
    hours = (first["training"] + times * encoding) / 3600
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return "\n".join(
        [
            f"corpus         {text / 1e9:.2f} GB, {words / 1e6:,.1f} million words",
            f"tokenizer      bert, {first['entries']:,} entries, trained in {first['training']:,.1f} s",
            f"tokens         {tokens / 1e6:,.1f} million, {tokens / words:.2f} a word",
            f"first process  {first['seconds']:,.1f} s ({first['processor']:,.1f} s of processor time);"
            f" without the tokenizer's training {tokens / encoding / 1e6:.2f} million tokens/s on {threads} cores",
            f"               memory {first['memory'] / 1e9:.2f} GB, before it began {first['before'] / 1e9:.2f} GB",
            f"second process {second['seconds']:.1f} s; memory {second['memory'] / 1e9:.2f} GB",
            f"on the disk    {disk / 1e9:.2f} GB beside the text, {disk / tokens:.2f} bytes a token",
            f"3.3 billion words, in proportion: {times * text / 1e9:,.1f} GB of text,"
            f" {times * disk / 1e9:,.1f} GB of rows, {hours:.1f} hours",
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="tokenise a corpus that is made on the spot, and say what it took")
    parser.add_argument("--gigabytes", type=float, default=2.0, help="of text (default 2)")
    parser.add_argument("--vocabulary", type=int, default=32_768, help="entries of the tokenizer (default 32,768)")
    parser.add_argument("--folder", help="where the temporary folder is made")
    parser.add_argument("--prepare", metavar="FILE", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.prepare:
        print(json.dumps(prepare(args.prepare, args.vocabulary)))
    else:
        print(report(args.gigabytes, args.vocabulary, args.folder))
