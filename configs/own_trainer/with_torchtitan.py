"""LAMB and CAME among torchtitan's optimizers: a subclass knows their names, patterns say who gets what.

Here is its container of optimizers with its schedule, in a plain loop: torchtitan's own `Trainer` asks for a card.
"""

from dataclasses import dataclass
from pathlib import Path

import tiny
import torch
from torch.utils.data import DataLoader
from torchtitan.components.optimizer import LRSchedulersContainer, OptimizersContainer, ParamGroupConfig

from minilib.torch_optim import CAME, LAMB


# the lines
class Optimizers(OptimizersContainer):
    @dataclass(kw_only=True, slots=True)
    class Config(OptimizersContainer.Config):
        implementation: str = "for-loop"  # ours choose for themselves

    @staticmethod
    def _resolve_optimizer_factory(name):
        known = OptimizersContainer._resolve_optimizer_factory
        return {"LAMB": LAMB, "CAME": CAME}.get(name) or known(name)


def group(pattern, **own):
    options = {"lr": 3e-2, "betas": (0.9, 0.95), "max_grad_norm": 1.0} | own
    named = {"pattern": pattern, "optimizer_name": "LAMB"}
    return ParamGroupConfig(**named, optimizer_kwargs=options)


vectors = group("(?i)bias$|norm", weight_decay=0.0, layer_adaptation=False)
matrices = group(".*", weight_decay=0.01)
OPTIMIZER = Optimizers.Config(param_groups=[vectors, matrices])
# the end


def train(folder: Path, until: int, steps: int = 100):
    """Go on until step `until` of `steps`; returns the model and its losses."""
    model, losses, file = tiny.model(), [], folder / "run.pt"
    loader = DataLoader(tiny.rows(32 * steps), batch_size=32)
    optimizers = OPTIMIZER.build(model_parts=[model])
    schedule = LRSchedulersContainer.Config(warmup_steps=10).build(optimizers=optimizers, training_steps=steps)
    parts, done = {"model": model, "optimizers": optimizers, "schedule": schedule}, 0
    if file.exists():
        saved = torch.load(file)
        done = saved["schedule"]["last_epoch"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    for t, batch in enumerate(loader):
        if done <= t < until:
            loss = model(**batch).loss
            loss.backward()
            optimizers.step()
            schedule.step()
            optimizers.zero_grad()
            losses.append(loss.item())
    torch.save({name: part.state_dict() for name, part in parts.items()}, file)
    return model, losses
