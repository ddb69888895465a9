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


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_an_answer_gives_all_points_and_its_lines_compute_it(question):
    text = re.sub(r"```.*?```", "", question.answer, flags=re.DOTALL)
    assert sum(int(mark) for mark in re.findall(r"\[(\d)\]", text)) == question.points
    lines = blocks(question.answer, "")
    assert lines or question.kind != "computation", "a number that is computed by hand is computed here, too"
    for block in lines:
        runs(block)
    if question.kind == "bug":
        (given,), fixed, check = blocks(question.text, ""), *blocks(question.answer, " (?:fixed|check)")
        with pytest.raises(AssertionError):
            runs(given, check)
        runs(fixed, check)


def test_each_part_has_fifteen_questions_of_all_kinds_about_chapters_and_figures_of_the_book():
    parts = [exam.sections(path) for path in exam.folder().glob("part_?.md")]
    assert [len(names) for names in parts] == [15] * 4
    assert all({QUESTIONS[name].kind for name in names} == {*exam.KINDS} for names in parts)
    book = "".join(path.read_text(encoding="utf-8") for path in (exam.ROOT / "notebooks").glob("*.md"))
    for name, question in QUESTIONS.items():
        assert f"({question.chapter})=" in book, name
        figures = exam.FIGURE.findall(question.text)
        assert bool(figures) == (question.kind == "figure"), name
        assert all(f":name: {figure}\n" in book for figure in figures), name


def test_a_paper_has_sixty_points_for_two_hours_and_no_question_of_another():
    orders = [exam.order(paper) for paper in PAPERS]
    for order in orders:
        chosen = [QUESTIONS[name] for name in order]
        assert (sum(q.points for q in chosen), sum(q.minutes for q in chosen)) == (60, 120)
        assert {q.kind for q in chosen} == {*exam.KINDS}
    assert len({*orders[0], *orders[1], *orders[2]}) == sum(map(len, orders))


@pytest.mark.parametrize("name", PAPERS)
def test_a_paper_keeps_its_answers_apart_and_asks_no_network(name, tmp_path):
    # in a process of its own, because Sphinx starts once
    code = "import sys, pathlib; from tools.give import exam; exam.write(sys.argv[1], pathlib.Path(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", code, name, tmp_path], cwd=exam.ROOT, check=True)
    paper, answers = ((tmp_path / f"{page}.html").read_text(encoding="utf-8") for page in ("paper", "answers"))
    assert "[1]" not in paper
    assert "[1]" in answers
    for line in ("Name", "Student number", "Date", "Seat", "Signature"):
        assert f"<p>{line} <span></span></p>" in paper
    boxes = re.findall(r"<td>([^<]*)</td>", paper)
    points = [str(QUESTIONS[question].points) for question in exam.order(name)]
    assert boxes[boxes.index("of") + 1 : boxes.index("points")] == [*points, "60"]
    assert paper.index("Seat") < paper.index("<h2>1.") < paper.index("<h2>Formulas")
    assert "{eq}" not in paper
    assert "Formulas" not in answers
    for page in (paper, answers):
        assert not re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', page)
        assert "numref" not in page
    images = re.findall(r'<img[^>]*src="([^"]*)"', paper)
    assert images
    assert all((tmp_path / image).exists() for image in images)


def test_formulas_are_those_of_the_book_and_a_course_may_have_none(tmp_path, monkeypatch):
    said = exam.formulas()
    assert said.count("\n* ") == len(re.findall(r"^\* ", (exam.folder() / "formulas.md").read_text(), re.MULTILINE))
    assert exam.formula("eq-came-instability") == r"$U_t=(\hat u_t-m_t)^2$"
    best = r"\eta_\star=\Bigl(\dfrac2{\sqrt L+\sqrt\mu}\Bigr)^2"  # it has no label
    assert best in said
    assert best in exam.sources()
    with pytest.raises(ValueError, match="no chapter has the label 'eq-nowhere'"):
        exam.formula("eq-nowhere")
    monkeypatch.setenv("COURSE", str(tmp_path))
    assert exam.formulas() == ""


def test_a_wrong_paper_or_a_missing_answer_is_named(tmp_path):
    with pytest.raises(ValueError, match="no paper 'z'.*a, b, c"):
        exam.order("z")
    head = "chapter: ch-sgd | kind: proof | points: 8 | minutes: 16"
    (tmp_path / "part_1.md").write_text(f"# T\n\n## odd\n{head}\n\nWhy?\n")
    (tmp_path / "part_1_answers.md").write_text("# T\n")
    with pytest.raises(ValueError, match="'odd'.*no answer"):
        exam.questions(tmp_path)
