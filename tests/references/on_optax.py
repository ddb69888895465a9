"""The parameters after every step of an optax transformation, on the inputs of `recipe.py`."""

import jax
import numpy as np
import optax
import recipe

jax.config.update("jax_enable_x64", True)


def steps(package, optimizer, options):
    """Arrays by name after each step, float64."""
    params = {n: jax.numpy.asarray(x) for n, x in recipe.start().items()}
    opt = optimizer(**options)
    state = opt.init(params)
    for gradient in recipe.gradients():
        updates, state = opt.update({n: jax.numpy.asarray(g) for n, g in gradient.items()}, state, params)
        params = optax.apply_updates(params, updates)
        yield {n: np.asarray(p) for n, p in params.items()}
