"""The map of the preface: one table, in agreement with the chapters, drawn so that no arrow crosses a box."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import book_map
import pytest
import reading
from small_books import ROOT

import notebooks


def test_table_and_chapters_agree():
    assert book_map.violations(ROOT) == []


def lines(number):
    """A source of a chapter that speaks of what it needs."""
    needs = book_map.NEEDS[number][1]
    words = " ".join(f"{{numref}}`Chapter %s <ch-{n}>`" for n in needs)
    return f"(ch-{number})=\n# Title {number}\n\n## First\n\nAs in {words}.\n\n## Exercises\n"


@pytest.fixture
def chapters_folder(tmp_path):
    (tmp_path / "notebooks").mkdir()
    for number in book_map.NEEDS:
        (tmp_path / "notebooks" / f"{number:02d}_a.md").write_text(lines(number))
    return tmp_path


def change(root, number, old, new):
    path = root / "notebooks" / f"{number:02d}_a.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_chapters_that_agree_pass(chapters_folder):
    assert book_map.violations(chapters_folder) == []
    need = "*You need {numref}`Chapter %s <ch-4>` and {ref}`LARS <ch-6>`; sections with a star can wait.*"
    change(chapters_folder, 7, "## First", f"{need}\n\n## First")
    assert book_map.violations(chapters_folder) == []


def test_a_line_that_asks_for_another_chapter_is_caught(chapters_folder):
    change(chapters_folder, 7, "## First", "*You need {numref}`Chapter %s <ch-6>`.*\n\n## First")
    assert "chapter 7 says that it needs [1, 2, 3, 5, 6]" in book_map.violations(chapters_folder)[0]


def test_a_need_of_which_the_chapter_never_speaks_is_caught(chapters_folder):
    change(chapters_folder, 8, "ch-7", "ch-8")
    assert book_map.violations(chapters_folder) == ["chapter 8 needs chapter 7 and never speaks of it"]
    change(chapters_folder, 8, "As in", "LAMB, as in")
    assert book_map.violations(chapters_folder) == []


def test_a_missing_chapter_a_circle_and_a_detour_are_caught(chapters_folder, monkeypatch):
    (chapters_folder / "notebooks" / "18_a.md").unlink()
    monkeypatch.setitem(book_map.NEEDS, 2, ("SGD", (3,), "SGD"))
    monkeypatch.setitem(book_map.NEEDS, 8, ("Fair fights", (6, 7), ""))
    said = " / ".join(book_map.violations(chapters_folder))
    assert "chapter 18 is in only one of table and book" in said
    assert "chapter 2 needs the later chapter 3" in said
    assert "chapter 8 needs chapter 6 by way of another" in said


def test_a_reference_in_an_exercise_or_ahead_is_no_look_back(chapters_folder):
    change(chapters_folder, 9, "## Exercises", "{ref}`x <ch-2>`, {ref}`ch-12`\n\n## Exercises\n\n{ref}`x <ch-3>`")
    assert book_map.mentioned(book_map.chapters(chapters_folder))[9] == {2, 4}


def boxes():
    for number in book_map.NEEDS:
        x, y = book_map.place(number)
        yield number, x - book_map.BOX / 2, x + book_map.BOX / 2, y - book_map.HEIGHT / 2, y + book_map.HEIGHT / 2


EDGES = [(start, end) for end, (_, needs, _) in book_map.NEEDS.items() for start in needs]


@pytest.mark.parametrize(("start", "end"), EDGES)
def test_an_arrow_goes_down_and_crosses_no_box(start, end):
    corners = book_map.corners(start, end)
    assert corners[-1][1] - corners[-2][1] > 5  # room for its tip
    for (x0, y0), (x1, y1) in pairwise(corners):
        assert x0 == x1 or y0 == y1
        for number, left, right, top, bottom in boxes():
            across = max(min(x0, x1), left) <= min(max(x0, x1), right)
            along = max(min(y0, y1), top) <= min(max(y0, y1), bottom)
            assert not (across and along) or number in (start, end)


def test_no_two_arrows_from_different_chapters_lie_on_each_other_but_at_their_ends():
    runs = [(edge, a, b) for edge in EDGES for a, b in pairwise(book_map.corners(*edge)) if a[1] == b[1]]
    for (start, _), (ax, ay), (bx, _) in runs:
        for (other, _), (cx, cy), (dx, _) in runs:
            if start != other and ay == cy:
                assert min(max(ax, bx), max(cx, dx)) <= max(min(ax, bx), min(cx, dx))


def test_the_picture_links_every_chapter_and_says_what_it_needs():
    picture = ElementTree.fromstring(book_map.svg())
    links = {int(a.get("data-chapter")): a for a in picture.iter("a")}
    assert set(links) == set(book_map.NEEDS)
    for number, a in links.items():
        assert (ROOT / "notebooks" / a.get("href").split("/")[-1].replace(".html", ".md")).exists()
        assert {int(n) for n in a.get("data-all").split()} == book_map.closure(book_map.NEEDS[number][1])
        assert a.get("aria-label").startswith(f"Chapter {number}: ")
    assert len([path for path in picture.iter("path") if path.get("class") == "needs"]) == len(EDGES)
    assert not re.search(r"#[0-9a-f]{3,6}\b|fill=|stroke=", book_map.svg())  # colours are the style sheet's


def test_a_name_fits_its_box():
    longest = max(len(name) for name, _, _ in book_map.NEEDS.values())
    assert longest * 11.5 * 0.58 <= book_map.BOX


def test_the_hours_are_those_of_the_tool():
    cells = {name: text.replace("\N{NO-BREAK SPACE}", " ") for name, text in book_map.substitutions(ROOT).items()}
    for number, chapter in book_map.chapters(ROOT).items():
        found = reading.sections(notebooks.source(ROOT / "notebooks" / f"{chapter.name}.md"))
        core, whole = (book_map.hours(reading.minutes(*count(found))) for count in (reading.core, reading.whole))
        starred = reading.core(found) != reading.whole(found)
        assert cells[f"time_{number:02d}"] == (f"{core} of {whole}" if starred else whole)
        text = (ROOT / "notebooks" / f"{chapter.name}.md").read_text()
        said = [int(m) for m in re.findall(r"^\*Level: \w+\. Time: (\d+) minutes", text, re.MULTILINE)]
        minutes = sum(said) + reading.MINUTES_AN_EXERCISE * (reading.exercises(found) - len(said))
        assert cells[f"exercises_{number:02d}"] == book_map.hours(minutes)
    assert f"{reading.WORDS_A_MINUTE} words" in cells["book_hours_how"]


def test_an_exercise_counts_with_the_time_that_it_states():
    one = "```{exercise} A\n:label: ex-a\n\n*Level: hard. Time: 45 minutes. Pencil only.*\n\nWhy?\n```\n"
    other = "```{exercise} B\n:label: ex-b\n\nWhy?\n```\n\n```{solution} ex-b\n*Level: easy. Time: 5 minutes.*\n```\n"
    assert book_map.exercise_minutes(one) == 45
    assert book_map.exercise_minutes(one + other) == 45 + reading.MINUTES_AN_EXERCISE


def test_a_chapter_that_promises_another_time_than_its_length_takes_is_caught(chapters_folder):
    change(chapters_folder, 7, "## First", "*Core path: 10 minutes.*\n\n## First\n\n" + "word " * 2400)
    assert book_map.violations(chapters_folder) == [
        "chapter 7 promises a core path of 10 minutes; by its length it takes 50"
    ]


@pytest.mark.parametrize(("minutes", "words"), [(50, "50 min"), (60, "1 h"), (65, "1 h 05"), (130, "2 h 10")])
def test_minutes_are_said_as_people_say_them(minutes, words):
    assert book_map.hours(minutes) == words


def test_no_hour_of_the_preface_is_typed_by_hand():
    page = (ROOT / "book" / "index.md").read_text()
    for number in book_map.NEEDS:
        row = next(line for line in page.splitlines() if line.startswith(f"| {number} |"))
        assert row.endswith(f"| {{{{ time_{number:02d} }}}} | {{{{ exercises_{number:02d} }}}} |")
    assert set(re.findall(r"\{\{ (\w+) \}\}", page)) - {"report", "verdict_counts"} == set(book_map.substitutions(ROOT))


def test_a_chapter_without_stars_has_one_time_and_is_named():
    times = book_map.times(ROOT)
    without = {n for n, t in times.items() if not t.starred}
    cells = book_map.time_cells(ROOT)
    assert {n for n in times if " of" not in cells[f"time_{n:02d}"]} == without
    assert not re.search(r" (?!of)", "".join(cells.values()))  # a line may end before "of" and nowhere else
    assert ("no starred sections yet" in book_map.how(ROOT)) == bool(without)


def test_what_the_preface_says_of_the_ways_through_the_map_is_so():
    before = {n: book_map.closure(needs) for n, (_, needs, _) in book_map.NEEDS.items()}
    assert not before[15] & set(book_map.PARTS["III"])
    assert {n for n in book_map.PARTS["III"] if before[n] & set(book_map.PARTS["II"])} == {12}
    assert not any(before[n] & set(book_map.PARTS["III"]) for n in book_map.PARTS["II"])
