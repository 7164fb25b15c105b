"""Places in SBUF and PSUM for the lives of areas."""

from __future__ import annotations

import bisect
from typing import Sequence

from .. import limits
from ..errors import NkiError
from .calls import SIZES, Call
from .lives import Life, Lives, box

SPACES = {"sbuf": limits.SBUF_USABLE_BYTES, "psum": limits.PSUM_BANKS * limits.PSUM_BANK_BYTES}
_ALIGNMENT = 64


class Memory:
    """The bytes of a partition from `first` on, and until when each is taken."""

    def __init__(self, size: int, line: int = 0, first: int = 0) -> None:
        """`line`: multiples of it are not crossed; 0: none."""
        self._first, self._size, self._line = first, size, line
        self._taken: list[tuple[int, int, int]] = []  # byte, end, last call
        self._next = 0

    def first_fit(self, taken: Sequence[tuple[int, int]], size: int) -> int:
        """The lowest byte of `size` ones beside those taken, or -1."""
        return next((at for gap in self._gaps(taken) if (at := self._fits(gap, size, 0)) >= 0), -1)

    def _gaps(self, taken: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        gaps, at = [], self._first
        for first, end in taken:
            if first > at:
                gaps.append((at, first))
            at = max(at, end)
        if at < self._size:
            gaps.append((at, self._size))
        return gaps

    def _fits(self, gap: tuple[int, int], size: int, start: int) -> int:
        """The first byte at or after `start` in a gap, or -1."""
        at = -(-max(gap[0], start) // _ALIGNMENT) * _ALIGNMENT
        if self._line and at // self._line != (at + size - 1) // self._line:
            at = (at // self._line + 1) * self._line
        return at if at + size <= gap[1] else -1

    def place(self, life: Life) -> bool:
        """Gives a life the next bytes in turn, so that what was freed last is taken last."""
        self._taken = [t for t in self._taken if t[2] >= life.first]
        size, gaps = life.area.size, self._gaps([(first, end) for first, end, _ in self._taken])
        for start in (self._next, 0):
            for gap in gaps:
                at = self._fits(gap, size, start)
                if at >= 0:
                    bisect.insort(self._taken, (at, at + size, life.last))
                    self._next = (at // self._line + 1) * self._line if self._line else at + size
                    life.byte = at
                    return True
        return False


def _place_by_size(lives: Sequence[Life], memory: Memory) -> bool:
    """Gives the largest lives the lowest bytes that nobody has at the same time; where it is close this needs less than turns do."""
    placed: list[Life] = []
    for life in sorted(lives, key=lambda x: (-x.area.size, x.first)):
        beside = sorted((x.byte, x.byte + x.area.size) for x in placed if x.first <= life.last and life.first <= x.last)
        at = memory.first_fit(beside, life.area.size)
        if at < 0:
            return False
        life.byte = at
        placed.append(life)
    return True


def _refusal(life: Life, lives: Sequence[Life], calls: Sequence[Call]) -> NkiError:
    memory = life.area.space
    here = sorted((x for x in lives if x.first <= life.first <= x.last and x.area.space == memory), key=lambda x: -x.area.size)
    total = sum(x.area.size for x in here)
    largest = ", ".join(f"{x.area.name or 'a tile'} of line {calls[x.first].place[1]}: {x.area.size}" for x in here[:6])
    expected = f"at most {SPACES[memory]}" if total > SPACES[memory] else f"pieces that fit into {SPACES[memory]} without a move"
    text = f"{total} bytes a partition in {memory} are in use at once, expected {expected}; the largest: {largest}"
    return NkiError("err_allocation", text, calls[life.first].place)


def _end_of_placed(calls: Sequence[Call], space: str) -> int:
    """The end of all that the kernel has placed itself."""
    end = 0
    for call in calls:
        for written in (False, True):
            for _, tile in call.tiles(written):
                if tile.area.space == space and tile.area.at is not None:
                    end = max(end, box(tile, SIZES[tile.dtype])[3])
    return end


def allocate(calls: Sequence[Call], lives: Lives) -> None:
    """Places for all lives, for calls in the order in which they are issued.

    Raises err_allocation with what is in use where they do not fit. What the kernel has placed stays there, and the lowering's own
    tiles lie above it.
    """
    lives.order(calls)
    memories = {
        "sbuf": Memory(SPACES["sbuf"], first=_end_of_placed(calls, "sbuf")),
        "psum": Memory(SPACES["psum"], limits.PSUM_BANK_BYTES, _end_of_placed(calls, "psum")),
    }
    for life in lives.all:
        if life.area.at is not None:
            life.byte = life.area.at
    for space, memory in memories.items():
        own = sorted((x for x in lives.all if x.area.space == space and x.area.at is None), key=lambda x: x.first)
        stuck = next((life for life in own if not memory.place(life)), None)
        if stuck is not None and not _place_by_size(own, memory):
            raise _refusal(stuck, lives.all, calls)
