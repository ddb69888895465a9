"""Check the proofs in proofs/*.v with Rocq, and record what it says: the first part of make prove

    python tools/prover/rocq.py            files that changed, or stand on one that did; new saboteurs
    python tools/prover/rocq.py --again    all files and all saboteurs
    python tools/prover/rocq.py --check    as in the tests: nothing is written, and a record that is not of today fails
    python tools/prover/rocq.py --records  that the records are of today; this takes no prover, and compiles nothing

Files are compiled in _build/rocq, two at a time. What the prover says of each stands in book/machine/NAME.json, so that
the book is built without a prover:

    digest, made, prover, seconds   of the file and all that it stands on; day, version, processor time of the check
    theorems                        for each theorem named after a label: the names of what it assumes, its whole
                                    statement and its axioms, as the prover prints them
    saboteurs                       {digest: lemma in which the unchanged proof failed on this change of the file}
    sentences, lines                where each sentence stands, and the goals after it, as numbers of lines

Exit status: 0 all is checked; 1 something is not as it should be, such as a label without a theorem; 4 there is no
prover.
Deliberately absent: whether a statement says what its page says. Readers and tests/proofs compare the two.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

from tools import ROOT, preflight
from tools.prover.rocq_sources import (
    NAMED,
    STEP,
    Saboteur,
    Source,
    all_labels,
    astray,
    digest,
    digest_of,
    groups,
    saboteurs,
    sources,
)

UNCHECKED = 4
NOT_CHECKED = (
    "proofs not checked: there is no prover. Install Rocq (Debian, Ubuntu: sudo apt-get install coq; macOS: "
    "brew install rocq), then: make step NAME=proofs"
)
LIMIT = 120  # seconds for one file
# What the library's real numbers rest on, and what it says.
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec": "of a yes-or-no question about each whole number, either all answers are "
    "yes or there is one that is no",
    "ClassicalDedekindReals.sig_not_dec": "a denial is true or false",
    "FunctionalExtensionality.functional_extensionality_dep": "functions with equal values are equal",
    "Classical_Prop.classic": "a statement is true or false",
}
ERROR = re.compile(r'File "[^"]*", line (\d+), characters (\d+)-\d+:\nError:\s*(.*)', re.DOTALL)
# What the prover says beside its answer.
ASIDE = r"(?:Toplevel input(?:(?!Error:).)*?)?<(infomsg|warning)>.*?</\1>|<prompt>.*?</prompt>| \(ID \d+\)"
# A change after which the proof cannot even be read shows nothing about the proof.
UNREADABLE = ("Syntax error", "was not found in the current")


class Stop(Exception):
    """The prover refused something, or a record says something else."""


class Prover:
    """The prover's two programs: one compiles a file, one answers sentences."""

    def __init__(self, path: str, root: Path = ROOT):
        new = Path(path).stem == "rocq"
        self.compiler = [path, "compile"] if new else [path]
        self.top = [path, "repl"] if new else [str(Path(path).with_name("coqtop"))]
        self.folder = root / "proofs"
        self.records, self.built = root / "book" / "machine", root / "_build" / "rocq"
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
        self.version = re.search(r"version ([\w.+]+)", answer)[1]
        self.built.mkdir(parents=True, exist_ok=True)

    def run(self, file: Path, *options: str) -> subprocess.CompletedProcess:
        """Compile a file against those that are built; one that takes too long counts as failed."""
        command = [*self.compiler, "-q", "-Q", str(self.built), "", *options, file.name]
        try:
            return subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, "", f"no answer within {LIMIT} s")

    def is_built(self, name: str, now: str) -> bool:
        stamp = self.built / f"{name}.digest"
        return stamp.exists() and stamp.read_text() == f"{now} {self.version}"

    def build(self, source: Source, now: str) -> tuple[list[tuple[int, int]], float]:
        """Compile a source; where its sentences stand, and the seconds."""
        copy = self.built / source.path.name
        copy.write_text(source.text, encoding="utf-8")
        (self.built / f"{source.name}.digest").unlink(missing_ok=True)
        done = self.run(copy, "-time")
        if done.returncode:
            raise Stop(f"proofs/{source.path.name} is not accepted:\n{done.stderr.strip()}")
        (self.built / f"{source.name}.digest").write_text(f"{now} {self.version}")
        data = source.text.encode()  # spans count bytes
        spans = re.findall(
            r"^Chars (\d+) - (\d+) \[.*\] [\d.]+ secs \(([\d.]+)u,([\d.]+)s\)", done.stdout, re.MULTILINE
        )
        places = [tuple(len(data[: int(at)].decode()) for at in span[:2]) for span in spans]
        return places, round(sum(float(span[2]) + float(span[3]) for span in spans), 1)


class Session:
    """A conversation with the prover, sentence by sentence."""

    def __init__(self, prover: Prover):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        command = [*prover.top, "-q", "-emacs", "-Q", str(prover.built), ""]
        self.process = subprocess.Popen(command, cwd=prover.built, **pipes)
        self.answer()

    def answer(self) -> str:
        text = b""
        while not text.endswith(b"</prompt>") and (more := self.process.stdout.read1()):
            text += more
        return re.sub(ASIDE, "", text.decode(), flags=re.DOTALL).strip()

    def say(self, sentence: str) -> str:
        self.process.stdin.write((sentence.replace("\n", " ") + "\n").encode())
        self.process.stdin.flush()
        return self.answer()

    def axioms(self, theorem: str) -> list[str]:
        answer = self.say(f"Print Assumptions {theorem}.")
        if "Closed under the global context" in answer:
            return []
        if not answer.startswith("Axioms:"):
            raise Stop(f"{theorem}: {answer}")
        whole = {name.split(".")[-1]: name for name in AXIOMS}  # the prover shortens what a file has imported
        names = re.findall(r"^([^\s:]+)", answer.partition("\n")[2], re.MULTILINE)
        if others := [name for name in names if whole.get(name, name) not in AXIOMS]:
            raise Stop(f"{theorem} assumes {', '.join(others)}")
        return sorted(whole.get(name, name) for name in names)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def named(source: Source) -> list[str]:
    """The theorems of a source that are named after a label; their steps are checked with them."""
    return [one.name for one in source.theorems if NAMED.match(one.name) and not STEP.search(one.name)]


def folded(goals: list[int]) -> str:
    """Numbers as text, neighbours as a range: 0-3 7."""
    runs = []
    for number in goals:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def unfolded(record: dict) -> list[tuple[int, int, str]]:
    """(start, end, goals) of each sentence of a record."""
    sentences = []
    for sentence in record["sentences"]:
        start, end, *runs = sentence.split(" ")
        pairs = [(int(a), int(b or a)) for a, _, b in (run.partition("-") for run in runs)]
        lines = [record["lines"][k] for a, b in pairs for k in range(a, b + 1)]
        sentences.append((int(start), int(end), "\n".join(lines)))
    return sentences


def listen(prover: Prover, source: Source, places: list[tuple[int, int]]) -> dict:
    """What the prover says to a source, sentence by sentence, and then of its theorems."""
    sentences, lines, theorems = [], {}, {}
    with Session(prover) as session:
        for start, end in places:
            answer = session.say(source.plain[start:end])
            if re.search(r"^Error:", answer, re.MULTILINE):
                raise Stop(f"{source.path.name}:{source.line(start)}: {answer}")
            goals = answer.split("\n") if "goal" in answer else []
            numbers = [lines.setdefault(line.rstrip(), len(lines)) for line in goals]
            sentences.append(f"{start} {end} {folded(numbers)}".rstrip())
        for name in named(source):
            statement, _, rest = session.say(f"About {name}.").partition("\n\n")
            given = re.search(rf"Arguments {name}\s(.*?)\n\S", rest, re.DOTALL)
            given = re.sub(r"%\w+|[(){}\[\]]", " ", given[1]).split() if given else []
            theorems[name] = {"given": " ".join(given), "statement": statement, "axioms": session.axioms(name)}
    return {"theorems": theorems, "saboteurs": {}, "sentences": sentences, "lines": list(lines)}


def load(folder: Path, name: str) -> dict | None:
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def save(folder: Path, name: str, record: dict) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def key(saboteur: Saboteur, now: str) -> str:
    """What a saboteur's result hangs on; `now` is the digest of its file."""
    return digest(saboteur.old, saboteur.new, str(saboteur.count), saboteur.fails_in, now)


def sabotage(prover: Prover, source: Source, saboteur: Saboteur) -> str:
    """See that the unchanged proof fails in the lemma that the saboteur names; else what happened."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / saboteur.file
        copy.write_text(saboteur.spoiled(source.text), encoding="utf-8")
        done, spoiled = prover.run(copy), Source(copy)
    error, problem = ERROR.search(done.stderr), "the proof stands all the same"
    if error:
        place = sum(len(line) + 1 for line in spoiled.text.split("\n")[: int(error[1]) - 1]) + int(error[2])
        lemma = spoiled.at(place)
        there = f"in {lemma.name}" if lemma and place >= lemma.proof else f"at line {error[1]}, outside a proof"
        problem = f"the failure is {there}, not in {saboteur.fails_in}: {error[3].strip()}"
        if there == f"in {saboteur.fails_in}":
            unreadable = any(words in error[3] for words in UNREADABLE)
            problem = f"the proof is no longer readable: {error[3].strip()}" if unreadable else ""
    elif done.returncode:
        problem = done.stderr.strip()
    return problem and f"saboteur of {saboteur.label}, {saboteur.says!r}: {problem}"


def check_file(prover: Prover, source: Source, now: str, mine: list[Saboteur], again: bool, write: bool):
    """Compile a source where that is due, hear or compare what the prover says, try the saboteurs whose result is not
    known; a line about it, or none, and what is wrong."""
    known, news, name = load(prover.records, source.name), [], source.name
    fresh = known is not None and known["digest"] == now and [*known["theorems"]] == named(source)
    if not fresh and not write:
        raise Stop(f"book/machine/{name}.json is not of today's proofs/{name}.v: run make prove")
    if again or not fresh or not prover.is_built(name, now):
        places, seconds = prover.build(source, now)
        news.append(f"{len(places)} sentences, {seconds} s")
        if fresh:
            with Session(prover) as session:
                session.say(f"Require Import {name}.")
                axioms = {theorem: session.axioms(theorem) for theorem in named(source)}
            if axioms != {theorem: one["axioms"] for theorem, one in known["theorems"].items()}:
                raise Stop(f"book/machine/{name}.json has other axioms than the prover")
        else:
            known = {"digest": now, "made": time.strftime("%Y-%m-%d"), "prover": prover.version, "seconds": seconds}
            known |= listen(prover, source, places)
    keys = {key(one, now): one for one in mine}
    todo = {k: one for k, one in keys.items() if again or k not in known["saboteurs"]}
    if todo and not write and not again:
        raise Stop(f"{len(todo)} saboteurs of {name}.v were never tried: run make prove")
    wrong = {k: problem for k, one in todo.items() if (problem := sabotage(prover, source, one))}
    stopped = {k: one.fails_in for k, one in keys.items() if k not in wrong}
    if write and (not fresh or stopped != known["saboteurs"]):
        save(prover.records, name, known | {"saboteurs": stopped})
    news += [f"{len(todo)} saboteurs"] if todo else []
    return f"{name}.v: {', '.join(news)}" if news else "", list(wrong.values())


def check_files(prover: Prover, every: dict[str, Source], again: bool, write: bool) -> list[str]:
    """Check the sources in an order in which each stands on files that were checked; what is wrong."""
    try:
        listed = saboteurs(prover.folder)
    except (KeyError, OSError, TypeError, ValueError) as error:
        return [f"proofs/saboteurs: {error}"]
    order = TopologicalSorter({name: source.requires for name, source in every.items()})
    order.prepare()
    running, problems = {}, []
    with ThreadPoolExecutor(2) as pool:
        while running or order.is_active():
            for name in order.get_ready():
                mine = [one for one in listed if one.file == f"{name}.v"]
                work = (prover, every[name], digest_of(name, every), mine, again, write)
                running[pool.submit(check_file, *work)] = name
            if not running:
                break  # what is left stands on a file that is not accepted
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(future)
                if problem := future.exception():
                    problems.append(str(problem))
                    continue
                news, wrong = future.result()
                print(f"  {news}\n" * bool(news), end="", flush=True)
                problems += wrong
                order.done(name)
    return problems


def compare_labels(root: Path, every: dict[str, Source]) -> list[str]:
    """Labels and theorems that miss their counterpart."""
    known = all_labels(root)
    proved = groups(every, known)
    without = ", ".join(label for label, group in proved.items() if not group.instances)
    problems = [f"no chapter has the label of {name}" for name in astray(every, known)]
    problems += [f"{label} has no theorem in proofs/*.v" for label in known if label not in proved]
    print(
        f"  {len(proved)} of {len(known)} labels have a theorem" + f"; without an instance: {without}" * bool(without)
    )
    return problems


def check_records(root: Path = ROOT) -> int:
    """Whether the records are of today's files and saboteurs, and have no more; the exit status."""
    every, listed, folder = sources(root / "proofs"), saboteurs(root / "proofs"), root / "book" / "machine"
    problems = broken_rules(every)
    for name, source in every.items():
        now, known = digest_of(name, every), load(folder, name)
        tried = {key(one, now) for one in listed if one.file == f"{name}.v"}
        if known is None or (known["digest"], [*known["theorems"]]) != (now, named(source)):
            problems.append(f"book/machine/{name}.json is not of today's proofs/{name}.v: run make prove")
        elif tried != {*known["saboteurs"]}:
            problems.append(f"book/machine/{name}.json has not the saboteurs of today: run make prove")
    problems += [*compare_labels(root, every), *strangers(folder, every)]
    print("".join(f"{problem}\n" for problem in problems) or f"  {len(every)} files as they were when proved\n", end="")
    return 1 if problems else 0


def broken_rules(every: dict[str, Source]) -> list[str]:
    return [line for source in every.values() for line in source.violations]


def strangers(folder: Path, every: dict[str, Source]) -> list[str]:
    """Records without a file."""
    names = [path.stem for path in sorted(folder.glob("*.json")) if path.stem not in every]
    return [f"book/machine/{name}.json: there is no proofs/{name}.v" for name in names]


def check(root: Path = ROOT, again: bool = False, write: bool = True) -> int:
    """Check all; the exit status."""
    if not (path := preflight.get_prover()):
        print("There is no prover and none could be installed: the proofs will NOT be checked.", flush=True)
        return UNCHECKED
    prover, every, start = Prover(path, root), sources(root / "proofs"), time.monotonic()
    problems = broken_rules(every)
    problems += [*check_files(prover, every, again, write), *compare_labels(root, every)]
    if write:
        for record in prover.records.glob("*.json"):
            record.unlink() if record.stem not in every else None
    else:
        problems += strangers(prover.records, every)
    print("".join(f"{problem}\n" for problem in problems), end="")
    verdict = f"{len(problems)} problems" if problems else "all stand"
    print(f"  {len(every)} files, {time.monotonic() - start:.0f} s, Rocq {prover.version}: {verdict}")
    return 1 if problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="all files and all saboteurs")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--records", action="store_true", help="compile nothing")
    args = parser.parse_args()
    return check_records() if args.records else check(again=args.again, write=not args.check)


if __name__ == "__main__":
    sys.exit(main())
