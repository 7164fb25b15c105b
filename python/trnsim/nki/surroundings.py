"""What a recording depends on besides shapes and types: code and values that a kernel reaches, in a form that compares and hashes."""

from __future__ import annotations

import functools
import hashlib
import sys
import types
from typing import Any, Hashable, Iterator

import numpy as np

from .tensor import Tensor

_ATOMS = (bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), type(...), range)
_CONTAINERS = (tuple, list, set, frozenset)
_OWN = ("trnsim", "neuronxcc", "numpy", "ml_dtypes")
_LIBRARY = frozenset(getattr(sys, "stdlib_module_names", sys.builtin_module_names)) | frozenset(_OWN)
_OF_EVERY_CLASS = ("__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__")


def _in_a_library(module: Any) -> bool:
    """Whether what a module defines stays as it is while a process runs."""
    return str(module).partition(".")[0] in _LIBRARY


class _Same:
    """An object that counts as itself, and lives as long as what it is part of."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> tuple[str, ...]:
    """Names of globals and attributes in a code and in those within it: comprehensions, lambdas, classes."""
    found = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.update(dict.fromkeys(_names(constant)))
    return tuple(found)


class _Description:
    def __init__(self) -> None:
        self._known: dict[int, int] = {}  # objects under way or done, by identity: their numbers

    def of(self, value: Any) -> Hashable:
        if isinstance(value, _ATOMS):
            return type(value), repr(value)
        if isinstance(value, Tensor):
            return Tensor  # an argument: described by its shape and type
        if id(value) in self._known:
            return "known", self._known[id(value)]
        self._known[id(value)] = len(self._known)
        return type(value).__name__, tuple(self._parts(value))

    def _parts(self, value: Any) -> Iterator[Hashable]:
        if isinstance(value, _CONTAINERS):
            parts = [self.of(part) for part in value]
            yield from sorted(parts, key=repr) if isinstance(value, (set, frozenset)) else parts
        elif isinstance(value, dict):
            for key, part in value.items():
                yield self.of(key), self.of(part)
        elif isinstance(value, np.ndarray) and value.dtype != object:
            yield value.dtype.str, value.shape, hashlib.sha1(np.ascontiguousarray(value).view(np.uint8)).digest()
        elif isinstance(value, types.MethodType):
            yield from (self.of(value.__func__), self.of(value.__self__))
        elif isinstance(value, functools.partial):
            yield from (self.of(value.func), self.of(value.args), self.of(value.keywords))
        elif isinstance(value, types.FunctionType) and not _in_a_library(value.__module__):
            yield from self._of_function(value)
        elif isinstance(value, type) and not _in_a_library(value.__module__):
            yield from (value.__qualname__, *(self.of(base) for base in value.__bases__))
            yield from ((name, self.of(part)) for name, part in vars(value).items() if name not in _OF_EVERY_CLASS)
        elif isinstance(value, (staticmethod, classmethod)):
            yield self.of(value.__func__)
        elif isinstance(value, property):
            yield from (self.of(part) for part in (value.fget, value.fset))
        elif isinstance(value, types.SimpleNamespace) or not _in_a_library(type(value).__module__):
            yield self.of(type(value))
            yield self.of(getattr(value, "__dict__", {}))
            for base in type(value).__mro__:
                for name in getattr(base, "__slots__", ()):
                    yield name, self.of(getattr(value, name, None))
        elif "__wrapped__" in getattr(value, "__dict__", {}):  # a kernel
            yield self.of(value.__wrapped__)
        else:
            yield _Same(value)

    def _of_function(self, function: types.FunctionType) -> Iterator[Hashable]:
        code, around = function.__code__, function.__globals__
        yield from (code, self.of(function.__defaults__), self.of(function.__kwdefaults__))
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                yield name, self.of(cell.cell_contents)
            except ValueError:  # a name that has no value yet
                yield name
        names = _names(code)
        for name in names:
            value = around.get(name)
            if not isinstance(value, types.ModuleType):
                yield name, self.of(value)
            elif not _in_a_library(value.__name__):
                yield from ((name, part, self.of(vars(value)[part])) for part in names if part in vars(value))


def description(*values: Any) -> Hashable:
    """Equal for values that a kernel cannot tell apart: of functions their code and what it names, of objects what they hold."""
    described = _Description()
    return tuple(described.of(value) for value in values)
