"""Least squares over whole numbers, by a search along one coordinate after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Point = tuple[int, ...]


@dataclass(frozen=True)
class Range:
    """The values that a coordinate may have; the search ends with steps below `finest`."""

    low: int
    high: int
    finest: int = 1


@dataclass(frozen=True)
class Found:
    """The best point of a search and its cost."""

    point: Point
    cost: float
    evaluations: int
    complete: bool  # or else the limit of evaluations ended it


class _Limit(Exception):
    pass


class _Search:
    def __init__(self, ranges: Sequence[Range], cost: Callable[[Point], float], limit: int) -> None:
        self._ranges, self._cost, self._limit = ranges, cost, limit
        self._known: dict[Point, float] = {}
        self.best: tuple[float, Point] = (float("inf"), ())

    @property
    def evaluations(self) -> int:
        return len(self._known)

    def better(self, point: Point) -> bool:
        """Returns whether a point costs less than the best so far, which it then is."""
        if point not in self._known:
            if len(self._known) >= self._limit:
                raise _Limit
            self._known[point] = self._cost(point)
        if self._known[point] >= self.best[0]:
            return False
        self.best = (self._known[point], point)
        return True

    def move(self, axis: int, step: int) -> bool:
        """Goes on along an axis while that is better; returns whether it was at all."""
        moved = False
        while True:
            point = self.best[1]
            value = min(max(point[axis] + step, self._ranges[axis].low), self._ranges[axis].high)
            if value == point[axis] or not self.better((*point[:axis], value, *point[axis + 1 :])):
                return moved
            moved = True


def minimise(start: Point, ranges: Sequence[Range], cost: Callable[[Point], float], limit: int) -> Found:
    """Returns the point with the least cost that the search finds from `start` on.

    Steps begin with an eighth of each range. When no step along any axis is better they are halved. `limit`
    bounds the evaluations of the cost.
    """
    search = _Search(ranges, cost, limit)
    steps = [max((r.high - r.low) // 8, r.finest) for r in ranges]
    complete = True
    try:
        search.better(start)
        while True:
            moved = [search.move(axis, step) or search.move(axis, -step) for axis, step in enumerate(steps)]
            if any(moved):
                continue
            if all(step == r.finest for step, r in zip(steps, ranges)):
                break
            steps = [max(step // 2, r.finest) for step, r in zip(steps, ranges)]
    except _Limit:
        complete = False
    value, point = search.best
    return Found(point, value, search.evaluations, complete)
