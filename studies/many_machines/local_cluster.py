"""Several Python processes on this machine, to send a function to: a cluster that fits under a desk.

The processes stay until they are closed. Each call of `run` lets some of them meet in a fresh gloo group, runs the
function in all of them and brings back what it returned. A function travels as its source text, so that one from a
cell of a notebook can travel too. Deliberately absent: accelerators, other machines, tensors as arguments or results.
"""

import contextlib
import datetime
import inspect
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from time import perf_counter

PATIENCE = datetime.timedelta(minutes=2)  # with which a process waits for the others
RECEIVED = 128  # where the kernel's tcp_info has tcpi_bytes_received, 64 bits (Linux 4.1 and later)


class LocalCluster(contextlib.AbstractContextManager):
    """`count` processes that wait for work, with one thread each. Close them, or leave a `with` block.

    ValueError: `count` below 1.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        self.folder = tempfile.TemporaryDirectory()
        path = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(path)}
        command = [sys.executable, "-W", "ignore", "-m", "studies.many_machines.local_cluster"]
        with open(Path(self.folder.name, "log"), "w") as log:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log, "text": True}
            self.workers = [subprocess.Popen(command, env=environment, **pipes) for _ in range(count)]
        self.calls = 0

    def run(self, function, *arguments, count: int | None = None, uses: tuple = ()) -> list:
        """What `function(*arguments)` returns in each of the first `count` processes (by default all), by rank.

        Args:
            function: written with `def` at the top of a file or cell. It may use `np`, `torch`, `dist` (that is
                torch.distributed, with a group of `count` processes), `received`, `perf_counter`, and what it imports.
            arguments: they travel as JSON, and so does what is returned.
            uses: other functions that it calls.

        ValueError: there are not so many processes. RuntimeError: it raised somewhere; the message has the error of
        each rank that did.
        """
        count = len(self.workers) if count is None else count
        if not 1 <= count <= len(self.workers):
            raise ValueError(f"count must be from 1 to {len(self.workers)}, got {count}")
        self.calls += 1
        source = "\n\n".join(textwrap.dedent(inspect.getsource(f)) for f in (*uses, function))
        job = {"source": source, "name": function.__name__, "arguments": arguments}
        job |= {"world_size": count, "store": f"{self.folder.name}/{self.calls}"}
        chosen = self.workers[:count]
        for rank, worker in enumerate(chosen):
            print(json.dumps(job | {"rank": rank}), file=worker.stdin, flush=True)
        answers = [json.loads(worker.stdout.readline() or '{"error": "the process is gone"}') for worker in chosen]
        if errors := [f"rank {rank}: {a['error']}" for rank, a in enumerate(answers) if "error" in a]:
            raise RuntimeError("; ".join(errors))
        return [answer["result"] for answer in answers]

    def close(self) -> None:
        """Let the processes end."""
        for worker in self.workers:
            worker.stdin.close()
        for worker in self.workers:
            worker.wait()
            worker.stdout.close()
        self.folder.cleanup()

    def __exit__(self, *_):
        self.close()


def received() -> int:
    """Bytes that have come in over this process's TCP connections so far, without headers, as the kernel counts them.

    OSError: not on Linux.
    """
    if sys.platform != "linux":
        raise OSError("only Linux tells a process how many bytes its connections have received")
    total = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                with socket.socket(fileno=os.dup(int(name))) as copy:
                    info = copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RECEIVED + 8)
                    total += struct.unpack_from("=Q", info, RECEIVED)[0]
        except OSError:  # closed since it was listed, or a socket of another kind
            continue
    return total


def work() -> None:
    """What each process does: meet the others, run, answer; for each line that comes in."""
    import numpy as np
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a function prints goes to the log
    for line in sys.stdin:
        job, names = json.loads(line), {"np": np, "torch": torch, "dist": dist}
        names |= {"received": received, "perf_counter": perf_counter}
        try:
            dist.init_process_group("gloo", f"file://{job['store']}", PATIENCE, job["world_size"], job["rank"])
            dist.barrier()  # who fails at once must not leave while others still connect: they could never meet again
            exec(job["source"], names)
            answer = json.dumps({"result": names[job["name"]](*job["arguments"])})
            dist.barrier()  # who leaves closes connections, and their bytes go uncounted
        except Exception as error:
            answer = json.dumps({"error": f"{type(error).__name__}: {error}"})
        finally:
            if dist.is_initialized():
                dist.destroy_process_group()
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    work()
