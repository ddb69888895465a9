"""English prose on every machine: the long strings in the source of the installed packages.

The source is parsed with `ast` and never imported.  Every string literal is read, not only the
docstrings: NumPy and PyTorch attach many of theirs by a call (`add_newdoc`, `add_docstr`).

With the same package versions the text is the same to the byte (a test pins its sha256): measured
equal on Python 3.11, 3.12 and 3.13, with the wheels for Linux, Windows and macOS, and with PyTorch
for the CPU and for CUDA.  The standard library is no part of it: its docstrings change with every
patch release of Python.

With other versions, or where a package is missing, the text is another one: `Docstrings.sha256`
tells, and `minilib.experiments.records.same_corpus` compares it with the text that a record was made from.

Deliberately absent: f-strings (their text has holes), and shuffling.
"""

import ast
import hashlib
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from minilib.data import prose
from minilib.data.download import cached, data_folder, digest
from minilib.data.progress import Progress, Say, silent

# Import name -> distribution, in the order in which they are read.  networkx comes with torch.
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
PACKAGES |= {name: name for name in ("matplotlib", "sympy", "networkx", "torch")}
# Tests hold data rather than prose, and one file of torch.testing parses only on Python 3.12.
# NumPy has `distutils` only on Python 3.11.
SKIP_FOLDERS = frozenset("test tests testing distutils".split())
# Written while a package is built, so that builds of one version may differ in them.
SKIP_FILES = frozenset("version.py _version.py __config__.py _distributor_init.py".split())
MIN_CHARACTERS = 40  # of a string literal: about eight words
VALIDATION_SHARE = 20  # one file in so many is held out


class Docstrings(NamedTuple):
    """The corpus: paragraphs of one line each, joined by blank lines."""

    train: str
    validation: str  # from other files than `train`
    sources: dict[str, str]  # distribution -> version, in the order in which they were read
    counts: dict[str, int]  # paragraphs kept, and dropped by each rule
    packages: dict[str, dict[str, int]]  # part -> import name -> how many paragraphs it gave, in the order of the text

    @property
    def sha256(self) -> str:
        """Of both parts: two corpora with this in common are equal to the byte."""
        return hashlib.sha256(f"{self.train}\0{self.validation}".encode()).hexdigest()


def docstrings(say: Say = silent) -> Docstrings:
    """English prose from the docstrings of those packages in `PACKAGES` that are installed, without near repeats.

    About 1.2 million words; a twentieth of the files is held out as `validation`.  The first call
    computes for half a minute and tells `say` how far it is, later calls read `data_folder()/docstrings/`.
    A package that is not installed is left out, with a warning.
    ModuleNotFoundError: none is installed.
    """
    specs = {name: find_spec(name) for name in PACKAGES}  # of a top-level name: finds its folder, imports nothing
    roots = {name: Path(spec.submodule_search_locations[0]) for name, spec in specs.items() if spec}
    # Without the build's suffix: 2.13.0+cpu and 2.13.0+cu130 have the same source.
    sources = {PACKAGES[name]: version(PACKAGES[name]).partition("+")[0] for name in roots}
    if missing := [PACKAGES[name] for name in PACKAGES if name not in roots]:
        message = (
            f"docstrings() reads the source of {', '.join(PACKAGES.values())}; "
            f"{' and '.join(missing)} is not installed: pip install -r requirements.txt"
        )
        if not roots:
            raise ModuleNotFoundError(message)
        warnings.warn(f"{message} (the text is now another one than the book's)", stacklevel=2)
    rules = [Path(file).read_text(encoding="utf-8") for file in (__file__, prose.__file__)]
    key = digest({"sources": sources, "python": sys.version, "rules": rules})[:16]
    path = data_folder() / "docstrings" / f"{key}.json"
    return Docstrings(**cached(path, lambda: build(roots, say)), sources=sources)


def build(roots: dict[str, Path], say: Say = silent) -> dict:
    """`train`, `validation`, `counts` and `packages` from the Python files below the folders `roots`."""
    parts: dict[str, list[str]] = {"train": [], "validation": []}
    packages = {part: dict.fromkeys(roots, 0) for part in parts}
    counts, repeats = Counter(), prose.Repeats()
    files = [(name, root, file) for name, root in roots.items() for file in source_files(root)]
    progress = Progress(say, "reading docstrings", sum((root / file).stat().st_size for _, root, file in files))
    for name, root, file in files:
        part, source = split(f"{name}/{file}"), (root / file).read_bytes()
        progress.add(len(source))
        for text in long_strings(source):
            for paragraph in map(prose.plain, prose.paragraphs(text)):
                verdict = prose.broken_rule(paragraph) or repeats.judge(paragraph) or "kept"
                counts[verdict] += 1
                if verdict == "kept":
                    parts[part].append(paragraph)
                    packages[part][name] += 1
    return {part: "\n\n".join(p) for part, p in parts.items()} | {"counts": dict(counts), "packages": packages}


def source_files(root: Path) -> list[str]:
    """The Python files to read below a folder, relative to it, in the order of their names."""
    files = (file.relative_to(root) for file in root.rglob("*.py") if file.name not in SKIP_FILES)
    return sorted(file.as_posix() for file in files if not SKIP_FOLDERS.intersection(file.parts))


def split(file: str) -> str:
    """The part that a file belongs to: by its name alone, so that no other file matters."""
    return "validation" if zlib.crc32(file.encode()) % VALIDATION_SHARE == 0 else "train"


def long_strings(source: bytes) -> Iterator[str]:
    """The long string literals of a Python file, in a fixed order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes, and no business of ours
        stack: list[ast.AST] = [ast.parse(source)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and len(node.value) >= MIN_CHARACTERS:
                yield node.value
        elif not isinstance(node, ast.JoinedStr):
            stack.extend(reversed(list(ast.iter_child_nodes(node))))
