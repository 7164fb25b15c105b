"""Tensors of torch, arrays of jax and others with DLPack or `__array__`, as arguments and results.

Tests of torch and jax are skipped where these are not installed. A stand-in with the part of the interface of
torch that is used goes through the same code without it.
"""

import sys
import types

import ml_dtypes
import numpy as np
import pytest

import trnsim.nki.language as nl
import trnsim.nki.typing as nt
from trnsim import nki

F32 = np.float32
BF16 = np.dtype(ml_dtypes.bfloat16)


@nki.jit(mode="simulation")
def double(x):
    y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    nl.store(y, nl.multiply(nl.load(x), 2.0, dtype=x.dtype))
    return y


@nki.jit(mode="simulation")
def several(pair, scale, y: nt.mutable_tensor):
    total = nl.ndarray(pair[0].shape, pair[0].dtype, buffer=nl.shared_hbm)
    nl.store(total, nl.load(pair[0]) + nl.load(pair[1]))
    nl.store(y, nl.load(total) * scale)
    return {"total": total, "written": y, "number": 3}


class Exchanged:
    """An array that has DLPack and nothing else."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device, 0


class Convertible:
    """An array that has `__array__` and nothing else."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("kind", [Exchanged, Convertible])
def test_arrays_by_their_protocols(rng, kind):
    x = rng.normal(size=(4, 6)).astype(F32)
    found = double(kind(x))
    assert type(found) is np.ndarray and np.array_equal(found, 2 * x)
    y = np.zeros((4, 6), F32)
    several([kind(x), kind(x)], 3.0, kind(y))
    assert np.array_equal(y, 6 * x)  # it is written in place


@pytest.mark.golden("arguments, which no RTL sees")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            Exchanged(np.zeros((4, 6), F32), device=2),
            r"argument x is a .*Exchanged: it is on device \(2, 0\)",
        ),
        (Convertible(np.array([None])), "argument x is a .*Convertible, expected an array of numbers"),
        (Convertible(np.zeros((4, 6))), "argument x is float64, expected a type of nki.language"),
    ],
)
def test_arrays_that_cannot_be_read(value, text):
    with pytest.raises(nki.NkiError, match=text):
        double(value)


@pytest.mark.parametrize("dtype", [F32, np.float16, BF16, np.int32, np.uint8])
def test_arrays_of_jax(rng, dtype):
    jax = pytest.importorskip("jax")
    x = rng.integers(0, 9, (4, 6)).astype(dtype)
    given = jax.numpy.asarray(x)
    found = double(given)
    assert isinstance(found, jax.Array) and found.dtype == given.dtype
    assert np.array_equal(np.asarray(found), 2 * x)


@pytest.mark.golden("arguments, which no RTL sees")
def test_arrays_of_jax_are_not_written(rng):
    jax = pytest.importorskip("jax")
    x = jax.numpy.ones((4, 6), F32)
    with pytest.raises(nki.NkiError, match="parameter y is written and its array is read-only"):
        several([x, x], 2.0, x)
    y = np.zeros((4, 6), F32)
    found = several([x, x], 2.0, y)
    assert isinstance(found["total"], jax.Array) and found["number"] == 3 and np.array_equal(y, 4 * x)
    with pytest.raises(nki.NkiError, match="argument x is a jax"):
        jax.jit(double)(x)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float8_e5m2", "int32", "uint8"])
def test_tensors_of_torch(rng, dtype):
    torch = pytest.importorskip("torch")
    given = torch.from_numpy(rng.integers(0, 9, (4, 6)).astype(F32)).to(getattr(torch, dtype))
    found = double(given)
    assert isinstance(found, torch.Tensor) and found.dtype == given.dtype
    assert torch.equal(found.to(torch.float32), 2 * given.to(torch.float32))


def test_tensors_of_torch_are_written_in_place(rng):
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(rng.normal(size=(4, 6)).astype(F32)).requires_grad_()
    y = torch.zeros((6, 4)).t()  # not contiguous
    found = several([x, x.detach().numpy()], 3.0, y)
    assert torch.equal(y, 6 * x.detach()) and found["written"] is y and found["number"] == 3
    assert torch.equal(found["total"], 2 * x.detach())


class Tensor:
    """The interface of torch.Tensor that is used, on an array of NumPy."""

    __module__ = "torch"

    def __init__(self, bits, dtype, device="cpu"):
        self.bits, self.dtype = bits, f"torch.{dtype}"
        self.device = types.SimpleNamespace(type=device)

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("torch has no bf16 for NumPy")

    def detach(self):
        return self

    def view(self, dtype):
        array = self.bits.view(BF16 if dtype == "bfloat16" else np.dtype(dtype))
        return Tensor(array, dtype)

    def numpy(self):
        assert self.bits.dtype != BF16
        return self.bits


@pytest.fixture
def torch(monkeypatch):
    module = types.ModuleType("torch")
    for name in ("int16", "uint8", "bfloat16", "float8_e5m2"):
        setattr(module, name, name)
    module.Tensor = Tensor
    module.from_numpy = lambda array: Tensor(array, array.dtype.name)
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.mark.parametrize("dtype", [F32, BF16])
def test_the_interface_of_torch(rng, torch, dtype):
    x = rng.integers(0, 9, (4, 6)).astype(dtype)
    found = double(Tensor(x, np.dtype(dtype).name))
    assert isinstance(found, Tensor) and found.dtype == f"torch.{np.dtype(dtype).name}"
    assert found.bits.dtype == dtype and np.array_equal(found.bits, 2 * x)
    y = Tensor(np.zeros((4, 6), dtype), np.dtype(dtype).name)
    found = several([Tensor(x, np.dtype(dtype).name), x], 3.0, y)
    assert found["written"] is y and np.array_equal(y.bits, 6 * x)


@pytest.mark.golden("arguments, which no RTL sees")
def test_tensors_of_torch_elsewhere(torch):
    with pytest.raises(nki.NkiError, match=r"argument x is a tensor of torch on .*expected .*\.cpu\(\)"):
        double(Tensor(np.zeros((4, 6), F32), "float32", device="cuda"))
