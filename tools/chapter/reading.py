"""How long a chapter is for a reader: words and visible lines of code, on the core path and on the whole page.

    python tools/chapter/reading.py sgd         section by section; all chapters: make step NAME=report

The core path is all that stands before the exercises, outside sections whose title starts with a star. Words are those
of the prose and its captions; formulas, code, folded answers and the fences of directives do not count. A line of code
is visible when its cell is neither folded nor removed from the page.
The minutes are an estimate from constants that are stated here, not a measurement: see `minutes`.
"""

import argparse
import re
from dataclasses import dataclass

from tools.chapter import chapters, notebooks

LAST = ("Exercises", "Further reading")
FOLDED = re.compile(r":class:[^\n]*\bdropdown\b")
# Slow, because formulas, cells that run and figures that move take time and are not counted.
WORDS_A_MINUTE = 50
LINES_A_MINUTE = 4
MINUTES_AN_EXERCISE = 20


@dataclass(frozen=True)
class Section:
    """A section: its title, the titles above it, and what stands in it."""

    titles: tuple[str, ...]
    words: int
    lines: int
    exercises: int

    @property
    def core(self) -> bool:
        return not any(title.startswith((chapters.STAR, *LAST)) for title in self.titles)


def words(text: str) -> int:
    """The words of prose in Markdown."""
    for name in ("code-cell", "math", "exercise", "exercise-start", "solution", "solution-start", "index"):
        for match in chapters.directives(text, name):
            text = text.replace(match[0], "")
    for match in re.finditer(chapters.FENCE.format(name="[a-z:-]+"), text, re.MULTILINE | re.DOTALL):
        if FOLDED.search(match["body"]):
            text = text.replace(match[0], "")
    text = re.sub(r"\$\$.*?\$\$(\s*\([\w-]+\))?", "", text, flags=re.DOTALL)
    text = re.sub(r"\$[^$]*\$", "x", text)
    text = re.sub(r"^([:`]{3,}|:\w[\w-]*:|\([\w-]+\)=$).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)  # a picture's alt text is heard in its place, not read beside it
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\{[\w:-]+\}`([^`<]*)[^`]*`", r"\1", text)
    return len(re.findall(r"[^\W_][\w'’.-]*", text))


def sections(nb) -> list[Section]:
    """The sections of a notebook in order; a subsection is one of its own."""
    titles: list[str] = []
    parts: list[dict] = [{"titles": (), "text": "", "lines": 0}]
    own = {id(cell) for cell in chapters.code(nb)}
    for cell in nb.cells:
        if cell.cell_type == "code":
            if id(cell) in own and not chapters.tags(cell) & chapters.UNSEEN:
                parts[-1]["lines"] += sum(bool(line.strip()) for line in cell.source.splitlines())
            caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
            parts[-1]["text"] += f"\n\n{caption}\n\n"
            continue
        for part in re.split(r"^(?=#{1,6} )", cell.source, flags=re.MULTILINE):
            if match := re.match(r"(#{1,6}) +(.*)\n?", part):
                level = len(match[1])
                titles[level - 1 :] = [match[2]]
                parts.append({"titles": tuple(titles), "text": "", "lines": 0})
                part = part[match.end() :]
            parts[-1]["text"] += part
    return [
        Section(f["titles"], words(f["text"]), f["lines"], len(re.findall(r"\{exercise(-start)?\}", f["text"])))
        for f in parts
    ]


def core(all_sections: list[Section]) -> tuple[int, int]:
    """Words and visible lines on the core path."""
    kept = [s for s in all_sections if s.core]
    return sum(s.words for s in kept), sum(s.lines for s in kept)


def whole(all_sections: list[Section]) -> tuple[int, int]:
    """Words and visible lines before the exercises."""
    kept = [s for s in all_sections if not any(title.startswith(LAST) for title in s.titles)]
    return sum(s.words for s in kept), sum(s.lines for s in kept)


def exercises(all_sections: list[Section]) -> int:
    return sum(s.exercises for s in all_sections)


def minutes(words: int, lines: int) -> int:
    """An estimate of the time to read so much, to the nearest five minutes."""
    return 5 * round((words / WORDS_A_MINUTE + lines / LINES_A_MINUTE) / 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="of a chapter, as sgd")
    parts = sections(notebooks.source(notebooks.find(parser.parse_args().name)))
    for section in parts:
        indent = "  " * (len(section.titles) - 1)
        mark = " " if section.core else "-"
        print(f"{mark} {indent + (section.titles or ('',))[-1]:<60.60} {section.words:>6} {section.lines:>5}")
    own = core(parts)
    print(f"core path: {minutes(*own)} minutes; {own[0]} words, {own[1]} visible lines", end="; ")
    print("whole: {} words, {} lines".format(*whole(parts)))


if __name__ == "__main__":
    main()
