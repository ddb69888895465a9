"""A page of the site as a section of a printed book: nothing to press, nothing folded, links that lead inside it.

What is folded on the screen is printed: code below its output (in a solution above it), answers where they stand. The
questions of a quiz keep their place, and their answers come at the end of the chapter. A figure that moves is shown by
its still, without the words that tell what to drag, and with the place where it moves. In the index a word is followed
by the numbers of its pages, which `print_book.py` fills in.
Deliberately absent: the statements for the prover under each theorem, which lead into pages that are not printed.
"""

import base64
import re
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag

from tools.pages import numbers_and_anchors

ONLY_ON_SCREEN = "script, button, .headerlink, details.by-machine, .quiz-said, .only-on-screen, .genindex-jumpbox"
# What a caption says about a figure that moves, from here to its end.
VERBS = "Drag|Press|Move|Change|Choose|Set|Before you|Make the|Enlarge"
INSTRUCTION = re.compile(rf"(?:^|(?<=[.:;?] ))(?:{VERBS})\b.*", re.DOTALL)


# Words of code that paper shows in black: names, signs, numbers. A mark around each would be half of the printed file.
PLAIN = re.compile('<span class="(?:n|p|o|w|nn|nx|bp|mi|mf|mh|sa)">([^<]*)</span>')


def soup(html: str) -> BeautifulSoup:
    return BeautifulSoup(html, "lxml")


def slug(page: str, anchor: str = "") -> str:
    """The name of a place in the printed book: of a page, or of an anchor on it."""
    return re.sub(r"[^A-Za-z0-9-]", "-", page) + ("--" + re.sub(r"[^A-Za-z0-9-]", "_", anchor) if anchor else "")


def new(tag: str, text: str = "", **attributes) -> Tag:
    """An element; `class_` gives its class."""
    attributes = {key.rstrip("_"): value for key, value in attributes.items()}
    return BeautifulSoup("", "lxml").new_tag(tag, attrs=attributes, string=text or None)


def unfold(article: Tag) -> None:
    """Open what is folded. Code that was folded gets a line above it that says what it does."""
    for fold in article.select("details.hide"):
        words = fold.find("p", class_="collapsed").get_text()
        fold.find("summary").decompose()
        fold.name, cell = "div", fold.parent
        if "below-input" in fold["class"]:
            fold.unwrap()
            continue
        fold["class"] = ["folded"]
        fold.insert(0, new("p", words.removeprefix("Show ").capitalize() + ":", class_="told"))
        if not fold.find_parent(class_="solution") and "tag_hide-input" in cell.get("class", []):
            cell.append(fold.extract())
    for fold in article.select("details"):
        fold.name = "div"
        for summary in fold.find_all("summary", recursive=False):
            summary.name = "div"


def quizzes(article: Tag) -> None:
    """Letters before the options; which one is right, and why, at the end of the chapter."""
    boxes = article.select(".quiz")
    if not boxes:
        return
    answers = new("section", id="quiz-answers")
    answers.append(new("h2", "Answers to the quiz"))
    where = new("p", "The answers are on page ")
    where.append(new("a", "000", href="#quiz-answers", **{"data-page": ""}))
    where.append(".")
    boxes[-1].insert_after(where)
    for number, quiz in enumerate(boxes, 1):
        quiz.insert(0, new("p", f"Question {number}", class_="question-number"))
        reasons, right = [], ""
        for letter, option in zip("abcd", quiz.select(".quiz-right, .quiz-wrong"), strict=False):
            right += letter if "quiz-right" in option["class"] else ""
            words, *why = option.find_all(recursive=False)
            (words.find("p") or words).insert(0, f"({letter}) ")
            reasons.append(new("div", class_="reason"))
            reasons[-1].extend(part.extract() for part in why)
            (reasons[-1].find("p") or reasons[-1]).insert(0, f"({letter}) ")
            option["class"] = ["option"]
        answers.append(new("p", f"Question {number}: ({right})", class_="question-number"))
        answers.extend(reasons)
    article.find("section").append(answers)


def stills(article: Tag, where: str) -> None:
    """The captions of figures that move: no instruction, and the place where the figure moves."""
    for figure in article.select("figure.live-figure"):
        caption = figure.select_one(".caption-text")
        texts = caption.find_all(string=True) if caption else []
        for text in texts:
            if text.find_parent(class_="math") is None and INSTRUCTION.search(text):
                for later in list(text.next_elements):
                    if isinstance(later, NavigableString) and caption in later.parents:
                        later.replace_with("")
                for formula in caption.select(".math"):
                    if not formula.get_text():
                        formula.decompose()
                text.replace_with(INSTRUCTION.sub("", text))
                break
        moves = new("p", "This figure moves: ", class_="moves")
        place = f"{where}#{figure['id']}"
        moves.append(new("a", place, href=place) if "://" in place else new("span", place))
        (figure.find("figcaption") or figure).append(moves)


def plain(still: Path) -> str:
    """A still whose words have no margin of paper: with it Chromium draws each letter as a picture of its own."""
    drawing = re.sub(r"paint-order:stroke;[^}]*", "", still.read_text(encoding="utf-8"))
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode()


def name(article: Tag, page: str) -> None:
    """On paper the first page is the preface, and the title of an appendix has its letter."""
    title, letter = article.find("h1"), numbers_and_anchors.letter(page)
    if page == "book/index":
        title.string = "Preface"
    elif letter and not title.get_text().startswith("Appendix"):
        title.insert(0, f"Appendix {letter}: ")


def anchors(article: Tag) -> None:
    """Give headings the anchors of their sections: a section may begin on the page before its heading."""
    for heading in article.select("section > :is(h1, h2, h3, h4)"):
        for before in heading.find_previous_siblings("span", id=True):
            heading.insert(0, before.extract())
        if heading.parent.get("id"):
            heading["id"] = heading.parent.attrs.pop("id")


def index(article: Tag) -> None:
    """The index in columns, each word followed by links whose text will be the number of a page."""
    for table in article.select("table.genindextable"):
        table.name, table["class"] = "div", ["columns"]
        for cell in table.select("tr, td"):
            cell.unwrap()
    for entry in article.select("li"):
        links = entry.find_all("a", recursive=False)
        if links:
            entry.insert(0, links[0].get_text())
        for link in links:
            link["data-page"] = ""
            link.string = "000"
            link.insert_before(" ")


def place(href: str, html: Path, site: Path) -> tuple[str, str]:
    """The page of the site, and the anchor on it, that a link on the page `html` leads to."""
    path, _, anchor = href.partition("#")
    target = (html.parent / path).resolve() if path else html
    return str(target.relative_to(site)).removesuffix(".html"), anchor


def links(article: Tag, html: Path, site: Path, printed: set[str], address: str) -> None:
    """Lead links to printed pages inside the book, all others to the public site, or nowhere where there is none."""
    for link in article.find_all("a", href=True):
        if re.match(r"[a-z]+:", link["href"]):
            continue
        page, anchor = place(link["href"], html, site)
        if page in printed:
            link["href"] = "#" + slug(page, anchor)
            if "data-page" in link.attrs:
                link["data-page"] = slug(page, anchor)
        elif address:
            link["href"] = f"{address}{page}.html" + (f"#{anchor}" if anchor else "")
        else:
            link.name, link.attrs = "span", {}


def section(page: str, site: Path, printed: set[str], address: str = "") -> Tag:
    """The page `page` of the built site as a section; `printed` are the pages of the book, `address` where the public
    site is, with a slash at its end, or empty."""
    html = site / f"{page}.html"
    article = soup(PLAIN.sub(r"\1", html.read_text(encoding="utf-8"))).find("article")
    for tag in article.select(ONLY_ON_SCREEN):
        tag.decompose()
    if page == "genindex":
        index(article)
    quizzes(article)
    unfold(article)
    stills(article, f"{address}{page}.html")
    name(article, page)
    anchors(article)
    for tag in article.find_all(id=True):
        if tag.find_parent("svg") is None:
            tag["id"] = slug(page, tag["id"])
    links(article, html, site, printed, address)
    for picture in article.find_all("img", src=True):
        file = (html.parent / picture["src"]).resolve()
        picture["src"] = plain(file) if picture.find_parent(class_="live") else file.as_uri()
        picture.attrs.pop("loading", None)
    for anchor in article.select("a.image-reference"):  # it leads to the file of the picture
        anchor.unwrap()
    article.smooth()
    article.name = "section"
    article.attrs = {"class": "page", "id": slug(page)}
    return article
