"""Loads that the chip makes although it has, or had, the same elements."""

from __future__ import annotations

from typing import Any

from neuronxcc.nki import language as nl

_MOST = 32  # times
_WIDE = 1024  # columns from which on there is no room for more of them
_STEP = 8  # columns


def load_again(source: Any, times: int = 1) -> Any:
    """Loads a part of a tensor that was loaded `times` times before, less than 32.

    trnsim's back end keeps what the same transfer would load again to the same place in a buffer. So each
    time has a place of its own in a wider buffer, or is two transfers that are cut elsewhere.
    """
    rows, columns = source.shape
    if times == 0:
        return nl.load(source)
    if columns < _WIDE:
        wide = nl.ndarray((nl.par_dim(rows), columns + _MOST), source.dtype, buffer=nl.sbuf)
        wide[:, nl.ds(times, columns)] = nl.load(source)
        return wide[:, nl.ds(times, columns)]
    tile = nl.ndarray((nl.par_dim(rows), columns), source.dtype, buffer=nl.sbuf)
    cut = columns // 2 - _STEP * times
    for first, last in ((0, cut), (cut, columns)):
        tile[:, nl.ds(first, last - first)] = nl.load(source[:, nl.ds(first, last - first)])
    return tile
