"""Submissions that are right, wrong, slow or dishonest get what they deserve: no more, and no less.

Could catch: a check that runs where the answer runs, a solution within reach, one endless loop that costs all.
"""

import signal

import pytest
from classroom import checks, lost, made, source, submission
from marking import cells

CLASS, LAST = "2027-spring", "2026-autumn"
BUILD = {"build-first-step", "build-runs", "build-edges"}
BUG = {"bug-colleague", "bug-others"}  # its model answer compares with lars_step
PROVE = {"prove-rows", "prove-promise"}
STEP = "def lars_step(x, g, m, lr, trust, beta, decay):\n"
WRONG = STEP + "    return x - lr * g, m\n"
LIBRARY = """
from types import SimpleNamespace
from minilib.optim import LARS
{more}
def lars_step(x, g, m, lr, trust, beta, decay):
    layer = SimpleNamespace(data=x.copy(), grad=g)
    opt = {name}([layer], lr=lr, momentum=beta, weight_decay=decay, trust_coefficient=trust)
    opt.state[0] = {{"step": 0, "m": m.copy()}}
    opt.step()
    return layer.data, opt.state[0]["m"]
"""
PATCHED = (
    WRONG
    + """
import builtins
from minilib.theory import Ledger
np.allclose = np.isclose = lambda *a, **k: True
np.linalg.norm = lambda *a, **k: 1.0
Ledger.leq = Ledger._record = lambda *a, **k: None
builtins.AssertionError = ValueError
builtins.abs = lambda x: 0
"""
)
SHADOWS = (
    WRONG
    + """
def zip(*series, **more):
    return []

range = enumerate = zip
all = any = abs = max = min = lambda *values: 1.0
AssertionError = ValueError
right = made = norm = lars_step
"""
)
COPIED = """
def lars_step(x, g, m, lr, trust, beta, decay):
    size = np.linalg.norm(x)
    length = np.linalg.norm(g) + decay * size
    ratio = trust * size / length if size > 0 and length > 0 else 1.0
    m = beta * m + lr * ratio * (g + decay * x)
    return x - m, m
"""
EQUAL = """
class Equal(np.ndarray):
    def __array_function__(self, *args, **kwargs):
        return True
    __eq__ = __le__ = __ge__ = lambda *_: True

def lars_step(x, g, m, lr, trust, beta, decay):
    return x.view(Equal), m.view(Equal)
"""
OBJECT = (
    STEP
    + """
    class Anything:
        def __getattr__(self, name):
            return self
        __eq__ = __call__ = lambda self, *a, **k: True
    return Anything(), Anything()
"""
)
DISK = """
from pathlib import Path
text = Path({path!r}).read_text()
exec(text[text.index("def lars_step"):text.index("### END SOLUTION")])
"""
STARTED = "import subprocess\nexec(subprocess.run(['cat', {path!r}], capture_output=True, text=True).stdout)\n"
SLOW = (
    STEP
    + """
    import time
    time.sleep(0.02)
    read, shape = [], x.shape
    for a, b in zip(g.ravel(), x.ravel()):
        read.append(a + decay * b if decay_place == "inside" else a)
    def size(values):
        if order == float("inf"):
            return max(abs(v) for v in values)
        return sum(abs(v) ** order for v in values) ** (1 / order)
    above, below = size(list(x.ravel())), size(read)
    ratio = min(trust * above / below, ceiling) if above > 0 and below > 0 else 1.0
    share = 1.0 if buffer == "sum" else 1 - beta
    new = [beta * a + share * ratio * b for a, b in zip(m.ravel(), read)]
    shrink = decay if decay_place == "outside" else 0.0
    moved = [a - lr * b - lr * shrink * a for a, b in zip(x.ravel(), new)]
    return np.array(moved).reshape(shape), np.array(new).reshape(shape)
"""
)
ENDLESS = (
    STEP
    + """
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""
)
ROWS = """
def rows(x, g, lr):
    return {"(1)": (0.0, 1.0), "(3)": (np.zeros(3), np.ones(3)), "(4)": (0.0, 1.0)}


def promise(lr, b, T):
    return 1e9


def best_rate(T):
    return 1.0
"""


@pytest.fixture(scope="module")
def lars(tmp_path_factory):
    return made("lars", CLASS, tmp_path_factory.mktemp("class"))


def numbers(assignment) -> dict:
    """The values of a class, as its notebook sets them."""
    (cell,) = (c.source for c in source(assignment).cells if c.source.startswith("# The numbers of the class"))
    exec(cell, found := {})
    return {name: value for name, value in found.items() if name != "__builtins__"}


@pytest.fixture(scope="module")
def last_years(lars, tmp_path_factory):
    """Lines that put another class's numbers in the place of one's own."""
    this, last = numbers(lars), numbers(made("lars", LAST, tmp_path_factory.mktemp("last")))
    assert last != this
    return "\n".join(f"{name} = {cells.written(value)}" for name, value in last.items())


def table(lars, last_years):
    """name -> (answers, the checks that they lose)."""
    solution = str(lars.lecturer / "source/lars/lars.ipynb")
    frozen = f"old = {{}}\nexec({last_years!r}, old)\n"
    frozen += "ratio_times = old['weight_factor'] ** 2 / old['loss_factor']\nstep_times = old['weight_factor']\n"
    own = f"__import__('os').kill(__import__('os').getppid(), {int(signal.SIGKILL)})"
    return {
        "right": ({}, set()),
        "slow": ({"build": SLOW}, set()),
        "wrong": ({"build": WRONG}, BUILD | BUG),
        "says-yes": ({"prove": ROWS, "bug": "def check(step):\n    pass\n"}, PROVE | BUG),
        "says-no": ({"bug": "def check(step):\n    raise AssertionError('no')\n"}, BUG),
        "mean": ({"rest": "def resting_place(centres, b):\n    return float(np.mean(centres))\n"}, {"rest-place"}),
        "renamed": ({"build": LIBRARY.format(name="LARS", more="")}, BUILD | BUG),
        "subclass": (
            {"build": LIBRARY.format(name="Mine", more="class Mine(LARS):\n    my_own = True\n")},
            BUILD | BUG,
        ),
        "patched": ({"build": PATCHED, "prove": ROWS}, BUILD | BUG | PROVE),
        "shadows": ({"build": SHADOWS}, {"prove-rows"} | BUILD | BUG),  # its own answers, too, meet its zip
        "copied": ({"build": COPIED}, BUILD | BUG),  # of the library, which a class's method is not
        "equal": ({"build": EQUAL}, BUILD | BUG),
        "object": ({"build": OBJECT}, BUILD | BUG),
        "disk": ({"build": DISK.format(path=solution)}, BUILD | BUG),
        "started": ({"build": STARTED.format(path=solution)}, BUILD | BUG),
        "last-year": ({"scales": frozen, "build": "+" + last_years}, {"scales-factors"} | PROVE | BUILD | BUG),
        "endless": ({"build": ENDLESS}, BUILD | BUG),
        "endless-cell": ({"rest": "while True:\n    pass\n"}, {"rest-place"}),
        "exits": ({"rest": "def resting_place(centres, b):\n    import os\n    os._exit(0)\n"}, {"rest-place"}),
        "greedy": ({"rest": "def resting_place(centres, b):\n    return np.ones(10**11)\n"}, {"rest-place"}),
        "shoots": ({"rest": f"def resting_place(centres, b):\n    {own}\n"}, {"rest-place"}),
        "rewritten": ({"build": WRONG, "build-runs": "pass", "prove-rows": "pass"}, BUILD | BUG),
    }


def test_every_submission_gets_what_it_deserves(lars, last_years, tmp_path):
    rows = table(lars, last_years)
    handed_in = {name: submission(lars, answers, tmp_path / f"{name}.ipynb") for name, (answers, _) in rows.items()}
    found = lars.mark(handed_in, seconds=3)
    assert {row["student"]: lost(lars, row) for row in found} == {name: none for name, (_, none) in rows.items()}
    everything = sum(checks(lars).values())
    assert {row["points"] for row in found if row["student"] in ("right", "slow")} == {everything}
