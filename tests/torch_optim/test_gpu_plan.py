"""What a step of BERT-base would be on a GPU, counted without one: calls of compiled code, and memory for stacks."""

import pytest
import torch

from minilib import torch_optim
from minilib.analysis.memory import Transformer
from minilib.torch_optim.buckets import make_buckets
from minilib.torch_optim.execute import calls_of
from minilib.torch_optim.gradients import Check, params_with_grad

BERT = Transformer(vocabulary=30522, max_length=512, segments=2, head=True, width=768, layers=12, heads=12)


def buckets_on_a_gpu(method):
    """The buckets of a step; tensors of the "meta" device have shapes and no numbers."""
    params = [torch.nn.Parameter(torch.empty(shape, device="meta")) for shape in BERT.shapes().values()]
    opt = getattr(torch_optim, method)(params)
    for p in params:
        p.grad = torch.empty_like(p)
        opt.state[p] = opt.init_state(opt.param_groups[0], p)
    check = Check(bad=None, scale=None, step_mask=torch.empty((), device="meta"))
    return list(make_buckets(opt, params_with_grad(opt.param_groups), check, compiles=True))


# How many kernels the compiler makes of a call is not counted: that needs a GPU, see benchmarks/torch_optim.py.
@pytest.mark.parametrize(("method", "calls"), [("LARS", 100), ("LAMB", 100), ("Adafactor", 150), ("CAME", 200)])
def test_a_step_of_bert_base_is_few_calls_and_its_stacks_are_small(method, calls):
    buckets = buckets_on_a_gpu(method)
    assert sum(bucket.x.shape[0] for bucket in buckets) == len(BERT.shapes()) == 202
    assert all(bucket.packed for bucket in buckets)
    assert sum(len(calls_of(bucket.phases)) for bucket in buckets) <= calls
    stacks = [bucket for bucket in buckets if bucket.x.shape[0] > 1]
    largest = max(4 * sum(t.numel() for t in (b.x, b.g, *b.s.values())) for b in stacks)
    assert largest <= 64e6, "they are made one after the other: this is the most that lives at one time"
