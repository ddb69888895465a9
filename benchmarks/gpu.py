"""What one card can do, measured by one command: `make gpu`, or python benchmarks/gpu.py --only tests memory-lamb.

The pieces are done one after the other, each in a process of its own and in 9 minutes at most:

    tests            tests/gpu on the card: the processor's numbers, skipped steps, resumption, fp16, bf16, compilation
    optimizers       benchmarks/torch_optim.py: a step of every optimizer against the memory's bandwidth and peers
    pretraining      benchmarks/pretrain.py: BERT's step against transformers, compiled too, and its utilisation
    fine-tuning      benchmarks/finetune.py: BERT's step on texts of different lengths, with and without their padding
    memory-METHOD    the most memory of whole steps of BERT-Large, bf16, under each optimizer
    bert-below       the study of this name at size "gpu": which of seven methods trains BERT best, below the best table

A piece that is done leaves a record in book/cards/CARD/, which names the card, the versions and the commit, with its
output beside it; what has a record is not done again. The study takes as many pieces as it needs: after each it has
kept what it has, and goes on, also when the command is given again. Half an hour for the study on a card of the H100's
class, an hour where it needs more tokens, and ten minutes for the rest (estimated: no card has run it yet).

`--toy` runs every line at toy size, also on a processor, and keeps its records in _build/cards. Absent on purpose:
several cards; sizes that were tuned to one of them.
"""

import argparse
import json
import os
import platform
import re
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path
from statistics import mean

import torch

from minilib.experiments import records
from minilib.experiments.verdicts import compare, family, print_verdicts
from minilib.models import registry
from minilib.training import device as devices
from minilib.training.config import OPTIMIZERS
from minilib.training.optimizers import optimizer

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 540  # seconds a piece
GRACE = 60  # seconds in which it may save when its time is over
LARGE = {"rows": 64, "length": 128, "guessed": 20, "vocabulary": 30_522, "steps": 4}
TOY = {"rows": 2, "length": 16, "guessed": 3, "vocabulary": 400, "steps": 3}


def memory(method: str, model: str, rows: int, length: int, guessed: int, vocabulary: int, steps: int, place) -> dict:
    """Bytes of whole training steps: the most at one time, and what parameters and the optimizer's state take.

    On CUDA the allocator says it; on a processor it is the most that the process ever had.
    """
    torch.manual_seed(0)
    net = registry.model(model, vocabulary=vocabulary, length=length).to(place)
    opt = optimizer(method, net, 1e-4, 0.01, place)
    draw = torch.Generator().manual_seed(0)
    batch = {name: torch.randint(5, vocabulary, (rows, n), generator=draw).to(place)
             for name, n in (("tokens", length), ("targets", guessed))}  # fmt: skip
    batch["positions"] = torch.arange(guessed).repeat(rows, 1).to(place)
    for step in range(steps):
        if step == steps - 1 and place.type == "cuda":
            torch.cuda.reset_peak_memory_stats()  # the first steps compile
        with torch.autocast(place.type, torch.bfloat16):
            loss = net(batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
    devices.wait(place)
    state = sum(t.nbytes for own in opt.state.values() for t in own.values() if torch.is_tensor(t))
    parameters = sum(p.numel() for p in net.parameters())
    return {"peak_bytes": devices.peak_bytes(place), "state_bytes": state, "parameters": parameters}


def pieces(toy: bool, device: str) -> dict[str, tuple[list[str], Path | None]]:
    """name -> (a command line for this Python, the run.json that it leaves, if it is one that goes on)."""
    python = [sys.executable]
    optim = ["--rounds", "1", "--parameters", "4000", "--count", "2"] if toy else []
    step = ["--rounds", "1", "--case", "bert-tiny", "400", "16", "2"] if toy else ["--compile"]
    models = ["--rounds", "1", "--models", "bert-tiny"] if toy else ["--models", "bert-small", "bert-base"]
    table = {
        "tests": ([*python, "-m", "pytest", "-q", "-x", "--durations", "5", "tests/gpu"], None),
        "optimizers": ([*python, "benchmarks/torch_optim.py", "--device", device, *optim], None),
        "pretraining": ([*python, "benchmarks/pretrain.py", "--device", device, *step], None),
        "fine-tuning": ([*python, "benchmarks/finetune.py", "--device", device, *models], None),
    }
    for method in OPTIMIZERS:
        ask = [*python, __file__, "--device", device, "--memory", method, *["--toy"] * toy]
        table[f"memory-{method}"] = (ask, None)
    (size, usual, home), kind = ("toy", "cpu", "_build") if toy else ("gpu", "cuda", "book"), device.split(":")[0]
    study = [*python, "-m", "studies.bert.bert_below", "--size", size, "--device", device]
    name = f"bert-below-{size}" + f"-{kind}" * (kind != usual)
    return table | {"bert-below": (study, ROOT / home / "runs" / name / "run.json")}


def shown(command: list[str]) -> str:
    """The command as a person would type it in the project's folder."""
    return " ".join(["python", *(word.replace(f"{ROOT}/", "") for word in command[1:])])


def print_losses(test: dict[str, dict[str, float]]) -> None:
    """Which methods end below AdamW? `test`: "batch method" -> seed -> loss on the test rows, in nats."""
    losses = {case.split()[-1]: own for case, own in test.items()}
    adamw = losses.pop("adamw")
    print(f"AdamW ends at {mean(adamw.values()):.3f} nats")
    print_verdicts(family({name: compare(own, adamw) for name, own in losses.items()}), "lower than AdamW by")


def copy(pipe, log: Path) -> None:
    """What comes through a pipe, on the screen and in a file, without the names of this machine's folders."""
    with open(log, "w", encoding="utf-8") as file:
        for line in pipe:
            said = line.replace(f"{ROOT}/", "")
            for place in (file, sys.stdout):
                print(said, end="", file=place, flush=True)


def followed(command: list[str], environment: dict[str, str], log: Path) -> tuple[int, bool]:
    """Run a piece, with its output on the screen as it comes; its exit code, and whether its time was over."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    process = subprocess.Popen(command, cwd=ROOT, env=environment | {"PYTHONUNBUFFERED": "1"}, **options)
    reader = threading.Thread(target=copy, args=(process.stdout, log), daemon=True)
    reader.start()
    over = False
    try:
        process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)  # a run saves, and goes on next time
        over = True
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            print(f"it did not stop within {GRACE} s, and is killed", flush=True)
            process.kill()
    code = process.wait()
    reader.join(GRACE)  # a child of the piece may still hold the pipe
    return code, over


def do(name: str, command: list[str], run: Path | None, folder: Path, card: str, device: str) -> bool | None:
    """One piece, its output on the screen and in a file, and its record where it succeeds; whether it did.

    None: its time was over, and it can go on from what it has kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    start, begin = time.monotonic(), records.now()
    environment = os.environ | {"MINILIB_DEVICE": device, "PYTHONPATH": str(ROOT)}  # the first is for the tests
    log = folder / f"{name}.txt"
    code, over = followed(command, environment, log)
    seconds = time.monotonic() - start
    print(f"-- {name}: exit code {code}, {seconds:.0f} s", flush=True)
    if code or over:
        return None if over and run else False
    about = {"name": name, "command": shown(command), "device": card, "commits": [records.commit()]}
    about |= {"versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": version("numpy")}}
    about |= {"start": begin, "end": records.now(), "seconds": round(seconds, 1)}
    if run is not None:
        about["results"] = json.loads(run.read_text(encoding="utf-8"))["results"]
        print_losses(about["results"]["test"])
        records.write(folder / f"{name}.csv", (run.parent / "curve.csv").read_text(encoding="utf-8"))
    elif name.startswith("memory-"):
        about["results"] = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    records.write(folder / f"{name}.json", json.dumps(about, indent=1) + "\n")
    return True


def listed(table: dict[str, tuple[list[str], Path | None]], folder: Path) -> str:
    """The pieces, a line each: is it done here, how long it may take, its command."""
    lines = []
    for name, (command, run) in table.items():
        state = "done" if (folder / f"{name}.json").exists() else "to do"
        time_needed = f"{LIMIT // 60} min" + (", and again until it is done" if run else " at most")
        lines.append(f"{name:<18} {state:<6} {time_needed}: {shown(command)}")
    about = "Estimated, as no card has run it yet: half an hour to an hour for bert-below, ten minutes for the rest."
    return "\n".join([*lines, about])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="cuda (default); with --toy also cpu")
    parser.add_argument("--toy", action="store_true", help="every line at toy size, records in _build/cards")
    parser.add_argument("--only", nargs="*", metavar="PIECE", help="these pieces, also if they are recorded")
    parser.add_argument("--list", action="store_true", help="say which pieces there are, and run none")
    parser.add_argument("--memory", metavar="METHOD", choices=OPTIMIZERS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    try:
        place = devices.pick(args.device)
    except ValueError as error:
        print(f"error: {error}; every line can be tried with --toy --device cpu", file=sys.stderr)
        return 2
    if args.memory:
        model, size = ("bert-tiny", TOY) if args.toy else ("bert-large", LARGE)
        print(json.dumps(memory(args.memory, model, **size, place=place)))
        return 0
    card, table = devices.describe(place), pieces(args.toy, args.device)
    home = ROOT / ("_build" if args.toy else "book") / "cards"
    folder, failed = home / re.sub(r"[^A-Za-z0-9]+", "-", card).strip("-"), []
    if args.list:
        print(listed(table, folder))
        return 0
    if unknown := set(args.only or ()) - set(table):
        print(f"error: there is no piece {min(unknown)!r}: may be {', '.join(table)}", file=sys.stderr)
        return 2
    again = ""
    for name, (command, run) in table.items():
        if (args.only and name not in args.only) or (not args.only and (folder / f"{name}.json").exists()):
            continue
        print(f"== {name}: {shown(command)}", flush=True)
        while (done := do(name, command, run, folder, card, args.device)) is None and not args.only:
            print(f"== {name} goes on", flush=True)
        if not done:
            failed.append(name)
        if done is None:
            again = f"{name} has kept what it has and goes on where it stopped: give the command again"
    print(f"records in {folder.relative_to(ROOT)}" + (f"; not done: {', '.join(failed)}" if failed else ""))
    print(f"{again}\n" * bool(again), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
