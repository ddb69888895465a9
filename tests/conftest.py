"""Property tests draw the same instances in every run, and are not timed: other tests run beside them."""

from importlib.util import find_spec

from hypothesis import settings

collect_ignore = [] if find_spec("torch_xla") else ["xla"]  # those have an environment of their own: make test-xla
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")
