"""The contents of PSUM while calls are chosen: zeros that need not be written, sums that a matmul may add to.

A kernel zeroes a tile in PSUM and adds matmuls to it. The hardware's adder adds only to what a matmul has
written, and the first matmul overwrites. So zeros are noted and written only where they are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .tiles import SIZES, Area, Tile

if TYPE_CHECKING:
    from .calls import Calls

_UNIT = 2  # bytes of the smallest element
_OTHER, _ZERO, _SUM = 0, 1, 2  # written by anything, zeros not yet written, written by matmuls


def _runs(flags: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yields (first, end) of each run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist())


def _covers(tile: Tile) -> bool:
    """Returns whether a tile is all of its area."""
    elements = 1
    for count, step in reversed(tile.axes):
        if count != 1 and step != elements:
            return False
        elements *= count
    area = tile.area
    return (
        elements * SIZES[tile.dtype] == area.size
        and tile.byte == 0
        and tile.partition == 0
        and tile.partitions == area.partitions
    )


class Sums:
    def __init__(self) -> None:
        self._whole: dict[Area, int] = {}  # the state of the area if all of it has one state
        self._states: dict[Area, np.ndarray] = {}  # else the state of each unit in each partition

    def _all(self, area: Area) -> np.ndarray:
        if area not in self._states:
            self._states[area] = np.full(
                (area.partitions, area.size // _UNIT), self._whole.pop(area, _OTHER), np.uint8
            )
        return self._states[area]

    def _of(self, tile: Tile) -> np.ndarray:
        states, size = self._all(tile.area), SIZES[tile.dtype]
        shape, strides = [tile.partitions], [states.strides[0]]
        for count, step in tile.axes:
            shape.append(count)
            strides.append(step * size // _UNIT)
        return np.ndarray(
            (*shape, size // _UNIT),
            np.uint8,
            states,
            tile.partition * states.strides[0] + tile.byte // _UNIT,
            (*strides, 1),
        )

    def _is_all(self, tile: Tile, state: int) -> bool:
        if tile.area in self._states:
            return bool((self._of(tile) == state).all())
        return self._whole.get(tile.area, _OTHER) == state

    def _set(self, tile: Tile, state: int) -> None:
        if _covers(tile):
            self._states.pop(tile.area, None)
            self._whole[tile.area] = state
        elif tile.area in self._states or self._whole.get(tile.area, _OTHER) != state:
            self._of(tile)[...] = state

    def zero(self, calls: Calls, tile: Tile) -> None:
        """Notes that the tile is zeroed."""
        self._set(tile, _ZERO)

    def touched(self, calls: Calls, tile: Tile, overwritten: bool) -> None:
        """Notes that an engine other than Tensor reads or writes the tile."""
        if overwritten:
            self._set(tile, _OTHER)
        elif (
            (self._of(tile) == _ZERO).any()
            if tile.area in self._states
            else self._whole.get(tile.area) == _ZERO
        ):
            self._write_zeros(calls, tile)

    def added_to(self, calls: Calls, tile: Tile) -> bool | None:
        """Returns whether a matmul that is added to the tile accumulates; None if the adder cannot do it."""
        found: bool | None = None
        if self._is_all(tile, _ZERO):
            found = False
        elif self._is_all(tile, _SUM):
            found = True
        if found is not None:
            self._set(tile, _SUM)
        return found

    def overwritten(self, tile: Tile) -> None:
        """Notes that a matmul overwrites the tile."""
        self._set(tile, _SUM)

    def _write_zeros(self, calls: Calls, tile: Tile) -> None:
        """Writes the noted zeros in the tile's partitions: in all columns of its area that have nothing else,
        and where the tile reads them.
        """
        rows = slice(tile.partition, tile.partition + tile.partitions)
        states, size = self._all(tile.area)[rows], SIZES[tile.dtype]
        zeros = states == _ZERO
        zeros[:, ~zeros.all(axis=0) & ~self._columns(tile)] = False
        # sums in these columns too: Vector writes what lies between
        states[:, zeros.any(axis=0)] = _OTHER
        patterns, which = np.unique(zeros.astype(np.uint8), axis=1, return_inverse=True)
        for number, held in enumerate(patterns.T.astype(bool)):
            for first, end in _runs(which.reshape(-1) == number) if held.any() else ():
                axes = (((end - first) * _UNIT // size, 1),)
                part = Tile(tile.area, tile.partition, tile.partitions, first * _UNIT, tile.dtype, axes)
                calls.zero(part, None if held.all() else held)

    def _columns(self, tile: Tile) -> np.ndarray:
        """Returns a mask of the units of a partition that the tile reads."""
        marks = np.zeros(tile.area.size // _UNIT, np.uint8)
        size = SIZES[tile.dtype]
        shape, strides = [count for count, _ in tile.axes], [step * size // _UNIT for _, step in tile.axes]
        np.ndarray((*shape, size // _UNIT), np.uint8, marks, tile.byte // _UNIT, (*strides, 1))[...] = 1
        return marks.astype(bool)
