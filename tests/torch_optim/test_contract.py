"""The contract of `torch.optim`: groups, gradients that come and go, closures, hooks, names."""

import inspect

import pytest
import torch

from minilib.torch_optim import LAMB, Adafactor, Optimizer
from tests.torch_optim.shared import (
    METHODS,
    WAYS,
    assert_same,
    bits,
    parameters,
    run,
    run_steps,
    some_methods,
    without_gradient,
)

# Another value of an option, of all methods or of one; what is not here is a flag.
OTHER = {
    "lr": 0.3,
    "momentum": 0.5,
    "betas": (0.5, 0.6),
    ("CAME", "betas"): (0.5, 0.6, 0.7),
    "eps": 0.1,
    ("Adafactor", "eps"): (0.1, 0.5),
    ("CAME", "eps"): (1e-3, 0.1),
    "weight_decay": 0.3,
    "trust_coefficient": 0.2,
    "phi": (0.5, 0.6),
    "beta2_decay": -0.5,
    "d": 0.5,
    "scale_parameter": False,
    "decay_by": "one",
    "factor": "first",
    "min_dim_size_to_factor": 7,
}
OPTIONS = [
    (method, option.name, OTHER.get((method, option.name), OTHER.get(option.name, not option.default)))
    for method, (cls, _) in METHODS.items()
    for option in inspect.signature(cls).parameters.values()
    if option.name not in ("params", "options")
]


def ones():
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    return p


@pytest.mark.parametrize(("method", "name", "value"), OPTIONS)
def test_an_option_of_a_group_is_that_groups_alone(method, name, value):
    cls, options = METHODS[method]
    if name == "adapt_without_decay":
        options = options | {"weight_decay": 0.0}
    plain, changed, mixed = parameters(), parameters(), [parameters(), parameters()]
    groups = [{"params": list(mixed[0].values())}, {"params": list(mixed[1].values()), name: value}]
    for params, opt in (
        (plain, cls(plain.values(), **options)),
        (changed, cls(changed.values(), **(options | {name: value}))),
        (mixed, cls(groups, **options)),
    ):
        run_steps(opt, params, 1, 3)
        for group in opt.param_groups:
            group["lr"] *= 0.5  # a buffer with the rate inside remembers
        run_steps(opt, params, 4, 6)
    assert_same(mixed[0], plain)
    assert_same(mixed[1], changed)
    assert any(bits(p) != bits(plain[n]) for n, p in changed.items()), "the option does not matter here"


@pytest.mark.parametrize(("name", "value"), [("max_grad_norm", 2.0), ("on_nonfinite", "skip"), ("compile", False)])
def test_what_is_about_all_gradients_together_must_be_equal_in_all_groups(name, value):
    a, b = ones(), ones()
    message = f"{name} must be the same in all groups, got {value!r} in group 1"
    with pytest.raises(ValueError, match=message):
        LAMB([{"params": [a]}, {"params": [b], name: value}])
    opt = LAMB([{"params": [a]}, {"params": [b]}])
    opt.param_groups[1][name] = value
    with pytest.raises(ValueError, match=message):
        opt.step()
    assert bits(a) == bits(b) == bits(torch.ones(2))
    with pytest.raises(ValueError, match=message):
        LAMB([{"params": [ones()]} for _ in range(2)]).load_state_dict(opt.state_dict())


@some_methods(way=WAYS)
def test_a_group_added_in_mid_run_starts_its_own_steps(cls, options, way):
    ours, late, alone, undisturbed = (parameters() for _ in range(4))
    opt = run(way(cls), ours, 3, **options)
    opt.add_param_group({"params": late.values(), "lr": 0.05})
    run_steps(opt, [ours, late], 4, 8)
    run_steps(way(cls)(alone.values(), **(options | {"lr": 0.05})), alone, 4, 8)
    run(way(cls), undisturbed, 8, **options)
    assert_same(late, alone)
    assert_same(ours, undisturbed)
    assert [{int(opt.state[p]["step"]) for p in group["params"]} for group in opt.param_groups] == [{8}, {5}]


@some_methods(way=WAYS)
def test_a_parameter_without_a_gradient_is_left_alone_and_starts_when_it_gets_one(cls, options, way):
    params, early = parameters(), parameters()
    opt, late = way(cls)(params.values(), **options), params["kernel"]
    run_steps(opt, params, 1, 3, before=without_gradient(late))
    assert bits(late) == bits(early["kernel"])
    assert not opt.state.get(late)
    run_steps(opt, params, 4, 6)
    assert (int(opt.state[late]["step"]), int(opt.state[params["matrix"]]["step"])) == (3, 6)
    run_steps(way(cls)(early.values(), **options), early, 4, 6)
    assert bits(late) == bits(early["kernel"])


def test_a_step_without_any_gradient_changes_nothing():
    params = parameters()
    opt = LAMB(params.values())
    opt.step()
    assert_same(params, parameters())
    assert opt.state_bytes() == 0


def test_a_closure_is_called_once_with_gradients_enabled_and_its_loss_returned():
    p, q = (torch.nn.Parameter(torch.tensor([[1.0, -2.0], [0.5, 3.0]])) for _ in range(2))
    opt, other = LAMB([p], lr=0.1), LAMB([q], lr=0.1)
    calls = []

    def closure():
        calls.append(torch.is_grad_enabled())
        opt.zero_grad()
        loss = p.square().sum()
        loss.backward()
        return loss

    for _ in range(3):
        expected, q.grad = q.square().sum(), 2 * q.detach()
        with torch.no_grad():
            assert opt.step(closure).item() == expected.item()
        other.step()
    assert calls == [True] * 3
    assert bits(p) == bits(q)
    assert opt.step() is None


# Names and other keys


def test_a_group_is_copied_and_not_written():
    group = {"params": iter([ones()]), "lr": 0.5}
    opt = LAMB([group])
    opt.param_groups[0]["betas"] = (0.5, 0.5)
    assert (set(group), group["lr"]) == ({"params", "lr"}, 0.5)


def test_a_group_carries_what_is_no_option_and_a_scheduler_goes_on_from_it():
    a, b, c = ones(), ones(), ones()
    opt = LAMB([{"params": [a], "lr": 0.1, "initial_lr": 0.4, "lr_scale": 0.5, "name": "slow"}])
    plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda t: 1 / (1 + t), last_epoch=6)
    assert plan.get_last_lr() == [pytest.approx(0.4 / 8)]
    opt.add_param_group(opt.param_groups[0] | {"params": [b]})
    torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.3, total_steps=7)
    opt.add_param_group(opt.param_groups[0] | {"params": [c]})
    assert [group["lr_scale"] for group in opt.param_groups] == [0.5] * 3
    opt.step()
    assert bits(a) == bits(b) != bits(torch.ones(2))


# Hooks


def test_what_a_hook_makes_of_a_state_dict_is_what_is_loaded():
    opt, other = run(Adafactor, parameters(), 3), Adafactor(parameters().values())

    def halve(_, state_dict):
        state_dict["param_groups"][0]["lr"] = 0.5
        return state_dict

    other.register_load_state_dict_pre_hook(halve)
    other.load_state_dict(opt.state_dict())
    assert (opt.param_groups[0]["lr"], other.param_groups[0]["lr"]) == (0.01, 0.5)


def test_what_a_hook_makes_of_the_loaded_state_is_what_the_next_step_finds():
    opt, seen = run(LAMB, parameters(), 3), []

    def replace(opt):
        for state in opt.state.values():
            seen.append(state["exp_avg"].dtype)
            state["exp_avg"] = torch.zeros_like(state["exp_avg"], dtype=torch.float32)

    opt.register_load_state_dict_post_hook(replace)
    opt.load_state_dict(opt.state_dict())
    assert set(seen) == {torch.float64}, "a hook sees the state as it was saved"
    assert all(state["exp_avg"].dtype == torch.float32 and not state["exp_avg"].any() for state in opt.state.values())


class Sign(Optimizer):
    """x ← x − η sign(g): a method that remembers nothing."""

    phases = (lambda x, g, s, sums, n: n["lr"] * g.sign(),)

    def __init__(self, params, lr=1.0, **options):
        super().__init__(params, {"lr": lr}, options)

    def state_shapes(self, shape, dims):
        return {}

    def numbers(self, group, t):
        return {"lr": group["lr"]}, {}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_a_method_without_state_takes_its_steps(dtype):
    p = torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype))
    p.grad = torch.tensor([[0.5, -2.0], [0.0, 1e-3]], dtype=dtype)
    Sign([p], lr=0.5).step()
    assert p.tolist() == [[0.5, 2.5], [3.0, 3.5]]
