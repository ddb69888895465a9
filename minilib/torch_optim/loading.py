"""Loading a state_dict: a check before anything changes, and statistics exactly as they were saved.

`torch.optim.Optimizer` casts state to the data type of the parameter, which would ruin the float32 statistics of
16-bit parameters and the step numbers of float64 ones. What is loaded here never shares memory with what was saved.
"""

import torch


def with_options(opt, saved: dict) -> dict:
    """`saved` with this optimizer's values of the options that it does not have, as that of another method may not."""
    pairs = zip(saved["param_groups"], opt.param_groups, strict=False)
    groups = [{name: ours[name] for name in opt.defaults} | theirs for theirs, ours in pairs]
    return saved | {"param_groups": groups + saved["param_groups"][len(groups) :]}


def check_state(opt, saved: dict) -> None:
    """Raises ValueError when groups, options or state of `saved` are not for the optimizer `opt`."""
    sizes = [[len(group["params"]) for group in groups] for groups in (saved["param_groups"], opt.param_groups)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"state_dict has groups of {sizes[0]} parameters, this optimizer of {sizes[1]}")
    for group in saved["param_groups"]:
        opt.check(group)
    for group, p, state in _pairs(opt, saved):
        fresh = opt.init_state(group, torch.empty(p.shape, device="meta"))
        expected = {name: tuple(t.shape) for name, t in fresh.items()}
        shapes = {name: tuple(torch.as_tensor(value).shape) for name, value in state.items()}
        if shapes != expected:
            raise ValueError(f"state_dict has the state {shapes} for a parameter that needs {expected}")


def restore(opt, saved: dict) -> None:
    """Put the state of `saved`, with its own numbers, into the optimizer `opt`."""
    for group, p, state in _pairs(opt, saved):
        fresh = opt.init_state(group, p)
        for name, t in fresh.items():
            t.copy_(torch.as_tensor(state[name]))
        opt.state[p] = fresh


def _pairs(opt, saved):
    """(saved group, parameter, its saved state) for all that have state."""
    for group, ours in zip(saved["param_groups"], opt.param_groups, strict=True):
        for i, p in zip(group["params"], ours["params"], strict=True):
            if saved["state"].get(i):
                yield group, p, saved["state"][i]
