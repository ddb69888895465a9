"""The browser and the site that the tests of the pages use.

The browser is Debian's Chromium or the one that CHROMIUM names. Nothing here is skipped: without a
browser or without a built site the tests fail and say what to do.
"""

import os
import shutil
import threading
from functools import partial
from http.server import ThreadingHTTPServer

import pytest
from browsing import HTML, Quiet, Visit, site_pages
from playwright.sync_api import sync_playwright


def pytest_generate_tests(metafunc):
    """A test that asks for `page_name` runs once for each page of the book."""
    if "page_name" in metafunc.fixturenames:
        # The tests of one page run in one process, which opens the page once.
        group = pytest.mark.xdist_group
        pages = [pytest.param(name, marks=group(name), id=name) for name in site_pages()]
        metafunc.parametrize("page_name", pages)


@pytest.fixture(scope="session")
def server():
    """The address of the built site on this machine."""
    if not (HTML / "index.html").exists():
        pytest.fail(f"There is no site in {HTML}. Build it first: make book")
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(HTML)))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    path = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if path is None:
        pytest.fail(
            "The tests of the site need Chromium. Debian, Ubuntu: sudo apt-get install chromium. "
            "Or name a Chrome or Chromium that you have: CHROMIUM=/path/to/chrome make test"
        )
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        chromium = playwright.chromium.launch(executable_path=path, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def visit(browser, server):
    """Open a page, once for all tests: `visit("book/index", scheme="dark", width=390)`."""
    visits = {}

    def make(name, scheme="light", width=1300):
        key = (name, scheme, width)
        if key not in visits:
            visits[key] = Visit(browser, server, scheme, width)
            visits[key].open(name)
        return visits[key]

    return make
