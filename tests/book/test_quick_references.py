"""`tools/pages/quick_references.py`: references say what Sphinx's own say, and read each page that they name once."""

import re
from collections import Counter

import pytest
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

MANY = 5
REFERENCES = "{numref}`fig-a` and {numref}`Picture %s <fig-b>`.\n\n"
TOC = "```{toctree}\nother\n```\n"


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A function: the words of a page whose references name another page, and how often that page was read."""

    def build(*extensions):
        source = tmp_path / "source"
        source.mkdir(exist_ok=True)
        (source / "index.md").write_text("# Front\n\n" + REFERENCES * MANY + TOC)
        pictures = "".join(f"```{{figure}} {x}.svg\n:name: fig-{x}\n\nOf {x}.\n```\n\n" for x in "ab")
        (source / "other.md").write_text(f"# Other\n\n{pictures}")
        for x in "ab":
            (source / f"{x}.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
        reads, read = Counter(), BuildEnvironment.get_doctree
        monkeypatch.setattr(BuildEnvironment, "get_doctree", lambda env, page: reads.update([page]) or read(env, page))
        out = tmp_path / "-".join(["out", *extensions])
        settings = {"extensions": ["myst_parser", *extensions], "numfig": True}
        Sphinx(source, None, out, out / "trees", "html", settings, status=None, warning=None).build()
        monkeypatch.undo()
        words = re.search(r"<section.*?</section>", (out / "index.html").read_text(), re.DOTALL)[0]
        return words, reads["other"]

    return build


def test_a_page_is_read_once_for_all_references_to_it_and_they_say_the_same(built):
    own, own_reads = built()
    words, reads = built("tools.pages.quick_references")
    assert words == own
    assert words.count("Picture 2") == words.count("Fig. 1") == MANY
    assert own_reads - reads == 2 * MANY - 1
