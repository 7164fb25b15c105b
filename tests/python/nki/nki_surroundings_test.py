"""What recordings depend on besides shapes and types."""

import dataclasses
import functools
import types

import numpy as np
import pytest
import trnsim.nki as nki
import trnsim.nki.language as nl
from trnsim.nki.surroundings import description


def module_of(**values):
    """A module of its own, with functions that use what is in it."""
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
    vars(module).update(factor=2, helper=lambda x: x, held=types.SimpleNamespace(factor=2), several=[{"factor": 2}], op=nl.add)
    vars(module).update(values)
    exec(compile(source, "kernels_of_a_user.py", "exec"), vars(module))
    return module


@pytest.mark.parametrize(
    "name, change",
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

    for made in (Hidden, Slotted, lambda factor: functools.partial(max, factor), lambda factor: lambda x: x * factor):
        assert description(made(2)) == description(made(2))
        assert description(made(2)) != description(made(3))


def test_arrays_and_containers():
    a = np.arange(6.0)
    assert description(a) == description(a.copy()) != description(a + 1)
    assert description(a) != description(a.reshape(2, 3)) and description(a) != description(a.astype(np.float32))
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
