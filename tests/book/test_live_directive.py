"""The directive {live}: where a figure that moves stands on a page, what one without scripts shows; recorded data."""

import io
import re
import shutil

import pytest
from sphinx.application import Sphinx

from tools.pages import figure_records, live_figures

GOOD = """\
:::{live} noise-cloud
:name: fig-cloud
![Dots around an arrow.](noise-cloud.svg)

The *caption*, with $x$.
:::
"""
PAGE = f"# Title\n\n{GOOD}\nSee {{numref}}`fig-cloud`.\n"


def build(tmp_path, text):
    """The page's HTML, that of a page without figures, and what Sphinx warned of."""
    source, out, warnings = tmp_path / "source", tmp_path / "out", io.StringIO()
    source.mkdir()
    shutil.copy(live_figures.FIGURES / "noise-cloud.svg", source)
    (source / "index.md").write_text(text + "\n```{toctree}\nother\n```\n")
    (source / "other.md").write_text("# Other\n\nWords.\n")
    settings = {
        "extensions": ["myst_parser", "tools.pages.live_figures"],
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "html_static_path": [str(live_figures.FIGURES)],
        "numfig": True,
    }
    app = Sphinx(source, None, out, tmp_path / "trees", "html", settings, status=None, warning=warnings)
    app.build()
    return (out / "index.html").read_text(), (out / "other.html").read_text(), warnings.getvalue()


def test_a_figure_is_numbered_has_its_still_inside_and_loads_its_scripts_on_its_own_page(tmp_path):
    page, other, warnings = build(tmp_path, PAGE)
    assert warnings == ""
    place = re.search(r'<div class="live" data-figure="noise-cloud">\s*<img [^>]*>\s*</div>', page)[0]
    assert 'alt="Dots around an arrow."' in place
    assert 'id="fig-cloud"' in page
    assert re.search(r"<em>caption</em>, with", page)
    assert "Fig. 1" in page
    loaded = re.findall(r'src="_static/([\w-]+)\.js', page)
    assert loaded.index("live") < loaded.index("noise-cloud")
    assert "live.css" in page
    assert "live" not in re.findall(r'src="_static/([\w-]+)\.js', other)
    assert "live.css" not in other


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{live} noise-cloud", "{live} nose-cloud", "no figure 'nose-cloud' in book/figures, which has"),
        ("Dots around an arrow.", "", "one picture with an alt text"),
        ("![Dots around an arrow.](noise-cloud.svg)\n", "", "one picture with an alt text"),
        ("The *caption*, with $x$.\n", "", "a caption of one paragraph"),
    ],
)
def test_a_figure_without_its_parts_is_refused_with_one_line(tmp_path, old, new, said):
    assert said in build(tmp_path, PAGE.replace(old, new))[2]


@pytest.mark.parametrize("name", figure_records.RECORDS)
def test_what_a_figure_has_of_a_run_is_what_the_run_recorded(name):
    kept = (live_figures.FIGURES / name / "record.js").read_text(encoding="utf-8")
    assert kept == figure_records.script(name), f"write it again: python tools/pages/figure_records.py {name}"
