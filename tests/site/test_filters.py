"""The page of verdicts in a browser: what its three lists leave in view."""

import pytest
from browsing import Visit

SHOWN = """() => [...document.querySelectorAll("section tbody tr")]
  .filter(row => document.getElementById("verdict-filter").compareDocumentPosition(row) & 4)  // below the form
  .filter(row => row.checkVisibility()).map(row => row.cells[1].textContent)"""
HEADINGS = "() => [...document.querySelectorAll('article h2, article h3')].filter(h => h.checkVisibility()).length"


@pytest.fixture(scope="module")
def verdicts(browser, server):
    seen = Visit(browser, server)
    seen.page.goto(f"{server}/book/verdicts.html")
    seen.page.wait_for_selector("#verdict-filter output")
    yield seen.page
    seen.close()


def test_without_a_choice_every_line_is_in_view(verdicts):
    assert verdicts.inner_text("#verdict-filter output") == f"{(n := len(verdicts.evaluate(SHOWN)))} of {n} lines"


@pytest.mark.parametrize(
    ("name", "value", "holds"),
    [
        ("verdict", "contradicted", lambda verdict: verdict.startswith("contradicted")),
        ("verdict", "near", lambda verdict: verdict.endswith("only just")),
        ("method", "LAMB", lambda verdict: True),
        ("chapter", "3", lambda verdict: True),
    ],
)
def test_a_choice_leaves_its_lines_and_their_headings_alone(verdicts, name, value, holds):
    everything, headings = len(verdicts.evaluate(SHOWN)), verdicts.evaluate(HEADINGS)
    verdicts.select_option(f"#verdict-filter select[name={name}]", value)
    left = verdicts.evaluate(SHOWN)
    assert 0 < len(left) < everything
    assert all(map(holds, left))
    assert verdicts.evaluate(HEADINGS) < headings
    assert verdicts.inner_text("#verdict-filter output") == f"{len(left)} of {everything} lines"
    verdicts.select_option(f"#verdict-filter select[name={name}]", "")
    assert len(verdicts.evaluate(SHOWN)) == everything
