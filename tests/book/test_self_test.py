"""The ten questions: each answer is folded, says where it is used and where to read up, and its check runs."""

import re

import pytest
from small_books import ROOT

PAGE = (ROOT / "book" / "self_test.md").read_text()
QUESTIONS = re.findall(r"^### (\d+)\. ([^\n]+)\n(.*?)(?=^###? |^\([\w-]+\)=|\Z)", PAGE, re.MULTILINE | re.DOTALL)


def test_there_are_ten_questions_in_order():
    assert [int(number) for number, _, _ in QUESTIONS] == list(range(1, 11))


@pytest.mark.parametrize(("number", "name", "text"), QUESTIONS, ids=[name for _, name, _ in QUESTIONS])
def test_an_answer_is_folded_has_its_places_and_its_check_holds(number, name, text):
    answer = re.search(r"^````\{admonition\} Answer\n:class: dropdown\n(.*?)^````$", text, re.MULTILINE | re.DOTALL)[1]
    question = text[: text.index("````{admonition}")]
    assert "*Used" in answer
    assert re.search(r"[Rr]ead up in", answer)
    assert re.search(r"\{(ref|numref|prf:ref|cite:t)\}|Python's own tutorial", answer)
    blocks = re.findall(r"^```python\n(.*?)^```$", question + answer, re.MULTILINE | re.DOTALL)
    assert "assert" in blocks[-1]
    names = {}
    for block in blocks:
        exec(compile(block, f"question {number}", "exec"), names)
