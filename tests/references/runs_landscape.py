"""Which runs of other public optimizers are recorded: file -> (package, module, class, minilib class, runs).

A run is the package's settings, ours, and what differs for ours on vectors.
"""

SOAP_BETAS = {"lr": 0.02, "betas": [0.9, 0.8], "eps": 1e-13, "weight_decay": 0.0}

RUNS = {
    "sm3_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "SM3", "SM3", {
        "no momentum": ({"lr": 0.1}, {"lr": 0.1}),
        "momentum": ({"lr": 0.3, "momentum": 0.9}, {"lr": 0.3, "momentum": 0.9}),
    }),
    "lion_lion_pytorch": ("lion-pytorch", "lion_pytorch", "Lion", "Lion", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.01, "betas": [0.95, 0.98], "weight_decay": 1.0},
            {"lr": 0.01, "betas": [0.95, 0.98], "weight_decay": 1.0},
        ),
    }),
    "adam_mini_adam_mini": ("adam-mini", "adam_mini", "Adam_mini", "AdamMini", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.02, "betas": [0.8, 0.95], "eps": 1e-3, "weight_decay": 0.1},
            {"lr": 0.02, "betas": [0.8, 0.95], "eps": 1e-3, "weight_decay": 0.1},
            {"weight_decay": 0.0},
        ),
    }),
    "shampoo_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "Shampoo", "Shampoo", {
        "paper": ({"lr": 0.1, "matrix_eps": 1e-4}, {"lr": 0.1, "eps": 1e-4}),
        "decay, large eps": (
            {"lr": 0.3, "matrix_eps": 0.5, "weight_decay": 0.1},
            {"lr": 0.3, "eps": 0.5, "weight_decay": 0.1},
        ),
    }),
    "soap_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer.optimizer.soap", "SOAP", "SOAP", {
        "refresh every step": (
            {**SOAP_BETAS, "precondition_frequency": 1},
            {**SOAP_BETAS, "precondition_frequency": 1},
        ),
        "refresh every seven steps": (
            {**SOAP_BETAS, "precondition_frequency": 7},
            {**SOAP_BETAS, "precondition_frequency": 7},
        ),
    }),
    "schedule_free_schedulefree": ("schedulefree", "schedulefree", "AdamWScheduleFree", "ScheduleFree", {
        "paper": ({"lr": 0.01, "foreach": False}, {"lr": 0.01}),
        "decay, other betas": (
            {"lr": 0.02, "betas": [0.95, 0.9], "eps": 1e-3, "weight_decay": 0.1, "foreach": False},
            {"lr": 0.02, "betas": [0.95, 0.9], "eps": 1e-3, "weight_decay": 0.1},
        ),
    }),
    "schedule_free_reference": (
        "schedulefree", "schedulefree.adamw_schedulefree_reference", "AdamWScheduleFreeReference", "ScheduleFree", {
        "paper": ({"lr": 0.01}, {"lr": 0.01}),
    }),
}  # fmt: skip
