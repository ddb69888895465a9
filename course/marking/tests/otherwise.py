"""Every problem set solved a second time, from the students' notebook alone, in other ways than the model answers.

Plain loops where those have arrays, lists where they have arrays, helpers and constants of
one's own, magics, plots: all that a right answer may look like. Each is for every class.
"""

ANSWERS = {
    "gradients_and_sgd": {
        "loss": """
%%time
def rho(r):
    z = abs(r) / c
    if shape == "log":
        return 0.5 * c * c * np.log(1 + z * z)
    if shape == "root":
        return c * np.hypot(c, r) - c * c if z > 1e-3 else r * r / 2 - r**4 / (8 * c * c)
    return c * c * (np.logaddexp(z, -z) - np.log(2.0))


def drho(r):
    return {"log": r / (1 + (r / c) ** 2), "root": r * c / np.hypot(r, c), "cosh": c * np.tanh(r / c)}[shape]


def losses(x, A, b):
    out = []
    for row, target in zip(A, b):
        out.append(rho(row @ x - target))
    return np.array(out)


def sample_grads(x, A, b):
    return np.stack([drho(row @ x - target) * row for row, target in zip(A, b)])
""",
        "operation": """
def backward(x, s):
    d, total = x.size, float(np.dot(s, x))
    if operation == "root":
        u = a + (x * x).sum() / d
        return (s * u - x * total / d) / u**1.5
    if operation == "exp":
        return np.exp(-(x * x).sum() / (a * d)) * s - (2 / (a * d)) * total * x * np.exp(-(x * x).sum() / (a * d))
    roots = np.sqrt(1 + x * x)
    below = a + sum(roots)
    return s / below - total / below**2 * (x / roots)
""",
        "noise": """
import matplotlib.pyplot as plt

plt.plot([1, 2], [3, 4])
plt.show()


def variance(G, p, b):
    n, one = len(G), 0.0
    grad = sum(G) / n
    for k in range(n):
        gap = G[k] / (n * p[k]) - grad
        one += p[k] * gap @ gap
    return one / b


def best_p(G):
    weights = [float(np.sqrt(g @ g)) for g in G]
    return [w / sum(weights) for w in weights]
""",
        "prove": """
def rows(problem, x, lr):
    f, L, G = problem["f"], problem["L"], problem["grads"](x)
    n = len(G)
    grad = sum(G[k] for k in range(n)) / n
    squares = [G[k] @ G[k] for k in range(n)]
    here, q = f(x), 1 - lost
    left = [f(x - lr * G[k]) for k in range(n)]
    right = [here - lr * grad @ G[k] + 0.5 * L * lr * lr * squares[k] for k in range(n)]
    mean_after = lost * here + q * sum(left) / n
    variance_here = sum((G[k] - grad) @ (G[k] - grad) for k in range(n)) / n
    second = here - q * lr * grad @ grad + q * L * lr * lr / 2 * sum(squares) / n
    third = here - q * lr / 2 * grad @ grad + q * L * lr * lr / 2 * variance_here
    return {"(1)": [left, right], "(2)": [mean_after, second], "(3)": [mean_after, third]}


def promise(Delta, L, sigma2, lr, b, T):
    return (2 / (lr * (1 - lost))) * (Delta / T + (1 - lost) * L * lr**2 * sigma2 / (2 * b))


def best_rate(Delta, L, sigma2, b, T):
    free = (2 * Delta * b) ** 0.5 / ((1 - lost) * T * L * sigma2) ** 0.5
    return 1 / L if free > 1 / L else free
""",
        "bug": """
def check(gathered):
    G = np.arange(30.0).reshape(10, 3) ** 2
    for pieces in (np.array([[0, 1], [2, 3]]), np.array_split(np.arange(7), 3), ((8,), (8, 9, 1))):
        rows = [G[k] for piece in pieces for k in piece]
        np.testing.assert_allclose(gathered(G=G, pieces=pieces), sum(rows) / len(rows))
""",
    },
    "momentum": {
        "build": """
def step(x, g, m, lr, decay=0.0):
    seen = g + (decay_place == "inside") * decay * x
    m = m * beta + {"average": 1 - beta, "sum": 1}[buffer] * seen
    move = lr * (1 - nu) * seen + lr * nu * m * {"average": 1, "sum": 1 - beta}[buffer]
    late = {"outside": x, "after": x - move, "inside": 0 * x}[decay_place]
    return [x - move - lr * decay * late, m]
""",
        "spectrum": """
def characteristic(lam, lr):
    # x' = x - lr (1 - nu) lam x - lr nu m',  m' = beta m + (1 - beta) lam x
    bottom = [(1 - beta) * lam, beta]
    top = [1 - lr * (1 - nu) * lam - lr * nu * bottom[0], -lr * nu * bottom[1]]
    return [top[0] + bottom[1], top[0] * bottom[1] - top[1] * bottom[0]]


def edge(L):
    # 1 + p + q = 0 is linear in lr
    p0, q0 = characteristic(L, 0.0)
    p1, q1 = characteristic(L, 1.0)
    return (1 + p0 + q0) / -(p1 - p0 + q1 - q0)
""",
        "prove": """
import cmath


def rows(lam, lr):
    p, q = characteristic(lam, lr)
    r = cmath.sqrt(p * p / 4 - q)
    one, two = p / 2 + r, p / 2 - r
    s = (lr * lam * (1 - beta)) ** 0.5
    nearer = min(abs(1 - one), abs(1 - two))
    return {"(1)": ((1 - one) * (1 - two), s**2), "(2)": (nearer, s), "(3)": (1 - max(abs(one), abs(two)), s)}


def least_steps(lam, lr):
    s = (lr * lam * (1 - beta)) ** 0.5
    return 0 if s >= 1 else 1 / -np.log1p(-s)
""",
        "best": """
from scipy.optimize import minimize_scalar


def slowest(mu, L, lr):
    worst = 0.0
    for lam in (mu, L):
        for root in np.roots([1.0, -characteristic(lam, lr)[0], characteristic(lam, lr)[1]]):
            worst = max(worst, abs(root))
    return worst


def best_rate(mu, L):
    grid = np.linspace(0, edge(L), 300)[1:-1]
    first = grid[np.argmin([slowest(mu, L, lr) for lr in grid])]
    width = grid[1] - grid[0]
    near = minimize_scalar(lambda lr: slowest(mu, L, lr), bounds=(first - width, first + width), method="bounded")
    return near.x
""",
        "bug": """
def check(step):
    x, m, mine, own = [np.array([2.0, -1.0]), np.zeros(2), np.array([2.0, -1.0]), np.zeros(2)]
    for g in ([1.0, 3.0], [-2.0, 0.5], [0.1, 0.2]):
        x, m = step(x=x, g=np.array(g), m=m, lr=0.3, decay=0.2)
        seen = np.array(g) + 0.2 * mine if decay_place == "inside" else np.array(g)
        own = beta * own + (1 - beta) * seen  # an average, whatever the class keeps
        move = 0.3 * (1 - nu) * seen + 0.3 * nu * own
        mine = mine - move - 0.06 * {"outside": mine, "after": mine - move, "inside": 0 * mine}[decay_place]
        if not np.allclose(x, mine):
            raise AssertionError("not ours")
""",
    },
    "adam": {
        "build": """
def adam_step(x, g, m, v, t, lr, betas, eps, decay):
    m = m + (1 - betas[0]) * (g - m)
    v = v + (1 - betas[1]) * (np.abs(g) ** power - v)
    scale = np.power(v / (1 - betas[1] ** t) + eps, 1 / power)
    if eps_place == "outside":
        scale = np.power(v / (1 - betas[1] ** t), 1 / power) + eps
    r = m / (1 - betas[0] ** t) / scale
    keep = 1 - lr * decay
    x = keep * x - lr * r if decay_place == "before" else keep * x - keep * lr * r
    return [x, m, v]
""",
        "start": """
def corrected(v, t, beta2):
    left = beta2**t
    return first_moment + (v - first_moment) / (1 - left)
""",
        "prove": """
conjugate = 1 / (1 - 1 / power)


def rows(g):
    t = len(g)
    m = v = absolute = 0.0
    for one in g:
        m, v = beta1 * m + (1 - beta1) * one, beta2 * v + (1 - beta2) * abs(one) ** power
        absolute = beta1 * absolute + (1 - beta1) * abs(one)
    a = [(beta1 / beta2 ** (1 / power)) ** k for k in range(t)]
    b = [beta2 ** (k / power) * abs(g[t - 1 - k]) for k in range(t)]
    hoelder = (1 - beta1) * sum(x**conjugate for x in a) ** (1 / conjugate) * sum(x**power for x in b) ** (1 / power)
    constant = (1 - beta1) * sum(x**conjugate for x in a) ** (1 / conjugate) * (1 - beta2) ** (-1 / power)
    return {"(1)": (abs(m), absolute), "(2)": (absolute, hoelder), "(3)": (hoelder, constant * v ** (1 / power))}


def longest(t):
    left, right = rows(worst(t))["(2)"]
    v = 0.0
    for one in worst(t):
        v = beta2 * v + (1 - beta2) * one**power
    return right / (1 - beta1**t) / (v / (1 - beta2**t)) ** (1 / power)


def worst(t):
    ratio = (beta1 / beta2) ** (1 / (power - 1))
    return [7.0 * ratio ** (t - j) for j in range(1, t + 1)]
""",
        "trap": """
from scipy.optimize import brentq


def drift(C, k, beta2):
    v, moved, gradients = 0.0, 0.0, [C] + [-1.0] * (k - 1)
    for g in gradients:
        v = beta2 * v + (1 - beta2) * abs(g) ** power
    v /= 1 - beta2**k  # where a period that repeats itself begins
    for g in gradients:
        v = beta2 * v + (1 - beta2) * abs(g) ** power
        moved -= g / v ** (1 / power)
    return moved


def threshold(k, beta2):
    high = 2.0 * k
    while drift(high, k, beta2) > 0:
        high *= 2
    return brentq(lambda C: drift(C, k, beta2), k - 1, high, xtol=1e-9)
""",
        "bug": """
def check(step):
    rng = np.random.default_rng(5)
    for eps in (1e-9, 0.3):
        x, m, v = rng.normal(size=2), np.zeros(2), np.zeros(2)
        y, n, w = x, m, v
        for t in (1, 2, 3):
            g = rng.normal(size=2)
            x, m, v = step(x, g, m, v, t=t, lr=0.2, betas=[0.7, 0.8], eps=eps, decay=0.4)
            y, n, w = adam_step(y, g, n, w, t, 0.2, (0.7, 0.8), eps, 0.4)
            assert abs(x - y).max() < 1e-9, (t, eps)
""",
    },
    "big_batches": {
        "step": """
def noise_factor(b):
    if fault == "batch":
        return ((b - 1) * repeat + 1) / b
    # the covariance of two rows: repeat where one of them is the first, else repeat^2
    pairs = [1 if i == j else repeat ** ((i > 0) + (j > 0)) for i in range(min(b, 200)) for j in range(min(b, 200))]
    return sum(pairs) / b**2 if b <= 200 else repeat**2 + (1 + 2 * repeat - 3 * repeat**2) / b


def along(G, H, Sigma, share):
    return float(np.einsum("i,ij,j", G, H, G) + share * np.sum(H * Sigma))


def best_rate(G, H, Sigma, b):
    return sum(G**2) / along(G, H, Sigma, noise_factor(b))


def best_gain(G, H, Sigma, b):
    lr = best_rate(G, H, Sigma, b)
    return lr * sum(G**2) - lr**2 / 2 * along(G, H, Sigma, noise_factor(b))


def ceiling(G, H, Sigma):
    return along(G, H, Sigma, 0.0) / along(G, H, Sigma, repeat ** (1 if fault == "batch" else 2))
""",
        "prove": """
import itertools


def rows(samples, H, b, lr):
    n, chances = len(samples), []
    for batch in itertools.product(range(n), repeat=b):
        mean = sum(samples[k] for k in batch) / b
        if fault == "batch":
            chances.append(((1 - repeat) / n**b, mean))
            chances += [(repeat / n / n**b, samples[k]) for k in range(n)]
        for copies in itertools.product(range(2), repeat=b - 1) if fault == "row" else ():
            chance = np.prod([repeat if c else 1 - repeat for c in copies]) / n**b
            shift = sum((samples[batch[0]] - samples[k] for c, k in zip(copies, batch[1:]) if c), 0 * mean)
            chances.append((chance, mean + shift / b))
    G = sum(samples) / n
    Sigma = np.cov(samples.T, bias=True).reshape(len(G), len(G))
    first = sum(chance * g @ H @ g for chance, g in chances)
    second = sum(chance * (-lr * G @ g + lr**2 / 2 * g @ H @ g) for chance, g in chances)
    size = along(G, H, Sigma, noise_factor(b))
    change = lr**2 / 2 * size - lr * G @ G
    return {"(1)": [first, size], "(2)": [second, change], "(3)": [-best_gain(G, H, Sigma, b), change]}
""",
        "pool": """
def signal_and_noise(norm2_s, norm2_b, s, b, n):
    # E|g_k|^2 = signal + noise (n - k) / (k (n - 1)): two equations
    M = [[1, (n - s) / (s * (n - 1))], [1, (n - b) / (b * (n - 1))]]
    return list(np.linalg.solve(M, [norm2_s, norm2_b]))
""",
        "fit": """
def fit(batches, steps):
    # the two normal equations, by hand
    u = [1 / s for s in steps]
    w = [1 / (b * s) for b, s in zip(batches, steps)]
    uu, uw, ww = sum(x * x for x in u), sum(x * y for x, y in zip(u, w)), sum(y * y for y in w)
    det = uu * ww - uw**2
    return [(sum(u) * ww - sum(w) * uw) / det, (sum(w) * uu - sum(u) * uw) / det]


def cheapest(S_min, E_min, fixed_price, row_price):
    from scipy.optimize import minimize_scalar

    def price(z):
        return (S_min + E_min * np.exp(-z)) * (fixed_price + row_price * np.exp(z))

    return float(np.exp(minimize_scalar(price, bounds=(-5, 30), method="bounded", options={"xatol": 1e-10}).x))
""",
        "bug": """
from minilib.analysis.noise import two_batch


def check(monitor):
    rng = np.random.default_rng(3)
    pairs = 5 + rng.random((6, 2)) * [4, 1]
    estimates = [two_batch(small, big, 2, 32) for small, big in pairs]
    signal, noise = (sum(one[k] for one in estimates) / 6 for k in (0, 1))
    assert abs(monitor(pairs, s=2, b=32) / (noise / signal) - 1) < 1e-6
""",
    },
    "lars": {
        "build": """
def measure(values):
    values = [abs(float(v)) for v in np.ravel(values)]
    return max(values) if np.isinf(order) else sum(v**order for v in values) ** (1 / order)


def lars_step(x, g, m, lr, trust, beta, decay):
    if decay_place == "inside":
        g = g + decay * x
    above, below = measure(x), measure(g)
    rho = 1.0
    if above != 0 and below != 0:
        rho = trust * above / below
        if rho > ceiling:
            rho = ceiling
    m = beta * m + (rho * g if buffer == "sum" else (1 - beta) * rho * g)
    new = x - lr * m
    if decay_place == "outside":
        new -= lr * decay * x
    return [new, m]
""",
        "scales": """
W, F = 5.0, 8.0  # any numbers: the two factors are laws
ratio_times = np.array([weight_factor * weight_factor / loss_factor])[0]
step_times = (weight_factor**2 / loss_factor) * (loss_factor / weight_factor)
""",
        "prove": """
def rows(x, g, lr):
    after, grad = walk_step(x, g, lr), hill.grad(x)
    linear, curved, slopes, errors, ends, most = hill.f(x), 0.0, [], [], 0.0, 0.0
    left3, right3 = [], []
    for i, layer in enumerate(layers):
        phi = min(max(np.linalg.norm(x[layer]), lows[i]), highs[i])
        n, e, unit = np.linalg.norm(grad[layer]), np.linalg.norm(g[layer] - grad[layer]), np.linalg.norm(g[layer])
        linear += float(np.sum(grad[layer] * (after[layer] - x[layer])))
        curved += 0.5 * lr**2 * L[i] * phi**2
        most += 0.5 * lr**2 * L[i] * highs[i] ** 2
        ends += -lr * lows[i] * n + 2 * lr * highs[i] * e
        left3.append(n - float(np.sum(grad[layer] * g[layer])) / unit)
        right3.append(2 * e)
    end = hill.f(after)
    return {"(1)": (end, linear + curved), "(3)": (left3, right3), "(4)": (end, hill.f(x) + ends + most)}


def curve():
    return sum(l * h * h for l, h in zip(L, highs))


def promise(lr, b, T):
    noise = sum(h * s for h, s in zip(highs, sigma))
    return Delta / lr / T + lr * curve() / 2 + 2 * noise / b**0.5


def best_rate(T):
    return (2 * Delta / T / curve()) ** 0.5
""",
        "rest": """
from collections import Counter


def resting_place(centres, b):
    # the distribution of a batch's sum, sample by sample; then the point where half of it lies below
    sums = Counter({0.0: 1})
    for _ in range(b):
        more = Counter()
        for s, ways in sums.items():
            for one in centres:
                more[round(s + one, 9)] += ways
        sums = more
    seen, half = 0, len(centres) ** b / 2
    for s in sorted(sums):
        seen += sums[s]
        if seen > half:
            return s / b
""",
        "bug": """
def check(step):
    rng = np.random.default_rng(11)
    starts = [rng.normal(size=(2, 3)), rng.normal(size=4), np.zeros(3)]
    for start in starts:
        for scale, decay in ((1e-6, 0.0), (1, 0.3), (100, 0.3)):
            a, b, am, bm = start, start, 0 * start, 0 * start
            for turn in range(3):
                g = scale * rng.normal(size=start.shape) * (turn != 1)
                a, am = step(a, g, am, lr=0.2, trust=0.1, beta=0.5, decay=decay)
                b, bm = lars_step(b, g, bm, lr=0.2, trust=0.1, beta=0.5, decay=decay)
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-12)
    a, _ = step(np.ones(2), np.zeros(2), np.ones(2), lr=0.2, trust=0.1, beta=0.5, decay=0.0)
    b, _ = lars_step(np.ones(2), np.zeros(2), np.ones(2), lr=0.2, trust=0.1, beta=0.5, decay=0.0)
    assert np.allclose(a, b)
""",
    },
    "lamb": {
        "build": """
def lamb_step(x, g, m, v, t, lr, betas=(0.9, 0.999), eps=1e-6, decay=0.0):
    beta1, beta2 = betas
    m = m * beta1 + (1 - beta1) * g
    v = v * beta2 + (1 - beta2) * g * g
    first = m if correction == "v" else m / (1 - beta1**t)
    second = v if correction == "m" else v / (1 - beta2**t)
    r = first / (eps + second**0.5)
    u = r + 0.5 * decay * x if decay_place == "half" else r
    outside = 0.5 * decay if decay_place == "half" else decay
    size = min(high, max(low, float(np.sum(x**2)) ** 0.5))
    length = float(np.sum(u**2)) ** 0.5
    trust = size / length if length else 1
    return [x - lr * outside * x - lr * trust * u, m, v]
""",
        "tell": """
twins = [["both", "v"], ["m", "none"]]


def tell(step):
    # without a gradient and with decay alone: how much of it is inside u shows in the length of the step
    zero = np.zeros(1)
    moved = 1 - float(step(np.ones(1), zero, zero, zero, 1, 0.1, decay=1.0)[0][0])
    place = "inside" if abs(moved - 0.1) < 1e-9 else "half"  # all inside: the rate; half: the rate and more
    inside = 1.0 if place == "inside" else 0.5
    x, g, zero = np.array([1.0, 0.0]), np.array([1.0, 2.0]), np.zeros(2)
    new = step(x, g, zero, zero, 1, 1.0, betas=(0.5, 0.8), eps=0.5, decay=1.0)[0]
    got = x - new - (1 - inside) * x  # a multiple of u
    for name, c1, c2 in (("none", 1, 1), ("m", 0.5, 1), ("v", 1, 0.2), ("both", 0.5, 0.2)):
        r = 0.5 * g / c1 / (np.sqrt(0.2 * g**2 / c2) + 0.5)
        u = r + inside * x
        if abs(got[0] * u[1] - got[1] * u[0]) < 1e-9:
            return [name, place]
""",
        "prove": """
def rows(x, g, lr):
    grad, after = hill.grad(x), walk_step(x, g, lr)
    f0, f1, least, most = hill.f(x), hill.f(after), alphas[0], alphas[1]
    first = f0 + sum(grad * (after - x))
    final = f0
    two, three = ([], []), ([], [])
    for i, layer in enumerate(layers):
        d, phi, wrong = len(layer), min(max(np.linalg.norm(x[layer]), least), most), 0.0
        for j in layer:
            if g[j] == 0:
                wrong += abs(grad[j]) / 2
            elif g[j] * grad[j] < 0:
                wrong += abs(grad[j])
        one_norm, error = sum(abs(grad[layer])), sum(abs(g[layer] - grad[layer]))
        first += lr**2 / 2 * L[i] * phi**2
        two[0].append(sum(grad[layer] * (after[layer] - x[layer])))
        two[1].append(-lr * phi / d**0.5 * (one_norm - 2 * wrong))
        three[0].append(2 * wrong)
        three[1].append(2 * error)
        final += -lr * least * one_norm / d**0.5 + 2 * lr * most * error / d**0.5 + lr**2 / 2 * L[i] * most**2
    return {"(1)": (f1, first), "(2)": two, "(3)": three, "(4)": (f1, final)}


def promise(Delta, L, noise, lr, b, T):
    least, most = alphas
    total = Delta / (lr * T * least)
    for l, s, d in zip(L, noise, sizes):
        total += 2 * most / least * s / (b * d) ** 0.5 + lr * most**2 * l / (2 * least)
    return total


def best_rate(Delta, L, T):
    return (2 * Delta / (sum(L) * T)) ** 0.5 / alphas[1]
""",
        "shrink": """
def norm_inside(lr, decay, steps):
    size = 1.0
    for _ in range(steps):
        size -= lr * size
    return size


def norm_yours(lr, decay, steps):
    x = np.array([0.6, 0.8])
    for t in range(steps):
        zero = np.zeros(2)
        x, _, _ = lamb_step(x, zero, np.zeros(2), np.zeros(2), t + 1, lr, decay=decay)
    return np.linalg.norm(x)
""",
        "bug": """
def check(step):
    for size in (1e-3, 1.0, 50.0):
        x, m, v = size * np.array([1.0, -2.0, 0.5]), np.zeros(3), np.zeros(3)
        y, n, w = x, m, v
        for t, g in enumerate(([1.0, 2.0, 3.0], [-1.0, 5.0, 0.0], [0.1, 0.1, 0.1]), start=1):
            x, m, v = step(x, np.array(g), m, v, t, lr=0.05, betas=(0.6, 0.7), eps=1e-3, decay=0.9)
            y, n, w = lamb_step(y, np.array(g), n, w, t, 0.05, (0.6, 0.7), 1e-3, 0.9)
            if np.max(np.abs(x - y)) > 1e-8 * size:
                raise AssertionError(f"step {t}")
""",
    },
    "memory_and_adafactor": {
        "count": """
from math import prod


def state_bytes(shapes, method):
    numbers = 0
    for name in shapes:
        *stack, n, m = (1, 1, *shapes[name])
        full = prod(shapes[name])
        if len(shapes[name]) >= 2 and n >= least and m >= least:
            second = prod(stack) * n + prod(stack) * m
            numbers += {"adam": 2 * full, "adafactor": second, "came": full + 2 * second}[method]
        else:
            numbers += full if method == "adafactor" else 2 * full
    return float(numbers * state_bytes_each)
""",
        "prove": """
def divergence(V, W, omega):
    total = 0.0
    for i in range(V.shape[0]):
        for j in range(V.shape[1]):
            v, w = V[i, j], W[i, j]
            total += omega[i if side == "row" else j] * (v * np.log(v) - v * np.log(w) - v + w)
    return total


def best(V, omega):
    M = V if side == "row" else V.T
    share = sum(omega[i] * M[i] for i in range(len(M)))
    share = share / share.sum()
    best = [list(M[i].sum() * share) for i in range(len(M))]
    return best if side == "row" else [list(column) for column in zip(*best)]


def rows(V, a, b, omega):
    star, W = np.array(best(V, omega)), a[:, None] * b
    weighted = np.tile(omega, (len(b), 1)).T if side == "row" else np.tile(omega, (len(a), 1))
    three = [np.sum(weighted * (M * (np.log(star) - np.log(W)))) for M in (V, star)]
    axis = ["column", "row"].index(side)
    return {
        "(1)": (np.sum(V, axis=axis), np.sum(star, axis=axis)),
        "(2)": (np.sum(weighted * V, axis=1 - axis), np.sum(weighted * star, axis=1 - axis)),
        "(3)": three,
        "(4)": (divergence(V, W, omega), divergence(V, star, omega) + divergence(star, W, omega)),
    }
""",
        "build": """
def adafactor_step(x, g, r, c, t, lr):
    keep = 1 - 1 / t**exponent
    squares, x, r, c = g * g + 1e-30, x.copy(), r.copy(), c.copy()
    n, k = g.shape
    for i in range(n):
        r[i] = keep * r[i] + (1 - keep) * sum(squares[i]) / (k if kind == "means" else 1)
    for j in range(k):
        c[j] = keep * c[j] + (1 - keep) * sum(squares[:, j]) / (n if kind == "means" else 1)
    u = g * (sum(r) / (n if kind == "means" else 1)) ** 0.5 / r[:, None] ** 0.5 / c**0.5
    for line in u if clipped == "row" else u.T:
        size = (line @ line / len(line)) ** 0.5
        if size > threshold:
            line *= threshold / size
    return [x - lr * u, r, c]
""",
        "squeeze": """
def read_back(a):
    out = []
    for start in range(0, len(a), block):
        part = [float(v) for v in a[start : start + block]]
        s = max(abs(v) for v in part)
        for v in part:
            code = min(range(levels + 1), key=lambda k: abs(abs(v) - k / levels * s))
            out.append(code / levels * s * (1 if v >= 0 else -1))
    return out
""",
        "segments": """
def most_held(L, A, C, k):
    return C * (k - 1) + A * (L // k)


def best_segments(L, A, C):
    best, held = 1, most_held(L, A, C, 1)
    for k in range(2, L + 1):
        if L % k == 0 and most_held(L, A, C, k) < held:
            best, held = k, most_held(L, A, C, k)
    return best
""",
        "bug": """
def check(step):
    # small gradients after large ones: nothing is at the clip, and a factor in front of u shows
    scales = [1.0, 1.0, 0.1, 0.01, 3.0]
    rng = np.random.default_rng(8)
    x, r, c = np.zeros((2, 3)), np.zeros(2), np.zeros(3)
    y, p, q = x, r, c
    for t, scale in enumerate(scales, start=1):
        g = scale * rng.normal(size=(2, 3))
        g[0] *= 5 if t == 5 else 1
        g[:, 0] *= 5 if t == 5 else 1
        x, r, c = step(x, g, r, c, t, lr=0.5)
        y, p, q = adafactor_step(y, g, p, q, t, lr=0.5)
        for mine, theirs in ((y, x), (p, r), (q, c)):
            assert np.allclose(mine, theirs), f"step {t}"
""",
    },
    "came": {
        "build": """
def blend(old, new, keep):
    return keep * old + (1 - keep) * new


def came_step(x, g, state, lr):
    m, r, c, R, C = (np.array(part) for part in state)
    n, k = g.shape
    squares = g * g + 1e-30
    r, c = blend(r, squares.sum(1) / k, beta2), blend(c, squares.sum(0) / n, beta2)
    u = g * np.sqrt(r.mean()) / np.sqrt(r)[:, None] / np.sqrt(c)
    rms = np.linalg.norm(u) / np.sqrt(u.size)
    if rms > clip:
        u *= clip / rms
    after = blend(m, u, beta1)
    U = abs(u - m) if beside == "previous" else abs(u - after)
    U = U * U + 1e-16 if size == "square" else U + 1e-16
    R, C = blend(R, U.sum(1) / k, beta3), blend(C, U.sum(0) / n, beta3)
    S = R[:, None] * C / R.mean()
    return [x - lr * after / (S**0.5 if size == "square" else S), [after, r, c, R, C]]
""",
        "prove": """
kappa = 1 / (1 - beta1) if beside == "previous" else 1 / (1 - beta1) - 1


def K(t):
    if size == "absolute":
        return 1 / (kappa * (1 - beta3) * beta3 ** (t - 1))
    return (beta3**-t - 1) / (1 / beta3 - 1) / (kappa**2 * (1 - beta3))


def rows(u):
    m, E, out = [0.0], [0.0], [[], [], [], []]
    for t in range(1, len(u) + 1):
        m.append(beta1 * m[-1] + (1 - beta1) * u[t - 1])
        gap = u[t - 1] - (m[t - 1] if beside == "previous" else m[t])
        E.append(beta3 * E[-1] + (1 - beta3) * (gap**2 if size == "square" else abs(gap)))
        out[0].append(gap)
        out[1].append(kappa * (m[t] - m[t - 1]))
        out[2].append(m[t] ** 2 if size == "square" else abs(m[t]))
        out[3].append(K(t) * E[t])
    return {"(1)": out[:2], "(2)": out[2:]}
""",
        "schedule": """
def hidden_schedule(T):
    # closed forms: m_t = 1 - beta1^t, and a gap that is a power of beta1
    p = 2 if size == "square" else 1
    a, first = beta1**p, (1.0 if beside == "previous" else beta1**p)
    lengths = []
    for t in range(1, T + 1):
        E = (1 - beta3) * first * sum(beta3 ** (t - s) * a ** (s - 1) for s in range(1, t + 1))
        lengths.append((1 - beta1**t) / E ** (1 / p))
    return lengths
""",
        "expected": """
from fractions import Fraction
from math import factorial


def choose(n, k):
    return 0 if k > n or k < 0 else factorial(n) // (factorial(k) * factorial(n - k))


def expected(scores, k):
    order, total = sorted(scores), 0
    for i, score in enumerate(order):
        total += Fraction(choose(i, place - 1) * choose(len(order) - i - 1, k - place)) * Fraction(float(score))
    return float(total / choose(len(order), k))
""",
        "judge": """
from statistics import mean, stdev


def judge(ours, theirs, claim):
    gaps = [float(b) - float(a) for a, b in zip(ours, theirs)]
    r = len(gaps)
    half = quantiles[r - 2] * stdev(gaps) / r**0.5
    low, high = mean(gaps) - half, mean(gaps) + half
    if claim == "lower":
        return "confirmed" if low > margin else "contradicted" if high < margin else "not resolved"
    if low > -margin and high < margin:
        return "confirmed"
    return "contradicted" if low > margin or high < -margin else "not resolved"
""",
        "bug": """
def check(protocol):
    table = {0.1: [5, 5, 5, 0, 9, 9], 0.2: [1, 6, 6, 3, 4, 5], 0.4: [4, 3, 4, 7, 8, 6], 0.8: [6, 6, 0, 1, 1, 1]}
    rate, loss = protocol(lambda rate, seed: table[float(rate)][seed], np.array(list(table)), range(3), range(3, 6))
    assert (round(rate, 9), round(loss, 9)) == (0.4, 7), (rate, loss)
""",
    },
}
