"""A Sphinx extension: what a reference needs of another page is read once for each build, not once for each reference.

Sphinx unpickles the whole page that a numbered reference points to, and the bibliography searches all packages at each
citation. On this book that was half of a build. The list of contents beside a page that is in no list itself is made
once for each folder.
"""

import functools

import pybtex.plugin
from sphinx.domains.std import StandardDomain


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


def keep_contents(app) -> None:
    """Keep lists of contents that many pages have alike."""
    contents = app.builder._get_local_toctree

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
    pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
