"""The proofs in Rocq: rules of the sources, records of today, labels, saboteurs, and what rocq.py refuses."""

import re
import shutil

import pytest

from tools import preflight
from tools.prover import rocq, rocq_sources
from tools.prover.rocq_sources import Source, groups, sources

ROOT = rocq.ROOT


def test_the_sources_keep_the_rules_and_the_records_are_of_today(capsys):
    assert rocq.check_records() == 0, capsys.readouterr().out


def test_every_theorem_has_a_saboteur_and_stands_on_known_axioms():
    proved = groups(sources(ROOT / "proofs"), rocq_sources.all_labels(ROOT))
    assert {one.label for one in rocq_sources.saboteurs(ROOT / "proofs")} == proved.keys()
    for source, theorem in (pair for group in proved.values() for pair in group.theorems):
        record = rocq.load(ROOT / "book" / "machine", source.name)["theorems"][theorem.name]
        assert set(record["axioms"]) <= rocq.AXIOMS.keys(), theorem.name


def test_every_instance_applies_a_theorem_of_its_label():
    proved = groups(sources(ROOT / "proofs"), rocq_sources.all_labels(ROOT))
    for label, group in proved.items():
        names = {theorem.name for _, theorem in group.theorems}
        assert group.instances, label
        for source, one in group.instances:
            assert names & set(re.findall(r"[\w']+", source.plain[one.proof : one.end])), one.name


def test_every_counterexample_says_what_it_is_without():
    proved = groups(sources(ROOT / "proofs"), rocq_sources.all_labels(ROOT))
    needs = [one for group in proved.values() for _, one in group.needs]
    assert len(needs) >= 12
    for one in needs:
        assert re.match(r"Without [^:.]+ it is false[^:.]*: .+\.$", one.comment), one.name


TEXT = """\
(* What it is (* and more *). Not a sentence. *)
Require Import sums.
Section S.
  Variables a b : nat.  (* two numbers *)
  Variables (m n : nat) (f : nat -> nat).
  (* It is (A1). *)
  Hypothesis small : a < S 1.
  (* (1) First. *)
  Lemma step_1 : a < 3. Proof. lia. Qed.
  (* In words. *)
  Theorem thm_x : forall c, c = a -> c < 3.
  Proof. intros c H. rewrite H. exact step_1. Qed.
End S.
Lemma thm_x_step_instance : 1 < 2.
Proof. exact (PeanoNat.Nat.lt_succ_diag_r 1). Qed.
Lemma thm_x_y_step_2b : 1 < 2. Proof. lia. Qed.
Theorem thm_x_y : 1 < 2. Proof. exact thm_x_y_step_2b. Qed.
(* Without a number it is false: 2. *)
Lemma thm_x_y_needs_more : 1 < 2. Proof. lia. Qed.
Theorem thm_z : 1 < 2. Proof. lia. Qed.
"""


@pytest.fixture
def book(tmp_path):
    """A small book with a chapter, a base and a file of proofs."""
    for folder in ("proofs/saboteurs", "notebooks", "book/machine"):
        (tmp_path / folder).mkdir(parents=True)
    chapter = "".join(f":::{{prf:theorem}} T\n:label: thm-{name}\n:::\n" for name in ("x", "x-y"))
    (tmp_path / "notebooks" / "01_a.md").write_text(chapter)
    (tmp_path / "proofs" / "sums.v").write_text("Require Export Lia.\n")
    (tmp_path / "proofs" / "a.v").write_text(TEXT.replace("Theorem thm_z : 1 < 2. Proof. lia. Qed.\n", ""))
    return tmp_path


def test_a_source_is_read_with_its_sections_comments_and_lines(tmp_path):
    (tmp_path / "sums.v").touch()
    (tmp_path / "a.v").write_text(TEXT)
    source = Source(tmp_path / "a.v")
    assert source.requires == ["sums"]
    step, theorem = source.declarations[:2]
    assert (theorem.name, theorem.comment, source.line(theorem.start)) == ("thm_x", "In words.", 11)
    assert theorem.statement == "Theorem thm_x : forall c, c = a -> c < 3"
    assert [one.names for one in theorem.given] == [["a", "b"], ["m", "n", "f"], ["small"]]
    assert [one.comment for one in theorem.given] == ["two numbers", "", "It is (A1)."]
    assert source.text[step.proof : step.end] == " Proof. lia. Qed."
    x, x_y = groups({"a": source}, ["thm-x", "thm-x-y"]).values()  # the longest label that fits wins
    assert [[one.name for _, one in part] for part in (x.theorems, x.instances, x.steps)] == [
        ["thm_x"],
        ["thm_x_step_instance"],
        ["step_1"],
    ]
    assert [one.name for _, one in x_y.theorems + x_y.steps] == ["thm_x_y", "thm_x_y_step_2b"]
    assert [(one.name, one.comment) for _, one in x_y.needs] == [
        ("thm_x_y_needs_more", "Without a number it is false: 2.")
    ]
    assert rocq_sources.astray({"a": source}, ["thm-x", "thm-x-y"]) == ["a.v: thm_z"]


def test_what_a_source_must_not_have_is_found(tmp_path):
    path = tmp_path / "a.v"
    path.write_text("(* admit, Axiom: in a comment they may stand *)\nAxiom x : False.\nLemma y : False.\nAdmitted.\n")
    assert Source(path).violations == ["a.v:2: Axiom", "a.v:4: Admitted"]
    path.write_text("Require Import sums.\nVariable q : False.\n")
    assert Source(path).violations == ["a.v:2: Variable q : False. outside a section"]
    path.write_text("x" * 121 + "\n" * 251)
    assert Source(path).violations == ["a.v:1: 121 characters", "a.v:251 lines, and 250 are allowed"]


SABOTEUR = """\
[[saboteur]]
label = "thm-x"
says = "it is changed"
file = "a.v"
old = "< S 1"
new = "< S 3"
fails_in = "step_1"
"""


def test_a_saboteur_whose_text_is_not_there_is_refused(book):
    (book / "proofs" / "saboteurs" / "a.toml").write_text(SABOTEUR.replace("S 1", "S 5"))
    with pytest.raises(ValueError, match="'< S 5' stands there 0 times, not 1"):
        rocq_sources.saboteurs(book / "proofs")


def test_without_a_prover_nothing_is_said_to_be_checked(monkeypatch, capsys, book):
    monkeypatch.setattr(preflight, "get_prover", lambda: None)
    assert rocq.check(book) == rocq.UNCHECKED
    assert "the proofs will NOT be checked" in capsys.readouterr().out


needs_prover = pytest.mark.skipif(
    preflight.prover() is None, reason="there is no prover: make step NAME=proofs says so too"
)


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def saboteur(old, new, fails_in="step_1"):
    return rocq_sources.Saboteur("thm-x", "it is changed", "a.v", old, new, fails_in)


@needs_prover
def test_what_is_checked_is_recorded_and_what_changed_is_checked_again(book, capsys):
    assert rocq.check(book, write=False) == 1  # nothing is recorded yet, and a test records nothing
    assert "sums.json is not of today's proofs/sums.v" in capsys.readouterr().out
    assert rocq.check(book) == 0
    assert "2 of 2 labels have a theorem" in capsys.readouterr().out
    assert rocq_sources.stale(book) == []
    record = rocq.load(book / "book" / "machine", "a")
    assert record["theorems"]["thm_x"]["given"].split()[:2] == ["a", "small"]
    text = (book / "proofs" / "a.v").read_text()
    goals = {text[start:end]: goal for start, end, goal in rocq.unfolded(record)}
    assert goals["rewrite H."].startswith("1 goal\n")
    assert goals["rewrite H."].endswith("  a < 3")
    assert rocq.check(book, write=False) == 0
    assert "sentences" not in capsys.readouterr().out  # nothing was compiled
    (book / "proofs" / "saboteurs" / "a.toml").write_text(SABOTEUR)
    assert rocq.check(book, write=False) == 1
    assert "1 saboteurs of a.v were never tried" in capsys.readouterr().out
    for tried in (True, False):
        assert rocq.check(book) == 0
        assert ("a.v: 1 saboteurs" in capsys.readouterr().out) == tried
    change(book / "proofs" / "sums.v", "Lia.", "Lia.\n")
    assert rocq_sources.stale(book) == ["a", "sums"]  # the pages say so
    assert rocq.check(book) == 0
    assert re.findall(r"(\w+)\.v: ", capsys.readouterr().out) == ["sums", "a"]
    change(book / "notebooks" / "01_a.md", "thm-x\n", "thm-w\n")
    assert rocq.check(book) == 1  # a label without a theorem, and theorems without a label
    problems = capsys.readouterr().out
    assert "thm-w has no theorem" in problems
    assert "no chapter has the label of a.v: thm_x" in problems


@needs_prover
def test_a_record_that_says_something_else_is_found(book, capsys):
    assert rocq.check(book) == 0
    record = rocq.load(book / "book" / "machine", "a")
    record["theorems"]["thm_x"]["axioms"] = ["Classical_Prop.classic"]
    rocq.save(book / "book" / "machine", "a", record)
    shutil.rmtree(book / "_build")  # as in a fresh clone
    assert rocq.check(book, write=False) == 1
    assert "book/machine/a.json has other axioms than the prover" in capsys.readouterr().out


@needs_prover
@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("S 1", "S 3", "proofs/a.v is not accepted"),
        ("Proof. intros c H. rewrite H. exact step_1. Qed.", "Admitted.", "thm_x assumes thm_x"),
        (
            "Theorem thm_x_y : 1 < 2. Proof. exact thm_x_y_step_2b.",
            "Variable q : 3 < 2. Theorem thm_x_y : 3 < 2. Proof. exact q.",
            "thm_x_y assumes q",
        ),
    ],
)
def test_what_does_not_hold_or_is_assumed_is_refused(book, capsys, old, new, problem):
    change(book / "proofs" / "a.v", old, new)
    assert rocq.check(book) == 1
    assert problem in capsys.readouterr().out


@needs_prover
@pytest.mark.parametrize(
    ("one", "problem"),
    [
        (saboteur("S 1", "S 3"), ""),
        (saboteur("S 1", "S 0"), "the proof stands all the same"),
        (saboteur("S 1", "S 3", "thm_x"), "the failure is in step_1, not in thm_x"),
        (saboteur("step_1 : a < 3", "step_1 : a < q"), "outside a proof"),
        (saboteur("a < 3. Proof. lia", "a < 3. Proof. exact (lia"), "no longer readable"),
    ],
)
def test_a_saboteur_must_break_the_proof_where_it_says(book, one, problem):
    prover = rocq.Prover(preflight.prover(), book)
    every = sources(book / "proofs")
    prover.build(every["sums"], "now")
    words = rocq.sabotage(prover, every["a"], one)
    assert problem in words
    assert bool(problem) == bool(words)
