"""Writes what recorded runs say to where figures that move read it: `book/figures/NAME/record.js`.

    python tools/pages/figure_records.py                 all of them
    python tools/pages/figure_records.py carried-rate    this one

Each function below is a figure: it takes the numbers from book/runs, with the digits that the figure shows. The figure
has them as `Live.records["carried-rate"]`. A test compares the files with the runs.
Deliberately absent: what a formula gives. A figure computes that itself, and tests/site compares it with the library.
"""

import json
import sys
from functools import cache
from statistics import mean, median

import numpy as np

from minilib.experiments import records
from minilib.experiments.tuning import tuned
from minilib.experiments.verdicts import compare, family
from tools.pages.live_figures import FIGURES

HEAD = "// Written by tools/pages/figure_records.py from book/runs: do not edit.\n"
FOUR = ["Nesterov", "AdamW", "LARS", "LAMB"]
load = cache(records.load)


def grouped(rows: list[dict], *names: str) -> dict[tuple, list[dict]]:
    """{values of these columns: the rows that have them}, in the order of the record."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def short(value: float) -> float:
    """Four digits that count."""
    return float(f"{value:.4g}")


# ---- rates and batches ----------------------------------------------------------------------------------------------


def rule_ends() -> dict:
    """The best rates to a loss of 0.2, medians over the seeds, and the bends of the carried rates."""
    config, bends = load("batch-size").run["config"], load("carried-rates").run["config"]
    cases, best = grouped(load("batch-size").curve, "optimizer", "batch", "target", "seed"), {"SGD": [], "Adam": []}
    for method, rates in best.items():
        for b in config["batches"]:
            by_seed = [cases[method, b, 0.2, seed] for seed in config["seeds"]]
            fastest = [min(rows, key=lambda r: (r["steps"], r["lr"]))["lr"] for rows in by_seed]
            rates.append(round(median(fastest), 6))
    return {"batches": config["batches"], "best": best, "critical": bends["critical"], "power": bends["power"]}


def carried_rate() -> dict:
    """{method: [without a warm-up, with one]}: median losses, a row a batch; and the numbers of the tuned rates."""
    record = load("carried-rates")
    config, batches = record.run["config"], record.run["config"]["batches"]
    losses = {method: [[[] for _ in batches] for _ in range(2)] for method in config["rates"]}
    for (method, warm, b, _), rows in grouped(record.curve, "optimizer", "warm", "batch", "lr").items():
        ends = [r["loss"] for r in rows if r["seed"] in config["seeds"]]
        losses[method][int(warm)][batches.index(b)].append(round(median(ends), 4))
    best = {}
    for method, rates in config["rates"].items():
        chosen = [record.run["results"][f"{method}, {warm}"]["best"] for warm in ("none", "warm-up")]
        best[method] = [{b: rates.index(rate) for b, rate in of.items()} for of in chosen]
    return {"batches": batches, "rates": config["rates"], "losses": losses, "tuned": best}


def rate_by_width() -> dict:
    """Of each arm, a row a width: the rates as powers of the root of 2, median losses, and the mean best rate."""
    record = load("norm-widths")
    widths, arms = record.run["config"]["widths"], list(record.run["config"]["middle"])
    cases = grouped(record.curve, "arm", "width", "power")
    powers, losses, best = {}, {}, {}
    for arm in arms:
        rows = [sorted(k for a, n, k in cases if (a, n) == (arm.replace(",", " +"), width)) for width in widths]
        powers[arm], best[arm] = rows, [short(mean(record.run["results"]["best"][f"{arm}, {n}"])) for n in widths]
        found = [[cases[arm.replace(",", " +"), n, k] for k in row] for n, row in zip(widths, rows, strict=True)]
        losses[arm] = [[short(median(r["loss"] for r in rs)) for rs in row] for row in found]
    return {"widths": widths, "arms": arms, "powers": powers, "losses": losses, "best": best}


def carry_the_rate() -> dict:
    """{rule: {method: lowest, median, highest loss a batch}}, what was searched, and where LAMB's lead is confirmed."""
    record = load("lamb-untuned")
    config, results, methods = record.run["config"], record.run["results"], ("LAMB", "AdamW", "LARS")
    searched = [b for b in config["batches"] if b >= config["near_from"]]
    by_seed, losses = {}, {}
    for (rule, method, b), rows in grouped(record.curve, "rule", "optimizer", "batch").items():
        by_seed[rule, method, b] = {r["seed"]: r["loss"] for r in rows}
    for rule, batches in (("root", config["batches"]), ("kept", config["batches"]), ("searched", searched)):
        ends = {m: [by_seed[rule, m, b].values() for b in batches] for m in methods}
        losses[rule] = {m: [[min(e), round(median(e), 5), max(e)] for e in of] for m, of in ends.items()}
    confirmed = {}
    for ours, theirs in (("root", "root"), ("root", "kept"), ("searched", "searched")):
        pairs = {}
        for b in searched if theirs == "searched" else config["batches"]:
            if theirs != "kept" or b != config["base"]:  # there the kept rate is the rate of the rule
                both = by_seed[ours, "LAMB", b], by_seed[theirs, "AdamW", b]
                pairs[b] = compare(*({seed: np.log(loss) for seed, loss in of.items()} for of in both))
        confirmed[theirs] = [b for b, c in family(pairs).items() if c.verdict == "confirmed"]
    near = {m: [results[f"{m} searched {b}"]["near"] for b in searched] for m in methods}
    rates = {m: results[f"{m} tuning"]["lr"] for m in methods}
    data = {"batches": config["batches"], "searched": searched, "factors": config["near"], "base": config["base"]}
    return data | {"losses": losses, "near": near, "confirmed": confirmed, "tuned": rates}


def branch_a_run() -> dict:
    """For each loss: median steps by batch; critical batches [least, median, greatest]; what the noise foretells."""
    record = load("batch-branches")
    plan, n = record.run["config"], record.run["config"]["batches"][-1]
    batches = np.array(plan["batches"])
    inverse = (n - batches) / (batches * (n - 1))
    data = {"steps": [], "measured": [], "foretold": [], "misled": []}
    for k, level in enumerate(plan["levels"]):
        rows = grouped(record.curve, "trunk", "level")["batch 16", level]
        steps = np.median(np.reshape([r["steps"] for r in rows], (len(batches), -1, plan["draws"])), axis=2)
        steps = np.minimum(steps, 2 * np.median(steps, axis=1, keepdims=True))  # as planned
        data["steps"].append(np.median(steps, axis=1).round(2).tolist())
        bends = [hyperbola(inverse, of_a_run)[1] for of_a_run in steps.T]
        data["measured"].append([round(float(v), 1) for v in (min(bends), median(bends), max(bends))])
        for name, trunk in (("foretold", "batch 16"), ("misled", "slow")):
            size, averages = plan["trunks"][trunk][0], []
            for seed in plan["seeds"]:
                run = record.run["results"][f"{trunk}, {seed}"]
                scale = np.array(run["noise"])[run["at"][k] : run["at"][k + 1]]
                averages.append(np.average(scale, weights=1 / (1 + scale * (n - size) / (size * (n - 1)))))
            data[name].append(round(float(median(averages)), 1))
    return data


def hyperbola(inverse: np.ndarray, steps: np.ndarray) -> tuple[float, float]:
    """Fewest steps and critical batch, as the chapter fits them to steps at these 1/b."""
    trial = np.geomspace(1, 3000, 1600)
    gap = np.log(steps) - np.log1p(trial[:, None] * inverse)
    k = gap.std(axis=1).argmin()
    return np.exp(gap[k].mean()), trial[k]


def free_batch() -> dict:
    """{method: {rate: losses of the seeds that judge, a row a batch}}, and what counting alone reaches."""
    record, finer = load("gpt2-batches"), load("gpt2-half-octaves")
    octaves, ruled, between = tuned(record), tuned(record, "ruled"), grouped(finer.curve, "batch", "optimizer", "rate")
    losses = {}
    for method, name in (("AdamW", "adamw"), ("LAMB", "lamb")):
        data = losses[method] = {"tuned": [], "rule": []}
        for rows in record.run["config"]["batches"]:
            octave, best = octaves["gpt2", rows, name].last, finer.run["results"]["chosen"][f"{rows} {name}"]
            more = {r["seed"]: r["loss"] for r in between.get((rows, name, best), [])}
            of_octave = best == octaves["gpt2", rows, name].rate
            data["tuned"].append([octave[seed] if of_octave else more[seed] for seed in octave])
            data["rule"].append([*ruled["gpt2", rows, name].last.values()])
    counted = record.run["results"]["counting"]
    return {"losses": losses, "tables": {name: counted[name] for name in ("pairs", "triples")}}


def wrong_rate() -> dict:
    """{method: {rows: {rate: last loss of the seed that tuned}}}."""
    runs, batches = tuned(load("gpt2-batches")), load("gpt2-batches").run["config"]["batches"]
    names = {"AdamW": "adamw", "LAMB": "lamb"}
    return {method: {b: runs["gpt2", b, name].tried for b in batches} for method, name in names.items()}


# ---- searches and seeds ---------------------------------------------------------------------------------------------


def pick_your_winner() -> dict:
    """{protocol: {method: losses by one judge, by three, by ten fresh ones}}."""
    losses = {}
    for (protocol, method, _), rows in grouped(load("winners").curve, "protocol", "optimizer", "judges").items():
        losses.setdefault(protocol, {}).setdefault(method, []).append([r["loss"] for r in rows])
    return {"methods": FOUR, "protocols": [*losses], "judges": [1, 3, 10], "losses": losses}


def best_of_k() -> dict:
    """{case: {method: validation losses of all trials, sorted}}."""
    trials = grouped(load("reality-check").curve, "cell", "optimizer")
    data = {}
    for case in load("reality-check").run["config"]["cells"]:
        rows = {method: trials[case.replace(",", ""), method] for method in FOUR}
        data[case] = {method: sorted(short(r["validation"]) for r in of) for method, of in rows.items()}
    return {"methods": FOUR, "trials": data}


def many_studies() -> dict:
    """{case: {knobs: {method: test losses of the trial that was selected, a row a search}}}."""
    losses = {}
    for case in ("digits, big", "digits, small"):
        losses[case] = {}
        for knobs in load("digit-searches").run["config"]["knobs"]:
            losses[case][knobs] = {method: [] for method in FOUR}
    by_search = grouped(load("digit-searches").curve, "case", "knobs", "optimizer", "search")
    for (case, knobs, method, _), rows in by_search.items():
        losses[case.replace(" ", ", ")][knobs][method].append([short(r["test"]) for r in rows])
    return {"methods": FOUR, "losses": losses}


def state_and_loss() -> list:
    """Method, bytes of state a parameter, loss above AdamW's, its interval, and the verdict on "equal within 0.05"."""
    run = load("small-memory").run
    names = [name for name in run["config"]["middles"] if name != "naive 8-bit"]
    ends = {name: dict(zip(run["config"]["seeds"], run["results"][name]["test"], strict=True)) for name in names}
    pairs = family({name: compare(ends[name], ends["AdamW"], within=0.05) for name in names if name != "AdamW"})
    rows = [["AdamW", run["results"]["AdamW"]["bytes"], 0, 0, 0, "equal"]]
    for name, c in pairs.items():
        apart = "higher" if c.difference < 0 else "lower"
        verdict = {"confirmed": "equal", "contradicted": apart}.get(c.verdict, c.verdict)
        size = round(run["results"][name]["bytes"], 3)
        rows.append([name, size, *(round(float(-v), 3) for v in (c.difference, c.high, c.low)), verdict])
    return sorted(rows, key=lambda row: (row[1], row[0]))


# ---- language models ------------------------------------------------------------------------------------------------

METHODS = {"adamw": "AdamW", "lamb": "LAMB", "adafactor-momentum": "Adafactor + momentum", "came": "CAME"}
METHODS |= {"came-corrected": "CAME, corrected", "sgd": "Nesterov", "adafactor": "Adafactor"}
TUNING = 100


def last_losses() -> tuple[dict, dict]:
    """{model: {method: {rate: {seed: last loss}}}}, and {model: {method: the rate that was chosen}}."""
    last: dict = {}
    chosen: dict = {}
    below = load("bert-below")
    for model, runs in (("GPT-2", ("gpt2-optimizers", "gpt2-losers")), ("T5", ("t5-optimizers",))):
        for record in map(load, runs):
            for r in record.curve:
                of = last.setdefault(model, {}).setdefault(r["optimizer"], {}).setdefault(r["rate"], {})
                of[r["seed"]] = round(r["loss"], 4)
            rates = {case.split()[-1]: rate for case, rate in record.run["results"]["chosen"].items()}
            chosen.setdefault(model, {}).update(rates)
    for r in below.curve:
        rows = f"{r['batch']:.0f}"
        if r["budget"] == below.run["results"]["budget"][rows]:  # a pilot may have another
            model = last.setdefault(f"BERT, {rows} rows", {})
            model.setdefault(r["optimizer"], {}).setdefault(r["rate"], {})[r["seed"]] = round(r["loss"], 4)
    for case, rate in below.run["results"]["chosen"].items():
        rows, name = case.split()
        chosen.setdefault(f"BERT, {rows} rows", {})[name] = rate
    return last, chosen


def pick_a_pair() -> dict:
    """{model: {method: losses of the seeds that judge}}; of BERT on rows that chose nothing."""
    last, chosen = last_losses()
    tests, data = load("bert-below").run["results"]["test"], {}
    for model, rates in chosen.items():
        data[model] = {}
        for name in [name for name in METHODS if name in rates]:
            if not model.startswith("BERT"):
                ends = last[model][name][rates[name]]
                data[model][METHODS[name]] = [ends[seed] for seed in sorted(ends) if seed != TUNING]
            elif name != "sgd":
                ends = tests[f"{model.split()[1]} {name}"].values()
                data[model][METHODS[name]] = [round(loss, 4) for loss in ends]
    return data


def match_the_rate() -> dict:
    """{model: its steps, its schedule, and [rate, loss] on the seed that tuned, of CAME as published and corrected}."""
    last, _ = last_losses()
    below, data = load("bert-below").run, {}
    for model in last:
        if model.startswith("BERT"):
            rows, bench = model.split()[1], below["config"]["bench"]
            steps = below["results"]["budget"][rows] / (int(rows) * bench["length"])
            data[model] = {"steps": round(steps), "warm": bench["warmup"], "power": 1}
        else:
            config = load({"GPT-2": "gpt2-optimizers", "T5": "t5-optimizers"}[model]).run["config"]
            data[model] = {"steps": round(config["tokens"] / (config["bench"]["length"] * config["batches"][0]))}
        for kind, name in (("published", "came"), ("corrected", "came-corrected")):
            tried = {rate: ends[TUNING] for rate, ends in last[model][name].items() if TUNING in ends}
            data[model][kind] = sorted(map(list, tried.items()))
    return data


def budget_bottom() -> dict:
    """[name, operations a token] of each size; {budget in 1e11 operations: median losses, None where none was run}."""
    record, paid = load("model-size"), load("gpt2-compressed").run
    rates, operations = record.run["results"]["chosen"], {}
    for size, facts in record.run["results"]["sizes"].items():
        operations[size.removesuffix(" 32")] = facts["operations"]
    shapes = [f"{layers} {width}" for layers, width in ((1, 8), (1, 16), (1, 32), (2, 64), (4, 128))]
    last: dict = {}
    for r in record.curve:
        case = f"{r['layers']:.0f} {r['width']:.0f} {r['batch']:.0f} {r['budget']:g}", r["rate"]
        last.setdefault(case, {})[r["seed"]] = r["loss"]
    losses = {}
    for budget in record.run["config"]["budgets"]:
        cases = [f"{shape} 32 {budget:g}" for shape in shapes]
        ends = [last.get((case, rates.get(case))) for case in cases]
        losses[round(budget / 1e11)] = [round(median(of.values()), 4) if of else None for of in ends]
    by_shape: dict = {}
    for key, (_, loss) in paid["results"]["pretrained"].items():
        layers, width, rate, seed = json.loads(key)
        if seed != paid["config"]["seeds"][0] and rate == paid["results"]["chosen"][f"{layers} {width}"]:
            by_shape.setdefault(f"{layers} {width}", []).append(loss)
    losses[80] = [round(median(by_shape[shape]), 4) if shape in by_shape else None for shape in shapes]
    return {"sizes": [[shape.replace(" ", " × "), operations[shape]] for shape in shapes], "losses": losses}


def kilobytes() -> dict:
    """Means of five seeds: [size, % pruned, bits, a grid for each row?, bytes, loss that chooses, loss that judges]."""
    run, widths = load("gpt2-compressed"), [32, 64, 128]
    formats = []
    for (width, sparsity, bits, per), rows in grouped(run.curve, "width", "sparsity", "bits", "per").items():
        numbers = round(mean(r["bytes"] for r in rows), 1), *(mean(r[k] for r in rows) for k in ("choosing", "loss"))
        which = widths.index(width), round(100 * sparsity), int(bits), int(per == "channel")
        formats.append([*which, numbers[0], round(numbers[1], 5), round(numbers[2], 5)])
    return {"formats": formats, "pairs": round(run.run["results"]["counting"]["pairs"], 5)}


def bert_rivals() -> dict:
    """{run: [tokens, validation loss] at each point}."""
    cases = grouped(load("bert-laptop").curve, "first weights", "seed")
    runs = {"first weights as published": cases["as published", 0], "wider first weights, waves": cases["ours", 0]}
    runs |= {"the same, a longer run": load("bert-long").curve}
    return {name: [[r["tokens"], round(r["validation_loss"], 3)] for r in rows] for name, rows in runs.items()}


def fill_the_hole() -> list:
    """The hidden words: what stands before and after them, and what each rival guesses."""
    return load("bert-guesses").run["results"]["shown"]


RECORDS = {
    each.__name__.replace("_", "-"): each
    for each in (
        rule_ends, carried_rate, rate_by_width, carry_the_rate, branch_a_run, free_batch, wrong_rate, pick_your_winner,
        best_of_k, many_studies, state_and_loss, pick_a_pair, match_the_rate, budget_bottom, kilobytes, bert_rivals,
        fill_the_hole,
    )
}  # fmt: skip


def script(name: str) -> str:
    """The text of a figure's record."""
    return f"{HEAD}Live.records[{json.dumps(name)}] = {json.dumps(RECORDS[name](), ensure_ascii=False)};\n"


if __name__ == "__main__":
    for chosen in sys.argv[1:] or RECORDS:
        path = FIGURES / chosen / "record.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script(chosen), encoding="utf-8")
