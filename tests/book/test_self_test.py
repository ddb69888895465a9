"""The ten questions: each answer is folded and says where to read up, and its check runs."""

import re

import pytest
from small_books import ROOT

PAGE = (ROOT / "book" / "self_test.md").read_text()
QUESTIONS = re.findall(r"^### \d+\. ([^\n]+)\n(.*?)(?=^###? |^\([\w-]+\)=|\Z)", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("name", "text"), QUESTIONS, ids=[name for name, _ in QUESTIONS])
def test_an_answer_is_folded_says_where_to_read_up_and_its_check_holds(name, text):
    question, answer = text.split("````{admonition} Answer\n:class: dropdown\n")
    assert re.search(r"[Rr]ead up in", answer)
    blocks = re.findall(r"^```python\n(.*?)^```$", question + answer, re.MULTILINE | re.DOTALL)
    assert "assert" in blocks[-1]
    names = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)


def test_there_are_ten_questions():
    assert len(QUESTIONS) == 10
