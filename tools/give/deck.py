"""A Sphinx extension for the slides: a deck names what it shows by its label in a chapter, and copies nothing.

What a slide shows is taken from the pages of the built book (`_build/.doctrees`), references resolved, so every number
on a slide is the number in the book. The directives `show`, `notes`, `question` and `task` are described in
course/slides/README.md, `slides.py` builds the decks. A name that no chapter has is a warning, and so is a deck
that breaks a rule of its form (`violations`); the build makes warnings errors.
Deliberately absent: executing anything, links out of a deck, and how a slide looks (course/slides/_static).
"""

import ast
import html
import json
import math
import pickle
import re
import textwrap
from collections.abc import Callable
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import HTML5Translator
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx_exercise.nodes import exercise_enumerable_node, exercise_node
from sphinx_proof.nodes import NODE_TYPES, proof_node
from sphinx_revealjs.writers import RevealjsSlideTranslator

from tools import ROOT
from tools.pages import readable_pictures

FIELDS = ("Say", "Board", "Move", "Ask", "Answer", "Misconception")  # what a paragraph of notes begins with
BEHIND = "Behind"  # and beside a task: what to do when half of the room is behind
POINTS = {"goals": "What you will be able to do", "summary": "Summary"}  # by option of `show`: the heading in a chapter
LABELLED = (nodes.figure, nodes.table, nodes.math_block, exercise_node, exercise_enumerable_node, *NODE_TYPES.values())
logger = logging.getLogger(__name__)


class excerpt(nodes.General, nodes.Element):
    """The place of a part of a chapter, until the book is asked for it."""


class notes(nodes.General, nodes.Element):
    """What the speaker sees: `minutes`, and a `field` for each paragraph."""


class field(nodes.General, nodes.Element):
    """One paragraph of the notes; `name` is one of FIELDS, or BEHIND."""


class picture(nodes.General, nodes.Element):
    """A drawn picture: its SVG as `text`, the size of its smallest words as `least`, which `panels` and `legend`."""


class Missing(Exception):
    """The book does not have what a deck names; says what, and what it may be."""


# ---- the book -------------------------------------------------------------------------------------------------------


class Book:
    """The pages of the built book, as its writer sees them."""

    def __init__(self, app: Sphinx, build: Path):
        self.build, self.builder = build, app.builder
        env = pickle.loads((build / ".doctrees" / "environment.pickle").read_bytes())
        env.version = env.srcdir = env.project = None  # the book's, and this application builds the decks
        env.setup(app)
        env.doctreedir = build / ".doctrees"
        env.domains["cite"].reference_style = app.env.domains["cite"].reference_style
        self.env = env
        read = env.get_doctree
        env.get_doctree = cache(read)  # Sphinx reads the page of a figure anew for every reference to it
        self.page = cache(lambda name: env.get_and_resolve_doctree(name, app.builder, read(name)))
        self.numbers: dict[str, dict] = {}  # by kind and label
        for kinds in env.toc_fignumbers.values():
            for kind, by_label in kinds.items():
                self.numbers.setdefault(kind, {}).update(by_label)
        self.glued = {}
        for file in (build / "jupyter_execute" / f"{name}.glue.json" for name in sorted(env.all_docs)):
            if file.exists():
                self.glued |= json.loads(file.read_text(encoding="utf-8"))

    def page_of(self, label: str) -> str:
        """The name of the page on which a label stands."""
        registries = (self.env.proof_list, self.env.sphinx_exercise_registry)
        pages = [
            *self.env.domaindata["std"]["anonlabels"].get(label, ())[:1],
            *self.env.domaindata["math"]["objects"].get(label, ())[:1],
            *(registry[label]["docname"] for registry in registries if registry.get(label)),
        ]
        if not pages:
            raise Missing(f"no chapter has the label {label!r}")
        return pages[0]

    def labelled(self, label: str) -> nodes.Element:
        """The figure, table, equation, theorem, algorithm or exercise of a label."""
        for node in self.page(self.page_of(label)).findall(nodes.Element):
            if isinstance(node, LABELLED) and {label, f"equation-{label}"} & {*node.get("ids", ())}:
                return node
        raise Missing(f"{label!r} is no figure, table, equation, theorem, algorithm or exercise")

    def steps(self, label: str, first: int, last: int) -> list[nodes.Element]:
        """The steps (first) to (last) of the proof of a theorem; 0 is what stands before (1)."""
        page, statement, after = self.page(self.page_of(label)), self.labelled(label), []
        proofs = [proof for proof in page.findall(proof_node) if belongs(proof, label)]
        if not proofs:  # a proof that names no statement belongs to the last one before it
            after = list(page.findall(nodes.Element))
            after = [node for node in after[after.index(statement) :] if isinstance(node, proof_node)]
            after = [proof for proof in after[:1] if not belongs(proof)]
        for proof in proofs or after:
            number, parts = 0, []
            for child in proof[0].children:
                begins = re.match(r"(?:Proof\. )?\((\d+)\)", child.astext())
                number = int(begins[1]) if begins else number
                if first <= number <= last:
                    parts.append(child.deepcopy())
            if number >= last and parts:
                return parts
        raise Missing(f"the proof of {label!r} has no steps ({first}) to ({last})")

    def code(self, label: str, name: str) -> nodes.literal_block:
        """A class or function of a chapter by its name, or a whole cell by its first words."""
        for block in blocks(self.page(self.page_of(label)), "cell_code_source"):
            text = block.astext()
            if text.startswith(name):
                return literal(text, "python")
            if name.isidentifier() and (piece := definition(text, name)):
                return literal(piece, "python")
        raise Missing(f"no visible or folded cell of {label!r} begins with {name!r} or defines it")

    def output(self, label: str, words: str) -> nodes.literal_block:
        """What a cell of a chapter printed, if these words are in it."""
        for block in blocks(self.page(self.page_of(label)), "cell_code_output"):
            if words in block.astext():
                return literal(block.astext().rstrip(), "none")
        raise Missing(f"no cell of {label!r} printed {words!r}")

    def points(self, label: str, heading: str, wanted: list[int]) -> nodes.bullet_list:
        """These points, from 1, of the list that stands below a heading of a chapter."""
        for title in self.page(self.page_of(label)).findall(nodes.title):
            if title.astext() == heading and (every := title.parent.next_node(nodes.bullet_list)):
                if max(wanted) > len(every):
                    raise Missing(f"{label!r} has {len(every)} points below {heading!r}, and not {max(wanted)}")
                return nodes.bullet_list("", *(every[k - 1].deepcopy() for k in wanted))
        raise Missing(f"{label!r} has no points below {heading!r}")

    def number(self, label: str) -> str:
        """What the book calls the thing of a label: Theorem 7.1."""
        kind, number = next((kind, of[label]) for kind, of in self.numbers.items() if label in of)
        return f"{kind.title()} {'.'.join(map(str, number))}"

    def value(self, key: str, form: str) -> str:
        """A number that a cell glued, in the form of a format specification."""
        if key not in self.glued:
            raise Missing(f"no chapter glues {key!r}")
        text = self.glued[key]["data"]["text/plain"]
        value = ast.literal_eval(text) if re.match(r"['\"\d-]", text) else text
        return f"{value:{form}}"

    def reference(self, node: addnodes.pending_xref) -> list[nodes.Node]:
        """What the book writes for a reference, without the link."""
        if node["refdomain"] not in self.env.domains:
            raise Missing(f"a slide cannot refer to {node['reftarget']!r} like this; name the role")
        domain, text = self.env.domains[node["refdomain"]], node[0].deepcopy()
        target = node["refdoc"], self.builder, node["reftype"], node["reftarget"]
        words = domain.resolve_xref(self.env, *target, node, text)
        if words is None:
            raise Missing(f"no chapter has the label {node['reftarget']!r}")
        whole = nodes.inline("", "", words)
        without_links(whole)
        return whole.children


def belongs(proof: proof_node, label: str = "") -> bool:
    """Does a proof begin with "Of", and this label (or any)?"""
    first = proof[0][0]
    ends = [(ref.get("refid") or ref.get("refuri", "")).split("#")[-1] for ref in first.findall(nodes.reference)]
    return bool(re.match(r"Proof\. Of ", first.astext())) and (not label or label in ends)


def blocks(page: nodes.document, part: str):
    """The texts in the cells of a page: what stands in them, or what they printed."""
    for cell in page.findall(nodes.container):
        if cell.get("nb_element") == part:
            yield from cell.findall(nodes.literal_block)


def literal(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def definition(text: str, name: str) -> str:
    """The source of a class or function that a cell defines at its top level."""
    try:
        body = ast.parse(text).body
    except SyntaxError:  # a cell with a line for the shell
        return ""
    for one in body:
        if isinstance(one, (ast.ClassDef, ast.FunctionDef)) and one.name == name:
            return "\n".join(text.splitlines()[one.lineno - 1 : one.end_lineno])
    return ""


def only(parts: list[nodes.Element], first: int, last: int) -> list[nodes.Element]:
    """Of what is shown these lines of code or output, rows of a table, or paragraphs and formulas of words."""
    one = parts[0]
    if isinstance(one, nodes.literal_block):
        return [literal(textwrap.dedent("\n".join(one.astext().splitlines()[first - 1 : last])), one["language"])]
    inner = one.next_node(nodes.tbody if isinstance(one, nodes.table) else nodes.section)
    if inner is None:
        return parts[first - 1 : last]
    inner.children = inner.children[first - 1 : last]
    return parts


def without_links(node: nodes.Element) -> None:
    """Links, marks of the index and targets lead nowhere from a slide."""
    for link in list(node.findall(nodes.reference)):
        link.replace_self(link.children)
    for mark in [*node.findall(addnodes.index), *node.findall(nodes.target)]:
        mark.replace_self(mark.children)


# ---- what a deck says ------------------------------------------------------------------------------------------------


def numbers(argument: str) -> tuple[int, int]:
    """'3' or '1-4'."""
    if not (match := re.fullmatch(r"(\d+)(?:-(\d+))?", argument.strip())):
        raise ValueError(f"{argument!r} is no number and no range like 1-4")
    return int(match[1]), int(match[2] or match[1])


def listed(argument: str) -> list[int]:
    """'2', or '1, 4': which panels or legends of a figure, or points of a chapter, from 1."""
    if not re.fullmatch(r"[1-9]\d*(, *[1-9]\d*)*", argument.strip()):
        raise ValueError(f"{argument!r} names no numbers, such as 2, or 1, 4")
    return [int(one) for one in argument.split(",")]


class Show(SphinxDirective):
    required_arguments = 1
    option_spec = {
        "code": directives.unchanged_required,
        "output": directives.unchanged_required,
        "lines": numbers,
        "step": numbers,
        "press": directives.unchanged_required,
        "panels": listed,
        "legend": listed,
        "source": directives.unchanged_required,
        **dict.fromkeys(POINTS, listed),
    }

    def run(self) -> list[nodes.Node]:
        node = excerpt("", label=self.arguments[0], options=self.options)
        self.set_source_info(node)
        node += self.parse_inline(self.options.get("source", ""))[0]
        return [node]


class Notes(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        if not re.fullmatch(r"\d+", self.arguments[0]):
            raise self.error(
                f"notes begin with the minutes of the slide, a whole number, and not {self.arguments[0]!r}"
            )
        node, body = notes("", minutes=int(self.arguments[0])), nodes.Element()
        self.set_source_info(node)
        for k in range(len(self.content) - 1, 0, -1):  # each field a paragraph of its own
            if re.match(rf"({'|'.join((*FIELDS, BEHIND))}): ", self.content[k]):
                self.content.insert(k, StringList([""], source=self.content.source(k)))
        self.state.nested_parse(self.content, self.content_offset, body)
        for paragraph in body.children:
            begins = re.match(rf"({'|'.join((*FIELDS, BEHIND))}): ", paragraph.astext())
            if begins:
                first = paragraph[0]
                first.parent.replace(first, nodes.Text(first.astext()[len(begins[0]) :]))
                node += field("", paragraph, name=begins[1])
            elif node.children and not re.match(r"\w+: ", paragraph.astext()):
                node[-1] += paragraph
            else:
                raise self.error(
                    f"a paragraph of notes begins with one of {', '.join(FIELDS)}, not: {paragraph.astext()[:40]!r}"
                )
        return [node]


class Box(SphinxDirective):
    """A `question` to the hall, or a `task` for everybody's hands."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        node = nodes.container("", classes=[self.name])
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class Glue(SphinxRole):
    """{glue:text}`lars-spread-best`, as in a chapter: the key says which, for no two chapters share one."""

    def run(self):
        key, _, form = self.text.partition(":")
        node = excerpt("", label=key, options={"glue": form})
        self.set_source_info(node)
        return [node], []


def shows(node: nodes.Node) -> bool:
    """Is a part of a chapter shown inside this, more than a glued number?"""
    return any("glue" not in one["options"] for one in node.findall(excerpt))


def has(slide: nodes.section, kind: str) -> bool:
    """Does a slide have a `question`, or a `task`?"""
    return any(kind in child.get("classes", ()) for child in slide.children if isinstance(child, nodes.Element))


def framed(slide: nodes.section, kind: str) -> bool:
    """Does a slide show the `goals` of a chapter, or its `summary`?"""
    own = [child for child in slide.children if isinstance(child, excerpt)]
    return any(kind in one["options"] for one in own)


def halves(deck: nodes.document) -> list[list[nodes.section]]:
    """The slides of each part, which begins with a title of the first level: one in a lecture, four in a workshop."""
    parts = []
    for slide in deck.findall(nodes.section):
        if not isinstance(slide.parent, nodes.section):
            parts.append([])
        parts[-1].append(slide)
    return parts


def violations(deck: nodes.document, minutes: str) -> list[str]:
    """How a deck breaks the form of course/slides/README.md, in sentences."""
    faults, parts = [], halves(deck)
    slides, spoken, own = [slide for part in parts for slide in part], set(), {}
    for k, slide in enumerate(slides):
        title = slide.next_node(nodes.title).astext()
        beside = [child for child in slide.children if isinstance(child, notes)]
        if len(beside) != 1:
            faults.append(f"the slide {title!r} has {len(beside)} notes, and not one")
        own[slide] = sum(one["minutes"] for one in beside)
        fields = {part["name"] for one in beside for part in one.children}
        spoken |= fields
        if has(slide, "question"):
            if any(shows(child) for child in slide.children if not isinstance(child, nodes.section)):
                faults.append(f"the question {title!r} stands beside what answers it; it has a slide of its own")
            if not any(shows(following) or has(following, "task") for following in slides[k + 1 : k + 2]):
                faults.append(f"nothing is shown after the question {title!r}")
        if (has(slide, "question") or "Ask" in fields) and "Answer" not in fields:
            faults.append(f"the notes of {title!r} have no paragraph Answer: to what is asked")
        if has(slide, "task") and BEHIND not in fields:
            faults.append(f"the notes of the task {title!r} have no paragraph {BEHIND}:")
    if not minutes.isdigit():
        return [*faults, f"the deck's front matter says minutes: {minutes!r}, and not a whole number"]
    for part in parts:
        name = part[0].next_node(nodes.title).astext()
        if not framed(part[min(1, len(part) - 1)], "goals"):
            faults.append(f"the first slide after the title {name!r} does not show goals of a chapter")
        if not framed(part[-1], "summary"):
            faults.append(f"the last slide after the title {name!r} does not show a chapter's summary")
        spent = sum(own[slide] for slide in part)
        if len(parts) > 1 and spent * len(parts) != int(minutes):
            faults.append(f"the part {name!r} has {spent} minutes")
    if sum(own.values()) != int(minutes):
        faults.append(f"the minutes of the notes add up to {sum(own.values())}, and the deck has {minutes}")
    tasks = [slide for slide in slides if has(slide, "task")]
    breaks = [slide for slide in slides if slide.next_node(nodes.title).astext() == "Break"]
    busy, free = (sum(own[slide] for slide in kind) for kind in (tasks, breaks))
    if tasks and busy < (int(minutes) - free) / 2:
        faults.append(f"{busy} minutes of tasks in {int(minutes) - free}, and not half of them")
    frame = [slide for slide in slides if any(framed(slide, kind) for kind in POINTS)]
    count, left = len(slides) - len(tasks) - len(breaks) - len(frame), int(minutes) - busy - free
    low, high = round(left * 12 / 75), round(left * 18 / 75)
    if not low <= count <= high:
        faults.append(f"{count} slides in {left} minutes, and not {low} to {high}")
    asks = sum(has(slide, "question") for slide in slides)
    if asks < 2:
        faults.append(f"{asks} questions to the hall (the directive question), and not two at least")
    faults += [f"no notes have a paragraph {name}:" for name in FIELDS if name not in spoken]
    return faults


# ---- from the book to the slide --------------------------------------------------------------------------------------


class Fill(SphinxPostTransform):
    """Puts what a deck names where it is named."""

    default_priority = 1  # before Sphinx looks for the references in the decks

    def run(self, **kwargs) -> None:
        if self.env is not self.app.env:  # a page of the book, which has its references
            return
        self.book = self.app.book
        for node in list(self.document.findall(excerpt)):
            self.put(node, self.part)
        for node in list(self.document.findall(addnodes.pending_xref)):
            self.put(node, self.book.reference)

    def put(self, node: nodes.Element, make: Callable[[nodes.Element], list[nodes.Node]]) -> None:
        """What `make` makes of a node, in its place; nothing, and a warning, where the book does not have it."""
        try:
            node.replace_self(make(node))
        except Missing as error:
            logger.warning("%s", error, location=node)
            node.replace_self([])

    def part(self, node: excerpt) -> list[nodes.Node]:
        book, label, options, tag = self.book, node["label"], node["options"], ""
        if "glue" in options:
            return [nodes.Text(book.value(label, options["glue"]))]
        kind = next((kind for kind in POINTS if kind in options), "")
        if kind:
            parts = [book.points(label, POINTS[kind], options[kind])]
        elif "code" in options:
            parts = [book.code(label, options["code"])]
        elif "output" in options:
            parts = [book.output(label, options["output"])]
        elif "step" in options:
            parts, tag = book.steps(label, *options["step"]), f"Proof of {book.number(label)}"
        else:
            parts = [book.labelled(label).deepcopy()]
        whole = nodes.container("", *parts, classes=["shown", "points"] if kind else ["shown"])
        without_links(whole)
        if "lines" in options:
            whole[:] = only(whole.children, *options["lines"])
            if not whole.astext().strip():
                raise Missing(f"{label!r} has no lines {options['lines']}")
        if tag:
            whole += nodes.paragraph("", tag, classes=["tag"])
        if node.children:
            whole += nodes.paragraph("", "", *node.children, classes=["tag", "source"])
        for section in list(whole.findall(nodes.section)):  # of a theorem; reveal.js would make it a slide
            section.replace_self(nodes.container("", *section.children))
        for caption in [*whole.findall(nodes.caption), *whole.findall(nodes.title)]:
            if isinstance(caption.parent, (nodes.figure, nodes.table)):
                caption.children = []  # the writer puts the number there
        self.pictures(whole, options)
        return [whole]

    def pictures(self, whole: nodes.Element, options: dict) -> None:
        """A live figure at its setting; a drawn picture as text, so that the browser can take a panel of it."""
        moves, wanted, legend = 0, *(" ".join(map(str, options.get(name, ()))) for name in ("panels", "legend"))
        for figure in whole.findall(nodes.figure):
            if "live-figure" in figure["classes"]:
                moves += 1
                figure[0].children = []  # the still picture
                data = f' data-press="{html.escape(options.get("press", ""))}" data-panels="{wanted}"'
                figure += nodes.raw("", f'<span class="setting" hidden{data}></span>', format="html")
        images = list(whole.findall(nodes.image))
        if "press" in options and not moves:
            raise Missing("press is for figures that move")
        if wanted and not moves and not images:
            raise Missing("panels are for figures")
        for image in images:
            path = self.book.build.parent / image["uri"]
            svg = path.read_text(encoding="utf-8")
            width = float(re.search(r'<svg [^>]*?viewBox="0 0 ([\d.]+) ', svg)[1])
            least = readable_pictures.LEAST * width / (readable_pictures.needed(svg) or 1e9)
            image.replace_self(
                picture("", text=svg, least=f"{least:.2f}", panels=wanted, legend=legend, alt=image.get("alt", ""))
            )


# The height, in px, that is left for something else on the slide.
ROOM = {nodes.title: 0, notes: 0, nodes.container: 170}


def room(node: nodes.Node) -> int:
    return 330 if "task" in getattr(node, "attributes", {}).get("classes", ()) else ROOM.get(type(node), 60)


class Translator(RevealjsSlideTranslator):
    """Slides whose code is coloured as in the book, without a script."""

    depart_literal_block = HTML5Translator.depart_literal_block

    def visit_literal_block(self, node: nodes.literal_block) -> None:
        """As large as there is room, by a guess at what else is on the slide; the tests look for what does not fit."""
        lines, slide, most = node.astext().splitlines(), node, 32
        while not isinstance(slide.parent, nodes.section):
            slide = slide.parent
            most = 26 if isinstance(slide, LABELLED) else most  # the code of an exercise
        rest = sum(room(child) for child in slide.parent.children if child is not slide)
        if slide is not node:  # the words of an exercise, around its code
            words = [len(child.astext()) for child in node.parent.children if child is not node]
            rest += 70 + sum(36 * math.ceil(length / 75) + 20 for length in words)
        wide, high = 1120 / (0.61 * max(map(len, lines))), (560 - rest) / (1.36 * len(lines))
        self.body.append(f'<div class="fitted" style="font-size: {max(20, min(most, wide, high)):.0f}px">')
        try:
            HTML5Translator.visit_literal_block(self, node)
        except nodes.SkipNode:
            self.body.append("</div>\n")
            raise

    def visit_notes(self, node: notes) -> None:
        begin = node["begin"]
        self.body.append(f'<aside class="notes" data-minutes="{node["minutes"]}">')
        self.body.append(f"<p><b>Minutes {begin} to {begin + node['minutes']}</b></p>")

    def depart_notes(self, node: notes) -> None:
        self.body.append("</aside>\n")

    def visit_field(self, node: field) -> None:
        self.body.append(f'<div data-field="{node["name"]}"><b>{node["name"]}</b>')

    def depart_field(self, node: field) -> None:
        self.body.append("</div>\n")

    def visit_picture(self, node: picture) -> None:
        svg = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>", "", node["text"], flags=re.DOTALL)
        data = f'data-least="{node["least"]}" data-panels="{node["panels"]}" data-legend="{node["legend"]}"'
        head = f'<svg class="picture" role="img" aria-label="{html.escape(node["alt"])}" {data}'
        self.body.append(re.sub(r'^<svg| (?:width|height)="[\d.]+pt"(?=[^<]*>)', "", svg, count=3).replace("", head, 1))
        raise nodes.SkipNode


def open_book(app: Sphinx, env) -> None:
    """The numbers of the book are those of the decks."""
    app.book = Book(app, Path(app.config.deck_book))
    env.toc_fignumbers |= dict.fromkeys(env.all_docs, app.book.numbers)


def check(app: Sphinx, deck: nodes.document) -> None:
    """Say what is wrong with the form of a deck; put the running minute into its notes."""
    about = app.env.metadata[app.env.docname]
    about["orphan"] = True  # no deck stands in a table of contents
    for fault in violations(deck, str(about.get("minutes", ""))):
        logger.warning("%s", fault, location=app.env.docname)
    for part in halves(deck):
        begin = 0
        for one in (child for slide in part for child in slide.children if isinstance(child, notes)):
            one["begin"] = begin
            begin += one["minutes"]


def setup(app: Sphinx) -> dict:
    app.add_config_value("deck_book", str(ROOT / "_build"), "env")
    app.add_directive("show", Show)
    app.add_directive("notes", Notes)
    app.add_directive("question", Box)
    app.add_directive("task", Box)
    app.add_role_to_domain("glue", "text", Glue(), override=True)
    app.add_post_transform(Fill)
    app.set_translator("revealjs", Translator)
    app.set_html_assets_policy("always")  # the formulas of a deck may all be the book's
    app.connect("doctree-read", check)
    app.connect("env-check-consistency", open_book)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
