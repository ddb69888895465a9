"""An appendix counts by its letter. Caught: the first figure of appendix C was called Figure 4."""

from types import SimpleNamespace

import appendix_numbers


def test_each_appendix_counts_from_one_kind_by_kind():
    kinds = {"figure": {"fig-b": (5,), "fig-a": (4,)}, "exercise": {"ex-1": (10,)}}
    chapter = {"figure": {"fig-x": (2, 1)}}
    pages = {"notebooks/C_kinds": kinds, "notebooks/02_a": chapter, "book/index": {}}
    env = SimpleNamespace(toc_fignumbers=pages)
    assert appendix_numbers.renumber(None, env) == ["notebooks/C_kinds"]
    assert kinds == {"figure": {"fig-a": ("C", 1), "fig-b": ("C", 2)}, "exercise": {"ex-1": ("C", 1)}}
    assert chapter == {"figure": {"fig-x": (2, 1)}}
