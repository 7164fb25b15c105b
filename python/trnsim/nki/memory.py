"""Tensors in memories as kernels ask for them: checks, bytes and places."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import context, limits
from .buffers import Buffer, ParDim, sizes
from .errors import NkiError
from .loops import traced_loop
from .storage import Bytes, Storage, contiguous_strides

#: The longest name of a tensor in bytes, as packages have it, less the bytes that number it.
_NAME_BYTES = 200


def printable(name: str) -> str:
    """Returns a name as packages and messages have it: one line of limited length."""
    line = "".join("_" if unicodedata.category(letter) == "Cc" else letter for letter in name)
    return line.encode(errors="replace")[:_NAME_BYTES].decode(errors="ignore")


def split(shape: Sequence[int], space: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns block dimensions and those of a tile."""
    marks = [axis for axis, size in enumerate(shape) if isinstance(size, ParDim)]
    if len(marks) > 1:
        raise NkiError("err_shape", f"{len(marks)} par_dim in {tuple(map(int, shape))}, expected one")
    found = tuple(map(int, sizes(shape, "a tensor")))
    if any(size < 1 for size in found):
        raise NkiError("err_shape", f"shape {found}, expected sizes of 1 or more")
    first = marks[0] if marks and space != "hbm" else 0
    return found[:first], found[first:]


def check_tile(shape: tuple[int, ...], space: str, dtype: np.dtype, what: str) -> None:
    """Refuses a shape that a tile in SBUF or PSUM may not have."""
    if len(shape) < 2:
        raise NkiError(
            "err_shape",
            f"{what} of shape {shape} in {space}, expected at least 2 dimensions: partitions and elements",
        )
    if shape[0] > limits.PARTITIONS:
        raise NkiError(
            "err_num_partition_exceed_arch_limit",
            f"{what} has {shape[0]} partitions, expected at most {limits.PARTITIONS}",
        )
    size = math.prod(shape[1:]) * dtype.itemsize
    most = limits.PSUM_BANK_BYTES if space == "psum" else limits.SBUF_BYTES
    if size > most:
        raise NkiError(
            "err_size_of_dimension_exceed_arch_limit",
            f"{what} has {size} bytes a partition in {space}, expected at most {most}",
        )


def tile_storage(shape: tuple[int, ...], space: str, dtype: np.dtype, *, filled: bool) -> Storage:
    """Makes a tile somewhere in a memory for an instruction; `filled` if it writes only a part."""
    return Storage(Bytes(math.prod(shape) * dtype.itemsize, filled=filled), space, dtype, shape)


def create(shape: Sequence[int], dtype: np.dtype, buffer: Buffer, name: str) -> Storage:
    """Makes a tensor as the kernel asks for it, not initialized."""
    here = context.current()
    if name and (not isinstance(name, str) or name != printable(name)):
        raise NkiError(
            "err_argument", f"name {name!r:.40} of a tensor, expected at most {_NAME_BYTES} bytes on one line"
        )
    blocks, tile = split(shape, buffer.space)
    if buffer.space != "hbm":
        # a load from one dimension has this shape too: an element a partition
        tile = tile if len(tile) > 1 else (*tile, 1)
        check_tile(tile, buffer.space, dtype, f"tensor {name}" if name else "a tensor")
        direct = buffer.place is not None and not here.automatic_allocation
        if here.direct not in (None, direct) and not here.stack_allocator:
            raise NkiError(
                "err_allocation",
                "tensors that the kernel places and tensors that it does not, expected one of the two in a "
                "kernel",
            )
        here.direct = direct and not here.stack_allocator
        if direct:
            return _placed(blocks, tile, dtype, buffer, name)
    count, size = math.prod(blocks), math.prod(tile) * dtype.itemsize
    if buffer.shared:
        return _shared(here, tile, dtype, name)
    held = Bytes(count * size, filled=True)
    storage = Storage(
        held, buffer.space, dtype, tile, blocks=blocks, offsets=range(0, count * size, size), name=name
    )
    storage.boxes = set() if buffer.space == "psum" else None
    return storage


def _shared(here: context.Context, shape: tuple[int, ...], dtype: np.dtype, name: str) -> Storage:
    """Returns the k-th tensor in shared HBM, which is the same in all programs of a launch."""
    if here.loops:
        raise NkiError(
            "err_shared_hbm_must_in_kernel_level",
            "a shared_hbm tensor is created in a loop, expected at the top level of the kernel",
        )
    number = here.shared_count
    here.shared_count += 1
    if number == len(here.shared):
        held = Bytes(math.prod(shape) * dtype.itemsize, filled=True)
        here.shared.append(Storage(held, "hbm", dtype, shape, name=name, shared=True))
    found: Storage = here.shared[number]
    if (found.shape, found.dtype) != (shape, dtype):
        raise NkiError(
            "err_shape",
            f"shared_hbm tensor {number} is {shape} of {dtype} in this program, expected {found.shape} of "
            f"{found.dtype} as in those before",
        )
    return found


def _placed(
    blocks: tuple[int, ...], tile: tuple[int, ...], dtype: np.dtype, buffer: Buffer, name: str
) -> Storage:
    """Makes a tensor with blocks where the kernel says, in the bytes of the whole memory."""
    height, size = tile[0], math.prod(tile[1:]) * dtype.itemsize
    pitch = limits.SBUF_BYTES if buffer.space == "sbuf" else limits.PSUM_BANKS * limits.PSUM_BANK_BYTES
    places, offsets = [], []
    place_of = buffer.place
    assert place_of is not None
    loop = traced_loop()
    of_first = {} if loop is None else loop.first({})
    for index in itertools.product(*map(range, blocks)):
        place = of_first.setdefault(index, place_of(index, height, size))
        partition, byte = _checked_place(buffer.space, place, height, size, dtype.itemsize)
        places.append(tuple(map(int, place)))
        offsets.append(partition * pitch + byte)
    memories = context.current().memories
    if buffer.space not in memories:
        memories[buffer.space] = Bytes(limits.PARTITIONS * pitch, filled=True)
    held = memories[buffer.space]
    strides = (pitch, *contiguous_strides(tile[1:], dtype.itemsize))
    storage = Storage(
        held, buffer.space, dtype, tile, blocks=blocks, offsets=tuple(offsets), strides=strides, name=name
    )
    storage.places, storage.placed = places, True
    storage.boxes = set() if buffer.space == "psum" else None
    storage.geometry = (pitch, held.size)
    return storage


def _checked_place(space: str, place: Any, height: int, size: int, itemsize: int) -> tuple[int, int]:
    """Returns partition and byte within a partition of a block. Raises NkiError if the memory does not have
    them.
    """

    def refuse(what: str, found: Any, expected: str) -> None:
        raise NkiError(
            "err_allocation",
            f"{what} {found} of a tile of {height} partitions and {size} bytes in {space}, expected "
            f"{expected}",
        )

    known = isinstance(place, (tuple, list)) and all(isinstance(x, (int, np.integer)) for x in place)
    if not known or len(place) != (2 if space == "sbuf" else 3):
        refuse(
            "place", place, "(start partition, byte)" if space == "sbuf" else "(bank, start partition, byte)"
        )
    partition, byte = place[-2:]
    if partition not in limits.start_partitions(height):
        refuse("start partition", partition, " or ".join(map(str, limits.start_partitions(height))))
    if space == "sbuf":
        if not 0 <= byte <= limits.SBUF_BYTES - size or byte % itemsize:
            refuse("byte", byte, f"0 to {limits.SBUF_BYTES - size}, a multiple of {itemsize}")
        return partition, byte
    bank = place[0]
    if not 0 <= bank < limits.PSUM_BANKS:
        refuse("bank", bank, f"0 to {limits.PSUM_BANKS - 1}")
    if partition != 0 or byte != 0:
        refuse("start partition and byte", (partition, byte), "(0, 0)")
    return partition, bank * limits.PSUM_BANK_BYTES


def of_array(array: np.ndarray, name: str, *, mutable: bool) -> Storage:
    """Makes a tensor in HBM of an array of the host, in the array's place; the array is contiguous."""
    held = Bytes(array.nbytes, filled=False, array=array.reshape(-1).view(np.uint8))
    return Storage(held, "hbm", array.dtype, array.shape, name=name, mutable=mutable)
