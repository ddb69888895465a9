"""Exam questions are complete, their marks add up, and what can be computed in their answers is computed."""

import re
import subprocess
import sys

import pytest

from tools.give import exam

QUESTIONS = exam.questions()
PAPERS = ["a", "b", "c"]


def blocks(text, kind):
    return re.findall(rf"```python{kind}\n(.*?)```", text, re.DOTALL)


def runs(*code):
    exec("\n".join(code), {})


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_gives_all_points_and_its_lines_compute_it(name):
    question = QUESTIONS[name]
    text = re.sub(r"```.*?```", "", question.answer, flags=re.DOTALL)
    assert sum(int(mark) for mark in re.findall(r"\[(\d)\]", text)) == question.points
    lines = blocks(question.answer, "")
    assert lines or question.kind != "computation", "a number that is computed by hand is computed here, too"
    for block in lines:
        runs(block)


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if question.kind == "bug"])
def test_a_bug_fails_its_check_and_the_corrected_code_passes(name):
    question = QUESTIONS[name]
    (given,), (fixed,), (check,) = (
        blocks(text, kind)
        for text, kind in ((question.text, ""), (question.answer, " fixed"), (question.answer, " check"))
    )
    assert len([line for line in given.splitlines() if line]) <= 12
    with pytest.raises(AssertionError):
        runs(given, check)
    runs(fixed, check)


def test_each_part_has_fifteen_questions_of_all_kinds():
    parts = {path.stem: exam.sections(path) for path in exam.folder().glob("part_?.md")}
    assert {part: len(names) for part, names in parts.items()} == {f"part_{k}": 15 for k in (1, 2, 3, 4)}
    for names in parts.values():
        assert {QUESTIONS[name].kind for name in names} == set(exam.KINDS)


def test_questions_name_chapters_and_figures_of_the_book():
    book = "".join(path.read_text(encoding="utf-8") for path in (exam.ROOT / "notebooks").glob("*.md"))
    for question in QUESTIONS.values():
        assert f"({question.chapter})=" in book, question.name
        figures = re.findall(r"\{numref\}`(fig-[a-z-]+)`", question.text)
        assert bool(figures) == (question.kind == "figure"), question.name
        assert all(f":name: {figure}\n" in book for figure in figures), question.name


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_sixty_points_for_two_hours(paper):
    chosen = [QUESTIONS[name] for name in exam.order(paper)]
    assert (sum(q.points for q in chosen), sum(q.minutes for q in chosen)) == (60, 120)
    assert {q.kind for q in chosen} == set(exam.KINDS)


def test_papers_share_no_question():
    names = [name for paper in PAPERS for name in exam.order(paper)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_keeps_its_answers_apart_and_asks_no_network(name, tmp_path):
    # in a process of its own, because Sphinx starts once
    code = "import sys, pathlib; from tools.give import exam; exam.write(sys.argv[1], pathlib.Path(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", code, name, tmp_path], cwd=exam.ROOT, check=True)
    paper, answers = tmp_path / "paper.html", tmp_path / "answers.html"
    assert "[1]" not in paper.read_text(encoding="utf-8")
    assert "[1]" in answers.read_text(encoding="utf-8")
    for page in (paper, answers):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', text)
        assert "numref" not in text
    images = re.findall(r'<img[^>]*src="([^"]*)"', paper.read_text(encoding="utf-8"))
    assert images
    assert all((tmp_path / image).exists() for image in images)


def test_a_wrong_paper_or_a_missing_answer_is_named(tmp_path):
    with pytest.raises(ValueError, match="no paper 'z'.*a, b, c"):
        exam.order("z")
    (tmp_path / "part_1.md").write_text(
        "# T\n\n## odd\nchapter: ch-sgd | kind: proof | points: 8 | minutes: 16\n\nWhy?\n"
    )
    (tmp_path / "part_1_answers.md").write_text("# T\n")
    with pytest.raises(ValueError, match="'odd'.*no answer"):
        exam.questions(tmp_path)
