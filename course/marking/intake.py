"""What Canvas, Moodle, Gradescope and GitHub Classroom hand out, an archive or a folder, as attempts of students.

Where each layout is from, and what could not be confirmed, since no platform was at hand:

* canvas: files NAME_ID_FILE_own.ipynb, NAME_LATE_ID_FILE_own.ipynb where it is late, anon_... where it is anonymous;
  lib/content_zipper.rb of instructure/canvas-lms, which holds the latest attempt alone. Not confirmed: that a later
  FILE, the attachment's number, is always a later upload; of two notebooks of one student the greater counts.
* moodle: folders "Full Name_NUMBER_assignsubmission_file", up to 4.0 with another "_" at their end, or files that begin
  so; mod/assign/classes/downloader.php and feedback/file/importziplib.php of moodle/moodle. The archive tells no time.
* gradescope: folders submission_NUMBER beside submission_metadata.yml. Gradescope documents neither: from programs of
  lecturers that read them, which agree on :submitters (:name, :sid, :email) and :created_at. Lateness is not told
  there; with a deadline it is computed.
* classroom: a repository SLUG-USERNAME for each student, in a folder SLUG-submissions (cmd/gh-classroom/clone of
  github/gh-classroom) or any other, where SLUG is the name of the problem set. GitHub retired Classroom on 28 August
  2026; repositories of this form go on. When something was pushed is not asked: git would run what a clone says.
* folder: STUDENT.ipynb, or a folder STUDENT with one notebook in it.

Deliberately absent: fetching from anywhere, archives inside archives, and guesses: a file that fits nowhere is a row.
"""

import re
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import yaml

LARGEST = 4 * 2**30  # bytes of an archive, unpacked
CANVAS = re.compile(
    r"(?:(?P<name>(?!LATE_|anon_).+?)_)?(?P<late>LATE_)?(?P<id>\d+|anon_\w+?)_(?P<file>\d+)_(?P<own>.+)"
)
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?")
METADATA = "submission_metadata.yml"
NOT_TOLD, LATE, IN_TIME = "not told", "late", "in time"


@dataclass
class Attempt:
    """What one student handed in once.

    Args:
        key: tells students apart, as the platform does; a name for files.
        told: what the platform tells of the student: of id, name and mail, those that it knows.
        path: the notebook; None where there is none, and then `wrong` says why.
        order: of two attempts with one key, the greater is the later.
        back: under which name the platform takes something back.
    """

    key: str
    told: dict[str, str] = field(default_factory=dict)
    path: Path | None = None
    wrong: str = ""
    order: object = None
    late: str = NOT_TOLD
    back: str = ""


@contextmanager
def attempts(source: Path, name: str, due: datetime | None = None):
    """The platform that `source`, a folder or a .zip, is from, and the attempts; an archive is unpacked meanwhile.

    Args:
        name: of the problem set, by which a repository and the notebook in it are known.
        due: the deadline, with its time zone.

    ValueError: there is no such thing, it is broken, or it has nothing.
    """
    with tempfile.TemporaryDirectory(prefix="submissions-") as into:
        platform, folder = _layout(_opened(source, Path(into)), name, source.is_file())
        found = list(READERS[platform](folder, name, due))
        if not found:
            raise ValueError(f"FROM={source} has no notebooks")
        yield platform, found


def _opened(source: Path, into: Path) -> Path:
    if source.is_dir():
        return source
    if not source.is_file():
        raise ValueError(f"FROM={source} is not there; it may be a folder or a .zip")
    try:
        with zipfile.ZipFile(source) as archive:
            if (size := sum(info.file_size for info in archive.infolist())) > LARGEST:
                raise ValueError(f"FROM={source} has {size / 2**30:.1f} GiB; it may have {LARGEST // 2**30}")
            archive.extractall(into)  # leaves no path that leads out, and no link
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError) as error:
        raise ValueError(f"FROM={source} cannot be read as a .zip: {error}") from None
    return into


def _layout(folder: Path, name: str, archive: bool) -> tuple[str, Path]:
    """The platform, and the folder in which its entries stand: often the only one of an archive."""
    entries = _shown(folder)
    if (folder / METADATA).is_file():
        return "gradescope", folder
    for platform, form in (("moodle", MOODLE), ("canvas", CANVAS)):
        if any(form.fullmatch(entry.name) for entry in entries):
            return platform, folder
    if entries and all(entry.is_dir() and entry.name.startswith(f"{_slug(folder, name)}-") for entry in entries):
        return "classroom", folder
    if len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        platform, inner = _layout(entries[0], name, archive)
        if platform != "folder" or (archive and len([*entries[0].glob("*.ipynb")]) != 1):
            return platform, inner
    return "folder", folder


def _slug(folder: Path, name: str) -> str:
    return folder.name.removesuffix("-submissions") if folder.name.endswith("-submissions") else name


def _shown(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "__MACOSX")))


def _notebooks(entry: Path) -> list[Path]:
    """The notebooks of a student's folder or file. A link is none: it may lead to the solution."""
    paths = [] if entry.is_symlink() else [*entry.rglob("*.ipynb")] if entry.is_dir() else [entry]
    paths = [path for path in paths if path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _one(notebooks: list[Path]) -> dict:
    """The fields of an attempt that say which notebook it is, or why there is none."""
    if len(notebooks) == 1:
        return {"path": notebooks[0]}
    return {"wrong": f"the folder has {len(notebooks)} notebooks; a student hands in one"}


def _canvas(folder, name, due):
    students = {}
    for path in _shown(folder):
        if match := CANVAS.fullmatch(path.name):
            students.setdefault(match["id"], []).append((path, match))
        elif path.suffix == ".ipynb":
            yield Attempt(path.stem, wrong=f"{path.name} is not named as Canvas names files: NAME_ID_FILE_...")
    for number, files in students.items():
        told = {"id": number, "name": files[0][1]["name"] or ""} if number.isdecimal() else {}
        key = "_".join(filter(None, (told.get("name"), number)))
        late = LATE if any(match["late"] for _, match in files) else IN_TIME
        for path, match in [(path, match) for path, match in files if _notebooks(path)] or files[:1]:
            order = None if re.match(r"\d+_", match["own"]) else int(match["file"])  # a name may end like a number
            yield Attempt(key, told, **_one(_notebooks(path)), order=order, late=late, back=path.name)


def _moodle(folder, name, due):
    students = {}
    for path in _shown(folder):
        if match := MOODLE.fullmatch(path.name):
            students.setdefault((match["name"], match["id"]), []).extend(_notebooks(path))
        elif path.is_dir() or path.suffix == ".ipynb":
            yield Attempt(path.stem, wrong=f"{path.name} is not named as Moodle names folders: NAME_NUMBER_...")
    for (full, number), notebooks in students.items():
        back = f"{full}_{number}_assignsubmission_file_"
        yield Attempt(f"{full}_{number}", {"name": full}, **_one(notebooks), back=back)


def _gradescope(folder, name, due):
    try:
        text, loader = (folder / METADATA).read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        table = yaml.load(text, loader)
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{METADATA} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(table, dict):
        raise ValueError(f"{METADATA} must have an entry for each submission_NUMBER, got {type(table).__name__}")
    folders = {path.name: path for path in _shown(folder) if path.is_dir()}
    for number in sorted({*map(str, table), *folders}):
        entry = table.get(number) if isinstance(table.get(number), dict) else {}
        notebooks = _notebooks(folders[number]) if number in folders else []
        when = _time(entry.get(":created_at"))
        late = NOT_TOLD if when is None or due is None else LATE if when > due else IN_TIME
        people = entry.get(":submitters") if isinstance(entry.get(":submitters"), list) else []
        for person in [person for person in people if isinstance(person, dict)] or [{}]:
            kinds = {"id": ":sid", "mail": ":email", "name": ":name"}
            told = {kind: str(person[mark]) for kind, mark in kinds.items() if person.get(mark)}
            key = quote(told.get("id") or told.get("mail") or number, safe="@+ ").lstrip(".") or quote(number)
            yield Attempt(key, told, **_one(notebooks), order=when, late=late, back=number)


def _time(value) -> datetime | None:
    try:
        value = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return None


def _classroom(folder, name, due):
    for path in _shown(folder):
        user, notebooks = path.name.removeprefix(f"{_slug(folder, name)}-"), _notebooks(path)
        named = [notebook for notebook in notebooks if notebook.name == f"{name}.ipynb"]
        yield Attempt(user, {"id": user}, **_one(named or notebooks), back=path.name)


def _folder(folder, name, due):
    for path in _shown(folder):
        if not path.is_dir() and path.suffix != ".ipynb":
            continue
        student = path.stem if path.suffix == ".ipynb" else path.name
        odd = path.is_symlink() or path.is_dir() == (path.suffix == ".ipynb") or not (path.is_dir() or path.is_file())
        own = {"wrong": f"{path.name} is a link, or no file"} if odd else _one(_notebooks(path))
        yield Attempt(student, dict.fromkeys(("id", "mail", "name"), student), **own)


READERS = {
    "canvas": _canvas,
    "moodle": _moodle,
    "gradescope": _gradescope,
    "classroom": _classroom,
    "folder": _folder,
}
