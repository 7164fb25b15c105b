"""Kernels on the model: operations become steps of the kernel builder; its back end gives them an order, and their tiles places."""

from .program import Lowered, build, lower, select

__all__ = ["Lowered", "build", "lower", "select"]
