"""What the machine has checked, on the pages: a fold under each theorem, and a page for each source of a proof.

It is a Sphinx extension. All that it shows comes from the sources, `proofs/*.v`, and from what `rocq.py` recorded of
them in book/machine; no prover is needed. A source that differs from what was recorded is shown without goals, and the
fold says that it was not checked. Deliberately absent: scripts. Each sentence of a proof is a fold with its goals.
"""

import html
import re
from bisect import bisect_right
from pathlib import Path

from docutils import nodes
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES

from tools.prover import rocq, rocq_sources
from tools.prover.rocq_sources import DEFINED, Declaration, Group, Saboteur, Source

FOLDER = "proofs"  # of the pages
BOUND = re.compile(r"(?:forall|exists|fun)\s(.*?)(?:,|=>)|(?:Variables?|Hypothes[ie]s)\s([^:]*):", re.DOTALL)


def escaped(text: str) -> str:
    return html.escape(text, quote=False)


def link(to: str, text: str) -> str:
    return f'<a href="{html.escape(to)}">{text}</a>'


class Checked:
    """The sources of a book, what the prover said of them, and which of them belong to a label."""

    def __init__(self, root: Path):
        self.sources = rocq_sources.sources(root / "proofs")
        self.groups = rocq_sources.groups(self.sources, rocq_sources.all_labels(root))
        fresh = self.sources.keys() - rocq_sources.stale(root)
        self.records = {name: rocq.load(root / "book" / "machine", name) for name in fresh}
        self.saboteurs: dict[str, list[Saboteur]] = {}
        for saboteur in rocq_sources.saboteurs(root / "proofs"):
            self.saboteurs.setdefault(saboteur.label, []).append(saboteur)

    def defined(self, source: Source) -> dict[str, str]:
        """{name: file} of all definitions that a source can see; its own hide others of the same name."""
        files = [*(self.sources[name] for name in rocq_sources.stands_on(source.name, self.sources)), source]
        return {one.name: file.name for file in files for one in file.declarations if one.kind in DEFINED}

    def failed(self, saboteur: Saboteur) -> bool:
        """Has the unchanged proof been seen to fail on this change?"""
        name = Path(saboteur.file).stem
        now = rocq.key(saboteur, rocq_sources.digest_of(name, self.sources))
        return name in self.records and now in self.records[name]["saboteurs"]


def page_of(name: str, anchor: str = "") -> str:
    return f"{FOLDER}/{name}.html" + f"#{anchor}" * bool(anchor)


def tokens(text: str):
    """(where it begins, style, text) of each piece; names and signs have no style."""
    for at, kind, piece in get_lexer_by_name("coq").get_tokens_unprocessed(text):
        style = STANDARD_TYPES.get(kind, "")
        yield at, style if style[:1] in ("k", "c") else "", piece


def styled(style: str, text: str) -> str:
    return f'<span class="{style}">{escaped(text)}</span>' if style else escaped(text)


def with_links(text: str, defined: dict[str, str], up: str) -> str:
    """A statement in which the names that the book defines lead to their definitions."""
    bound = re.sub(r":[^()]*", "", " ".join(f"{a} {b}" for a, b in BOUND.findall(text)))
    free = {name: file for name, file in defined.items() if name not in re.findall(r"[\w']+", bound)}
    pieces = []
    for _, style, piece in tokens(text):
        here = not style and piece in free
        pieces.append(link(up + page_of(free[piece], piece), escaped(piece)) if here else styled(style, piece))
    return "".join(pieces)


def source_page(source: Source, checked: Checked) -> str:
    """The page of a source: its text, each line and each name an anchor, each sentence a fold with its goals."""
    record = checked.records.get(source.name)
    goals = [one for one in rocq.unfolded(record) if one[2]] if record else []
    before = {0: '<span class="line" id="line-1" data-line="1"></span>'}
    for one in source.declarations:
        before[one.start] = before.get(one.start, "") + f'<span id="{html.escape(one.name)}"></span>'
    for start, _, _ in goals:
        before[start] = before.get(start, "") + "<details><summary>"
    after = {end: f"</summary><div>{escaped(words)}</div></details>" for _, end, words in goals}
    text = source.text.rstrip()
    cuts, pieces, line = [*sorted({*before, *after}), len(text)], [], 1
    for at, style, piece in tokens(text):
        while piece:
            cut = min(cuts[bisect_right(cuts, at)], at + len(piece))
            part, piece = piece[: cut - at], piece[cut - at :]
            pieces += [after.get(at, ""), before.get(at, "")]
            for k, rest in enumerate(part.split("\n")):
                if k:
                    line += 1
                    pieces.append(f'\n<span class="line" id="line-{line}" data-line="{line}"></span>')
                pieces.append(styled(style, rest) if rest else "")
            at = cut
    pieces.append(after.get(len(text), ""))
    return f'<div class="highlight"><div class="rocq-source">{"".join(pieces)}</div></div>'


def when(record: dict | None) -> str:
    """When and how fast a source was checked, in words."""
    if not record:
        return "it has changed since it was checked"
    return f"checked on {record['made']} in {record['seconds']:g} s by Rocq {record['prover']}"


def body(source: Source, checked: Checked, chapters: dict[str, str]) -> str:
    """The whole page of a source, below its title; `chapters` has the address of each label's theorem."""
    mine = [one for one in checked.groups if any(file is source for file, _ in checked.groups[one].theorems)]
    proves = ", ".join(link(f"../{chapters[label]}", label) for label in mine if label in chapters)
    stands = ", ".join(link(f"{name}.html", f"{name}.v") for name in source.requires)
    words = [f"{source.text.count(chr(10))} lines; {when(checked.records.get(source.name))}."]
    words += [f"Proves {proves}."] if proves else []
    words += [f"Stands on {stands}."] if stands else []
    how = "Each underlined sentence opens to what is left to prove after it."
    return f"<p>{' '.join(words)} {how}</p>{source_page(source, checked)}"


def statements(group: Group, checked: Checked, up: str) -> str:
    """What the theorems of a label say, as Rocq has it: each with those variables and hypotheses around it that it
    uses, where they were not shown already."""
    shown, blocks = [], []
    for source, one in group.theorems:
        record = checked.records.get(source.name, {"theorems": {}})["theorems"].get(one.name)
        used = [given for given in one.given if not record or set(given.names) & set(record["given"].split())]
        lines = [f"{given.text}  (* {given.comment} *)" if given.comment else given.text for given in used]
        lines = [line for line in lines if line not in shown]
        shown += lines
        column = one.start - source.text.rfind("\n", 0, one.start) - 1
        text = re.sub(rf"\n {{0,{column}}}", "\n", "\n".join([*lines, f"{one.statement}."]))
        blocks.append(with_links(text, checked.defined(source) | {one.name: source.name}, up))
    return '<div class="highlight"><pre>' + "\n\n".join(blocks) + "</pre></div>"


def axioms(group: Group, checked: Checked) -> str:
    """What the theorems of a label assume beyond what is written, in words."""
    records = [checked.records[source.name]["theorems"][one.name] for source, one in group.theorems]
    names = sorted({name for record in records for name in record["axioms"]})
    if not names:
        return "Beyond what is written there it assumes nothing."
    words = "; ".join(f"{rocq.AXIOMS[name]} (<code>{name}</code>)" for name in names)
    return f"Beyond what is written there it assumes only what Rocq's real numbers rest on: {words}."


def places(declared: list[tuple[Source, Declaration]], up: str) -> str:
    return ", ".join(
        link(up + page_of(file.name, one.name), f"<code>{escaped(one.name)}</code>") for file, one in declared
    )


def fold(label: str, checked: Checked, up: str) -> str:
    """The fold under a theorem; `up` leads from its page to the root of the site."""
    group = checked.groups[label]
    files = list(dict.fromkeys(source for source, _ in [*group.theorems, *group.steps]))
    whole = "; ".join(
        f"{link(up + page_of(file.name), f'<code>proofs/{file.name}.v</code>')}, {file.text.count(chr(10))} lines, "
        f"{when(checked.records.get(file.name))}"
        for file in files
    )
    items = [f"The whole proof, with what is left to prove after every sentence: {whole}."]
    if all(file.name in checked.records for file in files):
        items.append(axioms(group, checked))
    if group.steps:
        items.append(f"Steps: {places(group.steps, up)}.")
    if group.instances:
        items.append(f"Applied to a problem that meets all assumptions: {places(group.instances, up)}.")
    items += [f"{escaped(one.comment.rstrip('.'))} ({places([(source, one)], up)})." for source, one in group.needs]
    broken = [one for one in checked.saboteurs.get(label, []) if checked.failed(one)]
    words = "; ".join(f"{escaped(one.says)} (<code>{escaped(one.fails_in)}</code>)" for one in broken)
    items += [f"What makes the unchanged proof fail, and where: {words}."] if broken else []
    listed = "".join(f"<li>{item}</li>" for item in items)
    title = "Checked by machine" if all(file.name in checked.records for file in files) else "Not checked by machine"
    inside = f"{statements(group, checked, up)}<ul>{listed}</ul>"
    return f'<details class="by-machine"><summary>{title}</summary>{inside}</details>'


def read(app) -> None:
    app.checked = Checked(Path(app.srcdir))


def place(app, doctree, docname: str) -> None:
    """Put a fold under each theorem that has a proof in Rocq."""
    for node in list(doctree.findall(nodes.Admonition)):
        label = node.get("label")
        if label in app.checked.groups:
            up = "../" * docname.count("/")
            shown = nodes.raw("", fold(label, app.checked, up), format="html")
            node.parent.insert(node.parent.index(node) + 1, shown)


def addresses(proved: dict[str, dict]) -> dict[str, str]:
    """Where each theorem of the book stands; `proved` is what sphinx-proof has noted of them."""
    return {label: f"{one['docname']}.html#{one['ids'][0] if one['ids'] else label}" for label, one in proved.items()}


def pages(app):
    """The pages of the sources; those of the last build stay where nothing that they show has changed."""
    theorems = addresses(getattr(app.env, "proof_list", {}))
    for source in app.checked.sources.values() if getattr(app, "all_written", True) else ():
        title = f"proofs/{source.path.name}"
        shown = body(source, app.checked, theorems)
        first = re.search(r"\(\*(.*?)(?:\n\n|\*\))", source.text, re.DOTALL)
        about = html.escape(" ".join(first[1].split())) if first else title
        context = {
            "title": title,
            "body": f"<section><h1>{title}</h1>{shown}</section>",
            "metatags": f'<meta name="description" content="{about}" />',
        }
        yield page_of(source.name).removesuffix(".html"), context, "page.html"


def setup(app) -> dict:
    app.connect("builder-inited", read)
    app.connect("doctree-resolved", place)
    app.connect("html-collect-pages", pages)
    app.add_css_file("proofs.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
