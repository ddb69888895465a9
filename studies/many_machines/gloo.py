"""How long 2 and 4 processes on one machine take to add up a message, and 1 and 2 to take a training step.

For a quiet machine with two cores or more; noise only ever adds time, so the least of all rounds is kept beside the
median. All-reduce is timed twice: gloo's own, which is a ring, and recursive doubling written with sends and receives.
The step is that of BERT-tiny with its published vocabulary, rows of 64 tokens, DDP and AdamW. A few minutes.
"""
# ruff: noqa: F821  the functions that travel find torch, dist and perf_counter where they arrive

import numpy as np

from studies.command import start
from studies.many_machines.local_cluster import LocalCluster
from studies.study import Study

SIZES = {
    "laptop": {
        "passes": 4,
        "rounds": 12,
        "messages": [4 * 4**k for k in range(12)],  # bytes, 4 B to 16 MiB
        "rows": [2, 4, 8, 16, 32, 64],
        "length": 64,
        "guessed": 10,
    },
    "toy": {"passes": 1, "rounds": 1, "messages": [4], "rows": [2], "length": 8, "guessed": 2},
}


def doubling(x):
    """All-reduce in log2(n) rounds: everybody swaps everything with a partner, each time twice as far away."""
    other, distance = torch.empty_like(x), 1
    while distance < dist.get_world_size():
        partner = dist.get_rank() ^ distance
        for swap in (dist.isend(x, partner), dist.irecv(other, partner)):
            swap.wait()
        x, distance = x + other, 2 * distance
    return x


def messages(size, rounds):
    """Seconds of each round of both algorithms."""
    x, taken = torch.ones(size // 4), {"ring": [], "doubling": []}
    for _ in range(rounds):
        for name, times in taken.items():
            dist.barrier()
            start = perf_counter()
            dist.all_reduce(x) if name == "ring" else doubling(x)
            times.append(perf_counter() - start)
            x.fill_(1.0)
    return taken


def steps(rows, rounds, length, guessed):
    """Seconds of each step but the first two."""
    from minilib.models import registry
    from minilib.training import distributed

    torch.manual_seed(0)
    env = distributed.DistEnv(dist.get_rank(), dist.get_world_size(), torch.device("cpu"))
    model = distributed.parallelize(registry.model("bert-tiny", length=length), env, "ddp")
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    share = rows // env.world_size
    batch = {
        "tokens": torch.randint(5, 30522, (share, length)),
        "positions": torch.arange(guessed).repeat(share, 1),
        "targets": torch.randint(5, 30522, (share, guessed)),
    }
    taken = []
    for _ in range(rounds + 2):
        dist.barrier()
        start = perf_counter()
        optimizer.zero_grad()
        model(batch).loss.backward()
        optimizer.step()
        taken.append(perf_counter() - start)
    return {"step": taken[2:]}


def main(asked):
    plan = asked.plan
    config = {name: getattr(plan, name) for name in ("passes", "rounds", "length", "guessed")}
    study, jobs = Study("gloo", config, asked=asked), []
    with LocalCluster(4) as machines:

        def job(count, function, *arguments, uses=()):
            return lambda: machines.run(function, *arguments, count=count, uses=uses)[0]

        for k in range(plan.passes):
            for count in (2, 4):
                for size in plan.messages:
                    message = job(count, messages, size, plan.rounds, uses=(doubling,))
                    jobs.append((f"{k} message {count} {size}", message))
            for count in (1, 2):
                for rows in [1, *plan.rows] if count == 1 else plan.rows:
                    step = job(count, steps, rows, plan.rounds, plan.length, plan.guessed)
                    jobs.append((f"{k} step {count} {rows}", step))
        done = study.run(jobs)
    together = {}
    for key, result in done.items():
        _, _, count, size = key.split()
        for what, times in result.items():
            together.setdefault((what, int(count), int(size)), []).extend(times)
    rows = [
        {"what": what, "processes": count, "size": size, "least": round(min(times), 7),
         "median": round(float(np.median(times)), 7)}
        for (what, count, size), times in together.items()
    ]  # fmt: skip
    study.record(rows, {"rounds": plan.passes * plan.rounds})


if __name__ == "__main__":
    start(main, SIZES, "gloo and its processes are what this study times")
