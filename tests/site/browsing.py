"""A page in a browser without a network, and what it asked for and complained about; the paths that figures draw.

Every page is served from this machine. A request to any other place is refused and remembered.
"""

import re
from http.server import SimpleHTTPRequestHandler

import yaml

from tools import ROOT

HTML = ROOT / "_build" / "html"


def site_pages():
    """The pages of `_toc.yml`, in order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    return [toc["root"], *chapters]


def chapter_page(name):
    """The page of the chapter that is called so: with its number, `notebooks/NN_lamb` for lamb."""
    return next(page for page in site_pages() if re.sub(r"^notebooks/(\d\d|[A-Z])_", "", page) == name)


SETTLED = """() =>
    !document.querySelector("meta[http-equiv=Refresh]") && document.readyState === "complete"
    && (!window.MathJax || MathJax.startup?.promise?.then(() => true))"""


HEIGHT = 900
# After two frames no listener to a change of width is left to run; colours that fade are made to arrive.
AT_REST = """async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  document.getAnimations().forEach(a => a.finish());
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Visit:
    """One open page, with everything it asked for and complained about."""

    def __init__(self, browser, server, scheme="light", width=1300, motion="reduce"):  # figures wait to be moved
        self.server, self.outside, self.errors = server, [], []
        self.context = browser.new_context(
            color_scheme=scheme,
            reduced_motion=motion,
            viewport={"width": width, "height": HEIGHT},
            service_workers="block",
        )
        self.context.route("**/*", self._route)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("response", self._response)

    def _route(self, route):
        url = route.request.url
        if url.startswith((self.server, "data:", "blob:", "file:")):
            route.continue_()
        else:
            self.outside.append(url)
            route.abort()

    def _console(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def _response(self, response):
        if response.status >= 400:
            self.errors.append(f"{response.status} {response.url}")

    def open(self, name):
        """Open a page of the site (or any address) and wait until its formulas are set.

        A page that only sends the reader on (the site's root does) is followed first: its
        successor may replace it at any moment, so nothing is asked of it.
        """
        self.page.goto(name if "://" in name else f"{self.server}/{name}.html")
        self.page.wait_for_function(SETTLED)

    def show(self, scheme="light", width=1300):
        """The open page in another scheme and width, as it is when it has come to rest."""
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        self.page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        self.page.evaluate(AT_REST)

    def close(self):
        self.context.close()
