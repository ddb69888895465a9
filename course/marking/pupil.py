"""The process in which a submission runs: started by the examiner, with nothing of the course in reach.

    python -I pupil.py MINILIB CONTROL HOOK ROOT... - HIDDEN...

It imports NumPy and the copy of minilib in the folder MINILIB, and then waits. Each line that comes in on the file
CONTROL starts a new child, in a new folder, in the place of the last: only children ever run a line of a submission,
and what one has seen or written the next does not find. In a child stands the guard (`guard`), unless HOOK is 0; a
child's messages go through standard input and output: code to run, a name to show, a function to call.
"""

import builtins
import contextlib
import importlib.util
import io
import json
import os
import resource
import select
import signal
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
CHARACTERS = 10_000  # of what a cell prints


def limit_memory(size: int = 4 * 2**30) -> None:
    """At most so many bytes of address space."""
    with contextlib.suppress(ValueError, OSError):  # macOS knows the limit and refuses it
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def beside(name: str):
    """A module of this folder, which is not on the path."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Start a child for each line of CONTROL; end with the child that ends of itself, or with CONTROL."""
    minilib, control, hook, *paths = sys.argv[1:]
    wire, guard, control = beside("wire"), beside("guard"), int(control)
    sys.path.insert(0, minilib)
    import minilib.optim
    import minilib.theory

    guard.prepare()
    roots, hidden = paths[: paths.index("-")], paths[paths.index("-") + 1 :]
    with os.fdopen(control, "rb", buffering=0) as orders:
        order = orders.readline()
        while order:
            alive, held = os.pipe()
            with tempfile.TemporaryDirectory(dir=".", ignore_cleanup_errors=True) as folder:
                if not (child := os.fork()):
                    try:
                        os.close(alive)
                        os.close(control)
                        os.environ["HOME"] = folder = os.path.abspath(folder)
                        os.chdir(folder)
                        limit_memory()
                        serve(wire, order.decode().strip(), lambda: hook != "0" and guard.guard(roots, hidden))
                    finally:
                        os._exit(0)
                os.close(held)
                ended = alive in select.select([alive, control], [], [])[0]
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            os.close(alive)
            order = b"" if ended else orders.readline()


def serve(wire, ready: str, guard) -> None:
    """Say that this child is `ready`, and do what the examiner asks until there is nothing more."""
    to, source = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    empty = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(empty, descriptor)
    names, kept = {"__name__": "__main__"}, {}

    def keep(function):
        kept[id(function)] = function
        return id(function)

    def send(message):
        to.write(wire.line(message))
        to.flush()

    def there(key, args, kwargs):
        """Call a function of the examiner's; while it works it may call one of ours."""
        send({"call": key, "args": wire.encode(list(args), keep), "kwargs": wire.encode(kwargs, keep)})
        reply = answer()
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

    def answer():
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
                own = [part for part in lines if HERE not in part]
                reply = {"error": [type(error).__name__, str(error)[:CHARACTERS], "".join(own)[-CHARACTERS:]]}
            try:
                printed = sys.stdout.getvalue()[:CHARACTERS]
            except Exception:
                printed = ""
            sys.stdout = before
            send(reply | {"printed": printed})
        os._exit(0)

    guard()
    send({"ready": ready})
    answer()


if __name__ == "__main__":
    main()
