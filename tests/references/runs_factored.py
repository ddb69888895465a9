"""Which runs of public Adafactor and CAME are recorded: file -> (package, module, class, minilib class, runs).

A run is the package's settings, ours, what differs for ours on vectors, and the order of axes in which ours must see a
tensor: packages factor different axes of a kernel.
"""

OPTAX_FACTOR = {"min_dim_size_to_factor": 1}

RUNS = {
    "came_came_pytorch": ("came-pytorch", "came_pytorch", "CAME", "CAME", {
        "paper": (
            {"lr": 0.01},
            {"lr": 0.01},
        ),
        "decay, other betas, clipping at 0.5": (
            {"lr": 0.02, "betas": [0.8, 0.95, 0.99], "eps": [1e-12, 1e-6], "clip_threshold": 0.5, "weight_decay": 0.1},
            {"lr": 0.02, "betas": [0.8, 0.95, 0.99], "eps": [1e-12, 1e-6], "d": 0.5, "weight_decay": 0.1},
        ),
    }),
    "came_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "CAME", "CAME", {
        "decay": (
            {"lr": 0.01, "weight_decay": 0.1},
            {"lr": 0.01, "weight_decay": 0.1},
        ),
    }),
    "adafactor_transformers": ("transformers", "transformers.optimization", "Adafactor", "Adafactor", {
        "paper": ({}, {}),
        "fixed rate, decay, clipping at 0.5": (
            {"lr": 0.02, "relative_step": False, "scale_parameter": False, "weight_decay": 0.3, "clip_threshold": 0.5},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3, "d": 0.5},
        ),
    }),
    "adafactor_timm": ("timm", "timm.optim.adafactor", "Adafactor", "Adafactor", {
        "paper, kernels by their first two axes": (
            {"min_dim_size_to_factor": 0},
            {},
            {},
            {"kernel": [2, 3, 0, 1]},
        ),
        "fixed rate, decay, other exponent": (
            {"lr": 0.02, "weight_decay": 0.3, "decay_rate": -0.5, "min_dim_size_to_factor": 0},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3, "beta2_decay": -0.5},
            {},
            {"kernel": [2, 3, 0, 1]},
        ),
    }),
    "adafactor_pytorch_optimizer": ("pytorch_optimizer", "pytorch_optimizer", "AdaFactor", "Adafactor", {
        "paper": (
            {"betas": [None, 0.999]},
            {},
        ),
        "fixed rate, decay": (
            {"lr": 0.02, "betas": [None, 0.999], "relative_step": False, "scale_parameter": False, "weight_decay": 0.3},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3},
        ),
    }),
    # optax has no relative step: a rate below 1/sqrt(50) is one that the paper's minimum never touches in 50 steps.
    "adafactor_optax": ("optax", "optax", "adafactor", "Adafactor", {
        "rate relative to the size, kernels by their largest axes": (
            {"learning_rate": 0.05, **OPTAX_FACTOR},
            {"lr": 0.05},
            {},
            {"kernel": [1, 3, 0, 2]},
        ),
        "fixed rate, decay not times the rate": (
            {"learning_rate": 0.02, "multiply_by_parameter_scale": False, "weight_decay_rate": 0.006, **OPTAX_FACTOR},
            {"lr": 0.02, "relative_step": False, "weight_decay": 0.3},
            {},
            {"kernel": [1, 3, 0, 2]},
        ),
    }),
}  # fmt: skip
