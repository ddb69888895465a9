"""Property tests draw the same instances in every run, and are not timed: other tests run beside them."""

from importlib.util import find_spec

from hypothesis import settings

collect_ignore = [] if find_spec("torch_xla") else ["xla"]  # those have an environment of their own: make test-xla
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")

# They start processes or compile, and come first: none of them is left for one core at the end.
LONG = [f"test_{name}.py" for name in ("sharded", "killed", "compile", "exact", "building", "several_processes")]


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONG)
