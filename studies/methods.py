"""The methods that people run to save memory, each in at most 20 lines: what Part III builds and its study compares.

They are `minilib.optim`'s optimizers with other state. A class with `Optimizer` among its parents is a method; a class
without one is put before a method and changes what it keeps (`Coded`, `Kahan`, `Rest`) or where it moves (`Cautious`).
Every one follows the recorded steps of a public package (tests/studies/test_methods.py). Absent on purpose: state
in another memory (paged, offloaded), and quantised weights.
"""

import numpy as np

from minilib.optim import CAME, AdamW, Lion, Optimizer
from minilib.optim.base import ema
from minilib.optim.checks import COUNT, POSITIVE, RANGES

# ---- State in eight and in four bits ---------------------------------------------------------------------------------


def dynamic_levels(signed: bool, decades: int) -> np.ndarray:
    """Levels from -1 (0 where not `signed`) to 1: in each decade twice as many as in the one below; and 0 and 1."""
    levels = [0.0, 1.0]
    for i in range(decades):
        edges = np.linspace(0.1, 1.0, 2 ** (i if signed else i + 1) + 1)
        middles = 10.0 ** (i + 1 - decades) * (edges[:-1] + edges[1:]) / 2
        levels += [*middles, *(-middles if signed else ())]
    return np.sort(np.array(levels, dtype=np.float32))


EIGHT = {"m": dynamic_levels(True, 7), "v": dynamic_levels(False, 7)}  # 256 levels each
FOUR = {"m": dynamic_levels(True, 3), "v": np.linspace(0, 1, 17, dtype=np.float32)[1:]}  # 16 levels; v has no zero
NAIVE = {"m": np.linspace(-1, 1, 256, dtype=np.float32), "v": np.linspace(0, 1, 256, dtype=np.float32)}


def encode(a: np.ndarray, levels: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray]:
    """The nearest level of every number, in uint8 (two of 16 levels share a byte), and the scales of the blocks."""
    a = a.reshape(-1, block)
    scales = np.maximum(np.abs(a).max(axis=1), 1e-12).astype(np.float32)
    codes = np.searchsorted((levels[1:] + levels[:-1]) / 2, a / scales[:, None], side="right").astype(np.uint8)
    return codes if len(levels) > 16 else codes[:, ::2] << 4 | codes[:, 1::2], scales


def decode(codes: np.ndarray, scales: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """What the codes stand for, (blocks, block)."""
    if len(levels) == 16:
        codes = np.stack([codes >> 4, codes & 15], axis=-1)
    return levels[codes].reshape(len(scales), -1) * scales[:, None]


class Coded:
    """Between two steps the arrays named in `levels` are codes, with one scale a block; small tensors stay as they are.

    As in torchao: a tensor below 4,096 numbers, or one that blocks do not divide, is not coded.
    """

    levels, block, least = EIGHT, 256, 4096

    def update(self, x, g, s):
        if x.size < self.least or x.size % self.block:
            return super().update(x, g, s)
        for name, levels in self.levels.items():
            if name in s:
                s[name] = decode(s[name], s[f"{name} scales"], levels).reshape(x.shape)
        super().update(x, g, s)
        for name, levels in self.levels.items():
            s[name], s[f"{name} scales"] = encode(s[name], levels, self.block)


class AdamW8bit(Coded, AdamW):
    """m and v in eight bits: about two bytes a parameter."""


class AdamW4bit(Coded, AdamW):
    """m and v in four bits: about one byte a parameter."""

    levels, block = FOUR, 128


class Naive8bit(Coded, AdamW):
    """The saboteur: equal distances between the levels, one scale for 4,096 numbers. A small v becomes 0."""

    levels, block = NAIVE, 4096


class CAME8bit(Coded, CAME):
    """m in eight bits; everything else of CAME is small already."""

    levels = {"m": EIGHT["m"]}


# ---- Gradients of lower rank -----------------------------------------------------------------------------------------


class GaLore(AdamW):
    """Adam in `rank` directions of the shorter side (Zhao et al. 2024), found anew every so many steps; matrices only.

    After a new basis the old m and v are kept, although they were averaged in the old one.
    """

    ranges = RANGES | {"rank": COUNT, "every": COUNT, "scale": POSITIVE}
    bias_correction = False

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-6, rank=128, every=200, scale=0.25):
        Optimizer.__init__(self, params, lr=lr, betas=betas, eps=eps, rank=rank, every=every, scale=scale)

    def corrected_lr(self, t):
        return self.lr * (1 - self.betas[1] ** t) ** 0.5 / (1 - self.betas[0] ** t)

    def basis(self, G):
        return np.linalg.svd(G, full_matrices=False)[2][: self.rank].T.copy()

    def update(self, x, g, s):
        tall = x if x.shape[0] >= x.shape[1] else x.T  # a view: what is done to it is done to x
        G = g if tall is x else g.T
        # P: the first singular vectors of the gradient, every so often
        if (s["step"] - 1) % self.every == 0:
            s["P"] = self.basis(G)
        # x ← x − η α r Pᵀ with Adam's direction r of G P
        r = self.direction(G @ s["P"], s)
        tall -= self.corrected_lr(s["step"]) * self.scale * r @ s["P"].T


class APOLLO(GaLore):
    """The gradient itself, each row as much longer as Adam would make its random projection (Zhu et al. 2024).

    P is drawn anew from its number whenever it is needed, so it takes no memory. No step is more than one per cent
    longer than the one before.
    """

    axis, limit = 1, 1.01

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-6, rank=256, every=200, scale=1.0):
        super().__init__(params, lr, betas, eps, rank, every, scale)

    def projection(self, n, s):
        rng = np.random.default_rng([s.setdefault("seed", len(self.state)), (s["step"] - 1) // self.every])
        return rng.normal(size=(n, self.rank)) / self.rank**0.5

    def update(self, x, g, s):
        tall = x if x.shape[0] >= x.shape[1] else x.T
        G = g if tall is x else g.T
        low = G @ self.projection(G.shape[1], s).astype(g.dtype)
        r = self.direction(low, s)
        # u = G · ‖r‖ / ‖G P‖, row by row
        lengths = [np.linalg.norm(a, axis=self.axis, keepdims=True) for a in (r, low)]
        u = G * (lengths[0] / (lengths[1] + 1e-8))
        # ‖u_t‖ ≤ 1.01 ‖u_{t−1}‖
        length = float(np.linalg.norm(u))
        longer = max(length / (s.get("length", length) + 1e-8), self.limit) / self.limit
        s["length"] = length / longer
        tall -= self.corrected_lr(s["step"]) * self.scale**0.5 / longer * u


class APOLLOMini(APOLLO):
    """Rank 1, and one factor for the whole matrix."""

    axis = None

    def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-6, rank=1, every=200, scale=128.0):
        super().__init__(params, lr, betas, eps, rank, every, scale)


# ---- Other steps from the same state ---------------------------------------------------------------------------------


class AdaBelief(AdamW):
    """Adam divided by how far gradients are from their own average (Zhuang et al. 2020): what CAME does to updates."""

    def second_moment(self, g, s):
        # v_t = β₂ v_{t−1} + (1 − β₂) (g_t − m_t)² + ε
        v = ema(s, "v", (g - s["m"]) ** 2, self.betas[1])
        v += self.eps
        return v


class Corrected(CAME):
    """S divided by 1 - beta3^t, as Adam corrects v: every step of a matrix is shorter by the root of that."""

    def update(self, x, g, s):
        before = x.copy()
        super().update(x, g, s)
        if g.ndim >= 2:
            x -= (1 - (1 - self.betas[2] ** s["step"]) ** 0.5) * (x - before)


class Cautious:
    """A coordinate moves only where its step agrees with its gradient (Liang et al. 2024); the others move more for it.

    For a method without weight decay.
    """

    def update(self, x, g, s):
        before = x.copy()
        super().update(x, g, s)
        # u ← u · [u g > 0] · n / (how many agree + 1)
        agree = (before - x) * g > 0
        x[...] = before + (x - before) * agree * (agree.size / (agree.sum() + 1))


class CautiousAdamW(Cautious, AdamW):
    pass


class CautiousCAME(Cautious, CAME):
    pass


class CautiousLion(Cautious, Lion):
    pass


# ---- Weights in sixteen bits -----------------------------------------------------------------------------------------


def to_bf16(a: np.ndarray) -> np.ndarray:
    """The nearest bfloat16 of float32 numbers, as its 16 bits (uint16); halves go to the even neighbour."""
    bits = np.asarray(a, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits: np.ndarray) -> np.ndarray:
    """The float32 numbers that these 16 bits stand for."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Kahan:
    """Weights in bfloat16, and in 16 more bits what rounding has taken from their steps so far.

    For a method whose steps do not look at the weights (no decay, no trust ratio).
    """

    def update(self, x, g, s):
        step = np.zeros_like(x)
        super().update(step, g, s)
        owed = from_bf16(to_bf16(from_bf16(s.get("owed", np.zeros(x.shape, np.uint16))) + step))
        new = from_bf16(to_bf16(x + owed))
        s["owed"] = to_bf16(owed + (x - new))
        x[...] = new


class Rest:
    """Weights in bfloat16, and in eight bits where in its rounding interval the exact weight lies."""

    def update(self, x, g, s):
        exact = x + s.get("rest", np.zeros(x.shape, np.int8)) * (half_gap(x) / 127)
        super().update(exact, g, s)
        x[...] = from_bf16(to_bf16(exact))
        s["rest"] = np.rint((exact - x) / half_gap(x) * 127).astype(np.int8)


def half_gap(x: np.ndarray) -> np.ndarray:
    """Half the distance from bfloat16 numbers to the next larger ones."""
    return np.ldexp(np.float32(1), np.maximum(np.frexp(x)[1], -117) - 9)
