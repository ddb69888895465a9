"""A Sphinx extension: what a reference needs of another page is read once for each build, not once for each reference.

Sphinx unpickles the whole page that a numbered reference points to, and the bibliography searches all packages at each
citation. On this book that was half of a build.
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


def setup(app):
    app.add_domain(QuickDomain, override=True)
    pybtex.plugin.find_plugin = functools.cache(pybtex.plugin.find_plugin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
