"""Calls of the kernel builder: its operands, at partitions where the engine can begin."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

import trnsim

from ..errors import NkiError
from ..limits import SBUF_BYTES
from .patterns import MAX_AXES, contiguous
from .psum import Sums
from .tiles import SIZES, Area, HbmTensor, Tile, View

#: Methods of the DMA engines, with the queues that they use.
TRANSFERS = {
    "load": "loads",
    "load_transposed": "loads",
    "gather": "loads",
    "store": "stores",
    "scatter": "stores",
}


class _Copy(NamedTuple):
    """dst = src at other partitions."""

    dst: Tile
    src: Tile


@functools.cache
def _shipped(name: str) -> Any:
    return trnsim.load_config(name)


def _configuration(config: Any) -> Any:
    """Reads a configuration. A shipped one is read once; another file may change."""
    return config if not isinstance(config, str) or "." in config or "/" in config else _shipped(config)


class Calls:
    """Issues calls, in the order of a kernel's operations."""

    def __init__(self, name: str, config: Any) -> None:
        self.kernel = trnsim.KernelBuilder(name, _configuration(config), steps=True)
        self.target = self.kernel.target
        self.tensors: dict[int, HbmTensor] = {}
        self.sums = Sums()
        self.place: tuple[str, int] = ("", 0)
        self.queues = {
            "loads": self.kernel.queue("loads", owner="sync"),
            "stores": self.kernel.queue("stores", owner="gpsimd"),
        }
        self.sizes = {
            "sbuf": min(SBUF_BYTES, self.target.sbuf_partition),
            "psum": self.target.psum_partition,
        }
        self._starts: dict[int, tuple[int, ...]] = {}

    def at(self, place: tuple[str, int]) -> None:
        """Sets the line of the kernel that the next calls come from."""
        if place != self.place:
            self.place = place
            self.kernel.place(*place)

    def call(
        self,
        method: str,
        *,
        writes: tuple[str, ...] = ("dst",),
        updates: bool = False,
        together: bool = False,
        **arguments: Any,
    ) -> None:
        """Calls a method of the builder.

        The tiles that `writes` names are written, all others are read; with `updates` the written ones are
        read as well. `together` is for a command of GpSimd; its cores reach only their own partitions.
        """
        tiles = [(name, value) for name, value in arguments.items() if type(value) is Tile]
        if method != "multiply_moving" and any(tile.area.space == "psum" for _, tile in tiles):
            for written in (False, True):  # zeros that are read come first
                for name, tile in tiles:
                    if tile.area.space == "psum" and (name in writes) == written:
                        self.sums.touched(self, tile, written and not updates)
        late: list[_Copy] = []
        if method not in TRANSFERS:
            for name, tile, moved in self._misplaced(
                method, tiles, writes, together or arguments.get("engine") == "gpsimd"
            ):
                arguments[name] = moved
                if name not in writes or updates:
                    self._move(_Copy(moved, tile))
                if name in writes:
                    late.append(_Copy(tile, moved))
        self.issue(method, arguments)
        for copy in late:
            self._move(copy)

    def issue(self, method: str, arguments: dict[str, Any]) -> None:
        try:
            made = {name: self._operand(value) for name, value in arguments.items()}
            queue = TRANSFERS.get(method)
            if queue is not None:
                made["queue"] = self.queues[queue]
            getattr(self.kernel, method)(**made)
        except trnsim.KernelError as error:
            raise self.refuse(f"{method}: {error.reason}") from None
        except IndexError as error:
            raise self.refuse(f"{method}: {error}") from None

    def _operand(self, value: Any) -> Any:
        if type(value) is Tile:
            area = value.area
            if area.placed:
                return self.kernel.tile(
                    area.space, value.partition, value.partitions, value.byte, value.dtype, value.axes
                )
            if area.buffer is None:
                area.buffer = self._buffer(area)
            return area.buffer.part(value.partition, value.partitions, value.byte, value.dtype, value.axes)
        if type(value) is View:
            return value.tensor.view.pattern(value.offset, value.axes)
        return value

    def _buffer(self, area: Area) -> Any:
        most = self.sizes[area.space]
        if area.size > most:
            text = (
                f"{area.size} bytes a partition in {area.space} are in use at once, expected at most {most}"
            )
            largest = f"{area.name or 'a tile'} of line {self.place[1]}: {area.size}"
            raise NkiError("err_allocation", f"{text}; the largest: {largest}", self.place)
        return self.kernel.buffer(area.space, area.partitions, area.size, area.name)

    def declare(self, identity: int, tensor: HbmTensor) -> None:
        self.tensors[identity] = tensor
        if tensor.view is None:
            tensor.view = self.kernel.tensor(tensor.name, tensor.kind, tensor.dtype, list(tensor.shape))

    # Partitions.

    def starts(self, partitions: int) -> tuple[int, ...]:
        """Returns the partitions at which an operand of Vector, Scalar and GpSimd may begin."""
        if partitions not in self._starts:
            self._starts[partitions] = tuple(self.target.start_partitions(partitions))
        return self._starts[partitions]

    def _misplaced(
        self, method: str, tiles: list[tuple[str, Tile]], writes: tuple[str, ...], together: bool
    ) -> list[tuple[str, Tile, Tile]]:
        """Returns the operands that begin where the engine cannot, with tiles for them at partition 0.

        Operands that have to be `together` get tiles where the result begins, if the other engines can move
        them there.
        """
        if together:
            result = next(tile for name, tile in tiles if name in writes)
            home = result.partition if result.partition in self.starts(result.partitions) else 0
            return [(name, tile, _packed(tile, home)) for name, tile in tiles if tile.partition != home]
        on_array = method in ("load_stationary", "multiply_moving")
        return [
            (name, tile, _packed(tile, 0))
            for name, tile in tiles
            if tile.partition != 0 and (on_array or tile.partition not in self.starts(tile.partitions))
        ]

    def readable(self, method: str, tile: Tile) -> Tile:
        """Returns an operand that a method reads, or a copy of it at partition 0 if it cannot begin there."""
        for _, _, moved in self._misplaced(method, [("operand", tile)], (), False):
            self._move(_Copy(moved, tile))
            return moved
        return tile

    def _move(self, copy: _Copy) -> None:
        """Copies by Vector if it can begin at both tiles, else through HBM."""
        if all(tile.partition in self.starts(tile.partitions) for tile in copy):
            self.issue("tensor_copy", {"dst": copy.dst, "source": copy.src, "engine": "vector"})
            return
        src = copy.src
        if len(src.axes) >= MAX_AXES:
            quadrant = self.target.partitions // 4
            raise self.refuse(
                f"a tile of {len(src.axes)} free dimensions at partition {src.partition}, expected one at "
                f"{quadrant} n"
            )
        counts = [src.partitions, *(count for count, _ in src.axes)]
        tensor = HbmTensor(
            self.unused(f"moved_{len(self.tensors)}"), "scratch", src.dtype, (math.prod(counts),)
        )
        self.declare(id(tensor), tensor)
        view = View(tensor, 0, contiguous(counts))
        self.issue("store", {"to": view, "source": src})
        self.issue("load", {"to": copy.dst, "source": view})

    # Methods that subclasses implement.

    def unused(self, name: str) -> str:
        """A name that no other tensor in HBM has."""
        raise NotImplementedError

    def zero(self, tile: Tile, held: np.ndarray | None) -> None:
        """Writes zeros to the partitions of a tile in PSUM that `held` names."""
        raise NotImplementedError

    def refuse(self, text: str) -> NkiError:
        return NkiError("err_not_available", text, place=self.place)


def _packed(tile: Tile, partition: int) -> Tile:
    """Returns a new tile for the elements of another, side by side."""
    elements = math.prod(count for count, _ in tile.axes)
    area = Area("sbuf", partition + tile.partitions, elements * SIZES[tile.dtype])
    return Tile(
        area, partition, tile.partitions, 0, tile.dtype, contiguous([count for count, _ in tile.axes])
    )
