"""A Sphinx extension: a fold says what is inside, and a screen reader hears what is written.

A cell with the tag `hide-input`, `hide-output` or `hide-cell` is a fold; `chapters.fold_label` has its label.
Deliberately absent: the folds of solutions and answers, whose titles are their labels; `folds.js` makes their buttons
say them.
"""

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

from tools.chapter import chapters

logger = logging.getLogger(__name__)


class LabelFolds(SphinxPostTransform):
    """Gives every folded cell its label, before MyST-NB wraps it."""

    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs) -> None:
        for node in self.document.findall(nodes.container):
            if node.get("nb_element") == "cell_code" and node.get("hide_mode") and node.children:
                told = chapters.fold_label(node["cell_metadata"])
                if not told:
                    logger.warning(chapters.UNLABELLED, location=node)
                node["prompt_show"], node["prompt_hide"] = told, told.replace("Show", "Hide", 1)


def visit(self, node: HideCodeCellNode) -> None:
    """A fold without MyST-NB's `aria-label`, which every fold has alike: its words are its name."""
    shown, hidden = (self.encode(node[key]) for key in ("prompt_show", "prompt_hide"))
    self.body.append(f'<details class="admonition hide {" ".join(node["classes"])}">\n<summary>\n')
    self.body.append(f'<p class="collapsed admonition-title">{shown}</p>\n')
    self.body.append(f'<p class="expanded admonition-title">{hidden}</p>\n</summary>\n')


def setup(app) -> dict:
    app.setup_extension("myst_nb")
    app.add_node(HideCodeCellNode, override=True, html=(visit, depart_HideCellInput))
    app.add_post_transform(LabelFolds)
    app.add_js_file("folds.js")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
