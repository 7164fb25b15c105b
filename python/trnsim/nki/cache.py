"""Recordings that are kept for further calls: as many as NKI_TRNSIM_CACHE says; the one whose last use is longest ago goes first."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .errors import NkiError

_VARIABLE = "NKI_TRNSIM_CACHE"
_DEFAULT = 64


def limit() -> int:
    """How many recordings are kept."""
    text = os.environ.get(_VARIABLE, str(_DEFAULT))
    if not text.isdecimal() or int(text) < 1:
        raise NkiError(
            "err_argument", f"{_VARIABLE} is {text!r}, expected how many recordings are kept, 1 or more"
        )
    return int(text)


class Cache:
    """Recordings by the signature of their call."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is kept under a key, or what `make` makes; others leave the cache and are closed where it is full. Under None nothing is
        kept."""
        most = limit()
        if key is None:
            return make()
        if key not in self._kept:
            self._kept[key] = make()
        self._kept.move_to_end(key)
        while len(self._kept) > most:
            self._kept.popitem(last=False)[1].close()
        return self._kept[key]

    def leave(self, recording: Any) -> None:
        """Closes a recording that is not kept."""
        if all(recording is not kept for kept in self._kept.values()):
            recording.close()

    def clear(self) -> None:
        """Closes all of them."""
        while self._kept:
            self._kept.popitem()[1].close()
