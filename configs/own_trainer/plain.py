"""LAMB in a loop of your own: groups, schedule, clipping, a checkpoint, and going on from it."""

from pathlib import Path

import tiny
import torch
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from minilib.schedules import polynomial, warmup
from minilib.torch_optim import LAMB, parameter_groups


def train(folder: Path, until: int, steps: int = 100):
    """Go on until step `until` of `steps`; returns the model and its losses."""
    model, losses, file = tiny.model(), [], folder / "run.pt"
    loader = DataLoader(tiny.rows(32 * steps), batch_size=32)
    # the lines
    groups = parameter_groups(model, weight_decay=0.01, layer_adaptation=False)
    optimizer = LAMB(groups, lr=3e-2, betas=(0.9, 0.95), max_grad_norm=1.0)
    schedule = LambdaLR(optimizer, lambda t: warmup(t, 10) * polynomial(t, steps))
    parts = {"model": model, "optimizer": optimizer, "schedule": schedule}
    if file.exists():
        saved = torch.load(file)
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    for t, batch in enumerate(loader):
        if schedule.last_epoch <= t < until:
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    # the end
    return model, losses
