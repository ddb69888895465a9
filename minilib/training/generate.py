"""Ask a trained model: `python -m minilib.training.generate --run runs/bert-tiny-adamw --prompt "a [MASK] of text"`.

GPT-2 continues the prompt. BERT fills each [MASK] in it, and T5, whose gaps may be any number of words, too. With
`temperature` 0 the likeliest token is taken each time; above, tokens are drawn from the `top` likeliest, and the seed
decides. Below the text stands what the model thought of it: the five likeliest words for each [MASK] of BERT, and of
the others how probable what they wrote was, whatever the temperature.

Deliberately absent: a cache of keys and values (each new token reads the whole text again), and beams.
"""

import math
import sys
from dataclasses import dataclass

import torch
from torch import Tensor

from minilib.data.progress import Say, silent
from minilib.models.bert import Bert
from minilib.models.gpt2 import Gpt2
from minilib.training import export
from minilib.training.config import SEEDS, Settings, command, option

MASK = "[MASK]"
LIKELIEST = 5  # words that are shown for a mask
GAPS = 99  # of T5's 100 sentinels the last one used ends the last gap


@dataclass(frozen=True)
class Question(Settings):
    run: str = option("runs/bert-tiny-adamw", "folder of a run, of a checkpoint, or of a model of transformers")
    prompt: str = option("The [MASK] of a function", "text; for BERT and T5 with at least one [MASK]", low=0)
    tokens: int = option(40, "that GPT-2 continues with, and that T5 writes at most", low=1)
    temperature: float = option(0.0, "0 takes the likeliest token, 1 draws as the model guesses", low=0.0)
    top: int = option(40, "draw from so many of the likeliest tokens", low=1)
    seed: int = option(0, "of what is drawn", low=0, high=SEEDS)


@torch.no_grad()
def generate(question: Question, say: Say = silent) -> str:
    """The prompt with what the model makes of it; `say` is told how likely it found that.

    ValueError: no such run, a prompt too long or without the [MASK].
    """
    model, tokenizer, _ = export.load(question.run)
    draw = torch.Generator().manual_seed(question.seed)
    if isinstance(model, Gpt2):
        return continued(model, tokenizer, question, draw, say)
    if not 1 <= question.prompt.count(MASK) <= GAPS:
        raise ValueError(f"prompt must have 1 to {GAPS} {MASK} for {tokenizer.kind} to fill, got {question.prompt!r}")
    pieces = [tokenizer.encode(part).tolist() for part in question.prompt.split(MASK)]
    return (filled if isinstance(model, Bert) else written)(model, tokenizer, question, pieces, draw, say)


def continued(model: Gpt2, tokenizer, question: Question, draw: torch.Generator, say: Say) -> str:
    """GPT-2: token after token, until a document ends."""
    ids = tokenizer.encode(question.prompt).tolist() or [tokenizer.separator]
    first, logs = len(ids), []
    for _ in range(question.tokens):
        seen = torch.tensor([ids[-model.size.length :]])
        scores = model.hidden(seen)[0, -1] @ model.tokens.weight[: len(tokenizer)].T
        token = choose(scores, question, draw)
        logs.append(float(torch.log_softmax(scores, 0)[token]))
        if token == tokenizer.separator:
            break
        ids.append(token)
    say(how_likely(logs))
    return question.prompt + tokenizer.decode(ids[first:])


def filled(model: Bert, tokenizer, question: Question, pieces: list[list[int]], draw: torch.Generator, say: Say) -> str:
    """BERT: every [MASK] at once, each from the rest of the text."""
    known = tokenizer.number
    ids, positions = [known["[CLS]"], *pieces[0]], []
    for piece in pieces[1:]:
        positions.append(len(ids))
        ids += [known[MASK], *piece]
    ids.append(known["[SEP]"])
    check_length(len(ids), model)
    logits = model.logits({"tokens": torch.tensor([ids]), "positions": torch.tensor([positions])})[0]
    logits = logits[:, : len(tokenizer)].masked_fill(torch.from_numpy(tokenizer.is_special), -torch.inf)
    for number, (place, scores) in enumerate(zip(positions, logits, strict=True), 1):
        ids[place] = choose(scores, question, draw)
        best = torch.softmax(scores, 0).topk(min(LIKELIEST, len(scores)))
        words = (f"{tokenizer.decode([i])} {p:.1%}" for p, i in zip(*map(Tensor.tolist, best), strict=True))
        say(f"{MASK} {number}: {', '.join(words)}")
    return tokenizer.decode(ids[1:-1])


def written(model, tokenizer, question: Question, pieces: list[list[int]], draw: torch.Generator, say: Say) -> str:
    """T5: it writes <extra_id_0>, the first gap's text, <extra_id_1>, and so on; the text is put together again."""
    gaps = [tokenizer.number[f"<extra_id_{k}>"] for k in range(len(pieces))]  # one more, which ends the last gap
    ids = list(pieces[0])
    for gap, piece in zip(gaps, pieces[1:], strict=False):
        ids += [gap, *piece]
    ids.append(tokenizer.separator)
    check_length(len(ids), model)
    out, texts, gap, logs = [gaps[0]], [[] for _ in pieces[1:]], 0, []
    for _ in range(question.tokens):
        targets = torch.tensor([[*out, 0]])
        scores = model.logits({"tokens": torch.tensor([ids]), "targets": targets})[0, -1, : len(tokenizer)]
        out.append(token := choose(scores, question, draw))
        logs.append(float(torch.log_softmax(scores, 0)[token]))
        if token in (tokenizer.separator, gaps[-1]) or len(out) == model.size.length:
            break
        if token in gaps:
            gap = max(gap, gaps.index(token))
        elif not tokenizer.is_special[token]:
            texts[gap].append(token)
    whole = list(pieces[0])
    for text, piece in zip(texts, pieces[1:], strict=True):
        whole += [*text, *piece]
    say(how_likely(logs))
    return tokenizer.decode(whole)


def choose(scores: Tensor, question: Question, draw: torch.Generator) -> int:
    """One token of (V,) scores."""
    if question.temperature == 0:
        return int(scores.argmax())
    best, which = scores.topk(min(question.top, len(scores)))
    return int(which[torch.multinomial(torch.softmax(best / question.temperature, 0), 1, generator=draw)])


def how_likely(logs: list[float]) -> str:
    """From the logarithms of the probabilities of what was chosen."""
    return f"{len(logs)} tokens, each with a probability of {math.exp(sum(logs) / len(logs)):.1%} (geometric mean)"


def check_length(count: int, model) -> None:
    """ValueError when the model has learned no position so far."""
    if count > model.size.length:
        raise ValueError(f"prompt must have at most {model.size.length} tokens for this model, got {count}")


def main() -> int:
    def work(question: Question) -> str:
        lines = []
        return "\n".join([generate(question, lines.append), *lines])

    return command(Question, "generate", "Ask a trained model.", work)


if __name__ == "__main__":
    sys.exit(main())
