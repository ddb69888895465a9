"""Every operation's value and gradient are those of torch's autograd, in float64."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from minilib.autodiff import Tensor, cross_entropy, log_softmax, softmax

TARGETS = np.array([0, 2, 1])

# name -> (shapes of the arguments, the expression for minilib, and for torch where it is another one)
OPERATIONS = {
    "add": ([(3, 4), (3, 4)], lambda a, b: a + b),
    "add broadcast row": ([(3, 4), (4,)], lambda a, b: a + b),
    "add broadcast column": ([(3, 1), (3, 4)], lambda a, b: a + b),
    "add broadcast scalar": ([(), (3, 4)], lambda a, b: a + b),
    "add broadcast both": ([(3, 1), (1, 4)], lambda a, b: a + b),
    "add number": ([(3, 4)], lambda a: 2.5 + a + 1),
    "subtract": ([(3, 4), (4,)], lambda a, b: a - b),
    "subtract from number": ([(3, 4)], lambda a: 1.5 - a),
    "multiply": ([(3, 4), (3, 4)], lambda a, b: a * b),
    "multiply broadcast": ([(2, 3, 4), (3, 1)], lambda a, b: a * b),
    "multiply by itself": ([(3, 4)], lambda a: a * a),
    "divide": ([(3, 4), (4,)], lambda a, b: a / b),
    "divide number": ([(3, 4)], lambda a: 2 / a),
    "power": ([(3, 4)], lambda a: a**3),
    "negate": ([(3, 4)], lambda a: -a),
    "matmul": ([(3, 4), (4, 5)], lambda a, b: a @ b),
    "matmul batched": ([(2, 3, 4), (2, 4, 5)], lambda a, b: a @ b),
    "matmul broadcast": ([(2, 3, 4), (4, 5)], lambda a, b: a @ b),
    "matmul vector": ([(3, 4), (4,)], lambda a, b: a @ b),
    "exp": ([(3, 4)], lambda a: a.exp()),
    "log": ([(3, 4)], lambda a: (a * a + 1).log()),
    "tanh": ([(3, 4)], lambda a: a.tanh()),
    "relu": ([(3, 4)], lambda a: a.relu()),
    "gelu": ([(3, 4)], lambda a: a.gelu(), lambda a: F.gelu(a, approximate="tanh")),
    "sum": ([(3, 4)], lambda a: a.sum()),
    "sum axis": ([(3, 4)], lambda a: a.sum(axis=1)),
    "sum axes keepdims": ([(2, 3, 4)], lambda a: a.sum(axis=(0, 2), keepdims=True)),
    "mean": ([(3, 4)], lambda a: a.mean()),
    "mean axis": ([(3, 4)], lambda a: a.mean(axis=-1, keepdims=True)),
    "reshape": ([(3, 4)], lambda a: a.reshape(2, 6)),
    "transpose": ([(3, 4)], lambda a: a.transpose(), lambda a: a.T),
    "transpose axes": ([(2, 3, 4)], lambda a: a.transpose(1, 2, 0), lambda a: a.permute(1, 2, 0)),
    "slice": ([(3, 4)], lambda a: a[1:, ::2]),
    "rows picked twice": ([(3, 4)], lambda a: a[np.array([0, 2, 2])], lambda a: a[[0, 2, 2]]),
    "log_softmax": ([(3, 4)], log_softmax, lambda a: a.log_softmax(-1)),
    "softmax": ([(2, 3, 4)], softmax, lambda a: a.softmax(-1)),
    "cross_entropy": (
        [(3, 4)],
        lambda a: cross_entropy(a, TARGETS),
        lambda a: F.cross_entropy(a, torch.tensor(TARGETS)),
    ),
    "value used twice": ([(3, 4)], lambda a: (a.exp() + 1) * a.exp()),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_value_and_gradient_equal_torch(name):
    shapes, f, *torch_f = OPERATIONS[name]
    rng = np.random.default_rng(0)
    values = [rng.normal(size=shape) for shape in shapes]
    ours, theirs = [Tensor(v.copy()) for v in values], [torch.tensor(v, requires_grad=True) for v in values]
    y, z = f(*ours), (torch_f or [f])[0](*theirs)
    np.testing.assert_allclose(y.data, z.detach().numpy(), rtol=1e-12, atol=1e-12)
    weights = rng.normal(size=y.shape)  # every entry has one of its own
    (y * weights).sum().backward()
    (z * torch.tensor(weights)).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        assert a.grad.shape == a.shape
        np.testing.assert_allclose(a.grad, b.grad.numpy(), rtol=1e-8, atol=1e-8)


def test_every_public_operation_is_in_the_table():
    methods = {n for n in vars(Tensor) if callable(getattr(Tensor, n)) and not n.startswith("_")}
    covered = " ".join(OPERATIONS)
    for name in methods - {"backward", "ancestors", "constant_like"}:
        assert name in covered, f"{name} has no gradient test"


def test_gradients_add_up_over_two_backward_calls():
    a = Tensor([1.0, 2.0])
    (a * a).sum().backward()
    (a * a).sum().backward()
    np.testing.assert_array_equal(a.grad, [4.0, 8.0])


def test_a_deep_chain_needs_no_recursion():
    a = y = Tensor(1.0)
    for _ in range(5000):
        y = y * 1.0
    y.backward()
    assert a.grad == 1.0


def test_float32_stays_float32_through_numbers_and_gradients():
    a = Tensor(np.ones((2, 3), np.float32))
    y = ((a * 2.0 + 1) / 3).gelu().mean()
    y.backward()
    assert y.data.dtype == a.grad.dtype == np.float32


def test_arrays_in_an_expression_are_constants():
    a, data = Tensor(np.ones((2, 3))), np.ones((4, 2))
    y = (data @ a).sum()
    assert [p for p, _ in y.parents[0][0].parents] == [a]
    assert (Tensor(data, constant=True) * 2).constant


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Tensor(np.ones((2, 2))).backward(), r"scalar, got shape \(2, 2\)"),
        (lambda: Tensor(np.ones(3)) @ np.ones((3, 2)), r"at least 2 dimensions, got shape \(3,\)"),
        (lambda: cross_entropy(Tensor(np.ones((3, 4))), [0, 1]), r"shape \(3,\)"),
        (lambda: cross_entropy(Tensor(np.ones((3, 4))), [0, 1, 4]), "0 ... 3, got 0 ... 4"),
        (lambda: cross_entropy(Tensor(np.ones((3, 4))), [-1, 1, 2]), "got -1"),
    ],
)
def test_wrong_shapes_and_targets_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_cross_entropy_survives_huge_logits():
    logits = Tensor([[1e4, 0.0], [0.0, -1e4]])
    loss = cross_entropy(logits, np.array([0, 0]))
    loss.backward()
    assert loss.data == 0
    assert np.isfinite(logits.grad).all()
