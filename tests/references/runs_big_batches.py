"""Which runs of public LARS and LAMB are recorded: file -> (package, module, class, minilib class, runs).

A run is the package's settings, ours, and what differs for ours on vectors. Three files hold settings for which a
package computes something else than the paper, mostly its defaults; their minilib class is none of `minilib.optim` but
a form that LAMB's chapter and `tests/optim/test_lamb.py` write down: `AsShipped` (clips the global norm, plain steps
where the decay is zero), `Outside` (decay outside the ratio) and `OneSidedOnCPU` (a ratio of at most 1).
"""

TIMM_LAMB = {"max_grad_norm": None, "always_adapt": True}
TIMM_LARS = {"eps": 0.0, "always_adapt": True}
PO_LAMB = {"weight_decouple": False, "adam_debias": True, "eps": 1e-12}
PO_OURS = {"bias_correction": False, "eps": 1e-12, "phi": [0.0, 10.0]}
# Keras keeps the settings in float32 whatever the parameters are, so all of them are exact there.
TFA_BETAS = {"beta_1": 7 / 8, "beta_2": 127 / 128}
TFA_OURS = {"betas": [7 / 8, 127 / 128]}

RUNS = {
    "lars_timm": ("timm", "timm.optim.lars", "Lars", "LARS", {
        "paper": (
            {"lr": 2.0, "momentum": 0.9, "weight_decay": 0.01, "trust_coeff": 0.01, **TIMM_LARS},
            {"lr": 2.0, "momentum": 0.9, "weight_decay": 0.01, "trust_coefficient": 0.01},
        ),
        "no decay, no momentum": (
            {"lr": 1.0, "momentum": 0.0, "weight_decay": 0.0, "trust_coeff": 0.05, **TIMM_LARS},
            {"lr": 1.0, "momentum": 0.0, "weight_decay": 0.0, "trust_coefficient": 0.05},
        ),
    }),
    "lars_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "LARS", "LARS", {
        "vectors excluded": (
            {"lr": 0.5, "momentum": 0.8, "weight_decay": 0.1, "trust_coefficient": 0.02},
            {"lr": 0.5, "momentum": 0.8, "weight_decay": 0.1, "trust_coefficient": 0.02},
            {"layer_adaptation": False, "weight_decay": 0.0},
        ),
    }),
    "lamb_timm": ("timm", "timm.optim.lamb", "Lamb", "LAMB", {
        "paper": (
            {"lr": 0.02, "weight_decay": 0.01, **TIMM_LAMB},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "no decay, other betas, large eps": (
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 0.1, "weight_decay": 0.0, **TIMM_LAMB},
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 0.1, "weight_decay": 0.0},
        ),
        "no bias correction, large decay": (
            {"lr": 0.02, "bias_correction": False, "weight_decay": 0.5, **TIMM_LAMB},
            {"lr": 0.02, "bias_correction": False, "weight_decay": 0.5},
        ),
    }),
    "lamb_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "Lamb", "LAMB", {
        "no bias correction, norm clipped at 10": (
            {"lr": 0.1, "weight_decay": 0.2, **PO_LAMB},
            {"lr": 0.1, "weight_decay": 0.2, **PO_OURS},
        ),
    }),
    "lamb_optax": ("optax", "optax", "lamb", "LAMB", {
        "paper": (
            {"learning_rate": 0.02, "weight_decay": 0.01},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "no decay, other betas, small eps": (
            {"learning_rate": 0.05, "b1": 0.7, "b2": 0.95, "eps": 1e-8, "weight_decay": 0.0},
            {"lr": 0.05, "betas": [0.7, 0.95], "eps": 1e-8, "weight_decay": 0.0},
        ),
    }),
    "lamb_tensorflow_addons": ("tensorflow-addons", "tensorflow_addons.optimizers", "LAMB", "LAMB", {
        "paper": (
            {"learning_rate": 1 / 64, "weight_decay": 1 / 128, **TFA_BETAS},
            {"lr": 1 / 64, "weight_decay": 1 / 128, **TFA_OURS},
        ),
        "no decay": (
            {"learning_rate": 1 / 16, "weight_decay": 0.0, **TFA_BETAS},
            {"lr": 1 / 16, "weight_decay": 0.0, **TFA_OURS},
        ),
    }),
    "lamb_timm_defaults": ("timm", "timm.optim.lamb", "Lamb", "AsShipped", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "weight_decay": 0.01},
        ),
        "defaults, no decay": (
            {"lr": 0.02, "weight_decay": 0.0},
            {"lr": 0.02, "weight_decay": 0.0},
        ),
    }),
    "lamb_pytorch_optimizer_defaults": ("pytorch_optimizer", "pytorch_optimizer", "Lamb", "Outside", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "weight_decay": 0.0},
        ),
        "decay": (
            {"lr": 0.1, "weight_decay": 0.2},
            {"lr": 0.1, "weight_decay": 0.2},
        ),
    }),
    "lamb_bitsandbytes": ("bitsandbytes", "bitsandbytes.optim", "LAMB", "OneSidedOnCPU", {
        "defaults": (
            {"lr": 0.02},
            {"lr": 0.02, "eps": 1e-8, "weight_decay": 0.0},
        ),
        "decay": (
            {"lr": 0.05, "weight_decay": 1.0},
            {"lr": 0.05, "eps": 1e-8, "weight_decay": 1.0},
        ),
    }),
}  # fmt: skip
