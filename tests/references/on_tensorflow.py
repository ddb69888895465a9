"""The parameters after every step of a Keras optimizer, on the inputs of `recipe.py`."""

import recipe
import tensorflow as tf


def steps(package, optimizer, options):
    """Arrays by name after each step, float64."""
    params = {n: tf.Variable(x, dtype=tf.float64) for n, x in recipe.start().items()}
    opt = optimizer(**options)
    for gradient in recipe.gradients():
        opt.apply_gradients((tf.constant(gradient[n]), p) for n, p in params.items())
        yield {n: p.numpy() for n, p in params.items()}
