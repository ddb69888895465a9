"""Submissions that are slow, endless or dishonest get what they deserve, in every problem set: no more, and no less.

Could catch: a check that runs where the answer runs, a solution within reach, one endless loop that costs all.
A change is tried with every cheat on LARS, and with those of SHORT on the other sets. With CLASSES=12, all on all.
"""

import signal
from dataclasses import dataclass

import pytest
from classroom import CLASSES, NAMES, ROOT, Desk

from course.marking import sheets

CLASS, LAST = "2027-spring", "2026-autumn"
SHORT = ("subclass", "patched", "equal", "disk", "last-year", "says-yes", "says-first", "says-no")


@dataclass
class Target:
    """The answer that is cheated on: its cell and function, what a wrong one gives back, the checks that costs."""

    cell: str
    head: str
    gives: str
    lost: str
    own: str = ""  # minilib's class, which is withheld


ARGUMENTS = "t, lr, betas=(0.9, 0.999), eps=1e-6, decay=0.0"
TARGETS = {
    "gradients_and_sgd": Target("operation", "backward(x, s)", "s", "operation-", "Tensor"),
    "momentum": Target("build", "step(x, g, m, lr, decay=0.0)", "x, m", "build- bug-"),
    "adam": Target("build", f"adam_step(x, g, m, v, {ARGUMENTS})", "x, m, v", "build- bug-", "AdamW"),
    "big_batches": Target("step", "noise_factor(b)", "b", "step- prove-"),
    "lars": Target("build", "lars_step(x, g, m, lr, trust, beta, decay)", "x, m", "build- bug-", "LARS"),
    "lamb": Target("build", f"lamb_step(x, g, m, v, {ARGUMENTS})", "x, m, v", "build- tell-all shrink- bug-", "LAMB"),
    "memory_and_adafactor": Target("build", "adafactor_step(x, g, r, c, t, lr)", "x, r, c", "build- bug-", "Adafactor"),
    "came": Target("build", "came_step(x, g, state, lr)", "x, state", "build-", "CAME"),
}
LIBRARY = """
from types import SimpleNamespace
from minilib.optim import {own}
{more}
def {head}:
    layer = SimpleNamespace(data=x.copy(), grad=g)
    {name}([layer], lr=lr).step()
    x = layer.data
    return {gives}
"""
TENSOR = """
from minilib.autodiff import Tensor
{more}
def backward(x, s):
    t = {name}(x)
    square = t * t
    if operation == "root":
        y = t * (a + square.mean()) ** -0.5
    elif operation == "exp":
        y = t * (square.mean() * (-1 / a)).exp()
    else:
        y = t / (a + ((1 + square) ** 0.5).sum())
    (y * s).sum().backward()
    return t.grad
"""
WRONG = """
def {head}:
    return {gives}
"""
PATCHED = (
    WRONG
    + """
import builtins
from minilib.theory import Ledger
np.allclose = np.isclose = np.array_equal = lambda *a, **k: True
Ledger.leq = Ledger.eq = Ledger._record = lambda *a, **k: None
builtins.AssertionError = ValueError
"""
)
SHADOWS = (
    WRONG
    + """
all = any = isinstance = lambda *values: True
AssertionError = ValueError
right = made = forward = norms = {function}
"""
)
EQUAL = """
class Equal(np.ndarray):
    def __array_function__(self, *args, **kwargs):
        return True
    __eq__ = __le__ = __ge__ = lambda *_: True

def equal(value):
    return tuple(map(equal, value)) if isinstance(value, tuple) else np.asarray(value, float).view(Equal)

def {head}:
    return equal(({gives}))
"""
OBJECT = """
def {head}:
    class Anything:
        def __getattr__(self, name):
            return self
        __eq__ = __call__ = __iter__ = lambda self, *a, **k: True
    return Anything()
"""
DISK = """
import json, minilib
from pathlib import Path
whole = json.loads((Path(minilib.__file__).parents[1] / "source" / "set.ipynb").read_text())
texts = ["".join(cell["source"]) for cell in whole["cells"]]
exec(next(text for text in texts if "def {function}(" in text), there := dict(globals()))
{function} = there["{function}"]
"""
PUBLIC = """
text = open({public!r}).read()
exec(text[text.index("def {function}("):].split("```")[0], there := dict(globals()))
{function} = there["{function}"]
"""
STARTED = """
import subprocess
text = subprocess.run(["cat", {public!r}], capture_output=True, text=True).stdout
exec(text[text.index("def {function}("):].split("```")[0], there := dict(globals()))
{function} = there["{function}"]
"""
LAST_YEARS = """
last = dict(globals()) | {last}
exec({solution!r}, last)
{function} = last["{function}"]
"""
SLOW = """
import time
quick = {function}
def {function}(*given, **more):
    time.sleep(0.005)
    return quick(*given, **more)
"""
ENDLESS = """
def {head}:
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
EXITS = "def {head}:\n    __import__('os')._exit(0)\n"
GREEDY = "def {head}:\n    return np.ones(10**11)\n"
SHOOTS = f"def {{head}}:\n    __import__('os').kill(__import__('os').getppid(), {int(signal.SIGKILL)})\n"
FIRST = """
import os
met = []

def check(theirs):
    if type(theirs).__name__ == "Remote":
        assert not met and not os.path.exists("met"), "not the first that I met"
        met.append(theirs)
        open("met", "w").close()
"""
PIPE = """
import sys
def {head}:
    frame = sys._getframe()
    while "to" not in frame.f_locals:
        frame = frame.f_back
    to, line = frame.f_locals["to"], b'{{"call": 0, "args": [], "kwargs": {{}}}}\\n'
    {more}
"""
FLOODS = PIPE.replace("{more}", "while True: to.write(line)")
DEAF = PIPE.replace("{more}", "to.write(line * 20_000), to.flush()\n    while True: pass")
ENDLESS_CELL = "while True:\n    pass\n"
CHEATS = {  # what stands in the cell, and what the cell, or the first check that it costs, says of it
    "renamed": (LIBRARY, "minilib has no {own}"),
    "subclass": (LIBRARY, "minilib has no {own}"),
    "patched": (PATCHED, ""),
    "shadows": (SHADOWS, ""),
    "equal": (EQUAL, ""),
    "object": (OBJECT, ""),
    "disk": (DISK, "may not be read"),
    "public": (PUBLIC, "may not be read"),
    "started": (STARTED, "subprocess.Popen is not allowed"),
    "last-year": (LAST_YEARS, ""),
    "slow": (SLOW, ""),
    "endless": (ENDLESS, "no answer within 3 seconds"),
    "endless-cell": (ENDLESS_CELL, "no answer within 3 seconds"),
    "floods": (FLOODS, "no answer within 3 seconds"),
    "deaf": (DEAF, "no answer within 3 seconds"),
    "exits": (EXITS, "the program ended before it answered"),
    "greedy": (GREEDY, "Unable to allocate"),
    "shoots": (SHOOTS, "os.kill is not allowed"),
    "says-yes": ("def check(given):\n    pass\n", ""),
    "says-first": (FIRST, ""),
    "says-no": ("def check(given):\n    raise AssertionError('no')\n", "no"),
}
OWN = ("renamed", "subclass")
ROWS = [(name, c) for name in NAMES for c in CHEATS if name == "lars" or c in SHORT or len(CLASSES) > 1]


def words(name: str, cheat: str, nb) -> dict[str, str]:
    """What stands in the places of a cheat's text."""
    target, path = TARGETS[name], ROOT / "course" / "assignments" / f"{name}.md"
    (solution,) = (c.source for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") == target.cell)
    last = sheets.drawn(sheets.read(ROOT / "course", name), name, LAST)
    function, own = target.head.partition("(")[0], target.own
    mine, more = ("Mine", f"class Mine({own}):\n    my_own = True\n") if cheat == "subclass" else (own, "")
    numbers = "{" + ", ".join(f"{key!r}: {sheets.written(value)}" for key, value in last.items()) + "}"
    texts = {"public": str(path), "last": numbers, "solution": solution, "name": mine, "more": more}
    return vars(target) | texts | {"function": function}


@pytest.fixture(scope="module")
def desks(tmp_path_factory):
    """All problem sets for the class, by name."""
    return {name: Desk(name, CLASS, tmp_path_factory.mktemp(name), seconds=3) for name in NAMES}


@pytest.mark.parametrize(("name", "cheat"), [row for row in ROWS if TARGETS[row[0]].own or row[1] not in OWN])
def test_a_submission_gets_what_it_deserves(name, cheat, desks):
    desk, target, (text, said) = desks[name], TARGETS[name], CHEATS[cheat]
    values = words(name, cheat, desk.nb)
    text = TENSOR if cheat in OWN and target.own == "Tensor" else text
    if cheat.startswith("says"):
        answers, lost = {"bug": text}, ("bug-",)
    else:
        written = text.format(**values)
        answers = {target.cell: f"+{written}" if cheat in ("last-year", "slow") else written}
        lost = () if cheat == "slow" else tuple(target.lost.split())
    found = desk.failures(answers)
    costs = {check for check in desk.checks if check in found}
    expected = {check for check in desk.checks if check.startswith(lost)} if lost else set()
    bug = {check for check in desk.checks if check.startswith("bug-")}
    if cheat == "last-year":
        assert costs, "all of last year's answer is right"
        assert costs <= expected
    elif cheat in ("patched", "shadows", "equal", "object"):  # its own check of a method meets its own inventions
        assert expected - bug <= costs <= expected | bug
    else:
        assert costs == expected
    assert said.format(**values) in " ".join(found.values())
