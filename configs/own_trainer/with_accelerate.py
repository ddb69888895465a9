"""CAME in a loop with accelerate: the same lines on one process and on many."""

from pathlib import Path

import tiny
from accelerate import Accelerator
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from minilib.schedules import polynomial, warmup
from minilib.torch_optim import CAME, parameter_groups


def train(folder: Path, until: int, steps: int = 100):
    """Go on until step `until` of `steps`; returns the model and its losses."""
    model, losses = tiny.model(), []
    loader = DataLoader(tiny.rows(32 * steps), batch_size=32)
    # the lines
    accelerator = Accelerator()
    groups = parameter_groups(model, weight_decay=0.01)
    optimizer = CAME(groups, lr=1e-2, correct_confidence=True)
    schedule = LambdaLR(optimizer, lambda t: warmup(t, 10) * polynomial(t, steps))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    # A schedule that is prepared takes a step for each process: this one is not.
    accelerator.register_for_checkpointing(schedule)
    if any(folder.iterdir()):
        accelerator.load_state(str(folder))
    for t, batch in enumerate(loader):
        if schedule.last_epoch <= t < until:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    accelerator.save_state(str(folder))
    # the end
    return accelerator.unwrap_model(model), losses
