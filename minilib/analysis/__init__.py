"""Quantities that can be computed beforehand and are then measured: memory, gradient noise, operations, time."""
