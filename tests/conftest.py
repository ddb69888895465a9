"""Property tests draw the same instances in every run, and are not timed: other tests run beside them."""

from hypothesis import settings

settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")
