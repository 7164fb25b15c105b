"""What PSUM holds while calls are chosen: zeros that need not be written, sums that a matmul may add to.

A kernel zeroes a tile in PSUM and adds matmuls to it. The hardware's adder takes only what a matmul has written, and the first matmul
overwrites. So zeros are kept in mind until somebody needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Optional

import numpy as np

from .calls import SIZES, Area, Tile

if TYPE_CHECKING:
    from .selection import Selection

_UNIT = 2  # bytes of the smallest element
_OTHER, _ZERO, _SUM = 0, 1, 2  # written by anybody, zeros not yet written, written by matmuls


def _runs(flags: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and end of each run of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist())


class Sums:
    def __init__(self) -> None:
        self._states: dict[Area, np.ndarray] = {}

    def _all(self, area: Area) -> np.ndarray:
        if area not in self._states:
            self._states[area] = np.zeros((area.partitions, area.size // _UNIT), np.uint8)
        return self._states[area]

    def _of(self, tile: Tile) -> np.ndarray:
        states, size = self._all(tile.area), SIZES[tile.dtype]
        shape, strides = [tile.partitions], [states.strides[0]]
        for count, step in tile.axes:
            shape.append(count)
            strides.append(step * size // _UNIT)
        return np.ndarray((*shape, size // _UNIT), np.uint8, states, tile.partition * states.strides[0] + tile.byte // _UNIT, (*strides, 1))

    def zero(self, selection: "Selection", tile: Tile) -> None:
        """The tile is zeroed."""
        self._of(tile)[...] = _ZERO

    def touched(self, selection: "Selection", tile: Tile, overwritten: bool) -> None:
        """An engine other than Tensor reads or writes the tile."""
        states = self._of(tile)
        if not overwritten and (states == _ZERO).any():
            self._write_zeros(selection, tile)
        if overwritten:
            states[...] = _OTHER

    def added_to(self, selection: "Selection", tile: Tile) -> Optional[bool]:
        """Whether a matmul that is added to the tile accumulates; None where the adder cannot do it."""
        states = self._of(tile)
        found: Optional[bool] = None
        if (states == _ZERO).all():
            found = False
        elif (states == _SUM).all():
            found = True
        if found is not None:
            states[...] = _SUM
        return found

    def overwritten(self, tile: Tile) -> None:
        """A matmul overwrites the tile."""
        self._of(tile)[...] = _SUM

    def _write_zeros(self, selection: "Selection", tile: Tile) -> None:
        """Zeros in the tile's partitions become real: in all columns of its area that have nothing else, and where the tile reads them."""
        rows = slice(tile.partition, tile.partition + tile.partitions)
        states, size = self._all(tile.area)[rows], SIZES[tile.dtype]
        zeros = states == _ZERO
        zeros[:, ~zeros.all(axis=0) & ~self._columns(tile)] = False
        states[:, zeros.any(axis=0)] = _OTHER  # sums beside them as well: Vector writes what is between
        patterns, which = np.unique(zeros.astype(np.uint8), axis=1, return_inverse=True)
        for number, held in enumerate(patterns.T.astype(bool)):
            for first, end in _runs(which.reshape(-1) == number) if held.any() else ():
                axes = (((end - first) * _UNIT // size, 1),)
                part = Tile(tile.area, tile.partition, tile.partitions, first * _UNIT, tile.dtype, axes)
                selection.zero(part, None if held.all() else held)

    def _columns(self, tile: Tile) -> np.ndarray:
        """Which units of a partition the tile reads."""
        marks = np.zeros(tile.area.size // _UNIT, np.uint8)
        size = SIZES[tile.dtype]
        shape, strides = [count for count, _ in tile.axes], [step * size // _UNIT for _, step in tile.axes]
        np.ndarray((*shape, size // _UNIT), np.uint8, marks, tile.byte // _UNIT, (*strides, 1))[...] = 1
        return marks.astype(bool)
