"""Kernels on the model: operations become calls of the kernel builder, tiles get places in SBUF and PSUM, the builder orders the calls."""

from .program import Arranged, Lowered, arrange, build, lower

__all__ = ["Arranged", "Lowered", "arrange", "build", "lower"]
