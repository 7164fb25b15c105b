"""Kernels of steps: buffers without places, the back end, spilled buffers."""

import numpy as np
import pytest

import trnsim


def kernel(columns, count):
    """y = the sum of rows of x, each in a buffer of its own; the first row is added last."""
    k = trnsim.KernelBuilder("sums", "small16", steps=True)
    x = k.tensor("x", "input", "fp32", [16 * count, columns])
    y = k.tensor("y", "output", "fp32", [16, columns])
    loads, stores = k.queue("loads"), k.queue("stores", owner="gpsimd")
    tiles = [
        k.buffer("sbuf", 16, 4 * columns, f"tile{i}").part(0, 16, 0, "fp32", [(columns, 1)])
        for i in range(count)
    ]
    for i, tile in enumerate(tiles):
        k.load(loads, tile, x[16 * i : 16 * i + 16, 0:columns])
    for tile in reversed(tiles[:-1]):
        k.tensor_tensor(tiles[-1], tiles[-1], "add", tile)
    k.store(stores, y[0:16, 0:columns], tiles[-1])
    return k, (loads, stores)


def values(columns, count):
    return np.random.default_rng(3).integers(-50, 50, (16 * count, columns)).astype(np.float32)


def test_steps():
    k, _ = kernel(50, 3)
    package, spills = k.compile()
    x = values(50, 3)
    assert spills == []
    np.testing.assert_array_equal(trnsim.interpret(package, {"x": x})["y"], x.reshape(3, 16, 50).sum(axis=0))


def test_spilled():
    k, queues = kernel(500, 5)
    package, spills = k.compile(sbuf=6400, spill=queues)
    x = values(500, 5)
    np.testing.assert_array_equal(trnsim.interpret(package, {"x": x})["y"], x.reshape(5, 16, 500).sum(axis=0))
    assert spills and all(
        "2000 bytes x 16 partitions of SBUF: stored 0 times, loaded 1 time" in text for text in spills
    ), spills
    assert all("steps_test.py" in text for text in spills)


def test_no_room():
    k, _ = kernel(500, 5)
    with pytest.raises(
        trnsim.AllocationError,
        match="8000 bytes a partition in sbuf are in use at once, expected at most 6400",
    ) as error:
        k.compile(sbuf=6400)
    file, line = error.value.place
    assert file == __file__ and line == kernel.__code__.co_firstlineno + 11


def test_target():
    target = trnsim.KernelBuilder("target", "small16").target
    assert (target.partitions, target.rows, target.columns, target.psum_bank) == (16, 16, 16, 2048)
    assert [target.start_partitions(count) for count in (1, 4, 5, 8, 9)] == [[0, 4, 8, 12]] * 2 + [
        [0, 8]
    ] * 2 + [[0]]


def test_refusals():
    with pytest.raises(trnsim.KernelError, match="the builder is eager"):
        trnsim.KernelBuilder("eager", "small16").buffer("sbuf", 16, 64)
    k = trnsim.KernelBuilder("steps", "small16", steps=True)
    with pytest.raises(
        trnsim.KernelError, match="of 17 partitions of 64 bytes: 17 partitions, expected 1 to 16, as SBUF has"
    ):
        k.buffer("sbuf", 17, 64)
    with pytest.raises(trnsim.KernelError, match="memory 'hbm' is not known"):
        k.buffer("hbm", 16, 64)
    with pytest.raises(trnsim.KernelError, match="its buffer has 16 partitions of 64 bytes"):
        k.memset(k.buffer("sbuf", 16, 64).part(0, 16, 0, "fp32", [(17, 1)]), 0.0)
    with pytest.raises(trnsim.KernelError, match="which schedule::compile"):
        k.finish()
