"""Adafactor (Shazeer & Stern 2018) for PyTorch: Adam without momentum, its second moment factored.

Three sweeps over a matrix: the sums of g² along rows and columns, the sizes of update and parameter, the step. The
factored second moment is never written out. Absent on purpose: momentum (CAME adds it).
"""

from minilib.torch_optim.base import Optimizer
from minilib.torch_optim.checks import EPS_PAIR
from minilib.torch_optim.factored import LARGEST, factored_dims, inverse_root, mean_shapes
from minilib.torch_optim.kernels import column_sums, divisor, read, squared, write
from minilib.torch_optim.many import smaller
from minilib.torch_optim.presets import ADAFACTOR_PRESETS, preset
from minilib.torch_optim.work import ALL


def squares(g, eps1, scale, ok, dtype, dims):
    """Sums of g² + ε₁ along the rows and along the columns."""
    g = read(g, dtype, scale, ok)
    g2 = g * g + eps1
    return g2.sum(dims[1], keepdim=True), column_sums(g2, dims[0])


def sizes(g, x, p, q, scale, ok):
    """‖u‖² of u = g/√v̂ = g p q, and ‖x‖² where an x is given: the two are read side by side."""
    uu = squared(read(g, p.dtype, scale, ok) * p * q)
    return uu if x is None else (uu, squared(x.to(p.dtype)))


def descend(x, g, p, q, shrink, length, scale, ok, seed):
    """x ← (1 − shrink) x − length · g p q."""
    u = read(g, p.dtype, scale, ok) * p * q
    write(x, x.to(p.dtype) * shrink + u * length, seed)


def full_moment(g, x, v, weight, eps1, scale, ok):
    """For what is not factored: v_t ← β v + (1 − β)(g² + ε₁); returns the same two."""
    g = read(g, v.dtype, scale, ok)
    v.lerp_(g * g + eps1, weight)
    uu = (g * g / divisor(v, ok)).sum()
    return uu if x is None else (uu, squared(x.to(v.dtype)))


def descend_full(x, g, v, shrink, length, scale, ok, seed):
    """x ← (1 − shrink) x − length · g/√v."""
    u = read(g, v.dtype, scale, ok) * divisor(v, ok).rsqrt()
    write(x, x.to(v.dtype) * shrink + u * length, seed)


class Adafactor(Optimizer):
    """Algorithms 4 to 6 of the paper, and the forms with a learning rate. The defaults are those of Algorithm 6.

    Args:
        params: see `Optimizer`.
        lr: with `relative_step` the largest relative step; without, the learning rate.
        beta2_decay: the exponent -c of beta2_t = 1 - t^-c, in [-1, 0).
        eps: (eps1, eps2): eps1 is added to g^2, eps2 the least size (root mean square) that a parameter is taken to
            have.
        d: the root mean square above which an update is scaled down.
        weight_decay: decoupled, >= 0; the paper has none.
        relative_step: the rate is min(lr, 1/sqrt(t)); False takes `lr` itself.
        scale_parameter: the rate is times max(eps2, RMS(x)); None does as `relative_step`.
        decay_by: what multiplies the decay: "lr" as in torch, "step" (the step size) as in transformers and timm,
            "one" as in optax (the weights then shrink even where lr is 0).
        factor, min_dim_size_to_factor: see `factored_dims`; the paper factors matrices, torch the "last" two.
        options: those of `Optimizer`.
    """

    ranges = Optimizer.ranges | EPS_PAIR
    presets = ADAFACTOR_PRESETS
    preset = classmethod(preset)

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(1e-30, 1e-3),
        d=1.0,
        weight_decay=0.0,
        relative_step=True,
        scale_parameter=None,
        decay_by="lr",
        factor=LARGEST,
        min_dim_size_to_factor=0,
        **options,
    ):
        own = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "relative_step": relative_step,
            "scale_parameter": scale_parameter,
            "decay_by": decay_by,
            "factor": factor,
            "min_dim_size_to_factor": min_dim_size_to_factor,
        }
        super().__init__(params, own, options)

    def dims(self, shape, group):
        return factored_dims(shape, group["factor"], group["min_dim_size_to_factor"])

    def start(self, shape, dims):
        return dict(zip("rc", mean_shapes(shape, dims), strict=True)) if dims else {"v": shape}

    def update(self, w):
        group = w.group
        relative, scaled = group["relative_step"], group["scale_parameter"]
        x = w.x if (relative if scaled is None else scaled) else None
        # β̂₂ = 1 − t^−c
        kernel, *moments, length, xx = yield self.clipped_direction(w, 1 - w.power(group["beta2_decay"]), x)
        # ρ_t = min(lr, 1/√t),  α_t = max(ε₂, RMS(x)) ρ_t
        alpha = smaller(w.lr, w.power(-0.5)) if relative else w.lr
        if xx is not None:
            alpha = (xx / w.size()).sqrt().clamp(min=group["eps"][1]) * alpha
        # x ← x − decay · λ x − α Û; the weight of "one" is 1, and 0 where the step is skipped
        decay = {"lr": w.lr, "step": alpha, "one": w.weight(0.0)}[group["decay_by"]]
        shrink = decay * group["weight_decay"]
        yield w.sweep(kernel, (), w.x, w.g, *moments, shrink, length * alpha, w.scale, w.ok, w.seed)

    def clipped_direction(self, w, beta2, x=None):
        """Rounds that update the second moment.

        Returns:
            The kernel that descends, what it needs of the second moment, the length of Û, and the ‖x‖² of an `x`.
        """
        sums = (ALL,) if x is None else (ALL, ALL)
        eps1, weight = w.group["eps"][0], w.weight(beta2)
        if w.dims is None:
            yield w.checked()
            uu, *xx = yield w.sweep(full_moment, sums, w.g, x, w.s["v"], weight, eps1, w.scale, w.ok)
            return descend_full, w.s["v"], self.clip(w, uu), *(xx or [None])
        (a, b), r, c = w.dims, w.s["r"], w.s["c"]
        partial = w.sweep(squares, (b, a), w.g, eps1, w.scale, w.ok, dtype=w.dtype, dims=w.dims)
        rows, columns, *_ = yield w.telling(partial)
        # r_t, c_t: averages of the row and column means;  v̂ = r c / mean(r)
        r.lerp_(rows / w.size(b), weight)
        c.lerp_(columns / w.size(a), weight)
        p, q = yield inverse_root(w, divisor(r, w.ok), divisor(c, w.ok))
        uu, *xx = yield w.sweep(sizes, sums, w.g, x, p, q, w.scale, w.ok)
        return descend, p, q, self.clip(w, uu), *(xx or [None])

    def clip(self, w, uu):
        """1 / max(1, RMS(u)/d)."""
        return 1 / ((uu / w.size()).sqrt() / w.group["d"]).clamp(min=1.0)
