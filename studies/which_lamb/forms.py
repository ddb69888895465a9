"""The seven choices in which public code under the name LAMB differs, and the combinations that are in use.

The sources are steps of the packages themselves, recorded in `tests/references`; of Apex, AlgoPerf and bitsandbytes on
a GPU, their code. Appendix C of the book explains each choice.
"""

from typing import NamedTuple

CHOICES = {
    "bias correction": ("both averages", "none", "the learning rate, by 1 - beta1^t"),
    "epsilon": ("outside the root", "inside the root", "outside the root, and in the ratio"),
    "ratio": ("free", "norm of the weights in phi", "at most 1", "at most 1, direction uncorrected"),
    "clip of the joint gradient": ("none", "built in"),
    "decay": ("inside the ratio", "outside, before the step", "outside, after the step"),
    "ratio skipped": ("never", "where the decay is 0", "for vectors", "for vectors, and their decay", "everywhere"),
    "layer of zeros": ("takes Adam's step", "never moves"),
}


class Variant(NamedTuple):
    """One value of every choice; the defaults are the paper's."""

    correction: str = "both averages"
    epsilon: str = "outside the root"
    ratio: str = "free"
    clip: str = "none"
    decay: str = "inside the ratio"
    skipped: str = "never"
    zeros: str = "takes Adam's step"


class Form(NamedTuple):
    """A method that is in use: its choices, who computes it, and the presets of `minilib.torch_optim.LAMB` that do."""

    variant: Variant
    used_by: str
    presets: tuple[str, ...] = ()


_CLIPPED = Variant(clip="built in")
_SIZE_IN_PHI = Variant(ratio="norm of the weights in phi", epsilon="outside the root, and in the ratio")
_ONE_SIDED = Variant(ratio="at most 1", decay="outside, after the step", zeros="never moves")
FORMS = {
    "paper": Form(
        Variant(),
        "optax, TensorFlow Addons, AlgoPerf; timm with max_grad_norm=None, always_adapt=True",
        ("paper", "optax", "tf-addons"),
    ),
    "uncorrected": Form(
        Variant(correction="none"),
        "the paper's first versions; timm with max_grad_norm=None, always_adapt=True, bias_correction=False",
    ),
    "timm, Apex": Form(_CLIPPED._replace(skipped="where the decay is 0"), "timm and Apex by default", ("timm", "apex")),
    "nvlamb": Form(_CLIPPED, "Apex with use_nvlamb=True, timm with always_adapt=True", ("nvlamb",)),
    "pytorch_optimizer": Form(
        _SIZE_IN_PHI._replace(correction="the learning rate, by 1 - beta1^t", decay="outside, before the step"),
        "pytorch_optimizer by default",
    ),
    "pytorch_optimizer, coupled": Form(
        _SIZE_IN_PHI._replace(correction="none"), "pytorch_optimizer with weight_decouple=False, adam_debias=True"
    ),
    "coupled, eps once": Form(
        Variant(correction="none", ratio="norm of the weights in phi"),
        "like pytorch_optimizer with weight_decouple=False, adam_debias=True, but without epsilon in the ratio",
        ("pytorch_optimizer",),
    ),
    "bitsandbytes, GPU": Form(_ONE_SIDED, "bitsandbytes on a GPU"),
    "bitsandbytes, CPU": Form(_ONE_SIDED._replace(ratio="at most 1, direction uncorrected"), "bitsandbytes on a CPU"),
    "AdamW": Form(Variant(skipped="everywhere"), "no LAMB at all: a ratio of 1 for every layer"),
}
