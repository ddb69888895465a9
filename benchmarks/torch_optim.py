"""Times one step of LARS, LAMB, Adafactor and CAME in PyTorch against the memory, and against public implementations.

    make bench NAME=torch_optim      or      python benchmarks/torch_optim.py --rounds 9 --device cuda

The parameters are those of BERT-base, float32. Every round runs every row once, ours between its peers, so a drift of
the machine hits all alike; medians and quartiles over the rounds are printed, after a warm-up that compiles. A row with
the bare name of a method is what `LAMB(params)` gives; "uncompiled" is what a machine without a compiler gets.

"floor" is the least that a step must move, in bytes of 4-byte reads and writes (`PASSES`), divided by the bandwidth of
the same run: the better of a copy (one read, one write) and of `x += a g` (two reads, one write). "peak" is the most
that is allocated during a step beside parameters, gradients and state. "first" is the first step, compilation and all
(--fresh: with nothing that the compiler kept from earlier runs). "launches" are the kernels of one step on a GPU.
Peers are in torch_peers.py. Absent on purpose: the model, whose forward and backward pass dwarf all of this.
"""

import argparse
import os
import re
import tempfile
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # torch's profiler works in silence
import torch
from torch.profiler import ProfilerActivity, profile
from torch_peers import PEERS

from minilib import optim, torch_optim
from minilib.analysis.memory import Transformer

BERT = {"vocabulary": 30522, "max_length": 512, "segments": 2, "head": True}
METHODS = ("LAMB", "LARS", "Adafactor", "CAME")
PASSES = {method: optim.METHODS[method].passes for method in ("AdamW", *METHODS)}
(CHAPTER,) = (Path(__file__).parents[1] / "notebooks").glob("??_torch.md")


def bytes_per_parameter(method: str) -> int:
    words = [part.split() for step in PASSES[method].split(";") for part in step.split(",")]
    return 4 * sum(len(w) - 1 for w in words)


def chapters_class(name: str):
    """A class that "From NumPy to PyTorch" writes, as the page has it."""
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", CHAPTER.read_text(), re.S)
    space = {"torch": torch}
    for cell in cells:
        if match := re.search(r"^class (PlainLAMB|InPlaceLAMB)\b.*?(?=^\S|\Z)", cell, re.S | re.M):
            exec(cell[match.start() :].split("\n\n\n")[0], space)  # what follows the class is its test
    return space[name]


class OneFunction(torch.optim.Optimizer):
    """LAMB as one plain function of a parameter, compiled: no checks, no options, nothing sharded."""

    def __init__(self, params):
        super().__init__(params, {"lr": 1e-3})
        torch._dynamo.config.recompile_limit = 64
        self.t, self.run = 0, torch.compile(self.update, fullgraph=True, dynamic=True)

    @staticmethod
    def update(x, g, m, v, lr, scale1, scale2):
        m.lerp_(g, 0.1)
        v.lerp_(g * g, 0.001)
        u = m * scale1 / (v.sqrt() * scale2 + 1e-6) + 0.01 * x
        size, norm = (x * x).sum(-1).sum().sqrt(), (u * u).sum(-1).sum().sqrt()
        x.sub_(torch.where((size > 0) & (norm > 0), size / norm, 1.0) * lr * u)

    @torch.no_grad()
    def step(self):
        self.t += 1
        for group in self.param_groups:
            numbers = group["lr"], 1 / (1 - 0.9**self.t), (1 - 0.999**self.t) ** -0.5
            numbers = [torch.tensor(value) for value in numbers]
            for x in group["params"]:
                s = self.state[x]
                if not s:
                    s.update(m=torch.zeros_like(x), v=torch.zeros_like(x))
                tensors = [t.view(-1, t.shape[-1]) if t.ndim else t.view(1, 1) for t in (x, x.grad, s["m"], s["v"])]
                self.run(*tensors, *numbers)


def rows(compiles: bool = True) -> dict:
    """row -> (method, how to make it); every method's own rows first, then its peers. `compiles`: may anything?"""
    table = {"torch AdamW, fused": ("AdamW", lambda p: torch.optim.AdamW(p, fused=True))}
    for method in METHODS:
        cls = getattr(torch_optim, method)
        if compiles:
            table[method] = (method, cls)
        table[f"{method} uncompiled"] = (method, lambda p, cls=cls: cls(p, compile=False))
        if method == "LAMB":
            table["LAMB in place"] = (method, lambda p: chapters_class("InPlaceLAMB")(p))
            if compiles:
                table["LAMB one function"] = (method, OneFunction)
        table |= {name: row for name, row in PEERS.items() if row[0] == method}
    return table


def shapes(parameters: int | None, count: int | None) -> list:
    """BERT-base's, or `count` equal square matrices with about this many entries in all."""
    if parameters is None:
        return list(Transformer(width=768, layers=12, heads=12, **BERT).shapes().values())
    side = round((parameters / count) ** 0.5)
    return [(side, side)] * count


def clock(work, device) -> float:
    """Seconds."""
    if device == "cpu":
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / 1e3


def peak_bytes(work, device) -> int:
    """The most that is allocated at one time while `work` runs, above what there was."""
    if device != "cpu":
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        work()
        return torch.cuda.max_memory_allocated() - before
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as watch:
        work()
    events = watch.profiler.kineto_results.events()
    changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
    return max(0, int(np.cumsum([size for _, size in changes]).max())) if changes else 0


def launches(work, device) -> int | None:
    """Kernels that `work` starts on a GPU."""
    if device == "cpu":
        return None
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as watch:
        work()
        torch.cuda.synchronize()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in watch.events())


def measure(table, sizes, rounds, device) -> tuple[dict, dict, list]:
    """Seconds by row; what else there is to say by row; the rows that cannot run and why."""
    generator = torch.Generator().manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(s, generator=generator).mul_(0.02).to(device)) for s in sizes]
    for p in params:
        p.grad = torch.randn(p.shape, generator=generator).mul_(0.01).to(device)
    scratch = [torch.empty_like(p) for p in params]
    tasks = {
        "copy": lambda: [c.copy_(p) for c, p in zip(scratch, params, strict=True)],
        "x += a g": lambda: [c.add_(p.grad, alpha=1e-9) for c, p in zip(scratch, params, strict=True)],
    }
    facts, missing = {}, []
    for name, (_, make) in table.items():
        try:
            opt = make(params)
        except ImportError as error:
            missing.append(f"{name}: {error}")
            continue
        start = time.perf_counter()
        opt.step()
        if device != "cpu":
            torch.cuda.synchronize()
        first = time.perf_counter() - start
        opt.step()
        tensors = (v for s in opt.state.values() for v in s.values() if torch.is_tensor(v) and v.ndim)
        state = sum(t.numel() * t.element_size() for t in tensors)
        peak, started = peak_bytes(opt.step, device), launches(opt.step, device)
        facts[name] = {"state": state, "peak": peak, "first": first, "launches": started}
        tasks[name] = opt.step
    with torch.no_grad():
        seconds = {name: [] for name in tasks}
        for k in range(rounds + 1):
            for name, task in tasks.items():
                taken = clock(task, device)
                seconds[name] += [taken] if k else []
    return seconds, facts, missing


def report(args) -> str:
    table = rows(not torch_optim.cannot_compile(args.device))
    sizes = shapes(args.parameters, args.count)
    seconds, facts, missing = measure(table, sizes, args.rounds, args.device)
    n = sum(int(np.prod(s)) for s in sizes)
    middle = {name: float(np.median(times)) for name, times in seconds.items()}
    rate = max(8 * n / middle["copy"], 12 * n / middle["x += a g"])
    lines = [
        f"{n:,} float32 parameters in {len(sizes)} tensors, {args.rounds} rounds, torch {torch.__version__}, "
        f"{args.device}, {torch.get_num_threads()} threads, {rate / 1e9:.0f} GB/s",
        f"{'':<28}{'ms':>8}{'quartiles':>16}{'x floor':>9}{'x best peer':>12}{'state MB':>10}"
        f"{'peak MB':>9}{'first s':>9}{'launches':>9}",
    ]
    for name, fact in facts.items():
        method = table[name][0]
        low, high = np.percentile(seconds[name], [25, 75])
        peers = [middle[p] for p in facts if p in PEERS and table[p][0] == method]
        floor = bytes_per_parameter(method) * n / rate
        against = f"{middle[name] / min(peers):.2f}" if peers else "-"
        lines.append(
            f"{name:<28}{1e3 * middle[name]:>8.1f}{f'{1e3 * low:.1f}-{1e3 * high:.1f}':>16}"
            f"{middle[name] / floor:>9.2f}{against:>12}{fact['state'] / 1e6:>10.2f}"
            f"{fact['peak'] / 1e6:>9.1f}{fact['first']:>9.1f}{fact['launches'] or '-':>9}"
        )
    return "\n".join(lines + [f"not run: {reason}" for reason in missing])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="time one step of every PyTorch optimizer")
    parser.add_argument("--rounds", type=int, default=9, help="timed rounds (default 9)")
    parser.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    parser.add_argument("--threads", type=int, default=2, help="on a CPU (default 2)")
    parser.add_argument("--parameters", type=int, help="so many, in place of BERT-base's")
    parser.add_argument("--count", type=int, default=12, help="in so many equal matrices (default 12)")
    parser.add_argument("--fresh", action="store_true", help="the compiler starts from nothing")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    with tempfile.TemporaryDirectory() as folder:
        if args.fresh:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        print(report(args))
