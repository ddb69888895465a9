"""The directive of the figures that move, for Sphinx: `{live} NAME` shows `book/figures/NAME.js`.

    :::{live} noise-cloud
    :name: fig-live-noise-cloud
    ![What the picture shows.](../book/figures/noise-cloud.svg)

    The caption, in sentences.
    :::

The picture is the still that `stills.py` made. It stays where nothing can move: in a notebook, where the lines
above are plain Markdown, and in a browser without scripts. Only pages with such a figure load its script, and before it
those in the folder `book/figures/NAME`, where there is one: what runs recorded for it (`figure_records.py`), or the
parts of a figure that is too long for one file.
Deliberately absent: anything about what a figure draws; `book/figures/live.js` has what figures share.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tools import ROOT

FIGURES = ROOT / "book" / "figures"


def scripts(names: list[str]) -> list[str]:
    """The files of figures, relative to `book/figures`, in the order in which a page loads them."""
    files = [[*sorted((FIGURES / name).glob("*.js")), FIGURES / f"{name}.js"] for name in ["live", *names]]
    return [path.relative_to(FIGURES).as_posix() for parts in files for path in parts]


class live(nodes.Element, nodes.General):
    """The place of one figure, with its still picture inside."""


class LiveDirective(SphinxDirective):
    required_arguments = 1
    option_spec = {"name": str}
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if not (FIGURES / f"{name}.js").exists():
            known = ", ".join(sorted(p.stem for p in FIGURES.glob("*.js") if p.stem != "live"))
            raise self.error(f"no figure {name!r} in book/figures, which has {known}")
        body = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, body)
        pictures = list(body.findall(nodes.image))
        captions = [child for child in body.children if not list(child.findall(nodes.image))]
        if len(pictures) != 1 or not pictures[0].get("alt") or len(captions) != 1:
            raise self.error(
                f"figure {name}: its lines are one picture with an alt text, and a caption of one paragraph"
            )
        (picture,), (text,) = pictures, captions
        place = live("", picture, figure=name)
        caption = nodes.caption(text.rawsource, "", *text.children)
        figure = nodes.figure("", place, caption, classes=["live-figure"])
        self.add_name(figure)
        self.set_source_info(figure)
        figure["live"] = name
        return [figure]


def visit_live(self, node: live) -> None:
    self.body.append(self.starttag(node, "div", "", CLASS="live", **{"data-figure": node["figure"]}))


def depart_live(self, node: live) -> None:
    self.body.append("</div>\n")


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """The scripts and the style of a page's figures, on that page alone."""
    names = list(dict.fromkeys(node["figure"] for node in doctree.findall(live))) if doctree else []
    if names:
        app.add_css_file("live.css")
        for path in scripts(names):
            app.add_js_file(path, loading_method="defer")


def setup(app: Sphinx) -> dict:
    def nothing(self, node):
        pass

    app.add_node(live, html=(visit_live, depart_live), latex=(nothing, nothing), text=(nothing, nothing))
    app.add_directive("live", LiveDirective)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
