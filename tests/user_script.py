"""What a user writes, for a type checker: `mypy --warn-unused-ignores tests/user_script.py` finds nothing.

The four ignored lines are mistakes; where one is not caught its comment is the one too many. The job `newest-torch` of
the weekly workflow runs it with the wheel.
"""

import torch
from torch import nn

from minilib.torch_optim import CAME, LAMB, LARS, Adafactor, parameter_groups

model = nn.Linear(4, 2)
groups = parameter_groups(model, weight_decay=0.01, layer_adaptation=False)
opt = LAMB(groups, lr=1e-3, max_grad_norm=1.0, on_nonfinite="skip", state_dtype=torch.bfloat16)
others = [CAME(model.parameters()), LARS(model.named_parameters(), lr=torch.tensor(1.0)), Adafactor([model.weight])]
preset = LAMB(model.parameters(), lr=1e-3, **LAMB.preset("timm"))
schedule = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=1e-3, total_steps=11)
for _ in range(10):
    model(torch.ones(3, 4)).square().mean().backward()
    opt.step()
    schedule.step()
    opt.zero_grad()
opt.load_state_dict(opt.state_dict())
print(opt.state_bytes(), opt.skipped)


def mistakes() -> None:
    LAMB(model.parameters(), lr="fast")  # type: ignore[arg-type]
    LAMB(model.parameters(), typo=3)  # type: ignore[call-arg]
    LAMB(model)  # type: ignore[arg-type]
    LAMB(model.parameters(), on_nonfinite="ignore")  # type: ignore[arg-type]
