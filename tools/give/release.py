"""Builds what a version gives away, into one folder: _build/release/VERSION.

    python tools/give/release.py            for the tag of this version
    python tools/give/release.py --draft    for a state without its tag: what the weekly job tries

The folder has the site as a zip that works offline, with slides, problem sets and the book's PDF beside its pages; the
book's PDF alone; the slides with a PDF of slides and notes for each deck; the problem sets as students get them; a page
that says what is what (RELEASE.md), and SHA256SUMS. At the end everything is opened (`release_check.py`).
Deliberately absent: exam papers, whose questions are public and which a lecturer makes for one day; solutions and
hidden checks; and publishing, which is .github/workflows/release.yml.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from course.marking import assignment, sheets
from course.marking.problem_set import Assignment
from tools import ROOT
from tools.chapter import first_cell
from tools.give import release_check, supplements, zip_book
from tools.pages import companions, page_foot, syllabus

BUILD = ROOT / "_build"
OUT = BUILD / "release"
NAME = "big-batches-small-memory"
DRAFT = "draft"
PAGE = """# Big Batches, Small Memory {version}

Built from commit `{commit}` of {day}.{draft}

| file | MB | what it is |
|:--|--:|:--|
{rows}

`sha256sum -c SHA256SUMS` says whether a download is whole.

The problem sets are those of the class `{group}`, for people who work alone; solutions and hidden checks are not among
them. A lecturer makes sets with other numbers: `make assignment CLASS=...`.
Exam papers are not part of a release. Their questions are public in the repository, and a paper that everybody has read
examines nobody: `tools/give/exam.py` makes one from questions that a lecturer keeps.
The reference is in `CITATION.cff`.

## What changed

{changes}
"""


def run(*command: str) -> None:
    """Run a tool of this folder. SystemExit: it failed, and has said why."""
    if subprocess.run([sys.executable, *command], cwd=ROOT).returncode:
        sys.exit(f"No release: {' '.join(command)} failed.")


def changes(text: str, version: str) -> str:
    """What a changelog says of a version; empty where it has no heading for it."""
    match = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""


def refusals(root: Path, version: str) -> list[str]:
    """Why this state of the repository is no release, as sentences; an empty list where it is one."""
    wrong, tag = [], f"v{version}"
    if dirty := page_foot.git(root, "status", "--porcelain").splitlines():
        wrong.append(
            f"{len(dirty)} files differ from the commit, such as {dirty[0].split()[-1]}: commit them, or remove them"
        )
    tags = page_foot.git(root, "tag", "--points-at", "HEAD", "v*").splitlines()
    if tag not in tags:
        has = f"the tag {', '.join(tags)}" if tags else "no tag"
        wrong.append(f"minilib has the version {version}, and this commit has {has}, not {tag}")
    cited = str(yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["version"])
    if cited != version:
        wrong.append(f"CITATION.cff has the version {cited}, and minilib {version}")
    if not changes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version):
        wrong.append(f"CHANGELOG.md has no section [{version}], or nothing in it")
    return wrong


def students(into: Path, names: list[str]) -> None:
    """The notebooks of these problem sets as students get them; the solutions stay in a folder that goes."""
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as held:
        for name in names:
            shutil.copy(Assignment(name, sheets.CLASS, ROOT / "course", Path(held)).make(), into)


def assemble(build: Path, out: Path, version: str, sets: Path) -> dict[str, str]:
    """The files of a release, from what lies in `build` and the students' problem sets: {file: what it is}."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    top = f"{NAME}-{version}"
    with tempfile.TemporaryDirectory() as held:
        site = Path(held)
        shutil.copytree(build / "html", site, dirs_exist_ok=True)
        shutil.copytree(sets, site / "assignments", dirs_exist_ok=True)
        supplements.put(build, site)
        zip_book.pack(site, out / f"{top}-site.zip")
        for pdf in (build / "slides").glob("*.pdf"):
            shutil.copy(pdf, site / "slides")
        zip_book.write(zip_book.files(site / "slides"), out / f"{top}-slides.zip", f"{top}-slides")
    shutil.copy(build / companions.PDF, out / f"{top}.pdf")
    zip_book.write(zip_book.files(sets), out / f"{top}-assignments.zip", f"{top}-assignments")
    return {
        f"{top}.pdf": "the whole book, to print",
        f"{top}-site.zip": "the site, which works from a file: unpack it and open `index.html`",
        f"{top}-slides.zip": "the lectures: each deck as a page whose figures move, and as a PDF with the notes",
        f"{top}-assignments.zip": "the problem sets as students get them",
    }


def seal(out: Path, files: dict[str, str], **facts: str) -> None:
    """Write the page of the release, and the checksums of all its files."""
    rows = [f"| {name} | {(out / name).stat().st_size / 1e6:.1f} | {what} |" for name, what in files.items()]
    (out / "RELEASE.md").write_text(PAGE.format(rows="\n".join(rows), group=sheets.CLASS, **facts), encoding="utf-8")
    paths = [path for path in sorted(out.iterdir()) if path.name != release_check.SUMS]
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths]
    (out / release_check.SUMS).write_text("".join(sums), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draft", action="store_true", help="whatever the tree and the tags say")
    draft = parser.parse_args(arguments).draft
    os.chdir(ROOT)
    start, version = time.monotonic(), first_cell.tag(ROOT).removeprefix("v")
    if not draft and (wrong := refusals(ROOT, version)):
        print("\n".join(["No release:", *wrong]), file=sys.stderr)
        return 2
    run("tools/pages/build_book.py")
    run("tools/give/slides.py", "--pdf")
    run("tools/give/print_book.py")
    sets = OUT / "assignments"
    shutil.rmtree(sets, ignore_errors=True)
    students(sets, assignment.names(ROOT / "course"))
    out = OUT / (f"{version}-{DRAFT}" if draft else version)
    files = assemble(BUILD, out, out.name, sets)
    text = changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), "Unreleased" if draft else version)
    seal(
        out,
        files,
        version=out.name,
        commit=page_foot.commit(ROOT),
        day=page_foot.git(ROOT, "log", "-1", "--format=%cs"),
        draft=" A draft, not a version." if draft else "",
        changes=text,
    )
    wrong = release_check.faults(out, syllabus.decks(), assignment.names(ROOT / "course"))
    print("\n".join(wrong) or f"{out.relative_to(ROOT)} in {time.monotonic() - start:.0f} s; every file was opened.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
