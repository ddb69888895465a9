"""A Sphinx extension: which pages a build reads and writes again, on all cores.

Sphinx reads a page again when its source, or a file that it depends on, has a later time, and writes it again. Here it
does so too where such a file has another content at an earlier time, as out of an archive (`outdated`). Pages that
refer to it may change too: a number, a title, a label, an address. So all that one page can see of another (`seen`) is
compared with what it was in the build before, and where anything of it differs, all pages are written. They are as
well where the setting `everything` says so: a file changed of which Sphinx knows nothing.
Deliberately absent: any choice between the pages that see a change and those that do not.
"""

import hashlib
import random
import re
from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain

from tools.pages import running_pages

logger = logging.getLogger(__name__)
# Extensions that do not say whether pages may be read side by side. They may: they keep nothing of a page that is read.
SILENT = {"sphinx-mathjax-offline", "sphinx_multitoc_numbering", "sphinx_jupyterbook_latex"}
NOT_SEEN = {"node"}  # of what sphinx-exercise keeps, the tree of an exercise; its title stands among the labels


def steady(value) -> str:
    """The value as text, alike for equal values, whatever the order in which pages were read."""
    if isinstance(value, dict):
        return str(sorted((repr(key), steady(one)) for key, one in value.items() if key not in NOT_SEEN))
    if isinstance(value, list | tuple):
        return str([steady(one) for one in value])
    return value.astext() if isinstance(value, nodes.Node) else repr(value)


def seen(app) -> str:
    """All that a page can see of the others."""
    env = app.env
    std, cited = env.domaindata["std"], env.domaindata["cite"]
    parts = [env.titles, env.toctree_includes, env.toc_secnumbers, env.toc_fignumbers, env.domaindata["math"]]
    parts += [std[kind] for kind in ("labels", "anonlabels", "terms", "objects")]
    citations = sorted(re.sub(" at 0x[0-9a-f]+", "", repr(one)) for one in cited["citations"])
    parts += [citations, running_pages.runnable_now(app)]
    parts += [getattr(env, name, {}) for name in ("proof_list", "sphinx_exercise_registry")]
    return steady(parts)


def contents(env, page: str) -> str:
    """A digest of a page's source, and of the files that it depends on."""
    whole = hashlib.sha256()
    for path in (Path(env.doc2path(page)), *(Path(env.srcdir, one) for one in sorted(env.dependencies.get(page, ())))):
        whole.update(hashlib.sha256(path.read_bytes() if path.is_file() else b"").digest())
    return whole.hexdigest()


def outdated(app, env, added, changed, removed) -> list[str]:
    """Pages of which a file is another than when they were read, whatever its time."""
    known = getattr(env, "book_contents", {})
    return [page for page in env.found_docs & known.keys() if contents(env, page) != known[page]]


def choose(app, env) -> set[str]:
    """The pages to be written though they were not read: all, or the first alone."""
    now = seen(app)
    app.all_written = app.config.everything or getattr(env, "book_seen", "") != now
    env.book_seen, env.book_contents = now, {page: contents(env, page) for page in env.found_docs}
    return set(env.found_docs) if app.all_written else {app.config.root_doc}  # where nothing is written no asset is


def owners(env) -> dict[str, str]:
    """The page of each label."""
    registries = [getattr(env, name, {}) for name in ("proof_list", "sphinx_exercise_registry")]
    pages = {label: one["docname"] for registry in registries for label, one in registry.items()}
    for labels in (env.domaindata["math"]["objects"], env.domaindata["std"]["labels"]):
        pages |= {label: one[0] for label, one in labels.items()}
    return pages


def merge(app, env, pages: list[str], other) -> None:
    """Sphinx warns of a label that two pages have where one process reads both, and nobody where two do."""
    for label, page in owners(other).items():
        if page in pages and app.owners.setdefault(label, page) != page:
            where = env.doc2path(app.owners[label])
            logger.warning("duplicate label %s, other instance in %s", label, where, location=page)


def begin_reading(app, env, pages: list[str]) -> None:
    """Forget all that is read again: a label that moved would else be found twice, where the old page comes later.

    Sphinx cuts the list into pieces, one for each process: shuffled, long and short pages lie in all of them.
    """
    for page in pages:
        app.emit("env-purge-doc", env, page)
        env.clear_doc(page)
    app.owners = owners(env)
    random.Random(0).shuffle(pages)
    for name in app.extensions.keys() & SILENT:
        app.extensions[name].parallel_read_safe = True
    ProofDomain.merge_domaindata = lambda *_: None  # it keeps its list elsewhere, and merges that


def prune(app, error) -> None:
    """Take away pictures that no page shows any more, and files that none gives away."""
    for folder, files in (("_images", app.env.images), ("_downloads", app.env.dlfiles)):
        place = Path(app.outdir) / folder
        kept = {place / name for _, name in files.values()}
        for path in place.rglob("*"):
            if path.is_file() and path not in kept:
                path.unlink()


def setup(app) -> dict:
    app.add_config_value("everything", False, "")
    app.connect("env-get-outdated", outdated)
    app.connect("env-before-read-docs", begin_reading)
    app.connect("env-merge-info", merge)
    app.connect("env-get-updated", choose, priority=950)  # after all numbers are there
    app.connect("build-finished", prune, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
