"""The constants that a problem claims: gradients, smoothness, noise and minima, on random points."""

import numpy as np
import pytest

from minilib.theory import Factorised, Logistic, Quadratic, Robust, Rosenbrock


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def finite_sums(rng):
    A, H = rng.normal(size=(7, 4)), rng.normal(size=(4, 4))
    return {
        "quadratic": Quadratic(H @ H.T, rng.normal(size=4), rng.normal(size=(7, 4))),
        "logistic": Logistic(A, rng.choice([-1, 1], 7), l2=0.1),
        "robust": Robust(A, rng.normal(size=7)),
    }


NAMES = ("quadratic", "logistic", "robust")


def difference(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("name", NAMES)
def test_sample_gradients_equal_central_differences_and_average_to_the_gradient(name, rng):
    problem = finite_sums(rng)[name]
    x = rng.normal(size=4)
    for i in range(problem.n):
        expected = difference(lambda y, i=i: problem.losses(y, [i])[0], x)
        np.testing.assert_allclose(problem.sample_grads(x)[i], expected, atol=1e-8)
    np.testing.assert_allclose(problem.grad(x), difference(problem.f, x), atol=1e-8)
    batch = np.array([0, 3, 3])
    np.testing.assert_allclose(problem.grad(x, batch), problem.sample_grads(x)[batch].mean(axis=0))
    assert problem.f(x, batch) == pytest.approx(problem.losses(x)[batch].mean())


def points_and_steps(rng):
    return [(rng.normal(size=4), scale * rng.normal(size=4)) for scale in (1e-3, 0.1, 1, 10) for _ in range(200)]


@pytest.mark.parametrize("name", NAMES)
def test_gradient_changes_by_at_most_L_times_the_distance(name, rng):
    problem = finite_sums(rng)[name]
    for x, step in points_and_steps(rng):
        moved = np.linalg.norm(problem.grad(x) - problem.grad(x + step))
        assert moved <= problem.L * np.linalg.norm(step) * (1 + 1e-9)


def test_quadratic_attains_L_and_mu_along_its_eigenvectors(rng):
    problem = finite_sums(rng)["quadratic"]
    _, vectors = np.linalg.eigh(problem.H)
    for constant, v in ((problem.mu, vectors[:, 0]), (problem.L, vectors[:, -1])):
        assert np.linalg.norm(problem.grad(problem.x_star + v)) == pytest.approx(constant)


def test_logistic_attains_L_at_zero(rng):
    problem = finite_sums(rng)["logistic"]
    _, _, right = np.linalg.svd(problem.A)
    h = 1e-5 * right[0]
    assert np.linalg.norm(problem.grad(h) - problem.grad(-h)) == pytest.approx(2e-5 * problem.L, rel=1e-6)


def test_robust_attains_L_where_all_residuals_are_zero(rng):
    A, x = rng.normal(size=(7, 4)), rng.normal(size=4)
    problem = Robust(A, A @ x)
    h = 1e-5 * np.linalg.svd(A)[2][0]
    assert np.linalg.norm(problem.grad(x + h) - problem.grad(x - h)) == pytest.approx(2e-5 * problem.L, rel=1e-6)


def test_quadratic_has_the_same_variance_everywhere_and_its_minimum_at_x_star(rng):
    problem = finite_sums(rng)["quadratic"]
    for _ in range(5):
        assert problem.variance(rng.normal(size=4)) == pytest.approx(problem.sigma2)
    assert problem.f(problem.x_star) == pytest.approx(problem.f_star)
    assert np.linalg.norm(problem.grad(problem.x_star)) < 1e-12


def test_robust_keeps_its_bounds_on_variance_and_on_gradient_entries(rng):
    A = rng.normal(size=(7, 4))
    problem = Robust(A, rng.normal(size=7))
    points = [step for _, step in points_and_steps(rng)]
    assert max(problem.variance(x) for x in points) <= problem.sigma2
    assert max(np.abs(problem.sample_grads(x)).max() for x in points) <= problem.G
    assert min(problem.f(x) for x in points) >= problem.f_lower


def test_robust_slope_bound_is_attained():
    problem = Robust([[1.0]], [0.0])
    assert problem.sample_grads(np.array([3**-0.5]))[0, 0] == pytest.approx(problem.slope_bound)


LAYERS = (np.array([0, 2]), np.array([1]), np.array([3]))


def test_robust_keeps_its_layer_constants_on_random_points(rng):
    A = rng.normal(size=(7, 4)) * [1, 10, 1, 0.1]
    problem = Robust(A, rng.normal(size=7))
    L, sigma = problem.layer_constants(LAYERS)
    for x, step in points_and_steps(rng):
        step = step / [1, 10, 1, 0.1]
        bend = sum(Li / 2 * step[layer] @ step[layer] for Li, layer in zip(L, LAYERS, strict=True))
        assert problem.f(x + step) <= problem.f(x) + problem.grad(x) @ step + bend * (1 + 1e-9)
        g = problem.sample_grads(x)
        spread = ((g - g.mean(axis=0)) ** 2).mean(axis=0)
        assert (np.sqrt([spread[layer].sum() for layer in LAYERS]) <= sigma).all()


def test_robust_layer_constants_are_attained_when_the_layers_agree():
    # both layers see the same feature: (u + v)^2 with u = v needs L_1 + L_2 = 4 * 2 a^2 in all
    problem = Robust([[1.0, 1.0]], [0.0])
    L, _ = problem.layer_constants([[0], [1]])
    np.testing.assert_allclose(L, [4, 4])
    h = 1e-5
    bend = (problem.f(np.array([h, h])) - problem.f(np.zeros(2))) / h**2
    assert bend == pytest.approx(L.sum() / 2, rel=1e-6)


def test_one_layer_has_the_constants_of_the_whole(rng):
    problem = Robust(rng.normal(size=(7, 4)), rng.normal(size=7))
    L, sigma = problem.layer_constants([np.arange(4)])
    assert (L[0], sigma[0] ** 2) == pytest.approx((problem.L, problem.sigma2))


def test_rosenbrock_has_its_minimum_gradient_and_hessian(rng):
    problem = Rosenbrock()
    assert problem.f(problem.x_star) == problem.f_star
    x = rng.normal(size=2)
    np.testing.assert_allclose(problem.grad(x), difference(problem.f, x), rtol=1e-6)
    columns = [(problem.grad(x + h) - problem.grad(x - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(problem.hessian(x), np.array(columns), rtol=1e-6)


def test_factorised_reaches_its_minimum_at_the_truncated_svd(rng):
    M = rng.normal(size=(5, 4))
    problem = Factorised(M, rank=2)
    u, s, vt = np.linalg.svd(M)
    U, V = u[:, :2] * s[:2], vt[:2].T
    assert problem.f(U, V) == pytest.approx(problem.f_star)
    for g in problem.grad(U, V):
        assert np.abs(g).max() < 1e-12
    U, V = rng.normal(size=(5, 2)), rng.normal(size=(4, 2))
    dU, dV = problem.grad(U, V)
    np.testing.assert_allclose(dU.ravel(), difference(lambda u: problem.f(u.reshape(5, 2), V), U.ravel()), atol=1e-7)
    np.testing.assert_allclose(dV.ravel(), difference(lambda v: problem.f(U, v.reshape(4, 2)), V.ravel()), atol=1e-7)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quadratic([[1, 2], [0, 1]]), "symmetric"),
        (lambda: Quadratic([-1.0, 1.0]), "negative eigenvalue, got -1"),
        (lambda: Logistic(np.ones((2, 1)), [0, 1]), r"-1 and \+1 only"),
        (lambda: Logistic(np.ones((2, 1)), [1, -1], l2=-1), "l2 must be a number >= 0, got -1"),
        (lambda: Robust(np.ones((3, 2)), np.ones(3)).layer_constants([[0], [0]]), r"0 ... 1 once, got \[0 0\]"),
    ],
)
def test_bad_problems_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
