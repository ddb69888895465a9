"""The optimizer of a run: its numbers arrive, and what is not given is the method's own."""

import pytest
import torch

from minilib.models import registry
from minilib.training import trainer
from minilib.training.config import NUMBERS, OPTIMIZERS, Config
from minilib.training.optimizers import optimizer
from minilib.training.run_dir import read_curve
from tests.training.runs import trained

CPU = torch.device("cpu")
GIVEN = {"beta1": 0.7, "beta2": 0.8, "eps": 0.03}


def named(name, **numbers):
    return optimizer(name, torch.nn.Linear(3, 3), 0.1, 0.01, CPU, **numbers)


@pytest.mark.parametrize("name", OPTIMIZERS)
class TestEveryMethod:
    def test_what_it_has_is_set_in_every_group_and_the_rest_is_its_own(self, name):
        for number in NUMBERS[name]:
            given = named(name, **{number: GIVEN[number]}).param_groups
            for group, own in zip(given, named(name).param_groups, strict=True):
                expected = {"eps": 0.03}
                if number != "eps":
                    betas = list(own["betas"])
                    betas[("beta1", "beta2").index(number)] = GIVEN[number]
                    expected = {"betas": tuple(betas)}
                assert group | {"params": own["params"]} == own | expected

    def test_biases_have_neither_decay_nor_a_ratio(self, name):
        weight, bias = named(name).param_groups
        assert [p.ndim for p in weight["params"] + bias["params"]] == [2, 1]
        assert (weight["weight_decay"], bias["weight_decay"]) == (0.01, 0)
        if name in ("lars", "lamb"):
            assert (weight["layer_adaptation"], bias["layer_adaptation"]) == (True, False)

    def test_what_it_has_not_is_refused(self, name):
        for number, value in GIVEN.items():
            if number in NUMBERS[name]:
                assert getattr(Config(optimizer=name, **{number: value}), number) == value
            else:
                own = ", ".join(NUMBERS[name]) or "none of beta1, beta2, eps"
                with pytest.raises(ValueError, match=f"{number} must be left out, got {value:g}: {name} has {own}"):
                    Config(optimizer=name, **{number: value})


@pytest.mark.parametrize("kind", ["bert-mini", "gpt2"])
def test_muon_steps_the_matrices_of_blocks_and_adamw_the_rest(kind):
    model = registry.model(kind, layers=2, width=32, heads=2, vocabulary=50, length=16)
    opt = optimizer("muon", model, 0.1, 0.01, CPU)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    opt.step()
    steps = {name: before[name] * (0.999 if p.ndim > 1 else 1) - p.detach() for name, p in model.named_parameters()}
    hidden = {name for name, p in model.named_parameters() if p.ndim == 2 and ("blocks" in name or "head" in name)}
    for name, step in steps.items():
        size = step.square().mean().sqrt()
        if name in hidden:  # of the gradient all directions but one are zero
            assert torch.linalg.matrix_rank(step, rtol=1e-2) == 1
        else:
            assert size == pytest.approx(0.1, rel=1e-3)


@pytest.fixture
def memory_without_values_is_nan():
    """What `torch.empty` gives is NaN, instead of what happens to lie there."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("name", ["sgd", "adamw"])
def test_a_fused_method_that_skips_its_first_step_goes_on_as_if_that_had_not_been(name, memory_without_values_is_nan):
    """As `step_where` does it on a card, here on the processor, whose fused steps skip too."""
    torch.manual_seed(0)
    weights, draw = torch.randn(3, 3), torch.Generator().manual_seed(1)
    good = torch.randn(3, 3, 3, generator=draw)
    ended = []
    for gradients in (good, [torch.full((3, 3), torch.nan), *good]):
        model = torch.nn.Linear(3, 3, bias=False)
        model.weight.data = weights.clone()
        opt = optimizer(name, model, 0.1, 0.01, torch.device("cuda"))
        for g in gradients:
            model.weight.grad = g.clone()
            opt.grad_scale, opt.found_inf = None, (~g.isfinite().all()).float()
            opt.step()
        ended.append(model.weight.detach())
    plain = torch.nn.Parameter(weights.clone())
    other = {"sgd": torch.optim.SGD, "adamw": torch.optim.AdamW}[name]
    opt = other([plain], 0.1, weight_decay=0.01, **{"momentum": 0.9, "nesterov": True} if name == "sgd" else {})
    for g in good:
        plain.grad = g.clone()
        opt.step()
    torch.testing.assert_close(ended[0], plain.detach())  # nor does the first step that is taken change
    assert torch.equal(ended[1], ended[0])


def test_a_large_eps_makes_the_first_step_of_a_run_shorter(small, tmp_path):
    """AdamW's first step is lr·g/(|g| + eps): with eps far above the gradients nothing is learned."""
    losses = {}
    for eps in (None, 1e4):
        config = trained(small(eps=eps, lr=5e-3, steps=8, log_every=1, warmup=0.0, out=str(tmp_path / str(eps))))
        losses[eps] = [row["loss"] for row in read_curve(config.folder)]
    assert losses[None][0] == losses[1e4][0]
    assert losses[None][0] - losses[None][-1] > 10 * abs(losses[1e4][0] - losses[1e4][-1])
    with pytest.raises(ValueError, match=r"has a run with eps = 10000.0, now it is None"):
        trained(small(lr=5e-3, steps=8, log_every=1, warmup=0.0, out=str(tmp_path / "10000.0")))


@pytest.mark.parametrize("schedule", ["linear", "polynomial", "cosine", "wsd"])
def test_the_rate_rises_in_the_warm_up_and_falls_to_zero(schedule):
    config = Config(lr=0.1, steps=1000, schedule=schedule, warmup=10.0)
    (phase,) = config.plan
    rates = [trainer.learning_rate(config, phase, step) for step in range(1001)]
    assert rates[0] == pytest.approx(0.01, rel=0.01)  # a tenth of the warm-up
    assert max(rates) == pytest.approx(0.1, rel=0.01)
    assert rates[9:] == sorted(rates[9:], reverse=True)
    assert rates[1000] == 0
