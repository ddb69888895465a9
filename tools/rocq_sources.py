"""What stands in the sources of the machine's proofs, proofs/*.v, read without a prover.

A `Source` knows its declarations with their lines, statements, comments and the variables and hypotheses of the
sections around them; `groups` says which of them belong to a label of a chapter:

    thm_sgd, thm_sgd_best     state and prove thm-sgd
    thm_sgd_instance          a problem that meets its assumptions
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
PROVED = r"Theorem|Lemma|Corollary|Proposition|Remark|Fact"
DEFINED = r"Definition|Fixpoint|Record|Inductive|Ltac|Notation"
DECLARED = re.compile(rf"(?:(?:Local|Global)\s+)?({PROVED}|{DEFINED})\s+\"?([\w']+)")
CONTEXT = re.compile(r"(?:Variables?|Hypothesis|Hypotheses|Context)\s")
PREFIX = re.compile(r"(?:thm|lem|prp|prop)_")
LABELLED = re.compile(r"^:{3,}\{prf:(?:theorem|lemma|proposition|corollary)\}.*\n(?::label: (\S+))?", re.MULTILINE)
TOKEN = re.compile(r"\(\*|\*\)|\"[^\"]*\"|\.(?=\s|\Z)|(?s:.)")


@dataclass
class Given:
    """A sentence that declares variables or hypotheses of a section, and what its comment says."""

    text: str
    comment: str

    @property
    def names(self) -> list[str]:
        return re.findall(r"[\w']+", re.split(r":", self.text, maxsplit=1)[0])[1:]


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


def sentences(text: str):
    """(start, end, comment before it) of each sentence; a comment on the line of a sentence's end is not before."""
    depth, start, comment, opened = 0, None, "", 0
    for match in TOKEN.finditer(text):
        piece = match[0]
        if piece == "(*":
            opened = opened if depth else match.start()
            depth += 1
        elif piece == "*)":
            depth -= 1
            own_line = not text[text.rfind("\n", 0, opened) + 1 : opened].strip()
            if not depth and start is None and own_line:
                comment = text[opened + 2 : match.start()].strip()
        elif not depth and start is None and not piece.isspace():
            start = match.start()
        if not depth and piece == "." and start is not None:
            yield start, match.end(), comment
            start, comment = None, ""


def without_comments(text: str) -> str:
    """The same text with spaces in place of its comments."""
    depth, said = 0, []
    for piece in (match[0] for match in TOKEN.finditer(text)):
        depth += piece == "(*"
        said.append(re.sub(r"\S", " ", piece) if depth else piece)
        depth -= piece == "*)"
    return "".join(said)


class Source:
    """One file of proofs."""

    def __init__(self, path: Path):
        self.path, self.name = path, path.stem
        self.text = path.read_text(encoding="utf-8")

    def line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    @cached_property
    def plain(self) -> str:
        return without_comments(self.text)

    @cached_property
    def requires(self) -> list[str]:
        """The files of the book that it asks for; those of the library have no file here."""
        asked = re.findall(r"^Require (?:Import |Export )?([\w\s]+?)\.", self.plain, re.MULTILINE)
        return [name for names in asked for name in names.split() if (self.path.parent / f"{name}.v").exists()]

    @cached_property
    def declarations(self) -> list[Declaration]:
        found, sections, proving = [], [], None
        for start, end, comment in sentences(self.text):
            said = self.plain[start:end]
            if proving:
                if re.match(r"(?:Qed|Defined)\b", said):
                    proving.end, proving = end, None
            elif match := re.match(r"Section\s+(\w+)", said):
                sections.append([])
            elif re.match(r"End\s", said):
                sections.pop()
            elif CONTEXT.match(said) and sections:
                beside = re.match(r"[ \t]*\(\*(.*?)\*\)", self.text[end:])
                sections[-1].append(Given(self.text[start:end], beside[1].strip() if beside else comment))
            elif match := DECLARED.match(said):
                statement = self.plain[start : end - 1].rstrip()
                given = [one for section in sections for one in section]
                one = Declaration(match[1], match[2], start, end, end, statement, comment, given)
                found.append(one)
                proving = one if re.fullmatch(PROVED, match[1]) else None
        return found

    def at(self, position: int) -> Declaration | None:
        """The declaration with its proof that stands at a position."""
        return next((one for one in self.declarations if one.start <= position < one.end), None)

    @property
    def violations(self) -> list[str]:
        """What breaks the rules of the sources."""
        lines = self.text.splitlines()
        found = [f"{self.name}.v:{k}: {len(line)} characters" for k, line in enumerate(lines, 1) if len(line) > WIDEST]
        if len(lines) > LONGEST:
            found.append(f"{self.name}.v: {len(lines)} lines, and {LONGEST} are allowed")
        words = re.finditer(rf"\b(?:{FORBIDDEN})\b", self.plain)
        return found + [f"{self.name}.v:{self.line(word.start())}: {word[0]}" for word in words]


def sources(folder: Path) -> dict[str, Source]:
    return {path.stem: Source(path) for path in sorted(folder.glob("*.v"))}


def stands_on(name: str, every: dict[str, Source]) -> list[str]:
    """A file and all that it asks for, directly or not."""
    found, waiting = set(), [name]
    while waiting:
        found.add(this := waiting.pop())
        waiting += [other for other in every[this].requires if other not in found]
    return sorted(found)


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def digest_of(name: str, every: dict[str, Source]) -> str:
    """Of a file and all that it stands on."""
    return digest(*(f"{other}\n{every[other].text}" for other in stands_on(name, every)))


def labels(root: Path) -> dict[str, list[str | None]]:
    """{chapter: the labels of its theorems, lemmas, propositions and corollaries}, None for one without a label."""
    chapters = sorted((root / "notebooks").glob("*.md"))
    return {path.stem: [m[1] for m in LABELLED.finditer(path.read_text(encoding="utf-8"))] for path in chapters}


def stale(root: Path) -> list[str]:
    """The sources that are not what the prover has seen, and whose page has no goals."""
    every, told = sources(root / "proofs"), root / "book" / "machine"
    seen = {path.stem: json.loads(path.read_text(encoding="utf-8"))["digest"] for path in told.glob("*.json")}
    return [name for name in every if seen.get(name) != digest_of(name, every)]


@dataclass
class Group:
    """What belongs to a label; each declaration with its source."""

    theorems: list[tuple[Source, Declaration]] = field(default_factory=list)
    instances: list[tuple[Source, Declaration]] = field(default_factory=list)
    steps: list[tuple[Source, Declaration]] = field(default_factory=list)


def label_of(name: str, labels: list[str]) -> str | None:
    """The label that a theorem's name begins with, the longest of several."""
    fits = [label for label in labels if f"{name}_".startswith(label.replace("-", "_") + "_")]
    return max(fits, key=len, default=None)


def groups(every: dict[str, Source], labels: list[str]) -> dict[str, Group]:
    """{label: its theorems, instances and steps}, for the labels that have a theorem."""
    found, waiting = {}, []
    for source in every.values():
        for one in (one for one in source.declarations if re.fullmatch(PROVED, one.kind)):
            label = label_of(one.name, labels)
            if re.match(r"step_\d", one.name):
                waiting.append((source, one))
            elif label and re.search(r"_step_\d\w*$", one.name):
                found.setdefault(label, Group()).steps.append((source, one))
            elif label and "_instance" in one.name:
                found.setdefault(label, Group()).instances.append((source, one))
            elif label:
                found.setdefault(label, Group()).theorems.append((source, one))
                found[label].steps += [(file, step) for file, step in waiting if file is source]
                waiting = []
    return {label: group for label, group in found.items() if group.theorems}


def astray(every: dict[str, Source], labels: list[str]) -> list[str]:
    """Theorems that are called after a label that no chapter has."""
    declared = [(source, one) for source in every.values() for one in source.declarations]
    return [
        f"{source.name}.v: {one.name}"
        for source, one in declared
        if PREFIX.match(one.name) and re.fullmatch(PROVED, one.kind) and not label_of(one.name, labels)
    ]


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
    found = [Saboteur(**one) for path in files for one in tomllib.loads(path.read_text("utf-8"))["saboteur"]]
    for one in found:
        one.spoiled((folder / one.file).read_text(encoding="utf-8"))
    return found
