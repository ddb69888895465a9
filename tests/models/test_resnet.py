"""A small residual network, and the loop that trains it."""

import math

import pytest
import torch
from torch import nn

from minilib import schedules
from minilib.data import digits
from minilib.models.resnet import Block, ResNet, evaluate, fit, settle


def images(count):
    scans = digits()
    x = torch.tensor(scans.x_train[:count]).float().reshape(-1, 1, 8, 8)
    return x, torch.tensor(scans.y_train[:count]).long()


def test_every_block_but_the_first_halves_the_picture():
    model = ResNet(channels=3, classes=7, widths=(4, 8, 16))
    x = torch.randn(2, 3, 32, 32)
    assert model.blocks(model.stem(x)).shape == (2, 16, 8, 8)
    assert model(x).shape == (2, 7)


def test_a_block_of_zeros_lets_its_input_through():
    block = Block(4, 4, 1)
    for norm in block.norms:
        nn.init.zeros_(norm.weight)
    x = torch.rand(2, 4, 8, 8)
    assert torch.equal(block(x), x)


def test_it_learns_the_digits_and_the_same_seed_gives_the_same_losses():
    x, y = images(512)
    runs = []
    for _ in range(2):
        torch.manual_seed(0)
        model = ResNet()
        opt = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        runs.append(fit(model, opt, x, y, 128, 4, schedules.polynomial))
    settle(model, x)
    assert runs[0] == runs[1]
    assert len(runs[0]) == 16
    assert runs[0][-1] < 0.3 < runs[0][0]
    assert evaluate(model, x, y)[1] > 0.9


def test_the_schedule_multiplies_the_rate_of_each_group():
    model = ResNet(widths=(4,))
    groups = [{"params": model.stem.parameters(), "lr": 0.1}, {"params": model.output.parameters(), "lr": 0.2}]
    opt = torch.optim.SGD(groups, 0.1)
    fit(model, opt, *images(64), 32, 1, lambda step, steps: step / steps)
    assert [group["lr"] for group in opt.param_groups] == [0.05, 0.1]


def test_settled_norms_have_the_mean_of_all_images():
    x, _ = images(100)
    model = ResNet(widths=(4,))
    settle(model, x)
    first, norm = model.stem[0](x), model.stem[1]
    assert torch.allclose(norm.running_mean, first.mean((0, 2, 3)), atol=1e-6)
    assert torch.allclose(norm.running_var, first.var((0, 2, 3)), atol=1e-6)


def test_a_run_that_diverges_stops_where_the_loss_is_not_finite():
    model = ResNet(widths=(4,))
    nn.init.constant_(model.output.weight, math.nan)
    losses = fit(model, torch.optim.SGD(model.parameters(), 0.1), *images(64), 32, 3, schedules.polynomial)
    assert len(losses) == 1
    assert math.isnan(losses[0])


@pytest.mark.parametrize("batch", [0, 65])
def test_a_batch_that_is_larger_than_the_data_is_refused(batch):
    model = ResNet()
    with pytest.raises(ValueError, match=f"batch_size must be in 1 ... 64, got {batch}"):
        fit(model, torch.optim.SGD(model.parameters(), 0.1), *images(64), batch, 1, schedules.polynomial)
