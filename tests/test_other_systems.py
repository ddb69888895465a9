"""What Windows lacks is hidden, and the library is imported, the chapters in NumPy begin, and a model is trained."""

import json
import os
import re
import subprocess
import sys

from small_books import ROOT, files

FORBIDDEN = re.compile(r'[<>:"|?*\\]|[ .]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)  # in a name on Windows

HIDE = """
import os, re, sys
from pathlib import Path

for name in ("fork", "forkpty", "geteuid", "getuid", "sched_getaffinity", "sched_setaffinity", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
sys.modules |= dict.fromkeys(("resource", "fcntl", "pwd", "grp", "termios", "pty"))  # not to be imported
NAMES, looking = re.compile(sys.argv.pop(1), re.IGNORECASE), []

def refuse(event, arguments):
    if event not in ("open", "os.rename", "os.remove", "os.mkdir", "os.listdir") or looking:
        return
    looking.append(event)
    try:
        paths = [os.path.abspath(os.fspath(p)) for p in arguments[:2] if isinstance(p, (str, os.PathLike))]
        for path in paths:
            if path.startswith("/proc"):
                raise FileNotFoundError(2, "there is no such folder on Windows", path)
            if any(NAMES.search(part) for part in path.split("/")):
                raise OSError(22, "no name on Windows", path)
        by = sys._getframe(1).f_code.co_filename
        if event == "open" and arguments[1] is None and os.path.isdir(paths[0]) and not by.endswith("shutil.py"):
            raise PermissionError(13, "a folder is not opened on Windows", paths[0])
        if event in ("os.rename", "os.remove") and sys.platform == "linux":
            held = {os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if n not in ("0", "1", "2")
                    and os.path.lexists(f"/proc/self/fd/{n}")}
            if held & {*paths}:
                raise PermissionError(13, "it is open, and stays where it is on Windows", paths[0])
    finally:
        looking.pop()

sys.addaudithook(refuse)
stat = os.stat
def without_proc(path, *more, **options):
    if str(path).startswith("/proc") and not looking:
        raise FileNotFoundError(2, "there is no such folder on Windows", path)
    return stat(path, *more, **options)
os.stat = without_proc
"""

FAILS = """
for code in sys.argv[1:]:
    try:
        exec(code)
    except (ImportError, AttributeError, OSError):
        print(code)
"""

EVERY_MODULE = """
import importlib, pkgutil, minilib
print(len([importlib.import_module(m.name) for m in pkgutil.walk_packages(minilib.__path__, "minilib.")]))
"""

TRAIN = """
import json
from types import SimpleNamespace
from minilib.training.config import Config
from minilib.training.trainer import train
folder = Path(sys.argv[1])
(folder / "text").mkdir()
for name in "ab":
    text = "\\n\\n".join(f"The {k}th paragraph of {name} has a few words to learn from." for k in range(200))
    (folder / "text" / f"{name}.txt").write_text(text, encoding="utf-8")
config = Config(corpus=str(folder / "text"), vocabulary=320, length=16, batch_size=4, steps=10, evaluate_every=5,
                save_every=5, evaluate_rows=4, log_every=5, precision="fp32", device="cpu", out=str(folder / "run"))
memory = SimpleNamespace(peak_wset=12345)  # what psutil says of a process on Windows, and nowhere else
sys.modules["psutil"] = SimpleNamespace(Process=lambda: SimpleNamespace(memory_info=lambda: memory))
results = train(config, quiet=True)
assert (results["steps"], results["peak_bytes"]) == (10, 12345), results
places = folder / "run", folder / "run" / "checkpoints"
print(json.dumps([sorted(path.name for path in place.iterdir()) for place in places]))
"""

CELLS = """
import jupytext, matplotlib
matplotlib.use("Agg")
os.chdir(sys.argv[1])
for path in sorted(Path().glob("[01][0-9]_*.md")):
    cells = [c.source for c in jupytext.read(path).cells if c.cell_type == "code"]
    if "import torch" not in "".join(cells):
        names = {"__name__": "__main__"}
        exec(cells[1], names)  # the first is for Colab
        print(path.stem)
"""


def on_windows(code, *arguments, **variables) -> str:
    """What the code prints where nothing is that Windows lacks."""
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-c", HIDE + code, FORBIDDEN.pattern, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": paths} | variables
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_hiding_hides(tmp_path):
    lacking = ["import resource", "os.fork()", "open('/proc/cpuinfo')", "Path('/proc/cpuinfo').stat()"]
    lacking += [f"open('{tmp_path}/a:b', 'w')", f"os.open('{tmp_path}', os.O_RDONLY)"]
    lacking += [f"name = '{tmp_path}/a'; file = open(name, 'w'); os.rename(name, name + 'b')"]
    assert on_windows(FAILS, *lacking).splitlines() == lacking


def test_every_module_is_imported():
    assert int(on_windows(EVERY_MODULE)) > 60


def test_a_model_is_trained_in_ten_steps(tmp_path):
    files, checkpoints = json.loads(on_windows(TRAIN, tmp_path, MINILIB_DATA=str(tmp_path / "cache")))
    assert {"run.json", "curve.png"} <= {*files}
    assert not [name for name in files if ".lock" in name]
    assert checkpoints == ["step-00000005", "step-00000010"]


def test_the_chapters_in_numpy_begin():
    assert len(on_windows(CELLS, ROOT / "notebooks").splitlines()) >= 8


def test_every_file_has_a_name_that_every_system_can_write():
    names = files()
    assert len(names) > 400
    assert [name for name in names if any(FORBIDDEN.search(part) for part in name.split("/")) or len(name) > 200] == []
    assert len({name.casefold() for name in names}) == len(names)  # Windows and macOS tell no capitals apart
