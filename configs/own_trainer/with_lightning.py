"""LAMB in Lightning: the optimizer and its schedule are what `configure_optimizers` returns."""

from pathlib import Path

import lightning
import tiny
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from minilib.schedules import polynomial, warmup
from minilib.torch_optim import LAMB, parameter_groups


# the lines
class Module(lightning.LightningModule):
    def __init__(self, model, steps):
        super().__init__()
        self.model, self.steps, self.losses = model, steps, []

    def training_step(self, batch):
        loss = self.model(**batch).loss
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        groups = parameter_groups(self.model, 0.01, layer_adaptation=False)
        optimizer = LAMB(groups, lr=3e-2, betas=(0.9, 0.95))
        schedule = LambdaLR(optimizer, self.rate)
        each_step = {"scheduler": schedule, "interval": "step"}
        return {"optimizer": optimizer, "lr_scheduler": each_step}

    def rate(self, t):
        return warmup(t, 10) * polynomial(t, self.steps)


# the end


def train(folder: Path, until: int, steps: int = 100):
    """Go on until step `until` of `steps`; returns the model and its losses."""
    module, file = Module(tiny.model(), steps), folder / "run.ckpt"
    loader = DataLoader(tiny.rows(32 * steps // 2), batch_size=32)
    epochs, quiet = until // len(loader), {"logger": False, "enable_checkpointing": False}
    # the run
    trainer = lightning.Trainer(max_epochs=epochs, gradient_clip_val=1.0, **quiet)
    going_on = str(file) if file.exists() else None
    trainer.fit(module, loader, ckpt_path=going_on)
    trainer.save_checkpoint(file)
    # its end
    return module.model, module.losses
