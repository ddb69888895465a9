"""A card does what the processor does: the same numbers, steps that are skipped, runs that go on, nothing waited for.

`make gpu` runs them on CUDA. On a processor they compare it with itself, which shows that they run.
"""

import copy
import math

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from minilib.models import registry
from minilib.torch_optim import cannot_compile
from minilib.training import checkpoint, trainer
from minilib.training.config import OPTIMIZERS
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import read_curve
from minilib.training.step import step_if_finite

SIZE = {"layers": 2, "width": 32, "heads": 2, "vocabulary": 128, "length": 16}
MODELS = ("bert-tiny", "gpt2", "t5-small")


def batch_for(name: str, rows: int, place: torch.device) -> dict[str, torch.Tensor]:
    """Random tokens as the model of this name wants them."""
    draw = torch.Generator().manual_seed(0)

    def tokens(length):
        return torch.randint(5, SIZE["vocabulary"], (rows, length), generator=draw).to(place)

    if name == "gpt2":
        return {"tokens": tokens(17)}
    more = {"positions": torch.arange(4).repeat(rows, 1).to(place)} if name == "bert-tiny" else {}
    return {"tokens": tokens(16), "targets": tokens(4)} | more


def built(name: str):
    torch.manual_seed(0)
    return registry.model(name, **SIZE)


def trained(model, method: str, steps: int, place: torch.device, name: str) -> dict[str, torch.Tensor]:
    """The weights, on the CPU, after some steps on the same batch."""
    model = copy.deepcopy(model).to(place)
    opt = optimizer(method, model, 1e-2, 0.01, place)
    for _ in range(steps):
        model(batch_for(name, 4, place)).loss.backward()
        step_if_finite(opt, model.parameters(), 1e-2, 1.0)
    return {key: t.cpu() for key, t in model.state_dict().items()}


@pytest.mark.parametrize("name", MODELS)
def test_loss_and_gradients_are_the_processors(device, exact_products, name):
    models = [built(name), built(name).to(device)]
    places = [torch.device("cpu"), device]
    losses = [model(batch_for(name, 4, place)).loss for model, place in zip(models, places, strict=True)]
    for loss in losses:
        loss.backward()
    torch.testing.assert_close(losses[1].cpu(), losses[0], rtol=1e-5, atol=1e-5)
    for p, q in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(q.grad.cpu(), p.grad, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("method", OPTIMIZERS)
def test_three_steps_of_every_method_are_the_processors(device, exact_products, method):
    model = built("bert-tiny")
    ours, theirs = (trained(model, method, 3, place, "bert-tiny") for place in (device, torch.device("cpu")))
    moved = {key: (theirs[key] - t).norm() for key, t in model.state_dict().items()}
    assert all(distance > 0 for distance in moved.values())
    near = 0.2 if method == "muon" else 0.02  # torch's Muon makes its matrices orthogonal in bfloat16
    for key, distance in moved.items():
        # signs of tiny gradients may differ, and a step of Adam's kind is as long there as elsewhere
        assert (ours[key] - theirs[key]).norm() < near * distance + 1e-6, key


@pytest.mark.parametrize("method", OPTIMIZERS)
def test_a_step_without_a_finite_gradient_changes_nothing_and_waits_for_nothing(device, method):
    model = built("bert-tiny").to(device)
    opt = optimizer(method, model, 1e-2, 0.01, device)
    batch = batch_for("bert-tiny", 4, device)
    for _ in range(2):  # the first compiles
        model(batch).loss.backward()
        step_if_finite(opt, model.parameters(), 1e-2, 1.0)
    before = copy.deepcopy((model.state_dict(), opt.state_dict()["state"]))
    model(batch).loss.backward()
    model.tokens.weight.grad[0, 0] = math.nan
    if device.type == "cuda":
        torch.cuda.set_sync_debug_mode("error")  # raises where the host waits for the card
    try:
        _, finite = step_if_finite(opt, model.parameters(), 1e-2, 1.0)
    finally:
        if device.type == "cuda":
            torch.cuda.set_sync_debug_mode("default")
    assert not finite
    after = model.state_dict(), opt.state_dict()["state"]
    assert all(torch.equal(t, after[0][key]) for key, t in before[0].items())
    for number, state in before[1].items():
        for key, t in state.items():
            assert not torch.is_tensor(t) or torch.equal(t, after[1][number][key]), key


@pytest.mark.parametrize("method", OPTIMIZERS)
def test_a_first_step_without_a_finite_gradient_leaves_no_trace(device, method):
    ended = []
    for bad in (False, True):
        model = built("bert-tiny").to(device)
        opt = optimizer(method, model, 1e-2, 0.01, device)
        batch = batch_for("bert-tiny", 4, device)
        for k in range(3 if bad else 2):
            model(batch).loss.backward()
            if bad and k == 0:
                model.tokens.weight.grad[0, 0] = math.nan
            step_if_finite(opt, model.parameters(), 1e-2, 1.0)
        ended.append(model.state_dict())
    for key, t in ended[1].items():
        torch.testing.assert_close(t, ended[0][key], rtol=1e-3, atol=1e-4, msg=key)


@pytest.mark.parametrize("precision", ["fp32", "fp16", "bf16"])
def test_a_run_that_stopped_goes_on_as_one_that_did_not(device, small, tmp_path, precision):
    options = {
        "precision": precision,
        "device": device.type,
        "optimizer": "lamb",
        "schedule": "constant",
        "warmup": 0.0,
    }
    runs = [small(**options, steps=12, out=str(tmp_path / name)) for name in ("whole", "again", "parts")]
    for config in runs[:2]:
        trainer.train(config, quiet=True)
    trainer.train(small(**options, steps=8, out=str(tmp_path / "parts")), quiet=True)
    trainer.train(runs[2], quiet=True)
    whole, again, parts = (
        torch.cat([t.reshape(-1) for t in checkpoint.newest(config.folder / "checkpoints").model.values()])
        for config in runs
    )
    # where the backend adds in the same order each time the two are equal, and so must the third be
    noise = float((whole - again).abs().max())
    assert float((whole - parts).abs().max()) <= 10 * noise


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_half_precision_learns_what_float32_learns(device, small, tmp_path, precision):
    options = {"steps": 40, "lr": 1e-3, "evaluate_every": 40, "device": device.type}
    half, full = (
        trainer.train(small(**options, precision=p, out=str(tmp_path / p)), quiet=True) for p in (precision, "fp32")
    )
    assert half["precision"] == precision
    assert half["validation_loss"] == pytest.approx(full["validation_loss"], abs=0.05)


def test_a_compiled_run_has_the_curve_of_one_that_is_not(device, small, tmp_path):
    if reason := cannot_compile(device.type):
        pytest.skip(reason)
    options = {"device": device.type, "optimizer": "adamw", "steps": 4}
    for compile in (True, False):
        trainer.train(small(**options, compile=compile, out=str(tmp_path / str(compile))), quiet=True)
    curves = [[row["loss"] for row in read_curve(tmp_path / name)] for name in ("True", "False")]
    assert curves[0] == pytest.approx(curves[1], rel=2e-3)


def test_adamw_is_torchs_fused_one(device):
    opt = optimizer("adamw", built("bert-tiny").to(device), 1e-2, 0.01, device)
    assert opt.defaults["fused"]


@pytest.mark.parametrize(("name", "backend"), [("bert-tiny", SDPBackend.FLASH_ATTENTION),
                                               ("gpt2", SDPBackend.FLASH_ATTENTION),
                                               ("t5-small", SDPBackend.EFFICIENT_ATTENTION)])  # fmt: skip
def test_attention_is_never_written_out(on_card, device, name, backend):
    model = built(name).to(device)
    # T5 adds a learnt number to each score, which flash attention cannot: the memory-efficient kernel can
    with sdpa_kernel(backend), torch.autocast(device.type, torch.bfloat16):
        model(batch_for(name, 4, device)).loss.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())
