"""Which LAMB took these steps? Two or three recorded steps, or an optimizer, and the name of the method comes out.

    print(which_lamb(optimizer))                          # makes its own steps; yours does not move
    print(which_lamb(Steps(weights, gradients, lr=0.02))) # steps that you recorded
    python -m studies.which_lamb steps.npz                # the same from a file, see `Steps.load`

Absent on purpose: an l2 penalty in the gradient, AMSGrad, sharded layers, and steps from the middle of a run: the
moving averages must start at zero in the first step.
"""

from studies.which_lamb.comparison import Verdict, deviations, which_lamb
from studies.which_lamb.forms import CHOICES, FORMS, Variant
from studies.which_lamb.steps import Steps, probe

__all__ = ["CHOICES", "FORMS", "Steps", "Variant", "Verdict", "deviations", "probe", "which_lamb"]
