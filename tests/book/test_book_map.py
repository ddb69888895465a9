"""The map of the preface: what the chapters say that they need, drawn so that no arrow crosses a box."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from small_books import ROOT

from tools.chapter import notebooks, reading
from tools.pages import book_map

FOUND, PARTS = book_map.chapters(ROOT), book_map.parts(ROOT)
PLACED = book_map.layout(FOUND, PARTS)
NAMES = [*FOUND]
EDGES = [(start, end) for end, chapter in FOUND.items() for start in chapter.needs]


def faults(root):
    """What is wrong with the lines under the titles, as sentences."""
    book, clock, wrong = book_map.chapters(root), book_map.times(root), []
    for place, (name, chapter) in enumerate(book.items()):
        work, core = re.search(r"^\*Core path: (\d+) minutes", chapter.text, re.MULTILINE), clock[name].core
        if work and abs(int(work[1]) - core) > 10:
            wrong.append(f"{name} promises a core path of {work[1]} minutes; by its length it takes {core}")
        if book_map.stated(chapter.text) is None and place:
            wrong.append(f"{name} does not say what a reader needs: You need ...")
        wrong += [f"{name} needs the later chapter {other}" for other in chapter.needs if other in [*book][place:]]
    return wrong


def test_the_lines_under_the_titles_are_right():
    assert faults(ROOT) == []


def path_of(root, name):
    return root / "notebooks" / f"{NAMES.index(name) + 1:02d}_{name}.md"


@pytest.fixture
def small(tmp_path):
    """Chapters of a few lines that need what the book's need."""
    (tmp_path / "notebooks").mkdir()
    for name in NAMES:
        needs = " and ".join(f"{{numref}}`Chapter %s <ch-{n}>`" for n in FOUND[name].needs)
        text = f"(ch-{name})=\n# Title of {name}\n\n*You need {needs}; no more.*\n\n## First\n\n## Exercises\n"
        path_of(tmp_path, name).write_text(text)
    return tmp_path


def change(root, name, old, new):
    text = path_of(root, name).read_text()
    assert old in text
    path_of(root, name).write_text(text.replace(old, new))


CORE = "*Core path: 10 minutes.*\n\n## First\n" + "word " * 2500


@pytest.mark.parametrize(
    ("name", "old", "new", "fault"),
    [
        ("sgd", "ch-loss_and_gradient", "ch-momentum", "sgd needs the later chapter momentum"),
        ("lamb", "You need", "You want", "lamb does not say what a reader needs: You need ..."),
        ("lamb", "## First", CORE, "lamb promises a core path of 10 minutes; by its length it takes 50"),
    ],
)
def test_a_line_that_cannot_be_is_named(small, name, old, new, fault):
    assert faults(small) == []
    change(small, name, old, new)
    assert faults(small) == [fault]


def test_an_arrow_begins_at_what_is_needed_right_before(small):
    change(small, "lamb", "You need", "You need {ref}`Adam <ch-adam>` and")  # which LARS needs
    assert book_map.chapters(small)["lamb"].needs == ("lars",)


def test_a_reference_in_an_exercise_or_ahead_is_no_look_back(small):
    ahead = "{ref}`x <ch-sgd>`, {ref}`ch-landscape`\n\n## Exercises\n\n{ref}`x <ch-momentum>`"
    change(small, "memory", "## Exercises", ahead)
    assert book_map.mentioned(book_map.chapters(small))["memory"] == {"sgd", "adam"}


@pytest.mark.parametrize(("start", "end"), EDGES)
def test_an_arrow_goes_down_and_crosses_no_box(start, end):
    corners = PLACED.corners(start, end)
    assert corners[-1][1] - corners[-2][1] > 5  # room for its tip
    for (x0, y0), (x1, y1) in pairwise(corners):
        assert x0 == x1 or y0 == y1
        for name in {*FOUND} - {start, end}:
            x, y = PLACED.middle(name)
            across = max(min(x0, x1), x - book_map.BOX / 2) <= min(max(x0, x1), x + book_map.BOX / 2)
            along = max(min(y0, y1), y - book_map.HEIGHT / 2) <= min(max(y0, y1), y + book_map.HEIGHT / 2)
            assert not (across and along)


def test_no_two_arrows_from_different_chapters_lie_on_each_other_but_at_their_ends():
    runs = [(edge, a, b) for edge in EDGES for a, b in pairwise(PLACED.corners(*edge)) if a[1] == b[1]]
    for (start, _), (ax, ay), (bx, _) in runs:
        for (other, _), (cx, cy), (dx, _) in runs:
            if start != other and ay == cy:
                assert min(max(ax, bx), max(cx, dx)) <= max(min(ax, bx), min(cx, dx))


def test_the_picture_links_every_chapter_and_says_what_it_needs():
    picture = ElementTree.fromstring(book_map.svg())
    links = {int(a.get("data-chapter")): a for a in picture.iter("a")}
    assert set(links) == {chapter.number for chapter in FOUND.values()}
    for chapter in FOUND.values():
        a = links[chapter.number]
        assert (ROOT / "notebooks" / a.get("href").split("/")[-1].replace(".html", ".md")).exists()
        closure = {FOUND[name].number for name in book_map.closure(chapter.needs, FOUND)}
        assert {int(n) for n in a.get("data-all").split()} == closure
        assert a.get("aria-label").startswith(f"Chapter {chapter.number}: ")
    assert len([path for path in picture.iter("path") if path.get("class") == "needs"]) == len(EDGES)
    assert not re.search(r"#[0-9a-f]{3,6}\b|fill=|stroke=", book_map.svg())  # colours are the style sheet's
    assert max(map(len, book_map.SHORT.values())) <= book_map.LONGEST  # a name fits its box; others are squeezed
    assert book_map.LONGEST * 11.5 * 0.58 <= book_map.BOX


def test_the_hours_are_those_of_the_tool():
    cells = book_map.time_cells(ROOT)
    assert not re.search(" (?!of)", "".join(cells.values()))  # a line may end before "of" and nowhere else
    cells = {name: cell.replace("\N{NO-BREAK SPACE}", " ") for name, cell in cells.items()}
    for name, chapter in FOUND.items():
        parts = reading.sections(notebooks.source(ROOT / "notebooks" / f"{chapter.file}.md"))
        core, whole = (book_map.hours(reading.minutes(*count(parts))) for count in (reading.core, reading.whole))
        alone = reading.core(parts) == reading.whole(parts)
        assert cells[f"time_{name}"] == (whole if alone else f"{core} of {whole}")
        assert cells[f"exercises_{name}"] == book_map.hours(book_map.exercise_minutes(chapter.text))
    assert f"{reading.WORDS_A_MINUTE} words" in book_map.how()


def test_an_exercise_counts_with_the_time_that_it_states():
    one = "```{exercise} A\n:label: ex-a\n\n*Level: hard. Time: 45 minutes. Pencil only.*\n\nWhy?\n```\n"
    other = "```{exercise} B\n:label: ex-b\n\nWhy?\n```\n\n```{solution} ex-b\n*Level: easy. Time: 5 minutes.*\n```\n"
    assert book_map.exercise_minutes(one) == 45
    assert book_map.exercise_minutes(one + other) == 45 + reading.MINUTES_AN_EXERCISE


def test_minutes_are_said_as_people_say_them():
    assert [*map(book_map.hours, (50, 60, 65, 130))] == ["50 min", "1 h", "1 h 05", "2 h 10"]


def test_no_hour_of_the_preface_is_typed_by_hand():
    page = (ROOT / "book" / "index.md").read_text()
    for name, chapter in FOUND.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {{numref}}`%s <{chapter.label}>` |"))
        assert row.endswith(f"| {{{{ time_{name} }}}} | {{{{ exercises_{name} }}}} |")
    others = {"cite", "report", "verdict_counts", "front_strip"}
    assert set(re.findall(r"\{\{ (\w+) \}\}", page)) - others == set(book_map.substitutions(ROOT))


def test_what_the_preface_says_of_the_ways_through_the_map_is_so():
    before = {name: book_map.closure(chapter.needs, FOUND) for name, chapter in FOUND.items()}
    big, small = (set(PARTS[part][1]) for part in ("II", "III"))
    assert not before["bert_in_76_minutes"] & small
    assert {name for name in small if before[name] & big} == {"landscape", "norms"}
    assert not any(before[name] & small for name in big)
