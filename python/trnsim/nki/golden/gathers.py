"""Gathers and shuffles on the chip."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import operations as ops
from ..errors import NkiError
from ..limits import GATHER_PARTITIONS, QUADRANT
from . import access

_KEPT = 255


def _stream_shuffle(op: ops.StreamShuffle, _: Any) -> None:
    values = access.elements(op.src).reshape(op.src.partitions, -1)
    rows = np.arange(op.dst.partitions)
    sources = np.array(op.sources)[rows % QUADRANT]
    moved = sources != _KEPT
    taken = values[np.where(moved, rows - rows % QUADRANT + sources, 0)].reshape(op.dst.shape)
    held = moved.reshape((-1,) + (1,) * (op.dst.ndim - 1))
    access.store(op.dst, taken, np.broadcast_to(held if op.where is None else held & op.where, op.dst.shape))


def _taken(op: Any, values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Returns the elements of each partition at the indices of its row."""
    wrong = np.argwhere((index < 0) | (index >= values.shape[1]))
    if len(wrong):
        row = int(wrong[0][0])
        raise NkiError(
            "err_tensor_access_out_of_bound",
            f"{op.src.describe()}: access out of bounds, index {index[tuple(wrong[0])]} of partition {row}, "
            f"expected 0 to {values.shape[1] - 1}",
        )
    return np.take_along_axis(values, index, axis=1)


def _local_gather(op: ops.LocalGather, _: Any) -> None:
    partitions, run = op.src.partitions, op.run
    values = access.elements(op.src).reshape(partitions, -1)
    index = access.elements(op.index).reshape(partitions, -1).astype(np.int64)
    cores = partitions // GATHER_PARTITIONS
    count = op.dst.elements // run
    flat = index.reshape(cores, GATHER_PARTITIONS, -1).transpose(0, 2, 1).reshape(cores, -1)[:, :count]
    columns = (flat[:, :, None] + np.arange(run)).reshape(cores, -1)
    access.write(op, _taken(op, values, np.repeat(columns, GATHER_PARTITIONS, axis=0)))


def _gather_flattened(op: ops.GatherFlattened, _: Any) -> None:
    values = access.elements(op.src).reshape(op.src.partitions, -1)
    index = access.elements(op.index).reshape(op.index.partitions, -1).astype(np.int64)
    access.write(op, _taken(op, values, index))


def _sequence_bounds(op: ops.SequenceBounds, _: Any) -> None:
    ids = access.elements(op.src).reshape(-1)
    size = ids.size
    edges = np.flatnonzero(np.concatenate([[True], ids[1:] != ids[:-1]]))
    runs = np.cumsum(np.concatenate([[0], (ids[1:] != ids[:-1]).astype(np.int64)]))
    ends = np.append(edges[1:], size)
    padding = ids == 0
    access.write(
        op,
        np.stack([np.where(padding, size, edges[runs]), np.where(padding, -1, ends[runs])])[None].astype(
            np.float32
        ),
    )


HANDLERS = {
    ops.StreamShuffle: _stream_shuffle,
    ops.LocalGather: _local_gather,
    ops.GatherFlattened: _gather_flattened,
    ops.SequenceBounds: _sequence_bounds,
}
