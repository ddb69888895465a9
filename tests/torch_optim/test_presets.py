"""The presets against the recorded runs of the packages that they are named after, and by hand; names."""

import numpy as np
import pytest
import torch

from minilib.torch_optim import CAME, LAMB, LARS, Adafactor
from tests.optim.helpers import reference_runs
from tests.references import recipe
from tests.torch_optim.shared import error, parameters, run_steps

CLASSES = {"LARS": LARS, "LAMB": LAMB, "AsShipped": LAMB, "Adafactor": Adafactor, "CAME": CAME}

# The packages' names for our options. What is not here has the same name, or is left out as part of the preset.
NAMES = {
    "learning_rate": "lr",
    "b1": "beta1",
    "b2": "beta2",
    "beta_1": "beta1",
    "beta_2": "beta2",
    "trust_coeff": "trust_coefficient",
    "always_adapt": "adapt_without_decay",
    "clip_threshold": "d",
    "decay_rate": "beta2_decay",
    "weight_decay_rate": "weight_decay",
    "multiply_by_parameter_scale": "scale_parameter",
}
LEFT_OUT = {"weight_decouple", "adam_debias"}


def ours(cls, package: str, theirs: dict) -> dict:
    """The preset of a package, and the settings that it was given, in our names."""
    options = {NAMES.get(name, name): value for name, value in theirs.items() if name not in LEFT_OUT}
    if cls is Adafactor:
        options.pop("betas", None)  # (None, ...): without momentum
        if package == "timm" and "lr" in theirs:
            options["relative_step"] = False
    if "beta1" in options:
        options["betas"] = options.pop("beta1"), options.pop("beta2")
    return cls.preset(package) | options


def replay(content: dict, run: str, preset: str | None = None) -> float:
    """The largest relative error of a preset, by default that of the package, in 50 steps of a recorded run."""
    assert content["inputs"]["sha256"] == recipe.digest(), "the inputs are not those that were recorded"
    recorded, cls = content["runs"][run], CLASSES[content["optimizer"]]
    package = content["reference"].split()[0].replace("tensorflow-addons", "tf-addons")
    params, errors = parameters(), []
    vectors = [p for p in params.values() if p.ndim < 2]
    others = [p for p in params.values() if p.ndim >= 2]
    options = ours(cls, package, recorded["theirs"]) | (cls.preset(preset) if preset else {})
    opt = cls([{"params": others}, {"params": vectors, **recorded["ours_vectors"]}], **options)
    for t in range(1, recipe.STEPS + 1):
        run_steps(opt, params, t, t)
        for name, expected in recorded["trajectory"].get(str(t), {}).items():
            errors.append(error(params[name].flatten(), expected))
    assert len(errors) == len(recipe.SHAPES) * recipe.STEPS // recipe.EVERY
    return max(errors)


RUNS = [run for name in CLASSES for run in reference_runs(name)]


@pytest.mark.parametrize(("content", "run"), RUNS)
def test_a_preset_with_the_packages_settings_follows_the_package(content, run):
    # optax rounds Adafactor's 1 - t^-c to float32
    rounded = content["reference"].startswith("optax") and content["optimizer"] == "Adafactor"
    assert replay(content, run) <= (2e-6 if rounded else 1e-10)


@pytest.mark.parametrize(("content", "run"), reference_runs("AsShipped"))
def test_lamb_as_timm_ships_it_is_apexs_and_not_the_papers(content, run):
    assert replay(content, run, "apex") <= 1e-10
    assert replay(content, run, "paper") > 1e-3
    # the two forms of Apex differ where there is no decay
    assert (replay(content, run, "nvlamb") > 1e-3) == ("no decay" in run)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("lamb_pytorch_optimizer", "no bias correction, norm clipped at 10"),
        ("adafactor_timm", "paper, kernels by their first two axes"),
        ("adafactor_timm", "fixed rate, decay, other exponent"),
        ("adafactor_optax", "rate relative to the size, kernels by their largest axes"),
        ("adafactor_optax", "fixed rate, decay not times the rate"),
    ],
)
def test_a_package_that_is_not_the_paper_is_not_followed_by_the_papers_preset(name, run):
    (content,) = [p.values[0] for p in RUNS if p.id == f"{name}: {run}"]
    assert replay(content, run, "paper") > 1e-3


def test_presets_that_are_the_papers_form_say_so():
    assert LAMB.preset("optax") == LAMB.preset("tf-addons") == LAMB.preset("paper")
    assert CAME.preset("came-pytorch") == CAME.preset("pytorch_optimizer") == CAME.preset("paper")
    for cls in (LAMB, LARS):
        assert cls.preset("paper").items() <= cls([torch.ones(1)]).defaults.items()


@pytest.mark.parametrize("cls", [LAMB, LARS, Adafactor, CAME])
def test_every_preset_is_accepted_and_may_be_changed_without_a_trace_and_another_is_refused(cls):
    for name in cls.presets:
        options = cls.preset(name)
        cls([torch.ones(2)], lr=0.1, **options)
        options["eps"] = None
        assert cls.preset(name)["eps"] is not None
        with pytest.raises(ValueError, match=f"no preset 'torch' of {cls.__name__}: may be one of .*'{name}'"):
            cls.preset("torch")


# Where no recorded run could tell them apart: a step or two by hand.


def one_step(cls, name, x, gradients, lr=0.1, **options) -> np.ndarray:
    """`x` after steps with these gradients; `lr` may be a list, one a step."""
    p = torch.nn.Parameter(torch.tensor(x, dtype=torch.float64))
    opt = cls([p], **(cls.preset(name) | options))
    for t, g in enumerate(gradients):
        opt.param_groups[0]["lr"] = lr[t] if isinstance(lr, list) else lr
        p.grad = torch.tensor(g, dtype=torch.float64)
        opt.step()
    return p.detach().numpy()


@pytest.mark.parametrize("name", ["nvlamb", "apex", "timm"])
def test_nvlamb_apex_and_timm_clip_the_joint_norm_of_two_steps(name):
    # norms 10 and 0.5: the first gradient is divided by 10, the second is left alone
    options = {"weight_decay": 0.01, "betas": (0.5, 0.75)}
    clipped = one_step(LAMB, "paper", [3, 4], [[0.6, 0.8], [0.3, -0.4]], **options)
    np.testing.assert_allclose(one_step(LAMB, name, [3, 4], [[6, 8], [0.3, -0.4]], **options), clipped, rtol=1e-12)
    free = one_step(LAMB, "paper", [3, 4], [[6, 8], [0.3, -0.4]], **options)
    assert np.abs(free - clipped).max() > 0.01


# Adam's first step is lr (1, 1), LAMB's has the length lr ‖x‖.
WITHOUT_DECAY = {"paper": 0.5, "nvlamb": 0.5, "apex": 0.1 * 2**0.5, "timm": 0.02**0.5}


@pytest.mark.parametrize(("name", "length"), WITHOUT_DECAY.items())
def test_without_decay_apex_and_timm_take_adams_step(name, length):
    step = one_step(LAMB, name, [3, 4], [[0.6, 0.8]], weight_decay=0.0, eps=1e-12) - [3, 4]
    np.testing.assert_allclose(np.linalg.norm(step), length, rtol=1e-9)


OLD_RATE = {"lr": [1.0, 0.1], "momentum": 0.5, "trust_coefficient": 0.5, "adapt_without_decay": True}
DECAY = {"lr": 1.0, "weight_decay": 1.0, "trust_coefficient": 0.1}
TINY = {"lr": 1.0, "trust_coefficient": 0.1, "adapt_without_decay": True}
LARS_BY_HAND = [
    # Momentum 1/2; w = 2, g = 1, coefficient 1/2: ratio 1, so 2 - 1 = 1. The second gradient is zero: half of the first
    # step again, at its own learning rate 1 where the buffer is scaled, else at the present one 0.1.
    *((name, [2.0], [[1.0], [0.0]], OLD_RATE, [0.5], 1e-6) for name in ("paper", "optax", "mlperf")),
    *((name, [2.0], [[1.0], [0.0]], OLD_RATE, [0.95], 1e-6) for name in ("timm", "pytorch_optimizer")),
    # w = (3, 4), g = (-4, 3), β = 1: ‖g‖ + β‖w‖ = 10, optax: ‖g + βw‖ = 5√2; coefficient 0.1
    ("paper", [3.0, 4.0], [[-4, 3]], DECAY, [3 + 0.05, 4 - 0.35], 1e-12),
    ("optax", [3.0, 4.0], [[-4, 3]], DECAY, [3 + 0.1 / 2**0.5, 4 - 0.7 / 2**0.5], 1e-12),
    # ‖w‖ = 1, ‖g‖ = 1e-7: the step is 0.1 · 1e-7 / (1e-7 + ε)
    *((name, [1.0], [[1e-7]], TINY, [0.9], 1e-8) for name in ("paper", "optax")),
    ("timm", [1.0], [[1e-7]], TINY, [1 - 0.1 / 1.1], 1e-8),
    ("mlperf", [1.0], [[1e-7]], TINY, [0.95], 1e-8),
    # Without decay timm's LARS is momentum SGD.
    ("timm", [3.0], [[2.0], [2.0]], {"lr": 0.1, "momentum": 0.5}, [2.5], 1e-12),
]


@pytest.mark.parametrize(("name", "x", "gradients", "options", "end", "rtol"), LARS_BY_HAND)
def test_lars_by_hand(name, x, gradients, options, end, rtol):
    np.testing.assert_allclose(one_step(LARS, name, x, gradients, **options), end, rtol=rtol)


# lr is 0.1, λ is 0.5 and x has the size 2, so α = 0.2 where it scales. `shrink`: with a zero gradient only the decay is
# left; relative: the step is relative to the size, for U = (1, -1); fixed: the same with relative_step=False.
@pytest.mark.parametrize(
    ("name", "shrink", "relative", "fixed"),
    [
        ("paper", 0.05, 0.2, 0.1),
        ("transformers", 0.1, 0.2, 0.2),
        ("pytorch_optimizer", 0.1, 0.2, 0.2),
        ("timm", 0.1, 0.2, 0.1),
        ("optax", 0.5, 0.2, 0.2),
    ],
)
def test_what_multiplies_adafactors_decay_and_where_its_step_is_relative_to_the_size(name, shrink, relative, fixed):
    for gradient, options, moved in (
        ([0.0, 0.0], {"weight_decay": 0.5}, 2 * shrink),
        ([3.0, -3.0], {}, relative),
        ([3.0, -3.0], {"relative_step": False}, fixed),
    ):
        x = one_step(Adafactor, name, [2.0, -2.0], [gradient], **options)
        np.testing.assert_allclose(x, [2 - moved, -2 + moved], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "shape", "dims"),
    [
        ("timm", (16, 40), None),
        ("timm", (17, 40), (0, 1)),
        ("optax", (127, 500), None),
        ("optax", (3, 128, 3, 200), (1, 3)),
    ],
)
def test_which_dimensions_are_long_enough_for_a_package_to_factor_them(name, shape, dims):
    opt = Adafactor([torch.ones(1)], **Adafactor.preset(name))
    assert opt.dims(shape, opt.param_groups[0]) == dims
