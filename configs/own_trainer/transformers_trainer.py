"""CAME in the `Trainer` of transformers, which saves and goes on by itself."""

from pathlib import Path

import tiny
from torch.optim.lr_scheduler import LambdaLR
from transformers import Trainer, TrainingArguments

from minilib.schedules import polynomial, warmup
from minilib.torch_optim import CAME, parameter_groups


def train(folder: Path, until: int, steps: int = 100):
    """Go on until step `until` of `steps`; returns the model and its losses."""
    model, rows = tiny.model(), tiny.rows(32 * steps)
    quiet = {"logging_steps": 1, "report_to": "none", "disable_tqdm": True}
    # the lines
    groups = parameter_groups(model, weight_decay=0.01)
    optimizer = CAME(groups, lr=1e-2, correct_confidence=True)
    schedule = LambdaLR(optimizer, lambda t: warmup(t, 10) * polynomial(t, steps))
    arguments = TrainingArguments(
        output_dir=str(folder),
        max_steps=until,
        per_device_train_batch_size=32,
        max_grad_norm=1.0,  # Trainer clips; that of the optimizer stays off
        save_steps=50,
        **quiet,
    )
    both = optimizer, schedule
    trainer = Trainer(model, arguments, train_dataset=rows, optimizers=both)
    trainer.train(resume_from_checkpoint=any(folder.glob("checkpoint-*")))
    # the end
    return model, [line["loss"] for line in trainer.state.log_history if "loss" in line]
