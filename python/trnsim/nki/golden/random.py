"""Random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import operations as ops
from ..tensor import Tensor
from . import access
from .state import VECTOR_STREAM
from .xorwow import Xorwow


def _draws(dst: Tensor, state: Any) -> np.ndarray:
    """Returns one draw for each element, from the first lanes on, in element order."""
    draws: np.ndarray = state.generators.draw(0, dst.partitions, dst.elements)
    return draws.reshape(dst.shape)


def _dropout(op: ops.Dropout, state: Any) -> None:
    share = np.asarray(access.fp32(op.probability)).astype(np.float64)
    threshold = np.floor(np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0) * 2.0**32)
    values = access.elements(op.src)
    dropped = _draws(op.dst, state) < threshold
    access.write(op, np.where(dropped, np.zeros((), values.dtype), values))


def _rng(op: ops.Rng, state: Any) -> None:
    draws = _draws(op.dst, state)
    access.write(
        op,
        (
            draws.astype(np.dtype(f"u{op.dst.itemsize}")).view(op.dst.dtype)
            if draws.flags.c_contiguous
            else np.ascontiguousarray(draws).astype(np.dtype(f"u{op.dst.itemsize}")).view(op.dst.dtype)
        ),
    )


def _rng_seed(op: ops.RngSeed, state: Any) -> None:
    seed = int(access.elements(op.seed).reshape(-1)[0]) if isinstance(op.seed, Tensor) else int(op.seed)
    state.generators = Xorwow(seed, VECTOR_STREAM)


HANDLERS = {ops.Dropout: _dropout, ops.Rng: _rng, ops.RngSeed: _rng_seed}
