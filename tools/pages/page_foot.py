"""The foot of every page: where to report an error on it, and, below a chapter, which run made its outputs.

It is a Sphinx extension; `build_book.py` hands it the setting `page_foot`, and of the runs what `insertions.py` keeps
for each chapter. Where the repository has a public address the link opens a new issue whose title has the page's name
and the commit. Where it has none, the link leads to the section of the preface that says what to send.
The day and the versions are those in the chapter's record, `book/proved/name.json`, which comes with a clone.
What belongs to a chapter, its notebook, slides and the like, is `companions.py`'s line.
Deliberately absent: anything about this machine's clock, and a form that sends something.
"""

import html
import re
import subprocess
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tools.pages import companions, insertions

TEMPLATES = Path(__file__).resolve().parent / "templates"
HERE = ("book/index", "preface-report")  # the page and the section that say what to send
ISSUES = {
    "github.com": ("/issues/new", "title", "body"),
    "gitlab.com": ("/-/issues/new", "issue[title]", "issue[description]"),
}
WHAT_TO_SEND = """What is wrong, and where (section, cell or sentence):

What I saw:

What I expected:

python -m platform:
"""
NAMES = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib", "torch": "PyTorch"}


def git(root: Path, *words: str) -> str:
    """What git says of the folder; empty where it fails, or where there is none."""
    command = ["git", "-C", str(root), *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return ""


def commit(root: Path) -> str:
    """The commit that the pages are built from; with `-dirty` where files differ from it, empty without git."""
    return git(root, "describe", "--always", "--dirty", "--exclude", "*")


def at(commit: str) -> str:
    """The commit in words."""
    name, dirty, _ = commit.partition("-dirty")
    return f"{name} (with changes)" if dirty else name or "an unknown commit"


def issue(url: str, page: str, commit: str) -> str:
    """The address that opens a new issue about this page; empty where the repository has no public address."""
    host = urlsplit(url).netloc
    if host not in ISSUES:
        return ""
    path, title, body = ISSUES[host]
    return f"{url}{path}?" + urlencode({title: f"{page} at {at(commit)}: ", body: WHAT_TO_SEND})


def report(url: str, commit: str) -> str:
    """What the preface says about where a report goes, in Markdown."""
    where = f"This copy was built from commit `{at(commit)}`." if commit else "This copy has no git history."
    if urlsplit(url).netloc in ISSUES:
        return f"{where} Its repository is [{url}]({url}), and the link at the foot of a page opens an issue there."
    return (
        f"{where} It knows of no public address of its repository, so the link at the foot of a page leads here, and "
        "the report goes to the person or the place that you have the book from."
    )


def run_words(run: dict) -> str:
    """The sentence about the run that made a chapter's outputs, in HTML without its link."""
    versions = ", ".join(f"{NAMES.get(name, name)} {number}" for name, number in run["versions"].items())
    today = " Executing it again for this site failed." if run["failed"] else ""
    return html.escape(f"The outputs on this page were made on {run['made']} with {versions}.{today}", quote=False)


def foot(page: str, run: dict | None, pathto, url: str = "", commit: str = "") -> str:
    """The foot of a page in HTML; `pathto` gives the relative address of another page, `run` is the chapter's."""
    there = "" if page == HERE[0] else pathto(HERE[0])  # of the page itself Sphinx says "#"
    target = issue(url, page, commit) or f"{there}#{HERE[1]}"
    lines = [companions.line(page.split("/")[-1], companions.Beside())] if page.startswith("notebooks/") else []
    lines.append(f'<p>Found an error on this page? <a class="report" href="{html.escape(target)}">Report it</a>.</p>')
    if run:
        status = html.escape(pathto("book/status"))
        lines.append(f'<p>{run_words(run)} <a href="{status}">All runs</a> stand on one page.</p>')
    return '<div class="page-foot">' + "".join(lines) + "</div>"


def place(app, page: str, template: str, context: dict, doctree) -> None:
    """Give the template its text; a page that Sphinx makes itself gets the link too."""
    run, wanted = insertions.run_of(app, page), not re.match("search|_modules", page)
    context["page_foot"] = foot(page, run, context["pathto"], **app.config.page_foot) if wanted else ""


def find_templates(app, config) -> None:
    config.templates_path = [*config.templates_path, str(TEMPLATES)]


def setup(app) -> dict:
    app.add_config_value("page_foot", {}, "html")
    app.connect("config-inited", find_templates)
    app.connect("html-page-context", place)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
