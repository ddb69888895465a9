"""Prints the built book as one PDF, or a chapter of it.

    python tools/give/print_book.py             _build/pdf/big-batches-small-memory.pdf
    python tools/give/print_book.py lars adam   _build/pdf/lars.pdf and _build/pdf/adam.pdf

The pages of `_toc.yml` are put into one document (`paper.py`, `paper.css`), and Chromium prints it: once to learn on
which page everything is, and again with these numbers in the contents and in the index. Formulas are set by the site's
MathJax and drawings stay drawings. The number on a page is its place in the file. Nothing is asked of a network.
`pdf_file.py` then looks whether all is well with it.
Of a chapter that is printed alone, links to other chapters lead to the public site, or nowhere where there is none.
Deliberately absent: what only works on a screen, the laboratory and the search.
"""

import argparse
import html
import importlib.util
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pikepdf
import yaml

from tools import ROOT, preflight
from tools.chapter import chapters
from tools.give import paper, pdf_file
from tools.pages import build_book, page_foot

SITE = ROOT / "_build" / "html"
OUT = ROOT / "_build" / "pdf"
BOOK = "big-batches-small-memory"
LEFT_OUT = {"book/lab"}
# Of each font: its file, what is added to the name for another style, and that style.
FONTS = {
    "Serif": ("STIXGeneral", {"": "", "Bol": "700", "Italic": "italic", "BolIta": "italic 700"}),
    "Sans": ("DejaVuSans", {"": "", "-Bold": "700"}),
    "Mono": ("DejaVuSansMono", {"": "", "-Bold": "700", "-Oblique": "italic"}),
}
# A formula is one thing to a screen reader, which reads its source; not one for each of its letters.
SAY = """() => {
  for (const formula of window.MathJax?.startup?.document?.math ?? []) {
    formula.typesetRoot.querySelector("mjx-assistive-mml")?.remove();
    formula.typesetRoot.setAttribute("role", "img");
    formula.typesetRoot.setAttribute("aria-label", formula.math.trim());
  }
}"""
# What is wider than the page is set smaller; what breaks must be longer than a few lines.
FIT = """() => {
  const width = document.body.clientWidth, smaller = (box, share) => {
    box.style.fontSize = `${Math.floor(4 * share * parseFloat(getComputedStyle(box).fontSize)) / 4}px`;
  };
  for (const formula of document.querySelectorAll("mjx-container")) {
    const line = formula.closest("div, p, li, dd, td, th, figcaption, section");
    const number = line.querySelector(":scope > .eqno");
    const room = line.clientWidth - (number && formula.hasAttribute("display") ? 2 * number.offsetWidth : 0);
    const needs = formula.firstElementChild.getBoundingClientRect().width;
    if (needs > room && !formula.closest("table")) smaller(formula, room / needs);
  }
  for (const table of document.querySelectorAll("table")) {
    for (let k = 0; k < 8 && table.offsetWidth > table.parentElement.clientWidth; k++) smaller(table, 0.93);
  }
  for (const text of document.querySelectorAll("pre")) {
    text.style.whiteSpace = "pre";
    const share = (text.clientWidth - 1) / text.scrollWidth;
    text.style.whiteSpace = "";
    if (share < 1) smaller(text, Math.max(share, 0.8));
    if (text.textContent.trim().split("\\n").length < 14) text.classList.add("short");
  }
}"""
NUMBER = """pages => {
  for (const number of document.querySelectorAll("[data-page]")) {
    number.textContent = pages[number.dataset.page] ?? "";
  }
  for (const entry of document.querySelectorAll(".columns li")) {  // a page once, and commas between the numbers
    const seen = new Set(), links = [...entry.children].filter((child) => child.matches("a"));
    for (const node of [...entry.childNodes]) {
      if (node.nodeType === Node.TEXT_NODE && /^[,\\s]*$/.test(node.data)) node.remove();
    }
    for (const link of links) {
      link.hidden = seen.has(link.textContent);
      if (!link.hidden) link.before(seen.size ? ", " : " ");
      seen.add(link.textContent);
    }
  }
}"""


def plan(root: Path) -> list[tuple[str, str]]:
    """The pages of the book in order, each with the title of the part that it opens, or an empty string."""
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    pages = [("", toc["root"])]
    for part in toc["parts"]:
        files = [chapter["file"] for chapter in part["chapters"] if chapter["file"] not in LEFT_OUT]
        pages += [("" if k else part["caption"], file) for k, file in enumerate(files)]
    return pages


def names(root: Path = ROOT) -> dict[str, str]:
    """The pages by what they are called: a chapter by its name, `lars`."""
    return {chapters.name_of(Path(page).name): page for _, page in plan(root)}


def public(root: Path) -> str:
    """The address of the published pages; empty where the repository has none."""
    url = build_book.address(root, yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8")))
    match = re.fullmatch(r"(?:https://|git@)github\.com[/:]([\w.-]+)/([\w.-]+?)(?:\.git)?/?", url)
    return f"https://{match[1]}.github.io/{match[2]}/" if match else ""


def text(tag) -> str:
    return re.sub(r"\s+", " ", tag.get_text()).strip()


def cited(root: Path) -> tuple[dict, list[str]]:
    """What CITATION.cff says, and the names of the authors."""
    cite = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    people = [one.get("name") or f"{one['given-names']} {one['family-names']}" for one in cite["authors"]]
    return cite, people


def title_page(root: Path, heading: str) -> str:
    """The title, who wrote it, and which state of the book this is."""
    cite, people = cited(root)
    title, _, sub = cite["title"].partition(": ")
    commit, day = page_foot.commit(root), page_foot.git(root, "log", "-1", "--format=%cs")
    state = f"Version {cite['version']}" + (f", commit {page_foot.at(commit)}, {day}" if commit else "")
    lines = [
        state + ".",
        "Code: BSD 3-Clause licence. Text and figures: CC BY 4.0.",
        "Figures that move stand still here; below each is the page of the site on which it moves. "
        "What is folded on the site is printed, and the answers to a quiz stand at the end of its chapter. "
        "The laboratory is left out, as it only works on a screen, and so are the pages of the proofs in Rocq.",
    ]
    small = "".join(f'<p class="small">{html.escape(line)}</p>' for line in lines)
    by = f'<p class="by">{html.escape(", ".join(people))}</p>'
    alone = f'<p class="sub">{html.escape(heading)}</p>' if heading else ""
    heads = f"<h1>{html.escape(title)}</h1>{alone}" + f'<p class="sub">{html.escape(sub[:1].upper() + sub[1:])}</p>'
    return f'<div class="title">{heads}{by}{small}</div>'


def line(target: str, words: str, kind: str) -> str:
    """A line of the contents."""
    number = f'<span data-page="{target}">000</span>'
    link = f'<a href="#{target}"><span>{html.escape(words)}</span><span class="dots"></span>{number}</a>'
    return f'<p class="{kind}">{link}</p>'


def contents(sections: list) -> str:
    """The contents: parts, chapters, and the sections of each chapter."""
    lines = ['<div class="contents"><h2>Contents</h2>']
    for part, section in sections:
        if part:
            lines.append(f'<p class="part">{html.escape(part)}</p>')
        lines.append(line(section["id"], text(section.find("h1")), "chapter"))
        below = [line(h2["id"], text(h2), "section") for h2 in section.find_all("h2", id=True)]
        if below and section["id"] != paper.slug("genindex"):
            lines += ['<div class="sections">', *below, "</div>"]
    return "".join([*lines, "</div>"])


def fonts() -> str:
    """The rules of the book's fonts, which come with matplotlib: every machine prints the same pages."""
    folder = Path(importlib.util.find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
    rules = []
    for family, (file, styles) in FONTS.items():
        for added, style in styles.items():
            slant, weight = ("italic" if "italic" in style else "normal"), ("700" if "700" in style else "400")
            source = (folder / f"{file}{added}.ttf").as_uri()
            face = f'font-family:"Book {family}";font-style:{slant};font-weight:{weight};src:url("{source}")'
            rules.append(f"@font-face{{{face}}}")
    return "".join(rules)


def document(root: Path, site: Path, pages: list[tuple[str, str]]) -> str:
    """The whole document; the numbers of pages in it are still to come."""
    inside = {page for _, page in pages}
    sections = [(part, paper.section(page, site, inside, public(root))) for part, page in pages]
    heads = []
    for _, section in sections:
        title = text(section.find("h1")).replace("\\", "\\\\").replace('"', '\\"')
        name = section["id"]
        heads.append(f'@page {name}{{@top-right{{content:"{title}";font:8pt "Book Sans";color:#666}}}}')
        heads.append(f"#{name}{{page:{name}}}")
    alone = text(sections[0][1].find("h1")) if len(sections) == 1 else ""
    style = Path(__file__).with_name("paper.css").read_text(encoding="utf-8")
    colours = (site / "_static" / "pygments.css").read_text(encoding="utf-8")
    light = "\n".join(rule for rule in colours.splitlines() if 'data-theme="dark"' not in rule)
    options = {"options": {"processHtmlClass": "tex2jax_process|mathjax_process|math|output_area", "enableMenu": False}}
    return f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Big Batches, Small Memory{html.escape(": " + alone if alone else "")}</title>
<style>{fonts()}{light}{style}{"".join(heads)}</style>
<script>window.MathJax = {json.dumps(options)}</script>
<script defer src="{(site / "_static" / "mathjax" / "tex-chtml.js").as_uri()}"></script>
</head><body class="tex2jax_ignore">{title_page(root, alone)}{contents(sections)}
{"".join(str(section) for _, section in sections)}</body></html>"""


def write(browser, source: Path, out: Path) -> None:
    """Print the HTML file `source` to `out`, with the numbers of its pages.

    Raises:
        RuntimeError: the document asked a network for something, had a formula that cannot be set, or its pages kept
            moving.
    """
    context = browser.new_context(viewport={"width": 521, "height": 800}, offline=True)  # 138 mm
    page = context.new_page()
    requests, wrong = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(f"cannot load {request.url}"))
    page.set_default_timeout(1_200_000)
    page.emulate_media(media="print")
    page.goto(source.as_uri())
    page.evaluate("() => Promise.all([window.MathJax?.startup?.promise, document.fonts.ready])")
    wrong += page.locator("mjx-merror").evaluate_all("all => all.map(e => `cannot set ${e.title || e.textContent}`)")
    outside = [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]
    if outside or wrong:
        raise RuntimeError("; ".join([*(f"asks for {url}" for url in outside), *wrong]))
    page.evaluate(FIT)
    page.evaluate(SAY)
    known: dict[str, int] = {}
    for turn in range(4):
        more = turn > 0  # the first time only the places of pages are wanted
        page.pdf(path=str(out), prefer_css_page_size=True, print_background=True, outline=more, tagged=more)
        with pikepdf.open(out) as pdf:
            places = pdf_file.destinations(pdf)
        if places == known:
            break
        page.evaluate(NUMBER, known := places)
    else:
        raise RuntimeError("the numbers of the pages do not come to rest")
    context.close()


def finish(path: Path, source: str, root: Path = ROOT) -> None:
    """The words of `source` in the outline (Chromium drops formulas, and spaces at the end of a line), title and
    authors for the list of a library, the outline in view, and as few bytes as can be."""
    heads = [text(paper.soup(head)) for head in re.findall(r"<h[1-6]\b.*?</h[1-6]>", source, re.DOTALL)]
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        with pdf.open_metadata() as data:
            data["dc:creator"] = cited(root)[1]
            data["dc:title"] = str(pdf.docinfo["/Title"])
            data["dc:language"] = ["en"]
        with pdf.open_outline() as outline:
            items = [*pdf_file.walk(outline.root)]
            for (_, item), words in zip(items, heads, strict=True):
                item.title = re.sub(r"\\\(|\\\)", "", words)
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        pdf.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        pikepdf.settings.set_flate_compression_level(9)
        pdf.save(
            path,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            compress_streams=True,
            recompress_flate=True,
            deterministic_id=True,
        )


def built() -> bool:
    """Whether there are built pages; where there are none they are built first."""
    if (SITE / "index.html").exists():
        return True
    print("This is made from the built pages, and there are none yet: they are built first.", flush=True)
    return not subprocess.run([sys.executable, "tools/pages/build_book.py"], cwd=ROOT).returncode


def main() -> int:
    from tools.pages import stills  # drives a browser

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="print these chapters, each by itself")
    chosen, known = parser.parse_args().names, names()
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"there is no page {unknown[0]!r} in the printed book; there are {', '.join(known)}")
    if not built():
        return 1
    if not preflight.get_browser(Path(sys.executable)):
        print("Nothing was printed: there is no browser. Install Chromium, Chrome or Edge, or set CHROMIUM to one.")
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    wanted = {name: [("", known[name])] for name in chosen} or {BOOK: plan(ROOT)}
    with stills.chromium() as browser:
        for name, pages in wanted.items():
            start, path = time.time(), OUT / f"{name}.pdf"
            source = OUT / f"{name}.html"
            source.write_text(whole := document(ROOT, SITE, pages), encoding="utf-8")
            try:
                write(browser, source, path)
                finish(path, whole)
                pdf_file.check(path)
            except (RuntimeError, ValueError) as error:
                print(f"{name} was not printed as it should be: {error}. What was printed is {source}")
                return 1
            source.unlink()
            size, seconds = path.stat().st_size / 1e6, time.time() - start
            print(f"{path.relative_to(ROOT)}: {size:.1f} MB, {seconds:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
