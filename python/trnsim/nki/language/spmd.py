"""The grid of programs."""

from __future__ import annotations

import math
from typing import Any

from .. import context
from ..alu import alu_op
from ..buffers import sizes
from ..errors import NkiError
from ..operands import tile
from ..tensor import Tensor
from .creation import copy


class nc(int):
    """A dimension of a grid over cores. Here all programs run one after the other, on one core."""

    def __new__(cls, size: Any) -> nc:
        return super().__new__(cls, *sizes((size,), "nl.nc"))


class spmd_dim(int):
    """A dimension of a grid with sub-dimensions: spmd_dim(4, nl.nc(2))."""

    def __new__(cls, *dimensions: int) -> spmd_dim:
        return super().__new__(cls, math.prod(sizes(dimensions, "nl.spmd_dim")))


def _axis(axis: Any, function: str) -> int:
    grid = context.current().grid
    if not isinstance(axis, int) or not 0 <= axis < len(grid):
        raise NkiError(
            "err_program_id_axis_out_of_bounds",
            f"axis {axis} of {function}, expected one of the grid's {len(grid)} axes",
        )
    return axis


def program_id(axis: int) -> int:
    """Returns the program's position along an axis of the grid."""
    return context.current().program[_axis(axis, "program_id")]


def num_programs(axes: Any = None) -> int:
    """Returns the number of programs along axes, or of all."""
    grid = context.current().grid
    if axes is None:
        return math.prod(grid)
    return math.prod(
        grid[_axis(axis, "num_programs")] for axis in (axes if isinstance(axes, (tuple, list)) else [axes])
    )


def program_ndim() -> int:
    """Returns the number of axes of the grid."""
    return len(context.current().grid)


def all_reduce(
    x: Any,
    op: Any,
    program_axes: Any,
    *,
    dtype: Any = None,
    mask: Any = None,
    parallel_reduce: bool = True,
    asynchronous: bool = False,
    **extras: Any,
) -> Tensor:
    """Reduces a tile over programs. There must be one along the axes, as programs run one after the other."""
    a = tile(x, "all_reduce", "x")
    alu_op(op, "all_reduce")
    count = num_programs(program_axes)
    if count != 1:
        raise NkiError(
            "err_not_available",
            f"nki.language.all_reduce over {count} programs, expected one: programs run one after the other",
        )
    return copy(a, dtype=dtype, mask=mask, **extras)
