"""The published sizes by name, and a model built from a name.

Sources: BERT-base and -large Devlin et al. 2019, the smaller ones Turc et al. 2019; Radford et al. 2019; Raffel et al.
2020. Parameters, a shared table counted once:

    bert-tiny .. bert-large   4.4, 11.3, 29.1, 41.7, 110.1 and 336.2 M with both heads (next_sentence=True); the encoder
                              of bert-base, with pooler and no head, has 109,482,240
    gpt2, gpt2-medium         124,439,808 and 354,823,168 (the paper says 117 M and 345 M)
    t5-small, t5-base         60,506,624 and 222,903,552
"""

from dataclasses import fields, replace

from torch import nn

from minilib.models.bert import Bert, BertSize
from minilib.models.gpt2 import Gpt2, Gpt2Size
from minilib.models.layers import Size
from minilib.models.t5 import T5, T5Size

SIZES: dict[str, Size] = {
    "bert-tiny": BertSize(layers=2, width=128, heads=2),
    "bert-mini": BertSize(layers=4, width=256, heads=4),
    "bert-small": BertSize(layers=4, width=512, heads=8),
    "bert-medium": BertSize(layers=8, width=512, heads=8),
    "bert-base": BertSize(layers=12, width=768, heads=12),
    "bert-large": BertSize(layers=24, width=1024, heads=16),
    "gpt2": Gpt2Size(layers=12, width=768, heads=12),
    "gpt2-medium": Gpt2Size(layers=24, width=1024, heads=16),
    "t5-small": T5Size(layers=6, width=512, heads=8),
    "t5-base": T5Size(layers=12, width=768, heads=12),
}
MODELS = {BertSize: Bert, Gpt2Size: Gpt2, T5Size: T5}


def size(name: str, **changes) -> Size:
    """The size of this name, with fields replaced: `size("bert-mini", vocabulary=8192)`.

    ValueError: unknown name or field, or a value out of range.
    """
    if name not in SIZES:
        raise ValueError(f"model must be one of {', '.join(SIZES)}, got {name!r}")
    known = [field.name for field in fields(SIZES[name])]
    if unknown := sorted(set(changes) - set(known)):
        raise ValueError(f"{name} has no field {unknown[0]!r}: it may be one of {', '.join(known)}")
    return replace(SIZES[name], **changes)


def model(name: str, **changes) -> nn.Module:
    """The model of this name, with weights drawn by torch's generator; `changes` and errors as for `size`."""
    chosen = size(name, **changes)
    return MODELS[type(chosen)](chosen)
