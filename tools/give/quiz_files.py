"""The quizzes and the exam questions for a learning platform: GIFT for Moodle, QTI 1.2 for Canvas.

    python tools/give/quiz_files.py         writes _build/quizzes: NAME.gift.txt and NAME.qti.zip, chapter by chapter,
                                            and the exam questions of each part of the book
    python tools/give/quiz_files.py lars    the quiz of this chapter; or `part_2`, the exam questions on Part II

Formulas stay TeX, between the delimiters that MathJax knows on both platforms. A page of theirs has no chapter beside
it, so an equation that a question refers to stands there in full, a theorem has its title, and a figure is a picture.
COURSE names a folder of your own in place of `course`, as in `exam.py`. Deliberately absent: the model answers of exam
questions, which a platform shows to students as soon as somebody sets one switch; and QTI for Moodle, which imports
none.
"""

import argparse
import base64
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools import ROOT
from tools.give import exam
from tools.pages import book_map, quiz

OUT = ROOT / "_build" / "quizzes"
BOOK = "Big Batches, Small Memory"
QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
META = "associatedcontent/imscc_xmlv1p1/learning-application-resource"  # how Canvas calls a file about a quiz
IN_PACKAGE = "$IMS-CC-FILEBASE$/"  # stands before the path of a picture
ROLE = re.compile(r"\{(eq|prf:ref|ref)\}`([\w-]+)`")


@dataclass(frozen=True)
class Option:
    right: bool
    says: str
    why: str


@dataclass(frozen=True)
class Item:
    """A question as HTML; without options it is answered in words. `pictures` are stills by their file names."""

    name: str
    points: int
    text: str
    options: tuple[Option, ...] = ()
    pictures: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Bank:
    name: str
    title: str
    items: tuple[Item, ...]


# ---- from the sources ------------------------------------------------------------------------------------------------


def named(match: re.Match) -> str:
    """What stands for a reference where there is no book: the formula itself, or a title.

    Raises:
        ValueError: no chapter has the label.
    """
    role, label = match.groups()
    if role == "eq":
        return exam.formula(label)
    titled = rf"^:::+\{{(?:prf:)?(\w+)\}} (.+)\n(?::.*\n)*?:label: {label}$"
    if not (found := re.search(titled, exam.sources(), re.MULTILINE)):
        raise ValueError(f"no chapter has the label {label!r}, to which a question refers")
    return f"{found[1].capitalize()} “{found[2]}”"


@cache
def markdown() -> MarkdownIt:
    def tex(content: str, options: dict) -> str:
        left, right = ("$$", "$$") if options["display_mode"] else (r"\(", r"\)")
        return f"{left}{escape(content, quote=False)}{right}"

    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=tex)


def html(text: str, inline: bool = False) -> str:
    """Markdown of the book as HTML whose formulas are TeX.

    Raises:
        ValueError: it has a role that means nothing outside of the book.
    """
    text = ROLE.sub(named, text)
    if foreign := re.search(r"\{[a-z:]+\}`[^`]*`", text):
        raise ValueError(f"{foreign[0]} in a question means nothing on another page")
    return (markdown().renderInline(text) if inline else markdown().render(text)).strip()


def quizzes() -> dict[str, Bank]:
    """The quiz of each chapter, in the order of the book."""
    banks = {}
    for name, chapter in book_map.chapters().items():
        path, items = ROOT / quiz.FOLDER / f"{name}.md", []
        if not path.exists():
            continue
        for number, lines in enumerate(quiz.questions(path.read_text(encoding="utf-8")), 1):
            asked, options = quiz.parse(lines)
            said = tuple(Option(o.right, html(o.says, inline=True), html("\n".join(o.why))) for o in options)
            items.append(Item(f"Quiz {chapter.number}, question {number}", 1, html("\n".join(asked)), said))
        banks[name] = Bank(name, f"Quiz {chapter.number}: {chapter.title}", tuple(items))
    return banks


def exams() -> dict[str, Bank]:
    """The exam questions of each part, without their answers."""
    known, stills, banks = exam.questions(), exam.pictures(), {}
    for path in sorted(exam.folder().glob("part_?.md")):
        items = []
        for question in (known[name] for name in exam.sections(path)):
            pictures = tuple(stills[label] for label in dict.fromkeys(exam.FIGURE.findall(question.text)))
            text = html(exam.apart(exam.FIGURE.sub("the figure below", question.text)))
            shown = "".join(f'\n<p><img src="{IN_PACKAGE}{still.name}" alt="The figure"></p>' for still in pictures)
            items.append(Item(question.name, question.points, text + shown, pictures=pictures))
        heading = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        banks[path.stem] = Bank(path.stem, f"Exam: {heading}", tuple(items))
    return banks


# ---- GIFT ------------------------------------------------------------------------------------------------------------


def guarded(text: str) -> str:
    """Text in which nothing means anything to GIFT: the backslash first, because Moodle reads `\\n` as a new line."""
    for character in "\\#=~{}:":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


def gift(bank: Bank) -> str:
    """A bank as a file that Moodle imports. A question has one line, because an empty one would end it."""
    lines = [f"$CATEGORY: $course$/top/{BOOK}/{bank.title.replace('/', '//')}", ""]
    for item in bank.items:
        text = item.text
        for still in item.pictures:
            data = base64.b64encode(still.read_bytes()).decode()
            text = text.replace(f"{IN_PACKAGE}{still.name}", f"data:image/svg+xml;base64,{data}")
        options = "".join(f" {'~='[o.right]}{guarded(o.says)}#{guarded(o.why)}" for o in item.options)
        lines += [f"::{guarded(item.name)}::[html]{guarded(text)}{{{options.strip()}}}", ""]
    return "\n".join(lines)


# ---- QTI -------------------------------------------------------------------------------------------------------------


def grown(parent: ET.Element, path: str, text: str = "", **attributes: str) -> ET.Element:
    """A new element at the end of a path of new elements."""
    for tag in path.split("/"):
        parent = ET.SubElement(parent, tag)
    parent.attrib.update(attributes)
    parent.text = text or None
    return parent


def material(parent: ET.Element, text: str) -> None:
    grown(parent, "material/mattext", text, texttype="text/html")


def facts(parent: ET.Element, **fields: str) -> None:
    inside = grown(parent, "qtimetadata")
    for label, entry in fields.items():
        field = grown(inside, "qtimetadatafield")
        grown(field, "fieldlabel", label)
        grown(field, "fieldentry", entry)


def written(parent: ET.Element, bank: Bank, number: int) -> None:
    """A question as an element of QTI: what is asked, what earns the points, and what is said of each option."""
    item = bank.items[number - 1]
    labels = [f"{bank.name}_{number}_{k}" for k in range(1, len(item.options) + 1)]
    root = grown(parent, "item", ident=f"{bank.name}_{number}", title=item.name)
    kind = "multiple_choice_question" if labels else "essay_question"
    described = {"original_answer_ids": ",".join(labels)} if labels else {}
    facts(grown(root, "itemmetadata"), question_type=kind, points_possible=str(item.points), **described)
    asked = grown(root, "presentation")
    material(asked, item.text)
    marked = grown(root, "resprocessing")
    grown(marked, "outcomes/decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    if not labels:
        grown(asked, "response_str", ident="response1", rcardinality="Single")
        grown(asked[-1], "render_fib/response_label", ident="answer1", rshuffle="No")
        grown(grown(marked, "respcondition", **{"continue": "No"}), "conditionvar/other")
        return
    choices = grown(grown(asked, "response_lid", ident="response1", rcardinality="Single"), "render_choice")
    for label, option in zip(labels, item.options, strict=True):
        material(grown(choices, "response_label", ident=label), option.says)
        condition = grown(marked, "respcondition", **{"continue": "Yes"})
        grown(condition, "conditionvar/varequal", label, respident="response1")
        grown(condition, "displayfeedback", feedbacktype="Response", linkrefid=f"{label}_fb")
        material(grown(grown(root, "itemfeedback", ident=f"{label}_fb"), "flow_mat"), option.why)
    right = labels[[option.right for option in item.options].index(True)]
    condition = grown(marked, "respcondition", **{"continue": "No"})
    grown(condition, "conditionvar/varequal", right, respident="response1")
    grown(condition, "setvar", "100", action="Set", varname="SCORE")


def assessment(bank: Bank) -> ET.Element:
    root = ET.Element("questestinterop", xmlns=QTI)
    section = grown(grown(root, "assessment", ident=bank.name, title=bank.title), "section", ident="root_section")
    for number in range(1, len(bank.items) + 1):
        written(section, bank, number)
    return root


def about(bank: Bank) -> ET.Element:
    """What Canvas reads of a quiz beside its questions: it comes unpublished, and a chapter's quiz earns no grade."""
    root, practice = ET.Element("quiz", identifier=bank.name, xmlns=CANVAS), bool(bank.items[0].options)
    for tag, text in {
        "title": bank.title,
        "quiz_type": "practice_quiz" if practice else "assignment",
        "points_possible": str(sum(item.points for item in bank.items)),
        "available": "false",
    }.items():
        grown(root, tag, text)
    return root


def manifest(bank: Bank, pictures: list[Path]) -> ET.Element:
    root, meta = ET.Element("manifest", identifier=f"{bank.name}_package", xmlns=PACKAGE), f"{bank.name}_meta"
    about_it = grown(root, "metadata")
    grown(about_it, "schema", "IMS Content")
    grown(about_it, "schemaversion", "1.1.3")
    grown(root, "organizations")
    resources = grown(root, "resources")
    resource = grown(resources, "resource", identifier=bank.name, type="imsqti_xmlv1p2")
    grown(resource, "file", href=f"{bank.name}/{bank.name}.xml")
    grown(resource, "dependency", identifierref=meta)
    others = [(meta, META, f"{bank.name}/assessment_meta.xml")]
    others += [(f"{bank.name}_{still.stem}", "webcontent", still.name) for still in pictures]
    for identifier, kind, href in others:
        grown(grown(resources, "resource", identifier=identifier, type=kind, href=href), "file", href=href)
    return root


def pack(bank: Bank, path: Path) -> None:
    """Write a bank as a package that Canvas imports; the same bank makes the same bytes."""
    pictures = sorted({still for item in bank.items for still in item.pictures})
    trees = {
        "imsmanifest.xml": manifest(bank, pictures),
        f"{bank.name}/{bank.name}.xml": assessment(bank),
        f"{bank.name}/assessment_meta.xml": about(bank),
    }
    files = {name: ET.tostring(tree, encoding="UTF-8", xml_declaration=True) for name, tree in trees.items()}
    files |= {still.name: still.read_bytes() for still in pictures}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def write(names: list[str], out: Path = OUT) -> list[Path]:
    """Write these banks, or all; returns the files.

    Raises:
        ValueError: there is no bank of a name, or a question refers to nothing.
    """
    banks = quizzes() | exams()
    if missing := [name for name in names if name not in banks]:
        raise ValueError(f"there are no questions {missing[0]!r}, but {', '.join(banks)}")
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in names or banks:
        paths += [out / f"{name}.gift.txt", out / f"{name}.qti.zip"]
        paths[-2].write_text(gift(banks[name]), encoding="utf-8")
        pack(banks[name], paths[-1])
    return paths


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a chapter, such as lars, or part_2")
    try:
        paths = write(parser.parse_args(arguments).names)
    except ValueError as error:
        print(f"No questions: {error}.")
        return 2
    print(f"Wrote {len(paths)} files to {OUT.relative_to(ROOT)}: *.gift.txt for Moodle, *.qti.zip for Canvas.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
