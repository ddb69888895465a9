"""What a stranger's notebook may do, behind each wall by itself: every way out that was ever found, tried.

Could catch: a call whose second path nobody looks at, one that raises no event, a process that outlives its notebook.
Without a wall each of them succeeds: so a way out that fails of itself cannot hide a wall that has a hole.
"""

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from course.marking import minilib_copy, wall
from course.marking.examiner import Pupil

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the calls are those of Linux")
MARK = "import os\nopen('mine', 'w').write('STUDENT,why,2,2,excellent,x')\nV, L = {victim!r}, {lib!r}\n"
# Each reads secret.txt into `text`, or changes something in the victim's folder V or in the copy of minilib L.
OUT = {
    "replace": "os.replace('mine', V + '/to_read.csv')",
    "rename": "os.rename('mine', V + '/to_read.csv')",
    "rename away": "os.rename(V + '/to_read.csv', 'gone')",
    "link out": "os.link('mine', V + '/hard')",
    "link in": "os.link(V + '/secret.txt', 'in'); text = open('in').read()",
    "symlink out": "os.symlink('/', V + '/soft')",
    "symlink in": "os.symlink(V, 'in'); text = open('in/secret.txt').read()",
    "write": "open(V + '/to_read.csv', 'a').write('x')",
    "append to minilib": "open(L + '/minilib/optim/sgd.py', 'a').write('x')",
    "write by dir_fd": "d = os.open(L + '/minilib', 0); os.open('evil.py', os.O_WRONLY | os.O_CREAT, dir_fd=d)",
    "rename by dir_fd": "d = os.open(L + '/minilib', 0); os.rename('mine', 'evil.py', dst_dir_fd=d)",
    "read by dir_fd": """
deep = 'a/' * V.count('/') * 9; os.makedirs(deep); home = os.getcwd(); os.chdir(deep); d = os.open(home, 0)
text = open('../' * home.count('/') + V[1:] + '/secret.txt', opener=lambda p, f: os.open(p, f, dir_fd=d)).read()""",
    "calls kept in a set": "[f for f in os.supports_dir_fd if f.__name__ == 'mkfifo'][0](V + '/kept')",
    "spawn": """
import multiprocessing
p = multiprocessing.get_context('spawn').Process(target=os.system, args=(f'cat {{V}}/secret.txt > taken',))
p.start(); p.join(); text = open('taken').read()""",
    "renamed meanwhile": """
import threading; home = os.getcwd(); deep = home + '/a' * 30; os.makedirs(deep); os.chdir(deep); stop = []
def swap():
    while not stop:
        os.rename(deep, home + '/z'); os.rename(home + '/z', deep)
threading.Thread(target=swap).start(); text = ''; tries = 0
while not text and (tries := tries + 1) < 50_000:
    try:
        text = open('../' * (home.count('/') + 1) + V[1:] + '/secret.txt').read()
    except OSError:
        pass
stop.append(1)""",
    "another folder meanwhile": """
import threading; home, stop = os.getcwd(), []; size = os.path.getsize(L + '/minilib/optim/sgd.py')
def swap():
    while not stop:
        os.chdir(L + '/minilib/optim'); os.chdir(home)
threading.Thread(target=swap).start(); tries = 0
while (tries := tries + 1) < 50_000 and os.path.getsize(L + '/minilib/optim/sgd.py') == size:
    try:
        open('sgd.py', 'a').write(' ')
    except OSError:
        pass
stop.append(1)""",
    "a signal by fcntl": """
import fcntl, time; r, w = os.pipe(); fcntl.fcntl(r, 10, 9); fcntl.fcntl(r, fcntl.F_SETOWN, {pid})
fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC); os.write(w, b'x'); time.sleep(0.1)""",
    "out of the group": "text = 'SOLUTION' * (os.login_tty(os.openpty()[1]) is None)",
    "link to what others do": "text = os.readlink(f'/proc/{{os.getppid()}}/cwd') and 'SOLUTION'",
    "fork_exec of subprocess": """
import subprocess; subprocess.Popen.__init__.__globals__['sys'].audit = lambda *a: None
subprocess.run(f'cp {{V}}/secret.txt taken', shell=True); text = open('taken').read()""",
    "fork": """
if not os.fork():
    try:
        open(V + '/forked', 'w')
    finally:
        os._exit(0)
os.wait()""",
    "system": "os.system(f'touch {{V}}/touched')",
    "mkfifo": "os.mkfifo(V + '/fifo')",
    "mknod": "os.mknod(V + '/node')",
    "another copy of posix": """
import _imp, sys; fresh = _imp.create_builtin(sys.modules['posix'].__spec__); fresh.mkfifo(V + '/fresh')""",
    "chown": "os.chown(V + '/to_read.csv', os.getuid(), os.getgid())",
    "chmod": "os.chmod(V + '/to_read.csv', 0o777)",
    "chmod of an open file": "os.fchmod(os.open(L + '/minilib/optim/sgd.py', 0), 0o777)",
    "utime": "os.utime(V + '/to_read.csv')",
    "setxattr": "os.setxattr(V + '/to_read.csv', 'user.mark', b'22')",
    "truncate": "os.truncate(V + '/to_read.csv', 0)",
    "changed isinstance": """
import builtins; real = isinstance; builtins.isinstance = lambda *a: True
try:
    text = open(V + '/secret.txt').read()
finally:
    builtins.isinstance = real""",
    "changed realpath": """
import posixpath; posixpath.realpath = posixpath._joinrealpath = lambda *a: (os.getcwd(), True)
text = open(V + '/secret.txt').read()""",
    "a list in a traceback": """
try:
    text = open(V + '/secret.txt').read()
except PermissionError as error:
    frame = error.__traceback__.tb_next.tb_frame
    for value in [*frame.f_locals.values(), frame.f_globals]:
        {{list: list.clear, set: set.clear, dict: dict.clear}}.get(type(value), id)(value)
    text = open(V + '/secret.txt').read()""",
    "a text that is two texts": """
class Two(str):
    startswith = __eq__ = lambda *_: True
    split = lambda *_: []
    __hash__ = str.__hash__
text = os.read(os.open(Two(V + '/secret.txt'), 0), 99).decode()""",
    "a path that is two paths": """
class Two:
    said = []
    def __fspath__(self):
        self.said.append(1)
        return V + '/secret.txt' if len(self.said) % 2 else 'mine'
text = os.read(os.open(Two(), 0), 99).decode()""",
    "another interpreter": """
import sys; name = '_interpreters' if sys.version_info >= (3, 13) else '_xxsubinterpreters'
them = __import__(name); them.run_string(them.create(), f'open({{V + "/other"!r}}, "w")')""",
    "shared memory": "import _posixshmem as s; s.shm_open('/' + V.replace('/', '-'), os.O_CREAT | os.O_RDWR, 0o600)",
    "log of keys": "import ssl; ssl.create_default_context().keylog_filename = V + '/keys'",
    "ctypes": "import ctypes; ctypes.CDLL(None).mkdir((V + '/made').encode(), 0o777)",
    "sqlite": "import sqlite3; sqlite3.connect(V + '/gradebook.db').execute('create table a (b)')",
    "network": "import socket; s = socket.create_connection(('127.0.0.1', {port})); text = s.recv(99).decode()",
}


@pytest.fixture
def victim(tmp_path):
    """A lecturer's folder, beside a copy of minilib, and somebody who answers on the network."""
    minilib_copy.copy(tmp_path / "lib", [])
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "secret.txt").write_text("SOLUTION")
    (tmp_path / "class" / "to_read.csv").write_text("student,task,points\n")
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            try:
                while True:
                    with server.accept()[0] as one:
                        one.sendall(b"SOLUTION")
            except OSError:
                return

        threading.Thread(target=answer, daemon=True).start()
        folders = {"victim": str(tmp_path / "class"), "lib": str(tmp_path / "lib")}
        process = subprocess.Popen(["sleep", "600"])
        yield folders | {"port": server.getsockname()[1], "pid": process.pid, "process": process}
        process.kill()
        process.wait()


def seen(victim: dict) -> dict:
    """What lies outside, by path: what it has, and what was done to it last; and how the lecturer's process ended."""
    shared = [p for p in Path("/dev/shm").glob("*") if str(p).endswith(victim["victim"].replace("/", "-"))]
    folders = (Path(victim[one]) for one in ("victim", "lib"))
    paths = [*(p for folder in folders for p in folder.rglob("*") if p.suffix != ".pyc"), *shared]
    stats = {p: p.lstat() for p in paths if "__pycache__" not in p.parts}
    return {p: (s.st_mode, s.st_nlink, s.st_ctime_ns, s.st_size) for p, s in stats.items()} | {
        "process": victim["process"].poll()
    }


@pytest.mark.parametrize("walls", [("bwrap",), ("hook",), ()], ids=lambda walls: "".join(walls) or "nothing")
def test_no_way_out_passes_a_wall_and_all_pass_where_there_is_none(walls, victim):
    if "bwrap" in walls and wall.lacks():
        pytest.skip(wall.lacks())
    passed = set()
    with Pupil(Path(victim["lib"]), 20, walls=walls) as pupil:
        victim["lib"] = pupil.lib.name
        for way, code in OUT.items():
            pupil._child()
            before = seen(victim)
            try:
                pupil.run((MARK + code).format(**victim))
            except Exception as error:
                print(way, "->", type(error).__name__, str(error)[:100])
            pupil.ran.clear()
            if "SOLUTION" in pupil.run("print(globals().get('text', ''))") or seen(victim) != before:
                passed.add(way)
    for path in Path("/dev/shm").glob("*" + victim["victim"].replace("/", "-")):
        path.unlink()
    assert passed == (set() if walls else {*OUT})


@pytest.mark.parametrize("walls", [("bwrap",), ("hook",)], ids="".join)
def test_what_a_notebook_starts_ends_with_it(walls, tmp_path):
    if "bwrap" in walls and wall.lacks():
        pytest.skip(wall.lacks())
    minilib_copy.copy(tmp_path, [])
    sleep = "import time; time.sleep(99)"
    start = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {sleep!r}, {str(tmp_path)!r}], "

    def alive(group: int) -> list[str]:
        """The processes of a group, and those that carry this test's mark, but for the dead."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "stat").read_text().rpartition(")")[2].split()
                marked = (path / "cmdline").read_bytes().endswith(f"\0{tmp_path}\0".encode())
                found += [path.name] if words[0] not in "ZX" and (marked or int(words[2]) == group) else []
            except OSError:  # it has ended
                continue
        return found

    with Pupil(tmp_path, 20, walls=walls) as pupil:
        group, before = pupil.process.pid, len(alive(pupil.process.pid))
        if "bwrap" in walls:
            pupil.run(start + "start_new_session=True)")
        else:
            with pytest.raises(PermissionError, match="not allowed"):
                pupil.run(start + "start_new_session=True)")
        assert len(alive(group)) == before + ("bwrap" in walls)
    until = time.monotonic() + 10
    while alive(group) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(group)
