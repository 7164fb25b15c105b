"""The random generators of the Vector engine's lanes, as docs/stochastic-rounding.md defines them."""

from __future__ import annotations

import numpy as np

from ..limits import PARTITIONS

_WEYL = np.uint32(362437)


def _splitmix(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    state = state + np.uint64(0x9E3779B97F4A7C15)
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, z ^ (z >> np.uint64(31))


class Xorwow:
    """One generator for each lane."""

    def __init__(self, seed: int, stream: int) -> None:
        lanes = np.arange(PARTITIONS, dtype=np.uint64)
        state = np.uint64(stream << 48) ^ (lanes << np.uint64(32)) ^ np.uint64(seed & 0xFFFFFFFF)
        words = []
        with np.errstate(over="ignore"):
            for _ in range(3):
                state, out = _splitmix(state)
                words += [
                    (out & np.uint64(0xFFFFFFFF)).astype(np.uint32),
                    (out >> np.uint64(32)).astype(np.uint32),
                ]
        self._words = words

    def draw(self, first: int, lanes: int, count: int) -> np.ndarray:
        """Returns `count` draws of each of `lanes` lanes from lane `first` on: [lanes, count]."""
        part = slice(first, first + lanes)
        x, y, z, w, v, d = (word[part] for word in self._words)
        draws = np.empty((count, lanes), np.uint32)
        with np.errstate(over="ignore"):
            for row in draws:
                t = x ^ (x >> np.uint32(2))
                x, y, z, w = y, z, w, v
                v = (v ^ (v << np.uint32(4))) ^ (t ^ (t << np.uint32(1)))
                d = d + _WEYL
                np.add(d, v, out=row)
        for word, new in zip(self._words, (x, y, z, w, v, d)):
            word[part] = new
        return draws.T
