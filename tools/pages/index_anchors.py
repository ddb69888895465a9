"""The index leads to a place on the page also where its entry stands directly before a theorem or a proof.

It is a Sphinx extension. Sphinx gives the entry's anchor to what follows it, and sphinx-proof writes one anchor of its
boxes and no other. So such an anchor gets an element of its own.
"""

from docutils import nodes


def place(app, doctree) -> None:
    for node in list(doctree.findall(nodes.Admonition)):
        for anchor in [name for name in node.get("ids", []) if name.startswith("index-")]:
            node["ids"].remove(anchor)
            node.parent.insert(node.parent.index(node), nodes.target("", "", ids=[anchor]))


def setup(app) -> dict:
    app.connect("doctree-read", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
