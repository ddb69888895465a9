"""Which runs of public optimizers are recorded: file -> (package, module, class, minilib class, runs).

A run is the settings that the package and ours share, those that only one of them has or calls so, what differs for
ours on vectors, and the order of axes in which ours must see a tensor: packages factor different axes of a kernel.

Three files hold settings for which a package computes something else than the paper, mostly its defaults; their minilib
class is none of `minilib.optim` but a form that LAMB's chapter and `tests/optim/test_lamb.py` write down: `AsShipped`
(clips the global norm, plain steps where the decay is zero), `Outside` (decay outside the ratio) and `OneSidedOnCPU` (a
ratio of at most 1). `AdaBelief` and `CautiousLion` are in `studies/methods.py`.
"""


def run(theirs=None, ours=None, vectors=None, axes=None, **shared):
    return shared | (theirs or {}), shared | (ours or {}), vectors or {}, axes or {}


PO = "pytorch_optimizer"
TIMM_LAMB, TIMM_LARS = {"max_grad_norm": None, "always_adapt": True}, {"eps": 0.0, "always_adapt": True}
PO_LAMB = {"weight_decouple": False, "adam_debias": True, "eps": 1e-12}
PO_OURS = {"bias_correction": False, "eps": 1e-12, "phi": [0.0, 10.0]}
# Keras keeps the settings in float32 whatever the parameters are, so all of them are exact there.
TFA_BETAS, TFA_OURS = {"beta_1": 7 / 8, "beta_2": 127 / 128}, {"betas": [7 / 8, 127 / 128]}
FIXED, FACTOR_ALL = {"relative_step": False}, {"min_dim_size_to_factor": 0}
UNSCALED = FIXED | {"scale_parameter": False}
FIRST_AXES, LARGEST_AXES = {"kernel": [2, 3, 0, 1]}, {"kernel": [1, 3, 0, 2]}
SOAP = {"lr": 0.02, "betas": [0.9, 0.8], "eps": 1e-13, "weight_decay": 0.0}

RUNS = {
    "lars_timm": ("timm", "timm.optim.lars", "Lars", "LARS", {
        "paper": run(
            {"trust_coeff": 0.01} | TIMM_LARS, {"trust_coefficient": 0.01}, lr=2.0, momentum=0.9, weight_decay=0.01
        ),
        "no decay, no momentum": run(
            {"trust_coeff": 0.05} | TIMM_LARS, {"trust_coefficient": 0.05}, lr=1.0, momentum=0.0, weight_decay=0.0
        ),
    }),
    "lars_pytorch_optimizer": (PO, PO, "LARS", "LARS", {
        "vectors excluded": run(
            vectors={"layer_adaptation": False, "weight_decay": 0.0},
            lr=0.5, momentum=0.8, weight_decay=0.1, trust_coefficient=0.02,
        ),
    }),
    "lamb_timm": ("timm", "timm.optim.lamb", "Lamb", "LAMB", {
        "paper": run(TIMM_LAMB, lr=0.02, weight_decay=0.01),
        "no decay, other betas, large eps": run(TIMM_LAMB, lr=0.05, betas=[0.7, 0.95], eps=0.1, weight_decay=0.0),
        "no bias correction, large decay": run(TIMM_LAMB, lr=0.02, bias_correction=False, weight_decay=0.5),
    }),
    "lamb_pytorch_optimizer": (PO, PO, "Lamb", "LAMB", {
        "no bias correction, norm clipped at 10": run(PO_LAMB, PO_OURS, lr=0.1, weight_decay=0.2),
    }),
    "lamb_optax": ("optax", "optax", "lamb", "LAMB", {
        "paper": run({"learning_rate": 0.02}, {"lr": 0.02}, weight_decay=0.01),
        "no decay, other betas, small eps": run(
            {"learning_rate": 0.05, "b1": 0.7, "b2": 0.95}, {"lr": 0.05, "betas": [0.7, 0.95]},
            eps=1e-8, weight_decay=0.0,
        ),
    }),
    "lamb_tensorflow_addons": ("tensorflow-addons", "tensorflow_addons.optimizers", "LAMB", "LAMB", {
        "paper": run({"learning_rate": 1 / 64} | TFA_BETAS, {"lr": 1 / 64} | TFA_OURS, weight_decay=1 / 128),
        "no decay": run({"learning_rate": 1 / 16} | TFA_BETAS, {"lr": 1 / 16} | TFA_OURS, weight_decay=0.0),
    }),
    "lamb_timm_defaults": ("timm", "timm.optim.lamb", "Lamb", "AsShipped", {
        "defaults": run(ours={"weight_decay": 0.01}, lr=0.02),
        "defaults, no decay": run(lr=0.02, weight_decay=0.0),
    }),
    "lamb_pytorch_optimizer_defaults": (PO, PO, "Lamb", "Outside", {
        "defaults": run(ours={"weight_decay": 0.0}, lr=0.02),
        "decay": run(lr=0.1, weight_decay=0.2),
    }),
    "lamb_bitsandbytes": ("bitsandbytes", "bitsandbytes.optim", "LAMB", "OneSidedOnCPU", {
        "defaults": run(ours={"eps": 1e-8, "weight_decay": 0.0}, lr=0.02),
        "decay": run(ours={"eps": 1e-8}, lr=0.05, weight_decay=1.0),
    }),
    "came_came_pytorch": ("came-pytorch", "came_pytorch", "CAME", "CAME", {
        "paper": run(lr=0.01),
        "decay, other betas, clipping at 0.5": run(
            {"clip_threshold": 0.5}, {"d": 0.5}, lr=0.02, betas=[0.8, 0.95, 0.99], eps=[1e-12, 1e-6], weight_decay=0.1
        ),
    }),
    "came_pytorch_optimizer": (PO, PO, "CAME", "CAME", {"decay": run(lr=0.01, weight_decay=0.1)}),
    "adafactor_transformers": ("transformers", "transformers.optimization", "Adafactor", "Adafactor", {
        "paper": run(),
        "fixed rate, decay, clipping at 0.5": run(
            UNSCALED | {"clip_threshold": 0.5}, FIXED | {"d": 0.5}, lr=0.02, weight_decay=0.3
        ),
    }),
    "adafactor_timm": ("timm", "timm.optim.adafactor", "Adafactor", "Adafactor", {
        "paper, kernels by their first two axes": run(FACTOR_ALL, axes=FIRST_AXES),
        "fixed rate, decay, other exponent": run(
            FACTOR_ALL | {"decay_rate": -0.5}, FIXED | {"beta2_decay": -0.5}, axes=FIRST_AXES, lr=0.02, weight_decay=0.3
        ),
    }),
    "adafactor_pytorch_optimizer": (PO, PO, "AdaFactor", "Adafactor", {
        "paper": run({"betas": [None, 0.999]}),
        "fixed rate, decay": run(UNSCALED | {"betas": [None, 0.999]}, FIXED, lr=0.02, weight_decay=0.3),
    }),
    # optax has no relative step: a rate below 1/sqrt(50) is one that the paper's minimum never touches in 50 steps.
    "adafactor_optax": ("optax", "optax", "adafactor", "Adafactor", {
        "rate relative to the size, kernels by their largest axes": run(
            {"learning_rate": 0.05, "min_dim_size_to_factor": 1}, {"lr": 0.05}, axes=LARGEST_AXES
        ),
        "fixed rate, decay not times the rate": run(
            {"learning_rate": 0.02, "multiply_by_parameter_scale": False, "weight_decay_rate": 0.006}
            | {"min_dim_size_to_factor": 1},
            FIXED | {"lr": 0.02, "weight_decay": 0.3}, axes=LARGEST_AXES,
        ),
    }),
    "sm3_pytorch_optimizer": (PO, PO, "SM3", "SM3", {
        "no momentum": run(lr=0.1),
        "momentum": run(lr=0.3, momentum=0.9),
    }),
    "lion_lion_pytorch": ("lion-pytorch", "lion_pytorch", "Lion", "Lion", {
        "paper": run(lr=0.01),
        "decay, other betas": run(lr=0.01, betas=[0.95, 0.98], weight_decay=1.0),
    }),
    "adam_mini_adam_mini": ("adam-mini", "adam_mini", "Adam_mini", "AdamMini", {
        "paper": run(lr=0.01),
        "decay, other betas": run(
            vectors={"weight_decay": 0.0}, lr=0.02, betas=[0.8, 0.95], eps=1e-3, weight_decay=0.1
        ),
    }),
    "shampoo_pytorch_optimizer": (PO, PO, "Shampoo", "Shampoo", {
        "paper": run({"matrix_eps": 1e-4}, {"eps": 1e-4}, lr=0.1),
        "decay, large eps": run({"matrix_eps": 0.5}, {"eps": 0.5}, lr=0.3, weight_decay=0.1),
    }),
    "muon_pytorch_optimizer": (PO, PO, "Muon", "Muon", {
        "paper": run(lr=0.02, weight_decay=0.0),
        "decay, as long as AdamW's steps": run(
            {"use_adjusted_lr": True}, {"adjust_lr_fn": "match_rms_adamw"},
            lr=0.02, momentum=0.8, nesterov=False, weight_decay=0.1,
        ),
    }),
    "soap_pytorch_optimizer": (PO, "pytorch_optimizer.optimizer.soap", "SOAP", "SOAP", {
        "refresh every step": run(**SOAP, precondition_frequency=1),
        "refresh every seven steps": run(**SOAP, precondition_frequency=7),
    }),
    "adabelief_pytorch_optimizer": (PO, PO, "AdaBelief", "AdaBelief", {
        "decay": run(lr=0.01, eps=1e-8, weight_decay=0.1),
    }),
    "cautious_pytorch_optimizer": (PO, PO, "Lion", "CautiousLion", {"cautious": run({"cautious": True}, lr=0.01)}),
    "schedule_free_schedulefree": ("schedulefree", "schedulefree", "AdamWScheduleFree", "ScheduleFree", {
        "paper": run({"foreach": False}, lr=0.01),
        "decay, other betas": run({"foreach": False}, lr=0.02, betas=[0.95, 0.9], eps=1e-3, weight_decay=0.1),
    }),
    "schedule_free_reference": (
        "schedulefree", "schedulefree.adamw_schedulefree_reference", "AdamWScheduleFreeReference", "ScheduleFree",
        {"paper": run(lr=0.01)},
    ),
}  # fmt: skip
