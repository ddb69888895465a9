"""Each quiz asks five questions, has one right answer to each, and explains every option.

What it cannot see: whether an answer is true. That references and numbers resolve, and that the chapter has a place for
its quiz, the build sees.
"""

import re
from collections import Counter

import pytest

from tools import ROOT
from tools.chapter import chapters
from tools.pages import quiz

FILES = sorted((ROOT / quiz.FOLDER).glob("*.md"))
CHAPTERS = {chapters.name_of(md.stem) for md in (ROOT / "notebooks").glob("*.md")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_quiz_asks_five_questions_whose_right_answers_do_not_give_themselves_away(path):
    text = path.read_text("utf-8")
    asked = quiz.questions(text)
    assert len(asked) == text.count("{quiz}") == 5
    assert path.stem in CHAPTERS
    places, longest = [], 0
    for lines in asked:
        question, options = quiz.parse(lines)
        right = [option.right for option in options].index(True)
        places.append(right)
        lengths = [len(option.says) for option in options]
        assert max(lengths) - min(lengths) <= 40, question
        longest += lengths[right] == max(lengths) > sorted(lengths)[-2]
        assert len({option.says for option in options}) == len(options), question
    assert max(Counter(places).values()) <= 3, "the right answer stands too often at one place"
    assert longest <= 3, "the right answer is too often the longest"


GOOD = ["Why?", "- [ ] a", "  no", "- [x] b", "  yes", "- [ ] c", "  no"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({3: "- [ ] b"}, "exactly one option is right, '- [x] ', not 0"),
        ({1: "- [x] a"}, "exactly one option is right, '- [x] ', not 2"),
        ({2: ""}, "the option 'a' has no explanation"),
        ({5: "c"}, "3 or 4 options, each on a line '- [ ] ...', not 2"),
        ({1: "- [X] a"}, "an option begins with '- [ ] ' or '- [x] ', not '- [X] a'"),
        ({0: ""}, "a quiz begins with its question"),
    ],
)
def test_a_quiz_that_is_not_one_says_what_is_wrong(change, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        quiz.parse([change.get(i, line) for i, line in enumerate(GOOD)])
    question, options = quiz.parse(GOOD)
    read = [(option.right, option.says, option.why) for option in options]
    assert (question, read[1]) == (["Why?"], (True, "b", ["yes"]))
