"""Keeps a chapter's two files in step: NN_name.md (what people edit), NN_name.ipynb (outputs).

    python tools/chapter/notebooks.py run sgd       execute the .md into its .ipynb, and record the run in book/proved
    python tools/chapter/notebooks.py run           the same for every chapter whose outputs are stale
    python tools/chapter/notebooks.py sync          bring the newer text of a pair to its other file, run nothing
    python tools/chapter/notebooks.py format        format the code cells of every .md with ruff

Running an unchanged chapter twice gives the same bytes, but for outputs that differ: no timestamps,
no random cell ids, no version of the Python that happened to run it. A cell may take half an hour: the limit is there
to end a hang, not to punish a slow machine. Deliberately absent: a comparison of outputs (nbval does it).

Jupytext reads and writes the texts. Its commands were tried on all chapters, and are not used: `--sync` and `--pipe`
write a source anew (captions wrapped, keys sorted), `--update` gives a changed cell the outputs of the old one, and
`--execute` hands the kernel no environment, so that nothing would note what a run reads.
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

import jupytext
import nbformat
from jupytext.config import load_jupytext_config

from tools import ROOT
from tools.chapter import chapters as rules
from tools.chapter import provenance

CELL_LIMIT = 1800  # seconds
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def chapters(root: Path = ROOT) -> list[Path]:
    """The sources of all chapters, `notebooks/*.md`, in the order of the book."""
    return sorted((root / "notebooks").glob("*.md"))


def find(name: str, root: Path = ROOT) -> Path:
    """The source of the chapter that is called `name`, with or without its number.

    Raises:
        ValueError: there is no such chapter.
    """
    named = [md for md in chapters(root) if Path(name).stem in (md.stem, rules.name_of(md.stem))]
    if not named:
        raise ValueError(f"no chapter {name!r}; there are {', '.join(rules.name_of(md.stem) for md in chapters(root))}")
    return named[0]


def pair(md: Path) -> Path:
    """The paired notebook of a chapter's source: the same name with `.ipynb`."""
    return md.with_suffix(".ipynb")


@cache
def parsed(text: str) -> bytes:
    """A source as a pickled notebook: one command asks for the same text a hundred times, and reading it is slow."""
    return pickle.dumps(jupytext.reads(text, fmt={"extension": ".md"}))


def source(md: Path) -> nbformat.NotebookNode:
    """A chapter's source as a notebook without outputs, one's own to change."""
    return pickle.loads(parsed(md.read_text(encoding="utf-8")))


def tidy(nb: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Remove what changes from run to run: ids, timestamps, trust marks, the kernel's version."""
    for number, cell in enumerate(nb.cells):
        cell["id"] = f"cell-{number:03d}"
        for key in ("execution", "trusted"):
            cell.metadata.pop(key, None)
        for output in cell.get("outputs", []):
            output.get("metadata", {}).pop("execution", None)
    nb.metadata["kernelspec"] = KERNEL
    nb.metadata["jupytext"] = {"default_lexer": "ipython3"}
    nb.metadata["language_info"] = {"name": "python", "file_extension": ".py", "pygments_lexer": "ipython3"}
    nb.nbformat, nb.nbformat_minor = 4, 5
    return nb


def merge_streams(nb: nbformat.NotebookNode) -> None:
    """Join neighbouring prints: how the kernel cuts a stream into pieces depends on timing.

    Not nbclient's `coalesce_streams`, which joins what is printed before a figure with what is printed after it.
    """
    for cell in nb.cells:
        joined: list = []
        for output in cell.get("outputs", []):
            last = joined[-1] if joined else {}
            if output.output_type == last.get("output_type") == "stream" and output.name == last.name:
                last.text += output.text
            else:
                joined.append(output)
        if "outputs" in cell:
            cell.outputs = joined


def write(nb: nbformat.NotebookNode, path: Path) -> bool:
    """Write a notebook when its bytes would change. Returns whether they did."""
    text = nbformat.writes(tidy(nb)) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def parts(nb: nbformat.NotebookNode) -> list[tuple[str, str, dict]]:
    """Kind, text and metadata of each cell: all that a source holds."""
    hidden = ("execution", "trusted")
    return [(c.cell_type, c.source, {k: v for k, v in c.metadata.items() if k not in hidden}) for c in nb.cells]


def same_text(a: nbformat.NotebookNode, b: nbformat.NotebookNode) -> bool:
    """Whether two notebooks agree in everything but outputs."""
    return parts(a) == parts(b)


def children() -> float:
    """Seconds of processor time of the processes that this one started and that have ended; Windows counts none."""
    return os.times().children_user + os.times().children_system


def execute(md: Path) -> tuple[nbformat.NotebookNode, dict]:
    """Execute a chapter's source; returns the notebook with its outputs and the record of the run.

    Raises nbclient's CellExecutionError when a cell fails, CellTimeoutError when one takes more than half an hour.
    """
    from nbclient import NotebookClient

    root = md.resolve().parent.parent
    nb = source(md)
    client = NotebookClient(
        nb,
        timeout=CELL_LIMIT,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(md.parent)}},
    )
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        paths = [str(Path(__file__).parent / "trace"), os.environ.get("PYTHONPATH", "")]
        watched = {
            "TRACE_ROOT": str(root),
            "TRACE_FILE": str(trace),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        start, before = time.perf_counter(), children()
        # a thread that spins while it waits would count as work
        client.execute(env={"OMP_WAIT_POLICY": "PASSIVE"} | os.environ | watched)
        seconds = children() - before or time.perf_counter() - start
        read = set(trace.read_text().splitlines()) if trace.exists() else set()
    merge_streams(nb)
    tidy(nb)
    return nb, provenance.record(root, nb, read, seconds)


def run(md: Path, into: Path | None = None) -> float:
    """Execute a chapter's source into its notebook and record the run. Returns seconds; raises when a cell fails.

    With `into`, notebook and record are written into that folder, and the chapter and its record stay as they are.
    """
    nb, record = execute(md)
    now = source(md)  # edited meanwhile, the source keeps its text, and a cell that was changed has no output
    write(nb if same_text(now, nb) else with_outputs(now, nb), (into or md.parent) / f"{md.stem}.ipynb")
    provenance.save(into or md.resolve().parent.parent / provenance.FOLDER, md.stem, record)
    return record["seconds"]


def stale(md: Path, paired: Path | None = None, runs: Path | None = None) -> list[str]:
    """Why the outputs of a chapter's notebook are not those of its source as it stands today.

    Notebook and record are looked for in the folders `paired` and `runs`; by default beside the source and in
    book/proved.
    """
    root = md.resolve().parent.parent
    ipynb = (paired or md.parent) / f"{md.stem}.ipynb"
    if not ipynb.exists():
        return ["it was never executed"]
    notebook = nbformat.read(ipynb, as_version=4)
    reasons = provenance.stale(root, notebook, provenance.load(runs or root / provenance.FOLDER, md.stem))
    code = [[c.source for c in rules.code(nb)] for nb in (source(md), notebook)]
    return reasons if code[0] == code[1] else [f"the code in {md.name} changed", *reasons]


def with_outputs(nb: nbformat.NotebookNode, paired: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Give the cells of `nb` the outputs of the cells with the same code in `paired`; returns `nb`.

    Of the first cell that all chapters share any version will do: none shows anything here.
    """

    def code(cell):
        return rules.FETCH if rules.FETCH in rules.tags(cell) else cell.source

    ran = defaultdict(list)
    for cell in paired.cells:
        ran[code(cell)].append(cell)
    for cell in nb.cells:
        if cell.cell_type == "code" and ran[code(cell)]:
            old = ran[code(cell)].pop(0)
            cell.outputs, cell.execution_count = old.outputs, old.execution_count
    return tidy(nb)


def edited(text: str, new: nbformat.NotebookNode) -> str:
    """The source `text` with the cells of `new`. The rest stays as written if no cell came, went or was tagged."""
    old, end = jupytext.reads(text, fmt="md:myst"), 0
    if [kind[::2] for kind in parts(old)] != [kind[::2] for kind in parts(new)]:
        return jupytext.writes(new, fmt="md:myst", config=load_jupytext_config(str(ROOT / "notebooks")))
    for was, cell in zip(old.cells, new.cells, strict=True):
        start = text.index(was.source, end)
        text = text[:start] + cell.source + text[start + len(was.source) :]
        end = start + len(cell.source)
    return text


def formatted(text: str) -> str:
    """A chapter's source with its code cells formatted by ruff, all other text untouched."""
    nb = jupytext.reads(text, fmt="md:myst")
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "--stdin-filename", "notebooks/a.ipynb", "-"]
    done = subprocess.run(command, input=nbformat.writes(nb), capture_output=True, text=True, check=True, cwd=ROOT)
    return edited(text, nbformat.reads(done.stdout, as_version=4))


def sync(md: Path) -> str:
    """Bring source and notebook in step without running anything; the newer file wins.

    Outputs of cells whose code is unchanged are kept. Returns what was done.
    """
    ipynb = pair(md)
    text = source(md)
    if not ipynb.exists():
        return f"{ipynb.name} is missing: make notebook NAME={rules.name_of(md.stem)}"
    paired = nbformat.read(ipynb, as_version=4)
    if same_text(text, paired):
        return f"{ipynb.name} tidied" if write(paired, ipynb) else ""
    if ipynb.stat().st_mtime > md.stat().st_mtime:
        md.write_text(edited(md.read_text(encoding="utf-8"), paired), encoding="utf-8")
        return f"{md.name} updated from {ipynb.name}"
    write(with_outputs(text, paired), ipynb)
    return f"{ipynb.name} updated from {md.name}; run it: make notebook NAME={rules.name_of(md.stem)}"


def format_source(md: Path) -> str:
    """Format the code of a chapter's source. Returns what was done."""
    text = md.read_text(encoding="utf-8")
    if (new := formatted(text)) == text:
        return ""
    md.write_text(new, encoding="utf-8")
    return f"{md.name} formatted; run it: make notebook NAME={rules.name_of(md.stem)}"


def violations(md: Path) -> list[str]:
    """What is wrong with a pair: a notebook missing, out of step, or with cells that were not run."""
    ipynb = pair(md)
    if not ipynb.exists():
        return [f"{md.name}: has no paired notebook {ipynb.name}"]
    paired = nbformat.read(ipynb, as_version=4)
    sentences = []
    if not same_text(source(md), paired):
        sentences.append(f"{md.name}: its notebook {ipynb.name} holds another text")
    code = [c for c in paired.cells if c.cell_type == "code" and c.source.strip()]
    if any(c.execution_count is None for c in code):
        sentences.append(f"{ipynb.name}: a cell has not been run")
    elif [c.execution_count for c in code] != list(range(1, len(code) + 1)):
        sentences.append(f"{ipynb.name}: cells were not run once each from top to bottom")
    return sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["run", "sync", "format"])
    parser.add_argument("names", nargs="*", help="chapters such as sgd (default: all)")
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--into", type=Path, help="where to write what `run` makes (default: beside the sources)")
    args = parser.parse_args()
    sources = chapters(args.root)
    if args.names:
        try:
            sources = sorted({find(name, args.root) for name in args.names})
        except ValueError as error:
            parser.error(str(error))
    elif args.task == "run":
        sources = [md for md in sources if stale(md)]
    for md in sources:
        if args.task == "run":
            print(f"{md.stem}: {run(md, args.into):.1f} s", flush=True)
        elif message := sync(md) if args.task == "sync" else format_source(md):
            print(message)


if __name__ == "__main__":
    main()
