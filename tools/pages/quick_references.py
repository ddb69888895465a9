"""A Sphinx extension: what a reference needs of another page is read once for each build, not once for each reference.

Sphinx unpickles the whole page that a numbered reference points to, and the bibliography searches all packages at each
citation. On this book that was half of a build. The list of contents beside a page is made from titles alone, where
Sphinx copies all headings of the book for every page and throws them away, and that beside a page that is in no list
itself is made once for each folder.
"""

import functools
from unittest.mock import patch

import pybtex.plugin
from docutils import nodes
from sphinx import addnodes
from sphinx.domains.std import StandardDomain
from sphinx.environment.collectors.toctree import TocTreeCollector

NUMBER_FIGURES = TocTreeCollector.assign_figure_numbers


class KeptPages:
    """An environment whose pages may be looked at and not changed, so that each is unpickled once."""

    def __init__(self, env):
        self._env = env
        self.get_doctree = functools.cache(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self._env, name)


class QuickDomain(StandardDomain):
    """Sphinx's own references, whose numbers are looked up on kept pages."""

    @functools.cached_property
    def kept(self):
        return KeptPages(self.env)

    def _resolve_numref_xref(self, env, *args):
        return super()._resolve_numref_xref(self.kept, *args)


def number_figures(collector: TocTreeCollector, env) -> list[str]:
    """Number the figures on the pages that references look at afterwards."""
    with patch.object(env, "get_doctree", env.domains["std"].kept.get_doctree):
        return NUMBER_FIGURES(collector, env)


def titles(toc: nodes.bullet_list) -> nodes.bullet_list:
    """The headings of a page without those inside others; all of them where a list of pages stands among them."""
    if any(toc.findall(addnodes.toctree)):
        return toc
    short = toc.copy()
    for item in toc:
        short += item.copy()
        short[-1] += item[0].deepcopy()
    return short


def keep_contents(app) -> None:
    """Make lists of contents from few headings, and keep those that many pages have alike."""
    of_all_headings, env = app.builder._get_local_toctree, app.env

    @functools.cache
    def short() -> dict:  # first asked for when all pages are read
        return {page: titles(toc) for page, toc in env.tocs.items()}

    def contents(page: str, titles_only: bool = False, **options) -> str:
        with patch.object(env, "tocs", short() if titles_only else env.tocs):
            return of_all_headings(page, titles_only=titles_only, **options)

    @functools.cache
    def outside(folder: str, options: tuple) -> str:
        return contents(f"{folder}/" if folder else "", **dict(options))

    def kept(page: str, collapse: bool = True, **options) -> str:
        options |= {"collapse": collapse}
        if page in app.env.found_docs:
            return contents(page, **options)
        return outside(page.rpartition("/")[0], tuple(options.items()))

    app.builder._get_local_toctree = kept


def setup(app):
    app.connect("builder-inited", keep_contents)
    app.add_domain(QuickDomain, override=True)
    TocTreeCollector.assign_figure_numbers = number_figures
    pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
