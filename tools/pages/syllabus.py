"""What belongs together in the course: the lectures and the problem set of each chapter, and the lectures of each week.

Pages, slides, plans and releases read it here. A lecture is a deck, `course/slides/NAME.md`, and a problem set is
`course/assignments/NAME.md`. Weeks have no table of their own: two lectures a week, in the order of the book.
Deliberately absent: hours, reading and labs, which are the plans', and when a set is handed in.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT

DECKS = ROOT / "course" / "slides"


@dataclass(frozen=True)
class Taught:
    """How a chapter is taught: its decks in their order, and its problem set, empty where there is none."""

    decks: tuple[str, ...]
    problem_set: str = ""


CHAPTERS = {
    "loss_and_gradient": Taught(("loss",), "gradients_and_sgd"),
    "sgd": Taught(("sgd-1", "sgd-2"), "gradients_and_sgd"),
    "momentum": Taught(("momentum",), "momentum"),
    "adam": Taught(("adam-1", "adam-2"), "adam"),
    "big_batches": Taught(("big-batches",), "big_batches"),
    "carrying_a_rate": Taught(("carrying-a-rate",), "big_batches"),
    "lars": Taught(("lars-1", "lars-2"), "lars"),
    "lamb": Taught(("lamb-1", "lamb-2"), "lamb"),
    "reality_check": Taught(("reality-check",), "came"),
    "memory": Taught(("memory",), "memory_and_adafactor"),
    "adafactor": Taught(("adafactor",), "memory_and_adafactor"),
    "came": Taught(("came-1", "came-2"), "came"),
    "landscape": Taught(("landscape",)),
    "torch": Taught(("torch",)),
    "bert": Taught(("bert",)),
    "bert_in_76_minutes": Taught(("minutes",)),
    "came_at_work": Taught(("came-at-work",)),
    "train_large_compress": Taught(("train-large",)),
    "many_machines": Taught(("many-machines",)),
}
BESIDE = {  # chapters with a lecture that no week has; nothing of the weeks needs them
    "schedules": Taught(("schedules",)),
}
APPENDICES = {  # each is taught with the chapter that it belongs to
    "what_a_bound_is_worth": Taught(("sgd-2",), "gradients_and_sgd"),
    "which_lars": Taught(("lars-2",), "lars"),
    "which_lamb": Taught(("lamb-2",), "lamb"),
    "the_rule_for_ties": Taught(("reality-check",), "came"),
}
LECTURES_A_WEEK = 2
WORKSHOPS = ("workshop-inside", "workshop-engineers")


def lectures() -> list[str]:
    """The decks of the course, in its order."""
    return list(dict.fromkeys(deck for chapter in CHAPTERS.values() for deck in chapter.decks))


def beside() -> list[str]:
    """The decks that no week has."""
    return [deck for chapter in BESIDE.values() for deck in chapter.decks]


def taught(name: str) -> Taught:
    """How a chapter or an appendix is taught; without a deck where no table has it."""
    return (CHAPTERS | BESIDE | APPENDICES).get(name, Taught(()))


def weeks() -> list[tuple[str, ...]]:
    """The decks of each week; the first week is the first."""
    every = lectures()
    return [tuple(every[k : k + LECTURES_A_WEEK]) for k in range(0, len(every), LECTURES_A_WEEK)]


def decks(folder: Path = DECKS) -> list[str]:
    """The decks that there are, in the order of the course; those that are not in it come last."""
    there = {path.stem for path in folder.glob("*.md")} - {"README"}
    planned = [name for name in (*lectures(), *beside(), *WORKSHOPS) if name in there]
    return planned + sorted(there.difference(planned))


def title(deck: str, folder: Path = DECKS) -> str:
    """The title of a deck, or its name where it has none."""
    heading = re.search(r"^# (.+)$", (folder / f"{deck}.md").read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1] if heading else deck
