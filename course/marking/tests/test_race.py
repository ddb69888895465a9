"""A class's leaderboard: entries run apart, with fresh seeds, and the page tells the record."""

import json
from pathlib import Path

import numpy as np
import pytest
import sklearn
from classroom import ROOT

from course.marking import minilib_copy, race, wall
from minilib import optim
from minilib.experiments.tasks import DigitsTask
from studies.race import Race, steps_to
from tools.pages import leaderboard_page

DIGITS = Path(sklearn.__file__).parent / "datasets" / "data" / "digits.csv.gz"
ENTRY = """
from minilib.optim import AdamW
RACE = "digits"
def optimizer(named):
    return AdamW(named, lr={lr})
"""


@pytest.fixture
def short(monkeypatch):
    """A race that ends soon."""
    monkeypatch.setitem(race.RACES, "digits", Race(DigitsTask, 64, 1.0, 60))


@pytest.fixture
def entries(tmp_path):
    folder = tmp_path / "entries"
    folder.mkdir()
    (folder / "quick.py").write_text(ENTRY.format(lr=0.02) + "def schedule(step):\n    return min(1, (step + 1) / 3)\n")
    (folder / "slow.py").write_text(ENTRY.format(lr=1e-5))
    return folder


def test_entries_are_judged_with_the_same_fresh_seeds_and_stand_in_order(short, entries, capsys, monkeypatch):
    seeds = []
    monkeypatch.setattr(race, "steps_to", lambda *given, seed: seeds.append(seed) or steps_to(*given, seed=seed))
    assert race.main([str(entries), "--seeds", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [wall.says(), "digits: steps to 1 nats, at most 60"]
    assert [line.split()[0] for line in lines[3:]] == ["quick", "slow"]
    assert lines[4].split()[1:4] == ["60"] * 3  # the median, and both seeds
    assert len({*seeds}) == 2
    assert seeds[:2] == seeds[2:]


def test_an_entry_takes_the_steps_that_it_would_take_here(short, entries, tmp_path):
    minilib_copy.copy(tmp_path, [])
    apart = race.judged(entries / "quick.py", [3], tmp_path)[1][3]
    here = steps_to(race.RACES["digits"], lambda named: optim.AdamW(named, lr=0.02), lambda t: min(1, (t + 1) / 3), 3)
    assert apart == here < 60


@pytest.mark.parametrize("method", ["SGD", "AdamW", "LARS", "LAMB", "Adafactor", "CAME"])
def test_no_method_notices_in_which_order_it_sees_rows_and_columns(method):
    task, own = DigitsTask(), {"optimizer": lambda named: getattr(optim, method)(named, lr=0.01)}
    exec(race.DRIVER, own)
    ends = []
    for make in (own["optimizer"], lambda named: race.Apart(own["_begin"], named)):
        model = task.model(np.random.default_rng(0))
        opt = make(list(model.named_parameters()))
        for batch in np.arange(1280).reshape(10, 128):
            opt.zero_grad()
            task.loss(model, batch).backward()
            opt.step()
        ends.append([p.data for p in model.parameters()])
    for here, apart in zip(*ends, strict=True):
        np.testing.assert_allclose(apart, here, rtol=1e-8, atol=1e-10)


TRAINS = """
import numpy as np
from minilib.autodiff import MLP, Tensor, cross_entropy
from minilib.optim import AdamW
RACE = "digits"
{data}
class optimizer:
    param_groups = [{{"lr": 1.0}}]
    def __init__(self, named):
        self.named = named
    def step(self):
        model = MLP([64, 32, 10], np.random.default_rng(0))
        opt = AdamW(list(model.named_parameters()), lr=0.01)
        for _ in range(60):
            opt.zero_grad()
            cross_entropy(model(x), y).backward()
            opt.step()
        for (_, p), mine in zip(self.named, model.parameters()):
            p.data = mine.data
"""


@pytest.mark.parametrize("kind", ["from scikit-learn", "from its files", "from minilib", "in the entry"])
def test_an_entry_that_trains_inside_on_data_of_its_own_loses(short, tmp_path, kind, monkeypatch):
    task = DigitsTask()
    x, y = task.x[:400].round(3).tolist(), task.y[:400].tolist()
    data = {
        "from scikit-learn": "from sklearn.datasets import load_digits",
        "from its files": f"whole = open({str(DIGITS)!r}, 'rb').read()",
        "from minilib": "from minilib.experiments.tasks import DigitsTask",
        "in the entry": f"x, y = np.array({x}), np.array({y})",
    }
    (tmp_path / "own.py").write_text(TRAINS.format(data=data[kind]))
    minilib_copy.copy(tmp_path, [], race.TASKS)
    if kind == "in the entry":
        assert race.judged(tmp_path / "own.py", [3], tmp_path) == ("digits", {3: 60})
        monkeypatch.setattr(race.np, "ix_", lambda *given: ...)  # not mixed, it would win
        assert race.judged(tmp_path / "own.py", [3], tmp_path) == ("digits", {3: 10})
    else:
        with pytest.raises(ValueError, match="PermissionError|FileNotFoundError|ModuleNotFoundError|ImportError"):
            race.judged(tmp_path / "own.py", [3], tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("RACE = 'chess'\ndef optimizer(named): pass", "RACE must be one of digits, words, got 'chess'"),
        ("RACE = 'digits'", "NameError"),
        (ENTRY.format(lr=0.1) + "import minilib.optim as o\no.AdamW.step = lambda self: 1 / 0", "ZeroDivisionError"),
        (ENTRY.format(lr=0.1) + f"print(open({__file__!r}).read())", "PermissionError"),
    ],
)
def test_an_entry_that_fails_is_named_with_its_reason(short, tmp_path, capsys, text, reason):
    (tmp_path / "own.py").write_text(text)
    assert race.main([str(tmp_path / "own.py"), "--seeds", "1"]) == 2
    assert f"own.py: {reason}" in capsys.readouterr().err.replace("ValueError: ", "")


def test_the_page_has_the_rules():
    text = (ROOT / "book" / "leaderboard.md").read_text()
    for name, rules in race.RACES.items():
        loss = f"the loss on unseen {name} has to be {rules.target:g} nats or less"
        assert f"* **{name}**: batches of {rules.batch}; {loss}, within {rules.limit} steps." in text


def test_the_page_tells_the_record_and_says_when_there_is_none(tmp_path):
    assert leaderboard_page.MISSING in leaderboard_page.substitutions(tmp_path)["board_words"]
    folder = tmp_path / "book" / "runs" / "leaderboard"
    folder.mkdir(parents=True)
    races = ("digits", "words")
    chosen = {f"{r} {m}": {"lr": 0.02, "end": None if m == "A" else 150} for r in races for m in "AB"}
    run = {"config": {"limit": 600}, "results": {"chosen": chosen, "ahead": {"digits A": "confirmed"}}}
    (folder / "run.json").write_text(json.dumps(run))
    rows = [f"{r},{m},{s},{n}" for r in races for m, n in (("A", 600), ("B", 90)) for s in (0, 1)]
    (folder / "curve.csv").write_text("\n".join(["race,optimizer,seed,steps", *rows]) + "\n")
    lines = leaderboard_page.substitutions(tmp_path)["board_digits"].splitlines()
    assert lines[2] == "| B | 90 | 90 to 90 | 0.02 | to zero at step 150 |  |"
    assert lines[3] == "| A | 600 | 600 to 600, not all arrive | 0.02 | kept | confirmed |"
