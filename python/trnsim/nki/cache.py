"""A cache of recordings for further calls: it keeps NKI_TRNSIM_CACHE of them and drops the least recently
used.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from .errors import NkiError

_VARIABLE = "NKI_TRNSIM_CACHE"
_DEFAULT = 64


def limit() -> int:
    """Returns the number of recordings that are kept."""
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
        """Returns the recording under a key, or the one that `make` makes.

        If the cache is full, the least recently used recording is closed. Nothing is kept under None.
        """
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
