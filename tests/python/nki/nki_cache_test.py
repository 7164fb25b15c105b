"""The cache of recordings."""

import pytest

from trnsim import nki
from trnsim.nki.cache import Cache


class Made:
    def __init__(self, name, closed):
        self.name, self._closed = name, closed

    def close(self):
        self._closed.append(self.name)


def test_the_one_used_least_recently_goes_first(monkeypatch):
    monkeypatch.setenv("NKI_TRNSIM_CACHE", "2")
    cache, closed = Cache(), []
    for name in "abacabd":
        assert cache.get(name, lambda: Made(name, closed)).name == name
        assert len(cache) <= 2
    assert closed == ["b", "c", "a"]
    monkeypatch.setenv("NKI_TRNSIM_CACHE", "1")
    cache.get("d", lambda: Made("d", closed))
    assert closed == ["b", "c", "a", "b"] and len(cache) == 1
    cache.clear()
    assert closed[-1] == "d" and len(cache) == 0


def test_without_the_variable_many_are_kept(monkeypatch):
    monkeypatch.delenv("NKI_TRNSIM_CACHE", raising=False)
    cache, closed = Cache(), []
    for number in range(64):
        cache.get(number, lambda: Made(number, closed))
    assert not closed
    cache.get(64, lambda: Made(64, closed))
    assert closed == [0]


@pytest.mark.parametrize("text", ["0", "-1", "many", "", "1.5"])
def test_other_values_are_refused(monkeypatch, text):
    monkeypatch.setenv("NKI_TRNSIM_CACHE", text)
    with pytest.raises(
        nki.NkiError, match=f"NKI_TRNSIM_CACHE is '{text}', expected how many recordings are kept, 1 or more"
    ):
        Cache().get(1, lambda: None)


def test_without_a_key_nothing_is_kept():
    cache, closed = Cache(), []
    kept, other = cache.get("a", lambda: Made("a", closed)), cache.get(None, lambda: Made("other", closed))
    assert len(cache) == 1 and cache.get(None, lambda: Made("third", closed)) is not other
    cache.leave(kept)
    cache.leave(other)
    assert closed == ["other"]
