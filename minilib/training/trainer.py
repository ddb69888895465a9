"""The training run, top to bottom: `train(Config(...))`, or `python -m minilib.training`.

A run is a function of its configuration: weights, order of rows, masks and dropout are drawn from `seed` and the number
of the step, so that nothing but parameters, optimizer state and that number is needed to go on, and nothing depends on
how many processes share the work. Whatever is asked of the device is asked without waiting for it; it is waited for
every `log_every` steps.
"""

import json
import math
import signal
import threading
from collections.abc import Iterator
from time import perf_counter

import torch
from torch import nn
from tqdm import tqdm

from minilib import schedules
from minilib.analysis import noise
from minilib.analysis.flops import per_row
from minilib.torch_optim import cannot_compile
from minilib.training import checkpoint, distributed, export
from minilib.training.config import Config, Phase
from minilib.training.data.batches import Data
from minilib.training.device import describe, matmul_rate, peak_bytes, precision, seed, sync, wait
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import MetricsLogger, check_folder, check_tokenizer
from minilib.training.step import step_if_finite

NOT_VALIDATED = {"validation_loss": math.nan, "validation_accuracy": math.nan}


class Diverged(RuntimeError):
    """The loss or the gradients are beyond repair; the message says what to try."""


def train(config: Config, quiet: bool = False) -> dict:
    """Train, or go on where the run in `config.folder` stopped; returns the results that `run.json` has.

    Raises:
        ValueError: the configuration cannot be run here: unknown model or corpus, a batch that cannot be divided, a
            folder with another run, a device that is not there, `compile` where nothing can be compiled.
        Diverged: too many gradients were not finite, or the loss exploded. The last good checkpoint is kept.
        Stopped: SIGTERM came; a checkpoint of the last step is kept.
    """
    env = distributed.init(config.device)
    try:
        return Run(config, env, quiet).go()
    finally:
        distributed.shutdown()


class Stopped(RuntimeError):
    """The run was asked to stop, and can go on from its checkpoint."""


class Stretch:
    """The steps since the last row of the curve.

    Attributes:
        losses: the sum of the losses of those that were not skipped, and their number, on the device.
        steps: how many there were; `began`: the time of the first.
    """

    def __init__(self, device: torch.device):
        self.losses, self.steps, self.began = torch.zeros(2).to(device), 0, perf_counter()

    def add(self, loss: torch.Tensor) -> None:
        """Count a step; `loss` is (loss, 1), or (0, 0) where it was skipped."""
        self.losses, self.steps = self.losses + loss, self.steps + 1


class Run:
    """One process's part of a run."""

    # ---- Everything that is needed, in the order in which it is needed ------------------------------------------

    def __init__(self, config: Config, env: distributed.DistEnv, quiet: bool):
        self.config, self.env, self.device = config, env, env.device
        self.first, self.quiet = env.rank == 0, quiet or env.rank > 0
        self.folder = config.folder
        self.plan = config.plan
        self.total = sum(phase.steps for phase in self.plan)
        model = distributed.rank0_first(self.prepare, env)
        self.parameters = sum(p.numel() for p in model.parameters())
        self.row_flops = [per_row(model, self.data.batch(k, 0, 0)) for k in range(len(self.plan))]
        model = model.to(self.device)
        if config.compile:
            model.compile()
        self.model = distributed.parallelize(model, env, config.parallel)
        self.optimizer = optimizer(config.optimizer, self.model, config.lr, config.weight_decay, self.device)
        slow = distributed.any_of((config.precision or precision(self.device)) == "fp32", env)  # one says, all do
        self.precision, self.dtype = ("fp32", torch.float32) if slow else ("bf16", torch.bfloat16)

        self.step = self.tokens = 0
        self.seconds = 0.0  # of training: the clock stops while the run validates or saves
        self.skipped = torch.zeros(()).to(self.device)  # data, while zeros made there are a part of XLA's program
        self.resume()
        self.complete = self.step == self.total and (self.folder / "run.json").exists()
        self.metrics = distributed.rank0_first(self.open_metrics, env)

    def prepare(self) -> nn.Module:
        """Data and model. What is wrong with the configuration is found here, before processes wait for each other."""
        export.shape(self.config)  # an unknown name is found before there is work
        check_folder(self.config)
        if self.config.compile and (reason := cannot_compile(self.device.type)):
            raise ValueError(f"compile = True: {reason}")
        self.micro = [micro_batch(self.config, phase, self.env.world_size) for phase in self.plan]
        self.data = Data(self.config, self.env, self.micro)
        check_tokenizer(self.folder, self.data.tokenizer)
        torch.manual_seed(self.config.seed)
        model = export.build(self.config, len(self.data.tokenizer))
        if self.config.init_from:
            export.init_weights(model, self.config)
        return model

    def open_metrics(self) -> MetricsLogger | None:
        """Rank 0 has one, of a run that is not complete."""
        if self.first and not self.complete:
            return MetricsLogger(self.folder, self.config, self.data.tokenizer, self.step)

    def resume(self):
        newest = checkpoint.newest(self.folder / "checkpoints")
        if newest is None:
            return
        distributed.load_full_state_dict(self.model, self.optimizer, newest.model, newest.optimizer)
        self.step, self.tokens, self.seconds = (newest.state[name] for name in ("step", "tokens", "seconds"))
        self.skipped += newest.state["skipped"]
        self.say(f"going on after step {self.step:,} of {self.total:,}")

    # ---- The loop ------------------------------------------------------------------------------------------------

    def go(self) -> dict:
        """All steps that are left; a run that is complete stays as it is."""
        if self.complete:
            self.say(f"{self.folder} is complete: give another --out for another run")
            return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))["results"]
        asked, row, stretch = self.listen(), None, Stretch(self.device)
        bar = tqdm(total=self.total, initial=self.step, disable=True if self.quiet else None, unit="step")
        self.model.train()
        for k, phase, number in self.steps_left():
            lr = learning_rate(self.config, phase, number)
            loss, norm, squares = self.one_step(k, phase, number, lr)
            self.step, self.tokens = self.step + 1, self.tokens + phase.batch_size * phase.length
            stretch.add(loss)
            sync(self.device)
            bar.update()
            due = self.due(asked)
            if not due:
                continue
            wait(self.device)
            self.seconds += perf_counter() - stretch.began
            row = self.measure(k, phase, stretch, lr, norm) | self.noise(k, phase, squares)
            self.check_health(row["loss"])
            row |= self.validate() if "validate" in due else NOT_VALIDATED
            bar.set_postfix(loss=f"{row['loss']:.3f}", refresh=False)
            self.tell(row, validated="validate" in due)
            if due & {"save", "stop"}:
                self.save()
            if "stop" in due:
                raise Stopped(f"asked to stop: saved after step {self.step:,}; the same command goes on")
            stretch = Stretch(self.device)
        bar.close()
        return self.finish(row or self.validate())

    def steps_left(self) -> Iterator[tuple[int, Phase, int]]:
        """The number of the phase, the phase, and the number of the step in it, for each step that is left."""
        first = 0
        for k, phase in enumerate(self.plan):
            for number in range(max(0, self.step - first), phase.steps):
                yield k, phase, number
            first += phase.steps

    def due(self, asked: threading.Event) -> set[str]:
        """What is to be done after this step: "log", "validate", "save", "stop"; the same in all processes."""
        often = {"log": self.config.log_every, "validate": self.config.evaluate_every, "save": self.config.save_every}
        due = {name for name, every in often.items() if self.step % every == 0}
        if self.step == self.total:
            due |= {"log", "validate", "save"}
        if ("log" in due or self.env.world_size == 1) and distributed.any_of(asked.is_set(), self.env):
            due.add("stop")
        return due

    def one_step(self, k: int, phase: Phase, number: int, lr: float):
        """Gradients of the whole batch, clipped, and a step.

        Returns:
            (loss, 1), or (0, 0) where the step was skipped; the gradient's norm; squared norms of a part and of all.
        """
        count = phase.batch_size // (self.micro[k] * self.env.world_size)
        if self.config.dropout:
            seed(self.device, ((self.config.seed + 1) * 1_000_003 + self.step) * 4_096 + self.env.rank)
        total, small = 0.0, None
        for i in range(count):
            batch = self.data.batch(k, number, i)
            distributed.accumulate(self.model, last=i == count - 1)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
                loss = self.model(batch).loss / count
            loss.backward()
            total = total + loss.detach()
            if self.config.noise_scale and i == 0 and count > 1:
                small = squared_norm(self.model) * count**2
        norm, finite = step_if_finite(self.optimizer, self.model.parameters(), lr, self.config.clip)
        self.skipped += ~finite
        counted = torch.stack([torch.where(finite, total, 0.0), finite.float()])
        return counted, norm, (small, norm * norm)

    # ---- What the loop asks for now and then --------------------------------------------------------------------

    @torch.no_grad()
    def validate(self) -> dict:
        """Mean loss and share of right answers over the same rows and masks each time."""
        self.model.eval()
        sums, rows = torch.zeros(3, device=self.device), torch.ones((), device=self.device)
        for batch in self.data.validation():
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
                out = self.model(batch)
            count = len(next(iter(batch.values())))  # the last batches may have a row less
            sums += count * torch.stack([out.loss, out.correct, rows])
            sync(self.device)
        self.model.train()
        loss, correct, rows = distributed.mean(sums, self.env).tolist()
        return {"validation_loss": loss / rows, "validation_accuracy": correct / rows}

    def measure(self, k: int, phase: Phase, stretch: "Stretch", lr: float, norm: torch.Tensor) -> dict:
        """A row of the curve: where the run is, the mean loss of a stretch, and how fast it was.

        `utilisation` is the share of the devices' matmul rate that was used.
        """
        rows = stretch.steps * phase.batch_size / (perf_counter() - stretch.began)
        peak = matmul_rate(self.device, self.dtype) * self.env.world_size
        return {
            "step": self.step,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 3),
            "loss": float(distributed.mean(stretch.losses[0] / stretch.losses[1], self.env)),
            "lr": lr,
            "grad_norm": float(norm),
            "tokens_per_second": round(rows * phase.length, 1),
            "utilisation": rows * self.row_flops[k] / peak,
        }

    def tell(self, row: dict, validated: bool) -> None:
        """Keep a row of the curve, and say a line where the run was validated."""
        if self.first:
            self.metrics.add(row)
        if validated:
            self.say(
                f"step {self.step:>6,}  {self.tokens / 1e6:7.2f} M tokens  loss {row['loss']:.3f}"
                f"  validation {row['validation_loss']:.3f}  {row['tokens_per_second']:,.0f} tokens/s"
            )

    def noise(self, k: int, phase: Phase, squares) -> dict:
        """Two unbiased estimates, to be averaged over rows before they are divided: noise scale = noise/signal."""
        small, big = squares
        if small is None:
            return dict.fromkeys(("noise_signal", "noise_noise"), math.nan)
        small = float(distributed.mean(small, self.env))
        signal, noisy = noise.two_batch(small, float(big), self.micro[k], phase.batch_size)
        return {"noise_signal": signal, "noise_noise": noisy}

    def check_health(self, loss: float) -> None:
        guess = math.log(self.config.vocabulary)
        skipped = int(self.skipped)
        if skipped > self.config.max_skipped:
            trouble = f"{skipped} steps had a gradient that was not finite"
        elif loss > 2 * guess:  # NaN where all steps since the last row were skipped
            trouble = f"the loss is {loss:.2f}, that of guessing {guess:.2f}"
        else:
            return
        raise Diverged(
            f"gave up at step {self.step}: {trouble}. Try a lower lr, a longer warm-up or precision fp32; the last "
            f"good checkpoint is in {self.folder / 'checkpoints'}"
        )

    def save(self) -> None:
        weights, state = distributed.full_state_dict(self.model, self.optimizer)
        if self.first:
            numbers = {"step": self.step, "tokens": self.tokens, "seconds": self.seconds, "skipped": int(self.skipped)}
            checkpoint.save(self.folder / "checkpoints", self.step, weights, state, numbers)

    def finish(self, row: dict) -> dict:
        seen = {name: row[name] for name in ("validation_loss", "validation_accuracy")}
        results = seen | {
            "steps": self.step,
            "tokens": self.tokens,
            "unigram_entropy": self.data.unigram_entropy,
            "parameters": self.parameters,
            "tokens_per_second": round(self.tokens / max(self.seconds, 1e-9), 1),
            "skipped": int(self.skipped),
            "peak_bytes": peak_bytes(self.device),
            "processes": self.env.world_size,
            "precision": self.precision,
        }
        if self.first:
            self.metrics.finish(describe(self.device), self.seconds, results)
            self.say(
                f"done: validation loss {row['validation_loss']:.3f}, unigram entropy "
                f"{self.data.unigram_entropy:.3f}; everything is in {self.folder}"
            )
        return results

    def listen(self) -> threading.Event:
        """An event that SIGTERM sets. Only the main thread of a program may listen."""
        asked = threading.Event()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: asked.set())
        return asked

    def say(self, text: str) -> None:
        if not self.quiet:
            tqdm.write(text)


def learning_rate(config: Config, phase: Phase, step: int) -> float:
    """The learning rate of a step of a phase, counted from 0: the peak times warm-up times decay."""
    peak = phase.lr * (schedules.sqrt_scaling(phase.batch_size, config.scale_lr) if config.scale_lr else 1.0)
    warm = round(phase.warmup * phase.steps) if phase.warmup < 1 else round(phase.warmup)
    decay = {
        "constant": lambda: 1.0,
        "linear": lambda: schedules.polynomial(step, phase.steps),
        "polynomial": lambda: schedules.polynomial(step, phase.steps, config.power),
        "cosine": lambda: schedules.cosine(step, phase.steps),
    }
    return peak * schedules.warmup(step, warm) * decay[config.schedule]()


def micro_batch(config: Config, phase: Phase, world_size: int) -> int:
    """Rows that a process takes at once. ValueError when the batch cannot be divided so."""
    share, rest = divmod(phase.batch_size, world_size)
    if rest:
        raise ValueError(f"batch_size must be divisible by the {world_size} processes, got {phase.batch_size}")
    micro = min(config.micro_batch or share, share)
    if share % micro:
        raise ValueError(f"micro_batch must divide the {share} rows that a process has a step, got {micro}")
    if config.noise_scale and (share == micro or (world_size > 1 and config.parallel == "fsdp")):
        raise ValueError(
            f"noise_scale needs two micro-batches a process, and not fsdp: give a micro_batch below {share}"
        )
    return micro


def squared_norm(model: nn.Module) -> torch.Tensor:
    """Of the gradients that this process has."""
    return sum(p.grad.detach().float().square().sum() for p in model.parameters() if p.grad is not None)
