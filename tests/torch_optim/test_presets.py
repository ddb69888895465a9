"""The presets against the recorded runs of the packages that they are named after; names."""

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


def test_recorded_are_runs_of_every_package_but_apex_and_mlperf():
    packages = {(p.values[0]["optimizer"], p.values[0]["reference"].split()[0]) for p in RUNS}
    assert packages == {
        *(("LARS", name) for name in ("timm", "pytorch_optimizer")),
        *(("LAMB", name) for name in ("timm", "pytorch_optimizer", "optax", "tensorflow-addons")),
        ("AsShipped", "timm"),
        *(("Adafactor", name) for name in ("transformers", "timm", "pytorch_optimizer", "optax")),
        *(("CAME", name) for name in ("came-pytorch", "pytorch_optimizer")),
    }


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
