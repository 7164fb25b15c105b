"""Steps that several kernels have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import isa as nisa, language as nl
from ..errors import NkiError
from ..tensor import Tensor

TILE = 128  # rows of a tile, and of a transpose


def require(holds: bool, text: str) -> None:
    """Refuses arguments that a kernel does not take, at the line of its call."""
    if not holds:
        raise NkiError("err_argument", text)


def programs(function: str, *sizes: int) -> Iterator[tuple[int, ...]]:
    """Yields the positions that this program computes: its own of a grid of these sizes; all without one."""
    if nl.program_ndim() == 0:
        yield from positions(*sizes)
        return
    grid = tuple(nl.num_programs(axis) for axis in range(nl.program_ndim()))
    require(
        grid == sizes, f"{function}[{', '.join(map(str, grid))}], expected a grid of {list(sizes)} or none"
    )
    yield tuple(nl.program_id(axis) for axis in range(len(sizes)))


def positions(*sizes: int) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for at in range(sizes[0]):
        for rest in positions(*sizes[1:]):
            yield (at, *rest)


def parts(size: int, most: int) -> Iterator[tuple[int, int]]:
    """Yields first and number of the parts of at most `most` that a size is cut into."""
    for first in range(0, size, most):
        yield first, min(most, size - first)


def turned(tile: Any, dtype: Any) -> Tensor:
    """Returns the transpose of a tile in SBUF."""
    return nisa.tensor_copy(nisa.nc_transpose(tile, engine=nisa.tensor_engine), dtype=dtype)


def transposed_rows(rows: Any, dtype: Any) -> Tensor:
    """Returns [width, length] in SBUF of rows [length, width] in HBM, whose width is at most 128."""
    length, width = rows.shape
    tile = nl.ndarray((width, length), dtype)
    for first, count in parts(length, TILE):
        tile[:, nl.ds(first, count)] = turned(nl.load(rows[nl.ds(first, count), :], dtype=dtype), dtype)
    return tile


def loaded_rows(rows: Any, dtype: Any) -> Tensor:
    """Returns tiles [n, 128, width] in SBUF of rows [128 n, width] in HBM."""
    length, width = rows.shape
    tiles = nl.ndarray((length // TILE, nl.par_dim(TILE), width), dtype)
    for at in range(length // TILE):
        tiles[at] = nl.load(rows[nl.ds(TILE * at, TILE), :], dtype=dtype)
    return tiles
