"""What stands in the sources of the machine's proofs, proofs/*.v, read without a prover.

A `Source` knows its declarations with their lines, statements, comments and the variables and hypotheses of the
sections around them; `groups` says which of them belong to a label of a chapter:

    thm_sgd, thm_sgd_best     state and prove thm-sgd
    thm_sgd_instance          the theorem applied to a problem that meets its assumptions
    thm_sgd_needs_rate        a counterexample: without one of its assumptions it is false, as the comment above says
    step_1, thm_sgd_step_1    its steps; `step_1` belongs to the next theorem with a label in its file

Deliberately absent: Rocq's grammar. Sentences end at a full stop before white space, and that is all that is needed.
"""

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

LONGEST, WIDEST = 250, 120  # lines of a file, characters of a line
FORBIDDEN = r"Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Print|Fail|Unset|bypass_check"
PROVED = ("Theorem", "Lemma", "Corollary", "Proposition", "Remark", "Fact")
DEFINED = ("Definition", "Fixpoint", "Record", "Inductive", "Ltac", "Notation")
DECLARED = re.compile(rf"(?:(?:Local|Global)\s+)?({'|'.join(PROVED + DEFINED)})\s+\"?([\w']+)")
CONTEXT = re.compile(r"(?:Variables?|Hypothesis|Hypotheses|Context)\s")
OUTSIDE = "outside a section"
LABELLED = re.compile(r"^:{3,}\{prf:(?:theorem|lemma|proposition|corollary)\}.*\n(?::label: (\S+))?", re.MULTILINE)
NAMED = re.compile(r"(?:thm|lem|prp|prop)_")
STEP = re.compile(r"(?:^|_)step_\d")


@dataclass
class Given:
    """A sentence that declares variables or hypotheses of a section, and what its comment says."""

    text: str
    comment: str

    @property
    def names(self) -> list[str]:
        many = re.match(r"\w+\s*\(", self.text)  # Variables (a b : R) (n : nat).
        parts = re.findall(r"\(([\w' ]+):", self.text) if many else self.text.split(":")[:1]
        return " ".join(parts).split()[0 if many else 1 :]


@dataclass
class Declaration:
    kind: str
    name: str
    start: int  # where its sentence begins
    proof: int  # where its statement ends
    end: int  # where it ends, with its proof
    statement: str
    comment: str
    given: list[Given] = field(default_factory=list)


def without_comments(text: str) -> str:
    """The same text with spaces in place of its comments."""
    depth, pieces = 0, []
    for piece in re.split(r"(\(\*|\*\))", text):
        depth += piece == "(*"
        pieces.append(re.sub(r"\S", " ", piece) if depth else piece)
        depth -= piece == "*)"
    return "".join(pieces)


class Source:
    """One file of proofs."""

    def __init__(self, path: Path):
        self.path, self.name = path, path.stem
        self.text = path.read_text(encoding="utf-8")
        self.plain = without_comments(self.text)

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    @cached_property
    def requires(self) -> list[str]:
        """The files of the book that it asks for; those of the library have no file here."""
        required = re.findall(r"^Require (?:Import |Export )?([\w\s]+?)\.", self.plain, re.MULTILINE)
        return [name for names in required for name in names.split() if (self.path.parent / f"{name}.v").exists()]

    @cached_property
    def declarations(self) -> list[Declaration]:
        declared, sections, proving, last = [], [], None, 0
        for match in re.finditer(r"\S.*?\.(?=\s|\Z)", self.plain, re.DOTALL):
            (start, end), sentence = match.span(), match[0]
            above = re.search(r"\n\s*\(\*((?:(?!\*\)).)*)\*\)\s*\Z", "\n"[last:] + self.text[last:start], re.DOTALL)
            beside = re.match(r"[ \t]*\(\*(.*?)\*\)", self.text[end:])
            comment, last = " ".join(above[1].split()) if above else "", end
            if proving:
                if re.match(r"(?:Qed|Defined)\b", sentence):
                    proving.end, proving = end, None
            elif re.match(r"Section\s", sentence):
                sections.append([])
            elif re.match(r"End\s", sentence):
                sections.pop()
            elif CONTEXT.match(sentence) and sections:
                sections[-1].append(Given(sentence, beside[1].strip() if beside else comment))
            elif CONTEXT.match(sentence):  # the prover takes it for an axiom
                declared.append(Declaration(OUTSIDE, sentence, start, end, end, sentence, comment))
            elif match := DECLARED.match(sentence):
                given = [one for section in sections for one in section]
                declared.append(Declaration(*match.groups(), start, end, end, sentence[:-1].rstrip(), comment, given))
                proving = declared[-1] if match[1] in PROVED else None
        return declared

    @property
    def theorems(self) -> list[Declaration]:
        return [one for one in self.declarations if one.kind in PROVED]

    def at(self, position: int) -> Declaration | None:
        """The declaration with its proof that stands at a position."""
        return next((one for one in self.declarations if one.start <= position < one.end), None)

    @property
    def violations(self) -> list[str]:
        """What breaks the rules of the sources."""
        lines = self.text.splitlines()
        faults = [f"{k}: {len(line)} characters" for k, line in enumerate(lines, 1) if len(line) > WIDEST]
        faults += [f"{len(lines)} lines, and {LONGEST} are allowed"] if len(lines) > LONGEST else []
        words = re.finditer(rf"\b(?:{FORBIDDEN})\b", self.plain)
        faults += [f"{self.line(word.start())}: {word[0]}" for word in words]
        free = [one for one in self.declarations if one.kind == OUTSIDE]
        faults += [f"{self.line(one.start)}: {one.name} {OUTSIDE}" for one in free]
        return [f"{self.name}.v:{line}" for line in faults]


def sources(folder: Path) -> dict[str, Source]:
    return {path.stem: Source(path) for path in sorted(folder.glob("*.v"))}


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def stands_on(name: str, every: dict[str, Source]) -> list[str]:
    """A file and all that it asks for, directly or not."""
    files, waiting = set(), [name]
    while waiting:
        files.add(this := waiting.pop())
        waiting += [other for other in every[this].requires if other not in files]
    return sorted(files)


def digest_of(name: str, every: dict[str, Source]) -> str:
    """Of a file and all that it stands on."""
    return digest(*(f"{other}\n{every[other].text}" for other in stands_on(name, every)))


def stale(root: Path) -> list[str]:
    """The sources that are not what the prover has seen, and whose page has no goals."""
    every, records = sources(root / "proofs"), root / "book" / "machine"
    seen = {path.stem: json.loads(path.read_text(encoding="utf-8"))["digest"] for path in records.glob("*.json")}
    return [name for name in every if seen.get(name) != digest_of(name, every)]


def labels(root: Path) -> dict[str, list[str | None]]:
    """{chapter: the labels of its theorems, lemmas, propositions and corollaries}, None for one without a label."""
    chapters = sorted((root / "notebooks").glob("*.md"))
    return {path.stem: [m[1] for m in LABELLED.finditer(path.read_text(encoding="utf-8"))] for path in chapters}


def all_labels(root: Path) -> list[str]:
    return [label for those in labels(root).values() for label in those if label]


@dataclass
class Group:
    """What belongs to a label; each declaration with its source."""

    theorems: list[tuple[Source, Declaration]] = field(default_factory=list)
    instances: list[tuple[Source, Declaration]] = field(default_factory=list)
    needs: list[tuple[Source, Declaration]] = field(default_factory=list)
    steps: list[tuple[Source, Declaration]] = field(default_factory=list)


def label_of(name: str, known: list[str]) -> str | None:
    """The label that a theorem's name begins with, the longest of several."""
    fits = [label for label in known if f"{name}_".startswith(label.replace("-", "_") + "_")]
    return max(fits, key=len, default=None)


def groups(every: dict[str, Source], known: list[str]) -> dict[str, Group]:
    """{label: its theorems, instances, counterexamples and steps}, for the labels that have a theorem."""
    by_label = {label: Group() for label in known}
    for source in every.values():
        waiting = []
        for one in source.theorems:
            group = by_label.get(label_of(one.name, known))
            if STEP.match(one.name):
                waiting.append((source, one))
            elif group and STEP.search(one.name):
                group.steps.append((source, one))
            elif group and "_instance" in one.name:
                group.instances.append((source, one))
            elif group and "_needs_" in one.name:
                group.needs.append((source, one))
            elif group:
                group.theorems.append((source, one))
                group.steps, waiting = group.steps + waiting, []
    return {label: group for label, group in by_label.items() if group.theorems}


def astray(every: dict[str, Source], known: list[str]) -> list[str]:
    """Theorems that are called after a label that no chapter has."""
    named = [(source.name, one.name) for source in every.values() for one in source.theorems if NAMED.match(one.name)]
    return [f"{file}.v: {name}" for file, name in named if not label_of(name, known)]


@dataclass(frozen=True)
class Saboteur:
    """A change of a source after which the unchanged proof must fail in the lemma `fails_in`."""

    label: str
    says: str
    file: str
    old: str
    new: str
    fails_in: str
    count: int = 1

    def spoiled(self, text: str) -> str:
        if (there := text.count(self.old)) != self.count:
            raise ValueError(f"{self.file}: {self.old!r} stands there {there} times, not {self.count}")
        return text.replace(self.old, self.new)


def saboteurs(folder: Path) -> list[Saboteur]:
    """All saboteurs of proofs/saboteurs/*.toml; a wrong entry raises TypeError or ValueError."""
    files = sorted((folder / "saboteurs").glob("*.toml"))
    every = [Saboteur(**one) for path in files for one in tomllib.loads(path.read_text("utf-8"))["saboteur"]]
    for one in every:
        one.spoiled((folder / one.file).read_text(encoding="utf-8"))
    return every
