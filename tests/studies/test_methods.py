"""The methods of small memory: steps of public packages, bytes, length, and what breaks them."""

import inspect
import json

import numpy as np
import pytest

from minilib import optim
from studies import methods
from tests.optim.helpers import REFERENCES, Parameter, after, assert_matches_reference, reference_runs
from tests.references import recipe

STATE = {path.stem: json.loads(path.read_text()) for path in sorted((REFERENCES / "state").glob("*.json"))}
CASES = [pytest.param(file, run, id=f"{file}: {run}") for file, content in STATE.items() for run in content["runs"]]
OF = {("torchao", "8 bits"): methods.AdamW8bit, ("torchao", "4 bits"): methods.AdamW4bit}
OF |= {("galore", run): methods.GaLore for run in ("tall", "wide")}
OF |= {("apollo", "tall"): methods.APOLLO, ("apollo", "wide"): methods.APOLLO, ("apollo", "mini"): methods.APOLLOMini}


class KahanSGD(methods.Kahan, optim.SGD):
    pass


class RestSGD(methods.Rest, optim.SGD):
    pass


OF["optimi", "Kahan"] = KahanSGD


def started(file, run):
    """The recorded run, its gradients, and our parameter and optimizer at its start, in the basis that was recorded."""
    recorded = STATE[file]["runs"][run]
    group, options, kept = recorded["group"], dict(recorded["options"]), recorded["after"]
    steps, cls = max(map(int, kept)), OF[file, run]
    x, gradients = recipe.one_tensor(tuple(recorded["shape"]), steps)
    dtype = np.float64 if group else np.float32
    if group:
        tall = recorded["shape"][0] >= recorded["shape"][1]
        every = group["update_proj_gap"]

        def P(step):
            P = np.array(kept[str((step - 1) // every * every + 1)]["P"])
            return P.T if tall else P

        given = {"basis": lambda self, G: P(self.state[0]["step"]), "projection": lambda self, n, s: P(s["step"])}
        cls = type(cls.__name__, (cls,), given)
        options |= {"rank": group["rank"], "every": every, "scale": group["scale"]}
    if file == "optimi":
        options = {"lr": options["lr"]}
        x, gradients = (methods.from_bf16(methods.to_bf16(a)) for a in (x, np.array(gradients) + 1))
    p = Parameter(x, dtype=dtype)
    return kept, gradients, p, cls([p], **options)


@pytest.mark.parametrize(("file", "run"), CASES)
def test_a_method_follows_the_recorded_steps_of_a_package(file, run):
    kept, gradients, p, opt = started(file, run)
    bound = {"torchao": 1e-6, "optimi": 0}.get(file, 1e-12)  # thirteen digits are recorded
    compared = 0
    for t, g in enumerate(gradients, start=1):
        p.grad = np.asarray(g, dtype=p.data.dtype)
        opt.step()
        for name, value in kept.get(str(t), {}).items():
            s = opt.state[0]
            if name == "x":
                ours = p.data.ravel()[:: 16 if file == "torchao" else 1]
                assert np.abs(ours - value).max() <= bound * np.abs(value).max()
            elif name == "owed":
                assert np.abs(methods.from_bf16(s["owed"]).ravel() - value).max() == 0
            elif name != "P":
                assert s[name].ravel()[::16].tobytes().hex() == value["codes"]
                np.testing.assert_allclose(s[f"{name} scales"], value["scales"], rtol=1e-6)
            compared += name != "P"
    assert compared >= 3


@pytest.mark.parametrize(("content", "run"), reference_runs("AdaBelief") + reference_runs("CautiousLion"))
def test_a_step_of_other_form_follows_a_package(content, run):
    assert_matches_reference(content, run, 1e-10, cls=getattr(methods, content["optimizer"]))


SHAPE = (64, 64)
LOW = {"rank": 16}
BYTES = [
    (methods.AdamW8bit, {}, 2 + 2 * 4 / 256),
    (methods.AdamW4bit, {}, 1 + 2 * 4 / 128),
    (methods.Naive8bit, {}, 2 + 2 * 4 / 4096),
    (methods.CAME8bit, {}, 1 + 4 / 256 + 4 * 4 * 64 / 4096),
    (methods.Corrected, {}, 4 + 4 * 4 * 64 / 4096),
    (methods.GaLore, LOW, 4 * 3 * 16 / 64),
    (methods.APOLLO, LOW, 4 * 2 * 16 / 64),
    (methods.APOLLOMini, {}, 4 * 2 / 64),
    (methods.AdaBelief, {}, 8),
    (methods.CautiousAdamW, {}, 8),
    (methods.CautiousCAME, {}, 4 + 4 * 4 * 64 / 4096),
    (methods.CautiousLion, {}, 4),
    (KahanSGD, {}, 2),
    (RestSGD, {}, 1),
]


@pytest.mark.parametrize(("cls", "options", "expected"), BYTES, ids=lambda v: getattr(v, "__name__", ""))
def test_bytes_of_state_a_parameter(cls, options, expected):
    p = Parameter(np.ones(SHAPE), recipe.one_tensor(SHAPE, 1)[1][0], dtype=np.float32)
    opt = cls([p], **options)
    opt.step()
    assert opt.state_bytes() / p.data.size == expected
    assert np.isfinite(p.data).all()


def test_a_method_has_at_most_twenty_lines():
    own = [cls for _, cls in inspect.getmembers(methods, inspect.isclass) if cls.__module__ == methods.__name__]
    assert len(own) >= 14
    for thing in [*own, methods.dynamic_levels, methods.encode, methods.decode]:
        source = inspect.getsource(thing).replace(f'"""{thing.__doc__}"""', "")
        lines = [line for line in source.splitlines() if line.strip() and not line.strip().startswith("#")]
        assert len(lines) <= 20, f"{thing.__name__} has {len(lines)} lines"


def longest(cls, outlier):
    """The longest of ten steps of an entry, in learning rates, where one entry's gradients are so much larger."""
    p = Parameter(np.zeros(SHAPE), dtype=np.float32)
    opt, steps = cls([p], lr=1.0, weight_decay=0.0), []
    for g in recipe.one_tensor(SHAPE, 10)[1]:
        g[0, 0], before = outlier, p.data.copy()
        p.grad = g.astype(np.float32)
        opt.step()
        steps.append(np.abs(p.data - before).max())
    return max(steps)


def test_a_second_moment_that_becomes_zero_makes_a_step_a_hundred_times_too_long():
    """Levels with equal distances lose v beside an entry a hundred times as large; dynamic ones at ten thousand."""
    assert longest(optim.AdamW, 1e4) < 4
    assert longest(methods.AdamW8bit, 100.0) < 4
    assert longest(methods.Naive8bit, 100.0) > 100
    assert longest(methods.AdamW8bit, 1e4) > 100
    assert longest(methods.AdamW4bit, 1e4) < 4  # it has no level 0


def galore(every, sign):
    """Where thirty steps lead when the second of two directions has this sign from step 11 on."""

    class Signed(methods.GaLore):
        def basis(self, G):
            return super().basis(G) * [1, sign if self.state[0]["step"] > 10 else 1]

    x, gradients = recipe.one_tensor((6, 4), 30)
    return after(Signed, x, gradients, lr=0.01, rank=2, every=every)


def test_galore_depends_on_a_sign_that_no_basis_has():
    """After a new basis m is read in it: a sign, which the singular vectors leave free, changes the way."""
    assert np.abs(galore(10, 1.0) - galore(10, -1.0)).max() > 1e-3
    np.testing.assert_array_equal(galore(30, 1.0), galore(30, -1.0))


def test_a_state_in_codes_is_the_state_coded_by_hand_after_every_step():
    levels, block = methods.EIGHT["m"], 256
    x, gradients = recipe.one_tensor(SHAPE, 4)
    p, q = (Parameter(x, dtype=np.float32) for _ in range(2))
    ours, by_hand = methods.CAME8bit([p], lr=0.01), optim.CAME([q], lr=0.01)
    for g in gradients:
        p.grad = q.grad = g.astype(np.float32)
        ours.step()
        by_hand.step()
        m = by_hand.state[0]["m"].reshape(-1, block)
        scales = np.abs(m).max(axis=1, keepdims=True)
        nearest = np.abs((m / scales)[..., None] - levels).argmin(axis=-1)
        by_hand.state[0]["m"][...] = (levels[nearest] * scales).reshape(SHAPE)
    np.testing.assert_allclose(p.data, q.data, rtol=1e-5)


def with_rest(opt, x):
    """The weights x in bfloat16 with what the optimizer keeps beside them."""
    s = opt.state[0]
    return x + (methods.from_bf16(s["owed"]) if "owed" in s else s["rest"] * (methods.half_gap(x) / 127))


@pytest.mark.parametrize(("cls", "options"), [(KahanSGD, {}), (RestSGD, {})])
def test_small_noisy_steps_are_lost_in_sixteen_bits_and_not_with_what_is_kept_beside_them(cls, options):
    noise, steps = np.random.default_rng(0), 500
    kept, exact = (Parameter(np.ones(1000), dtype=dtype) for dtype in (np.float32, np.float64))
    opt, free = cls([kept], lr=1e-4, **options), cls.__mro__[2]([exact], lr=1e-4, **options)
    nearest = np.ones(1000, dtype=np.float32)
    for _ in range(steps):
        before, exact.grad = exact.data.copy(), 1 + noise.normal(size=1000)
        kept.grad = exact.grad.astype(np.float32)
        opt.step()
        free.step()
        nearest = methods.from_bf16(methods.to_bf16(nearest + (exact.data - before)))
    assert (nearest == 1).all()
    assert np.abs(exact.data - 1).max() > 1e-6
    assert np.abs(with_rest(opt, kept.data) - exact.data).max() < 5e-4
    assert (methods.from_bf16(methods.to_bf16(kept.data)) == kept.data).all()


def test_steady_steps_below_a_508th_of_the_gap_are_lost_with_eight_bits_of_rest():
    lost, found = (Parameter(np.ones(3), dtype=np.float32) for _ in range(2))
    rest, kahan = RestSGD([lost], lr=3e-6), KahanSGD([found], lr=3e-6)
    for _ in range(400):
        lost.grad = found.grad = np.ones(3, dtype=np.float32)
        rest.step()
        kahan.step()
    assert (with_rest(rest, lost.data) == 1).all()
    assert (with_rest(kahan, found.data) < 1 - 400 * 3e-6 / 2).all()


@pytest.mark.parametrize("size", [1e-30, 1e-3, 1.0, 1e5])
def test_eight_bits_of_rest_hold_a_weight_to_a_255th_of_the_gap(size):
    w = (size * np.random.default_rng(0).normal(size=10_000)).astype(np.float32)
    p = Parameter(w, np.zeros(w.shape), dtype=np.float32)
    opt = RestSGD([p], lr=0.0)
    opt.step()  # to the grid; what the weights were beside it is the rest
    kept = p.data + opt.state[0]["rest"] * (methods.half_gap(p.data) / 127)
    assert (np.abs(kept - w) <= methods.half_gap(p.data) * 1.001 / 254).all()
    assert (np.abs(p.data - w) > methods.half_gap(p.data) / 2).mean() > 0.2


def test_bfloat16_is_torchs():
    import torch

    a = np.random.default_rng(0).normal(size=10_000).astype(np.float32) * np.float32(2.0) ** np.arange(-50, 50).repeat(
        100
    )
    halves = (np.arange(1, 1000, dtype=np.uint32) << 16 | 0x8000).view(np.float32)
    for values in (a, halves):
        ours = methods.from_bf16(methods.to_bf16(values))
        assert (ours == torch.tensor(values).bfloat16().float().numpy()).all()
