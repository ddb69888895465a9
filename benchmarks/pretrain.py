"""Times a training step of BERT: ours against Hugging Face transformers', and both against the products of matrices.

    make bench NAME=pretrain      or      python benchmarks/pretrain.py --rounds 9 --device cuda --compile

A step is the forward and backward pass, clipping, and torch's fused AdamW; model, vocabulary, batch, masks and
precision are the same in all rows, dropout is 0, and batches are drawn beforehand. Three rows a case:

    ours           `minilib.models.bert`: the head and the loss see the masked tokens only
    HF             `BertForMaskedLM` as its users call it: labels for all tokens, -100 where nothing is to be guessed
    HF, masked     its encoder and its head, called in turn, so that the head sees the masked tokens only

Every round runs every row once, and one large product of matrices in the same precision, so a drift of the machine
hits all alike; medians and quartiles over the rounds are printed. The floor is the time of the products that a step
needs, with the head on masked tokens, at the rate of that large product: floor over time is the utilisation. With
`--compile` ours and HF are timed compiled too. Absent on purpose: several devices, attention with padding, the loader.
"""

import argparse
import os
from time import perf_counter
from typing import NamedTuple

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is downloaded: the models are drawn at random
import numpy as np
import torch
import torch.nn.functional as F
import transformers
from torch import nn
from tqdm import tqdm

from minilib.analysis import flops
from minilib.data.objectives import masked_count
from minilib.models import registry
from minilib.training import device

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
PUBLISHED = 30_522  # entries of BERT's vocabulary


class Case(NamedTuple):
    """What is trained: a size by name, entries of its vocabulary, tokens a row, and rows a step."""

    model: str
    vocabulary: int
    length: int
    rows: int

    def __str__(self):
        return f"{self.model}, vocabulary {self.vocabulary:,}, {self.rows} rows of {self.length} tokens"


CPU_CASES = [
    Case("bert-tiny", 4_096, 64, 64),
    Case("bert-tiny", 4_096, 128, 32),
    Case("bert-mini", 4_096, 64, 64),
    Case("bert-mini", 4_096, 128, 32),
    Case("bert-mini", PUBLISHED, 128, 32),
    Case("bert-small", 4_096, 128, 32),
]
GPU_CASES = [
    Case("bert-base", PUBLISHED, 128, 256),
    Case("bert-base", PUBLISHED, 512, 64),
]


class Ours(nn.Module):
    """`Bert`, called as Hugging Face's are: a loss from tokens, positions (B, K) and targets (B, K)."""

    def __init__(self, case: Case):
        super().__init__()
        self.model = registry.model(case.model, vocabulary=case.vocabulary, length=case.length)

    def forward(self, tokens, positions, targets):
        return self.model({"tokens": tokens, "positions": positions, "targets": targets}).loss


class Theirs(nn.Module):
    """`BertForMaskedLM` of the same size, with labels for all tokens."""

    def __init__(self, case: Case):
        super().__init__()
        size = registry.size(case.model)
        self.model = transformers.BertForMaskedLM(
            transformers.BertConfig(
                vocab_size=case.vocabulary,
                hidden_size=size.width,
                num_hidden_layers=size.layers,
                num_attention_heads=size.heads,
                intermediate_size=4 * size.width,
                max_position_embeddings=case.length,
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
            )
        )

    def forward(self, tokens, positions, targets):
        labels = torch.full_like(tokens, -100).scatter(1, positions, targets)
        return self.model(input_ids=tokens, labels=labels).loss


class TheirsMasked(Theirs):
    """The same, with the head on masked tokens."""

    def forward(self, tokens, positions, targets):
        hidden = self.model.bert(tokens).last_hidden_state
        logits = self.model.cls(hidden.take_along_dim(positions[:, :, None], 1))
        return F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


ROWS = {"ours": Ours, "HF": Theirs, "HF, masked": TheirsMasked}
COMPILED = ("ours", "HF")


def draw(case: Case, rate: float, place: torch.device) -> dict[str, torch.Tensor]:
    """A batch of random numbers but 0, which is padding to Hugging Face; time does not depend on what tokens say."""
    generator, count = torch.Generator().manual_seed(0), masked_count(case.length, rate)
    tokens = torch.randint(1, case.vocabulary, (case.rows, case.length), generator=generator)
    chosen = torch.rand(case.rows, case.length, generator=generator).argsort(1)[:, :count].sort(1).values
    batch = {"tokens": tokens, "positions": chosen, "targets": tokens.gather(1, chosen)}
    return {name: t.to(place) for name, t in batch.items()}


def stepper(row: str, case: Case, batch: dict, dtype: torch.dtype, place: torch.device):
    """A function that takes one step, and the number of parameters."""
    torch.manual_seed(0)
    model = ROWS[row.removesuffix(", compiled")](case).to(place).train()
    if row.endswith(", compiled"):
        model.compile()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=place.type in ("cpu", "cuda", "mps"))

    def step():
        with torch.autocast(place.type, dtype, enabled=dtype != torch.float32):
            loss = model(**batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()

    return step, sum(p.numel() for p in model.parameters())


def clock(work, place: torch.device) -> float:
    """Seconds."""
    device.wait(place)
    start = perf_counter()
    work()
    device.wait(place)
    return perf_counter() - start


def measure(case: Case, precision: str, rate: float, rounds: int, place: torch.device, compiled: bool = False) -> dict:
    """`seconds` of each round by row, `floor` in seconds, `rate` of the product (operations a second), `parameters`."""
    dtype, batch = DTYPES[precision], draw(case, rate, place)
    names = [*ROWS, *(f"{row}, compiled" for row in COMPILED if compiled)]
    steps, parameters = {}, set()
    for name in names:
        steps[name], n = stepper(name, case, batch, dtype, place)
        parameters.add(n)
    assert len(parameters) == 1, f"{case}: the models differ: {parameters} parameters"
    n = 1024 if place.type == "cpu" else 8192
    a, b = (torch.randn(n, n, device=place).to(dtype) for _ in range(2))
    steps["product"] = lambda: a @ b

    seconds = {name: [] for name in steps}
    for k in range(rounds + 2):  # the first two rounds compile, and start the optimizers
        for name, step in steps.items():
            taken = clock(step, place)
            seconds[name] += [taken] if k > 1 else []
    product = 2 * n**3 / float(np.median(seconds.pop("product")))
    work = case.rows * flops.per_row(registry.model(case.model, vocabulary=case.vocabulary, length=case.length), batch)
    return {"seconds": seconds, "floor": work / product, "rate": product, "parameters": parameters.pop()}


def summary(case: Case, seconds: dict, floor: float) -> dict:
    """row -> what the table says of it."""
    rows, against = {}, float(np.median(seconds["HF"]))
    for name, taken in seconds.items():
        low, middle, high = np.percentile(taken, [25, 50, 75])
        rows[name] = {
            "ms": 1e3 * float(middle),
            "low": 1e3 * float(low),
            "high": 1e3 * float(high),
            "tokens_per_second": case.rows * case.length / float(middle),
            "over_hf": against / float(middle),
            "utilisation": floor / float(middle),
        }
    return rows


def table(case: Case, precision: str, rows: dict, done: dict) -> str:
    lines = [
        f"{case}, {precision}: {done['parameters']:,} parameters, products at {done['rate'] / 1e9:,.0f} GFLOP/s",
        f"{'':<20}{'tokens/s':>12}{'ms/step':>10}{'quartiles':>18}{'x HF':>7}{'utilisation':>13}",
    ]
    for name, row in rows.items():
        spread = f"{row['low']:.1f}-{row['high']:.1f}"
        lines.append(
            f"{name:<20}{row['tokens_per_second']:>12,.0f}{row['ms']:>10.1f}{spread:>18}{row['over_hf']:>7.2f}"
            f"{row['utilisation']:>13.0%}"
        )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="time a training step of BERT against Hugging Face's")
    parser.add_argument("--rounds", type=int, default=9, help="timed rounds (default 9)")
    parser.add_argument("--device", help="cpu, cuda, ...; by default the best that is there")
    parser.add_argument("--threads", type=int, default=2, help="on a CPU (default 2)")
    parser.add_argument(
        "--precision", choices=DTYPES, help="by default fp32, and bf16 where the device is faster with it"
    )
    parser.add_argument(
        "--mask-rate", type=float, default=0.15, help="share of masked tokens (default 0.15, as published)"
    )
    parser.add_argument("--compile", action="store_true", help="rows with torch.compile too")
    parser.add_argument("--case", nargs=4, metavar=("MODEL", "VOCABULARY", "LENGTH", "ROWS"), help="this one only")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    place = device.pick(args.device)
    cases = CPU_CASES if place.type == "cpu" else GPU_CASES
    if args.case:
        cases = [Case(args.case[0], *map(int, args.case[1:]))]
    precisions = [args.precision] if args.precision else sorted({"fp32", device.precision(place)}, reverse=True)
    print(
        f"{device.describe(place)}, torch {torch.__version__}, transformers {transformers.__version__}, "
        f"{args.mask_rate:.0%} masked, {args.rounds} rounds\n"
    )
    for case in tqdm(cases, disable=None):
        for precision in precisions:
            done = measure(case, precision, args.mask_rate, args.rounds, place, args.compile)
            tqdm.write(table(case, precision, summary(case, done["seconds"], done["floor"]), done))


if __name__ == "__main__":
    main()
