"""Objectives whose constants are known: the smoothness L, the noise sigma, the minimum f*.

A theorem promises something in terms of L, sigma and f*. On these objectives all three can be written down, so a
promise can be checked instead of believed. A finite sum f = (1/n) sum f_i gives every sample's gradient, so that
expectations over mini-batches are computed exactly. Parameters are flat arrays x of shape (d,).
Absent on purpose: networks (see `nn`), whose constants nobody knows.
"""

import numpy as np

ALL = slice(None)  # the batch of all samples


class FiniteSum:
    """f(x) = (1/n) sum_i f_i(x). `batch` is an array of indices i, by default all.

    A subclass writes `losses(x, batch)`, the f_i(x), shape (len(batch),), and `sample_grads(x, batch)`, their
    gradients, shape (len(batch), d). It has `n`, the number of samples, and `L`, the smoothness of f in the Euclidean
    norm.
    """

    def f(self, x: np.ndarray, batch=ALL) -> float:
        """Mean loss over `batch`."""
        return float(self.losses(x, batch).mean())

    def grad(self, x: np.ndarray, batch=ALL) -> np.ndarray:
        """Mean gradient over `batch`, shape (d,)."""
        return self.sample_grads(x, batch).mean(axis=0)

    def variance(self, x: np.ndarray) -> float:
        """sigma^2(x) = (1/n) sum_i ||grad f_i(x) - grad f(x)||^2, exactly."""
        g = self.sample_grads(x)
        return float(((g - g.mean(axis=0)) ** 2).sum(axis=1).mean())


class Quadratic(FiniteSum):
    """f_i(x) = 1/2 (x - x*)' H (x - x*) + c_i'x with sum c_i = 0: a quadratic bowl with the same noise everywhere.

    Args:
        H: symmetric positive semi-definite matrix (d, d), or its diagonal (d,).
        x_star: the minimiser, shape (d,); zero by default.
        shifts: rows c_i, shape (n, d), centred here; none means no noise (n = 1).

    Attributes: `L`, `mu`: largest and smallest eigenvalue; `f_star` = 0; `sigma2`: the variance, the same at every x.

    ValueError: H is not symmetric or has a negative eigenvalue.
    """

    f_star = 0.0

    def __init__(self, H, x_star=None, shifts=None):
        H = np.asarray(H, float)
        self.H = np.diag(H) if H.ndim == 1 else H
        if not np.allclose(self.H, self.H.T):
            raise ValueError("H must be symmetric")
        self.eigenvalues = np.linalg.eigvalsh(self.H)
        self.mu, self.L = float(self.eigenvalues[0]), float(self.eigenvalues[-1])
        if self.mu < -1e-12 * abs(self.L):
            raise ValueError(f"H must have no negative eigenvalue, got {self.mu:.3g}")
        d = len(self.H)
        self.x_star = np.zeros(d) if x_star is None else np.asarray(x_star, float)
        c = np.zeros((1, d)) if shifts is None else np.asarray(shifts, float)
        self.shifts = c - c.mean(axis=0)
        self.n, self.sigma2 = len(c), float((self.shifts**2).sum(axis=1).mean())

    def losses(self, x, batch=ALL):
        e = x - self.x_star
        return 0.5 * e @ self.H @ e + self.shifts[batch] @ e

    def sample_grads(self, x, batch=ALL):
        return self.H @ (x - self.x_star) + self.shifts[batch]


class Logistic(FiniteSum):
    """Binary logistic regression, f_i(x) = log(1 + exp(-y_i a_i'x)) + l2/2 ||x||^2: convex and smooth.

    Args:
        A: features (n, d); y: labels (n,), each -1 or +1; l2: penalty >= 0.

    Attributes: `L` = largest eigenvalue of A'A / (4n) + l2; `mu` = l2.

    ValueError: a label is not -1 or +1, or l2 is negative.
    """

    def __init__(self, A, y, l2: float = 0.0):
        self.A, self.y, self.l2 = np.asarray(A, float), np.asarray(y, float), l2
        if not np.isin(self.y, (-1, 1)).all():
            raise ValueError(f"y must hold -1 and +1 only, got {np.unique(self.y)[:5]}")
        if not l2 >= 0:
            raise ValueError(f"l2 must be a number >= 0, got {l2!r}")
        self.n = len(self.A)
        self.L = float(np.linalg.norm(self.A, 2) ** 2 / (4 * self.n) + l2)
        self.mu = l2

    def losses(self, x, batch=ALL):
        A, y = self.A[batch], self.y[batch]
        return np.logaddexp(0, -y * (A @ x)) + self.l2 / 2 * (x @ x)

    def sample_grads(self, x, batch=ALL):
        A, y = self.A[batch], self.y[batch]
        # d/dz log(1 + e^-z) = -1 / (1 + e^z), written so that nothing overflows
        slope = -y * np.exp(-np.logaddexp(0, y * (A @ x)))
        return slope[:, None] * A + self.l2 * x


class Robust(FiniteSum):
    """Regression with the bounded loss f_i(x) = r^2/(1 + r^2), r = a_i'x - b_i: not convex, every constant known.

    The loss has slope 2r/(1+r^2)^2, at most 3 sqrt(3)/8 (at r^2 = 1/3), and curvature between -1/2 and 2.

    Args:
        A: features (n, d); b: targets (n,).

    Attributes: `L` = 2 lambda_max(A'A)/n; `f_lower` = 0 bounds f from below; `sigma2`: a bound on the variance at every
    x, (27/64) mean ||a_i||^2; `G`: a bound on every entry of every sample's gradient.
    """

    f_lower = 0.0
    slope_bound = 3 * np.sqrt(3) / 8

    def __init__(self, A, b):
        self.A, self.b = np.asarray(A, float), np.asarray(b, float)
        self.n = len(self.A)
        self.L = float(2 * np.linalg.norm(self.A, 2) ** 2 / self.n)
        self.sigma2 = float(self.slope_bound**2 * (self.A**2).sum(axis=1).mean())
        self.G = float(self.slope_bound * np.abs(self.A).max())

    def layer_constants(self, layers) -> tuple[np.ndarray, np.ndarray]:
        """Valid L_i and sigma_i when x is cut into `layers`, index arrays that name every coordinate once.

        With s_i the spectral norm of the columns A_i: L_i = 2 s_i (s_1 + ... + s_h)/n, so that for all x and y
        f(y) <= f(x) + grad f(x)'(y - x) + sum_i L_i/2 ||y_i - x_i||^2; sigma_i^2 bounds the variance of one sample's
        gradient by layer i, at every x. One coordinate a layer gives constants per coordinate.

        Returns `(L, sigma)`, each of shape (layers,).

        ValueError: `layers` leaves a coordinate out or names one twice.
        """
        named = np.sort(np.concatenate([np.asarray(layer) for layer in layers]))
        if not np.array_equal(named, np.arange(self.A.shape[1])):
            raise ValueError(f"layers must name every coordinate 0 ... {self.A.shape[1] - 1} once, got {named}")
        parts = [self.A[:, layer] for layer in layers]
        s = np.array([np.linalg.norm(part, 2) for part in parts])
        size2 = np.array([(part**2).sum(axis=1).mean() for part in parts])
        return 2 * s * s.sum() / self.n, self.slope_bound * np.sqrt(size2)

    def losses(self, x, batch=ALL):
        r2 = (self.A[batch] @ x - self.b[batch]) ** 2
        return r2 / (1 + r2)

    def sample_grads(self, x, batch=ALL):
        A = self.A[batch]
        r = A @ x - self.b[batch]
        return (2 * r / (1 + r**2) ** 2)[:, None] * A


class Rosenbrock:
    """f(x, y) = (1 - x)^2 + 100 (y - x^2)^2 (Rosenbrock 1960): a curved valley, minimum 0 at (1, 1).

    There is no global L: the curvature grows without bound. `hessian` gives it at a point.
    """

    x_star, f_star = np.ones(2), 0.0

    def f(self, x: np.ndarray) -> float:
        return float((1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2)

    def grad(self, x: np.ndarray) -> np.ndarray:
        valley = x[1] - x[0] ** 2
        return np.array([-2 * (1 - x[0]) - 400 * x[0] * valley, 200 * valley])

    def hessian(self, x: np.ndarray) -> np.ndarray:
        return np.array([[2 - 400 * (x[1] - 3 * x[0] ** 2), -400 * x[0]], [-400 * x[0], 200.0]])


class Factorised:
    """f(U, V) = 1/2 ||U V' - M||^2: the smallest network with two layers; saddles, no global L.

    Args:
        M: matrix (n, m) to approximate; rank: columns of U (n, rank) and V (m, rank).

    Attributes: `f_star`: half the sum of the squared singular values beyond `rank` (Eckart & Young).
    """

    def __init__(self, M, rank: int):
        self.M, self.rank = np.asarray(M, float), rank
        self.f_star = float(0.5 * (np.linalg.svd(self.M, compute_uv=False)[rank:] ** 2).sum())

    def f(self, U: np.ndarray, V: np.ndarray) -> float:
        return float(0.5 * ((U @ V.T - self.M) ** 2).sum())

    def grad(self, U: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gradients by U and by V, of their shapes."""
        error = U @ V.T - self.M
        return error @ V, error.T @ U
