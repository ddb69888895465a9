"""State: it can be saved, loaded, pickled and copied in mid-run to the bit, and weighs what the formula says.

In fewer bits it is what the same step leaves in float32, rounded.
"""

import copy
import io
import math
import pickle

import pytest
import torch
from torch import nn

from minilib import optim
from minilib.torch_optim import CAME, LAMB, LARS2020, Adafactor, cannot_compile, narrow
from tests.torch_optim.shared import (
    METHODS,
    PATHS,
    WAYS,
    all_methods,
    assert_close,
    assert_same,
    bits,
    every_method,
    make,
    parameters,
    run,
    run_steps,
    snapshot,
    some_methods,
    state_of,
    without_gradient,
)

DTYPES = {str(dtype): dtype for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16)}
FIRST, LAST = 7, 12  # saved after the first, compared after the last: five more steps
NARROW = {"wide": None, "bfloat16": torch.bfloat16, "bytes": torch.uint8}


@pytest.fixture(autouse=True)
def _small_tensors_have_codes_too(monkeypatch):
    monkeypatch.setattr(narrow, "LEAST", 1)


def through_a_file(saved):
    """Saved and loaded again, without pickled code."""
    file = io.BytesIO()
    torch.save(saved, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


WAYS_OF_SAVING = {
    "as it is": lambda saved: saved,
    "copy": copy.deepcopy,
    "pickle": lambda saved: pickle.loads(pickle.dumps(saved)),
    "file": through_a_file,
}


def twins(params):
    return {name: nn.Parameter(p.detach().clone()) for name, p in params.items()}


@some_methods(
    METHODS | {f"{name} narrow": method for name, method in METHODS.items()},
    dtype=DTYPES,
    save=WAYS_OF_SAVING,
    way=WAYS,
    kind=NARROW,
)
def test_a_run_that_was_saved_and_loaded_continues_with_the_same_bits(cls, options, dtype, save, way, kind):
    """A group joins it in its midst, and one parameter has its first gradient after loading."""
    params, late = parameters(dtype), parameters(dtype)
    opt = way(cls)(params.values(), **options, stochastic_rounding=True, state_dtype=kind)
    run_steps(opt, params, 1, 3, before=without_gradient(params["matrix"]))
    opt.add_param_group({"params": late.values(), "lr": 0.05})
    run_steps(opt, [params, late], 4, FIRST, before=without_gradient(params["matrix"]))
    others = [twins(params), twins(late)]
    other = type(opt)([{"params": each.values()} for each in others])  # with other options, until it has loaded these
    other.load_state_dict(save(opt.state_dict()))
    addresses = [{t.data_ptr() for s in each.state.values() for t in s.values()} for each in (opt, other)]
    assert not addresses[0] & addresses[1], "two optimizers share state"
    run_steps(opt, [params, late], FIRST + 1, LAST)
    run_steps(other, others, FIRST + 1, LAST)
    assert snapshot(other) == snapshot(opt)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    found = {t.dtype for s in opt.state.values() for t in s.values()}
    kinds = {None: set(), torch.bfloat16: {torch.bfloat16}, torch.uint8: {torch.int8, torch.uint8, torch.float32}}
    assert wide in found
    assert found <= kinds[kind] | {wide}


@every_method
def test_a_copy_of_parameters_and_optimizer_together_continues_with_the_same_bits(cls, options):
    params = parameters()
    opt = run(cls, params, 3, **options)
    copies = [copy.deepcopy((params, opt)), pickle.loads(pickle.dumps((params, opt)))]
    run_steps(opt, params, 4, 6)
    for others, other in copies:
        assert other.defaults == opt.defaults
        run_steps(other, others, 4, 6)
        assert snapshot(other) == snapshot(opt)


def test_a_copy_knows_how_many_steps_were_skipped_and_a_state_dict_does_not():
    """A checkpoint of torch has state of parameters and groups, and nothing else."""
    opt, other = (LAMB([nn.Parameter(torch.ones(2))], on_nonfinite="skip") for _ in range(2))
    opt.param_groups[0]["params"][0].grad = torch.tensor([1.0, math.nan])
    opt.step()
    assert opt.skipped == copy.deepcopy(opt).skipped == pickle.loads(pickle.dumps(opt)).skipped == 1
    other.load_state_dict(opt.state_dict())
    assert other.skipped == 0


# Bytes


@some_methods(dtype=DTYPES)
def test_the_bytes_of_state_are_those_of_the_formula_without_the_step_numbers(cls, options, dtype):
    params, width = parameters(dtype), 8 if dtype == torch.float64 else 4
    numbers = getattr(optim, cls.__name__).state_size  # of the NumPy method, which factors the last two dimensions
    opt = cls(params.values(), **({"factor": "last"} if cls in (Adafactor, CAME) else {}))
    assert opt.state_bytes() == 0
    run_steps(opt, params, 1, 2)
    assert opt.state_bytes() == width * sum(numbers(p.shape) for p in params.values())


# In fewer bits


@all_methods(kind={name: kind for name, kind in NARROW.items() if kind}, way={way: way for way in [*PATHS, "compiled"]})
def test_a_step_is_that_of_the_numbers_that_are_read_and_what_it_leaves_is_rounded(cls, options, kind, way, request):
    """As it is in float32, to the bit; and a step that is skipped writes what it has read."""
    if way == "compiled" and cannot_compile():
        pytest.skip("no compiler")

    def new(params, **more):
        if way == "compiled":
            return request.getfixturevalue("compiling")(cls, params.values(), **options, **more)
        return make(cls, params.values(), way, **options, **more)

    params = parameters(torch.float32)
    opt = new(params, state_dtype=kind)
    run_steps(opt, params, 1, 3)
    others = twins(params)
    other = new(others)
    for p, q in zip(params.values(), others.values(), strict=True):
        names = [name for name in opt.state[p] if not name.endswith("_scale")]
        other.state[q] = {n: narrow.widened(opt.state[p], n).clone() for n in names}
    run_steps(opt, params, 4, 4)
    run_steps(other, others, 4, 4)
    assert_same(params, others)
    for p, q in zip(params.values(), others.values(), strict=True):
        kept, wide = opt.state[p], other.state[q]
        for name in wide:
            few = {n: t.clone() for n, t in kept.items()}
            if kept[name].dtype != torch.float32:
                narrow.write(few, name, wide[name], compiles=False)
            else:
                few[name] = wide[name]
            assert all(bits(few[n]) == bits(t) for n, t in kept.items()), name
    if way == "no waiting, skip":
        params["matrix"].grad[0, 0] = math.nan
        before = snapshot(opt)
        opt.step()
        assert snapshot(opt) == before


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int8, torch.uint8])
def test_rounding_keeps_the_mean_and_what_was_read_and_of_squares_makes_no_zero(dtype):
    draw = torch.Generator().manual_seed(0)
    x = torch.randn(16, 1000, generator=draw) ** 3 * torch.logspace(-12, 3, 16)[:, None]
    x[:, ::7] = 0
    if dtype == torch.uint8:
        x = x.square()
    s = {"step": torch.tensor(0.0), "m": torch.zeros(x.shape, dtype=dtype)}
    if dtype != torch.bfloat16:
        s["m_scale"] = torch.zeros(-(-x.numel() // 256), 1)
    total = torch.zeros_like(x)
    for _ in range(400):
        s["step"] += 1
        narrow.write(s, "m", x, compiles=False)
        found = narrow.widened(s, "m")
        total += found
        kept = s["m"].clone()
        narrow.write(s, "m", found, compiles=False)
        assert torch.equal(s["m"], kept)
        assert (found[x == 0] == 0).all()
        if dtype == torch.uint8:  # so that 1/√v grows by no more than a factor of four
            assert (found[x > 0] * 16 >= x[x > 0]).all()
    large = x.abs() > 1e-3 * x.abs().amax(1, keepdim=True)
    bias = (total / 400 / x)[large] - 1
    assert bias.abs().max() < 0.05
    assert bias.mean().abs() < 1e-3


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.uint8])
def test_another_state_dtype_in_mid_run_is_for_parameters_that_begin_then(kind):
    """They are in no stack with those of their shape whose state is float32."""
    runs = []
    for then in (None, kind):
        draw = torch.Generator().manual_seed(0)
        early, late = (nn.Parameter(torch.randn(8, 64, generator=draw)) for _ in range(2))
        opt = LAMB([early, late], lr=0.1)
        opt.host_waits = False  # one stack for parameters at different steps
        for t in range(4):
            early.grad = torch.randn(8, 64, generator=draw)
            if t == 2:
                opt.param_groups[0]["state_dtype"] = then
            if t >= 2:
                late.grad = torch.randn(8, 64, generator=draw)
            opt.step()
        runs.append((early, late))
    (early, late), (same, near) = runs
    assert torch.allclose(early, same, atol=1e-6)
    assert opt.state[same]["exp_avg"].dtype == torch.float32
    assert opt.state[near]["exp_avg_sq"].dtype == kind
    assert (late - near).abs().max() < 0.02


# To other optimizers and from them


def test_a_run_changes_from_adamw_to_lamb_and_back_and_keeps_its_moments():
    """Without layer adaptation LAMB is AdamW: a run that goes through both ends like one that does not."""
    params, others = parameters(), parameters()
    options = {"lr": 0.01, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.05}
    alone = torch.optim.AdamW(others.values(), **options)
    opts = [
        torch.optim.AdamW(params.values(), **options),
        LAMB(params.values(), layer_adaptation=False),
        torch.optim.AdamW(params.values()),
    ]
    for k, opt in enumerate(opts):
        if k:
            opt.load_state_dict(opts[k - 1].state_dict())
        run_steps(opt, params, 4 * k + 1, 4 * k + 4)
    loaded = opts[1].param_groups[0]
    assert {name: loaded[name] for name in (*options, "layer_adaptation")} == options | {"layer_adaptation": False}
    run_steps(alone, others, 1, 12)
    assert_close(params, others, 1e-10)


# What does not fit


LARS = run(LARS2020, parameters(), 2).state_dict()
MISFITS = {
    "state of another method": (lambda s: s.update(LARS), "state_dict has the state .*'momentum_buffer'"),
    "nothing": (
        lambda s: s.clear(),
        r"must have 'state' and 'param_groups' as state_dict\(\) gives them, got the keys \[\]",
    ),
    "text as groups": (lambda s: s.update(param_groups="y"), "must have 'state' and 'param_groups' .* got the keys"),
    "text as the state of a parameter": (lambda s: s["state"].update({0: "x"}), "must have 'state' and 'param_groups'"),
    "text as a tensor": (lambda s: s["state"][0].update(exp_avg="x"), "has 'exp_avg' = 'x', which is no tensor"),
    "an entry of nan": (lambda s: s["state"][0]["exp_avg"].view(-1)[-1].fill_(math.nan), "has 'exp_avg' with entries"),
    "fewer parameters": (lambda s: s["param_groups"][0]["params"].pop(), "doesn't match the size of optimizer's group"),
    "more groups": (lambda s: s["param_groups"].append(s["param_groups"][0]), "different number of parameter groups"),
    "a rate of nan": (lambda s: s["param_groups"][0].update(lr=math.nan), "lr must be .*, got nan"),
    "bounds": (lambda s: s["param_groups"][0].update(phi=(2, 1)), "phi must be bounds"),
    "transposed": (
        lambda s: s["state"][0].update(exp_avg=torch.ones(4, 6)),
        r"state_dict has the state .*\(4, 6\).* for a parameter that needs .*\(6, 4\)",
    ),
    "half": (lambda s: s["state"][0].pop("exp_avg"), "state_dict has the state .* that needs .*'exp_avg'"),
}


@pytest.mark.parametrize(("spoil", "message"), MISFITS.values(), ids=MISFITS)
def test_state_that_does_not_fit_is_refused_and_nothing_changes(spoil, message):
    opt = run(LAMB, parameters(), 2)
    saved, before = copy.deepcopy(opt.state_dict()), snapshot(opt)
    spoil(saved)
    for wrong, why in ((saved, message), (None, "must have 'state' and 'param_groups' .*, got NoneType")):
        with pytest.raises(ValueError, match=why):
            opt.load_state_dict(wrong)
        assert snapshot(opt) == before


def test_options_that_a_scheduler_added_are_kept():
    opt, other = run(LAMB, parameters(), 2), LAMB(parameters().values())
    torch.optim.lr_scheduler.LambdaLR(opt, lambda t: 0.5)
    other.load_state_dict(opt.state_dict())
    assert (other.param_groups[0]["initial_lr"], other.param_groups[0]["lr"]) == (1e-3, 5e-4)


def test_what_is_loaded_replaces_what_was_there():
    opt, other = run(LAMB, parameters(), 3), run(LAMB, parameters(), 5)
    for each in (opt, LAMB(parameters().values())):
        other.load_state_dict(each.state_dict())
        pairs = zip(each.param_groups[0]["params"], other.param_groups[0]["params"], strict=True)
        assert all(state_of(each, p) == state_of(other, q) for p, q in pairs)
