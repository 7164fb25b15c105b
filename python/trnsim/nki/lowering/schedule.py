"""The order in which calls are issued: that of the kernel, with calls brought forward to where their engine would stand.

Engines work in the order of their calls. A kernel's order has the Tensor engine wait for the exponential of a block before it begins
the next block; here the next block comes first. Calls keep their order where one needs what another writes, and where they share what
lies in an engine: weights, accumulators, random state, the shuffle mask.
"""

from __future__ import annotations

import bisect
import heapq
import math
from collections import defaultdict
from typing import Iterator, Optional, Sequence

from .calls import SIZES, Call, HbmTensor, Tile, View, engine_of
from .lives import Life, Lives, box

#: Calls ahead of the first one that has not been issued: of engines, and of loads, which need nothing but room.
_WINDOW, _LOADS_WINDOW = 96, 320
#: Share of a memory that calls brought forward may take.
_ROOM = 0.75

#: What lies in an engine from one call to the next, by method.
_STATE = {
    "act_read_accumulator": "scalar sums",
    "read_accumulator": "vector sums",
    "tensor_scalar_reduce": "vector sums",
    "select_reduce": "vector sums",
    "rng": "random",
    "dropout": "random",
    "set_rng_seed": "random",
    "load_shuffle_mask": "shuffle",
    "stream_shuffle": "shuffle",
}

# Cycles of the core clock: of an instruction before its first element, and of an element. Only their proportions matter.
_COST = {"tensor": (64, 1.0), "vector": (150, 2.5), "scalar": (440, 2.0), "gpsimd": (3000, 20.0)}
_TRANSFER = (5600, 1 / 77)  # a transfer's latency, and a byte's at the rate of all DMA engines
_TABLES = 3600  # loading the tables of another function
#: Functions that every set of tables has.
_EVERYWHERE = frozenset({"copy", "square", "relu", "abs", "sign", "prelu"})


def _elements(tile: Tile) -> int:
    return math.prod(count for count, _ in tile.axes)


class _Bundle:
    """Calls that are issued one after the other."""

    __slots__ = ("after", "before", "calls", "cost", "engine", "function", "latency", "lives", "number", "window")

    def __init__(self, number: int, calls: list[Call]) -> None:
        self.number, self.calls = number, calls
        self.engine = engine_of(calls[-1])
        self.window = _LOADS_WINDOW if calls[-1].method in ("load", "load_transposed") else _WINDOW
        function = calls[-1].arguments.get("function")
        self.function = None if function in _EVERYWHERE else function  # whose tables Scalar needs
        self.before = 0  # bundles that it needs and that have not been issued
        self.after: set[int] = set()
        self.lives: list[Life] = []
        self.cost, self.latency = self._times()

    def _times(self) -> tuple[float, float]:
        """Cycles in which its engine is busy, and until its results are there."""
        tiles = [tile for call in self.calls for written in (False, True) for _, tile in call.tiles(written)]
        most = max(map(_elements, tiles), default=1)
        if self.engine == "dma":
            busy = max(_elements(tile) * SIZES[tile.dtype] * tile.partitions for tile in tiles) * _TRANSFER[1]
            return busy, busy + _TRANSFER[0]
        start, each = _COST[self.engine]
        if self.engine == "tensor":
            passes = 4 if any(tile.dtype == "fp32" for call in self.calls for _, tile in call.tiles(False)) else 1
            return start + passes * each * most, start + passes * each * most + 190
        return start + each * most, start + each * most


def _bundles(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """A load of weights goes with its multiplication."""
    held: list[Call] = []
    for call in calls:
        held.append(call)
        if call.method != "load_stationary":
            yield held
            held = []
    if held:
        yield held


Box = tuple[int, ...]  # first and end of each dimension


class _Boxes:
    """Boxes with those whose they are, by where they lie in the last dimension: in cells of the power of 2 that is next to their width."""

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, dict[tuple[Box, int], None]]] = {}

    @staticmethod
    def _level(where: Box) -> int:
        return (where[-1] - where[-2] - 1).bit_length()

    @staticmethod
    def _cells(where: Box, level: int) -> range:
        return range(where[-2] >> level, ((where[-1] - 1) >> level) + 1)

    def add(self, where: Box, who: int) -> None:
        level = self._level(where)
        cells = self._levels.setdefault(level, {})
        for at in self._cells(where, level):
            cells.setdefault(at, {})[where, who] = None

    def remove(self, where: Box, who: int) -> None:
        level = self._level(where)
        cells = self._levels[level]
        for at in self._cells(where, level):
            cells[at].pop((where, who), None)

    def meeting(self, where: Box) -> list[tuple[Box, int]]:
        """Those that share a part with a box, some more than once."""
        found = []
        for level, cells in self._levels.items():
            near = self._cells(where, level)
            for at in near if len(near) <= len(cells) else [at for at in cells if at in near]:
                found += [entry for entry in cells.get(at, ()) if _meet(entry[0], where)]
        return found


def _meet(a: Box, b: Box) -> bool:
    for k in range(0, len(a), 2):
        if a[k] >= b[k + 1] or b[k] >= a[k + 1]:
            return False
    return True


def _inside(a: Box, b: Box) -> bool:
    return all(b[k] <= a[k] and a[k + 1] <= b[k + 1] for k in range(0, len(a), 2))


class _Accesses:
    """Who has read and written the parts of a place, for those that come later."""

    def __init__(self) -> None:
        self._writes, self._reads = _Boxes(), _Boxes()

    def read(self, where: Box, who: int) -> list[int]:
        self._reads.add(where, who)
        return [other for _, other in self._writes.meeting(where)]

    def write(self, where: Box, who: int) -> list[int]:
        found = []
        for boxes in (self._writes, self._reads):
            for place, other in boxes.meeting(where):
                found.append(other)
                if _inside(place, where):
                    boxes.remove(place, other)
        self._writes.add(where, who)
        return found


def _extent(view: View) -> tuple[int, int]:
    low = view.offset + sum(min(0, (count - 1) * step) for count, step in view.axes)
    high = view.offset + sum(max(0, (count - 1) * step) for count, step in view.axes) + 1
    return low, high


def _depend(bundles: Sequence[_Bundle], lives: Lives) -> None:
    """Which bundles need which others."""
    tiles: dict[int, _Accesses] = defaultdict(_Accesses)
    tensors: dict[HbmTensor, _Accesses] = defaultdict(_Accesses)
    states: dict[str, int] = {}
    for bundle in bundles:
        needs: set[int] = set()
        for call in bundle.calls:
            for written in (False, True):
                for name, tile in call.tiles(written):
                    life, where = lives.of(call, name), box(tile, SIZES[tile.dtype])
                    accesses = tiles[life.number]
                    if not written or call.updates:
                        needs.update(accesses.read(where, bundle.number))
                    if written:
                        needs.update(accesses.write(where, bundle.number))
                    bundle.lives.append(life)
            for name, value in call.arguments.items():
                if isinstance(value, View):
                    extent = _extent(value)
                    other = tensors[value.tensor]
                    needs.update(other.write(extent, bundle.number) if name in call.writes else other.read(extent, bundle.number))
            state = _STATE.get(call.method) or ("scalar sums" if "reduce" in call.arguments and call.method == "activation" else None)
            if state is not None:
                if state in states:
                    needs.add(states[state])
                states[state] = bundle.number
        needs.discard(bundle.number)
        bundle.before = len(needs)
        for other in needs:
            bundles[other].after.add(bundle.number)


class _Room:
    """Bytes a partition that lives under way take in each memory."""

    def __init__(self, bundles: Sequence[_Bundle], sizes: dict[str, int]) -> None:
        self._limits = {space: _ROOM * size for space, size in sizes.items()}
        self._used: dict[str, int] = defaultdict(int)
        self._left: dict[int, int] = defaultdict(int)  # uses to come, by life
        self._open: set[int] = set()
        for bundle in bundles:
            for life in bundle.lives:
                self._left[life.number] += 1

    def fits(self, bundle: _Bundle) -> bool:
        new: dict[str, int] = defaultdict(int)
        for life in {life.number: life for life in bundle.lives}.values():
            if life.number not in self._open:
                new[life.area.space] += life.area.size
        return all(self._used[space] + size <= self._limits[space] for space, size in new.items())

    def issue(self, bundle: _Bundle) -> None:
        for life in bundle.lives:
            if life.number not in self._open:
                self._open.add(life.number)
                self._used[life.area.space] += life.area.size
        for life in bundle.lives:
            self._left[life.number] -= 1
            if self._left[life.number] == 0:
                self._used[life.area.space] -= life.area.size


def schedule(calls: Sequence[Call], lives: Lives, sizes: dict[str, int]) -> list[Call]:
    """The calls in an order in which engines stand less. `sizes`: bytes of a partition in each memory."""
    bundles = [_Bundle(number, group) for number, group in enumerate(_bundles(calls))]
    _depend(bundles, lives)
    room = _Room(bundles, sizes)
    ready_at = [0.0] * len(bundles)
    free: dict[str, float] = defaultdict(float)  # by engine, when it is
    far: list[int] = [bundle.number for bundle in bundles if bundle.before == 0]  # ready, and perhaps too far ahead
    heapq.heapify(far)
    near: list[int] = []  # ready and within the window of loads, the oldest first
    issued = [False] * len(bundles)
    order: list[Call] = []
    function: Optional[str] = None  # whose tables Scalar has
    first = 0  # the first bundle that has not been issued
    while first < len(bundles):
        while far and far[0] < first + _LOADS_WINDOW:
            bisect.insort(near, heapq.heappop(far))
        best: Optional[tuple[float, int]] = None
        for number in near:
            bundle = bundles[number]
            if number != first and not (number < first + bundle.window and room.fits(bundle)):
                continue
            start = max(ready_at[number], free[bundle.engine])
            if bundle.function not in (None, function):
                start += _TABLES
            if best is None or (start, number) < best:
                best = (start, number)
        assert best is not None  # the first bundle is always ready
        start, number = best
        near.remove(number)
        bundle = bundles[number]
        function = bundle.function or function
        room.issue(bundle)
        free[bundle.engine] = start + bundle.cost
        issued[number] = True
        order += bundle.calls
        for other in bundle.after:
            bundles[other].before -= 1
            ready_at[other] = max(ready_at[other], start + bundle.latency)
            if bundles[other].before == 0:
                heapq.heappush(far, other)
        while first < len(bundles) and issued[first]:
            first += 1
    return order

