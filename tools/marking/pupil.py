"""The process in which a submission runs: started by the examiner, with nothing of the course in reach.

    python -I pupil.py WIRE FOLDER [ROOT ...]

It imports minilib from FOLDER, a copy that lacks what the problem set asks for, reads files of that copy and below the
ROOTs alone (beside the copy lie a lecturer's solutions), writes only in its working folder, and starts no process and
no connection. An audit hook sees to that; it keeps out a student who tries, not an attacker who knows CPython well (see
course/assignments/README.md). Messages from the examiner come in on standard input: code to run, a name to show, a
function to call.
"""

import builtins
import contextlib
import importlib.util
import io
import json
import os
import sys
import traceback

READS = {"open", "os.listdir", "os.scandir", "os.chdir"}
CHANGES = {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}
NEVER = (
    *("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "pty."),
    *("socket.", "sqlite3.", "ctypes.", "os.kill", "signal.pthread_kill", "webbrowser."),
)
DEVICES = {"/dev/null", "/dev/urandom"}
CHARACTERS = 10_000  # of what a cell prints


def guard(roots: list[str]) -> None:
    """From here on this process may read below `roots`, write below its working folder, and start nothing."""
    here = os.path.realpath(os.getcwd())
    roots, real, below = [os.path.realpath(root) for root in roots], os.path.realpath, os.path.commonpath
    fspath, startswith, writing = os.fspath, str.startswith, os.O_WRONLY | os.O_RDWR

    def inside(path, allowed) -> bool:
        if isinstance(path, int) or path is None:
            return True
        path = fspath(path)
        path = real(path.decode() if isinstance(path, bytes) else path)
        return path in DEVICES or any(below([path, root]) == root for root in allowed)

    def hook(event, args):
        if startswith(event, NEVER):
            raise PermissionError(f"{event} is not allowed while your work is marked")
        if event in CHANGES or (event == "open" and (args[2] or 0) & writing):
            if not inside(args[0], [here]):
                raise PermissionError(f"{args[0]} may not be changed while your work is marked")
        elif event in READS and not inside(args[0], [here, *roots]):
            raise PermissionError(f"{args[0]} may not be read while your work is marked")

    sys.addaudithook(hook)


def limit_memory(size: int = 4 * 2**30) -> None:
    """At most so many bytes of address space, where the system can limit it."""
    if importlib.util.find_spec("resource"):
        import resource

        with contextlib.suppress(ValueError, OSError):  # macOS knows the limit and refuses it
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main() -> None:
    path, folder, *roots = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("wire", path)
    wire = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wire)
    sys.path.insert(0, folder)
    import minilib.experiments.tasks
    import minilib.optim
    import minilib.theory  # noqa: F401

    to, source = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    empty = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(empty, descriptor)
    names, kept = {"__name__": "__main__"}, {}
    limit_memory()
    guard([os.path.join(folder, "minilib"), *roots])

    def keep(function):
        kept[id(function)] = function
        return id(function)

    def send(message):
        to.write(wire.line(message))
        to.flush()

    def there(key, args, kwargs):
        """Call a function of the examiner's; while it works it may call one of ours."""
        send({"call": key, "args": wire.encode(list(args), keep), "kwargs": wire.encode(kwargs, keep)})
        reply = serve()
        if "error" in reply:
            kind = getattr(builtins, reply["error"][0], RuntimeError)
            raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError)(reply["error"][1])
        return wire.decode(reply["value"], there, kept)

    def act(message):
        if "run" in message:
            exec(compile(message["run"], "<your notebook>", "exec"), names)
        elif "get" in message:
            return names[message["get"]]
        else:
            args, kwargs = (wire.decode(message[part], there, kept) for part in ("args", "kwargs"))
            return kept[message["call"]](*args, **kwargs)

    def serve():
        """Do what the examiner asks, until a reply comes to what this side asked."""
        for text in source:
            message = json.loads(text)
            if "value" in message or "error" in message:
                return message
            before, sys.stdout = sys.stdout, io.StringIO()
            try:
                reply = {"value": wire.encode(act(message), keep)}
            except BaseException as error:
                lines = traceback.format_exception(type(error), error, error.__traceback__)
                own = [part for part in lines if "pupil.py" not in part]
                reply = {"error": [type(error).__name__, str(error)[:CHARACTERS], "".join(own)[-CHARACTERS:]]}
            try:
                printed = sys.stdout.getvalue()[:CHARACTERS]
            except Exception:
                printed = ""
            sys.stdout = before
            send(reply | {"printed": printed})
        os._exit(0)

    serve()


if __name__ == "__main__":
    main()
