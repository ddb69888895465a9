"""The head of a page, the index of the search, an appendix's numbers, from small texts: what is said and left out."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.pages import numbers_and_anchors, page_head, search_index

LIBRARY = 'x={bars:[448,512,["navicon"],"f0c9","M0 96z"],"arrow-up":[384,512,[8593],"f062","M214 41z"]}'


def page(*sections):
    """A page whose sections are (anchor, title, paragraphs)."""
    made = nodes.document(None, None)
    for anchor, title, *paragraphs in sections:
        texts = [nodes.paragraph(text, text) if isinstance(text, str) else text for text in paragraphs]
        made += nodes.section("", nodes.title(title, title), *texts, ids=[anchor])
    return made


def test_only_scripts_that_no_page_needs_are_taken_out():
    kept = '<script defer src="../_static/doctools.js?v=1"></script>'
    gone = '<script defer src="../_static/scripts/fontawesome.js?digest=5"></script>'
    assert page_head.without_unused(kept + gone + '<script src="searchindex.js"></script>') == kept


def test_a_page_is_described_by_its_first_paragraph_that_says_something():
    core = nodes.paragraph("", "", nodes.emphasis("", "Core path: 95 minutes. You need Python with NumPy."))
    long = "Someone gives you 640 knobs and a dial. " * 6
    said = page_head.description(page(("a", "Title", core, "Short.", long)))
    assert re.fullmatch("Someone gives you 640 knobs.*…", said)
    assert 140 < len(said) <= page_head.LONGEST
    assert page_head.description(page(("a", "Title"))) == ""


def test_a_drawing_is_shortened_once_and_a_second_build_leaves_it_as_it_is():
    drawing = '<svg>\n <path d="M 20.59 -3.25 \nL 20.68 -3.251 \nL 24 0.5 \nz"/>\n</svg>'
    short = page_head.rounded(drawing)
    assert short == '<svg><path d="m20.59-3.25l.09 0 3.32 3.75z"/></svg>'
    assert page_head.rounded(short) == short
    assert page_head.rounded('<path d="M2059-325z"/>') == '<path d="M2059-325z"/>'


def test_an_icon_is_drawn_from_the_path_in_the_library_and_other_names_are_passed_over():
    style = page_head.icons({"bars", "arrow-up", "lg", "solid"}, LIBRARY)
    assert ".fa-bars::before" in style
    assert "viewBox='0 0 384 512'><path d='M214 41z'/>" in style
    assert "fa-lg" not in style


@pytest.mark.parametrize(
    ("path", "shorter"),
    [
        ("M 1.23456 2.5 \nL 3.14159 4 \nL 13 3.5 \nz\nM 0.1 9 ", "m1.23 2.5l1.91 1.5 9.86-.5zm-1.13 6.5"),
        ("M 1 1 \nQ 2 2 3 1 \nL 4 1 ", "m1 1q1 1 2 0l1 0"),
        ("M 1 1 C 1 2 2 3 3 3", "m1 1c0 1 1 2 2 2"),
        ("M1.23456,2L3,4", "M1.23456,2L3,4"),
        ("M 1 1 L 2 2 3 3", "M 1 1 L 2 2 3 3"),
    ],
)
def test_only_the_paths_of_a_drawing_are_shortened(path, shorter):
    drawing = '<g transform="scale(0.015625)"><path d="{}" x="1.23456"/></g>'
    assert page_head.rounded(drawing.format(path)) == drawing.format(shorter)


def test_a_formula_is_said_as_text_in_a_result():
    said = {r"\eta/\sqrt{\beta_2}": "η/√β2", r"\eta\propto\frac1{1+\mathcal B/b}": "η∝1/(1+B/b)"}
    said |= {r"\lVert\nabla f(x)\rVert^2\le\varepsilon": "‖∇f(x)‖^2≤ε"}
    assert {tex: search_index.plain(tex) for tex in said} == said


def test_an_entry_has_its_own_text_and_the_words_that_it_marks():
    made = page(("top", "Chapter", "Above."))
    code = nodes.literal_block("", "def step(x):\n    return x")
    bold = nodes.paragraph("A ", "A ", nodes.strong("", "noise scale"))
    made[0] += nodes.section("", nodes.title("Inner", "Inner"), bold, code, ids=["inner"])
    assert search_index.entries(made, {"": (3,), "#inner": (3, 1)}) == [
        ["top", "3", "Chapter", "Above.", ""],
        ["inner", "3.1", "Inner", "A noise scale", "noise scale, step"],
    ]


def test_each_page_without_a_number_counts_from_one_kind_by_kind():
    """Caught: the first figure of appendix C was called Figure 4, and the laboratory's only one Figure 11."""
    kinds = {"figure": {"fig-b": (5,), "fig-a": (4,)}, "exercise": {"ex-1": (10,)}}
    chapter = {"figure": {"fig-x": (2, 1)}}
    lab = {"figure": {"fig-lab": (11,)}}
    pages = {"notebooks/C_kinds": kinds, "notebooks/02_a": chapter, "book/index": {}, "book/lab": lab}
    changed = numbers_and_anchors.renumber(None, SimpleNamespace(toc_fignumbers=pages))
    assert changed == ["notebooks/C_kinds", "book/lab"]
    assert lab == {"figure": {"fig-lab": (1,)}}
    assert kinds == {"figure": {"fig-a": ("C", 1), "fig-b": ("C", 2)}, "exercise": {"ex-1": ("C", 1)}}
    assert chapter == {"figure": {"fig-x": (2, 1)}}
