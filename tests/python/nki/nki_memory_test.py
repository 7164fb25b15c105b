"""The host memory of kernels, and strides of reshaped tensors."""

import json
import math
import subprocess
import sys
from pathlib import Path

import nki_rtl
import numpy as np
import pytest

import trnsim.nki.language as nl
from trnsim.nki import device, record
from trnsim.nki.golden import Golden
from trnsim.nki.kernel import launch_of
from trnsim.nki.storage import Bytes, reshaped_strides

_MOST, _OPERATIONS = 4 << 30, 500_000  # bytes of a process that records so many operations


@pytest.mark.skipif(nki_rtl.ENABLED, reason="nothing is executed on the RTL")
@pytest.mark.parametrize(
    ("options", "few", "many"),
    [((), 20_000, _OPERATIONS), (("--executed",), 8_000, 40_000)],
    ids=["traced", "executed"],
)
def test_memory_of_a_long_recording(options, few, many, scale):
    """A kernel of 500,000 operations in the full set, and of fewer otherwise, takes its share of 4 GB.

    The interpreter's own memory is not counted.
    """
    wanted = many if scale > 1 else few
    program = Path(__file__).with_name("recorded_memory.py")
    done = subprocess.run(
        [sys.executable, program, str(wanted), *options], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    print(found)
    assert found["operations"] >= wanted
    assert found["after"] - found["before"] < (_MOST - found["before"]) * wanted / _OPERATIONS


@pytest.mark.skipif(not nki_rtl.ENABLED, reason="TRNSIM_NKI_RTL=1 runs kernels on the RTL")
def test_results_are_the_callers_alone():
    """A recording keeps no values of a call, and each call has results of its own."""

    def kernel(x):
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(x) + 1.0)
        return out

    x = np.arange(512, dtype=np.float32).reshape(8, 64)
    first, run = device.run(launch_of(kernel, (x,), {}))
    second, _ = device.run(launch_of(kernel, (2 * x,), {}))
    assert np.array_equal(first, x + 1) and np.array_equal(second, 2 * x + 1)
    first[...] = 0
    assert all(np.array_equal(array, x + 1) for array in run.outputs.values())
    recording = device.recording(launch_of(kernel, (x,), {}))
    assert recording._written
    assert all(storage.bytes._array is None for storage in recording._written.values())


def test_a_recording_has_no_values():
    """A kernel has bytes for constants only."""

    def kernel(x):
        out = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((4, nl.par_dim(128), 64), x.dtype)
        for i in range(4):
            tile[i] = nl.load(x[:, nl.ds(64 * i, 64)]).reshape((128, 8, 8)).reshape((128, 64)) + 1.0
            constant = nl.load(nl.shared_constant(np.ones((128, 1), np.float32)))
            nl.store(out[:, nl.ds(64 * i, 64)], nl.add(tile[i], constant, mask=nl.arange(64)[None, :] < 9))
        return out

    operations, _, parameters = device.traced(launch_of(kernel, (np.ones((128, 256), np.float32),), {}))
    made = {tensor.storage.bytes for operation in operations for tensor in operation.tensors()} | {
        p.storage.bytes for p in parameters
    }
    assert sorted({held.size for held in made if held._array is not None}) == [512]


def test_records_hold_no_values_of_the_chip():
    def kernel(x):
        out, tile = (
            nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm),
            nl.ndarray((2, nl.par_dim(128), 64), x.dtype),
        )
        for i in range(2):
            tile[i] = nl.load(x[:, nl.ds(64 * i, 64)])
            nl.store(out[:, nl.ds(64 * i, 64)], tile[i].view(nl.int32).view(nl.float32) + tile[i])
        return out

    operations, output = record(kernel, np.ones((128, 128), np.float32))
    tensors = [tensor for operation in operations for tensor in operation.tensors()]
    assert all((tensor.storage.bytes._array is None) == (tensor.space != "hbm") for tensor in tensors)
    blocks = [
        tensor.storage
        for tensor in tensors
        if tensor.space == "sbuf" and tensor.storage.bytes.size == 2 * 128 * 64 * 4
    ]
    # views of two blocks
    assert (
        len({storage.identity for storage in blocks}) == 1 and len({id(storage) for storage in blocks}) == 3
    )
    assert all(storage.bytes.viewed for storage in blocks)
    golden = Golden()
    expected, output[...] = output.copy(), 0
    for operation in operations:
        golden.execute(operation)
    assert (output == expected).all() and (output == 2).all()


def test_bytes_are_filled_where_no_instruction_writes_all():
    values = np.arange(6, dtype=np.uint8)
    assert (Bytes(6, filled=True).array == 0xFF).all()
    free, filled, shared, seen = (
        Bytes(6, filled=False),
        Bytes(6, filled=True),
        Bytes(6, filled=False),
        Bytes(6, filled=False),
    )
    shared.keep()
    seen.array[:] = 1
    assert free.adopt(values) and free.array.base is values
    assert not any(held.adopt(values) for held in (filled, shared, seen, Bytes(5, filled=False)))
    seen.fill()
    assert (seen.array == 0xFF).all()


def _cut(rng, count):
    """Makes a shape of so many elements, with dimensions of size 1."""
    shape = []
    while count > 1:
        size = int(rng.choice([d for d in range(1, count + 1) if count % d == 0]))
        shape.append(size)
        count //= size
    return tuple(shape) or (1,)


def test_strides_of_reshaped_tensors(rng, scale):
    """The strides are NumPy's, or there are none where NumPy copies."""
    copies = 0
    for _ in range(int(3000 * scale)):
        whole = np.zeros(
            _cut(rng, int(rng.choice([1, 6, 24, 60, 96]))), rng.choice([np.uint8, np.int16, np.float32])
        )
        part = whole.transpose(rng.permutation(whole.ndim)) if rng.integers(2) else whole
        part = part[
            tuple(slice(int(rng.integers(size)), None, int(rng.integers(1, 3))) for size in part.shape)
        ]
        part = np.broadcast_to(
            part, tuple(int(rng.integers(1, 4)) if size == 1 else size for size in part.shape)
        )
        shape = _cut(rng, math.prod(part.shape))
        view = part.reshape(shape)
        found = reshaped_strides(part.shape, part.strides, part.itemsize, shape)
        if np.may_share_memory(view, part):
            expected = part.strides if shape == part.shape else view.strides
            assert (part.strides if shape == part.shape else found) == expected, (
                part.shape,
                part.strides,
                shape,
            )
        else:
            copies += 1
            assert found is None, (part.shape, part.strides, shape)
    assert copies
    assert reshaped_strides((3, 0), (4, 4), 4, (0,)) is None
