"""The code and values that recordings depend on, besides shapes and types."""

import abc
import array
import collections
import contextvars
import ctypes
import dataclasses
import enum
import fractions
import functools
import random
import re
import sys
import threading
import types
import typing

import numpy as np
import pytest

import trnsim.nki.language as nl
from trnsim import nki
from trnsim.nki import surroundings
from trnsim.nki.surroundings import description


def module_of(**values):
    """Makes a module of its own, with functions that use its contents."""
    source = """
def comprehension(x): return [x * factor for _ in range(1)]
def inner(x): return (lambda t: t * factor)(x)
def calls(x): return helper(x)
def takes(x, by=factor): return x * by
def attribute(x): return x * held.factor
def element(x): return x * several[0]["factor"]
def operator(x): return op(x, x)
def method(x): return held.scaled(x)
class Scaled:
    def __init__(self, factor): self.factor = factor
    def scaled(self, x): return x * self.factor * factor
"""
    module = types.ModuleType("kernels_of_a_user")
    vars(module).update(
        factor=2, helper=lambda x: x, held=types.SimpleNamespace(factor=2), several=[{"factor": 2}], op=nl.add
    )
    vars(module).update(values)
    exec(compile(source, "kernels_of_a_user.py", "exec"), vars(module))
    return module


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("comprehension", {"factor": 3}),
        ("inner", {"factor": 3}),
        ("takes", {"factor": 3}),
        ("calls", {"helper": lambda x: x + 1}),
        ("attribute", {"held": types.SimpleNamespace(factor=3)}),
        ("element", {"several": [{"factor": 3}]}),
        ("operator", {"op": nl.multiply}),
        ("attribute", {"held": nl}),
    ],
)
def test_values_that_a_function_reaches_count(name, change):
    first, same, other = (getattr(module_of(**values), name) for values in ({}, {}, change))
    assert description(first) == description(same) and hash(description(first)) == hash(description(same))
    assert description(first) != description(other)


def test_objects_count_by_what_they_hold():
    module = module_of()
    scaled = module.Scaled(2)
    before = description(scaled)
    assert before == description(module.Scaled(2)) and before != description(module.Scaled(3))
    scaled.factor = 3
    assert before != description(scaled)
    scaled.factor, module.factor = 2, 4  # which its method reads
    assert before != description(scaled)


def test_a_representation_is_no_value():
    @dataclasses.dataclass
    class Hidden:
        factor: int = dataclasses.field(repr=False)

    class Slotted:
        __slots__ = ("factor",)

        def __init__(self, factor):
            self.factor = factor

    for made in (
        Hidden,
        Slotted,
        lambda factor: functools.partial(max, factor),
        lambda factor: lambda x: x * factor,
    ):
        assert description(made(2)) == description(made(2))
        assert description(made(2)) != description(made(3))


def test_arrays_and_containers():
    a = np.arange(6.0)
    assert description(a) == description(a.copy()) != description(a + 1)
    assert description(a) != description(a.reshape(2, 3)) and description(a) != description(
        a.astype(np.float32)
    )
    assert description({1, 2}) == description({2, 1}) and description([1, 2]) != description((1, 2))
    assert description(1) != description(True) and description(1.0) != description(1)
    ring = [1]
    ring.append(ring)
    other = [1]
    other.append(other)
    assert description(ring) == description(other)


def test_methods_and_kernels_count_by_their_functions():
    def body(factor):
        def kernel(x):
            return x * factor

        return nki.jit(kernel)

    assert description(body(2)) == description(body(2)) != description(body(3))
    module = module_of()
    assert description(module.Scaled(2).scaled) != description(module.Scaled(3).scaled)


class Number(float):
    """One with attributes."""


class Several(list):
    """One with attributes."""


def number(by):
    made = Number(2.0)
    made.by = by
    return made


def several(by):
    made = Several([1])
    made.by = by
    return made


def function(by):
    def made(x):
        return x

    made.by = by
    return made


@pytest.mark.parametrize(
    "made",
    [
        lambda by: collections.deque([by]),
        lambda by: collections.deque([1, 2], maxlen=by),
        lambda by: collections.UserDict(by=by),
        lambda by: collections.ChainMap({}, {"by": by}),
        lambda by: collections.defaultdict(int, by=by),
        lambda by: array.array("f", [by]),
        lambda by: bytearray([by]),
        lambda by: ctypes.c_float(by),
        lambda by: (ctypes.c_int * 2)(by),
        lambda by: np.array([by, None]),
        lambda by: np.ma.masked_array([1, 2], mask=[by == 2, True]),
        lambda by: random.Random(by),
        lambda by: fractions.Fraction(by),
        lambda by: re.compile(str(by)),
        lambda by: types.SimpleNamespace(by=by),
        number,
        several,
        function,
    ],
)
def test_what_objects_of_libraries_hold_counts(made):
    assert description(made(2)) is not None
    assert description(made(2)) == description(made(2)) != description(made(3))


def test_objects_that_nobody_can_look_into():
    def numbers():
        yield 1

    for value in (
        contextvars.ContextVar("by", default=1),
        threading.local(),
        threading.Lock(),
        numbers(),
        memoryview(b"1"),
        [[numbers()]],
    ):
        assert description(value) is None
        assert description(lambda: value) is None


def test_objects_of_extensions(monkeypatch):
    """Objects of a class that is not written in Python, and is of no known library, hold more than
    attributes.
    """
    monkeypatch.setattr(surroundings, "_LIBRARY", surroundings._LIBRARY - {"collections", "_thread"})
    made = collections.deque
    assert description(made([2])) is not None and description(made([2])) == description(
        made([2])
    ) != description(made([3]))
    assert description(threading.Lock()) is None


def test_objects_of_every_day_are_understood():
    class Shape(abc.ABC):
        @abc.abstractmethod
        def size(self): ...

    @dataclasses.dataclass
    class Square(Shape):
        side: int
        parts: list = dataclasses.field(default_factory=list)

        def size(self):
            return self.side

        @functools.cached_property
        def area(self):
            return self.side**2

    class Color(enum.Enum):
        RED = 1

    class Row(typing.NamedTuple):
        a: int

    @functools.lru_cache(None)
    def cached(x):
        return x

    @functools.singledispatch
    def dispatched(x):
        return x

    for value in (
        Square(3),
        Color.RED,
        Row(1),
        cached,
        dispatched,
        typing.Optional[int],  # noqa: UP045  # an object of typing
        nl.par_dim,
        nl.tile_size,
        np.add,
        np.sum,
        len,
        nl.sbuf,
    ):
        assert description(value) is not None and description(value) == description(value)
    assert description(Square(3)) == description(Square(3)) != description(Square(4))


def test_modules_within_modules():
    """A kernel names a module, and a value of a module in it."""

    def kernel_of(factor):
        inner, outer = types.ModuleType("inner_of_a_user"), types.ModuleType("outer_of_a_user")
        inner.factor, inner.outer, outer.inner = factor, outer, inner
        code = compile(
            "def kernel(x): return x * outer.inner.factor + outer.inner.outer.inner.factor", "k.py", "exec"
        )
        around = {"outer": outer, "__name__": "kernels_of_a_user"}
        exec(code, around)
        return around["kernel"]

    assert description(kernel_of(2)) == description(kernel_of(2)) != description(kernel_of(3))


@pytest.fixture
def users_settings(monkeypatch):
    """A module of the user in a package, which functions import when they are called."""
    package, module = types.ModuleType("users_package"), types.ModuleType("users_package.settings")
    module.factor, module.held, package.settings = 2, types.SimpleNamespace(factor=2), module
    for one in (package, module):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    return module


def from_import():
    from users_package.settings import factor

    return factor


def import_of_a_part():
    import users_package.settings

    return users_package.settings.factor


def import_as():
    import users_package.settings as chosen

    return chosen.factor


def from_import_of_a_module():
    from users_package import settings as chosen

    return [chosen.factor for _ in range(1)]


def import_within():
    def inner():
        from users_package.settings import held

        return held.factor

    return inner()


def attribute_of_a_name():
    import users_package.settings as chosen

    return getattr(chosen, "fac" + "tor")


def relative_import():
    from .settings import factor

    return factor


relative = types.FunctionType(relative_import.__code__, {**globals(), "__package__": "users_package"})


@pytest.mark.parametrize(
    "function",
    [
        from_import,
        import_of_a_part,
        import_as,
        from_import_of_a_module,
        import_within,
        attribute_of_a_name,
        relative,
    ],
)
def test_what_a_function_imports_counts(users_settings, function):
    before = description(function)
    assert before is not None and before == description(function)
    users_settings.factor = users_settings.held.factor = 3
    assert description(function) != before
    del sys.modules["users_package.settings"], sys.modules["users_package"].settings
    assert description(function) != before  # it would be imported anew


def test_a_module_that_makes_its_attributes(users_settings):
    made = {"factor": 2}
    del users_settings.factor
    users_settings.__getattr__ = lambda name: made[name]
    before = description(import_as)
    made["factor"] = 3
    assert description(import_as) != before


def test_values_that_are_reached_by_a_text_are_unknown():
    import importlib

    texts = (
        lambda: globals()["number"],
        lambda: eval("number"),
        lambda: sys.modules["users_package"],
        lambda: importlib.import_module("users_package"),
        lambda: [number.__globals__["several"] for _ in range(1)],
    )
    for text in texts:
        assert description(text) is None
    name = "exp"
    assert description(lambda x: getattr(nl, name)(x)) is not None
