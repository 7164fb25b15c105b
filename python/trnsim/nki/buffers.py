"""Memories in which kernels create tensors, and the kernel's own placements in them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import NkiError


def sizes(shape: Any, what: str) -> tuple[int, ...]:
    """Returns the sizes of a shape as integers; par_dim is kept."""
    if isinstance(shape, str) or not isinstance(shape, Iterable):
        raise NkiError("err_shape", f"shape {shape!r} of {what}, expected sizes")
    for size in shape:
        if not isinstance(size, (int, np.integer, float, np.floating)) or not float(size).is_integer():
            raise NkiError("err_shape", f"size {size!r} of {what}, expected integers")
    return tuple(size if isinstance(size, ParDim) else int(size) for size in shape)


class ParDim(int):
    """nl.par_dim(n) is the partition dimension of a tensor; dimensions before it are blocks."""

    def __new__(cls, size: Any) -> ParDim:
        return super().__new__(cls, *sizes((size,), "par_dim"))


@dataclass(frozen=True)
class Buffer:
    """A memory in which a tensor is created. `place` gives the address of each block, if the kernel gives
    one.
    """

    space: str  # hbm, sbuf, psum
    shared: bool = False
    place: Callable[[tuple[int, ...], int, int], tuple[int, ...]] | None = None

    def __repr__(self) -> str:
        return self.space


def _modulo(name: str, index: tuple[int, ...], counts: Sequence[int]) -> int:
    """Row-major number of a block among `counts` physical tiles."""
    counts = tuple(counts) or (1,) * len(index)
    if not all(isinstance(count, (int, np.integer)) and count >= 1 for count in counts):
        raise NkiError("err_allocation", f"{name} {counts}, expected integers of 1 or more")
    if not index:
        return 0  # one tile, however many places there are
    if len(counts) != len(index):
        raise NkiError(
            "err_allocation", f"{name} {counts} for {len(index)} block dimensions, expected as many"
        )
    number = 0
    for i, count in zip(index, counts):
        number = number * count + i % count
    return number


def _placement(func: Callable[..., Any]) -> Callable[..., Any]:
    """Calls `func` with the names of the reference where it has them; functools.partial may have bound its
    first parameters.
    """
    if not callable(func):
        raise NkiError(
            "err_allocation",
            f"alloc({func!r}), expected a function of a block's index, partitions and bytes that gives its "
            "place",
        )
    try:
        inspect.signature(func).bind(idx=(), pdim_size=0, fdim_size=0)
    except TypeError:
        return func
    return lambda index, partitions, size: func(idx=index, pdim_size=partitions, fdim_size=size)


class SbufBuffer(Buffer):
    """nl.sbuf and ncc.sbuf."""

    def __init__(self) -> None:
        super().__init__("sbuf")

    def auto_alloc(self) -> Buffer:
        return self

    def alloc(self, func: Callable[..., tuple[int, int]]) -> Buffer:
        """Places blocks by `func(block, partitions, bytes)`, which gives (start partition, byte) of each."""
        return Buffer("sbuf", place=_placement(func))

    def mod_alloc(
        self,
        *,
        base_addr: int,
        base_partition: int = 0,
        num_par_tiles: Sequence[int] = (),
        num_free_tiles: Sequence[int] = (),
    ) -> Buffer:
        """Cycles blocks through `num_free_tiles` places from byte base_addr, and through `num_par_tiles` of
        partitions.
        """
        if base_partition != 0:
            raise NkiError("err_allocation", f"base_partition {base_partition}, expected 0")

        def place(index: tuple[int, ...], partitions: int, size: int) -> tuple[int, int]:
            return (
                _modulo("num_par_tiles", index, num_par_tiles) * partitions,
                base_addr + _modulo("num_free_tiles", index, num_free_tiles) * size,
            )

        return Buffer("sbuf", place=place)


class PsumBuffer(Buffer):
    """nl.psum and ncc.psum."""

    def __init__(self) -> None:
        super().__init__("psum")

    def auto_alloc(self) -> Buffer:
        return self

    def alloc(self, func: Callable[..., tuple[int, int, int]]) -> Buffer:
        """Places blocks by `func(block, partitions, bytes)`, which gives (bank, start partition, byte) of
        each.
        """
        return Buffer("psum", place=_placement(func))

    def mod_alloc(
        self,
        *,
        base_bank: int,
        base_addr: int = 0,
        base_partition: int = 0,
        num_bank_tiles: Sequence[int] = (),
        num_par_tiles: Sequence[int] = (),
        num_free_tiles: Sequence[int] = (),
    ) -> Buffer:
        """Cycles blocks through `num_bank_tiles` banks from base_bank."""
        for name, found in (("base_addr", base_addr), ("base_partition", base_partition)):
            if found != 0:
                raise NkiError("err_allocation", f"{name} {found}, expected 0")
        for name, counts in (("num_par_tiles", num_par_tiles), ("num_free_tiles", num_free_tiles)):
            if any(count != 1 for count in counts):
                raise NkiError("err_allocation", f"{name} {tuple(counts)}, expected () or ones")

        def place(index: tuple[int, ...], partitions: int, size: int) -> tuple[int, int, int]:
            return base_bank + _modulo("num_bank_tiles", index, num_bank_tiles), 0, 0

        return Buffer("psum", place=place)


sbuf, psum = SbufBuffer(), PsumBuffer()
hbm = private_hbm = Buffer("hbm")
shared_hbm = Buffer("hbm", shared=True)
