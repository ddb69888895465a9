"""The browser and the site that the tests of the pages use; without them nothing is run, and one line says why."""

import os
import threading
from functools import partial
from http.server import ThreadingHTTPServer

import numpy as np
import pytest
from browsing import HTML, Quiet, Visit, chapter_page, site_pages

from tools import preflight
from tools.pages import stills


def pytest_configure():
    if preflight.browser() is None:
        looked_for = os.environ.get("CHROMIUM") or ", ".join(preflight.PROGRAMS)
        raise pytest.UsageError(
            f"no browser for the tests of the site: there is no {looked_for}; CHROMIUM=/path/to/chrome names another"
        )
    if not (HTML / "index.html").exists():
        raise pytest.UsageError(f"no site to test: there is no {HTML / 'index.html'}; build it with: make book")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Without the name of their group at the end of their names, tests leave the process that has their page open."""
    if getattr(config.option, "loadgroup", False):
        grouped = [item.nodeid for item in items if item.get_closest_marker("xdist_group")]
        assert all("@" in name for name in grouped), "this pytest-xdist does not group tests with this pytest"


@pytest.fixture(scope="session")
def server():
    """The address of the built site on this machine."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(HTML)))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()


@pytest.fixture(scope="session")
def browser():
    with stills.chromium() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def visit(browser, server):
    """Open a page, once for all tests of a file: `visit("book/index")`. What a test changes it sets back."""
    visits = {}

    def make(name):
        if name not in visits:
            visits[name] = Visit(browser, server)
            visits[name].open(name)
        return visits[name]

    yield make
    for seen in visits.values():
        seen.close()


# One page of each kind: these are looked at in `make test`.
KINDS = ["book/index", chapter_page("lamb"), chapter_page("optimizers_at_a_glance"), "book/verdicts", "book/lab"]
# The tests of one page run in one process.
PAGES = [
    pytest.param(name, marks=[pytest.mark.xdist_group(name), *[pytest.mark.long] * (name not in KINDS)])
    for name in site_pages()
]


@pytest.fixture(scope="module", params=PAGES)
def seen(request, browser, server):
    """Each page of the book, opened once for all tests: on a phone, in the light."""
    visit = Visit(browser, server, width=390)
    visit.open(request.param)
    yield visit
    visit.close()


@pytest.fixture(scope="module")
def numbers(browser):
    """What a figure that moves computes: `numbers("noise-cloud")("uphill", G, sigma, b)` calls its function in the
    browser; arrays and lists come back as arrays."""
    pages = {}

    def of(name):
        if name not in pages:
            pages[name] = stills.open_figure(browser, name)

        def call(function, *arguments):
            plain = [a.tolist() if isinstance(a, np.ndarray) else a for a in arguments]
            done = pages[name].evaluate("([n, f, a]) => Live.pure[n][f](...a)", [name, function, plain])
            return np.array(done) if isinstance(done, list) else done

        return call

    yield of
    for page in pages.values():
        page.close()
