import pytest


@pytest.fixture
def cache(tmp_path_factory, monkeypatch):
    """The folder of an empty cache."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("MINILIB_DATA", str(folder))
    return folder
