"""minilib: the small library that the book builds up, chapter by chapter.

    optim, torch_optim, schedules       the methods, in NumPy and in PyTorch
    autodiff, theory, analysis          networks in NumPy, losses with known constants, formulas that are checked
    datasets, models, training          texts and images, BERT and its kin, the loop that trains them
    compress                            a trained model in fewer bytes
    experiments, plots                  what the book's comparisons share

Which may import which stands in `pyproject.toml`. Only `torch_optim`, `models`, `training`, `compress`,
`analysis.flops` and `experiments.local_cluster` need PyTorch.
"""

__version__ = "0.1.0"
