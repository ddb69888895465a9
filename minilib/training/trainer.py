"""The training run, top to bottom: `train(Config(...))`, or `python -m minilib.training`.

A run is a function of its configuration: weights, order of rows, masks and dropout are drawn from `seed` and the number
of the step, so that nothing but parameters, optimizer state and that number is needed to go on. How many processes
share the work, and in how large pieces, changes roundings only; with dropout also which activations are dropped, for
these are drawn by process and piece. Whatever is asked of the device is asked without waiting for it; it is waited for
every `log_every` steps.
"""

import contextlib
import math
import signal
import sys
import threading
import zlib
from collections.abc import Iterable, Iterator
from time import perf_counter

import torch
from torch import nn
from tqdm import tqdm

from minilib import schedules
from minilib.analysis.flops import per_row
from minilib.data.progress import silent
from minilib.training import checkpoint, distributed, export
from minilib.training.batches import Data
from minilib.training.config import Config, Phase
from minilib.training.device import (
    compile_in_place,
    describe,
    matmul_rate,
    peak_bytes,
    precision,
    wait,
    why_not_compiled,
)
from minilib.training.optimizers import optimizer
from minilib.training.pace import Pace
from minilib.training.run_dir import LOCK, MetricsLogger, check_folder, check_tokenizer, read_results, run_lock
from minilib.training.step import step_if_finite

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}  # the less is needed, the earlier
MAX_SKIPPED = 20  # steps without a finite gradient, before a run gives up
MANY_PASSES = 4  # over the corpus: up to so many are worth nearly as much as new text (Muennighoff et al. 2023)
LARGER = "--corpus c4-sample (fetched once, 320 MB), OWNER/NAME of the Hugging Face Hub, or your own"
NOT_VALIDATED = {"validation_loss": math.nan, "validation_accuracy": math.nan}


class Diverged(RuntimeError):
    """The loss or the gradients are beyond repair; the message says what to try."""


class Stopped(RuntimeError):
    """The run was asked to stop, and can go on from its checkpoint."""


def train(config: Config, quiet: bool = False) -> dict:
    """Train, or go on where the run in `config.folder` stopped; returns the results that `run.json` has.

    ValueError: the configuration cannot be run here: unknown model, corpus or device, a batch that cannot be divided, a
    folder with another run or one that is under way, checkpoints of which none is whole, processes that do not see the
    same folder or corpus, `compile` where nothing can be compiled.
    OSError: the disk is full, or a file cannot be written; the checkpoints that were there still are.
    Diverged: too many gradients were not finite, or the loss exploded. The last good checkpoint is kept.
    Stopped: SIGTERM or SIGINT (Ctrl-C) came; a checkpoint of the last step is kept.
    """
    with contextlib.ExitStack() as held:
        held.callback(distributed.shutdown)
        env = distributed.init(config.device)
        alone = contextlib.nullcontext() if env.rank else run_lock(config.folder)
        distributed.rank0_first(lambda: held.enter_context(alone), env)
        run = Run(config, env, quiet)
        held.callback(run.wait_for_checkpoint)
        return run.go()


class Run:
    """One process's part of a run."""

    # ---- Everything that is needed, in the order in which it is needed ------------------------------------------

    def __init__(self, config: Config, env: distributed.DistEnv, quiet: bool):
        self.config, self.env, self.device = config, env, env.device
        self.first, self.quiet = env.rank == 0, quiet or env.rank > 0
        self.folder, self.plan = config.folder, config.plan
        self.total = sum(phase.steps for phase in self.plan)
        self.say = silent if self.quiet else tqdm.write
        self.say(f"reading {config.corpus}")
        model, newest = distributed.rank0_first(self.prepare, env)
        self.check_agreement(model, newest)
        self.parameters = sum(p.numel() for p in model.parameters())
        self.tables = sum(m.weight.numel() for m in model.modules() if isinstance(m, nn.Embedding))
        self.row_flops = [per_row(model, self.data.batch(k, 0, 0)) for k in range(len(self.plan))]
        if self.device.type == "cuda":
            # From here on float32 is multiplied with the mantissa cut to 10 bits (TF32), where the card can: much
            # faster. Sums stay float32. What it costs in accuracy bfloat16 costs eight times.
            torch.set_float32_matmul_precision("high")
        self.precision = next(name for name in DTYPES if distributed.any_of(self.wanted == name, env))  # one for all
        self.dtype = DTYPES[self.precision]
        self.peak = matmul_rate(self.device, self.dtype) * env.world_size  # operations a second
        self.scaler = torch.amp.GradScaler(self.device.type) if self.precision == "fp16" else None
        model = model.to(self.device)
        if config.compile:
            compile_in_place(model, self.device)
        self.model = distributed.parallelize(model, env, config.parallel, self.dtype)
        numbers = {name: getattr(config, name) for name in ("beta1", "beta2", "eps", "state_dtype")}
        self.optimizer = optimizer(config.optimizer, self.model, config.lr, config.weight_decay, self.device, **numbers)
        self.saving = None  # the checkpoint that is being written
        self.resume(newest)

    def prepare(self) -> tuple[nn.Module, checkpoint.Checkpoint | None]:
        """Model and newest checkpoint. ValueError for all that is wrong: before processes wait for each other."""
        export.shape(self.config)  # an unknown name is found before there is work
        there = check_folder(self.config)
        if self.config.compile and (reason := why_not_compiled(self.device)):
            raise ValueError(f"compile = True: {reason}")
        if self.config.state_dtype == "uint8" and sharded(self.config, self.env):
            how = self.config.parallel
            raise ValueError(f"state_dtype must be bfloat16 or left out with {how}, which cuts its blocks, got uint8")
        micro = [micro_batch(self.config, phase, self.env.world_size) for phase in self.plan]
        self.wanted = own_precision(self.config, self.env)
        self.data = Data(self.config, self.env, micro, self.say)
        check_tokenizer(self.folder, self.data.tokenizer)
        torch.manual_seed(self.config.seed)
        model = export.new_model(self.config, len(self.data.tokenizer))
        if there and there.stable < self.config.stable:
            checkpoint.set_aside(self.folder / "checkpoints", there.stable)
        newest = checkpoint.newest(self.folder / "checkpoints")
        if newest is not None:
            export.check_weights(model, newest.model, self.folder)
            if there and self.config.stable < min(there.stable, newest.state["step"]):
                raise ValueError(
                    f"{self.folder} has a run of {newest.state['step']:,} steps, now they are {self.config.stable:,}"
                    f"{' and a cooldown' * (self.config.schedule == 'wsd')}: a run can be made longer, not shorter"
                )
        return model, newest

    def check_agreement(self, model: nn.Module, newest: checkpoint.Checkpoint | None) -> None:
        """All processes begin, or go on, from the same: before they are tied together."""
        if self.env.world_size > 1:
            facts = {"newest checkpoint": "none" if newest is None else f"step {newest.state['step']}"}
            facts |= {"text": self.data.fingerprint, "tokenizer": len(self.data.tokenizer)}
            facts["weights"] = checksum(model.parameters() if newest is None else newest.model.values())
            if self.config.parallel != "ddp":  # whose processes all write into it
                facts["run in the --out folder"] = (self.folder / LOCK).exists()
            distributed.agree(facts, self.env)

    def resume(self, newest: checkpoint.Checkpoint | None) -> None:
        """Begin where the newest checkpoint is, or at the start."""
        state = {"step": 0, "tokens": 0, "seconds": 0.0, "skipped": 0}
        if newest is not None:
            distributed.load_full_state_dict(self.model, self.optimizer, newest.model, newest.optimizer)
            state = newest.state
        self.step, self.tokens = state["step"], state["tokens"]
        self.seconds = state["seconds"]  # of training: the clock stops while the run validates or saves
        self.skipped = torch.tensor(float(state["skipped"])).to(self.device)
        # the step and the loss of the best validation, and how many there were since
        self.best = {"since": 0} | state["best"] if state.get("best") else None
        if self.scaler and state.get("scaler"):
            self.scaler.load_state_dict(state["scaler"])
        if 0 < self.step < self.total and not self.out_of_patience():
            self.say(f"going on after step {self.step:,} of {self.total:,}")

    # ---- The loop ------------------------------------------------------------------------------------------------

    def go(self) -> dict:
        """All steps that are left; a run that is complete stays as it is."""
        over = self.step == self.total or self.out_of_patience()
        if over and (self.folder / "run.json").exists():
            more = "steps" if self.step == self.total else "patience"
            self.say(f"{self.folder} is complete: give another --out for another run, or more --{more} to go on")
            return read_results(self.folder)
        begin = (self.folder, self.config, self.data.tokenizer, self.step)
        self.metrics = distributed.rank0_first(lambda: MetricsLogger(*begin) if self.first else None, self.env)
        self.log_summary()
        with self.listening() as request:
            return self.loop(request)

    def loop(self, request: threading.Event) -> dict:
        row = None
        bar = tqdm(total=self.total, initial=self.step, disable=True if self.quiet else None, unit="step")
        tells = not self.quiet and (bar.disable or not sys.stdout.isatty())  # in a terminal the bar does
        pace = self.pace = Pace(sum(phase.batch_size * self.row_flops[k] for k, phase, _ in self.steps_left()))
        self.model.train()
        self.begin_row()
        for k, phase, number in self.steps_left():
            lr = learning_rate(self.config, phase, number)
            norm = self.one_step(k, phase, number, lr)
            self.step, self.tokens = self.step + 1, self.tokens + phase.batch_size * phase.length
            if self.saving is not None and self.saving.done():  # it may have failed
                self.wait_for_checkpoint()
            bar.update()
            pace.add(phase.batch_size * self.row_flops[k])
            due = self.due(request)
            if not due:
                if tells and pace.due():
                    total, count = self.losses.tolist()  # of this process's rows: no other is asked
                    self.tell(total / count if count else math.nan, self.rows_a_second(phase) * phase.length)
                continue
            wait(self.device)
            self.seconds += perf_counter() - self.row_began
            row = self.measure(k, phase, lr, norm)
            self.check_health(row["loss"])
            row |= self.validate() if "validate" in due else NOT_VALIDATED
            if "validate" in due and (self.is_best(row["validation_loss"]) or self.out_of_patience()):
                due.add("save")
            bar.set_postfix(loss=f"{row['loss']:.3f}", refresh=False)
            if self.first:
                self.metrics.add(row)
            if "validate" in due or (tells and pace.due()):
                self.tell(row["loss"], row["tokens_per_second"], row["validation_loss"])
            if due & {"save", "stop"}:
                self.save()
            if "stop" in due:
                self.wait_for_checkpoint()
                raise Stopped(f"asked to stop: saved after step {self.step:,}; the same command goes on")
            self.begin_row()
        bar.close()
        self.wait_for_checkpoint()
        return self.finish(row or self.validate())

    def steps_left(self) -> Iterator[tuple[int, Phase, int]]:
        """The number of the phase, the phase, and the number of the step in it, for each step that is left."""
        first = 0
        for k, phase in enumerate(self.plan):
            for number in range(max(0, self.step - first), phase.steps):
                if self.out_of_patience():
                    return
                yield k, phase, number
            first += phase.steps

    def due(self, request: threading.Event) -> set[str]:
        """What is to be done after this step: "log", "validate", "save", "stop"; the same in all processes."""
        often = {"log": self.config.log_every, "validate": self.config.evaluate_every, "save": self.config.save_every}
        due = {name for name, every in often.items() if self.step % every == 0}
        if self.step == self.total:
            due |= {"log", "validate", "save"}
        if self.step == self.config.stable:
            due.add("save")
        if ("log" in due or self.env.world_size == 1) and distributed.any_of(request.is_set(), self.env):
            due.add("stop")
        return due

    def begin_row(self) -> None:
        """From here on counts what the next row of the curve will have."""
        self.losses = torch.zeros(2).to(self.device)  # the sum over the steps that were not skipped, and their number
        self.row_began, self.row_step = perf_counter(), self.step

    def one_step(self, k: int, phase: Phase, number: int, lr: float) -> torch.Tensor:
        """Gradients of the whole batch, clipped, and a step. Returns the gradient's norm."""
        count = self.data.loaders[k].micros
        if self.config.dropout:
            torch.manual_seed(dropout_seed(self.config.seed, self.step, self.env.rank))  # of the device too
        total = 0.0
        for i in range(count):
            batch = self.data.batch(k, number, i)
            distributed.accumulate(self.model, last=i == count - 1)
            with torch.autocast(self.device.type, self.dtype, enabled=self.precision != "fp32"):
                loss = self.model(batch).loss / count
            (self.scaler.scale(loss) if self.scaler else loss).backward()
            total = total + loss.detach()
        norm, finite = step_if_finite(self.optimizer, self.model.parameters(), lr, self.config.clip, self.scaler)
        self.skipped += ~finite
        self.losses = self.losses + torch.stack([torch.where(finite, total, 0.0), finite.float()])
        return norm

    # ---- What the loop asks for now and then --------------------------------------------------------------------

    @torch.no_grad()
    def validate(self) -> dict:
        """Mean loss and share of right answers over the same rows and masks each time."""
        self.model.eval()
        sums, rows = torch.zeros(3, device=self.device), torch.ones((), device=self.device)
        for batch in self.data.validation():
            with torch.autocast(self.device.type, self.dtype, enabled=self.precision != "fp32"):
                out = self.model(batch)
            count = len(next(iter(batch.values())))  # the last batches may have a row less
            sums += count * torch.stack([out.loss, out.correct, rows])
        self.model.train()
        loss, correct, rows = distributed.mean(sums, self.env).tolist()
        return {"validation_loss": loss / rows, "validation_accuracy": correct / rows}

    def measure(self, k: int, phase: Phase, lr: float, norm: torch.Tensor) -> dict:
        rows = self.rows_a_second(phase)
        return {
            "step": self.step,
            "tokens": self.tokens,
            "seconds": round(self.seconds, 3),
            "loss": float(distributed.mean(self.losses[0] / self.losses[1], self.env)),
            "lr": lr,
            "grad_norm": float(norm),
            "tokens_per_second": round(rows * phase.length, 1),
            "utilisation": rows * self.row_flops[k] / self.peak,  # of the devices' rate of multiplication
        }

    def rows_a_second(self, phase: Phase) -> float:
        """Since the last row of the curve."""
        return (self.step - self.row_step) * phase.batch_size / (perf_counter() - self.row_began)

    def tell(self, loss: float, tokens_per_second: float, validation: float = math.nan) -> None:
        """Where the run is, in a line."""
        line = f"step {self.step:>6,} of {self.total:,}  {self.tokens / 1e6:.2f} M tokens  loss {loss:.3f}"
        line += "" if math.isnan(validation) else f"  validation {validation:.3f}"
        line += f"  {tokens_per_second:,.0f} tokens/s"
        minutes = self.pace.minutes_left()
        self.say(line if minutes is None else f"{line}  about {minutes:,.1f} minutes left")

    def check_health(self, loss: float) -> None:
        guess, skipped, allowed = math.log(len(self.data.tokenizer)), int(self.skipped), MAX_SKIPPED
        if self.scaler:  # after so many good steps it tries twice its scale, which may cost a step
            allowed += (self.step - skipped) // self.scaler.get_growth_interval()
        if skipped <= allowed and not loss > 2 * guess:  # NaN where all steps since the last row were skipped
            return
        trouble = f"the loss is {loss:.2f}, that of guessing {guess:.2f}"
        if skipped > allowed:
            trouble = f"{skipped} steps had a gradient that was not finite, where {allowed} may"
        self.wait_for_checkpoint()
        kept = checkpoint.complete(self.folder / "checkpoints")
        where = f"the last good checkpoint is {kept[-1]}" if kept else "there was no checkpoint yet"
        raise Diverged(
            f"gave up at step {self.step}: {trouble}. Try a lower --lr, a longer --warmup or --precision fp32; {where}"
        )

    def is_best(self, loss: float) -> bool:
        """Keep the best validation, and count those since; is this one it, and is it to be saved?"""
        if self.best and not loss < self.best["validation_loss"]:
            self.best = self.best | {"since": self.best["since"] + 1}
            return False
        if math.isnan(loss):
            return False
        self.best = {"step": self.step, "validation_loss": loss, "since": 0}
        return self.config.patience is not None

    def out_of_patience(self) -> bool:
        """Whether `patience` validations have passed since the best one."""
        return self.best is not None and self.best["since"] >= (self.config.patience or math.inf)

    def save(self) -> None:
        """Begin to write a checkpoint, when the one before is written. Of a sharded model all processes write."""
        self.wait_for_checkpoint()
        weights, state = distributed.state_dict(self.model, self.optimizer)
        group = self.env.patient if sharded(self.config, self.env) else None
        if self.first or group is not None:
            numbers = {"step": self.step, "tokens": self.tokens, "seconds": self.seconds, "skipped": int(self.skipped)}
            numbers |= {"best": self.best, "scaler": self.scaler and self.scaler.state_dict()}
            spared = {self.config.stable, self.best["step"] if self.best and self.config.patience else None}
            folder, keep = self.folder / "checkpoints", self.config.keep
            self.saving = checkpoint.begin(folder, self.step, weights, state, numbers, keep, spared, group)

    def wait_for_checkpoint(self) -> None:
        """Until the one that is being written is on the disk. OSError: it could not be written."""
        if self.saving is not None:
            saving, self.saving = self.saving, None
            saving.result()

    def finish(self, row: dict) -> dict:
        results = {name: row[name] for name in NOT_VALIDATED} | {
            "steps": self.step,
            "stopped_early": self.step < self.total,
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
            how = "done"
            if self.step < self.total:
                best = f"{self.best['validation_loss']:.3f} at step {self.best['step']:,}"
                how = f"stopped early, after {self.best['since']} validations without a better one than {best}"
            self.say(
                f"{how}: validation loss {row['validation_loss']:.3f}, unigram entropy "
                f"{self.data.unigram_entropy:.3f}; everything is in {self.folder}"
            )
        return results

    @contextlib.contextmanager
    def listening(self) -> Iterator[threading.Event]:
        """An event that SIGTERM and Ctrl-C set, the latter once. Only the main thread of a program may listen."""
        request, before = threading.Event(), {}

        def stop(number, _):
            request.set()
            if number == signal.SIGINT:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                self.say("stopping: the checkpoint of this step is written (again Ctrl-C to stop without it)")

        if threading.current_thread() is threading.main_thread():
            before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield request
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def log_summary(self) -> None:
        config, data, last = self.config, self.data, self.plan[-1]
        entries = f"{len(data.tokenizer):,} entries"
        if len(data.tokenizer) < config.vocabulary:
            entries += f" (of {config.vocabulary:,} asked for: the text gives no more)"
        if data.sampled:
            entries += f", trained on a sample of {data.sampled / 1e6:,.0f} million characters of the corpus"
        own = [f"{name} {value}" for name in ("layers", "width", "heads") if (value := getattr(config, name))]
        model = config.model + f" with {', '.join(own)}" * bool(own)
        phases = f"; the last of {len(self.plan)} phases" if len(self.plan) > 1 else ""
        tokens = sum(phase.steps * phase.batch_size * phase.length for phase in self.plan)
        flops = sum(p.steps * p.batch_size * f for p, f in zip(self.plan, self.row_flops, strict=True))
        self.say(
            f"corpus     {config.corpus}: {data.sizes[0]:,} tokens, and {data.sizes[1]:,} held out ({data.how})\n"
            f"tokenizer  {data.tokenizer.kind}, {entries}\n"
            f"model      {model}: {self.parameters:,} parameters, {self.parameters - self.tables:,} without the tables"
            f" of its embeddings; {config.optimizer}, lr {last.lr:g}\n"
            f"steps      {self.total:,} with {last.batch_size:,} rows of {last.length} tokens{phases}: {tokens:,}"
            f" tokens, {tokens / data.sizes[0]:.1f} times the corpus\n"
            f"device     {self.precision} on {describe(self.device)}, {self.env.world_size} process(es),"
            f" {config.parallel}; {flops / self.peak / 60:.1f} minutes at its full rate of multiplication, which no run"
            " reaches"
        )
        if tokens > MANY_PASSES * data.sizes[0]:
            self.say(
                f"warning    {tokens / data.sizes[0]:,.1f} passes over {data.sizes[0]:,} tokens: after {MANY_PASSES} a"
                f" pass teaches less than new text would. Give more text ({LARGER}), fewer --steps or a smaller model"
            )
        elif self.device.type != "cpu" and config.corpus == Config.corpus:
            self.say(f"notice     this is the small run; what suits the device wants more text: {LARGER}")


def checksum(tensors: Iterable[torch.Tensor]) -> int:
    total = 0
    for t in tensors:
        total = zlib.crc32(t.detach().reshape(-1).view(torch.uint8).numpy(), total)
    return total


def learning_rate(config: Config, phase: Phase, step: int) -> float:
    """The learning rate of a step of a phase, counted from 0: the peak times warm-up times what is left."""
    decay = {
        "constant": 1.0,
        "linear": schedules.polynomial(step, phase.steps),
        "polynomial": schedules.polynomial(step, phase.steps, config.power),
        "cosine": schedules.cosine(step, phase.steps),
        "wsd": schedules.wsd(step, phase.steps, min(phase.steps, phase.of("cooldown"))),
    }
    return phase.lr * schedules.warmup(step, phase.of("warmup")) * decay[config.schedule]


def dropout_seed(seed: int, step: int, rank: int) -> int:
    """Another for each step and process of a run, of 64 bits as torch takes them."""
    return (((seed + 1) * 1_000_003 + step) * 4_096 + rank) % 2**64


def micro_batch(config: Config, phase: Phase, world_size: int) -> int:
    """Rows that a process takes at once. ValueError when the batch cannot be divided so."""
    share, rest = divmod(phase.batch_size, world_size)
    if rest:
        raise ValueError(f"batch_size must be divisible by the {world_size} processes, got {phase.batch_size}")
    micro = min(config.micro_batch or share, share)
    if share % micro:
        raise ValueError(f"micro_batch must divide the {share} rows that a process has a step, got {micro}")
    return micro


def sharded(config: Config, env: distributed.DistEnv) -> bool:
    return env.world_size > 1 and config.parallel != "ddp"


def own_precision(config: Config, env: distributed.DistEnv) -> str:
    """What this process would train in. ValueError: float16 is asked for where there is no loss scaling."""
    own = config.precision or precision(env.device)
    if own != "fp16" or (env.device.type in ("cpu", "cuda") and not sharded(config, env)):
        return own
    if config.precision:
        how = config.parallel
        raise ValueError(f"precision must be bf16 or fp32, got fp16: it is for cuda and cpu, and not for {how}")
    return "fp32"
