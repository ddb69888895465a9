"""The table of the course names the book's chapters, and all problem sets and decks that there are."""

from small_books import ROOT

from course.marking import assignment
from tools.chapter import chapters, notebooks
from tools.pages import book_map, syllabus


def test_chapters_have_their_lectures_in_the_order_of_the_book():
    """A new chapter may be without."""
    assert list(syllabus.CHAPTERS) == [name for name in book_map.chapters(ROOT) if name in syllabus.CHAPTERS]
    assert all(taught.decks for taught in syllabus.CHAPTERS.values())
    appendices = {chapters.name_of(md.stem) for md in notebooks.chapters(ROOT) if md.stem[0].isupper()}
    assert set(syllabus.APPENDICES) <= appendices
    assert set(syllabus.BESIDE) <= set(book_map.chapters(ROOT)) - set(syllabus.CHAPTERS)
    decks = {deck for taught in syllabus.CHAPTERS.values() for deck in taught.decks}
    assert decks >= {deck for taught in syllabus.APPENDICES.values() for deck in taught.decks}


def test_decks_and_problem_sets_that_there_are_belong_to_a_chapter():
    assert set(syllabus.decks()) <= {*syllabus.lectures(), *syllabus.beside(), *syllabus.WORKSHOPS}
    named = {taught.problem_set for taught in syllabus.CHAPTERS.values()} - {""}
    assert named == set(assignment.names(ROOT / "course"))


def test_a_week_has_two_lectures_and_no_lecture_comes_twice():
    weeks = syllabus.weeks()
    assert len(weeks) == 12
    assert all(len(decks) == 2 for decks in weeks)
    assert weeks[1] == ("sgd-2", "momentum")
