"""Time, memory, messages and price of a training run, from the model, the job and the machines: before it is started.

    job = Job(NAMED["bert-large"], batch=65_536, length=128, steps=7_037, optimizer="LAMB")
    print_plan(plan(job, Machines(card("tpu-v3"), cards=1_024, utilisation=0.4)))
    python -m minilib.analysis.planner --model bert-base --tokens 3e9 --batch 1024 --card h100 --utilisation 0.4

A step has four terms, in seconds: the products of matrices, at a stated share of the card's peak; the optimizer's
reads and writes, at the bandwidth of the memory; the bytes and the rounds of the messages between cards. The largest
is said to bind. Bytes of memory are those of `memory`, and rates those of `cards`, or measured ones: `Card` takes them.

The share of the peak, the latency, the bandwidth of a network and the price of a card-hour stand on no data sheet. They
are asked for. `benchmarks/plan_errors.py` compares plans with recorded runs. Absent on purpose: the time of all that is
no product (norms, softmax, starting kernels) and of reading data, which are in the share; a share that changes with the
batch; tensor and pipeline parallelism.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import NamedTuple

from minilib import program
from minilib.analysis import memory
from minilib.analysis.cards import CARDS, card
from minilib.analysis.jobs import NAMED, PARALLEL, PASSES, PRECISIONS, Job, Machines, choice, counts, positive
from minilib.pages import print_table

BUCKET = 25 * 2**20  # bytes of gradients that DDP sends at once (Li et al. 2020)


def traffic(optimizer: str, precision: str = "fp32", package: str | None = None) -> float:
    """Bytes that a step of the optimizer reads and writes for each parameter, at least.

    ValueError: no such optimizer, precision or package.
    """
    choice("optimizer", optimizer, PASSES)
    choice("precision", precision, PRECISIONS)
    kept = memory.PRECISIONS[PRECISIONS[precision].kept]
    state = memory.state_types(optimizer, PRECISIONS[precision].kept, package)[0]
    sizes = {"x": kept.master or kept.parameters, "g": kept.gradients, "m": state, "v": state}
    moved = sum(sizes.get(letter, 0) for letter in PASSES[optimizer])
    # from a master copy the 16-bit weights are written anew
    return moved + (kept.parameters if kept.master else 0)


def lap(size: float, cards: int, link: float, nodes: int = 1, network: float = inf) -> float:
    """Seconds in which `size` bytes go once around: a reduce-scatter or an all-gather; an all-reduce has two laps.

    Within a node the cards form a ring; between nodes, as many rings as a node has cards, each with its share.
    """
    # (c - 1)/c · m / link, within the nodes
    inside = (cards - 1) / cards * size / link if cards > 1 else 0.0
    # (k - 1)/k · (m/c) / (network/c), between them
    between = (nodes - 1) / nodes * size / network if nodes > 1 else 0.0
    return inside + between


class _Lap(NamedTuple):
    """What goes once around: `size` bytes, in so many messages, over these cards of a node and these nodes.

    `sent`: the share of the bytes that a card sends, (n - 1)/n where all of them go around n cards.
    """

    size: float
    messages: int
    cards: int
    nodes: int
    sent: float


def _laps(job: Job, machines: Machines, micro_batches: int) -> list[_Lap]:
    """All laps of a step."""
    total, cards, nodes = machines.total, machines.cards, machines.nodes
    d, blocks, p = job.model.parameters(), job.model.parameters(blocks_only=True), PRECISIONS[job.precision]
    gradient = p.reduced * d
    if job.parallel == "ddp":
        return [] if total == 1 else 2 * [_Lap(gradient, ceil(gradient / BUCKET), cards, nodes, (total - 1) / total)]
    within, over = (cards, 1 if job.parallel == "hsdp" else nodes), _shares(job, machines)
    share, rounds, laps = (over - 1) / over, job.model.blocks + 1, []
    if over > 1:
        # parameters before the forward pass; those of blocks once more before the backward pass
        gathers = [(p.gathered * d, rounds), (p.gathered * blocks, job.model.blocks)]
        sizes = micro_batches * gathers + [(gradient, rounds)]
        laps = [_Lap(size, messages, *within, share) for size, messages in sizes]
    if job.parallel == "hsdp" and nodes > 1:  # the summed parts, between cards that hold the same one
        laps += 2 * [_Lap(gradient, rounds, 1, nodes, (nodes - 1) / nodes / cards)]
    return laps


def _shares(job: Job, machines: Machines) -> int:
    """In how many parts the model and its state are cut."""
    return {"ddp": 1, "fsdp": machines.total, "hsdp": machines.cards}[job.parallel]


def bytes_held(job: Job, shares: int, rows: int, micro_batches: int) -> dict[str, float]:
    """Bytes on a card when most is held, with `rows` at once: those of `memory`, and three lines more.

    Parameters, gradients and optimizer state are cut into so many `shares`.

    Autocast's 16-bit copies, the parameters that FSDP has gathered (those outside blocks, and two blocks), and its
    gradients, which are whole while micro-batches are added up.
    """
    p, d, blocks = PRECISIONS[job.precision], job.model.parameters(), job.model.parameters(blocks_only=True)
    kept, stage = memory.PRECISIONS[p.kept], 3 if shares > 1 else 0
    shapes = job.model.shapes()
    held = dict(memory.training_bytes(shapes, job.optimizer, p.kept, shares, stage, job.package))
    if stage and micro_batches > 1:
        held["gradients"] = kept.gradients * d
    if p.copies and not stage:
        held["16-bit copies"] = p.copies * d
    if stage:
        held["gathered parameters"] = p.gathered * (d - blocks + 2 * blocks / job.model.blocks)
    guessed = job.model.guessed(job.length) if job.guessed is None else job.guessed
    e, shape = 2 if p.copies else kept.activations, job.model.transformer()
    saved = shape.activations(rows, job.length, rows * guessed, e, recompute=job.recompute, flash=True)
    if job.model.family == "t5":  # recomputed: what goes into each block, and one block of each stack
        saved = rows * job.model.t5_saved(job.length, e)
        if job.recompute:
            saved = saved / job.model.layers + 4 * rows * (job.length + guessed) * job.model.layers * job.model.width
    elif p.copies:
        # autocast: what goes into a norm stays float32, 2 bytes more for each half of a block; query, key and value
        # each keep a 16-bit copy of their input, 4 bytes more; the embedding's norm and log-probabilities are float32
        block_extra = 10 if job.model.modern else 8  # the gate has a copy, too
        blocks_extra = 2 * job.model.layers + 8 if job.recompute else block_extra * job.model.layers
        saved += rows * job.length * job.model.width * (blocks_extra + 2) + 2 * rows * guessed * job.model.vocabulary
    return held | {"activations": saved}


@dataclass(frozen=True)
class Plan:
    """What `plan` found.

    Args:
        terms: seconds of a step by what they are spent on.
        memory: bytes on a card by what holds them. `micro_batch`: rows that a card takes at once.
        sent: bytes that a card sends in a step.
        price: of a card-hour, or None; in whatever money the caller thinks in.
    """

    job: Job
    machines: Machines
    terms: dict[str, float]
    memory: dict[str, float]
    micro_batch: int
    sent: float
    steps: int
    price: float | None

    @property
    def step(self) -> float:
        """Seconds of a step in which nothing is hidden."""
        return sum(self.terms.values())

    @property
    def least(self) -> float:
        """Seconds of a step in which products and messages go on at the same time, all of the way."""
        messages = self.terms["messages, bytes"] + self.terms["messages, rounds"]
        return max(self.terms["products"], messages) + self.terms["optimizer"]

    @property
    def binds(self) -> str:
        """The term that takes longest."""
        return max(self.terms, key=self.terms.get)

    @property
    def seconds(self) -> float:
        """Of the run, nothing hidden."""
        return self.steps * self.step

    @property
    def card_hours(self) -> float:
        return self.seconds * self.machines.total / 3600

    @property
    def cost(self) -> float | None:
        """Card-hours times the price of one; None where no price was given."""
        return None if self.price is None else self.price * self.card_hours

    @property
    def held(self) -> float:
        """Bytes on a card."""
        return sum(self.memory.values())

    @property
    def fits(self) -> bool:
        return self.held <= self.machines.card.memory


def plan(job: Job, machines: Machines, price: float | None = None) -> Plan:
    """Time, memory, messages and price (of a card-hour) of a job on these machines.

    ValueError: the batch cannot be shared equally, or the card does not multiply in this precision.
    """
    total, d, p = machines.total, job.model.parameters(), PRECISIONS[job.precision]
    if job.batch % total:
        raise ValueError(f"batch must be divisible by the {total} cards, got {job.batch}")
    if price is not None:
        positive(price=price)
    rows = job.batch // total
    shares = _shares(job, machines)
    if job.micro_batch is not None and rows % job.micro_batch:
        raise ValueError(f"micro_batch must divide the {rows} rows of a card, got {job.micro_batch}")
    sizes = [job.micro_batch] if job.micro_batch else [n for n in range(rows, 0, -1) if rows % n == 0]
    for micro in sizes:  # the last one is taken in any case
        held = bytes_held(job, shares, micro, rows // micro)
        if sum(held.values()) <= machines.card.memory:
            break
    operations = rows * job.model.operations(job.length, job.guessed, job.recompute)
    rate = machines.utilisation * machines.card.rate(p.rate)
    products = job.model.orthogonalising() if job.optimizer == "Muon" else 0
    laps = _laps(job, machines, rows // micro)
    network = machines.network or inf
    terms = {
        # F · rows / (utilisation · peak)
        "products": operations / rate,
        # bytes a parameter · parameters / bandwidth, and Muon's products
        "optimizer": traffic(job.optimizer, job.precision, job.package) * d / shares / machines.card.bandwidth
        + products / rate,
        # (n - 1)/n · bytes / bandwidth, for every lap
        "messages, bytes": sum(lap(one.size, one.cards, machines.card.link, one.nodes, network) for one in laps),
        # rounds of a lap · messages · latency
        "messages, rounds": machines.latency * sum((one.cards + one.nodes - 2) * one.messages for one in laps),
    }
    sent = sum(one.size * one.sent for one in laps)
    return Plan(job, machines, terms, held, micro, sent, job.count(), price)


def utilisation_needed(jobs: Iterable[Job], machines: Machines, seconds: float) -> float:
    """The share of the peak at which the jobs, one after the other, take so many seconds: nothing hidden.

    ValueError: the other terms alone take longer.
    """
    plans = [plan(job, machines) for job in jobs]
    at_peak = sum(p.steps * p.terms["products"] for p in plans) * machines.utilisation
    others = sum(p.seconds for p in plans) - at_peak / machines.utilisation
    if seconds <= others:
        raise ValueError(f"seconds must be more than the {others:.3g} of optimizer and messages, got {seconds!r}")
    return at_peak / (seconds - others)


def changes(job: Job, machines: Machines, price: float | None = None) -> dict[str, Plan]:
    """The plan, and what one change would make of it, by what is changed. What cannot be is left out.

    A changed batch keeps the tokens, so that a batch twice as large takes half the steps: whether it then learns as
    much is not the planner's to say. More cards share the same batch.
    """
    same_tokens = {"steps": None, "tokens": job.tokens or job.steps * job.batch * job.length}
    other = "AdamW" if job.optimizer == "CAME" else "CAME"
    others = PARALLEL if machines.nodes > 1 else PARALLEL[:2]  # in one node hsdp is fsdp
    # in the node where its links join so many, else twice the nodes, which need a network
    in_node = machines.nodes == 1 and 2 * machines.cards <= machines.card.together
    doubled = {"cards": 2 * machines.cards} if in_node else {"nodes": 2 * machines.nodes}
    cases = {
        "as asked": ({}, {}),
        "twice the batch, same tokens": (same_tokens | {"batch": 2 * job.batch}, {}),
        "half the batch, same tokens": (same_tokens | {"batch": job.batch // 2}, {}),
        f"{other} for {job.optimizer}": ({"optimizer": other, "package": None}, {}),
        "twice the cards": ({}, doubled),
    }
    for parallel in others if machines.total > 1 else ():
        if parallel != job.parallel:
            cases[f"{parallel} for {job.parallel}"] = ({"parallel": parallel}, {})
    if not job.recompute:
        cases["recompute"] = ({"recompute": True}, {})
    plans = {}
    for name, (of_job, of_machines) in cases.items():
        try:
            plans[name] = plan(replace(job, **of_job), replace(machines, **of_machines), price)
        except ValueError:
            if name == "as asked":
                raise
    return plans


class Deciding(NamedTuple):
    """What `deciding` found: of all runs together."""

    runs: int
    tokens: float
    card_hours: float


def deciding(model: str, tokens: float, runs: int, card_name: str, utilisation: float, **job) -> Deciding:
    """What deciding a claim would cost: so many runs of so many tokens each, one after the other on one card.

    Args:
        tokens: of one run, in steps of 256 rows of 128.
        runs: all of them: methods x rates x tuning seeds, and methods x fresh seeds.
        job: what else a `Job` takes.
    """
    choice("model", model, NAMED)
    counts(runs=runs)
    one = plan(Job(NAMED[model], 256, 128, tokens=tokens, **job), Machines(card(card_name), utilisation))
    return Deciding(runs, runs * tokens, runs * one.card_hours)


def duration(seconds: float) -> str:
    """Three digits in a unit that a person would take."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
        if seconds >= size:
            return f"{seconds / size:,.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:,.0f} {unit}"
    return f"{1e6 * seconds:.3g} µs"


def gigabytes(size: float) -> str:
    """Three digits, in GB of 10^9 bytes."""
    return f"{size / 1e9:.3g} GB" if size < 1e12 else f"{size / 1e9:,.0f} GB"


def print_plan(plan: Plan) -> None:
    job, machines = plan.job, plan.machines
    print(f"{machines.total:,} x {machines.card.name} ({machines.card.source})")
    print(f"{job.model.parameters():,} parameters, {job.optimizer}, {job.precision}, {job.parallel}")
    rows = f"{plan.micro_batch:,} of a card's {job.batch // machines.total:,} rows of {job.length} at once"
    print(f"{rows}; products at {machines.utilisation:.0%} of the peak")
    rows = [(name, duration(t) if t else "0", f"{t / plan.step:.0%}") for name, t in plan.terms.items()]
    rows.append(("a step, nothing hidden", duration(plan.step), ""))
    rows.append(("a step, messages hidden", duration(plan.least), ""))
    print_table(rows)
    print(f"{plan.binds} bind" + ("s" if plan.binds == "optimizer" else ""))
    rows = [(name, gigabytes(size), f"{size / plan.held:.0%}") for name, size in plan.memory.items() if size]
    left = "" if machines.card.memory == inf else f"of {gigabytes(machines.card.memory)}"
    print_table([*rows, ("a card holds", gigabytes(plan.held), left if plan.fits else f"{left}: does not fit")])
    money = "no price given" if plan.cost is None else f"price {plan.cost:,.4g}"
    print(f"{plan.steps:,} steps: {duration(plan.seconds)}, {plan.card_hours:,.4g} card-hours, {money}")


def print_changes(plans: Mapping[str, Plan]) -> None:
    first = next(iter(plans.values()))
    rows = []
    for name, p in plans.items():
        full = gigabytes(p.held) + ("" if p.fits else " (too much)")
        rows.append((name, duration(p.seconds), full, f"{p.card_hours / first.card_hours:.2f}", p.binds))
    print_table(rows, ("", "time", "a card holds", "card-hours", "binds"))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m minilib.analysis.planner", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--model", default="bert-base", help=f"{', '.join(NAMED)} (default bert-base)")
    for size in ("--layers", "--width", "--vocabulary"):
        add(size, type=int, help="in place of the named model's")
    add("--modern", action="store_true", help="BERT as --modern of the training has it")
    add("--batch", type=int, default=256, help="rows a step, over all cards (default 256)")
    add("--length", type=int, default=128, help="tokens a row (default 128)")
    add("--steps", type=int, help="of the optimizer, or --tokens")
    add("--tokens", type=float)
    add("--guessed", type=int, help="tokens of a row whose loss is computed (default: BERT 15 in 100, GPT-2 all)")
    add("--optimizer", default="AdamW", help=", ".join(PASSES))
    add("--precision", default="bf16", help=", ".join(PRECISIONS))
    add("--package", help="whose optimizer, which decides the type of its state: " + ", ".join(memory.KEPT))
    add("--micro-batch", type=int, help="rows that a card takes at once (default: as many as fit)")
    add("--parallel", default="ddp", help=", ".join(PARALLEL))
    add("--recompute", action="store_true", help="recompute activations in the backward pass")
    add("--card", default="h100", help=", ".join(CARDS))
    add("--rate", type=float, help="TFLOP/s of products that you measured, in place of the data sheet's")
    add("--bandwidth", type=float, help="GB/s of memory that you measured, likewise")
    add("--cards", type=int, default=1, help="of a node (default 1)")
    add("--nodes", type=int, default=1)
    add("--network", type=float, help="GB/s that a node sends, needed for several nodes")
    add("--latency", type=float, default=0.0, help="µs of a round of messages (default 0: left out)")
    add("--utilisation", type=float, help="share of the peak that products reach; on no data sheet, so say it")
    add("--price", type=float, help="of a card-hour")
    args = parser.parse_args(argv)
    return program(lambda: print_asked(args))


def print_asked(args: argparse.Namespace) -> None:
    choice("model", args.model, NAMED)
    sizes = {name: getattr(args, name) for name in ("layers", "width", "vocabulary")}
    model = replace(NAMED[args.model], **{n: v for n, v in sizes.items() if v is not None}, modern=args.modern)
    method = {name.lower(): name for name in PASSES}.get(args.optimizer.lower(), args.optimizer)
    fields = ("batch", "length", "steps", "tokens", "guessed", "precision", "package", "micro_batch", "parallel")
    job = Job(model, optimizer=method, recompute=args.recompute, **{n: getattr(args, n) for n in fields})
    chosen = card(args.card)
    if args.rate:
        chosen = replace(chosen, products={**chosen.products, PRECISIONS[job.precision].rate: 1e12 * args.rate})
    if args.bandwidth:
        chosen = replace(chosen, bandwidth=1e9 * args.bandwidth)
    if args.utilisation is None:
        raise ValueError("utilisation must be given: the share of the card's peak that products reach")
    network = args.network and 1e9 * args.network
    machines = Machines(chosen, args.utilisation, args.cards, args.nodes, network, 1e-6 * args.latency)
    plans = changes(job, machines, args.price)
    print_plan(plans["as asked"])
    print()
    print_changes(plans)


if __name__ == "__main__":
    sys.exit(main())
