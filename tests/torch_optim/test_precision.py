"""Small gradients and 16-bit parameters: steps of the right size, float32 statistics."""

import pytest
import torch

from minilib.torch_optim import CAME, LAMB, LARS, LARS2020, Adafactor, cannot_compile
from minilib.torch_optim.phases import sum_of_squares

METHODS = {
    "LARS": (LARS, {"lr": 1.0, "trust_coefficient": 0.1}),
    "LARS2020": (LARS2020, {"lr": 0.1}),
    "LAMB": (LAMB, {"lr": 0.1, "weight_decay": 0.0}),
    "Adafactor": (Adafactor, {"lr": 0.1}),
    "Adafactor, fixed rate": (Adafactor, {"lr": 0.1, "relative_step": False}),
    "CAME": (CAME, {"lr": 0.1}),
    "CAME, corrected": (CAME, {"lr": 0.1, "correct_confidence": True}),
}
every_method = pytest.mark.parametrize(("cls", "options"), METHODS.values(), ids=METHODS)
SHAPES = {"matrix": (48, 32), "vector": (500,)}
every_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)

# float16 holds multiples of 6e-8: below 1e-6 too many gradients are zero there.
CASES = [(dtype, 10.0**-k) for dtype in (torch.float32, torch.bfloat16) for k in (0, 2, 3, 4, 5, 6, 7, 8)]
CASES += [(torch.float16, 10.0**-k) for k in (0, 2, 3, 4, 5, 6)]


def moves(cls, options, dtype, scale, shape, steps=20, start=1.0) -> torch.Tensor:
    """Root mean square of every step, always from the same normal start values, along normal gradients."""
    rng = torch.Generator().manual_seed(0)
    x = (start * torch.randn(shape, generator=rng)).to(dtype)
    p = torch.nn.Parameter(x.clone())
    opt, sizes = cls([p], **options), []
    for _ in range(steps):
        p.data.copy_(x)
        p.grad = (scale * torch.randn(shape, generator=rng)).to(dtype)
        opt.step()
        sizes.append((p.detach().double() - x.double()).square().mean().sqrt())
    return torch.stack(sizes)


@every_shape
@every_method
def test_steps_do_not_depend_on_the_size_of_the_gradient_or_on_the_data_type(cls, options, shape):
    expected = moves(cls, options, torch.float64, 1.0, shape)
    assert (expected > 5e-3).all()
    for dtype, scale in CASES:
        rtol = 1e-4 if dtype == torch.float32 else 0.02  # in 16 bits the parameter itself is rounded
        found = moves(cls, options, dtype, scale, shape)
        torch.testing.assert_close(found, expected, rtol=rtol, atol=0, msg=lambda m, d=dtype, s=scale: f"{d}, {s}: {m}")


@every_shape
@every_method
def test_a_gradient_too_small_for_its_data_type_moves_nothing(cls, options, shape):
    assert (moves(cls, options, torch.float16, 1e-9, shape) == 0).all()


@pytest.mark.parametrize("scale", [1e-3, 1e-4])
def test_adafactor_in_bfloat16_takes_full_steps_where_torchs_hardly_moves(scale):
    # Parameters of zeros have the size eps2 = 1e-3. Torch's least second moment in bfloat16 is (1/128)².
    def last(cls, dtype):
        return moves(cls, {"lr": 1e-2}, dtype, scale, (64, 48), start=0.0)[-1] / 1e-5

    assert last(Adafactor, torch.bfloat16) == pytest.approx(1.0, rel=0.01)
    assert last(torch.optim.Adafactor, torch.bfloat16) == pytest.approx(128 * scale, rel=0.05)
    assert last(torch.optim.Adafactor, torch.float32) > 0.99  # it is no matter of the method


@pytest.mark.parametrize(("way", "shape"), {"eager": (1, 2**12, 2**12), "compiled": (1, 2**24)}.items())
def test_a_sum_of_millions_of_float32_squares_is_right_to_1e_4(way, shape):
    if way == "compiled" and cannot_compile():
        pytest.skip("no compiler")
    t = torch.full(shape, 0.1)
    t.view(-1)[::3] = 0.37

    def norm2(t):
        return sum_of_squares(t)[0]

    found = (torch.compile(norm2, dynamic=True) if way == "compiled" else norm2)(t)
    torch.testing.assert_close(found.double().view(()), t.double().square().sum(), rtol=1e-4, atol=0)
