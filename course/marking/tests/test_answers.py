"""Right answers get all points however they are written, and what students get wrong costs what it should.

Could catch: a check that only knows the book's own way; a check that a wrong sign, axis or correction passes.
"""

import pytest
from classroom import CLASSES, NAMES, ROOT, Desk
from otherwise import ANSWERS
from wrong import MISTAKES

from course.marking import sheets
from course.marking.examiner import Pupil


@pytest.fixture(scope="module", params=[(name, group) for name in NAMES for group in CLASSES], ids="-".join)
def asked(request, tmp_path_factory):
    """A problem set by name, on the examiner's desk."""
    name, group = request.param
    with pytest.MonkeyPatch.context() as patch:  # a fresh process for each call: test_cheating has that
        patch.setattr(Pupil, "_afresh", Pupil.get)
        yield name, Desk(name, group, tmp_path_factory.mktemp("desk"))


def test_right_answers_in_other_words_pass_every_check(asked):
    name, desk = asked
    assert desk.failures(ANSWERS[name]) == {}


def test_a_mistake_costs_its_own_checks_and_no_others(asked):
    name, desk = asked
    for answer, right, wrong, lost in MISTAKES[name]:
        found, expected, perhaps = desk.failures({answer: (right, wrong)}).keys() & {*desk.checks}, set(), set()
        for word in lost.split():
            task = word.removesuffix("?")
            (perhaps if word.endswith("?") else expected).update(
                check for check in desk.checks if check == task or check.startswith(f"{task}-")
            )
        assert expected <= found <= expected | perhaps, f"{answer}: {right!r} became {wrong!r}"


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_has_mistakes_and_another_wording(name):
    nb = sheets.read(ROOT / "course", name)
    answers = {c.metadata["answer"] for c in nb.cells if c.cell_type == "code" and "answer" in c.metadata}
    assert answers == set(ANSWERS[name]) == {answer for answer, *_ in MISTAKES[name]}
