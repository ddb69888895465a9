"""The inner wall around a submission: an audit hook of Python, and the calls that raise no event taken away.

From `guard` on, this process reads below the folders that it was given, changes only what lies in its working folder,
opens no directory (so nothing is named by `dir_fd`), and starts no process and no connection. The submission runs in
this very process and may change every module. So the hook uses no name of one: all that it needs are defaults of its
own, and of kinds that cannot be changed. Deliberately absent: a promise against those who know CPython well, or against
a compiled package that opens files by itself. That is what the outer wall (`wall`) is for.
"""

import functools
import os
import shutil
import sys
import sysconfig

NEVER = (
    *("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty."),
    *("socket.", "sqlite3.", "ctypes.", "os.kill", "signal.pthread_kill", "webbrowser.", "os.link", "os.symlink"),
    *("resource.", "syslog.", "fcntl.", "gc.get_", "sys._current_", "sys.remote_exec"),
)
READS = {"open", "os.listdir", "os.scandir", "os.getxattr", "os.listxattr"}
CHANGES = {f"os.{name}" for name in "remove rename mkdir rmdir truncate chmod chown utime chdir".split()}
CHANGES |= {"os.setxattr", "os.removexattr", "os.chflags"}
# Calls without an event, by module.
SILENT = {
    "posix": "readlink mkfifo mknod chroot fchdir login_tty setsid setpgid setpgrp setpriority sched_setaffinity "
    "sched_setscheduler sched_setparam pidfd_open unshare setns",
    "_posixsubprocess": "fork_exec",
    "_imp": "create_builtin",  # another copy of posix; all that is built in is loaded before
    "signal": "pidfd_send_signal",
}
PATHS = "open listdir scandir chdir remove unlink rename replace mkdir rmdir truncate chmod chown utime"
# Parts of Python that open files by themselves, start programs, or run code where no hook is.
WITHHELD = set(
    "_posixsubprocess _posixshmem _multiprocessing _gdbm _dbm readline nis spwd _ssl _tkinter _curses _curses_panel "
    "_interpreters _interpchannels _interpqueues _xxsubinterpreters _xxinterpchannels _remote_debugging _testcapi "
    "_testinternalcapi _testlimitedcapi _testbuffer _testclinic _testimportmultiple _testmultiphase _testsinglephase "
    "_ctypes_test _xxtestfuzz xxlimited xxlimited_35 xxsubtype".split()
)
# Packages whose compiled parts may be loaded after the guard stands.
COMPILED = ("numpy", "scipy", "matplotlib", "PIL", "contourpy", "kiwisolver", "sklearn")


def prepare() -> None:
    """Load what is built in, before anybody could load another copy of it that calls what is taken away here."""
    for name in sys.builtin_module_names:
        if name not in WITHHELD:
            __import__(name)


def guard(roots: list[str], hidden: list[str]) -> None:
    """From here on this process may read below `roots`, not below `hidden`, change its folder, and start nothing."""
    real = os.path.realpath
    parts = [f"{root}/{name}" for root in roots for name in COMPILED]
    loads = [real(path) for path in (sysconfig.get_config_var("DESTSHARED"), *parts) if path]
    hook = _hook(real(os.getcwd()), [*map(real, roots)], [real(path).lower() for path in hidden], loads)
    instead = {f"{module}.{name}": _refused for module, names in SILENT.items() for name in names.split()}
    _replace(instead | {f"posix.{name}": _plain for name in PATHS.split()})
    for name in ("dir_fd", "fd", "follow_symlinks", "effective_ids"):
        getattr(os, f"supports_{name}").clear()  # they hold what was replaced
    shutil._use_fd_functions = False  # it would take trees down by dir_fd
    for name in WITHHELD & sys.modules.keys() - SILENT.keys():
        sys.modules[name] = None
    sys.addaudithook(hook)


def _replace(instead: dict) -> None:
    """Put what `instead` makes of a function in its place, and wherever another module keeps it."""
    new = {}
    for whole, make in instead.items():
        module, _, name = whole.rpartition(".")
        if old := getattr(__import__(module), name, None):
            new[id(old)] = old, make(whole, old)
    for module in list(sys.modules.values()):
        for key, value in list(getattr(module, "__dict__", {}).items()):
            if id(value) in new:
                setattr(module, key, new[id(value)][1])


def _refused(name: str, _):
    def refused(*_, **__):
        raise PermissionError(f"{name} is not allowed while your work is marked")

    return refused


def _plain(_, function):
    """The function with its paths as texts, which the hook can read, and without dir_fd."""

    @functools.wraps(function)
    def called(*args, **kwargs):
        if any(key.endswith("dir_fd") and value is not None for key, value in kwargs.items()):
            raise PermissionError("dir_fd is not allowed while your work is marked")
        text = {key: os.fspath(value) if hasattr(value, "__fspath__") else value for key, value in kwargs.items()}
        return function(*(os.fspath(a) if hasattr(a, "__fspath__") else a for a in args), **text)

    return called


def _hook(here: str, roots: list[str], hidden: list[str], loads: list[str]):
    """The hook. Each of its names is a default of its own: who reads its frame in a traceback finds nothing to change.

    It follows a path link by link, since the functions of `os.path` are a submission's to change. Between its look and
    the system's, other code may run, in a thread or in a callback of the garbage collector. So a path says no "..", and
    the working folder stays among those that may be changed: whatever moves meanwhile, a path leads to nothing else.
    """

    def hook(
        event,
        args,
        never=NEVER,
        watched=frozenset(READS | CHANGES),
        changes=frozenset(CHANGES),
        withheld=frozenset(WITHHELD),
        own=(here + "/",),
        roots=(here + "/", *(root + "/" for root in roots)),
        hidden=tuple(path + "/" for path in hidden),
        loads=tuple(path + "/" for path in loads),
        writing=os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC,
        getcwd=os.getcwd,
        readlink=os.readlink,
        access=os.access,
        type=type,
        str=str,
        bytes=bytes,
        int=int,
        OSError=OSError,
        ImportError=ImportError,
        PermissionError=PermissionError,
    ):
        if event.startswith(never):
            raise PermissionError(f"{event} is not allowed while your work is marked")
        what, where, paths = "read", roots, args[:1]
        if event == "import":
            name = args[0] if type(args[0]) is str else ""
            if args[1] is not None:  # compiled: its name decides, under whatever package
                name = name.rpartition(".")[2]
            if not name or name in withheld:
                raise ImportError(f"{name} may not be imported while your work is marked")
            what, where, paths = "loaded", loads, args[1:2] if args[1] is not None else ()
        elif event not in watched:
            return
        elif event in changes or (event == "open" and ((args[2] or 0) & writing or (args[1] or "").strip("rbt"))):
            what, where, paths = "changed", own, args[: 2 if event == "os.rename" else 1]
        for path in paths:
            if (type(path) is int and event in ("open", "os.truncate")) or (path is None and what == "read"):
                continue
            whole = path.decode("utf-8", "surrogateescape") if type(path) is bytes else path
            if type(whole) is not str:
                raise PermissionError(f"{event} takes a path as text while your work is marked")
            rest, done, links = whole.split("/")[::-1], "", 0
            if ".." in rest:
                raise PermissionError(f"{whole} has .., which is not allowed while your work is marked")
            if not whole.startswith("/"):
                rest += getcwd().split("/")[::-1]
            while rest:
                part = rest.pop()
                if part == "..":
                    done = done.rpartition("/")[0]
                elif part not in ("", "."):
                    try:
                        to = readlink(f"{done}/{part}")
                    except OSError:
                        done = f"{done}/{part}"
                    else:
                        done, links, rest = ("" if to.startswith("/") else done), links + 1, rest + to.split("/")[::-1]
                if links > 40:
                    break
            folder = event == "open" and access(f"{done}/", 0)
            inside = f"{done}/".startswith(where) and not f"{done}/".lower().startswith(hidden)
            if links > 40 or folder or not (inside or done in ("/dev/null", "/dev/urandom")):
                kind = ImportError if event == "import" else PermissionError
                raise kind(f"{whole} may not be {what} while your work is marked")

    return hook
