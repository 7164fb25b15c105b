"""The code and values that a kernel reaches, in a form that compares and hashes.

A recording depends on them besides shapes and types.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import importlib.util
import sys
import types
import weakref
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .tensor import Tensor

_ATOMS = (bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), type(...), range)
_CONTAINERS = (tuple, list, set, frozenset)
_OWN = ("trnsim", "neuronxcc", "numpy", "ml_dtypes")
_LIBRARY = frozenset(getattr(sys, "stdlib_module_names", sys.builtin_module_names)) | frozenset(_OWN)
_OF_EVERY_CLASS = frozenset(
    (
        "__dict__",
        "__weakref__",
        "__doc__",
        "__module__",
        "__firstlineno__",
        "__static_attributes__",
        "__slotnames__",
        "_abc_impl",
    )
)


def in_a_library(module: Any) -> bool:
    """Returns whether the contents of a module stay the same while a process runs."""
    return str(module).partition(".")[0] in _LIBRARY


class _Same:
    """An object that is equal only to itself, and lives as long as the key that it is part of."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


#: Names by which a code reaches values that it does not name.
_BY_TEXT = frozenset(
    ("globals", "eval", "exec", "__import__", "import_module", "modules", "__globals__", "f_globals")
)
#: Names by which it reaches attributes of a module that it does not name.
_OF_MODULES = frozenset(("getattr", "vars", "__dict__"))


class _Import(NamedTuple):
    """An import statement in a code: the level of a relative one, the module, the names after `from`."""

    level: int
    module: str
    names: tuple[str, ...]


class _Reached(NamedTuple):
    """The names of globals and attributes in a code and in the codes within it: comprehensions, lambdas,
    classes; and their imports.
    """

    names: tuple[str, ...]
    imports: tuple[_Import, ...]

    @property
    def by_text(self) -> bool:
        return not _BY_TEXT.isdisjoint(self.names)

    @property
    def whole_modules(self) -> bool:
        return not _OF_MODULES.isdisjoint(self.names)


@functools.lru_cache(maxsize=4096)
def _reached(code: types.CodeType) -> _Reached:
    names, imports = dict.fromkeys(code.co_names), list(_imports(code))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = _reached(constant)
            names.update(dict.fromkeys(inner.names))
            imports += inner.imports
    return _Reached(tuple(names), tuple(dict.fromkeys(imports)))


def _imports(code: types.CodeType) -> Iterator[_Import]:
    steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
    for level, names, step in zip(steps, steps[1:], steps[2:]):
        if step.opname == "IMPORT_NAME":  # after the constants of its level and of its names
            yield _Import(level.argval, step.argval, tuple(names.argval or ()))


class _NotUnderstood(Exception):
    """An object with contents that cannot be determined."""


def _holds(value: Any) -> Any:
    """Returns what copies and pickles keep of an object: its constructor, its attributes and its elements."""
    try:
        made = (
            copyreg.dispatch_table[type(value)](value)
            if type(value) in copyreg.dispatch_table
            else value.__reduce_ex__(4)
        )
    except Exception as error:  # locks, generators, context variables, threads
        raise _NotUnderstood from error
    if isinstance(made, str):
        return _Same(value)  # the one object of a name
    return [list(part) if at in (3, 4) and part is not None else part for at, part in enumerate(made)]


class _Description:
    def __init__(self) -> None:
        # Objects by identity, with their numbers. The objects are kept, so that no other gets their identity.
        self._known: dict[int, tuple[int, Any]] = {}

    def of(self, value: Any) -> Hashable:
        if isinstance(value, _ATOMS) and in_a_library(type(value).__module__):
            return type(value), repr(value)
        if isinstance(value, Tensor):
            return Tensor  # an argument, described by its shape and type
        if isinstance(value, _Same):
            return value
        if id(value) in self._known:
            return "known", self._known[id(value)][0]
        self._known[id(value)] = len(self._known), value
        return type(value).__name__, tuple(self._parts(value))

    def _parts(self, value: Any) -> Iterator[Hashable]:
        own = not in_a_library(type(value).__module__)
        if own:
            yield self.of(type(value))
            yield from self._attributes(value)
        if isinstance(value, _CONTAINERS) and (own or type(value) in _CONTAINERS):
            parts = [self.of(part) for part in value]
            yield from sorted(parts, key=repr) if isinstance(value, (set, frozenset)) else parts
        elif isinstance(value, dict) and (own or type(value) is dict):
            for key, part in value.items():
                yield self.of(key), self.of(part)
        elif type(value) is np.ndarray and value.dtype != object:
            yield (
                value.dtype.str,
                value.shape,
                hashlib.sha1(np.ascontiguousarray(value).view(np.uint8).data).digest(),
            )
        elif isinstance(value, types.MethodType):
            yield from (self.of(value.__func__), self.of(value.__self__))
        elif isinstance(value, functools.partial):
            yield from (self.of(value.func), self.of(value.args), self.of(value.keywords))
        elif isinstance(value, types.FunctionType):
            yield from (
                self._of_a_library(value) if in_a_library(value.__module__) else self._of_function(value)
            )
        elif isinstance(value, type) and not in_a_library(value.__module__):
            yield from (value.__qualname__, *(self.of(base) for base in value.__bases__))
            yield from (
                (name, self.of(part)) for name, part in vars(value).items() if name not in _OF_EVERY_CLASS
            )
        elif isinstance(
            value, (type, types.ModuleType, types.ClassMethodDescriptorType, types.GetSetDescriptorType)
        ):
            yield _Same(value)
        elif isinstance(value, (staticmethod, classmethod)):
            yield self.of(value.__func__)
        elif isinstance(value, property):
            yield from (self.of(part) for part in (value.fget, value.fset))
        elif isinstance(value, functools.cached_property):
            yield self.of(value.func)
        elif isinstance(value, types.MappingProxyType):
            yield self.of(dict(value))
        elif isinstance(value, weakref.ref):
            yield self.of(value())
        elif not own and "__wrapped__" in getattr(value, "__dict__", {}):  # a kernel
            yield self.of(value.__wrapped__)
        else:
            yield self.of(_holds(value))

    def _attributes(self, value: Any) -> Iterator[Hashable]:
        yield self.of(getattr(value, "__dict__", None))
        for base in type(value).__mro__:
            for name, slot in vars(base).items():
                if isinstance(slot, types.MemberDescriptorType) and hasattr(value, name):
                    yield name, self.of(getattr(value, name))

    def _of_a_library(self, function: types.FunctionType) -> Iterator[Hashable]:
        """Describes an object of a module by itself, and one that a call has made by the arguments."""
        if function.__closure__ is None:
            yield _Same(function)
        else:
            yield from (function.__code__, *map(self.of, _cells(function)))

    def _of_function(self, function: types.FunctionType) -> Iterator[Hashable]:
        code, around = function.__code__, function.__globals__
        yield from (
            code,
            self.of(function.__defaults__),
            self.of(function.__kwdefaults__),
            self.of(vars(function)),
        )
        yield from zip(code.co_freevars, map(self.of, _cells(function)))
        reached = _reached(code)
        if reached.by_text:
            raise _NotUnderstood
        for name in reached.names:
            yield from self._of_name(name, around.get(name), reached)
        for statement in reached.imports:
            yield from self._of_import(statement, around, reached)

    def _of_import(self, statement: _Import, around: dict[str, Any], reached: _Reached) -> Iterator[Hashable]:
        """Describes what a code imports when it is executed; None is a module that nobody has imported."""
        name = "." * statement.level + statement.module
        if statement.level:
            try:
                name = importlib.util.resolve_name(name, around.get("__package__"))
            except ImportError:
                return  # it fails in the code too
        if in_a_library(name):
            return
        module = sys.modules.get(name)
        for part in statement.names:
            held = getattr(module, part, None) if module is not None else None
            value = sys.modules.get(f"{name}.{part}") if held is None else held
            yield from self._of_name(part, value, reached)
        if not statement.names:
            for part in (name.partition(".")[0], name):
                yield from self._of_name(part, sys.modules.get(part), reached)

    def _of_name(
        self, name: str, value: Any, reached: _Reached, within: tuple[Any, ...] = ()
    ) -> Iterator[Hashable]:
        """Describes a value that a code names; for a module the attributes that the code names. `within` is
        the modules that are being described.
        """
        if not isinstance(value, types.ModuleType):
            yield name, self.of(value)
        elif not in_a_library(value.__name__) and value not in within:
            parts = [part for part in vars(value) if part[:2] != "__"]
            for part in ("__getattr__", *(parts if reached.whole_modules else reached.names)):
                if part in vars(value):
                    yield name, tuple(self._of_name(part, vars(value)[part], reached, (*within, value)))


def _cells(function: types.FunctionType) -> Iterator[Any]:
    """Yields the values of names around a function; names without a value are left as cells."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            yield _Same(cell)


def description(*values: Any) -> Hashable | None:
    """Returns keys that are equal for values which a kernel cannot tell apart; None if that cannot be
    determined.

    Functions are compared by their code and the names in it, objects by their contents.
    """
    described = _Description()
    try:
        return tuple(described.of(value) for value in values)
    except _NotUnderstood:
        return None
