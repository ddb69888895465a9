"""The questions that the book asks again and again: who against whom, on which model, at which batch, verdict, size.

The lines are chosen here by hand; every verdict, number and interval is looked up in the data that the chapters left.
A chapter has judged a claim beside those of its own family. Here each question is judged once more, over all places
where it was asked, by the same rule (Holm 1979): where nothing is true, one of a question's lines is confirmed with a
chance of 5 %. Deliberately absent: what a difference means, which the chapters say; the intervals, which stand below on
the page; claims about whole searches (LAMB and the reality check have some), which have no interval of this kind.
"""

import re

MATTERS = 0.05  # nats, written down before the runs
LEVEL = 0.05  # at which a question may hold a wrong verdict
# A question, and its lines: on what | chapter | the claim that the chapter judged. The mark [nats] has a line say
# whether the difference is one that matters.
LINES = """\
Does LAMB end below AdamW? [nats]
    GPT-2, 16 rows | bert_in_76_minutes | LAMB below AdamW, 16 rows
    GPT-2, 64 rows | bert_in_76_minutes | LAMB below AdamW, 64 rows
    GPT-2, 256 rows | bert_in_76_minutes | LAMB below AdamW, 256 rows
    GPT-2, 1,024 rows | bert_in_76_minutes | LAMB below AdamW, 1,024 rows
    GPT-2, 256 rows, shorter memory of squares | bert_in_76_minutes | best corners: LAMB < AdamW, 256 rows
    GPT-2, 1,024 rows, shorter memory of squares | bert_in_76_minutes | best corners: LAMB < AdamW, 1,024 rows
    BERT, 64 rows, only rates tuned | bert | 64 rows: LAMB below AdamW
    BERT, 64 rows, each with the best of five settings | bert | LAMB below AdamW, best of five for each
    BERT, 64 rows, AdamW alone with the best of five | bert | LAMB, β2 0.999, below AdamW, β2 0.95
Is AdamW not worse than LAMB by 0.05? (asked afterwards) [nats]
    GPT-2, 16 rows | bert_in_76_minutes | AdamW < LAMB+0.05, 16 rows
    GPT-2, 64 rows | bert_in_76_minutes | AdamW < LAMB+0.05, 64 rows
    GPT-2, 256 rows | bert_in_76_minutes | AdamW < LAMB+0.05, 256 rows
    GPT-2, 1,024 rows | bert_in_76_minutes | AdamW < LAMB+0.05, 1,024 rows
Does CAME, with half the state, end where AdamW ends? [nats]
    GPT-2, 128 rows | came_at_work | GPT-2: CAME equals AdamW
    T5, 32 rows | came_at_work | T5: CAME equals AdamW
    BERT, 8 rows | bert | 8 rows: CAME equals AdamW
    BERT, 64 rows | bert | 64 rows: CAME equals AdamW
    a small model of words, twenty seeds | came | CAME = AdamW
    the same, 16 seeds, four settings tuned | landscape | CAME = AdamW
Does CAME end lower with its confidence corrected for the start? [nats]
    GPT-2, 128 rows | came_at_work | GPT-2: corrected CAME below CAME
    T5, 32 rows | came_at_work | T5: corrected CAME below CAME
    BERT, 8 rows | bert | 8 rows: corrected CAME below CAME
    BERT, 64 rows | bert | 64 rows: corrected CAME below CAME
    a small model of words | came | corrected < CAME
Is corrected CAME not worse than AdamW by 0.05? (asked afterwards) [nats]
    GPT-2, 128 rows | came_at_work | GPT-2: corrected CAME < AdamW+0.05
    T5, 32 rows | came_at_work | T5: corrected CAME < AdamW+0.05
    BERT, 8 rows | came_at_work | BERT 8: corrected CAME < AdamW+0.05
    BERT, 64 rows | came_at_work | BERT 64: corrected CAME < AdamW+0.05
    a small model of words, 256 a step | came_at_work | words: corrected CAME < AdamW+0.05
Does CAME's confidence improve on Adafactor with momentum? (corrected: asked afterwards) [nats]
    GPT-2, 128 rows, as published | came_at_work | GPT-2: CAME below Adafactor+m
    T5, 32 rows, as published | came_at_work | T5: CAME below Adafactor+m
    a small model of words, as published | came | CAME < Algorithm 1
    GPT-2, 128 rows, corrected | came_at_work | GPT-2: corrected CAME < Adafactor+m
    T5, 32 rows, corrected | came_at_work | T5: corrected CAME < Adafactor+m
    a small model of words, corrected | came_at_work | words: corrected CAME < Adafactor+m
Does a larger batch of the same tokens end where 16 rows end? [nats]
    LAMB, GPT-2, 64 rows | bert_in_76_minutes | LAMB: 64 rows equal 16 rows
    LAMB, GPT-2, 256 rows | bert_in_76_minutes | LAMB: 256 rows equal 16 rows
    LAMB, GPT-2, 1,024 rows | bert_in_76_minutes | LAMB: 1,024 rows equal 16 rows
    AdamW, GPT-2, 64 rows | bert_in_76_minutes | AdamW: 64 rows equal 16 rows
    AdamW, GPT-2, 256 rows | bert_in_76_minutes | AdamW: 256 rows equal 16 rows
    AdamW, GPT-2, 1,024 rows | bert_in_76_minutes | AdamW: 1,024 rows equal 16 rows
Do 1,024 rows need at most four times the tokens of 16? [doublings of the price]
    AdamW, GPT-2 | bert_in_76_minutes | AdamW, 1,024 rows: price at most four
    LAMB, GPT-2 | bert_in_76_minutes | LAMB, 1,024 rows: price at most four
Do layer-wise rates end below momentum on images? [points of error]
    LARS, CIFAR-10, 128 images | bert_in_76_minutes | LARS below Nesterov, 128 images
    LAMB, CIFAR-10, 128 images | bert_in_76_minutes | LAMB below Nesterov, 128 images
    LARS, CIFAR-10, 8,192 images | bert_in_76_minutes | LARS below Nesterov, 8,192 images
    LAMB, CIFAR-10, 8,192 images | bert_in_76_minutes | LAMB below Nesterov, 8,192 images
    LARS, CIFAR-10, 128 images, no decay | bert_in_76_minutes | no decay: LARS below Nesterov
    LAMB, CIFAR-10, 128 images, no decay | bert_in_76_minutes | no decay: LAMB below Nesterov
Does the larger model end lower for equal operations? [nats]
    GPT-2, width 64 against 32 | train_large_compress | 2 × 64 below 1 × 32
    GPT-2, width 128 against 64 | train_large_compress | 4 × 128 below 2 × 64
    GPT-2, width 128 against 64, each at its best batch | train_large_compress | 4 × 128 below 2 × 64, best batch
And for equal stored bytes, pruned and quantised? [nats]
    GPT-2, width 64 against 32 | train_large_compress | 2 × 64 below 1 × 32, same bytes
    GPT-2, width 128 against 32 | train_large_compress | 4 × 128 below 1 × 32, same bytes
    GPT-2, width 128 against 64 | train_large_compress | 4 × 128 below 2 × 64, same bytes
"""


def asked_where() -> dict[str, list[list[str]]]:
    """{question with its unit: [where, chapter, claim]}."""
    asked, lines = {}, []
    for line in LINES.splitlines():
        if line.startswith(" "):
            lines.append(line.strip().split(" | "))
        else:
            lines = asked[line] = []
    return asked


def size(by: str) -> str:
    """A difference in words: positive is lower."""
    return f"{by.lstrip('-')} {'higher' if by.startswith('-') else 'lower'}"


def matters(interval: str, margin: float = MATTERS) -> str:
    """Is a difference at least this large, either way? As far as its interval, as printed, can say."""
    low, high = map(float, interval.strip("[]").split(", "))
    if low >= margin or high <= -margin:
        return "yes"
    return "no" if -margin < low and high < margin else "open"


def judged_once(rows: list[dict]) -> list[str]:
    """The verdict of each of these claims when they are all one family."""
    verdicts, stands = {}, True
    for done, k in enumerate(sorted(range(len(rows)), key=lambda k: rows[k]["p"])):
        stands = stands and rows[k]["p"] <= LEVEL / (len(rows) - done)
        verdicts[k] = rows[k]["leans"] if stands else "not resolved"
    return [verdicts[k] for k in range(len(rows))]


def answer(verdicts: list[str]) -> str:
    """How many of a question's claims came out how."""
    counts = [f"{verdicts.count(word)} {word}" for word in dict.fromkeys(verdicts)]
    return f"of {len(verdicts)}: {', '.join(counts)}"


def table(rows: dict[tuple[str, str], tuple[str, dict]]) -> str:
    """The table in Markdown; `rows` has {(chapter, claim): (the address that decides it, its data)}.

    A chapter that the book does not have is left out. ValueError: a chapter has judged no such claim.
    """
    there = {chapter for chapter, _ in rows}
    lines = ["| on | in its family | over all places | it ends, on average | 0.05 or more? |", "|:--|:--|:--|:--|:--|"]
    for question, asked in asked_where().items():
        words, unit = re.fullmatch(r"(.*) \[(.*)\]", question).groups()
        asked = [one for one in asked if one[1] in there]
        if missing := [(chapter, claim) for _, chapter, claim in asked if (chapter, claim) not in rows]:
            chapter, claim = missing[0]
            raise ValueError(f"{chapter} has no verdict on {claim!r}, which the table of questions names")
        found = [rows[chapter, claim] for _, chapter, claim in asked]
        once = judged_once([row for _, row in found])
        lines.append(f"| **{words}** | | *{answer(once)}* | *{unit}* | |")
        for (where, *_), (address, row), verdict in zip(asked, found, once, strict=True):
            own = row["verdict"] + ", only just" * row.get("near", False)
            last = matters(row["interval"]) if unit == "nats" else ""
            lines.append(f'| <a href="{address}">{where}</a> | {own} | {verdict} | {size(row["by"])} | {last} |')
    return "\n".join(lines)
