"""Random numbers of the language."""

from __future__ import annotations

from typing import Any

from ..isa import elementwise
from ..operands import no_extras
from ..tensor import Tensor


def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None, **extras: Any) -> Tensor:
    """x, or 0 with the probability `rate`; the elements that stay are not scaled."""
    if isinstance(rate, Tensor) and rate.shape == (1, 1) and isinstance(x, Tensor):
        rate = rate.broadcast_to((x.partitions, 1))
    return elementwise.dropout(x, rate, dtype=dtype, mask=mask, **extras)


def random_seed(seed: Any, *, mask: Any = None, **extras: Any) -> None:
    """Seeds the random numbers."""
    no_extras("random_seed", extras)
    if mask is None or mask:
        elementwise.seed(seed)
