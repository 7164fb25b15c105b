"""Lives of areas: an area that is written anew as a whole begins a new life, which may lie elsewhere.

So a tile in a loop has as many buffers as fit, loads run ahead of the engines, and nobody waits for the readers of what was there before.
"""

from __future__ import annotations

from typing import Sequence

from .calls import Area, Call, Tile


class Life:
    """What an area holds from one write of all of it to the next."""

    __slots__ = ("area", "byte", "first", "last", "number")

    def __init__(self, area: Area, number: int) -> None:
        self.area, self.number = area, number
        self.first = self.last = 0  # calls, in the order in which they are issued
        self.byte = 0


class Lives:
    """The life that each tile of each call belongs to. Calls are in the kernel's order."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.all: list[Life] = []
        self._of: dict[tuple[int, str], Life] = {}
        current: dict[Area, Life] = {}
        for call in calls:
            read = {tile.area for _, tile in call.tiles(False)}
            for written in (False, True):
                for name, tile in call.tiles(written):
                    anew = written and tile.covers and not call.updates and tile.area not in read and tile.area.at is None
                    if anew or tile.area not in current:
                        current[tile.area] = Life(tile.area, len(self.all))
                        self.all.append(current[tile.area])
                    self._of[id(call), name] = current[tile.area]

    def of(self, call: Call, argument: str) -> Life:
        return self._of[id(call), argument]

    def order(self, calls: Sequence[Call]) -> None:
        """Notes when each life begins and ends if calls are issued in this order."""
        seen: set[int] = set()
        for at, call in enumerate(calls):
            for written in (False, True):
                for name, _ in call.tiles(written):
                    life = self.of(call, name)
                    life.last = at
                    if life.number not in seen:
                        seen.add(life.number)
                        life.first = at


def box(tile: Tile, size: int) -> tuple[int, int, int, int]:
    """Partitions and bytes that a tile touches, from the first to behind the last: first and end of both."""
    low = sum(min(0, (count - 1) * step) for count, step in tile.axes) * size
    high = sum(max(0, (count - 1) * step) for count, step in tile.axes) * size + size
    return tile.partition, tile.partition + tile.partitions, tile.byte + low, tile.byte + high
