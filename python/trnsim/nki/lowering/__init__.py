"""Kernels on the model: operations become steps of the kernel builder; its back end orders them and places
tiles.
"""

from .program import Lowered, build, lower, select

__all__ = ["Lowered", "build", "lower", "select"]
