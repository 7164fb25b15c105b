"""Registers of the engines that keep their contents from one operation to the next."""

from __future__ import annotations

import numpy as np

from ..limits import PARTITIONS
from .xorwow import Xorwow

#: The sequence that `rng` and `dropout` draw from (docs/stochastic-rounding.md).
VECTOR_STREAM = 9


class State:
    def __init__(self) -> None:
        self.scalar_sums = np.zeros(PARTITIONS, np.float32)
        self.vector_maxima = np.zeros(PARTITIONS, np.float32)
        self.generators = Xorwow(0, VECTOR_STREAM)
